package groups

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
)

// joint draws all coefficients of a closed gaussian at once, given effects and sigma, where their priors are normal or
// flat: their precision is XᵀWX/sigma² + that of the priors.
type joint struct {
	gram              []float64 // XᵀWX; of models without smooths its lower triangle
	precision, centre []float64 // of the priors
	smooths           bool      // there are some, whose standard deviations the priors have
}

// jointMost is the largest number of coefficients that are drawn at once.
const jointMost = 512

// newJoint returns nil if coefficients have to move one at a time. Cost: n·d²/2.
func newJoint(target *glm.Target) *joint {
	x, dense := target.Data().X.(*design.Dense)
	d := target.Cols()
	if !target.ClosedGaussian() || !dense || d > jointMost || d*d > 24*target.Rows() {
		return nil
	}
	j := &joint{gram: make([]float64, d*d), precision: make([]float64, d), centre: make([]float64, d)}
	for i, p := range target.Model().Coefficients {
		switch p.Kind {
		case prior.Normal:
			j.precision[i], j.centre[i] = 1/p.Scale/p.Scale, p.Location
		case prior.Flat:
		case prior.Penalised:
			j.smooths = true
		default:
			return nil
		}
	}
	w := target.Weights()
	if w == nil {
		w = filled(target.Rows())
	}
	linalg.Gram(x.Values, x.Rows, d, w, j.gram)
	for a := 0; j.smooths && a < d; a++ {
		for b := range a {
			j.gram[b*d+a] = j.gram[a*d+b]
		}
	}
	return j
}

// drawCoefficients draws the coefficients given all else, in two passes over X. The log likelihood is left behind
// eta. It reports false if a log density was not finite.
func (k *kernel) drawCoefficients() bool {
	j, point, data := k.joint, k.point, k.target.Data()
	eta, d := point.Eta(), len(k.beta)
	rest := k.rest
	vector.Minus(rest, data.Y, eta)
	for i, w := range k.target.Weights() {
		rest[i] *= w
	}
	sigma := point.Dispersions()[0]
	precision := 1 / sigma / sigma
	slope := k.delta
	data.X.TransposedProduct(vector, rest, slope)
	k.Touched += 2 * data.X.Entries()
	if j.smooths {
		return k.drawSmooths(slope, precision)
	}
	h := make([]float64, d*d)
	for a := range d {
		for b := range a + 1 {
			h[a*d+b] = float64(precision * j.gram[a*d+b])
		}
		h[a*d+a] += j.precision[a]
		slope[a] = math.FMA(precision, slope[a], float64(j.precision[a]*(j.centre[a]-k.beta[a])))
	}
	factor, err := linalg.Cholesky(h, d)
	noise := make([]float64, d)
	k.normals(noise)
	if err != nil { // of a rank that rounding has lost: no move
		clear(slope)
		return true
	}
	factor.SolveLower(slope)
	for i, z := range noise {
		slope[i] += z
	}
	factor.SolveUpper(slope)
	k.moveCoefficients(slope)
	return true
}

// moveCoefficients adds delta to the coefficients, and clears it.
func (k *kernel) moveCoefficients(delta []float64) {
	for i, x := range delta {
		k.beta[i] += x
	}
	k.point.AddCoefficients(delta)
	clear(delta)
}

// drawSmooths is drawCoefficients where standard deviations of smooths move first, with the coefficients integrated
// out; slope is Xᵀ·W·(y − eta), and then scratch.
func (k *kernel) drawSmooths(slope []float64, precision float64) bool {
	d := len(slope)
	for i := range slope {
		slope[i] += vector.Dot(k.joint.gram[i*d:(i+1)*d], k.beta)
	}
	b, ok := k.fixed.DrawSmooths(k.joint.gram, slope, precision)
	for i := range slope {
		slope[i] = 0
		if b != nil {
			slope[i] = b[i] - k.beta[i]
		}
	}
	k.moveCoefficients(slope)
	return ok || k.Fail("the sds of smooths", math.NaN())
}
