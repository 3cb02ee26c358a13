package draw

import (
	"sync"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/spool"
)

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
