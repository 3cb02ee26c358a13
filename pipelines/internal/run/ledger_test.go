package run

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/pending"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
)

// testFit is a fit of a number of draw values, which are never read.
func testFit(values int) *report.Fit {
	return &report.Fit{Chains: 1, Draws: values, Parameters: make([]report.Parameter, 1),
		DrawsOf: func(func(*infer.Columns, error) bool) {}}
}

// Small fits share a transaction up to a size, and nothing else does.
func TestTogether(t *testing.T) {
	small, half, large := &request{fit: testFit(10)}, &request{fit: testFit(pending.TogetherValues / 2)}, &request{fit: testFit(2 * pending.TogetherValues)}
	note := &request{write: func(context.Context, *report.Session) error { return nil }}
	for _, c := range []struct {
		batch []*request
		want  int
	}{
		{[]*request{small}, 1}, {[]*request{note, small}, 1}, {[]*request{large, small}, 1}, {[]*request{small, large}, 1},
		{[]*request{small, small, note}, 2}, {[]*request{half, half, small}, 2}, {[]*request{small, half, small}, 3},
	} {
		if got := together(c.batch); got != c.want {
			t.Errorf("together(%d requests) = %d, want %d", len(c.batch), got, c.want)
		}
	}
}

// A fit waits for others while some are drawn, and no longer: not
// when the last is drawn, nor when something else wants to be written, nor when they are as many or as large as share
// a transaction, nor when they take half of the room for fits that wait. The wait
// here is an hour, so that one too many is seen.
func TestGather(t *testing.T) {
	fit, note := &request{fit: testFit(1)}, &request{}
	large, heavy := &request{fit: testFit(pending.TogetherValues)}, &request{fit: testFit(1), bytes: awaitingBytes / 4}
	for name, c := range map[string]struct {
		queued []*request
		busy   int64
		want   int
	}{
		"no other is drawn": {nil, 0, 1},
		"the last is drawn": {[]*request{fit, fit}, -1, 3},
		"a note":            {[]*request{fit, note}, 2, 3},
		"many fits":         {slices.Repeat([]*request{fit}, pending.TogetherFits-1), 2, pending.TogetherFits},
		"many values":       {[]*request{fit, large}, 2, 3},
		"many bytes":        {[]*request{heavy, heavy}, 2, 3},
	} {
		a := newAdmission(plan.Memory{Workers: 1})
		l := &ledger{ctx: t.Context(), r: &runner{admission: a}, queue: make(chan *request, 4), linger: time.Hour}
		a.busy.Store(max(c.busy, -c.busy))
		got := make(chan int)
		go func() { got <- len(l.gather(fit)) }()
		for _, q := range c.queued {
			l.queue <- q
		}
		if c.busy < 0 {
			a.busy.Store(0)
			a.idle <- struct{}{}
		}
		select {
		case n := <-got:
			if n < c.want {
				t.Errorf("%s: %d requests, want %d", name, n, c.want)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%s: it still waits", name)
		}
	}
}

// A small fit that awaits its commit is counted among those that do, and no longer in its unit's room. One that is
// stored leaves all of the room in which it awaited its commit, and its place once.
func TestAwaitingLeavesItsRoom(t *testing.T) {
	a := newAdmission(plan.Memory{Workers: 1})
	place, units := a.fit(t.Context()), 0
	place.unit = func() { units++ }
	done, err := place.toCommit(t.Context(), &plan.Unit{}, awaitingBytes)
	if err != nil || a.busy.Load() != 0 || a.awaiting.TryAcquire(1) {
		t.Fatalf("%v; %d fits are busy", err, a.busy.Load())
	}
	if units != 1 {
		t.Error("a fit that awaits its commit takes room of its unit, too")
	}
	place.leave()
	if !a.fits.TryAcquire(admittedFits) || a.fits.TryAcquire(1) {
		t.Error("a fit that awaits its commit has given back another place than its own")
	}
	done()
	if !a.awaiting.TryAcquire(awaitingBytes) {
		t.Error("room is still taken")
	}
}

// The end of a run that comes right after its last fits is written while the file is still open for them, and the end
// of one without fits in an opening of its own.
func TestEndWithTheLastFits(t *testing.T) {
	path := t.TempDir() + "/l.duckdb"
	file, err := report.Open(path, report.Options{Threads: 1})
	must(t, err)
	r := &runner{admission: newAdmission(plan.Memory{Workers: 1}), known: &known{database: path}}
	l := &ledger{file: file, r: r, queue: make(chan *request, 2), last: make(chan *request), end: make(chan struct{}),
		done: make(chan struct{}), ctx: t.Context(), begun: true, stay: time.Hour}
	var of []*report.Session
	see := func() *request {
		return &request{ctx: t.Context(), err: make(chan error, 1), write: func(_ context.Context, s *report.Session) error {
			of = append(of, s)
			return nil
		}}
	}
	fit := &request{ctx: t.Context(), err: make(chan error, 1), fit: &report.Fit{Key: report.Key{Dataset: "a"},
		Fingerprint: "a", Status: report.Complete, Chains: 1}}
	fit.fit.StatsOf = func(yield func(*infer.Iterations, error) bool) {
		yield(&infer.Iterations{First: 1, Infos: make([]infer.Info, 2)}, nil)
	}
	l.queue <- see()
	l.queue <- fit
	go l.serve()
	must(t, <-fit.err)
	for range 2 {
		must(t, l.wait(l.last, see()))
	}
	l.stop()
	if len(of) != 3 || of[0] != of[1] || of[1] == of[2] {
		t.Errorf("openings %p: want one of the first two, and another", of)
	}
}

// A panic while one of several fits is stored is that fit's error alone.
func TestPanicOfOneFit(t *testing.T) {
	file, err := report.Open(t.TempDir()+"/l.duckdb", report.Options{Threads: 1})
	must(t, err)
	var some []*request
	for _, name := range []string{"a", "b", "c"} {
		f := &report.Fit{Key: report.Key{Dataset: name}, Fingerprint: name, Status: report.Complete, Chains: 1}
		f.StatsOf = func(yield func(*infer.Iterations, error) bool) {
			if name == "b" {
				panic("planted")
			}
			yield(&infer.Iterations{First: 1, Infos: make([]infer.Info, 2)}, nil)
		}
		some = append(some, &request{fit: f, ctx: t.Context()})
	}
	var errs []error
	err = file.Write(t.Context(), func(s *report.Session) error {
		errs = carryOut(t.Context(), s, some)
		return nil
	})
	if err != nil || len(errs) != 3 || errs[0] != nil || errs[1] == nil || errs[2] != nil {
		t.Fatalf("the errors are %v, %v", errs, err)
	}
	stored, err := file.Stored(t.Context(), nil)
	if err = errors.Join(err); err != nil || len(stored) != 2 {
		t.Errorf("%d fits are stored, %v", len(stored), err)
	}
}
