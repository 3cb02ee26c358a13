package mrf

import (
	"math"

	"glmbatch/internal/vec"
)

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
