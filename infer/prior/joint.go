package prior

import "math"

// Joint is the product of independent priors, one for each coefficient, as chains
// evaluate it: with the constants made once, in runs of equal priors.
type Joint struct {
	of   []Prior
	tops []float64 // the constants
	ends []int     // behind each run of equal priors
}

// NewJoint returns the joint prior of coefficients, in their order.
func NewJoint(of []Prior) Joint {
	p := Joint{of: of, tops: make([]float64, len(of))}
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

// LogDensity returns the log density at the coefficients in front of x, summed
// in their order.
func (p *Joint) LogDensity(x []float64) float64 {
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

// AddGradient adds the gradient of LogDensity.
func (p *Joint) AddGradient(x, grad []float64) {
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
				g[i] += prior.Gradient(v)
			}
		}
		from = to
	}
}

// Along returns the log density of coefficient j at x.
func (p *Joint) Along(j int, x float64) float64 { return p.of[j].at(x, p.tops[j]) }
