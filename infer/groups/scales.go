package groups

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// logRange is the largest |log sd| that is possible: numbers beyond would overflow in precisions.
const logRange = 200

const halfLog2Pi = 0.91893853320467274178 // ½ log 2π

// scales are the standard deviations and correlations of the effects of a grouping: effects of a level are N(0,
// D·C·D), D = diag(sd). C is stored as canonical partial correlations x_ij, j < i, of which each is free in (−1,
// 1): its Cholesky factor has L_ij = x_ij·√(1 − Σ_{k<j} L_ik²), and the LKJ density of shape s of C is Π (1 −
// x_ij²)^(b − 1) up to a constant, b = s + (q − 2 − j)/2 with j from 0.
//
// Source: Lewandowski, Kurowicka and Joe (2009), doi:10.1016/j.jmva.2009.04.008.
type scales struct {
	laws glm.EffectsPrior
	size int   // q, the number of terms
	free []int // terms whose sd is a parameter

	logSD   []float64 // of each term
	partial []float64 // atanh of x_ij by rows, q(q − 1)/2; nil of linked terms, see Linked

	linked *Linked // which has these terms among others; nil if they are alone

	corr   []float64 // Cholesky factor of C
	chol   []float64 // of D·C·D
	omega  []float64 // its inverse
	logDet float64   // ½ log |D·C·D|
}

// newScales returns scales of 1 without correlations; a fixed sd has its value.
func newScales(p glm.EffectsPrior) *scales {
	q := len(p.SD)
	s := &scales{laws: p, size: q, logSD: make([]float64, q), partial: make([]float64, q*(q-1)/2),
		corr: make([]float64, q*q), chol: make([]float64, q*q), omega: make([]float64, q*q)}
	for t, law := range p.SD {
		if law.Kind == prior.Constant {
			s.logSD[t] = vec.Log(law.Location)
		} else {
			s.free = append(s.free, t)
		}
	}
	s.settle()
	return s
}

// newScales is newScales of the block's prior. The correlations of linked terms are those of Linked.
func (b *block) newScales() *scales {
	s := newScales(b.prior)
	if b.Linked {
		s.partial = nil
	}
	return s
}

// paired is the number of terms if these have correlations, else 0.
func (s *scales) paired() int {
	if len(s.partial) == 0 {
		return 0
	}
	return s.size
}

// settle makes what follows from logSD and partial. Cost: O(q³).
func (s *scales) settle() {
	if s.linked != nil {
		s.linked.settle()
		return
	}
	q := s.size
	s.factorCorrelations()
	s.logDet = 0
	for i := range q {
		sd := vec.Exp(s.logSD[i])
		for j := range i + 1 {
			s.chol[i*q+j] = sd * s.corr[i*q+j]
		}
		s.logDet += s.logSD[i] + vec.Log(s.corr[i*q+i])
	}
	var unit [maxTerms]float64
	for j := range q {
		e := unit[:q]
		clear(e)
		e[j] = 1
		lower(s.chol, q, e)
		upper(s.chol, q, e)
		for i := range q {
			s.omega[i*q+j] = e[i]
		}
	}
}

// factorCorrelations makes the Cholesky factor of C from the partial correlations.
func (s *scales) factorCorrelations() {
	q, at := s.size, 0
	if s.paired() == 0 {
		for i := range q {
			s.corr[i*q+i] = 1
		}
	}
	for i := range s.paired() {
		rest := 1.0
		for j := range i {
			x := tanh(s.partial[at])
			s.corr[i*q+j] = x * math.Sqrt(rest)
			rest = float64(rest * (1 - x) * (1 + x))
			at++
		}
		s.corr[i*q+i] = math.Sqrt(rest)
	}
}

// tanh is (1 − e^−2|y|)/(1 + e^−2|y|) with y's sign.
func tanh(y float64) float64 {
	e := vec.Exp(-2 * math.Abs(y))
	return math.Copysign((1-e)/(1+e), y)
}

// atanh returns the y of tanh.
func atanh(x float64) float64 { return 0.5 * (vec.Log1p(x) - vec.Log1p(-x)) }

// partialRange is the largest |y| of a partial correlation: 1 − |x| is 1e-13 there, and rounding would outweigh more.
const partialRange = 15

// logSech returns log(1 − tanh²y).
func logSech(y float64) float64 {
	a := math.Abs(y)
	return 2 * (0.69314718055994530942 - a - vec.Log1p(vec.Exp(-2*a)))
}

// logDensitySD returns the log prior density of log sd of a term.
func (s *scales) logDensitySD(t int, u float64) float64 {
	if !(math.Abs(u) <= logRange) {
		return math.Inf(-1)
	}
	p := &s.laws.SD[t]
	return p.LogDensityAt(vec.Exp(u), u) + u
}

// beta returns the exponent of 1 − x² of a partial correlation of column j, one more than the density's.
func (s *scales) beta(j int) float64 { return s.laws.LKJ + float64(0.5*float64(s.size-2-j)) }

// logDensityPartial returns the log prior density of y = atanh x_ij up to a constant.
func (s *scales) logDensityPartial(j int, y float64) float64 {
	if !(math.Abs(y) <= partialRange) {
		return math.Inf(-1)
	}
	return float64(s.beta(j) * logSech(y))
}

// logPrior returns the log prior density of sds and correlations on their own scale, with its constants.
func (s *scales) logPrior() float64 {
	sum := 0.0
	for _, t := range s.free {
		p := &s.laws.SD[t]
		sum += p.LogDensityAt(vec.Exp(s.logSD[t]), s.logSD[t])
	}
	q := s.paired()
	for j := range q - 1 {
		b := s.beta(j) // ∫ (1 − x²)^(b − 1) dx = 2^(2b − 1)·B(b, b)
		logBeta := 2*vec.LogGamma(b) - vec.LogGamma(2*b)
		sum -= float64(float64(q-1-j) * math.FMA(math.FMA(2, b, -1), 0.69314718055994530942, logBeta))
	}
	for i := 1; i < q; i++ {
		sum = math.FMA(2*(s.laws.LKJ-1), vec.Log(s.corr[i*q+i]), sum)
	}
	return sum
}

// logEffects returns the log density of effects given the scales: count levels with Σ r·rᵀ.
func (s *scales) logEffects(count float64, squares []float64) float64 {
	return -float64(count*math.FMA(float64(s.size), halfLog2Pi, s.logDet)) - float64(0.5*dot(s.omega, squares))
}

// correlation returns C_ij.
func (s *scales) correlation(i, j int) float64 {
	return dot(s.corr[i*s.size:i*s.size+j+1], s.corr[j*s.size:j*s.size+j+1])
}

// write writes the sds that are parameters and the correlations as a position has them, and returns their number.
func (s *scales) write(dst []float64) (n int) {
	for _, t := range s.free {
		dst[n] = vec.Exp(s.logSD[t])
		n++
	}
	return n + s.writeCorrelations(dst[n:])
}

// writeCorrelations writes those of each term with the terms before it, and returns their number.
func (s *scales) writeCorrelations(dst []float64) (n int) {
	for i := range s.paired() {
		for j := range i {
			dst[n] = s.correlation(i, j)
			n++
		}
	}
	return n
}

// read sets what write wrote.
func (s *scales) read(theta []float64) (n int) {
	for _, t := range s.free {
		s.logSD[t] = vec.Log(theta[n])
		n++
	}
	s.setCorrelations(theta[n : n+len(s.partial)])
	s.settle()
	return n + len(s.partial)
}

// setCorrelations sets the partial correlations to those of a matrix, given by its lower triangle in rows.
func (s *scales) setCorrelations(lowerRows []float64) {
	q, at := s.paired(), 0
	l := make([]float64, q*q)
	for i := range q {
		rest := 1.0
		for j := range i {
			sum := lowerRows[at]
			for k := range j {
				sum = math.FMA(-l[i*q+k], l[j*q+k], sum)
			}
			l[i*q+j] = sum / l[j*q+j]
			x := l[i*q+j] / math.Sqrt(rest)
			rest = math.FMA(-l[i*q+j], l[i*q+j], rest)
			s.partial[at] = max(-partialRange, min(partialRange, atanh(x)))
			at++
		}
		l[i*q+i] = math.Sqrt(rest)
	}
}
