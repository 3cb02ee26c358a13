package progress

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Tracker collects the state of a run's fits. It is safe for concurrent use.
type Tracker struct {
	mu      sync.Mutex
	now     func() time.Time
	total   int
	settled int // fits that ended, whether computed, skipped or failed
	counts  map[string]int
	active  []*Fit
	ended   []string // lines of ended fits that no display has taken yet
}

// New returns a tracker that reads the clock from now.
func New(now func() time.Time) *Tracker {
	return &Tracker{now: now, counts: map[string]int{}}
}

// Expect adds n fits to the number that the run will end.
func (t *Tracker) Expect(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.total += n
}

// Start registers a fit that begins to be worked on.
func (t *Tracker) Start(name string) *Fit {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := &Fit{tracker: t, name: name, began: t.now()}
	f.phase.Store("reading")
	t.active = append(t.active, f)
	return f
}

// End counts one fit as ended with the given verdict or action ("pass",
// "skipped", …) and leaves a line about it. f may be nil for a fit that never
// started.
func (t *Tracker) End(f *Fit, outcome, line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active = slices.DeleteFunc(t.active, func(a *Fit) bool { return a == f })
	t.settled++
	t.counts[outcome]++
	if line != "" {
		t.ended = append(t.ended, line)
	}
}

// Away takes back a fit that was expected and started, and that is looked at again later.
func (t *Tracker) Away(f *Fit) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.active = slices.DeleteFunc(t.active, func(a *Fit) bool { return a == f })
	t.total--
}

// Fit is the progress of one fit.
type Fit struct {
	tracker *Tracker
	name    string
	began   time.Time
	phase   atomic.Value // string

	done, planned atomic.Int64 // iterations of all chains

	mu      sync.Mutex
	since   time.Time // when sampling of this session began
	atSince int64     // iterations done by then
	check   Check
	checked bool
}

// Check is what the last convergence check found.
type Check struct {
	ESS, Target float64 // the quantity that the run waits for, and its goal
	What        string  // "least bulk ESS", "median ESS"
	RHat        float64 // largest
}

// Phase names what the fit is doing: "set-up", "sampling", "diagnosing", "committing".
func (f *Fit) Phase(p string) { f.phase.Store(p) }

// Plan states how many iterations, over all chains, the fit is to have at its
// next check, and how many it has.
func (f *Fit) Plan(done, planned int64) {
	f.done.Store(done)
	f.planned.Store(planned)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.since.IsZero() {
		f.since, f.atSince = f.tracker.now(), done
	}
}

// Add counts n finished iterations.
func (f *Fit) Add(n int) { f.done.Add(int64(n)) }

// Checked records the result of a convergence check.
func (f *Fit) Checked(c Check) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.check, f.checked = c, true
}
