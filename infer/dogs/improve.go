package dogs

import (
	"math"
	"slices"
)

// Improve is algorithm 2 with the objective Σ d_i·κ_i of Kept instead of the variation: one update after the other,
// the first one first, becomes the variable that makes the sum smallest while those after it stay. The result is
// never worse than the input; it is as long, or shorter where nothing depends on an update. Up to so many rounds,
// each on the scan of the one before.
//
// With g = Qx, an update of i takes g_i/Q_ii from x_i. With D a row of the product of
// the updates to come, choice i gains 2·D_i·Cov(Dx, g_i)/Q_ii − D_i²·Var(g_i)/Q_ii² of the variance of Dx;
// the covariance of g is kept up to date by rank-two changes.
//
// Memory: O(n²). Cost: O(n²·(1 + targets)) an update and round.
func (p *Normal) Improve(scan []int32, d Target, rounds int) ([]int32, error) {
	best, err := p.kept(scan, d)
	if err != nil {
		return nil, err
	}
	for range max(rounds, 1) {
		next := newAscent(p, d, scan).round(scan)
		v, _ := p.kept(next, d) // of what has been checked
		if !(v < best-float64(1e-9*math.Abs(best))) {
			break // rounding: keep what is certified
		}
		scan, best = next, v
	}
	return scan, nil
}

// kept is Σ d_i·κ_i.
func (p *Normal) kept(scan []int32, d Target) (float64, error) {
	each, err := p.Kept(scan, d)
	v := 0.0
	for k, x := range each {
		v = math.FMA(d.weight(k), x, v)
	}
	return v, err
}

// ascent is one round of Improve.
type ascent struct {
	*Normal
	d     Target
	gamma []float64   // covariance of g = Qx after the updates chosen so far
	ahead [][]float64 // D, a row for each variable of the target, times √d/σ
	undo  []float64   // what each update of the input took from each row
	along [][]float64 // scratch: Q⁻¹D, by row
}

func newAscent(p *Normal, d Target, scan []int32) *ascent {
	s := &ascent{Normal: p, d: d, gamma: slices.Clone(p.q)} // Q·Q⁻¹·Q
	for k, i := range d.Variables {
		row := make([]float64, p.n)
		row[i] = math.Sqrt(d.weight(k)) / p.sd[i]
		s.ahead, s.along = append(s.ahead, row), append(s.along, make([]float64, p.n))
	}
	s.undo = make([]float64, len(scan)*len(s.ahead))
	for t := len(scan) - 1; t >= 0; t-- {
		for k, row := range s.ahead {
			s.undo[t*len(s.ahead)+k] = row[scan[t]]
			p.pullBack(scan[t:t+1], row)
		}
	}
	return s
}

// round chooses the updates once. Where none gains anything that of the input stays, on which
// those after it may depend, unless it loses. Updates on which nothing depends are left out.
func (s *ascent) round(input []int32) []int32 {
	out := make([]int32, 0, len(input))
	for t, i := range input {
		for k, row := range s.ahead {
			v := s.undo[t*len(s.ahead)+k]
			q := s.row(int(i))
			kernels.Axpy(v/q[i], q, row)
			row[i] = v
		}
		if best, ok := s.choose(int(i)); ok {
			out = append(out, int32(best))
			s.update(best)
		}
	}
	return s.needed(out)
}

// needed returns the updates of a scan on which a variable of the target depends.
func (s *ascent) needed(scan []int32) []int32 {
	row, used := make([]float64, s.n), make([]bool, len(scan))
	for _, i := range s.d.Variables {
		clear(row)
		row[i] = 1
		for t := len(scan) - 1; t >= 0; t-- {
			used[t] = used[t] || row[scan[t]] != 0
			s.pullBack(scan[t:t+1], row)
		}
	}
	out := scan[:0]
	for t, i := range scan {
		if used[t] {
			out = append(out, i)
		}
	}
	return out
}

// choose returns the variable whose update gains most, or own where none gains and
// own does not lose.
func (s *ascent) choose(own int) (best int, ok bool) {
	for k, row := range s.ahead {
		copy(s.along[k], row)
		s.factor.Solve(s.along[k])
	}
	best, ok = own, true
	top := tie
	for i := range s.n {
		gamma, q := s.gamma[i*s.n:(i+1)*s.n], s.q[i*s.n+i]
		gain := 0.0
		for k, row := range s.ahead {
			if v := row[i] / q; v != 0 {
				gain = math.FMA(v, 2*kernels.Dot(s.along[k], gamma)-float64(v*gamma[i]), gain)
			}
		}
		if gain > top {
			best, top, ok = i, gain, true
		} else if i == own && top == tie && gain < -tie {
			ok = false
		}
	}
	return best, ok
}

// tie is a gain that is rounding error.
const tie = 1e-12

// update changes the covariance of g by an update of i: g ← g − q_i·g_i/Q_ii.
func (s *ascent) update(i int) {
	q := s.row(i)
	a := slices.Clone(s.gamma[i*s.n : (i+1)*s.n])
	half := 0.5 * a[i] / q[i] / q[i]
	for j := range a {
		a[j] = math.FMA(-half, q[j], a[j]/q[i])
	}
	for j := range s.n {
		row := s.gamma[j*s.n : (j+1)*s.n]
		kernels.Axpy(-q[j], a, row)
		kernels.Axpy(-a[j], q, row)
	}
	clear(s.gamma[i*s.n : (i+1)*s.n])
	for j := range s.n {
		s.gamma[j*s.n+i] = 0
	}
}

// Towards returns an input scan for a target: its variables last, before them those
// that depend most on one of them by themselves, the strongest nearest to the end; again from the start where
// the length exceeds n. Cost: O(n·(targets + log n) + length).
func (p *Normal) Towards(d Target, length int) []int32 {
	strength := make([]float64, p.n)
	for _, i := range d.Variables {
		row := p.row(int(i))
		for j, v := range row {
			strength[j] = max(strength[j], math.Abs(v)/math.Sqrt(row[i]*p.q[j*p.n+j]))
		}
	}
	for _, i := range d.Variables {
		strength[i] = math.Inf(1)
	}
	order := Systematic(p.n, p.n)
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case strength[a] > strength[b]:
			return -1
		case strength[a] < strength[b]:
			return 1
		}
		return 0
	})
	out := make([]int32, length)
	for t := range out {
		out[length-1-t] = order[t%p.n]
	}
	return out
}
