package dogs

import "fmt"

// Iterate optimises one scan of at most length updates for all variables alike, and repeats it until the variation of
// the target is not above o.Below; the last repetition ends where it is. One short list is found whatever precision is
// asked for. The result has more updates than that of Search, which looks at each of them. (A list that is optimised
// for the target alone leaves the surroundings of the target as they were, and its repetitions come to a halt.)
//
// Cost: that of Optimise on length updates, and O(degrees of the result).
//
// It returns a *NormError where no norm of C is known to be below one, and a *ReachError when o.MaxLength updates do
// not do, or when a repetition no longer lowers the variation.
func (c *Influence) Iterate(d Target, length int, o Options) (*Certificate, error) {
	if n := c.Variables(); length < n {
		return nil, fmt.Errorf("dogs: a list of %d updates to repeat for %d variables; give one for each or more", length, n)
	}
	if !(o.Below > 0) {
		return nil, fmt.Errorf("dogs: the variation to reach is %v; give a number above 0", o.Below)
	}
	if err := d.check(c.Variables()); err != nil {
		return nil, err
	}
	cert, err := c.Optimise(Systematic(c.Variables(), length), All(c.Variables()), Options{Rounds: o.Rounds})
	if err != nil {
		return nil, err
	}
	if o.MaxLength == 0 {
		o.MaxLength = 1 << 22
	}
	p := newDescent(c, d)
	list, scan := cert.Scan, []int32(nil)
	for variation, before := d.sum(p.b), d.sum(p.b); variation > o.Below; before = variation {
		for _, i := range list {
			if variation <= o.Below || len(scan) == o.MaxLength {
				break
			}
			variation = p.update(i, variation, o.Below)
			scan = append(scan, i)
		}
		// Sums of increments drift by their rounding: what ends the search is the sum itself.
		if variation = d.sum(p.b); variation > o.Below && (len(scan) == o.MaxLength || variation > before*(1-1e-9)) {
			return nil, &ReachError{Length: len(scan), Variation: variation, Below: o.Below}
		}
	}
	p.restore(scan)
	return &Certificate{Target: d, Scan: scan, Variation: p.measure(scan), Input: cert.Input, Rounds: cert.Rounds}, nil
}

// Ending returns the scan of a length that updates n variables in turn and ends with the last one.
func Ending(n, length int) []int32 {
	out := make([]int32, length)
	for t := range out {
		out[length-1-t] = int32(n - 1 - t%n)
	}
	return out
}
