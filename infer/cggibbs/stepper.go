package cggibbs

import (
	"glmbatch/infer"
	"glmbatch/infer/update"
)

// stepper is the part that kernels have in common.
type stepper struct {
	update.Stepper
	slice slicer
	coord int // under update, if Failing is empty
}

// stepped is a kernel whose moves a stepper makes.
type stepped interface {
	// coordinate returns the name of coordinate j. A move along it has failed.
	coordinate(j int) string
	// ended updates what follows from the point, and from the number of the iteration.
	ended()
	logDensities() (logLik, logPrior float64)
}

// begin makes a stepper draw from a stream.
func (c *stepper) begin(stream *infer.Stream, doublings int) {
	c.Stream, c.slice = stream, slicer{Looks: &c.Looks, source: stream, limit: doublings}
}

// step makes the moves of a schedule and returns the statistics of the iteration. It returns a *update.NonFiniteError,
// and leaves the chain at the last valid point, if a log density is NaN or +Inf; −Inf is an ordinary rejection. It
// allocates nothing and draws randomness only from the chain's stream.
func (c *stepper) step(of stepped, s *update.Schedule, moves int) (infer.Info, error) {
	if err := c.run(of, s, moves); err != nil {
		return infer.Info{}, err
	}
	c.Arrive(of.logDensities())
	return c.Info(), nil
}

// run makes the moves of a schedule.
func (c *stepper) run(of stepped, s *update.Schedule, moves int) error {
	ok := c.Run(s, moves)
	if !ok && c.Failing == "" {
		c.Failing = of.coordinate(c.coord)
	}
	of.ended()
	if !ok {
		return c.Failure()
	}
	return nil
}

// due reports whether this iteration begins with a refresh, where every is Options.RefreshEvery.
func (c *stepper) due(every int) bool { return every > 0 && c.Iteration%int64(every) == 0 }
