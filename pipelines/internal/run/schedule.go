package run

// schedule decides how long the chains of a fit get. Lengths are iterations
// per chain, warm-up counted, and take the values first·2^k only, the same for
// all chains, so that neither workers nor resumes change what is kept.
type schedule struct {
	first, max int
	// burn is the number of iterations of the shorter warm-up of chains that start
	// from an earlier posterior; 0 for the usual one.
	burn int
	// fixed, when it has draws, replaces growing.
	fixedWarmup, fixedDraws int
}

// window is the range [from, to) of iterations that a check looks at; what
// lies before from is warm-up.
type window struct{ from, to int }

func (w window) draws() int { return w.to - w.from }

// start is the window of the first check: the older half is warm-up.
func (s schedule) start() window {
	if s.fixedDraws > 0 {
		return window{s.fixedWarmup, s.fixedWarmup + s.fixedDraws}
	}
	if s.burn > 0 {
		return window{s.burn, s.burn + s.first - s.first/2}
	}
	return window{s.first / 2, s.first}
}

// warmShare is the part of the usual warm-up that chains get which start from an
// earlier posterior. leastBurn is the least that this leaves.
const warmShare, leastBurn = 4, 20

// warmed is the schedule of chains that start from an earlier posterior. A fixed
// warm-up that the spec gives stays.
func (s schedule) warmed(given bool) schedule {
	usual := s.warmup()
	burn := min(usual, max(leastBurn, usual/warmShare))
	switch {
	case s.fixedDraws == 0:
		s.burn = burn
	case !given:
		s.fixedWarmup = burn
	}
	return s
}

// warmup is the number of iterations in which a kernel may adapt. No window
// reaches into it.
func (s schedule) warmup() int { return s.start().from }

// verdict of one check, as far as the schedule cares.
type checked struct {
	mixed   bool // R-hat passed
	reached bool // the target of the run holds
}

// next returns the window of the next check, or done. Where R-hat has not
// passed, the older half of what the chains have becomes warm-up. Where the
// chains may not grow any more, the window stays as it was checked.
func (s schedule) next(w window, c checked) (next window, done bool) {
	if s.fixedDraws > 0 || c.reached || 2*w.to > s.max {
		return w, true
	}
	if !c.mixed {
		w.from = w.to / 2
	}
	w.to *= 2
	return w, false
}
