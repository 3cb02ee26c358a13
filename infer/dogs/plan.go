package dogs

import (
	"math"
)

// Plan is the cycle that PlanCycle found for a target, and what is known of it.
type Plan struct {
	Cycle
	Target Target
	// Cost and Systematic are updates per effective draw, see Normal.Cost, of the
	// cycle and of the systematic scan alone.
	Cost, Systematic float64
	// Kept is the largest share κ of a variance of the target that the list keeps, see
	// Normal.Kept; of a sweep where there is no list.
	Kept float64
	// Norms are those of Normal.Influence. Variation is the largest Dobrushin variation of a
	// variable of the target after the list, in standard deviations, where some norm
	// is below one, else NaN: then it says nothing.
	Norms     Norms
	Variation float64
}

// The lengths of lists, in numbers of the target's variables, and the periods of sweeps
// that PlanCycle looks at.
var (
	lengths = []int{1, 2, 3, 4, 6, 8}
	periods = []int{2, 4, 8, 16, 32, 64}
)

// PlanCycle chooses the list and the period of sweeps that cost the fewest updates per
// effective draw of a target. Lists are those of Improve, of one to eight updates a
// variable of the target, as long as longer ones cost less, and, where the influences have a norm below one, those of
// Optimise; periods go up to 64, or are every where that is not 0. The systematic scan
// is among the candidates, so that none is chosen which costs more.
//
// Cost: that of some tens of Normal.Cost, with fewer digits, and of n³.
func (p *Normal) PlanCycle(d Target, every int) (*Plan, error) {
	systematic, err := p.Cost(Cycle{Every: 1}, d)
	if err != nil {
		return nil, err
	}
	influence := p.Influence()
	out := &Plan{Cycle: Cycle{Every: 1}, Target: d, Cost: systematic, Systematic: systematic, Norms: influence.Norms(),
		Variation: math.NaN()}
	worse := 0
	for _, m := range lengths {
		length := m * len(d.Variables)
		if length > max(p.n-1, len(d.Variables)) || worse == 2 {
			break
		}
		before := out.Cost
		for _, list := range p.lists(influence, d, length, out.Norms) {
			out.consider(p, list, every)
		}
		if worse++; out.Cost < before {
			worse = 0
		}
	}
	if out.Cost = p.cost(out.Cycle, d, fine); out.Cost >= systematic {
		out.Cycle, out.Cost = Cycle{Every: 1}, systematic
	}
	out.certify(p, influence)
	return out, nil
}

// certify fills in what is proved of the list, or of a sweep where there is none.
func (out *Plan) certify(p *Normal, c *Influence) {
	scan := out.List
	if scan == nil {
		scan = Systematic(p.n, p.n)
	}
	kept, _ := p.Kept(scan, out.Target) // of what has been checked
	for _, v := range kept {
		out.Kept = max(out.Kept, v)
	}
	if out.Norms.Least() < 1 {
		out.Variation = c.most(scan, out.Target)
	}
}

// lists are the candidates of one length.
func (p *Normal) lists(c *Influence, d Target, length int, norms Norms) (out [][]int32) {
	input := p.Towards(d, length)
	if list, err := p.Improve(input, d, 3); err == nil && len(list) > 0 {
		out = append(out, list)
	}
	if norms.Least() < 1 {
		if made := newDescent(c, d).optimise(input, Options{Rounds: 3}); len(made.Scan) > 0 {
			out = append(out, made.Scan)
		}
	}
	return out
}

// consider takes a list with its best period, if that costs less than what there is.
func (out *Plan) consider(p *Normal, list []int32, every int) {
	choices := periods
	if every > 0 {
		choices = []int{every}
	}
	before := math.Inf(1)
	for _, k := range choices {
		c := Cycle{List: list, Every: k}
		v := p.cost(c, out.Target, rough)
		if v < out.Cost {
			out.Cycle, out.Cost = c, v
		}
		if v > before {
			break // longer periods leave the others alone for too long
		}
		before = v
	}
}

// most returns the largest b_i of a target after a scan.
func (c *Influence) most(scan []int32, d Target) float64 {
	b := ones(c.Variables())
	for _, i := range scan {
		b[i] = c.pull(int(i), b)
	}
	v := 0.0
	for _, i := range d.Variables {
		v = max(v, b[i])
	}
	return v
}
