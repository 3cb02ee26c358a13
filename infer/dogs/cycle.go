package dogs

import (
	"fmt"
	"math"
)

// Cycle is how a chain repeats a scan without ever leaving a variable alone: a
// systematic sweep over all n variables in every Every-th iteration, from the first
// on, and the list in the others. Every = 1 is the systematic scan.
type Cycle struct {
	List  []int32
	Every int
}

// updates is their number in an iteration, on average.
func (c Cycle) updates(n int) float64 {
	return (float64(n) + float64((c.Every-1)*len(c.List))) / float64(c.Every)
}

// Cost returns the updates per effective draw of a cycle, for the variable of the
// target that needs most: mean updates of an iteration times the integrated
// autocorrelation time of x_i over iterations, exact for the normal target. A draw
// is taken after each iteration.
//
// With R_a = Σ_{l≥1} e_iᵀM_{a+l}⋯M_{a+1}, the autocorrelations after iteration a add up to R_a·Q⁻¹e_i/σ_i², and R_a
// = (e_iᵀ + R_{a+1})·M_{a+1}: backward sweeps converge as fast as the chain mixes, and the remainder after many of
// them is summed as a geometric series. Cost: O(n·(n + Every·list)) a cycle, some tens of cycles, each variable of
// the target.
func (p *Normal) Cost(c Cycle, d Target) (float64, error) {
	if err := d.check(p.n); err != nil {
		return 0, err
	}
	if err := p.checkScan(c.List); err != nil {
		return 0, err
	}
	if c.Every < 1 {
		return 0, fmt.Errorf("dogs: a sweep in every %d iterations; give a number from 1 on", c.Every)
	}
	return p.cost(c, d, fine), nil
}

// cost is Cost to a relative error, of what has been checked.
func (p *Normal) cost(c Cycle, d Target, tolerance float64) float64 {
	worst := 0.0
	for _, i := range d.Variables {
		worst = max(worst, p.autocorrelation(c, int(i), tolerance))
	}
	return c.updates(p.n) * worst
}

// The backward sweeps of Cost end where the sum has settled or is a geometric series, to
// about these relative errors, or after maxCycles.
const fine, rough, maxCycles = 1e-4, 1e-2, 2000

// autocorrelation returns 1 + 2·(mean over the phases of a cycle of the sum of
// autocorrelations of variable i).
func (p *Normal) autocorrelation(c Cycle, i int, tolerance float64) float64 {
	weights := make([]float64, p.n) // Q⁻¹e_i/σ_i²
	weights[i] = 1 / p.sd[i] / p.sd[i]
	p.factor.Solve(weights)
	row, all := make([]float64, p.n), Systematic(p.n, p.n)
	sum, step, ratio := 0.0, 0.0, math.NaN()
	for range maxCycles {
		next := 0.0
		for phase := c.Every - 1; phase >= 0; phase-- { // phase 0 is the sweep
			row[i]++
			if scan := c.List; phase > 0 {
				p.pullBack(scan, row)
			} else {
				p.pullBack(all, row)
			}
			next += kernels.Dot(row, weights)
		}
		next /= float64(c.Every)
		before, old := step, ratio
		sum, step = next, next-sum
		if math.Abs(step) <= 1e-2*tolerance*(1+math.Abs(sum)) {
			break
		}
		ratio = step / before
		if ratio > 0 && ratio < 1 && math.Abs(ratio-old) < tolerance*(1-ratio) {
			sum += step * ratio / (1 - ratio)
			break
		}
	}
	return 1 + 2*sum
}
