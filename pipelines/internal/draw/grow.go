package draw

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/cpu"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// Grow draws and checks until the schedule is done, or the fit is lost.
func (c *Chains) Grow(ctx context.Context) (*assess.Drawn, error) {
	draws := assess.NewDraws(c.Spool, c.numbers, c.Capabilities().Regression)
	w := c.Schedule.Start()
	for {
		var have int64
		for _, chain := range c.Spool.Chains {
			have += int64(min(chain.Draws(), w.To))
		}
		c.progress.Phase("sampling")
		c.progress.Plan(have, int64(w.To)*int64(len(c.Spool.Chains)))
		if err := c.advanceAll(ctx, w.To); err != nil {
			return nil, err
		}
		c.progress.Phase("diagnosing")
		m, checked, err := c.check(ctx, draws, w)
		if err != nil {
			return nil, err
		}
		c.progress.Checked(c.Progress(m))
		next, done := c.Schedule.Next(w, checked)
		if done || m.Lost {
			out := &assess.Drawn{Prepared: c.Prepared, Draws: draws, Window: w, Measured: m}
			out.Collected, err = c.collect(ctx, w)
			return out, err
		}
		w = next
	}
}

// advanceAll draws all chains to the same length, each on a worker. A chain
// that fails does not stop its siblings.
func (c *Chains) advanceAll(ctx context.Context, to int) error {
	errs := make([]error, len(c.kernels))
	var g errgroup.Group
	for i := range c.kernels {
		g.Go(func() (err error) {
			if err := c.world.Workers.Acquire(ctx); err != nil {
				errs[i] = err
				return nil
			}
			stop := c.watch.Run()
			err = c.advance(ctx, i, to, func() { stop(); c.world.Workers.Release() })
			if err != nil {
				errs[i] = ofChain(i, err)
			}
			return nil
		})
	}
	_ = g.Wait() // always nil: errors live in errs
	return errors.Join(errs...)
}

// check measures the window, on one worker.
func (c *Chains) check(ctx context.Context, d *assess.Draws, w plan.Window,
) (m *assess.Measured, checked plan.Checked, err error) {
	err = c.world.Workers.Work(ctx, c.watch, func() (err error) {
		if err := c.expandable(ctx, d); err != nil {
			return err
		}
		m, checked, err = c.Check(d, w)
		return err
	})
	return m, checked, err
}

// expandable lets the rows of a compact sampler be expanded.
func (c *Chains) expandable(ctx context.Context, d *assess.Draws) error {
	if !c.numbers.Rows() || d.Expands() {
		return nil
	}
	if err := c.restore(ctx); err != nil {
		return err
	}
	keys := make([]uint64, len(c.kernels))
	for i, k := range c.kernels {
		keys[i] = k.(infer.CompactKernel).Key()
	}
	d.Expand(c.Sampler.(infer.Compact), keys)
	return nil
}

// collect sums up what the chains counted.
func (c *Chains) collect(ctx context.Context, w plan.Window) (out plan.Collected, err error) {
	if c.Collect == nil {
		return nothing{}, nil
	}
	err = c.world.Workers.Work(ctx, c.watch, func() error {
		if err := c.restore(ctx); err != nil {
			return err
		}
		out = c.Collect(c.kernels, w)
		return nil
	})
	return out, err
}

// restore makes the kernels of chains that this process has not advanced.
func (c *Chains) restore(ctx context.Context) error {
	for i := range c.kernels {
		if c.kernels[i] != nil {
			continue
		}
		timer := cpu.Start()
		err := c.begin(ctx, &pen{file: c.Spool.Chains[i]}, i, &timer)
		timer.Stop()
		if err != nil {
			return err
		}
	}
	return nil
}

// nothing is known of a fit besides its draws.
type nothing struct{}

func (nothing) Warnings() []string   { return nil }
func (nothing) Describe(*record.Fit) {}
