package dogs

import (
	"fmt"
	"math"
)

// Target is d: the variables that a scan is for, and how much each counts.
type Target struct {
	Variables []int32
	// Weights d_i ≥ 0 of Variables. Nil means 1 for each, and then variation bounds the total variation distance of
	// their joint distribution from π's.
	Weights []float64
}

// All is the target of n variables.
func All(n int) Target {
	t := Target{Variables: make([]int32, n)}
	for i := range t.Variables {
		t.Variables[i] = int32(i)
	}
	return t
}

// weight returns d of the k-th variable.
func (t Target) weight(k int) float64 {
	if t.Weights == nil {
		return 1
	}
	return t.Weights[k]
}

// dense returns d of all n variables.
func (t Target) dense(n int) []float64 {
	out := make([]float64, n)
	for k, i := range t.Variables {
		out[i] = t.weight(k)
	}
	return out
}

// check refuses invalid targets.
func (t Target) check(n int) error {
	if len(t.Variables) == 0 {
		return fmt.Errorf("dogs: the target has no variables; name those whose law matters")
	}
	if t.Weights != nil && len(t.Weights) != len(t.Variables) {
		return fmt.Errorf("dogs: the target has %d weights for %d variables; give one each", len(t.Weights), len(t.Variables))
	}
	seen := make(map[int32]bool, len(t.Variables))
	for k, i := range t.Variables {
		if i < 0 || int(i) >= n || seen[i] {
			return fmt.Errorf("dogs: target variable %d is out of range or named twice; number the %d variables from 0", i, n)
		}
		seen[i] = true
		if w := t.weight(k); !(w >= 0 && w <= math.MaxFloat64) {
			return fmt.Errorf("dogs: target variable %d has weight %v; give a finite number, not below 0", i, w)
		}
	}
	return nil
}

// checkScan refuses scans of variables that do not exist.
func (c *Influence) checkScan(scan []int32) error {
	for t, i := range scan {
		if i < 0 || int(i) >= c.Variables() {
			return fmt.Errorf("dogs: update %d of the scan is of variable %d; number the %d variables from 0", t, i,
				c.Variables())
		}
	}
	return nil
}

// ones returns b of the worst start.
func ones(n int) []float64 {
	b := make([]float64, n)
	for i := range b {
		b[i] = 1
	}
	return b
}

// sum returns dᵀb.
func (t Target) sum(b []float64) float64 {
	v := 0.0
	for k, i := range t.Variables {
		v = math.FMA(t.weight(k), b[i], v)
	}
	return v
}

// Variation returns dᵀb after a scan from any start. For a target without weights it bounds the total variation
// distance of its variables' joint distribution from π's. It may exceed 1, and then says nothing. Cost: O(n + Σ
// degrees of the scan). Source: theorem 8 of the paper.
func (c *Influence) Variation(scan []int32, d Target) (float64, error) {
	if err := d.check(c.Variables()); err != nil {
		return 0, err
	}
	if err := c.checkScan(scan); err != nil {
		return 0, err
	}
	return c.variation(scan, d), nil
}

func (c *Influence) variation(scan []int32, d Target) float64 {
	b := ones(c.Variables())
	for _, i := range scan {
		b[i] = c.pull(int(i), b)
	}
	return d.sum(b)
}

// Prefixes returns the variation after each update of a scan, up to rounding. Cost: that of Variation.
func (c *Influence) Prefixes(scan []int32, d Target) ([]float64, error) {
	if _, err := c.Variation(nil, d); err != nil {
		return nil, err
	}
	if err := c.checkScan(scan); err != nil {
		return nil, err
	}
	b, weights, out := ones(c.Variables()), d.dense(c.Variables()), make([]float64, len(scan))
	var sum twofold
	for _, w := range weights {
		sum.add(w, 1)
	}
	for t, i := range scan {
		sum.add(-weights[i], b[i])
		b[i] = c.pull(int(i), b)
		sum.add(weights[i], b[i])
		out[t] = max(0, sum.high+sum.low)
	}
	return out, nil
}

// twofold is a sum with twice the digits of a float64: what cancels in it leaves the rest.
type twofold struct{ high, low float64 }

// add adds w·b.
func (s *twofold) add(w, b float64) {
	product := float64(w * b)
	next := s.high + product
	part := next - s.high
	s.low += math.FMA(w, b, -product) + ((s.high - (next - part)) + (product - part))
	s.high = next
}

// RandomVariation is Variation for a scan of length steps that draws each update
// from the distribution q over variables, nil for the uniform one:
// b ← b − q∘(b − C·b). It bounds the distance averaged over the scans that may be drawn.
// Cost: O(steps·half edges). Source: definition 7 and theorem 8 of the paper.
func (c *Influence) RandomVariation(q []float64, steps int, d Target) (float64, error) {
	all, err := c.RandomPrefixes(q, steps, d)
	switch {
	case err != nil:
		return 0, err
	case steps == 0:
		return d.sum(ones(c.Variables())), nil
	}
	return all[steps-1], nil
}

// RandomPrefixes returns the RandomVariation of each number of steps from 1 on. Cost: that of the last.
func (c *Influence) RandomPrefixes(q []float64, steps int, d Target) ([]float64, error) {
	n := c.Variables()
	if err := d.check(n); err != nil {
		return nil, err
	}
	if q == nil {
		q = make([]float64, n)
		for i := range q {
			q[i] = 1 / float64(n)
		}
	}
	total := 0.0
	for _, v := range q {
		total += v
		if !(v >= 0) {
			total = math.NaN()
		}
	}
	if len(q) != n || !(math.Abs(total-1) < 1e-9) {
		return nil, fmt.Errorf("dogs: the scan's distribution has %d probabilities of sum %v for %d variables; give one "+
			"each, of sum 1", len(q), total, n)
	}
	b, next, out := ones(n), make([]float64, n), make([]float64, steps)
	for t := range out {
		for i := range b {
			next[i] = math.FMA(q[i], c.pull(i, b), float64((1-q[i])*b[i]))
		}
		b, next = next, b
		out[t] = d.sum(b)
	}
	return out, nil
}

// Systematic returns the scan 0, 1, …, n−1, 0, … of a length.
func Systematic(n, length int) []int32 {
	out := make([]int32, length)
	for t := range out {
		out[t] = int32(t % n)
	}
	return out
}
