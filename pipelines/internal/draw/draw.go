package draw

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"sync/atomic"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/cpu"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report/record"
)

// Env holds the inputs of drawing that are not part of a planned fit.
type Env struct {
	Workers Workers
	Disk    spool.Disk
	Root    string // the folder of spools
	Claims  *spool.Claims
	Now     func() time.Time
	Log     *slog.Logger // knows the run
	// Tamper, if not nil, takes the place of set-ups: tests plant faulty samplers.
	Tamper func(infer.Setup) infer.Setup
}

// Prepare makes a fit's sampler, on one worker and on those that have nothing else to do. Its error names the data set
// and the model.
func Prepare(ctx context.Context, id *plan.Identified, w *Env, watch *plan.Stopwatch) (*assess.Prepared, error) {
	out := &assess.Prepared{Identified: id}
	err := w.Workers.Work(ctx, watch, func() (err error) {
		timer := cpu.Start()
		defer timer.Stop()
		var others atomic.Int64
		out.Setup, err = id.Problem.Setup(w.Workers.Spare(&others), id.Schedule, id.Previous)
		if err == nil && w.Tamper != nil {
			out.Sampler = w.Tamper(out.Sampler)
		}
		if err == nil {
			out.Foretell()
		}
		out.Took = timer.Lap() + time.Duration(others.Load())
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Kept = plan.Kept(out.Sampler.Parameters(), id.Keep())
	out.Stored = len(out.Kept) - id.Capabilities().Undrawn
	out.Explained = id.Method().Explained(out.Sampler)
	if c, ok := out.Sampler.(infer.Certifier); ok {
		for _, c := range c.Certificates() {
			out.Proved = append(out.Proved, record.Certificate{
				Method: c.Method, Bounded: c.Bounded, IDs: c.Names, Variables: len(c.Names), Updates: c.Updates, Bound: c.Bound,
				Note: c.Note,
			})
		}
	}
	out.Quantities, err = assess.Bind(id, out.Kept[:out.Stored])
	return out, err
}

// Preview returns the error that would end a fit before its first draw, nil if none would. It does all that a run does
// until then: it sets the sampler up and makes the kernel of each chain, or finds the answer of a method without
// chains.
func Preview(ctx context.Context, id *plan.Identified, w *Env, watch *plan.Stopwatch) error {
	if !id.Method().Chains {
		_, err := Solve(ctx, id, w, watch)
		return err
	}
	prepared, err := Prepare(ctx, id, w, watch)
	if err != nil {
		return err
	}
	return w.Workers.Work(ctx, watch, func() error {
		var errs []error
		for c := range id.Chains() {
			if _, err := newKernel(prepared, c); err != nil {
				errs = append(errs, ofChain(c, err))
			}
		}
		return errors.Join(errs...)
	})
}

// newKernel makes the kernel of chain c at its start.
func newKernel(p *assess.Prepared, c int) (infer.Kernel, error) {
	return p.Sampler.Kernel(infer.Chain{
		Index: c, Count: p.Chains(), Warmup: p.Schedule.Warmup(),
		Stream: infer.NewStream(p.Pipeline.Seed, append(p.Stream(), strconv.Itoa(c))...),
	})
}

// ofChain names the chain that an error is of.
func ofChain(c int, err error) error { return fmt.Errorf("chain %d: %w", c+1, err) }

// Chains are a prepared fit's chains, with their files in the spool open.
type Chains struct {
	*assess.Prepared
	Spool    *spool.Fit
	world    *Env
	watch    *plan.Stopwatch
	progress *progress.Fit
	numbers  assess.Numbers
	kernels  []infer.Kernel // nil until their chain is first advanced
	log      *slog.Logger
}

// Open opens the spool of a fit, with the draws of an earlier run, which restart discards. Close it in the end. Its
// error is a *spool.BusyError while another run draws the fit.
func Open(p *assess.Prepared, w *Env, watch *plan.Stopwatch, shown *progress.Fit, restart bool) (*Chains, error) {
	c := &Chains{
		Prepared: p, world: w, watch: watch, progress: shown, numbers: assess.NumbersOf(p.Sampler, len(p.Kept)),
		log: w.Log.With("fit", p.Name(), "fingerprint", p.Fingerprint),
	}
	manifest := spool.Manifest{Fingerprint: p.Fingerprint, Fit: p.Name(), Params: c.numbers.Spooled(),
		Chains: p.Chains()}
	if c.numbers.Rows() {
		manifest.Start = c.numbers.Params
	}
	var err error
	if c.Spool, err = w.Disk.Begin(w.Claims, manifest, restart); err != nil {
		return nil, err
	}
	c.kernels = make([]infer.Kernel, len(c.Spool.Chains))
	return c, nil
}

// Close closes the spool; a second call does nothing.
func (c *Chains) Close() {
	if err := c.Spool.Close(); err != nil {
		c.log.Error("spool", "err", err.Error())
	}
}

// Late returns err, or a *TimeoutError that says what is kept where ctx was ended by the fit's timeout. Where ctx has
// ended, what was drawn is kept on disk.
func (c *Chains) Late(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if failed := c.Spool.Keep(); failed != nil {
		return errors.Join(failed, err)
	}
	kept := math.MaxInt
	for _, chain := range c.Spool.Chains {
		kept = min(kept, chain.Draws())
	}
	return Late(ctx, err, kept)
}

// Late returns err, or a *TimeoutError where ctx was ended by the fit's timeout; kept is -1 where chains are not open.
func Late(ctx context.Context, err error, kept int) error {
	var timeout *TimeoutError
	if err == nil || ctx.Err() == nil || errors.As(err, &timeout) || !errors.As(context.Cause(ctx), &timeout) {
		return err
	}
	return &TimeoutError{Limit: timeout.Limit, Kept: kept}
}

// Solve finds the answer of a method without chains, on one worker.
func Solve(ctx context.Context, id *plan.Identified, w *Env, watch *plan.Stopwatch) (out *plan.Solution, err error) {
	err = w.Workers.Work(ctx, watch, func() error {
		timer := cpu.Start()
		defer timer.Stop()
		if out, err = id.Capabilities().Solve(); err != nil {
			return err
		}
		out.Took = timer.Lap()
		return ctx.Err()
	})
	return out, err
}
