package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"glmbatch/pipelines/internal/progress"
	"glmbatch/report/judge"
)

// grow draws and checks until the schedule is done.
func (r *runner) grow(ctx context.Context, f *fitting, s *sampling, p *progress.Fit) error {
	w := f.schedule.start()
	for {
		var have int64
		for _, c := range f.spool.Chains {
			have += int64(min(c.Draws(), w.to))
		}
		p.Phase("sampling")
		p.Plan(have, int64(w.to)*int64(len(f.spool.Chains)))
		if err := r.advanceAll(ctx, s, w.to); err != nil {
			return err
		}
		p.Phase("diagnosing")
		m, err := r.check(ctx, f, s, w)
		if err != nil {
			return err
		}
		c := checked{mixed: m.mixed(f.gates.RHat), reached: r.reached(f, m)}
		p.Checked(r.progressOf(f, m))
		next, done := f.schedule.next(w, c)
		if done {
			f.window, f.measured = w, m
			return nil
		}
		w = next
	}
}

// advanceAll draws all chains to the same length, each on a worker. A chain
// that fails does not stop its siblings.
func (r *runner) advanceAll(ctx context.Context, s *sampling, to int) error {
	errs := make([]error, len(s.kernels))
	var g errgroup.Group
	for c := range s.kernels {
		g.Go(func() (err error) {
			if err := r.workers.acquire(ctx); err != nil {
				errs[c] = err
				return nil
			}
			stop := s.clock.run()
			err = s.advance(ctx, c, to, func() { stop(); r.workers.release() })
			if err != nil {
				errs[c] = fmt.Errorf("chain %d: %w", c+1, err)
			}
			return nil
		})
	}
	_ = g.Wait() // always nil: errors live in errs
	return errors.Join(errs...)
}

// check diagnoses the window, on one worker.
func (r *runner) check(ctx context.Context, f *fitting, s *sampling, w window) (*measured, error) {
	if err := r.workers.acquire(ctx); err != nil {
		return nil, err
	}
	defer r.workers.release()
	defer f.clock.run()()
	if err := s.expandable(ctx, f.draws); err != nil {
		return nil, err
	}
	m, err := measure(f.draws, w, columnBytes)
	if err != nil {
		return nil, err
	}
	m.withoutMoments(f.doubts)
	m.local = localScales(f.params)
	switch {
	case f.ungated():
		m.withoutDiagnostics(f.method.discrete.why)
	case f.field != nil:
		m.passOver(f.focused)
	}
	m.deriving = f.deriving(w)
	if m.derived, err = m.deriving.summarize(); err != nil {
		return nil, err
	}
	derivedMoments(m.derived, f.quantities, parameterNames(f.params), f.doubts)
	return m, nil
}

// reached reports whether the run's target holds.
func (r *runner) reached(f *fitting, m *measured) bool {
	until := r.Pipeline.Run.Until
	if f.ungated() {
		return true
	}
	if until.ESS > 0 {
		return m.ess(until.Over, f.params) >= until.ESS
	}
	evidence := f.evidence(m)
	evidence.Derived = slices.DeleteFunc(evidence.Derived, func(s judge.Statistic) bool {
		return math.IsNaN(s.Summary.Mean) // more draws give those no value that have none
	})
	return judge.Judge(f.gates.Judge().Strict(), evidence).Grade != judge.Fail
}

func (r *runner) progressOf(f *fitting, m *measured) progress.Check {
	until := r.Pipeline.Run.Until
	if until.ESS > 0 {
		return progress.Check{ESS: m.ess(until.Over, f.params), Target: until.ESS, What: until.Over + " ESS", RHat: m.worstRHat()}
	}
	target := f.gates.ESSBulk.Strict().At
	return progress.Check{ESS: m.ess("all", f.params), Target: target, What: "least ESS", RHat: m.worstRHat()}
}
