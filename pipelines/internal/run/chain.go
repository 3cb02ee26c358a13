package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strconv"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/spool"
)

// Blocks end when they are full or old; where they end changes no bits, since
// a kernel's state is exact at every iteration.
const (
	blockBytes = 4 << 20
	blockDraws = 1024 // at most; a multiple of a kernel's usual refresh schedule
	blockAge   = 20 * time.Second
)

// sampling is a fit while its chains are drawn.
type sampling struct {
	stream   []string // path that names the fit's random streams
	seed     uint64
	warmup   int
	setup    infer.Setup
	toData   func(theta []float64)
	numbers  numbers
	spool    *spool.Fit
	kernels  []infer.Kernel // nil until their chain is first advanced
	clock    *stopwatch
	now      func() time.Time
	progress *progress.Fit
	log      *slog.Logger // knows the run and the fit
}

// blockSize is the number of draws of a full block.
func blockSize(params int) int {
	n := max(1, min(blockDraws, blockBytes/(8*params)))
	if n >= 128 {
		n -= n % 128
	}
	return n
}

// advance draws chain c until its file holds to iterations. What is finished
// when ctx ends is kept, and an iteration under way is left if it takes long;
// release is called when nothing is computed any more.
func (s *sampling) advance(ctx context.Context, c, to int, release func()) error {
	p := &pen{file: s.spool.Chains[c]}
	from := p.file.Draws()
	defer func() {
		if n := p.file.Draws(); n > from {
			s.log.Info("chain", "chain", c+1, "from", from, "iterations", n)
		}
	}()
	err, left := unless(ctx, chainPatience, func() error {
		defer release()
		return s.draw(ctx, p, c, to)
	})
	if left {
		return errors.Join(ctx.Err(), p.take())
	}
	return err
}

// draw is advance without an end to its patience. A panic is its error.
func (s *sampling) draw(ctx context.Context, p *pen, c, to int) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("this program has a fault: %v\n%s", v, debug.Stack())
		}
	}()
	have := p.file.Draws()
	if have >= to {
		return nil
	}
	timer := startTimer()
	defer timer.stop()
	if s.kernels[c] == nil {
		if err := s.begin(ctx, p, c, &timer); err != nil {
			return err
		}
	}
	timer.lap() // resuming is no part of a block
	block := infer.NewBlock(c, have, 0, s.numbers.spooled())
	for have < to {
		block.Reset(have, min(blockSize(s.numbers.spooled()), to-have))
		n, err := s.fill(ctx, s.kernels[c], block, p, &timer)
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		have += n
	}
	return nil
}

// begin makes the kernel of chain c: at its start, or where the file ends.
func (s *sampling) begin(ctx context.Context, p *pen, c int, timer *cpuTimer) error {
	k, err := s.setup.Kernel(infer.Chain{
		Index: c, Count: len(s.kernels), Warmup: s.warmup,
		Stream: infer.NewStream(s.seed, append(s.stream[:len(s.stream):len(s.stream)], strconv.Itoa(c))...),
	})
	if err != nil {
		return err
	}
	s.kernels[c] = k
	if state := p.file.State(); state != nil {
		if err := k.UnmarshalBinary(state); err != nil {
			return fmt.Errorf("resume: %w", err)
		}
		return nil
	}
	start := make([]float64, s.numbers.params)
	s.numbers.parameters(start, make([]float64, s.numbers.dim), k, s.toData)
	state, err := k.MarshalBinary()
	if err != nil {
		return err
	}
	ok, err := p.with(func() error { return p.file.Begin(start, k.Start(), state, timer.lap()) })
	if !ok {
		return ctx.Err()
	}
	return err
}

// expandable lets the rows of a compact sampler be expanded. Chains that this process
// has not advanced are restored for it.
func (s *sampling) expandable(ctx context.Context, d *draws) error {
	if s.numbers.row == 0 || d.compact != nil {
		return nil
	}
	keys := make([]uint64, len(s.kernels))
	for c := range s.kernels {
		if s.kernels[c] == nil {
			timer := startTimer()
			err := s.begin(ctx, &pen{file: s.spool.Chains[c]}, c, &timer)
			timer.stop()
			if err != nil {
				return err
			}
		}
		keys[c] = s.kernels[c].(infer.CompactKernel).Key()
	}
	d.compact, d.keys = s.setup.(infer.Compact), keys
	return nil
}

// fill draws a block and appends it, shorter if ctx ends or the block grows old.
// It returns the number of draws.
func (s *sampling) fill(ctx context.Context, k infer.Kernel, block *infer.Block, p *pen, timer *cpuTimer) (n int, err error) {
	draw, position := make([]float64, s.numbers.spooled()), make([]float64, s.numbers.dim)
	began, first, size := s.now(), block.First, block.Draws // the block itself may be taken away with the pen
	for now := began; n < size && ctx.Err() == nil && now.Sub(began) < blockAge; {
		info, err := k.Step()
		if err != nil {
			return n, fmt.Errorf("iteration %d: %w", first+n+1, err)
		}
		s.numbers.write(draw, position, k, s.toData)
		before := now
		now = s.now()
		ok, err := p.with(func() error {
			block.Set(n, draw, info)
			n++
			if now.Sub(before) < slowStep {
				return nil
			}
			return p.keep(k, block, n, timer.lap())
		})
		if !ok || err != nil {
			return n, errors.Join(err, ctx.Err())
		}
		s.progress.Add(1)
	}
	if n == 0 {
		return 0, nil
	}
	state, err := k.MarshalBinary()
	if err != nil {
		return n, err
	}
	ok, err := p.with(func() error {
		block.Truncate(n)
		return p.append(block, state, timer.lap())
	})
	switch {
	case !ok:
		return n, ctx.Err()
	case err != nil:
		return n, fmt.Errorf("spool: %w", err)
	}
	return n, nil
}
