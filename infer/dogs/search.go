package dogs

import (
	"fmt"
)

// Search finds a scan whose variation is not above o.Below: it optimises the
// input scans of Towards at lengths 1, 2, 4, …, times the number of the target's
// variables, until one is good enough. The systematic scan takes its place where that needs
// no more updates, or reaches what no other does, and is optimised too: the result is never longer. Bisection of the
// length of the input then looks for a shorter one, to within a twentieth. Each scan ends where it is good enough.
// Cost: that of the last length, some five times.
//
// Where no norm of C is known to be below one longer scans need not be nearer. Then only the systematic scan is
// tried and shortened: it may reach the target before the strong influences matter, or these may be in another part
// of the graph.
//
// It returns a *NormError where that does not do, and a *ReachError when MaxLength does not.
func (c *Influence) Search(d Target, o Options) (*Certificate, error) {
	if err := d.check(c.Variables()); err != nil {
		return nil, err
	}
	if !(o.Below > 0) {
		return nil, fmt.Errorf("dogs: the variation to reach is %v; give a number above 0", o.Below)
	}
	if o.MaxLength == 0 {
		o.MaxLength = 1 << 22
	}
	descent := newDescent(c, d)
	if err := c.contracts(); err != nil {
		scan, ok := descent.systematic(o.MaxLength, o.Below)
		if !ok {
			return nil, err
		}
		return descent.bisect(0, descent.optimise(scan, o), o), nil
	}
	failed, best := descent.double(o)
	longest := min(o.MaxLength, len(best.Scan))
	if best.Variation > o.Below {
		longest = o.MaxLength
	}
	if scan, ok := descent.systematic(longest, o.Below); ok {
		best = descent.optimise(scan, o)
	}
	if best.Variation > o.Below {
		return nil, &ReachError{Length: o.MaxLength, Variation: best.Variation, Below: o.Below}
	}
	return descent.bisect(failed, best, o), nil
}

// bisect looks for a scan shorter than one that is good enough, where inputs of length failed are not.
func (p *descent) bisect(failed int, best *Certificate, o Options) *Certificate {
	for len(best.Scan)-failed > 1+len(best.Scan)/20 {
		middle := failed + (len(best.Scan)-failed)/2
		if made := p.optimise(p.Towards(p.d, middle), o); made.Variation <= o.Below {
			best = made
		} else {
			failed = middle
		}
	}
	return best
}

// double optimises scans towards the target, each twice as long as the one before, until
// one is good enough or the longest is not. failed is the length of the last that was not.
func (p *descent) double(o Options) (failed int, best *Certificate) {
	for length := len(p.d.Variables); ; length *= 2 {
		length = min(length, o.MaxLength)
		best = p.optimise(p.Towards(p.d, length), o)
		if best.Variation <= o.Below || length == o.MaxLength {
			return failed, best
		}
		failed = length
	}
}

// systematic returns the shortest systematic scan with a variation not above below, if it has at most most updates.
// Cost: that of its updates.
func (p *descent) systematic(most int, below float64) (scan []int32, ok bool) {
	n := p.Variables()
	variation := p.d.sum(p.b)
	for len(scan) < most && variation > below {
		i := int32(len(scan) % n)
		variation = p.update(i, variation, below)
		scan = append(scan, i)
	}
	p.restore(scan)
	return scan, variation <= below
}

// ReachError says how near the longest scans that were allowed come.
type ReachError struct {
	Length           int     // updates
	Variation, Below float64 // what they reach, and what was asked for
}

func (e *ReachError) Error() string { return "dogs: " + e.Reason() }

// Reason is the error without the name of its package.
func (e *ReachError) Reason() string {
	return fmt.Sprintf("scans of %d updates reach a variation of %.4g, not %.4g; allow longer ones or ask for less",
		e.Length, e.Variation, e.Below)
}

// Towards returns an input scan for a target: the variables nearest to it in the
// graph, the farthest first, so that the last updates are of the target itself;
// again from the start where the length exceeds what there is. Variables
// at equal distance keep the order of their numbers, so for all variables it is the
// systematic scan. Cost: O(n + length).
func (c *Influence) Towards(d Target, length int) []int32 {
	near := c.nearest(d.Variables, length)
	out := make([]int32, length)
	for t := range out { // from the end: near[0], near[1], …
		out[length-1-t] = near[t%len(near)]
	}
	return out
}

// nearest lists variables by distance from a set, breadth first, the last of the set first, at most most of them.
func (c *Influence) nearest(from []int32, most int) []int32 {
	seen := make([]bool, c.Variables())
	queue := make([]int32, 0, min(most+4, len(seen)))
	for k := len(from) - 1; k >= 0; k-- {
		queue = append(queue, from[k])
		seen[from[k]] = true
	}
	for head := 0; head < len(queue) && len(queue) < most; head++ {
		row, _ := c.Row(int(queue[head]))
		for _, j := range row {
			if !seen[j] {
				seen[j] = true
				queue = append(queue, j)
			}
		}
	}
	return queue[:min(len(queue), max(most, 1))]
}
