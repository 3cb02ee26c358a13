package plan

import "glmbatch/pipelines/internal/spec"

// Schedule decides how long the chains of a fit get. Lengths are iterations
// per chain, warm-up counted, and take the values first·2^k and, to confirm a target
// that holds there, half as much again; the same for
// all chains, so that neither workers nor resumes change what is kept.
type Schedule struct {
	first, max int
	// burn is the number of iterations of the shorter warm-up of chains that start
	// from an earlier posterior; 0 for the usual one.
	burn int
	// fixed, when it has draws, replaces growing.
	fixedWarmup, fixedDraws int
}

// Window is the range [from, to) of iterations that a check looks at; what
// lies before from is warm-up.
type Window struct{ From, To int }

// Draws is its length.
func (w Window) Draws() int { return w.To - w.From }

// Start is the window of the first check: the older half is warm-up.
func (s Schedule) Start() Window {
	if s.fixedDraws > 0 {
		return Window{s.fixedWarmup, s.fixedWarmup + s.fixedDraws}
	}
	if s.burn > 0 {
		return Window{s.burn, s.burn + s.first - s.first/2}
	}
	return Window{s.first / 2, s.first}
}

// warmShare is the part of the usual warm-up that chains get which start from an
// earlier posterior. minBurn is the least that this leaves.
const warmShare, minBurn = 4, 20

// warmed is the schedule of chains that start from an earlier posterior. A fixed
// warm-up that the spec gives stays.
func (s Schedule) warmed(given bool) Schedule {
	usual := s.Warmup()
	burn := min(usual, max(minBurn, usual/warmShare))
	switch {
	case s.fixedDraws == 0:
		s.burn = burn
	case !given:
		s.fixedWarmup = burn
	}
	return s
}

// Warmup is the number of iterations in which a kernel may adapt. No window
// reaches into it.
func (s Schedule) Warmup() int { return s.Start().From }

// Checked holds the results of one check that the schedule needs.
type Checked struct {
	Mixed   bool // R-hat passed
	Reached bool // the target of the run holds
}

// Next returns the window of the next check, or done. A target that holds at a length for the first time is confirmed:
// the chains grow by half, and where it holds again they are done. Growing until a target holds and no further
// favours chains that have not been in a tail yet, or that seem to mix better than they do. Where R-hat has not
// passed, the older half of what the chains have becomes warm-up. Where the
// chains may not grow any more, the window stays as it was checked.
func (s Schedule) Next(w Window, c Checked) (next Window, done bool) {
	length := s.length(w)
	confirming, more := w.To > length, s.confirmed(length)
	switch {
	case s.fixedDraws > 0, c.Reached && (confirming || more == length), !c.Reached && 2*length > s.max:
		return w, true
	case c.Reached:
		w.To = more
		return w, false
	}
	if !c.Mixed {
		w.From = max(w.From, length/2)
	}
	w.To = 2 * length
	return w, false
}

// length is the longest of the lengths first·2^k that a window comes to.
func (s Schedule) length(w Window) int {
	length := s.Start().To
	for 2*length <= w.To {
		length *= 2
	}
	return length
}

// confirmed is the length at which a target is confirmed that holds at another one.
func (s Schedule) confirmed(length int) int { return max(length, min(length+length/2, s.max)) }

// endsAlike reports whether chains that ended after some iterations under another ceiling end there under this one too.
// They had reached their target where that ceiling let them grow further.
func (s Schedule) endsAlike(to, ceiling int) bool {
	length := s.length(Window{To: to})
	reached := 2*length <= ceiling
	switch {
	case s.fixedDraws > 0 || to > s.max:
		return false
	case to > length: // after the target was confirmed, or not
		return s.confirmed(length) == to && (reached || 2*length > s.max)
	}
	return !reached && ceiling > length && 2*length > s.max
}

// Ends lists the lengths at which checks may fall, in ascending order.
func (s Schedule) Ends() (out []int) {
	length := s.Start().To
	for {
		out = append(out, length)
		if s.fixedDraws > 0 {
			return out
		}
		if more := s.confirmed(length); more > length {
			out = append(out, more)
		}
		if 2*length > s.max {
			return out
		}
		length *= 2
	}
}

// NewSchedule is the schedule that a run asks for.
func NewSchedule(r *spec.Run) Schedule {
	if r.Fixed() {
		return Schedule{fixedWarmup: r.Warmup, fixedDraws: r.Draws}
	}
	return Schedule{first: r.First, max: r.MaxIterations}
}

// ungated is the schedule of what no gate looks at: it does not grow, and has no warm-up unless the spec gives one.
func (s Schedule) ungated(warmupGiven bool) Schedule {
	if s.fixedDraws == 0 {
		return Schedule{fixedDraws: s.first}
	}
	if !warmupGiven {
		s.fixedWarmup = 0
	}
	return s
}

// most is the number of iterations that the schedule allows.
func (s Schedule) most() int {
	if s.fixedDraws > 0 {
		return s.fixedWarmup + s.fixedDraws
	}
	return s.max
}
