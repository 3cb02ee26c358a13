package draw

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/cpu"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
)

// Blocks end when they are full or old; where they end changes no bits, since
// a kernel's state is exact at every iteration.
const (
	blockDraws = 1024 // at most; a multiple of a kernel's usual refresh schedule
	blockAge   = 20 * time.Second
)

// blockSize is the number of draws of a full block.
func blockSize(params int) int {
	n := max(1, min(blockDraws, plan.BlockBytes/(8*params)))
	if n >= 128 {
		n -= n % 128
	}
	return n
}

// advance draws chain c until its file holds to iterations. Iterations that are finished when ctx ends are kept,
// and an iteration under way is left if it takes long; release is called when nothing is computed any more.
func (s *Chains) advance(ctx context.Context, c, to int, release func()) error {
	p := &pen{file: s.Spool.Chains[c]}
	from, began := p.file.Draws(), s.world.Now()
	defer func() {
		if n := p.file.Draws(); n > from {
			s.progress.Chain(c+1, n-from, began)
			s.log.Info("chain", "chain", c+1, "from", from, "iterations", n)
		}
	}()
	err, left := plan.Unless(ctx, chainPatience, func() error {
		defer release()
		return s.draw(ctx, p, c, to)
	})
	if left {
		return errors.Join(ctx.Err(), p.take())
	}
	return err
}

// draw is advance without an end to its patience. A panic is its error.
func (s *Chains) draw(ctx context.Context, p *pen, c, to int) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("this program has a fault: %v\n%s", v, debug.Stack())
		}
	}()
	have := p.file.Draws()
	if have >= to {
		return nil
	}
	timer := cpu.Start()
	defer timer.Stop()
	if s.kernels[c] == nil {
		if err := s.begin(ctx, p, c, &timer); err != nil {
			return err
		}
	}
	timer.Lap() // resuming does not count as part of a block
	block := infer.NewBlock(c, have, 0, s.numbers.Spooled())
	for have < to {
		block.Reset(have, min(blockSize(s.numbers.Spooled()), to-have))
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
func (s *Chains) begin(ctx context.Context, p *pen, c int, timer *cpu.Timer) error {
	k, err := newKernel(s.Prepared, c)
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
	start := make([]float64, s.numbers.Params)
	s.numbers.Parameters(start, make([]float64, s.numbers.Dim), k, s.ToData)
	state, err := k.MarshalBinary()
	if err != nil {
		return err
	}
	ok, err := p.with(func() error { return p.file.Begin(start, k.Start(), state, timer.Lap()) })
	if !ok {
		return ctx.Err()
	}
	return err
}

// fill draws a block and appends it, shorter if ctx ends or the block grows old.
// It returns the number of draws.
func (s *Chains) fill(ctx context.Context, k infer.Kernel, block *infer.Block, p *pen, timer *cpu.Timer,
) (n int, err error) {
	draw, position := make([]float64, s.numbers.Spooled()), make([]float64, s.numbers.Dim)
	began, first, size := s.world.Now(), block.First, block.Draws // the block itself may be taken away with the pen
	for now := began; n < size && ctx.Err() == nil && now.Sub(began) < blockAge; {
		info, err := k.Step()
		if err != nil {
			return n, fmt.Errorf("iteration %d: %w", first+n+1, err)
		}
		s.numbers.Write(draw, position, k, s.ToData)
		before := now
		now = s.world.Now()
		ok, err := p.with(func() error {
			block.Set(n, draw, info)
			n++
			if now.Sub(before) < slowStep {
				return nil
			}
			return p.keep(k, block, n, timer.Lap())
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
		return p.append(block, state, timer.Lap())
	})
	switch {
	case !ok:
		return n, ctx.Err()
	case err != nil:
		return n, fmt.Errorf("spool: %w", err)
	}
	return n, nil
}

// chainPatience is how long a stopped run waits for an iteration.
const chainPatience = 300 * time.Millisecond

// slowStep is how long an iteration takes from which on the chain's state is kept
// after each one, so that leaving the next loses nothing that is finished.
const slowStep = 100 * time.Millisecond

// pen is the right to write to a chain's file. The goroutine that draws has it
// until it is left; then whoever leaves takes it, and writes what is finished.
type pen struct {
	mu    sync.Mutex
	taken bool
	file  *spool.Chain

	// The finished part of the block under way, if iterations are slow.
	block   *infer.Block
	draws   int
	state   []byte
	elapsed time.Duration // of the block, up to the last lap
}

// with calls fn while no other goroutine can take the pen, and reports whether it could.
func (p *pen) with(fn func() error) (ok bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken {
		return false, nil
	}
	return true, fn()
}

// take takes the pen away and appends what is finished.
func (p *pen) take() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = true
	if p.draws == 0 {
		return nil
	}
	p.block.Truncate(p.draws)
	return p.file.Append(p.block, p.state, p.elapsed)
}

// keep notes the kernel's state after draws draws of the block.
func (p *pen) keep(k infer.Kernel, block *infer.Block, draws int, lap time.Duration) (err error) {
	p.elapsed += lap
	p.state, err = k.MarshalBinary()
	p.block, p.draws = block, draws
	return err
}

// append appends a block that is finished.
func (p *pen) append(block *infer.Block, state []byte, lap time.Duration) error {
	elapsed := p.elapsed + lap
	p.block, p.draws, p.state, p.elapsed = nil, 0, nil, 0
	return p.file.Append(block, state, elapsed)
}
