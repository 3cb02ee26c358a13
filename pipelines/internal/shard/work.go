package shard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/report"
	"glmbatch/report/record"
)

// Work is the folder in which a machine draws a shard: its ledger and the spool next to that. An attempt that finds
// it locked, by one that was thought dead, takes another.
type Work struct {
	dir  string
	lock *os.File
}

// Begin takes a folder below spool, or the temporary folder, for a shard: the one of an earlier attempt, if it
// exists.
func (p *Plan) Begin(spool string, i int) (*Work, error) {
	if spool == "" {
		spool = os.TempDir()
	}
	for attempt := 1; ; attempt++ {
		w := &Work{dir: filepath.Join(spool, fmt.Sprintf("glmbatch-%s-%d.%d", p.Run, i, attempt))}
		if err := ownFolder(w.dir); err != nil {
			return nil, err
		}
		lock, err := os.OpenFile(filepath.Join(w.dir, "lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			w.lock = lock // file systems without such locks do without
			return w, nil
		}
		if err := lock.Close(); err != nil {
			return nil, err
		}
	}
}

// ownFolder makes a folder that is this user's alone, or finds one.
func ownFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if of, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || info.Mode().Perm()&0o077 != 0 ||
		ok && int(of.Uid) != os.Geteuid() {
		return words.Hint(fmt.Errorf("%q is not this user's own folder", dir), "name a folder with --spool")
	}
	return nil
}

// Database is the shard's ledger.
func (w *Work) Database() string { return filepath.Join(w.dir, "fragment.duckdb") }

// Close gives the folder up, for the next attempt.
func (w *Work) Close() error { return w.lock.Close() }

// Remove removes it.
func (w *Work) Remove() error { return errors.Join(os.RemoveAll(w.dir), w.lock.Close()) }

// Empty removes the files of an attempt that cannot be resumed.
func (w *Work) Empty() error {
	entries, err := os.ReadDir(w.dir)
	for _, e := range entries {
		if e.Name() != "lock" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(w.dir, e.Name())))
		}
	}
	return err
}

// bytes is the size of the folder.
func (w *Work) bytes() (n int64) {
	_ = filepath.WalkDir(w.dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil // what goes away meanwhile is not counted
	})
	return n
}

// Furnish makes the shard's ledger of what the plan knew of its fits, or of an earlier fragment if that is taken,
// unless an earlier attempt has left one. If nothing was known of the fits, the shard's run makes the ledger.
func (p *Plan) Furnish(ctx context.Context, dir string, i int, w *Work, earlier Earlier) error {
	_, err := os.Stat(w.Database())
	if err != nil && earlier.Taken {
		err = p.takeFragment(ctx, dir, i, w)
	}
	if err == nil {
		return p.restart(ctx, w)
	}
	if p.Known[i] == 0 {
		return nil
	}
	base, err := report.Open(baseFile(dir), report.Options{Threads: 1, Later: true})
	if err == nil {
		err = base.Whole(ctx)
	}
	if err != nil {
		return err
	}
	division, err := p.Division()
	if err != nil {
		return err
	}
	made := w.Database() + ".seed" // whole before it has its name
	if err := removeLedger(made); err != nil {
		return err
	}
	file, err := report.Open(made, report.Options{Threads: 1, Private: true})
	if err == nil {
		err = file.Take(ctx, base, report.Taken{Which: func(k record.Key) bool {
			return division.Of(k.Dataset, k.Group, k.Model) == i
		}})
	}
	if err != nil {
		return err
	}
	return os.Rename(made, w.Database())
}

// takeFragment copies the fragment of the shard to its folder.
func (p *Plan) takeFragment(ctx context.Context, dir string, i int, w *Work) error {
	file, err := report.Open(fragment(dir, i), report.Options{Threads: 1, Later: true})
	if err == nil {
		err = file.Publish(ctx, w.Database())
	}
	return err
}

// restart takes back what the attempt that left the shard's ledger noted in its end.
func (p *Plan) restart(ctx context.Context, w *Work) error {
	file, err := report.Open(w.Database(), report.Options{Threads: 1, Later: true})
	if err == nil {
		err = file.Whole(ctx)
	}
	if err != nil {
		return err
	}
	return file.Write(ctx, func(s *report.Session) error { return s.Restart(ctx, p.Run) })
}

// removeLedger removes a ledger, if it exists, and the auxiliary files of the engine and its guard.
func removeLedger(path string) error {
	return errors.Join(removeIfThere(path), removeIfThere(path+".wal"), removeIfThere(path+".guard"))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Finish puts the shard's ledger, and what its run said, where they are gathered.
func (p *Plan) Finish(ctx context.Context, dir string, i int, w *Work, out *outcome.Outcome) error {
	file, err := report.Open(w.Database(), report.Options{Threads: 1, Later: true})
	out.Database = fragment(dir, i)
	if err == nil {
		err = save(outcomeFile(dir, i), out)
	}
	if err == nil {
		err = file.Move(ctx, fragment(dir, i))
	}
	if err != nil {
		return err
	}
	return w.Remove()
}

// Done returns the outcome of a shard that has a fragment, or nil.
func Done(dir string, i int) (*outcome.Outcome, error) {
	if _, err := os.Stat(fragment(dir, i)); err != nil {
		return nil, nil // it is looked for again when it is to be written
	}
	text, err := os.ReadFile(outcomeFile(dir, i))
	out := &outcome.Outcome{}
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		return nil, fmt.Errorf("has no outcome next to its fragment: %w", err)
	}
	return out, nil
}

// Earlier holds the results of an earlier call for a shard.
type Earlier struct {
	// Done is the outcome of a fragment that serves: it is sound, and no fit of it erred. It is nil if the shard is to be
	// run.
	Done *outcome.Outcome
	// Redone is the reason why a fragment cannot be used; empty if there is no fragment.
	Redone string
	// Taken reports that the fragment is sound, so that only the fits that erred are tried again.
	Taken bool
}

// Earlier checks the fragment of a shard. The error is that of ctx.
func (m *Manifest) Earlier(ctx context.Context, dir string, i int) (e Earlier, err error) {
	out, fault := Done(dir, i)
	if out == nil && fault == nil {
		return e, nil
	}
	if fault == nil {
		fault = m.outcome(i, out)
	}
	if fault == nil {
		var f *report.Fragment
		if f, fault = m.open(dir, i, out); fault == nil {
			fault = f.Sound(ctx, m.run)
		}
	}
	switch {
	case ctx.Err() != nil:
		return e, ctx.Err()
	case fault != nil:
		e.Redone = fmt.Sprintf("the fragment of shard %d %v", i, fault)
	case out.Erred():
		e.Redone, e.Taken = fmt.Sprintf("fits of shard %d erred, and are tried again", i), true
	default:
		out.Redone = ""
		e.Done = out
	}
	return e, nil
}

// Progress is how far a shard is.
type Progress struct {
	Shard      int   `json:"shard"`
	Fits       int   `json:"fits"`
	Done       int   `json:"done"`
	Failed     int   `json:"failed"` // of those that are done
	SpoolBytes int64 `json:"spool_bytes"`
	// SecondsLeft is an estimate by the time of the fits that are done and the rates of those that are running; null
	// before the first iteration.
	SecondsLeft *float64           `json:"seconds_left"`
	Running     []progress.Running `json:"running"`
	Updated     time.Time          `json:"updated"`
}

// estimate sets SecondsLeft, given the time since the shard began.
func (p *Progress) estimate(since time.Duration) {
	longest, whole, known := 0.0, 0.0, 0
	for _, f := range p.Running {
		if f.SecondsLeft != nil {
			longest, whole, known = max(longest, *f.SecondsLeft), whole+f.Seconds+*f.SecondsLeft, known+1
		}
	}
	each := 0.0 // seconds between the ends of two fits
	switch {
	case p.Done > 0:
		each = since.Seconds() / float64(p.Done)
	case known > 0: // they run side by side
		each = whole / float64(known) / float64(len(p.Running))
	default:
		return
	}
	if known < len(p.Running) {
		longest = max(longest, each)
	}
	left := longest + each*float64(max(p.Fits-p.Done-len(p.Running), 0))
	p.SecondsLeft = &left
}

// WriteProgress writes the progress of a shard until stop is called, and then once more. A progress that cannot be
// written is left out.
func (p *Plan) WriteProgress(dir string, i int, w *Work, t *progress.Tracker, every time.Duration) (stop func()) {
	began, quit, done := time.Now(), make(chan struct{}), make(chan struct{})
	tell := func() {
		now := Progress{Shard: i, Fits: p.Fits[i], SpoolBytes: w.bytes(), Running: t.Running(), Updated: time.Now().UTC()}
		now.Done, now.Failed = t.Ended()
		now.estimate(time.Since(began))
		_ = save(progressFile(dir, i), now)
	}
	go func() {
		defer close(done)
		for tick := time.NewTicker(every); ; {
			tell()
			select {
			case <-tick.C:
			case <-quit:
				tick.Stop()
				tell()
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}
