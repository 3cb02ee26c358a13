package infertest

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// TB is the part of *testing.T that a check uses. Errorf is the check's
// verdict; Fatalf means that the check itself could not be made.
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// recorder collects what a check says.
type recorder struct {
	verdicts, logs []string
	broken         string
	few            bool // a quarter of the pairs will do
}

// stop ends a check that could not be made.
type stop struct{}

func (*recorder) Helper() {}
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Errorf(format string, args ...any) {
	r.verdicts = append(r.verdicts, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.broken = fmt.Sprintf(format, args...)
	panic(stop{})
}

// run runs a check; a panic of the sampler is a verdict against it.
func (r *recorder) run(check func(TB)) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(stop); !ok {
				r.Errorf("panic: %v", p)
			}
		}
	}()
	check(r)
}

// MustReject fails unless check reports at least one error. A check that could
// not be made has rejected nothing. A fault that Invariance or Ranks rejects with a
// quarter of its pairs, and less power, is rejected; only the others get all of them.
func MustReject(t TB, check func(TB)) {
	t.Helper()
	r := &recorder{few: !Full()}
	r.run(check)
	if r.few && (r.broken != "" || len(r.verdicts) == 0) {
		r = new(recorder)
		r.run(check)
	}
	switch {
	case r.broken != "":
		t.Fatalf("the check could not be made: %s", r.broken)
	case len(r.verdicts) == 0:
		t.Errorf("the planted fault was not rejected")
	default:
		t.Logf("rejected: %s", r.verdicts[0])
	}
}

// Full reports whether the statistical checks run in full (GLMBATCH_STAT=1).
func Full() bool { return os.Getenv("GLMBATCH_STAT") == "1" }

// Studies reports whether GLMBATCH_STUDIES or GLMBATCH_STAT=1 is set, and so tests of studies run.
func Studies() bool { return os.Getenv("GLMBATCH_STUDIES") != "" || Full() }

// Study skips a test that repeats a study or compares long runs with another program. It runs if GLMBATCH_STUDIES is
// set, as in make study, or if checks run in full.
func Study(t testing.TB) {
	t.Helper()
	if !Studies() {
		t.Skip("a study; set GLMBATCH_STUDIES, or run make study")
	}
}

// Seed returns the seed of a statistical check: 1, or with GLMBATCH_STAT=1
// that of GLMBATCH_SEED, or else a fresh one, which it prints.
func Seed(t testing.TB) uint64 {
	t.Helper()
	if !Full() {
		return 1
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("GLMBATCH_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("GLMBATCH_SEED: %v", err)
		}
	}
	t.Logf("GLMBATCH_SEED=%d", seed)
	return seed
}

// Scale returns quick, or with GLMBATCH_STAT=1 full.
func Scale(quick, full int) int {
	if Full() {
		return full
	}
	return quick
}
