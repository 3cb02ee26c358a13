package check

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
)

// Limits of simulated responses: beyond them the rounding of a cached
// predictor may be felt, so that no verdict could be taken.
const (
	maxResponse = 1e12
	maxCount    = 1e9
	minPositive = 1e-140 // below, a simulated response was rounded up
	maxShare    = 1 - 1e-15
	// boundTries bounds the draws of parameters until a linear predictor lies
	// inside the link's domain in every row.
	boundTries = 10_000
)

// simulator makes and fits the simulated data sets of one case. It is read-only
// once made.
type simulator struct {
	*plan.Case
	seed      uint64
	given     string // Prior or Posterior
	draws     int
	data      *glm.Data       // the real data, a row for each response
	target    plan.Joint      // of the real data
	simulates infer.Simulator // simulates without data and target; nil of regressions
	ranked    []int           // parameters
	truths    *drawn          // of the posterior of the real data; nil for draws from the prior
	hook      func(infer.Kernel) infer.Kernel
}

// newSimulator sets the case up on the real data.
func newSimulator(c *plan.Case, seed uint64, given string, draws int,
	hook func(infer.Kernel) infer.Kernel) (*simulator, error) {
	s := &simulator{Case: c, seed: seed, given: given, draws: draws, hook: hook}
	var err error
	if c.Simulator != nil {
		if s.simulates, err = c.Simulator(); err == nil {
			s.ranked = ranked(s.simulates.Parameters(), s.effects())
		}
		return s, err
	}
	if s.data, err = plan.Expanded(c.Data); err != nil {
		return nil, err
	}
	if s.target, err = c.On(s.data); err != nil {
		return nil, err
	}
	s.ranked = ranked(s.target.Parameters(), s.data.Effects)
	return s, nil
}

// effects are those of the levels of groupings of a fit that simulates on its own.
func (s *simulator) effects() []*design.Effects {
	if s.Design == nil {
		return nil
	}
	return s.Data.Effects
}

// Where the parameters of a simulation are drawn from.
const (
	Prior     = "prior"
	Posterior = "posterior" // of the real data, which are then fitted again with the simulated ones
)

// afterData reports whether the real data are given.
func (s *simulator) afterData() bool { return s.given == Posterior }

// stream names a random stream of the case.
func (s *simulator) stream(what string, i int) *infer.Stream {
	return infer.NewStream(s.seed, "check", s.given, s.Dataset, s.Group, s.Model, s.Sampler, what, strconv.Itoa(i))
}

// condition draws n parameter vectors from the posterior of the real data, for
// posterior calibration.
func (s *simulator) condition(ctx context.Context, n int) error {
	setup, err := s.Setup(s.target)
	if err != nil {
		return err
	}
	all := make([]int, len(s.target.Parameters()))
	for j := range all {
		all[j] = j
	}
	s.truths, err = draw(ctx, setup, s.stream("truths", 0), n, all, nil)
	return err
}

// all are the parameters of the case.
func (s *simulator) all() []infer.Parameter {
	if s.simulates != nil {
		return s.simulates.Parameters()
	}
	return s.target.Parameters()
}

// parameters names the statistics that are ranked.
func (s *simulator) parameters() []string {
	var out []string
	for _, j := range s.ranked {
		out = append(out, s.all()[j].Name)
	}
	return append(out, "log_lik")
}

// simulate makes and fits data set i.
func (s *simulator) simulate(ctx context.Context, i int) report.Simulation {
	out := report.Simulation{Index: i}
	fail := func(outcome string, err error) report.Simulation {
		out.Outcome, out.Note = outcome, err.Error()
		return out
	}
	if s.simulates != nil {
		sim, err := s.simulates.Simulate(s.stream("data", i))
		if err != nil {
			return fail("refused", err)
		}
		truth := append(taken(sim.Position, s.ranked), sim.LogLik)
		if err := s.rank(ctx, &out, sim.Posterior, truth, i); err != nil {
			return fail("error", err)
		}
		return out
	}
	theta, y, redrawn, err := s.respond(i)
	out.Redrawn = redrawn
	if err != nil {
		return fail("refused", err)
	}
	out.AllEqual = allEqual(y[:s.data.Rows()], s.data.Trials)
	if err := s.plain(y); err != nil {
		return fail("overflow", err)
	}
	target, err := s.On(s.fitted(y))
	if err != nil {
		return fail("refused", err)
	}
	setup, err := s.Setup(target)
	if err != nil {
		return fail("error", err)
	}
	if err := s.rank(ctx, &out, setup, statistics(target, s.ranked, theta), i); err != nil {
		return fail("error", err)
	}
	return out
}

// rank counts the draws of a sampler below the truth.
func (s *simulator) rank(ctx context.Context, out *report.Simulation, setup infer.Setup, truth []float64, i int) error {
	d, err := draw(ctx, setup, s.stream("chain", i), s.draws, s.ranked, s.hook)
	if err != nil {
		return err
	}
	out.Outcome, out.Iterations, out.Mixed = report.Ranked, d.iterations, d.mixed
	out.Ranks = d.ranks(truth, s.stream("ties", i))
	return nil
}

// respond draws parameters and responses.
func (s *simulator) respond(i int) (theta, y []float64, redrawn int, err error) {
	rng := s.stream("data", i)
	theta = make([]float64, len(s.target.Parameters()))
	for ; ; redrawn++ {
		if redrawn == boundTries || redrawn > 0 && s.afterData() {
			return nil, nil, redrawn,
				errors.New("the prior hardly ever leaves the linear predictor inside the domain of the link")
		}
		if s.afterData() {
			for j := range theta {
				theta[j] = s.truths.trace[j][s.truths.picks[i]]
			}
		} else {
			s.target.DrawPrior(rng, theta)
		}
		if y = s.target.Respond(rng, theta); y != nil {
			return theta, y, redrawn, nil
		}
	}
}

// plain returns the reason why responses cannot be a data set of the family, or nil. It looks at the responses
// alone, so that leaving them out keeps ranks uniform.
func (s *simulator) plain(y []float64) error {
	low, high := -maxResponse, maxResponse
	switch s := s.Posterior.Family.Support(); {
	case s.Counts():
		low, high = 0, maxCount
	case s.Positive():
		low = minPositive
	case s.Share():
		low, high = minPositive, maxShare
	}
	for i, v := range y {
		if !(v >= low && v <= high) {
			return fmt.Errorf("row %d has a simulated response of %.3g", i%s.data.Rows()+1, v)
		}
	}
	return nil
}

// fitted is the data set of a fit: simulated responses on the design, below the real data if these are given.
func (s *simulator) fitted(y []float64) *glm.Data {
	if s.afterData() {
		return doubled(s.data, y)
	}
	return s.data.Responding(y)
}

// allEqual reports whether there is one response only: one number, or under
// trials all successes or all failures.
func allEqual(y, trials []float64) bool {
	low, high := true, trials != nil
	for i, v := range y {
		if trials == nil {
			low = low && v == y[0]
			continue
		}
		low, high = low && v == 0, high && v == trials[i]
	}
	return low || high
}

// doubled is the data twice, the second time with other responses.
func doubled(data *glm.Data, y []float64) *glm.Data {
	n := data.Rows()
	from := make([]int, 2*n)
	for i := range from {
		from[i] = i % n
	}
	out, second := data.Taken(from), data.Responding(y)
	copy(out.Y[n:], second.Y)
	for k, of := range second.Counts {
		copy(out.Counts[k][n:], of)
	}
	if out.Kind != nil {
		copy(out.Kind[n:], second.Kind)
	}
	return out
}
