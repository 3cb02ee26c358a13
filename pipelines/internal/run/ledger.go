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
	"sync/atomic"
	"time"

	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/pending"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
	"glmbatch/report/record"
)

// ledger is the single writer of a run. Fits queue; what waits is written in
// one opening of the file, small fits together in one transaction.
type ledger struct {
	r     *runner
	file  *report.Ledger
	queue chan *request
	last  chan *request // takes the one that ends the run
	end   chan struct{} // closed when nothing more is queued by those who are waited for
	done  chan struct{} // closed when nothing more is written
	ctx   context.Context
	begun bool // the run's row is in the file
	// linger bounds how long a fit waits for others to be written with.
	linger time.Duration
	// stay is how long the file stays open behind fits that were stored, for the end of the run.
	stay time.Duration

	mu sync.Mutex
	atEnd
}

// atEnd is written at the end of the run, if not before.
type atEnd struct {
	pending []write
	notes   []*report.RunFit
}

// write is one transaction or a few on an open ledger.
type write func(context.Context, *report.Session) error

// request is one thing to write, a fit or any other, and where its error goes.
type request struct {
	fit   *record.Fit
	bytes int64 // that the fit takes while it waits
	// serves reports whether a complete fit of the same fingerprint can replace fit.
	serves func(report.Stored) bool
	id     int64 // of the fit, once it is stored
	write  write
	ctx    context.Context
	err    chan error
}

// values is the number of draw values of a request.
func (q *request) values() int {
	if q.fit == nil {
		return 0
	}
	return pending.Values(q.fit)
}

// openLedger starts the writer of a ledger. It ends with stop.
func openLedger(ctx context.Context, file *report.Ledger, r *runner) *ledger {
	l := &ledger{r: r, file: file, queue: make(chan *request, 64), last: make(chan *request),
		end: make(chan struct{}), done: make(chan struct{}), ctx: ctx, linger: linger,
		stay: 10 * time.Millisecond}
	go l.serve()
	return l
}

// A stopped run waits closePatience for a ledger that is held, and storePatience for the fits that are being stored.
const (
	closePatience = 200 * time.Millisecond
	storePatience = 3 * time.Second
)

// linger is how long a fit waits for others at most: opening the file, the checkpoint and
// closing it cost as much as some twenty small fits.
const linger = 5 * time.Second

// serve writes what is queued until the end.
func (l *ledger) serve() {
	defer close(l.done)
	for {
		select {
		case first := <-l.queue:
			l.writeBatch(l.gather(first))
			continue
		case q := <-l.last:
			l.writeBatch(append(l.queued(), q))
			continue
		case <-l.end:
		}
		select {
		case first := <-l.queue:
			l.writeBatch(l.gather(first))
		default:
			return
		}
	}
}

// gather takes what is queued behind a request. Fits wait for others to join
// them, while others are being drawn, for a moment; when they are stored changes
// no bit of them.
func (l *ledger) gather(first *request) []*request {
	batch, alone := []*request{first}, time.NewTimer(l.linger)
	defer alone.Stop()
	for waits := first.bytes; l.patient(batch, waits) && l.r.admission.busy.Load() > 0; {
		select {
		case q := <-l.queue:
			batch, waits = append(batch, q), waits+q.bytes
		case <-l.r.admission.idle:
		case <-l.ctx.Done():
			waits = awaitingBytes
		case <-alone.C:
			waits = awaitingBytes
		}
	}
	return append(batch, l.queued()...)
}

// queued takes what is queued now.
func (l *ledger) queued() (batch []*request) {
	for len(l.queue) > 0 {
		batch = append(batch, <-l.queue)
	}
	return batch
}

// patient reports whether the last of a batch, all of which take so many bytes, may wait for more: not where there is
// little room for fits that wait, nor where they are as many as share a transaction, or anything but a fit.
func (l *ledger) patient(batch []*request, waits int64) bool {
	values := 0
	for _, q := range batch {
		values += q.values()
	}
	return batch[len(batch)-1].fit != nil && waits < awaitingBytes/2 && len(batch) < pending.TogetherFits &&
		values < pending.TogetherValues
}

// writeBatch opens the file once for a batch. Where it cannot be opened, every
// request of the batch gets that error.
func (l *ledger) writeBatch(batch []*request) {
	ctx, cancel := context.WithCancel(context.Background()) // what is no fit has its own
	defer cancel()
	var opened atomic.Bool
	stop := context.AfterFunc(l.ctx, func() { // of a run that is stopped
		time.AfterFunc(closePatience, func() {
			if !opened.Load() {
				cancel()
			}
			time.AfterFunc(storePatience, cancel)
		})
	})
	defer stop()
	answered := 0
	err := l.file.Write(ctx, func(s *report.Session) error {
		opened.Store(true)
		if err := l.r.known.begin(ctx, s); err != nil {
			return err
		}
		if !l.begun {
			pending.RecordLeft(context.WithoutCancel(ctx), s, l.r.world.Root, l.r.world.Log)
			if err := s.Run(context.WithoutCancel(ctx), l.r.record(nil)); err != nil {
				return err
			}
			l.begun = true
		}
		batch = l.unstored(batch)
		for answered < len(batch) {
			some := batch[answered:][:together(batch[answered:])]
			for i, err := range carryOut(ctx, s, some) {
				some[i].err <- err
				answered++
			}
			if answered == len(batch) && batch[answered-1].fit != nil {
				batch = append(batch, l.soon()...)
			}
		}
		return nil
	})
	l.r.known.end()
	if err != nil && answered == len(batch) {
		l.r.Log.Error("ledger", "run", l.r.id, "err", err.Error())
	}
	for _, q := range batch[answered:] {
		q.err <- err
	}
}

// soon returns the run's last request if that comes within a moment. It does where the last fits have just been
// stored, and an opening for it alone would cost as much as some twenty small ones.
func (l *ledger) soon() []*request {
	moment := time.NewTimer(l.stay)
	defer moment.Stop()
	select {
	case q := <-l.last:
		return append(l.queued(), q)
	case <-moment.C:
		return nil
	}
}

// unstored answers the requests whose fits are stored already, and returns the others: a
// run that could not read the ledger when it began does not know of them.
func (l *ledger) unstored(batch []*request) []*request {
	var out []*request
	for _, q := range batch {
		if q.fit != nil {
			if stored, ok := l.r.known.fit(q.fit.Fingerprint); ok && q.serves(stored) {
				q.err <- errStored
				continue
			}
		}
		out = append(out, q)
	}
	return out
}

// errStored is for fits that the ledger had already.
var errStored = errors.New("the fit is stored already")

// together is how many of the first requests are fits that are small enough to
// be stored as one, and at least 1.
func together(batch []*request) int {
	values := 0
	for n, q := range batch {
		if q.fit == nil {
			return max(n, 1)
		}
		values += q.values()
		if values > pending.TogetherValues || n == pending.TogetherFits {
			return max(n, 1)
		}
	}
	return len(batch)
}

// carryOut writes requests and returns the error of each. Where a panic ended
// several, each is tried by itself: then it is an error of one request alone.
// The session has undone its transaction.
func carryOut(ctx context.Context, s *report.Session, some []*request) (errs []error) {
	defer func() {
		v := recover()
		switch {
		case v == nil:
		case len(some) == 1:
			errs = []error{fmt.Errorf("this program has a fault: %v", v)}
		default:
			errs = nil
			for i := range some {
				errs = append(errs, carryOut(ctx, s, some[i:i+1])...)
			}
		}
	}()
	if some[0].fit == nil {
		return []error{some[0].write(some[0].ctx, s)}
	}
	fits := make([]*record.Fit, len(some))
	for i, q := range some {
		fits[i] = q.fit
	}
	ids, errs := s.Fits(ctx, fits)
	for i, q := range some {
		q.id = ids[i]
	}
	return errs
}

// store queues a request of a fit, waits until it is stored and returns its number; or errStored where a stored one
// serves.
func (l *ledger) store(ctx context.Context, q *request) (id int64, err error) {
	q.ctx = ctx
	err = l.wait(l.queue, q)
	return q.id, err
}

// errEnded is for those that a stopped run has left behind.
var errEnded = fmt.Errorf("the run has ended: %w", context.Canceled)

// do queues a write and waits for it.
func (l *ledger) do(ctx context.Context, w write) error {
	return l.wait(l.queue, &request{write: w, ctx: ctx})
}

func (l *ledger) wait(queue chan<- *request, q *request) error {
	q.err = make(chan error, 1)
	select {
	case queue <- q:
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

// note keeps what the run did about a fit that it does not compute, for the end
// of the run.
func (l *ledger) note(n *report.RunFit) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, n)
}

// later keeps a write for the end of the run: what is judged again or failed is
// no reason to open the file for each.
func (l *ledger) later(w write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, w)
}

// close writes the notes and how the run ended, and stops the writer.
func (l *ledger) close(ctx context.Context, out *outcome.Outcome) error {
	l.mu.Lock()
	pending, notes := l.pending, l.notes
	l.mu.Unlock()
	err := l.wait(l.last, &request{ctx: ctx, write: func(ctx context.Context, s *report.Session) error {
		for _, w := range pending {
			if err := w(ctx, s); err != nil {
				return err
			}
		}
		if err := s.RunFits(ctx, notes); err != nil {
			return err
		}
		return s.Run(ctx, l.r.record(out))
	}})
	l.stop()
	return err
}

// stop ends the writer when it has written what is queued.
func (l *ledger) stop() {
	close(l.end)
	<-l.done
}

// record is the run's own row; out is nil while it is running.
func (r *runner) record(out *outcome.Outcome) *report.Run {
	row := Record(r.Pipeline, r.Source, r.Build, Sharded{ID: r.id, Started: r.started, Place: r.place})
	if out != nil {
		row.Finished, row.ExitCode = out.Finished, out.ExitCode
	}
	return row
}

// Record describes a run that has not ended.
func Record(p *spec.Pipeline, source []byte, build string, n Sharded) *report.Run {
	sum := sha256.Sum256(source)
	host, _ := os.Hostname() // an unknown host is no reason to stop
	return &report.Run{
		ID: n.ID, Pipeline: p.Name, SpecHash: hex.EncodeToString(sum[:]), Spec: string(source),
		Vars: p.Vars, Seed: p.Seed, Started: n.Started, Place: n.Place, Program: build,
		Host: map[string]string{"name": host, "os": runtime.GOOS, "arch": runtime.GOARCH},
	}
}

// RunID names a run: when it started, and what no other run has.
func RunID(started time.Time) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return started.UTC().Format("20060102T150405Z") + "-" + hex.EncodeToString(b[:])
}

// commit loads a judged fit into the ledger and clears its spool.
// Where the ledger is held by another process the fit stays in the spool.
func (a *attempt) commit(ctx context.Context, d *assess.Drawn, j *assess.Judged) error {
	a.res.Describe(j)
	a.res.DescribeChains(j)
	held, files := d.Draws.Spool.Held()
	waits := awaits(a.fit.Unit, held, files)
	done, err := a.place.toCommit(ctx, a.fit.Unit, waits)
	if err != nil {
		return err
	}
	defer done()
	a.res.ID, err = a.ledger.store(ctx, &request{fit: j.Record, bytes: waits, serves: a.serves})
	if errors.Is(err, errStored) {
		_ = d.Draws.Spool.Remove() // Sweep removes what is left
		return a.skipStored(ctx, d.Identified)
	}
	if err != nil {
		err = pending.Keep(d, j.Record, a.record(nil), err) // pipeline commit loads it without data or spec
	}
	if err := a.stored(ctx, j.Record, err); err != nil || a.res.Action != outcome.Computed {
		return err
	}
	if err := d.Draws.Spool.Remove(); err != nil { // the next run's Sweep removes it
		a.res.Warnings = append(a.res.Warnings, "the spool is left: "+spool.Hint(err).Error())
	}
	return nil
}

// serves reports whether a complete fit that the attempt did not know of can replace its draws.
func (a *attempt) serves(stored report.Stored) bool {
	return a.unknown && !a.Force && !redraws(a.fit.Model, stored)
}

// skipStored is skip of a fit that was drawn although the ledger has it.
func (a *attempt) skipStored(ctx context.Context, id *plan.Identified) error {
	stored, _ := a.known.fit(id.Fingerprint)
	return a.skip(ctx, id, stored)
}

// stored says what became of a fit that was to be stored, with the error of that.
func (a *attempt) stored(ctx context.Context, rec *record.Fit, err error) error {
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		a.res.Action, a.res.Verdict, a.res.Err = outcome.Uncommitted, "", spool.Hint(err)
		a.res.Reasons = []string{a.res.Err.Error()}
	default: // drift is judged in the ledger
		a.res.Action, a.res.Verdict, a.res.Reasons = outcome.Computed, string(rec.Verdict.Grade), rec.Verdict.Reasons
	}
	return nil
}
