package glm

import "math"

// priors are the coefficients' priors as chains evaluate them: with their
// constants made once, in runs of equal ones.
type priors struct {
	of   []Prior
	tops []float64 // the constants
	ends []int     // behind each run of equal priors
}

func newPriors(of []Prior) priors {
	p := priors{of: of, tops: make([]float64, len(of))}
	for j := range of {
		if j == 0 || of[j] != of[j-1] {
			p.tops[j] = of[j].top()
			if j > 0 {
				p.ends = append(p.ends, j)
			}
			continue
		}
		p.tops[j] = p.tops[j-1]
	}
	p.ends = append(p.ends, len(of))
	return p
}

// logDensity returns the log density at the coefficients in front of x, summed
// in their order.
func (p *priors) logDensity(x []float64) float64 {
	sum, from := 0.0, 0
	for _, to := range p.ends {
		prior, top := &p.of[from], p.tops[from]
		if prior.Kind == Normal {
			location, scale := prior.Location, prior.Scale
			for _, v := range x[from:to] {
				z := (v - location) / scale
				sum += math.FMA(-0.5*z, z, top)
			}
		} else {
			for _, v := range x[from:to] {
				sum += prior.at(v, top)
			}
		}
		from = to
	}
	return sum
}

// addGradient adds the gradient of logDensity.
func (p *priors) addGradient(x, grad []float64) {
	from := 0
	for _, to := range p.ends {
		prior, g := &p.of[from], grad[from:to]
		if prior.Kind == Normal {
			location, scale := prior.Location, prior.Scale
			for i, v := range x[from:to] {
				g[i] += -((v - location) / scale) / scale
			}
		} else {
			for i, v := range x[from:to] {
				g[i] += prior.gradient(v)
			}
		}
		from = to
	}
}

// along returns the log density of coefficient j at x.
func (p *priors) along(j int, x float64) float64 { return p.of[j].at(x, p.tops[j]) }
