package plan

import (
	"errors"
	"fmt"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/discrete/system"
	"glmbatch/infer"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// discreteSampler is a set-up of chains, and what is known of it before they are drawn.
type discreteSampler struct {
	setup        infer.Setup
	focus        []int // variables that the scan is for; nil: all
	warnings     []string
	certificates []system.Certificate
}

// longestSchedule bounds the sweeps of an annealing schedule, which is kept.
const longestSchedule = 10_000_000

// gibbsMethod is Gibbs sampling. Annealed chains that do not come to temperature 1
// before the warm-up ends look for the most probable states, and sample nothing.
func gibbsMethod(s *spec.Sampler) *discreteMethod {
	a := s.Anneal
	m := &discreteMethod{gated: true, sampled: true}
	if a.To != 0 && (a.To != 1 || a.Sweeps == 0) {
		m.gated, m.sampled = false, false
		m.why = "annealed chains look for the most probable states: they sample no law"
	}
	m.setup = func(f *system.Field, iterations int) (*discreteSampler, error) {
		o := mrf.Options{Scan: mrf.Scan(s.Scan.Order), Start: mrf.Start(s.States)}
		if a.To != 0 {
			n := a.Sweeps
			if n == 0 {
				n = iterations
			}
			if n > longestSchedule {
				return nil, words.Hint(fmt.Errorf("sampler %q: annealing over %d sweeps", s.Name, n),
					fmt.Sprintf("give anneal sweeps of its own, at most %d", longestSchedule))
			}
			o.Schedule = mrf.Linear(a.From, a.To, n)
		}
		out := &discreteSampler{}
		if len(s.Scan.For) > 0 {
			order, focus, cert, err := f.Scan(system.Aim{IDs: s.Scan.For, Weights: s.Scan.Weights,
				Within: s.Scan.Within, Updates: s.Scan.Updates, Iterate: s.Scan.Iterate, Rounds: s.Scan.Rounds,
				Inflate: s.Scan.Inflate, Order: s.Scan.Order, List: s.Scan.List})
			if err != nil {
				return nil, err
			}
			out.certificates = []system.Certificate{cert}
			out.focus = focus
			if o.Scan == mrf.Random {
				o.Updates = s.Scan.Updates
			} else if o.Scan, o.Order = "", order; order == nil {
				out.warnings = []string{"no scan is certified, all variables are updated in turn: " + cert.Reason}
			}
		}
		var err error
		out.setup, err = mrf.NewGibbs(f.Model, o)
		return out, err
	}
	return m
}

// herdedWhy is why no gate looks at herded chains.
const herdedWhy = "herded Gibbs is deterministic: R-hat and effective sample sizes mean nothing of it"

// herdedMethod is herded Gibbs.
func herdedMethod(o herded.Options) *discreteMethod {
	return &discreteMethod{
		sampled: true, why: herdedWhy,
		setup: func(f *system.Field, _ int) (*discreteSampler, error) {
			setup, err := herded.New(f.Model, o)
			var memory *herded.MemoryError
			if errors.As(err, &memory) {
				return nil, fmt.Errorf("%w (variable %d is %q)", err, memory.Variable, f.ID(memory.Variable))
			}
			if err != nil {
				return nil, err
			}
			return &discreteSampler{setup: setup, warnings: setup.Warnings()}, nil
		},
	}
}

// endsInWarmup is an error where an annealing schedule that comes to 1 does so after
// the first kept iteration.
func endsInWarmup(s *spec.Sampler, warmup int) error {
	if s.Anneal.To != 1 || s.Anneal.Sweeps <= warmup {
		return nil
	}
	return words.Hint(fmt.Errorf("sampler %q: annealing takes %d sweeps, and the warm-up has %d: what is kept would be "+
		"of another law", s.Name, s.Anneal.Sweeps, warmup),
		"give run a longer warmup, or anneal fewer sweeps")
}
