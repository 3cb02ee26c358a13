package cggibbs

import (
	"glmbatch/infer"
	"glmbatch/internal/state"
)

// A move updates the point of a chain and leaves the posterior invariant. It returns false if a log density was NaN or
// +Inf: the slicer then has its value, and stepper.coord or stepper.failing what was under update.
type move func() bool

// A schedule lists the moves of an iteration: those at its beginning, those that are made as often as Options.Moves
// asks for, in turn, and those at its end.
type schedule struct{ first, each, last []move }

// stepper is the part that kernels have in common: they draw from it, count in it and report by it.
type stepper struct {
	state.Saver
	stream    *infer.Stream
	slice     slicer
	updates   schedule
	start     string
	iteration int64
	turn      int // of the moves that are made several times, from 0

	coord   int    // under update
	failing string // the name of what was under update if that is no coordinate
	effort
}

// effort is that of an iteration.
type effort struct {
	touched   int64 // entries of X read
	gradients int64
	proposals int64 // of Metropolis decisions
	accepted  float64
}

// stepped is a kernel whose moves a stepper makes.
type stepped interface {
	// coordinate returns the name of coordinate j. A move along it has failed.
	coordinate(j int) string
	// ended updates what follows from the point, and from the number of the iteration.
	ended()
	logDensities() (logLik, logPrior float64)
}

// step makes the moves of a schedule and returns the statistics of the iteration. It returns a *NonFiniteError, and
// leaves the chain at the last valid point, if a log density is NaN or +Inf; −Inf is an ordinary rejection. It
// allocates nothing and draws randomness only from the chain's stream.
func (c *stepper) step(of stepped, s *schedule, moves int) (infer.Info, error) {
	if err := c.run(of, s, moves); err != nil {
		return infer.Info{}, err
	}
	logLik, logPrior := of.logDensities()
	return infer.Info{LogLik: logLik, LogPrior: logPrior, Evaluations: c.slice.evaluations, Touched: c.touched,
		Gradients: c.gradients, Accept: c.rate()}, nil
}

// run makes the moves of a schedule.
func (c *stepper) run(of stepped, s *schedule, moves int) error {
	c.effort, c.slice.evaluations, c.failing = effort{}, 0, ""
	ok := all(s.first)
	for c.turn = 0; ok && c.turn < moves; c.turn++ {
		ok = all(s.each)
	}
	if !ok || !all(s.last) {
		if c.failing == "" {
			c.failing = of.coordinate(c.coord)
		}
		of.ended()
		return &NonFiniteError{c.failing, c.iteration, c.slice.badValue}
	}
	c.iteration++
	of.ended()
	return nil
}

// all makes moves until one fails.
func all(moves []move) bool {
	for _, m := range moves {
		if !m() {
			return false
		}
	}
	return true
}

// rate returns the mean probability of acceptance in this iteration, 0 if there was no proposal.
func (c *stepper) rate() float64 {
	if c.proposals == 0 {
		return 0
	}
	return c.accepted / float64(c.proposals)
}

// tally counts a proposal that was accepted with some probability.
func (c *stepper) tally(probability float64) {
	c.proposals++
	c.accepted += probability
	c.slice.evaluations++
}

// fails notes the value of a log density that was not finite, and the name of what was under update, empty for coord.
func (c *stepper) fails(name string, value float64) bool {
	c.failing, c.slice.badValue = name, value
	return false
}

// due reports whether this iteration begins with a refresh, where every is Options.RefreshEvery.
func (c *stepper) due(every int) bool { return every > 0 && c.iteration%int64(every) == 0 }

// Start describes how the starting point was drawn.
func (c *stepper) Start() string { return c.start }
