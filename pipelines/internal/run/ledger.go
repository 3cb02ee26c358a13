package run

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"glmbatch/report"
)

// ledger is the single writer of a run. Fits queue; what waits is written in
// one opening of the file, each fit in its own transaction.
type ledger struct {
	r     *runner
	file  *report.Ledger
	queue chan *request
	end   chan struct{} // closed when nothing more is queued by those who are waited for
	done  chan struct{} // closed when nothing more is written
	ctx   context.Context
	begun bool // the run's row is in the file

	mu      sync.Mutex
	pending []write // notes that can wait for the end of the run
}

// write is one transaction or a few on an open ledger.
type write func(context.Context, *report.Session) error

// request is one thing to write, and where its error goes.
type request struct {
	write write
	ctx   context.Context
	err   chan error
}

func openLedger(ctx context.Context, r *runner) (*ledger, error) {
	file, err := report.Open(r.Database, report.Options{LockWait: r.LockWait, Threads: 1, MemoryLimit: r.memory.engine()})
	if err != nil {
		return nil, err
	}
	l := &ledger{r: r, file: file, queue: make(chan *request, 64), end: make(chan struct{}), done: make(chan struct{}), ctx: ctx}
	go l.serve()
	return l, nil
}

// complete reads the complete fits that the ledger holds.
func (l *ledger) complete(ctx context.Context) (map[string]report.StoredFit, error) {
	stored, err := l.file.Stored(ctx, nil)
	var missing *report.MissingError
	if errors.As(err, &missing) {
		return nil, nil
	}
	return stored, err
}

// serve writes what is queued until the end.
func (l *ledger) serve() {
	defer close(l.done)
	for {
		var batch []*request
		select {
		case first := <-l.queue:
			batch = append(batch, first)
		case <-l.end:
			if len(l.queue) == 0 {
				return
			}
		}
		for len(l.queue) > 0 {
			batch = append(batch, <-l.queue)
		}
		l.writeBatch(batch)
	}
}

// writeBatch opens the file once for a batch. Where it cannot be opened, every
// request of the batch gets that error.
func (l *ledger) writeBatch(batch []*request) {
	ctx, cancel := context.WithCancel(context.Background()) // single requests have their own
	defer cancel()
	stop := context.AfterFunc(l.ctx, func() { // of a run that is stopped
		time.AfterFunc(closePatience, cancel)
	})
	defer stop()
	answered := 0
	err := l.file.Write(ctx, func(s *report.Session) error {
		if !l.begun {
			if err := s.Run(context.WithoutCancel(ctx), l.r.record(nil)); err != nil {
				return err
			}
			l.begun = true
		}
		for _, q := range batch {
			q.err <- q.carryOut(s)
			answered++
		}
		return nil
	})
	if err != nil && answered == len(batch) {
		l.r.Log.Error("ledger", "run", l.r.id, "err", err.Error())
	}
	for _, q := range batch[answered:] {
		q.err <- err
	}
}

// carryOut writes. A panic is an error of this request alone: the session has
// undone its transaction.
func (q *request) carryOut(s *report.Session) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("this program has a fault: %v", v)
		}
	}()
	return q.write(q.ctx, s)
}

// errEnded is for those that a stopped run has left behind.
var errEnded = fmt.Errorf("the run has ended: %w", context.Canceled)

// do queues a write and waits for it.
func (l *ledger) do(ctx context.Context, w write) error {
	q := &request{write: w, ctx: ctx, err: make(chan error, 1)}
	select {
	case l.queue <- q:
	case <-l.done:
		return errEnded
	}
	select {
	case err := <-q.err:
		return err
	case <-l.done:
	}
	select {
	case err := <-q.err:
		return err
	default:
		return errEnded
	}
}

// later keeps a note for the end of the run: what is skipped or failed is no
// reason to open the file for each.
func (l *ledger) later(w write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, w)
}

// close writes the notes and how the run ended, and stops the writer.
func (l *ledger) close(ctx context.Context, out *Outcome) error {
	l.mu.Lock()
	pending := l.pending
	l.mu.Unlock()
	err := l.do(ctx, func(ctx context.Context, s *report.Session) error {
		for _, w := range pending {
			if err := w(ctx, s); err != nil {
				return err
			}
		}
		return s.Run(ctx, l.r.record(out))
	})
	l.stop()
	return err
}

// stop ends the writer when it has written what is queued.
func (l *ledger) stop() {
	close(l.end)
	<-l.done
}

// record is the run's own row; out is nil while it goes on.
func (r *runner) record(out *Outcome) *report.Run {
	sum := sha256.Sum256(r.Source)
	host, _ := os.Hostname() // an unknown host is no reason to stop
	row := &report.Run{
		ID: r.id, Pipeline: r.Pipeline.Name, SpecHash: hex.EncodeToString(sum[:]), Spec: string(r.Source),
		Vars: r.Pipeline.Vars, Seed: r.Pipeline.Seed, Started: r.started, Program: r.Build,
		Host: map[string]string{"name": host, "os": runtime.GOOS, "arch": runtime.GOARCH},
	}
	if out != nil {
		row.Finished, row.ExitCode = out.Finished, out.ExitCode
	}
	return row
}

// RunID names a run: when it started, and what no other run has.
func RunID(started time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return started.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}
