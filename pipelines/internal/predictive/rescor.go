package predictive

import (
	"math"
	"slices"

	"glmbatch/internal/vec"
)

// rescor has the correlations of the residuals of responses at each draw, the lower triangle of their matrix by rows.
type rescor struct {
	params []int       // their parameters, from 1
	draws  [][]float64 // of each of them
}

// single returns those of one position.
func (r *rescor) single() *rescor {
	if r == nil {
		return nil
	}
	out := &rescor{params: r.params}
	for range r.params {
		out.draws = append(out.draws, make([]float64, 1))
	}
	return out
}

// set takes the correlations from a position.
func (r *rescor) set(theta []float64) {
	if r == nil {
		return
	}
	for k, p := range r.params {
		r.draws[k][0] = theta[p-1]
	}
}

// fill takes the draws of a fit, once.
func (r *rescor) fill(e *Evaluator) error {
	if r == nil || r.draws != nil {
		return nil
	}
	of := singles{}
	for _, p := range r.params {
		of[p-1] = nil
	}
	for c, err := range firstColumns(e.Open(), slices.Max(r.params)) {
		if err != nil {
			return err
		}
		of.take(c)
	}
	for _, p := range r.params {
		r.draws = append(r.draws, of[p-1])
	}
	return nil
}

// factor writes the Cholesky factor of the matrix of q responses at draw s, by rows.
func (r *rescor) factor(s, q int, l []float64) {
	for i, at := 0, 0; i < q; i++ {
		rest := 1.0
		for j := range i {
			sum := r.draws[at][s] - vec.Dot(l[i*q:i*q+j], l[j*q:j*q+j])
			l[i*q+j] = sum / l[j*q+j]
			rest -= float64(l[i*q+j] * l[i*q+j])
			at++
		}
		l[i*q+i] = math.Sqrt(rest)
	}
}

const halfLog2Pi = 0.91893853320467274178 // ½ log 2π

// logLikCorrelated is logLik of a row whose responses are gaussian with correlated residuals.
func (b *Block) logLikCorrelated(s, from, to int, dst []float64) {
	q := len(b.responses)
	l, z := make([]float64, q*q), make([]float64, q)
	b.rescor.factor(s, q, l)
	logs := 0.0
	for k, own := range b.responses {
		logs += vec.Log(own.Disp[s][0]) + vec.Log(l[k*q+k]) + halfLog2Pi
	}
	for i := range dst {
		for k, own := range b.responses {
			e := (own.one.y[own.First+from+i] - own.at(0, s)[from+i]) / own.Disp[s][0]
			z[k] = (e - vec.Dot(l[k*q:k*q+k], z[:k])) / l[k*q+k]
		}
		dst[i] = -logs - float64(0.5*vec.SumSquares(z))
	}
}
