package glm

import (
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
)

// Model is a likelihood with its priors, on the scale of the design as sampled.
type Model struct {
	Family Family
	// Coefficients has one prior per column of Data.X, the intercept included.
	Coefficients []prior.Prior
	// Groups distinguishes equal horseshoe priors: columns with equal numbers and priors share their global scale.
	// Nil means equal numbers. One per column.
	Groups []int
	// Dispersion is the prior of the family's first dispersion (sigma, shape or
	// phi); unused by families without one.
	Dispersion prior.Prior
	// Nu is the prior of student_t's degrees of freedom, cut off at 1; unused
	// by other families.
	Nu prior.Prior
	// Effects are the priors of each of Data.Effects.
	Effects []EffectsPrior
	// Smooths are the priors of the standard deviations of each of Data.Smooths: any of a dispersion. The entries of
	// Coefficients that belong to their columns are not looked at.
	Smooths []prior.Prior
	// Lengths are the priors of the length scales of each of Data.Smooths; those of no Gaussian process are not looked
	// at. Nil without any.
	Lengths []prior.Prior
	// Monotone are the priors of each of Data.Monotone. The entries of Coefficients that belong to their columns are
	// not looked at by package model.
	Monotone []MonotonePrior
}

// MonotonePrior is the prior of a monotonic effect with steps c_1, …, c_D: of their mean b, and of the simplex of their
// shares c_i/Σc, which is Dirichlet with these concentrations, one for each step.
type MonotonePrior struct {
	Mean  prior.Prior
	Share []float64
}

// EffectsPrior is the prior of the scales of group-level effects.
type EffectsPrior struct {
	SD []prior.Prior // of each term
	// LKJ is the shape of the prior of their correlations, whose density is |C|^(LKJ − 1): 1 is uniform. It is unused
	// where there is one term. Source: Lewandowski, Kurowicka and Joe (2009), doi:10.1016/j.jmva.2009.04.008.
	LKJ float64
}

// DispersionPrior returns the prior of the family's dispersion k.
func (m *Model) DispersionPrior(k int) prior.Prior { return *m.DispersionLaw(k) }

// DispersionLaw returns where the prior of the family's dispersion k is.
func (m *Model) DispersionLaw(k int) *prior.Prior {
	if k == 0 {
		return &m.Dispersion
	}
	return &m.Nu
}

// DispersionsAt returns all dispersions of the family, given those that are parameters.
func (m *Model) DispersionsAt(free []float64) (out [2]float64) {
	for k := range m.Family.Dispersions() {
		if p := m.DispersionPrior(k); p.Kind == prior.Constant {
			out[k] = p.Location
			continue
		}
		out[k], free = free[0], free[1:]
	}
	return out
}

// Proper reports whether every prior of the model is proper.
func (m *Model) Proper() bool {
	for _, p := range m.Coefficients {
		if !p.Proper() {
			return false
		}
	}
	for k := range m.Family.Dispersions() {
		if !m.DispersionPrior(k).Proper() {
			return false
		}
	}
	for _, p := range m.Smooths {
		if !p.Proper() {
			return false
		}
	}
	for _, p := range m.Monotone {
		if !p.Mean.Proper() {
			return false
		}
	}
	for _, e := range m.Effects {
		for _, p := range e.SD {
			if !p.Proper() {
				return false
			}
		}
	}
	return true
}

// Given has what other linear predictors leave to the likelihood of one of them: numbers of rows, see family.View, and
// a constant at which the likelihood of this one is about largest; of a form with sums, whatever the offset is.
type Given struct {
	Rows  [][]float64
	Start float64
}

// Penalised are the parts of a linear predictor whose coefficients have standard deviations of their own.
type Penalised struct {
	// Effects are the group-level effects of the linear predictor. NewTarget refuses them: package groups has the
	// posterior of models with such effects.
	Effects []*design.Effects
	// Smooths are the penalised columns among those of X; see design.Smooth.
	Smooths []design.Smooth
	// Monotone are the monotonic effects, whose columns are the last ones of X. Package model has the posterior of
	// models with such effects.
	Monotone []design.Monotone
}

// Data is one data set as a sampler sees it. It is read-only once made.
type Data struct {
	// X is the design as sampled (scaled, factors coded, the intercept's
	// column of ones included), n × d: *Dense or *Sparse.
	X design.Matrix
	// Names are the columns' names in R's spelling, "(Intercept)" included; len d.
	Names []string
	// Intercept is the index of the column of ones, or -1.
	Intercept int
	// Y is the response; for binomial the number of successes. Len n.
	Y []float64
	// Trials are the binomial totals; nil means 1 each.
	Trials []float64
	// Offset is added to X·beta; nil means 0.
	Offset []float64
	// Frequency counts each row as so many equal ones: whole numbers, 0 of rows without a response; nil means 1 each.
	Frequency []float64
	// Precision multiplies the precision of each row's response, numbers above
	// 0; nil means 1 each. Which families have one says TakesPrecision.
	Precision []float64
	// Censoring describes rows that are censored or truncated, of a family with Limits.
	family.Censoring
	// Counted has counts of classes, whose first ones are Y; package model has their posterior.
	family.Counted
	Penalised
	Others
}

// Others describes further linear predictors of the same rows.
type Others struct {
	// Given has the numbers that other linear predictors leave to one of them; nil for a likelihood of one.
	Given *Given
	// Further has the designs of further linear predictors, without what all of them share; see package model. Nil for
	// one predictor, or if all have this design.
	Further []*Data
}

// Rows returns n.
func (d *Data) Rows() int {
	n, _ := d.X.Size()
	return n
}

// Cols returns d.
func (d *Data) Cols() int {
	_, cols := d.X.Size()
	return cols
}

// Taken returns rows of the data, in the order of from. Groupings keep levels that have no row there.
func (d *Data) Taken(from []int) *Data { return d.TakenAs(from, design.TakeRows(d.X, from)) }

// TakenAs is Taken where x has these rows of the design.
func (d *Data) TakenAs(from []int, x design.Matrix) *Data {
	out := *d
	out.X = x
	out.Y, out.Trials, out.Offset = design.Take(d.Y, from), design.Take(d.Trials, from), design.Take(d.Offset, from)
	out.Frequency, out.Precision = design.Take(d.Frequency, from), design.Take(d.Precision, from)
	out.Censoring, out.Counted = d.Censoring.Taken(from), d.Counted.Taken(from)
	out.Effects = nil
	for _, e := range d.Effects {
		out.Effects = append(out.Effects, e.Taken(from))
	}
	out.Further = nil
	for _, f := range d.Further {
		out.Further = append(out.Further, f.Taken(from))
	}
	return &out
}
