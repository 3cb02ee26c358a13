package cggibbs

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// surrogate moves tau and c of a horseshoe by one factor e^ℓ, and the coefficients as a normal approximation of the
// likelihood implies: between the centred move, which holds eta, and the non-centred one (stretch), which holds
// beta/spread.
//
// With W the rows' information at the penalised point, B = W^½·G·S, H = BBᵀ and rho = S⁻¹(theta_G − m), auxiliary
// data y = B·rho + N(0, I) are drawn. Given them, and a normal likelihood, rho has the distribution of
//
//	ε + Bᵀ(I + H)⁻¹(y − B·ε − e),  (ε, e) ~ N(0, I).
//
// The move draws (ε, e) given rho, holds y, ε and e, and makes a slice update of ℓ
// on
//
//	log L(eta(ℓ)) + log N(y; 0, I + H(ℓ)) + log prior of tau and c.
//
// Cost: O(n·d) for d coefficients, and n³/6 an evaluation.
//
// Source: Murray and Adams (2010), Slice sampling covariance hyperparameters of
// latent Gaussian models, arXiv:1006.0868, algorithm 4; the draw of rho is that of
// Bhattacharya, Chakraborty and Mallick (2016), doi:10.1093/biomet/asw042.
type surrogate struct {
	*mixtureKernel
	g          int
	root       []float64 // W^½
	y, e       []float64
	fitted     []float64 // B·rho at the point
	rest       []float64 // B·ε, without the columns of the horseshoe
	inside     []float64 // B·ε of these columns
	pull, half []float64 // (I + H)⁻¹(y − B·ε − e) and L⁻¹y where at looked last, LLᵀ = I + H
	h          []float64 // scratch
	direction  glm.Direction
}

// moveSurrogates makes the move for every horseshoe.
func (k *mixtureKernel) moveSurrogates() bool {
	for g := range k.blocks {
		if !k.surrogateStretch(g) {
			return false
		}
	}
	return true
}

// surrogateStretch makes the move for horseshoe g.
func (k *mixtureKernel) surrogateStretch(g int) bool {
	s := k.newSurrogate(g)
	if s == nil {
		return true
	}
	k.coord = k.swept + k.target.Groups()[g].Tau
	current, _ := s.at(0)
	l, _, moved, ok := k.slice.update(s, current, k.widths[k.coord])
	if ok && moved {
		s.move(l)
	}
	return ok
}

// newSurrogate prepares the move for horseshoe g, whose columns are part g + 1 of G; nil if W is not available.
func (k *mixtureKernel) newSurrogate(g int) *surrogate {
	n := k.target.Rows()
	v := make([]float64, 9*n+n*n)
	take := func(m int) (out []float64) { out, v = v[:m:m], v[m:]; return out }
	s := &surrogate{mixtureKernel: k, g: g, root: take(n), y: take(n), e: take(n), fitted: take(n), rest: take(n),
		inside: take(n), pull: take(n), half: take(n), h: take(n * n)}
	s.direction = glm.Direction{Beta: make([]float64, k.target.Cols()), Eta: take(n)}
	if !s.measure() || !s.prepare() {
		return nil
	}
	return s
}

// minInformation is that of a row, relative to the largest: W must have an inverse.
const minInformation = 1e-8

// measure sets W^½ and B·rho; it reports whether there is a W.
func (s *surrogate) measure() bool {
	largest := 0.0
	for _, w := range s.information {
		largest = math.Max(largest, w)
	}
	if !(largest > 0 && largest <= math.MaxFloat64) {
		return false
	}
	copy(s.fitted, s.point.Eta())
	for _, j := range s.mix.kept {
		kernels.Axpy(-s.point.Beta(j), s.mix.x.Col(j), s.fitted)
	}
	for i, w := range s.information {
		s.root[i] = math.Sqrt(math.Max(w, minInformation*largest))
		s.fitted[i] = float64(s.root[i] * (s.fitted[i] - s.mix.base[i]))
	}
	return true
}

// prepare draws y, and (ε, e) given rho and y: a first draw (ε₀, e₀) that leads to
// some rho₀, moved by what makes it lead to rho,
//
//	ε = ε₀ + rho − rho₀,  e = e₀ − B(rho − rho₀).
func (s *surrogate) prepare() bool {
	k := s.mixtureKernel
	for i, f := range s.fitted {
		s.y[i] = f + variate.Normal(k.Stream)
		s.e[i] = variate.Normal(k.Stream)
	}
	variate.NormalsAt(k.Stream.Uint64(), 0, 0, k.epsilon)
	first := make([]float64, len(s.y)) // y − B·ε₀ − e₀
	s.product(0, len(k.epsilon), first)
	for i, b := range first {
		first[i] = s.y[i] - b - s.e[i]
	}
	factor := s.factor(0)
	if factor == nil {
		return false
	}
	copy(s.pull, first)
	factor.Solve(s.pull)
	k.lift(scaled(s.root, s.pull))
	for c, j := range k.mix.mixed {
		k.epsilon[c] = 0
		if sd := k.spread[c]; sd > 0 {
			k.epsilon[c] = (k.point.Beta(j)-k.target.Model().Coefficients[j].Location)/sd - float64(sd*k.along[c])
		}
	}
	part := k.mix.parts[s.g+1]
	s.product(part.first, part.last, s.inside)
	for i, f := range s.fitted { // B·rho₀ = y − e₀ − pull
		s.e[i] = s.y[i] - s.pull[i] - f
		s.rest[i] = f - (first[i] - s.pull[i]) - s.inside[i]
	}
	return true
}

// scaled returns the products of a and b.
func scaled(a, b []float64) []float64 {
	out := make([]float64, len(a))
	multiply(a, b, out)
	return out
}

// multiply writes the products of a and b to dst.
func multiply(a, b, dst []float64) {
	for i, x := range b {
		dst[i] = float64(a[i] * x)
	}
}

// product writes B·ε of columns first to last−1 of G to dst.
func (s *surrogate) product(first, last int, dst []float64) {
	multiply(s.spread[first:last], s.epsilon[first:last], s.along[first:last])
	s.accumulate(first, last, s.along[first:last], dst)
	multiply(s.root, dst, dst)
}

// factor factorises I + H(ℓ).
func (s *surrogate) factor(l float64) *linalg.Chol {
	n, more := len(s.y), vec.Exp(2*l)-1
	whole, own := s.gram, s.grams[s.g+1]
	for i := range n {
		for j := range i + 1 {
			at := i*n + j
			s.h[at] = float64(s.root[i]*s.root[j]) * math.FMA(more, own[at], whole[at])
		}
		s.h[i*n+i]++
	}
	c, err := linalg.Cholesky(s.h, n)
	if err != nil {
		return nil
	}
	return c
}

// at implements density in ℓ.
func (s *surrogate) at(l float64) (float64, glm.Value) {
	out := glm.Value{LogLik: math.Inf(-1)}
	prior := s.point.StretchPrior(s.g, l)
	if math.IsInf(prior, -1) || math.Abs(l) > scaleRange {
		return math.Inf(-1), out
	}
	factor := s.factor(l)
	if factor == nil {
		return math.Inf(-1), out
	}
	inflate := vec.Exp(l)
	for i, y := range s.y {
		s.pull[i] = y - math.FMA(inflate, s.inside[i], s.rest[i]) - s.e[i]
	}
	factor.Solve(s.pull)
	copy(s.half, s.y)
	factor.SolveLower(s.half)
	for i, y := range s.y { // B(ℓ)·rho(ℓ) = y − e − pull
		s.direction.Eta[i] = (y - s.e[i] - s.pull[i] - s.fitted[i]) / s.root[i]
	}
	s.point.Direct(&s.direction)
	v := s.point.AlongDirection(&s.direction, 1)
	s.Touched += int64(len(s.y))
	return v.LogLik + (prior - 0.5*(factor.LogDet()+kernels.SumSquares(s.half))), v
}

// move makes the move to ℓ.
func (s *surrogate) move(l float64) {
	k, h := s.mixtureKernel, s.target.Groups()[s.g]
	s.at(l) // for pull
	part := k.mix.parts[s.g+1]
	inflate := vec.Exp(l)
	for c := part.first; c < part.last; c++ {
		k.spread[c] *= inflate
		k.weights[c] = float64(k.spread[c] * k.spread[c])
	}
	kernels.Axpy(float64(inflate*inflate)-1, k.grams[s.g+1], k.gram)
	for i := range k.grams[s.g+1] {
		k.grams[s.g+1][i] *= float64(inflate * inflate)
	}
	k.lift(scaled(s.root, s.pull))
	k.point.Centred(k.theta)
	for c, j := range k.mix.mixed {
		rho := math.FMA(k.spread[c], k.along[c], k.epsilon[c])
		k.theta[j] = math.FMA(k.spread[c], rho, k.target.Model().Coefficients[j].Location)
	}
	start := k.target.Dim() - k.target.Scales()
	k.theta[start+h.Tau] += l
	if h.Slab >= 0 {
		k.theta[start+h.Slab] += l
	}
	k.point.SetCentred(k.theta)
	k.Touched += k.entries()
}
