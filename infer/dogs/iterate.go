package dogs

import "fmt"

// Iterate makes one list and repeats it until the variation of the target is not above o.Below; the last repetition
// ends where it is. The list is a scan of at most length updates, optimised for the target from Towards, and before it
// in turn the variables that it leaves out: with none left out, each repetition lowers the variation wherever a norm of
// C is below one. One list is found whatever precision is asked for. The result has more updates than that of Search,
// which looks at each of them.
//
// Cost: that of Optimise on length updates, and O(n + degrees of the result).
//
// It returns a *NormError where no norm of C is known to be below one, and a *ReachError when o.MaxLength updates do
// not do.
func (c *Influence) Iterate(d Target, length int, o Options) (*Certificate, error) {
	if length < 1 {
		return nil, fmt.Errorf("dogs: a list of %d updates to repeat; give 1 or more", length)
	}
	if !(o.Below > 0) {
		return nil, fmt.Errorf("dogs: the variation to reach is %v; give a number above 0", o.Below)
	}
	if err := d.check(c.Variables()); err != nil {
		return nil, err
	}
	best, err := c.Optimise(c.Towards(d, length), d, Options{Rounds: o.Rounds})
	if err != nil {
		return nil, err
	}
	if o.MaxLength == 0 {
		o.MaxLength = 1 << 22
	}
	p := newDescent(c, d)
	list, scan := completed(best.Scan, c.Variables()), []int32(nil)
	for variation := d.sum(p.b); variation > o.Below; {
		if len(scan) == o.MaxLength {
			return nil, &ReachError{Length: len(scan), Variation: d.sum(p.b), Below: o.Below}
		}
		i := list[len(scan)%len(list)]
		variation = p.update(i, variation, o.Below)
		scan = append(scan, i)
	}
	p.restore(scan)
	return &Certificate{Target: d, Scan: scan, Variation: p.measure(scan), Input: best.Input, Rounds: best.Rounds}, nil
}

// completed returns a scan of n variables with those that it leaves out before it, in their order.
func completed(scan []int32, n int) []int32 {
	seen := make([]bool, n)
	for _, i := range scan {
		seen[i] = true
	}
	var out []int32
	for i := range seen {
		if !seen[i] {
			out = append(out, int32(i))
		}
	}
	return append(out, scan...)
}

// Ending returns the scan of a length that updates n variables in turn and ends with the last one.
func Ending(n, length int) []int32 {
	out := make([]int32, length)
	for t := range out {
		out[length-1-t] = int32(n - 1 - t%n)
	}
	return out
}
