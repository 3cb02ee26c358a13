package run

import (
	"context"
	"sync"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/spool"
)

// A run that is stopped ends within a second, whatever it is doing: an iteration
// of a large model, a factorisation, the reading of a file. What cannot be
// interrupted is left: its goroutine goes on to its next look at the context, and
// nothing waits for it. It may be left anywhere since it could be killed anywhere.
const (
	chainPatience = 300 * time.Millisecond // for an iteration
	fitPatience   = 500 * time.Millisecond // for the rest of a fit
	closePatience = 200 * time.Millisecond // for a ledger that is held
)

// unless runs fn in a goroutine of its own and waits for it, but no longer than
// patience after ctx has ended. left says that fn was not waited for; its result
// then goes nowhere.
func unless[T any](ctx context.Context, patience time.Duration, fn func() T) (result T, left bool) {
	done := make(chan T, 1)
	go func() { done <- fn() }()
	select {
	case result = <-done:
		return result, false
	case <-ctx.Done():
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case result = <-done:
		return result, false
	case <-timer.C:
		return result, true
	}
}

// slowStep is how long an iteration takes from which on the chain's state is kept
// after each one, so that leaving the next loses nothing that is finished.
const slowStep = 100 * time.Millisecond

// pen is the right to write to a chain's file. The goroutine that draws has it
// until it is left; then whoever leaves takes it, and writes what is finished.
type pen struct {
	mu    sync.Mutex
	taken bool
	file  *spool.Chain

	// What is finished of the block under way, if iterations are slow.
	block   *infer.Block
	draws   int
	state   []byte
	elapsed time.Duration // of the block, up to the last lap
}

// with calls fn while nobody can take the pen, and reports whether it could.
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

// keep notes the kernel's state after so many draws of the block.
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
