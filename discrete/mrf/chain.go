package mrf

import (
	"math"

	"glmbatch/internal/vec"
)

// checkChain refuses models with edges other than i — i+1.
func checkChain(m Model) error {
	for i := range m.Variables() {
		for _, j := range m.Neighbours(i) {
			if d := int(j) - i; d != 1 && d != -1 {
				return fault("use Transfer for edges that skip variables, or Enumerate",
					"variable %d has neighbour %d: the model is no chain", i, j)
			}
		}
	}
	return nil
}

// ForwardBackward returns exact marginals and log Z of a model whose edges join
// variable i with i+1 alone, and a *ModelError for others. Missing edges cut
// the chain and do no harm.
//
// The messages are normalised at every variable, and log Z is the sum of the
// logarithms of what that took (Rabiner 1989, doi:10.1109/5.18626, section V-A).
// Cost: O(Σ q_i·q_{i+1}) and 8 bytes per state.
func ForwardBackward(m Model) (*Exact, error) {
	if err := checkChain(m); err != nil {
		return nil, err
	}
	n := m.Variables()
	ex := &Exact{Marginals: NewMarginals(m)}
	steps := newSteps(m)
	forward := ex.Marginals // α in place, times β on the way back
	m.LogPrefix(steps.lw, 0, steps.x)
	copy(forward.At(0), steps.lw)
	ex.LogZ = normalise(forward.At(0))
	for i := 1; i < n; i++ {
		row := forward.At(i)
		clear(row)
		top := steps.load(i)
		for b, p := range forward.At(i - 1) {
			for a := range row {
				row[a] = math.FMA(p, steps.at(b, a), row[a])
			}
		}
		ex.LogZ += top + logSum(row)
	}
	beta := make([]float64, MaxStates(m))
	for a := range beta {
		beta[a] = 1
	}
	for i := n - 1; i > 0; i-- {
		steps.load(i)
		before := make([]float64, m.States(i-1))
		for b := range before {
			for a := range m.States(i) {
				before[b] = math.FMA(steps.at(b, a), beta[a], before[b])
			}
		}
		row := forward.At(i)
		for a := range row {
			row[a] *= beta[a]
		}
		logSum(row)
		logSum(before)
		copy(beta, before)
	}
	row := forward.At(0)
	for a := range row {
		row[a] *= beta[a]
	}
	logSum(row)
	return ex, nil
}

// Viterbi returns the most probable state of a chain, the first one in the order
// of its states where there are several, and its U (Viterbi 1967,
// doi:10.1109/TIT.1967.1054010). It refuses what ForwardBackward refuses. Cost:
// O(Σ q_i·q_{i+1}) and one byte per state.
func Viterbi(m Model) ([]uint8, float64, error) {
	if err := checkChain(m); err != nil {
		return nil, 0, err
	}
	n := m.Variables()
	x, lw := make([]uint8, n), make([]float64, MaxStates(m))
	from := make([][]uint8, n)
	m.LogPrefix(lw, 0, x)
	best := append([]float64(nil), lw[:m.States(0)]...)
	for i := 1; i < n; i++ {
		next := make([]float64, m.States(i))
		from[i] = make([]uint8, m.States(i))
		for b, v := range best {
			x[i-1] = uint8(b)
			m.LogPrefix(lw, i, x)
			for a := range next {
				if s := v + lw[a]; b == 0 || s > next[a] {
					next[a], from[i][a] = s, uint8(b)
				}
			}
		}
		best = next
	}
	top := 0
	for a, v := range best {
		if v > best[top] {
			top = a
		}
	}
	x[n-1] = uint8(top)
	for i := n - 1; i > 0; i-- {
		x[i-1] = from[i][x[i]]
	}
	return x, best[top], nil
}

// steps holds the potentials of one step of a chain, scaled to a largest of 1.
type steps struct {
	Model
	x      []uint8
	lw     []float64
	weight []float64 // of states b of i−1 and a of i at b·q + a
	q      int
}

func newSteps(m Model) *steps {
	most := MaxStates(m)
	return &steps{Model: m, x: make([]uint8, m.Variables()), lw: make([]float64, most), weight: make([]float64, most*most)}
}

// load makes the potentials of the step to variable i and returns the logarithm
// of their scale.
func (s *steps) load(i int) float64 {
	s.q = s.States(i)
	top := math.Inf(-1)
	for b := range s.States(i - 1) {
		s.x[i-1] = uint8(b)
		s.LogPrefix(s.weight[b*s.q:(b+1)*s.q], i, s.x)
		for _, v := range s.weight[b*s.q : (b+1)*s.q] {
			top = max(top, v)
		}
	}
	for k, v := range s.weight[:s.q*s.States(i-1)] {
		s.weight[k] = vec.Exp(v - top)
	}
	return top
}

func (s *steps) at(b, a int) float64 { return s.weight[b*s.q+a] }

// logSum divides the weights by their sum and returns its logarithm.
func logSum(w []float64) float64 {
	sum := vec.Sum(w)
	for a := range w {
		w[a] /= sum
	}
	return vec.Log(sum)
}
