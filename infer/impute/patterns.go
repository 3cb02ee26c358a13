package impute

import (
	"math"
	"math/bits"
	"strconv"
)

// patterns are the sets of gaussian columns that rows miss together. Rows without a response have patterns of their
// own, since the regression says nothing of their cells, and so have rows with measurements of other precisions.
type patterns struct {
	pattern []int32 // of each row with missing cells; −1 where no gaussian column is missing
	sets    []set
	curved  []bool // of each row: its cells move one at a time
	gauss   uint64 // columns with gaussian models
}

// set is one pattern.
type set struct {
	columns  []int
	measured []float64 // precisions of the measurements of columns; 0 if there are none
	seen     bool      // the regression has a response there
}

// patternKey identifies a pattern.
type patternKey struct {
	mask     uint64
	seen     bool
	measured string
}

func (s *setup) findPatterns() {
	for _, m := range s.system.models {
		s.gauss |= 1 << m.column
	}
	index := map[patternKey]int32{}
	s.pattern, s.curved = make([]int32, len(s.rows)), make([]bool, len(s.rows))
	for q, mask := range s.mask {
		mask &= s.gauss
		s.pattern[q] = -1
		if mask == 0 {
			continue
		}
		t := set{seen: s.readers[s.main].of[q] >= 0}
		key := patternKey{mask: mask, seen: t.seen}
		for m := mask; m != 0; m &= m - 1 {
			c := bits.TrailingZeros64(m)
			_, precision := s.problem.Columns[c].measured(s.rows[q], 0)
			t.columns, t.measured = append(t.columns, c), append(t.measured, precision)
			if precision > 0 {
				key.measured += strconv.FormatFloat(precision, 'g', -1, 64) + " "
			}
		}
		at, known := index[key]
		if !known {
			at = int32(len(s.sets))
			index[key] = at
			s.sets = append(s.sets, t)
		}
		s.pattern[q] = at
		for _, r := range s.readers {
			for _, k := range s.sets[at].columns {
				s.curved[q] = s.curved[q] || r.of[q] >= 0 && r.moved[k] != nil && (!r.affine[k] || !r.tilts && !r.quad)
			}
		}
	}
}

// cellDensity is the normal density of the missing cells of a pattern given the rest of a row, without its mean:
// the factor of their precision, and for each reader that does not belong to it, precision⁻¹·b and
// bᵀ·precision⁻¹·b.
type cellDensity struct {
	factor []float64 // lower triangle, m × m, with the reciprocals of its diagonal there
	tilts  [][]float64
	spread []float64
}

// findLaws makes those of all patterns. Cost: O(m³) each.
func (k *kernel) findLaws() {
	main := k.readers[k.main]
	w := 0.0
	if main.quad {
		w = 1 / main.disp[0] / main.disp[0]
	}
	for i := range k.sets {
		t, l := &k.sets[i], &k.laws[i]
		m := len(t.columns)
		for a, c := range t.columns {
			for b, e := range t.columns[:a+1] {
				x := k.q[(k.system.first+c)*k.system.width+k.system.first+e]
				if main.quad && t.seen {
					x = math.FMA(float64(w*main.b[c]), main.b[e], x)
				}
				l.factor[a*m+b] = x
			}
			l.factor[a*m+a] += t.measured[a]
		}
		cholesky(l.factor, m)
		for j, r := range k.readers {
			if !r.tilts {
				continue
			}
			tilt := l.tilts[j]
			for a, c := range t.columns {
				tilt[a] = r.b[c]
			}
			solveLower(l.factor, m, tilt)
			sum := 0.0
			for _, x := range tilt {
				sum = math.FMA(x, x, sum)
			}
			l.spread[j] = sum
			solveUpper(l.factor, m, tilt)
		}
	}
}

// cholesky factorises in place; the diagonal has its reciprocals.
func cholesky(a []float64, m int) {
	for i := range m {
		for j := range i + 1 {
			sum := a[i*m+j]
			for l := range j {
				sum = math.FMA(-a[i*m+l], a[j*m+l], sum)
			}
			if i == j {
				a[i*m+i] = 1 / math.Sqrt(sum)
			} else {
				a[i*m+j] = float64(sum * a[j*m+j])
			}
		}
	}
}

func solveLower(a []float64, m int, x []float64) {
	for i := range m {
		sum := x[i]
		for l := range i {
			sum = math.FMA(-a[i*m+l], x[l], sum)
		}
		x[i] = float64(sum * a[i*m+i])
	}
}

func solveUpper(a []float64, m int, x []float64) {
	for i := m - 1; i >= 0; i-- {
		sum := x[i]
		for l := i + 1; l < m; l++ {
			sum = math.FMA(-a[l*m+i], x[l], sum)
		}
		x[i] = float64(sum * a[i*m+i])
	}
}
