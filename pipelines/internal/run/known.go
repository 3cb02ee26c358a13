package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// known are the complete fits of a ledger on which another run may be at work. They are read when a run begins, and
// again when another process has written to the file: one of the two runs draws their common fits.
type known struct {
	database string

	mu    sync.Mutex // not held while the ledger is waited for
	fits  map[string]report.Stored
	names map[record.Key][]string // fingerprints of fits, the newest first; nil until they are first needed
	mark  mark
	// assessed are the assessments of fits; nil until they are first needed.
	assessed map[int64]record.Assessed
	writing  bool // this run has the file open, and knows what was in it
	held     bool // another process held the file when it was last read

	rereading sync.Mutex
}

// mark identifies the state of a file, so that a write by another process is noticed.
type mark struct {
	size int64
	time time.Time
}

func (k *known) look() mark {
	info, err := os.Stat(k.database)
	if err != nil {
		return mark{} // as a ledger that is not there yet
	}
	return mark{info.Size(), info.ModTime()}
}

// read asks the ledger for its fits.
func (k *known) read(ctx context.Context, ledger *report.Ledger) error {
	before := k.look()
	fits, err := ledger.Stored(ctx, nil)
	k.mu.Lock()
	defer k.mu.Unlock()
	var held *report.LockedError
	k.held = errors.As(err, &held)
	if err == nil {
		k.fits, k.names, k.assessed, k.mark = fits, nil, nil, before
	}
	return err
}

// fit is the last known state of the complete fit with a fingerprint.
func (k *known) fit(fingerprint string) (report.Stored, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.fits[fingerprint]
	return f, ok
}

// alike is the fingerprint of a fit, or where it is not known that of the newest known one with the same draws that
// serves.
func (k *known) alike(id *plan.Identified, serves func(record.Stored) bool) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := k.fits[id.Fingerprint]; ok {
		return id.Fingerprint
	}
	if k.names == nil {
		k.names = map[record.Key][]string{}
		for fingerprint, f := range k.fits {
			k.names[f.Key] = append(k.names[f.Key], fingerprint)
		}
		for _, same := range k.names {
			slices.SortFunc(same, func(a, b string) int { return cmp.Compare(k.fits[b].ID, k.fits[a].ID) })
		}
	}
	for _, fingerprint := range k.names[id.Key()] {
		if f := k.fits[fingerprint]; id.SameDraws(f) && serves(f) {
			return fingerprint
		}
	}
	return id.Fingerprint
}

// now is fit, after a look at what others have stored since. It reads the ledger if another process has written to
// it, and otherwise costs a look at the file. Where the ledger cannot be read now, it is what was known last; one
// that was held is not waited for again before this run has written to it.
func (k *known) now(ctx context.Context, ledger *report.Ledger, fingerprint string) (report.Stored, bool) {
	k.rereading.Lock()
	defer k.rereading.Unlock()
	k.mu.Lock()
	same := k.writing || k.held || k.mark == k.look()
	k.mu.Unlock()
	if !same {
		_ = k.read(ctx, ledger) // a fit more is drawn: with the same bits
	}
	return k.fit(fingerprint)
}

// has returns the parts of an assessment that a stored fit has. The ledger is asked once for all fits: each question of
// its own would start an engine.
func (k *known) has(ctx context.Context, ledger *report.Ledger, fit int64) (record.Assessed, error) {
	k.rereading.Lock()
	defer k.rereading.Unlock()
	k.mu.Lock()
	all := k.assessed
	k.mu.Unlock()
	if all == nil {
		var err error
		if all, err = ledger.Assessed(ctx); err != nil {
			return record.Assessed{}, err
		}
		k.mu.Lock()
		k.assessed = all
		k.mu.Unlock()
	}
	return all[fit], nil
}

// begin is called by the writer of this run when it has the file open.
func (k *known) begin(ctx context.Context, s *report.Session) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m := k.look(); m != k.mark {
		fits, err := s.Stored(ctx, nil)
		if err != nil {
			return err
		}
		k.fits, k.names, k.assessed, k.mark = fits, nil, nil, m
	}
	k.writing, k.held = true, false
	return nil
}

// end is called when it has closed the file.
func (k *known) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.writing {
		k.mark, k.writing = k.look(), false
	}
}

// States choose fits by the newest verdict that the ledger has of them. The
// zero value chooses all.
type States struct {
	grades  map[judge.Grade]bool
	lastRun bool // verdicts of the pipeline's last run only
}

// ParseStates reads terms such as "state:error"; several are alternatives.
func ParseStates(terms []string) (States, error) {
	s := States{grades: map[judge.Grade]bool{}}
	for _, term := range terms {
		grade, ok := strings.CutPrefix(term, "state:")
		switch g := judge.Grade(grade); {
		case ok && (g == judge.ErrorGrade || g == judge.Fail || g == judge.Warn):
			s.grades[g] = true
		default:
			return s, fmt.Errorf("--select %q: write state:error, state:fail or state:warn", term)
		}
	}
	return s, nil
}

// FailedLast chooses what failed or erred in the last run of the pipeline.
func FailedLast() States {
	return States{grades: map[judge.Grade]bool{judge.ErrorGrade: true, judge.Fail: true}, lastRun: true}
}

func (s States) empty() bool { return len(s.grades) == 0 }

// chosen is the selection of the call, before the ledger is asked.
func (r *runner) chosen() plan.Choice {
	c := plan.Choice{Selector: r.Only}
	if r.Sharded != nil {
		c.Share = r.Sharded.Share
	}
	return c
}

// choose asks the ledger for the fits in the wanted states.
func (r *runner) choose(ctx context.Context, file *report.Ledger) (plan.Choice, error) {
	c := r.chosen()
	if r.Select.empty() {
		return c, nil
	}
	grades, err := map[record.Key]judge.Grade(nil), error(nil)
	if r.Select.lastRun {
		grades, err = file.LastRun(ctx, r.Pipeline.Name)
	} else {
		grades, err = file.States(ctx, r.Pipeline.Name)
	}
	c.Keys = []record.Key{}
	for k, g := range grades {
		if r.Select.grades[g] {
			c.Keys = append(c.Keys, k) // their order decides nothing
		}
	}
	return c, err
}
