package cggibbs

import (
	"errors"
	"math"

	"glmbatch/infer/basis"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// The distribution of joint proposals is normal with a share of Student's t with 7 degrees of freedom about the
// same centre, so that its density is nowhere far below one with tails like these: a defensive mixture.
//
// Source: Hesterberg (1995), Weighted average importance sampling and defensive
// mixture distributions, doi:10.1080/00401706.1995.10484303.
const (
	heavyShare = 0.1
	heavyDF    = 7
)

// jointLaw proposes all of x = (u, logs of dispersions) at once, around the Laplace
// approximation of the posterior. It is fixed when a setup is made and does not
// learn from chains. With precision
//
//	P = (I  C)
//	    (Cᵀ H)
//
// about the centre, C and H being the curvature's columns of the dispersions,
// z = Rᵀ(x − centre) is standard, RRᵀ = P.
type jointLaw struct {
	centre []float64
	cross  [][]float64 // the columns of C, one per dispersion
	root   [3]float64  // lower triangle of the Cholesky factor of H − CᵀC, by rows
	ratio  float64     // log of heavyShare·t(0)/((1 − heavyShare)·N(0))
}

// newJointLaw approximates the posterior in a rotated frame, whose origin is its
// mode for dispersions logs and whose curvature there is I.
//
// Cost: 2 gradients for each dispersion and Newton step, of which there are a few.
func newJointLaw(f *basis.Frame, logs []float64) (*jointLaw, error) {
	dim := f.Like.Cols()
	l := &jointLaw{centre: make([]float64, dim+len(logs)), cross: make([][]float64, len(logs))}
	copy(l.centre[dim:], logs)
	for i := range l.cross {
		l.cross[i] = make([]float64, dim)
	}
	if len(logs) > 0 {
		if err := l.settle(f.Like); err != nil {
			return nil, err
		}
	}
	l.ratio = vec.Log(heavyShare/(1-heavyShare)) + peakRatio(len(l.centre))
	return l, nil
}

// peakRatio returns the log of the ratio at 0 of the t density to the normal one in
// some dimensions: Γ((ν + D)/2)/Γ(ν/2)·(2/ν)^(D/2).
func peakRatio(dim int) float64 {
	half := 0.5 * float64(dim)
	return vec.LogGamma(0.5*heavyDF+half) - vec.LogGamma(0.5*heavyDF) + float64(half*vec.Log(2.0/heavyDF))
}

// Newton's iteration for the logs of dispersions ends where a step would gain less
// than this in log density, or in an error.
const (
	jointGain  = 1e-3
	jointSteps = 20
	jointStep  = 1e-3 // of the differences that give the curvature
)

// settle moves the centre to the mode over dispersions too, along the ridge that the
// coefficients' modes make, and sets the curvature there.
func (l *jointLaw) settle(like *glm.Target) error {
	dim := like.Cols()
	point, rows := glm.NewPoint(like), make([]float64, like.Rows())
	at, up, down := append([]float64(nil), l.centre...), make([]float64, len(l.centre)), make([]float64, len(l.centre))
	gradient := func(dst []float64) {
		point.SetUnconstrained(at)
		point.Gradient(dst, rows)
	}
	here := make([]float64, len(l.centre))
	for range jointSteps {
		copy(at, l.centre)
		gradient(here)
		var h [2][2]float64
		for i := range l.cross {
			at[dim+i] = l.centre[dim+i] + jointStep
			gradient(up)
			at[dim+i] = l.centre[dim+i] - jointStep
			gradient(down)
			at[dim+i] = l.centre[dim+i]
			for j := range l.cross[i] {
				l.cross[i][j] = (down[j] - up[j]) / (2 * jointStep)
			}
			for k := range l.cross {
				h[i][k] = (down[dim+k] - up[dim+k]) / (2 * jointStep)
			}
		}
		step, gain, ok := l.newton(h, here[dim:])
		if !ok {
			return errors.New("the posterior has no peak in the dispersions")
		}
		for i, s := range step[:len(l.cross)] {
			l.centre[dim+i] += s
			kernels.Axpy(-s, l.cross[i], l.centre[:dim])
		}
		if gain < jointGain {
			return nil
		}
	}
	return errors.New("newton's iteration for the peak in the dispersions did not settle")
}

// newton factorises what is left of the dispersions' curvature h when coefficients
// follow, H − CᵀC, and returns the step to its peak, at most 1 in each, with the
// gain in log density of the whole step.
func (l *jointLaw) newton(h [2][2]float64, slope []float64) (step [2]float64, gain float64, ok bool) {
	var s [2][2]float64
	for i := range l.cross {
		for k := range l.cross {
			s[i][k] = 0.5*(h[i][k]+h[k][i]) - kernels.Dot(l.cross[i], l.cross[k])
		}
	}
	l.root = [3]float64{math.Sqrt(s[0][0]), 0, 1}
	if len(l.cross) == 2 {
		l.root[1] = s[1][0] / l.root[0]
		l.root[2] = math.Sqrt(s[1][1] - float64(l.root[1]*l.root[1]))
	}
	for _, r := range []float64{l.root[0], l.root[2]} {
		if !(r > 0) || r > math.MaxFloat64 {
			return step, 0, false
		}
	}
	copy(step[:], slope)
	step[0] /= l.root[0]
	step[1] = (step[1] - float64(l.root[1]*step[0])) / l.root[2]
	l.solveRoot(step[:])
	for i, g := range slope {
		gain += float64(0.5 * step[i] * g)
		step[i] = max(-1, min(1, step[i]))
	}
	return step, gain, !math.IsNaN(gain)
}

// solveRoot overwrites z with the logs of dispersions that it stands for, less
// their centre; z may be longer than they are many.
func (l *jointLaw) solveRoot(z []float64) {
	if len(z) == 2 {
		z[1] /= l.root[2]
		z[0] -= float64(l.root[1] * z[1])
	}
	z[0] /= l.root[0]
}

// draws writes proposals to x, one after the other, at most jointBatch of them.
func (l *jointLaw) draws(s variate.Source, x []float64) {
	var sizes [jointBatch]float64
	each := len(l.centre)
	for i := range len(x) / each {
		sizes[i] = 1
		if s.Float64() < heavyShare {
			sizes[i] = math.Sqrt(0.5 * heavyDF / variate.Gamma(s, 0.5*heavyDF))
		}
		for j := range each {
			x[i*each+j] = s.Float64()
		}
	}
	kernels.NormalQuantile(x, x)
	for i := range len(x) / each {
		l.place(sizes[i], x[i*each:(i+1)*each])
	}
}

// place overwrites standard normals with the proposal that they make, of some size.
func (l *jointLaw) place(size float64, x []float64) {
	for j := range x {
		x[j] = size * x[j]
	}
	dim := len(x) - len(l.cross)
	if len(l.cross) > 0 {
		l.solveRoot(x[dim:])
	}
	for i, c := range l.cross {
		kernels.Axpy(-x[dim+i], c, x[:dim])
	}
	kernels.Axpy(1, l.centre, x)
}

// logDensities writes the log densities of proposals at points x, one after the other and at most jointBatch of
// them, up to a constant. z is scratch as long as a point, and then the last one's standard normals.
func (l *jointLaw) logDensities(x, dst, z []float64) {
	var normal, heavy [jointBatch]float64
	n, each := len(dst), len(z)
	for i := range n {
		squares := l.squares(x[i*each:(i+1)*each], z)
		normal[i], heavy[i] = -0.5*squares, squares/heavyDF
	}
	kernels.Log1p(heavy[:n], heavy[:n])
	for i := range n {
		heavy[i] = l.ratio - float64(0.5*float64(heavyDF+each)*heavy[i])
		dst[i] = -math.Abs(normal[i] - heavy[i])
	}
	kernels.Exp(dst, dst)
	kernels.Log1p(dst, dst)
	for i := range n {
		dst[i] = max(normal[i], heavy[i]) + dst[i]
	}
}

// squares overwrites z with the standard normals of a proposal at x, and sums their squares.
func (l *jointLaw) squares(x, z []float64) float64 {
	copy(z, x)
	kernels.Axpy(-1, l.centre, z)
	dim := len(x) - len(l.cross)
	for i, c := range l.cross {
		kernels.Axpy(z[dim+i], c, z[:dim])
	}
	switch len(l.cross) {
	case 1:
		z[dim] *= l.root[0]
	case 2:
		z[dim] = math.FMA(l.root[0], z[dim], float64(l.root[1]*z[dim+1]))
		z[dim+1] *= l.root[2]
	}
	return kernels.SumSquares(z)
}
