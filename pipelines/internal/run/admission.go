package run

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"glmbatch/pipelines/internal/plan"
)

// admittedFits is the number of fits per worker that may be read, set up, drawn or judged at once. Fits that await
// their commit, and whose units have at most smallUnit bytes, take together at most awaitingBytes and openFiles: the
// more of them are stored together, the less each costs.
const (
	admittedFits  = 4
	openFiles     = 400
	awaitingBytes = 128 << 20
	smallUnit     = 2 << 20
	// awaitingFit is the memory of a fit apart from its table, design and draws.
	awaitingFit = 64 << 10
)

// admission bounds what is under way at once. It decides no bits.
type admission struct {
	memory   plan.Memory
	bytes    *semaphore.Weighted // in flight: the tables and designs of admitted units, and the table that is read
	claimed  int64               // of it, by the table that is read; of the goroutine that reads
	fits     *semaphore.Weighted // admitted
	awaiting *semaphore.Weighted // bytes of fits that await their commit
	busy     atomic.Int64        // admitted fits that have not come to their commit
	idle     chan struct{}       // receives when busy comes to 0
}

func newAdmission(m plan.Memory) *admission {
	return &admission{
		memory: m, bytes: semaphore.NewWeighted(m.Fits()), fits: semaphore.NewWeighted(int64(admittedFits * m.Workers)),
		awaiting: semaphore.NewWeighted(awaitingBytes), idle: make(chan struct{}, 1),
	}
}

// unit waits for room for a unit with its fits. The last of them to call done gives it back. Its error is that
// of ctx.
func (a *admission) unit(ctx context.Context, u *plan.Unit, fits []*plan.Fit) (done func(), err error) {
	weight := a.memory.Weight(u, fits)
	if err := a.bytes.Acquire(ctx, weight); err != nil {
		u.Close()
		return nil, err
	}
	var left atomic.Int64
	left.Store(int64(len(fits)))
	return func() {
		if left.Add(-1) == 0 {
			u.Close()
			a.bytes.Release(weight)
		}
	}, nil
}

// claim waits for room for more of the table that is read, at most as much as there can be: nothing that is in flight
// waits for the reader. Its error is that of ctx.
func (a *admission) claim(ctx context.Context, bytes int64) error {
	bytes = min(bytes, a.memory.Fits()-a.claimed)
	if err := a.bytes.Acquire(ctx, bytes); err != nil {
		return err
	}
	a.claimed += bytes
	return nil
}

// read releases the claim of the table: its unit, which no other unit can overtake, waits for all that it needs.
func (a *admission) read() {
	a.bytes.Release(a.claimed)
	a.claimed = 0
}

// admitted is one fit's place among the admitted ones.
type admitted struct {
	admission *admission
	// await says that the fit has come to its commit; leave makes room for another one. Each works once.
	await, leave func()
	unit         func() // gives back the fit's part of its unit's room
}

// fit waits for a place. When ctx ends, those that have one give it back.
func (a *admission) fit(ctx context.Context) *admitted {
	_ = a.fits.Acquire(context.WithoutCancel(ctx), 1)
	a.busy.Add(1)
	out := &admitted{admission: a, unit: func() {}}
	out.await = sync.OnceFunc(func() {
		if a.busy.Add(-1) == 0 {
			select {
			case a.idle <- struct{}{}:
			default: // it was sent already
			}
		}
	})
	out.leave = sync.OnceFunc(func() {
		out.await()
		a.fits.Release(1)
	})
	return out
}

// awaits is the memory of a fit while it awaits its commit: a table, a design and the draws in memory, or as large
// a share of the bytes as its open files are of openFiles. At most half of all, so that there is always room for
// more than what is being written.
func awaits(u *plan.Unit, held int64, files int) int64 {
	return min(awaitingBytes/2, awaitingFit+2*u.Bytes()+held+awaitingBytes/openFiles*int64(files))
}

// toCommit waits for room among the fits that await their commit, and gives a
// small fit's place to another, with its part of the unit's room; a larger one keeps both, so that what
// waits takes little memory. The fit calls done when it waits no more.
func (p *admitted) toCommit(ctx context.Context, u *plan.Unit, bytes int64) (done func(), err error) {
	if u.Bytes() > smallUnit {
		p.await()
		return func() {}, nil
	}
	if err := p.admission.awaiting.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	p.leave()
	p.unit()
	return func() { p.admission.awaiting.Release(bytes) }, nil
}
