package update

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/internal/state"
)

// A Move updates the point of a chain and leaves the posterior invariant. It returns false if it failed, and the
// Stepper then has the reason: an error of Take, or a log density that was NaN or +Inf, see Looks and Fail.
type Move func() bool

// Moves are made in their order.
type Moves []Move

// Make makes moves until one fails.
func (m Moves) Make() bool {
	for _, move := range m {
		if !move() {
			return false
		}
	}
	return true
}

// A Schedule lists the moves of an iteration: those at its beginning, those that are made several times in turn, and
// those at its end.
type Schedule struct{ First, Each, Last Moves }

// Looks counts evaluations of log densities, and keeps a value that was NaN or +Inf.
type Looks struct {
	Evaluations int64
	Bad         float64
}

// Effort is that of an iteration.
type Effort struct {
	Looks
	Touched   int64 // entries of X read
	Gradients int64
	Proposals int64 // of Metropolis decisions
	Accepted  float64
	Accept    float64 // that of a part with a chain of its own, if there was no proposal
}

// A Stepper is the part that kernels have in common: they draw from it, count in it and report by it.
type Stepper struct {
	state.Saver
	Stream    *infer.Stream
	Updates   Schedule
	Words     string // how the starting point was drawn
	Iteration int64
	Turn      int    // of the moves that are made several times, from 0
	Failing   string // the name of what was under update
	Effort

	logLik, logPrior float64 // at the new position
	err              error
}

// Step makes the moves of an iteration, of which the last one calls Arrive, and returns its statistics. It returns an
// error of Take, or a *NonFiniteError if a log density is NaN or +Inf; −Inf is an ordinary rejection.
func (s *Stepper) Step() (infer.Info, error) {
	if !s.Run(&s.Updates, 1) {
		return infer.Info{}, s.Failure()
	}
	return s.Info(), nil
}

// Run makes the moves of a schedule, those of Each the given number of times, and counts an iteration. It reports
// whether no move failed.
func (s *Stepper) Run(moves *Schedule, times int) bool {
	s.Effort, s.Failing, s.err = Effort{}, "", nil
	ok := moves.First.Make()
	for s.Turn = 0; ok && s.Turn < times; s.Turn++ {
		ok = moves.Each.Make()
	}
	if !ok || !moves.Last.Make() {
		return false
	}
	s.Iteration++
	return true
}

// Info returns the statistics of the iteration. Its Accept is the mean probability of acceptance.
func (s *Stepper) Info() infer.Info {
	out := infer.Info{LogLik: s.logLik, LogPrior: s.logPrior, Evaluations: s.Evaluations, Touched: s.Touched,
		Gradients: s.Gradients, Accept: s.Accept}
	if s.Proposals > 0 {
		out.Accept = s.Accepted / float64(s.Proposals)
	}
	return out
}

// Failure returns the error of a move that failed.
func (s *Stepper) Failure() error {
	if s.err != nil {
		return s.err
	}
	return &NonFiniteError{s.Failing, s.Iteration, s.Bad}
}

// Tally counts a proposal that was accepted with some probability.
func (s *Stepper) Tally(probability float64) {
	s.Proposals++
	s.Accepted += probability
	s.Evaluations++
}

// Take counts the effort of a part that has a chain of its own, and keeps its error.
func (s *Stepper) Take(info infer.Info, err error) bool {
	s.Evaluations += info.Evaluations
	s.Touched += info.Touched
	s.Gradients += info.Gradients
	s.err = err
	return err == nil
}

// Arrive notes the log likelihood and the log prior density at the new position. The last move calls it.
func (s *Stepper) Arrive(logLik, logPrior float64) bool {
	s.logLik, s.logPrior = logLik, logPrior
	return true
}

// Fail notes the value of a log density that was not finite, and the name of what was under update.
func (s *Stepper) Fail(name string, value float64) bool {
	s.Failing, s.Bad = name, value
	return false
}

// FailAlong notes the name of what was under update, and keeps the value.
func (s *Stepper) FailAlong(name string) bool { return s.Fail(name, s.Bad) }

// Start describes how the starting point was drawn.
func (s *Stepper) Start() string { return s.Words }

// A NonFiniteError reports a conditional log density that was NaN or +Inf.
type NonFiniteError struct {
	Parameter string
	Iteration int64 // 0-based
	Value     float64
}

// Error names the parameter, the iteration and the value.
func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("iteration %d: the conditional log density of %s is %v: "+
		"scale the columns of the design, or give a tighter prior", e.Iteration+1, e.Parameter, e.Value)
}
