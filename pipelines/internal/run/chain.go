package run

import (
	"context"
	"fmt"
	"log/slog"
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
// when ctx ends is kept.
func (s *sampling) advance(ctx context.Context, c, to int) error {
	file := s.spool.Chains[c]
	if file.Draws() >= to {
		return nil
	}
	timer := startTimer()
	defer timer.stop()
	if s.kernels[c] == nil {
		if err := s.begin(c, &timer); err != nil {
			return err
		}
	}
	timer.lap() // resuming is no part of a block
	from := file.Draws()
	defer func() {
		if n := file.Draws(); n > from {
			s.log.Info("chain", "chain", c+1, "from", from, "iterations", n)
		}
	}()
	block := infer.NewBlock(c, file.Draws(), 0, s.numbers.spooled())
	for file.Draws() < to {
		block.Reset(file.Draws(), min(blockSize(s.numbers.spooled()), to-file.Draws()))
		if err := s.fill(ctx, s.kernels[c], block, file, &timer); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the kernel of chain c: at its start, or where the file ends.
func (s *sampling) begin(c int, timer *cpuTimer) error {
	file := s.spool.Chains[c]
	k, err := s.setup.Kernel(infer.Chain{
		Index: c, Count: len(s.spool.Chains), Warmup: s.warmup,
		Stream: infer.NewStream(s.seed, append(s.stream[:len(s.stream):len(s.stream)], strconv.Itoa(c))...),
	})
	if err != nil {
		return err
	}
	if state := file.State(); state != nil {
		if err := k.UnmarshalBinary(state); err != nil {
			return fmt.Errorf("resume: %w", err)
		}
	} else {
		start := make([]float64, s.numbers.params)
		s.numbers.parameters(start, make([]float64, s.numbers.dim), k, s.toData)
		state, err := k.MarshalBinary()
		if err != nil {
			return err
		}
		if err := file.Begin(start, k.Start(), state, timer.lap()); err != nil {
			return err
		}
	}
	s.kernels[c] = k
	return nil
}

// expandable lets the rows of a compact sampler be expanded. Chains that this process
// has not advanced are restored for it.
func (s *sampling) expandable(d *draws) error {
	if s.numbers.row == 0 || d.compact != nil {
		return nil
	}
	keys := make([]uint64, len(s.kernels))
	for c := range s.kernels {
		if s.kernels[c] == nil {
			timer := startTimer()
			err := s.begin(c, &timer)
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
func (s *sampling) fill(ctx context.Context, k infer.Kernel, block *infer.Block, file *spool.Chain, timer *cpuTimer) error {
	draw, position := make([]float64, s.numbers.spooled()), make([]float64, s.numbers.dim)
	began := s.now()
	n := 0
	for n < block.Draws && ctx.Err() == nil && s.now().Sub(began) < blockAge {
		info, err := k.Step()
		if err != nil {
			return fmt.Errorf("iteration %d: %w", block.First+n+1, err)
		}
		s.numbers.write(draw, position, k, s.toData)
		block.Set(n, draw, info)
		n++
		s.progress.Add(1)
	}
	if n == 0 {
		return nil
	}
	block.Truncate(n)
	state, err := k.MarshalBinary()
	if err != nil {
		return err
	}
	if err := file.Append(block, state, timer.lap()); err != nil {
		return fmt.Errorf("spool: %w", err)
	}
	return nil
}
