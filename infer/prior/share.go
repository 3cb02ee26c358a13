package prior

import (
	"math"

	"glmbatch/internal/vec"
)

// Share makes a Group the coefficients of areas of a map, in the basis in which they are independent. A number rho
// between 0 and 1 divides their variances between an independent part and a structured one, with a_j ≥ 0:
//
//	bym2:   spread_j² = tau²·((1 − rho) + rho·a_j), where a_j is 1 over an eigenvalue of the scaled structure matrix
//	escar:  spread_j² = tau²/((1 − rho) + rho·a_j), where 1 − a_j is an eigenvalue of D⁻¹W: precision (D − rho·W)/tau²
//
// The logit of rho is the scale with the number Slab of the group.
//
// Source: Riebler, Sørbye, Simpson and Rue (2016), An intuitive Bayesian spatial model for disease mapping that
// accounts for scaling, doi:10.1177/0962280216660421, equation 7; Gelfand and Vounatsou (2003), Proper multivariate
// conditional autoregressive models for spatial data analysis, doi:10.1093/biostatistics/4.1.11, section 2.
type Share struct {
	Weights   []float64 // a_j, in the order of the group's columns
	Precision bool      // of escar
	Prior     Prior     // of rho: uniform or beta
}

// shareRange is how far from 0 the logit of rho may lie: 1 − rho is then a number apart from 0.
const shareRange = 30

// mix returns (1 − rho) + rho·a_i, which is not 0, and rho·(1 − rho).
func (s *Share) mix(x float64, i int) (v, slope float64) {
	x = max(-shareRange, min(shareRange, x))
	rho, rest := vec.Logistic(x), vec.Logistic(-x)
	return math.FMA(rho, s.Weights[i], rest), float64(rho * rest)
}

// logSpread returns the log of spread_i/tau.
func (s *Share) logSpread(x float64, i int) float64 {
	v, _ := s.mix(x, i)
	if s.Precision {
		return -0.5 * vec.Log(v)
	}
	return 0.5 * vec.Log(v)
}

// slope returns the derivative of logSpread in the logit of rho.
func (s *Share) slope(x float64, i int) float64 {
	v, slope := s.mix(x, i)
	slope *= 0.5 * (s.Weights[i] - 1) / v
	if s.Precision {
		return -slope
	}
	return slope
}

// Value returns rho at its logit.
func (s *Share) Value(x float64) float64 { return vec.Logistic(x) }

// At is the inverse of Value.
func (s *Share) At(rho float64) float64 { return vec.Log(rho) - vec.Log1p(-rho) }

// LogJacobian returns the log of the derivative of Value, rho·(1 − rho).
func (s *Share) LogJacobian(x float64) float64 { return -(vec.Log1pExp(x) + vec.Log1pExp(-x)) }

// logPrior returns the log prior density of rho on its own scale.
func (s *Share) logPrior(x float64) float64 {
	if math.Abs(x) > shareRange {
		return math.Inf(-1)
	}
	return s.Prior.LogDensity(vec.Logistic(x))
}

// priorSlope returns the derivative of logPrior + LogJacobian.
func (s *Share) priorSlope(x float64) float64 {
	rho, rest := vec.Logistic(x), vec.Logistic(-x)
	return math.FMA(float64(rho*rest), s.Prior.Gradient(rho), rest-rho)
}

// Start returns a logit of rho in the support of the prior.
func (s *Share) Start() float64 { return s.Inside(0) }

// Inside moves the logit of rho into the support of the prior.
func (s *Share) Inside(x float64) float64 {
	x = max(-0.5*shareRange, min(0.5*shareRange, x))
	if rho := vec.Logistic(x); s.Prior.Kind == Uniform && !(rho > s.Prior.Low && rho < s.Prior.High) {
		return s.At(0.5 * (max(0, s.Prior.Low) + min(1, s.Prior.High)))
	}
	return x
}

// Peak returns the best of some logits of rho.
func (s *Share) Peak(at func(x float64) float64) float64 {
	const points, most = 24, 6
	best, value := s.Start(), math.Inf(-1)
	for i := range points + 1 {
		x := math.FMA(2*most, float64(i)/points, -most)
		if v := at(x); v > value {
			best, value = x, v
		}
	}
	return best
}

// Draw draws the logit of rho from its prior.
func (s *Share) Draw(from Source) float64 {
	return max(-shareRange, min(shareRange, s.At(s.Prior.Draw(from))))
}

// ForShare returns the reason why p cannot be the prior of a number between 0 and 1, or nil.
func (p Prior) ForShare() error {
	if p.Kind == Beta || p.Kind == Uniform && p.Low >= 0 && p.High <= 1 {
		return p.check()
	}
	return shareError(p)
}
