package progress

import (
	"math"
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
	f.stages = []Stage{{Name: "reading", Began: f.began}}
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

// Ended counts the fits that have ended, and those of them that failed or erred.
func (t *Tracker) Ended() (all, failed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.settled, t.counts["fail"] + t.counts["error"]
}

// Running is a fit that is worked on.
type Running struct {
	Fit        string `json:"fit"`
	Phase      string `json:"phase"`
	Iterations int64  `json:"iterations"` // done, of all chains
	// Expected is the number of iterations that the fit is expected to end with; 0 until it samples.
	Expected int64   `json:"expected"`
	Seconds  float64 `json:"seconds"` // since it began
	// SecondsLeft is an estimate by the rate of iterations; null until there is one.
	SecondsLeft *float64 `json:"seconds_left"`
}

// Share is the part of the expected iterations that is done, below 1.
func (r Running) Share() float64 {
	if r.Expected == 0 {
		return 0
	}
	return min(float64(r.Iterations)/float64(r.Expected), 0.99)
}

// Running lists the fits that are worked on, in the order in which they began.
func (t *Tracker) Running() []Running {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, out := t.now(), make([]Running, len(t.active))
	for i, f := range t.active {
		out[i] = f.running(now)
	}
	return out
}

// running describes the fit. It is expected to end when its effective sample size reaches the target, if that continues
// to grow in proportion to the iterations, and not before those that are planned.
func (f *Fit) running(now time.Time) Running {
	f.mu.Lock()
	defer f.mu.Unlock()
	phase, _ := f.phase.Load().(string)
	done, expected := f.done.Load(), float64(f.planned.Load())
	if f.checked && f.check.ESS > 0 && f.check.ESS < f.check.Target {
		expected = max(expected, float64(f.atCheck)*f.check.Target/f.check.ESS)
	}
	expected = min(expected, math.MaxInt64/2)
	r := Running{Fit: f.name, Phase: phase, Iterations: done, Expected: int64(expected),
		Seconds: now.Sub(f.began).Seconds()}
	if elapsed, fresh := now.Sub(f.since).Seconds(), done-f.atSince; fresh > 0 && elapsed > 0 {
		left := max(expected-float64(done), 0) * elapsed / float64(fresh)
		r.SecondsLeft = &left
	}
	return r
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
	lastCheck
	stages []Stage
}

// lastCheck is the newest check of a fit.
type lastCheck struct {
	check   Check
	checked bool
	atCheck int64 // iterations done by then
}

// Stage is a phase of a fit, or what one chain did in it.
type Stage struct {
	Name         string
	Chain        int // 1, 2, …; 0: the phase
	Iterations   int // of the chain
	Began, Ended time.Time
}

// Check is the result of the last convergence check.
type Check struct {
	ESS, Target float64 // the quantity that the run waits for, and its goal
	What        string  // "least bulk ESS", "median ESS"
	RHat        float64 // largest
}

// Phase names what the fit is doing: "set-up", "sampling", "diagnosing", "committing".
func (f *Fit) Phase(p string) {
	f.phase.Store(p)
	now := f.tracker.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.close(now)
	f.stages = append(f.stages, Stage{Name: p, Began: now})
}

// close ends the current phase.
func (f *Fit) close(now time.Time) {
	for i := len(f.stages) - 1; i >= 0; i-- {
		if f.stages[i].Chain == 0 {
			f.stages[i].Ended = now
			return
		}
	}
}

// Chain says that a chain (1, 2, …) did so many iterations from began on until now.
func (f *Fit) Chain(chain, iterations int, began time.Time) {
	now := f.tracker.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stages = append(f.stages, Stage{"chain", chain, iterations, began, now})
}

// Stages are the phases of a fit so far, each before what its chains did; the last one ends now.
func (f *Fit) Stages() []Stage {
	now := f.tracker.now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.close(now)
	return slices.Clone(f.stages)
}

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
	f.check, f.checked, f.atCheck = c, true, f.done.Load()
}
