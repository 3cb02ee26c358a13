package glm

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/simd"
	"glmbatch/internal/vec"
)

// Target is a posterior density: data and model, checked, with what the
// samplers of one fit share. It is read-only once made, and safe for
// concurrent use.
type Target struct {
	data   *Data
	model  Model
	priors prior.Joint // of the coefficients
	law    *family.Distribution
	form   family.Form
	terms  family.Terms // of form Termwise
	rows   family.Rows  // what the likelihood reads of the responses

	kernels simd.Kernels   // the passes over rows
	by      infer.Parallel // carries out the parts of tall data

	dispersions []Dispersion // of the family
	free        []int        // those that are parameters: not fixed by constant()

	scaleGroups  []prior.Group // horseshoes and smooths
	scaleGroupOf []int         // per column its group, or −1; nil if there are none
	scaleCount   int

	weights  []float64 // of the rows in a closed sum, nil for 1 each
	counted  []float64 // the responses times the rows' frequencies
	xty      []float64 // countedᵀx per column: the linear part of a canonical likelihood
	constant float64   // of the log likelihood
	pilot    *pilot
	before   *before // an earlier posterior that chains start from, or nil
}

// NewTarget checks data against model and returns their posterior. The target
// keeps data, which must not change any more.
//
// It returns a *DomainError for a response, offset or entry of X that the
// family does not allow, and an *ImproperError where the posterior has no
// finite integral: it recognises rank deficiency and separation under flat
// priors, too few rows for a flat sigma, and a response that the design fits
// perfectly.
//
// Cost: the Newton iterations of the penalised point, see pilot; with flat
// priors besides 4·n·f² for their f columns and up to 30 Newton iterations on
// them; for the gaussian 4·n·d·rank at most, on d + 32 rows unless these are
// fitted perfectly.
func NewTarget(data *Data, model Model) (*Target, error) { return NewTargetBy(nil, data, model) }

// NewTargetBy is NewTarget with the parts of many rows side by side, where by has workers, in all that is computed
// once for a target. No bit depends on it.
func NewTargetBy(by infer.Parallel, data *Data, model Model) (*Target, error) {
	t := &Target{data: data, model: model, by: by}
	if err := checkShapes(data, &model); err != nil {
		return nil, err
	}
	if err := t.takeFamily(); err != nil {
		return nil, err
	}
	for k := range t.dispersions {
		if model.DispersionPrior(k).Kind != prior.Constant {
			t.free = append(t.free, k)
		}
	}
	t.model.Penalise(data)
	t.layScales()
	t.priors = prior.NewJoint(t.model.Coefficients)
	if err := family.CheckResponse(model.Family, data.Y, data.Trials); err != nil {
		return nil, err
	}
	if err := CheckWeights(model.Family, data.Frequency, data.Precision); err != nil {
		return nil, err
	}
	if err := checkLimits(data, model.Family); err != nil {
		return nil, err
	}
	if err := checkFinite(data); err != nil {
		return nil, err
	}
	t.rowData()
	t.weights, t.counted = t.rowWeights(), product(data.Frequency, data.Y)
	t.xty = make([]float64, t.Cols())
	design.Transposed(data.X, t.counted, t.xty)
	t.constant = t.law.Constant(&t.rows)
	if err := t.checkProper(); err != nil {
		return nil, err
	}
	var err error
	t.pilot, err = newPilot(t.Vectorised())
	return t, err
}

// checkShapes compares the lengths of the parts.
func checkShapes(data *Data, model *Model) error {
	if data == nil || data.X == nil {
		return fmt.Errorf("glm: no design matrix")
	}
	n, d := data.Rows(), data.Cols()
	switch {
	case len(data.Effects) > 0 || len(model.Effects) > 0:
		return fmt.Errorf("glm: group-level effects have a posterior of their own, that of package groups")
	case n < 1 || d < 1:
		return fmt.Errorf("glm: the design has %d rows and %d columns; a model needs one of each", n, d)
	case !whole(data.X):
		return fmt.Errorf("glm: the design has %d values for %d × %d", len(data.X.(*design.Dense).Values), n, d)
	case len(data.Monotone) > 0 || len(model.Monotone) > 0:
		return fmt.Errorf("glm: monotonic effects have a posterior of their own, that of package model")
	case len(data.Y) != n:
		return fmt.Errorf("glm: %d responses for %d rows", len(data.Y), n)
	case data.Trials != nil && len(data.Trials) != n:
		return fmt.Errorf("glm: %d trials for %d rows", len(data.Trials), n)
	case data.Trials != nil && !model.Family.Support().Trials:
		return fmt.Errorf("glm: trials belong to the binomial family, not to %s", model.Family.Name)
	case data.Offset != nil && len(data.Offset) != n:
		return fmt.Errorf("glm: %d offsets for %d rows", len(data.Offset), n)
	case data.Frequency != nil && len(data.Frequency) != n:
		return fmt.Errorf("glm: %d frequencies for %d rows", len(data.Frequency), n)
	case data.Precision != nil && len(data.Precision) != n:
		return fmt.Errorf("glm: %d precisions for %d rows", len(data.Precision), n)
	case data.Names != nil && len(data.Names) != d:
		return fmt.Errorf("glm: %d names for %d columns", len(data.Names), d)
	case data.Intercept < -1 || data.Intercept >= d:
		return fmt.Errorf("glm: intercept %d is no column of %d", data.Intercept, d)
	case len(model.Coefficients) != d:
		return fmt.Errorf("glm: %d priors for %d coefficients", len(model.Coefficients), d)
	case model.Groups != nil && len(model.Groups) != d:
		return fmt.Errorf("glm: %d groups for %d coefficients", len(model.Groups), d)
	}
	if err := checkTogether(data, model); err != nil {
		return err
	}
	if err := checkSmooths(data, model); err != nil {
		return err
	}
	for j, p := range model.Coefficients {
		if penalised(data, j) >= 0 {
			continue
		}
		if err := p.ForCoefficient(); err != nil {
			return fmt.Errorf("prior of %s: %w", ColumnName(data, j), err)
		}
	}
	for k, d := range model.Family.Dispersions() {
		p := model.DispersionPrior(k)
		if err := d.Check(p); err != nil {
			return fmt.Errorf("prior of %s: %w", d.Name, err)
		}
		if p.Kind == prior.Constant && !d.Holds(p.Location) || p.Kind == prior.Uniform && !d.Holds(p.High) {
			return fmt.Errorf("prior of %s: %s leaves nothing above %v, where %s begins", d.Name, p, d.Lower, d.Name)
		}
	}
	return nil
}

// checkTogether refuses priors of coefficients that do not go together, or not with the intercept.
func checkTogether(data *Data, model *Model) error {
	if j := data.Intercept; j >= 0 && !model.Coefficients[j].Kind.OfIntercept() {
		return fmt.Errorf("prior of %s: %s draws coefficients toward 0 and cannot be that of the intercept; "+
			"use normal(location, scale) or flat", ColumnName(data, j), model.Coefficients[j].Kind)
	}
	if prior.Selects(model.Coefficients) && len(prior.Groups(model.Coefficients, nil)) > 0 {
		return fmt.Errorf("prior: spike_slab and a horseshoe stand in one model, and no sampler here draws both; " +
			"give all these coefficients one of the two")
	}
	return nil
}

// checkFinite finds numbers that no likelihood can use.
func checkFinite(data *Data) error {
	find := func(what string, values []float64, rows []int32) error {
		for i, v := range values {
			if math.IsNaN(v) || math.Abs(v) > 1e150 {
				if rows != nil {
					i = int(rows[i])
				}
				return &DomainError{What: what, Row: i, Value: v, Allowed: "a number below 1e150 in magnitude is needed"}
			}
		}
		return nil
	}
	if err := find("response", data.Y, nil); err != nil {
		return err
	}
	if err := find("offset", data.Offset, nil); err != nil {
		return err
	}
	for j := range data.Cols() {
		c := data.X.Column(j)
		if passes.SumSquares(c.Values) <= 1e300 {
			continue // neither NaN nor larger than 1e150
		}
		if err := find("column "+ColumnName(data, j), c.Values, c.Rows); err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether a dense matrix has the values of its size.
func whole(x design.Matrix) bool {
	m, dense := x.(*design.Dense)
	return !dense || len(m.Values) == m.Rows*m.Cols
}

// ColumnName returns a column's name in quotes, or its number from 1.
func ColumnName(data *Data, j int) string {
	if data.Names == nil {
		return fmt.Sprint(j + 1)
	}
	return fmt.Sprintf("%q", data.Names[j])
}

// Data returns the data; it must not be changed.
func (t *Target) Data() *Data { return t.data }

// Parallel returns what NewTargetBy was given.
func (t *Target) Parallel() infer.Parallel { return t.by }

// Model returns the model; its slices must not be changed.
func (t *Target) Model() *Model { return &t.model }

// Rows returns n, the rows of the design.
func (t *Target) Rows() int { return t.data.Rows() }

// Observations returns how many observations the rows count for: n without
// frequencies.
func (t *Target) Observations() float64 { return t.rows.Total }

// Cols returns d, the number of coefficients.
func (t *Target) Cols() int { return t.data.Cols() }

// Dim returns the length of theta: the coefficients, the dispersions that are
// parameters, then the scales of horseshoe priors and smooths.
func (t *Target) Dim() int { return t.scaleStart() + t.scaleCount }

// Parameters describes theta.
func (t *Target) Parameters() []infer.Parameter {
	out := make([]infer.Parameter, 0, t.Dim())
	for j := range t.Cols() {
		name := fmt.Sprintf("x%d", j+1)
		if t.data.Names != nil {
			name = t.data.Names[j]
		}
		k := infer.Coefficient
		if j == t.data.Intercept {
			k = infer.Intercept
		}
		p := infer.Parameter{Name: name, Kind: k}
		if s := penalised(t.data, j); s >= 0 {
			p.Kind, p.Term = infer.SmoothEffect, t.data.Smooths[s].Term
		}
		out = append(out, p)
	}
	for _, k := range t.free {
		out = append(out, infer.Parameter{Name: t.dispersions[k].Name, Kind: infer.Dispersion})
	}
	return append(out, t.scaleParameters(out)...)
}

// LogPrior returns the log prior density at theta with its constants, on the
// scale of theta (no Jacobian): flat priors count 0. Cost: O(d).
func (t *Target) LogPrior(theta []float64) float64 {
	sum := t.priors.LogDensity(theta)
	for i, k := range t.free {
		sum += t.model.DispersionPrior(k).LogDensity(theta[t.Cols()+i])
	}
	if t.scaleGroups != nil {
		sum += t.logHorseshoePrior(theta)
	}
	return sum
}

// LogLik returns the log likelihood at theta with its constants. Cost: O(n·d)
// and an allocation; a Point serves repeated use.
func (t *Target) LogLik(theta []float64) float64 {
	p := NewPoint(t)
	p.SetTheta(theta)
	return p.Value().LogLik
}

// LogPriorAlong returns the log prior density of coordinate j of u = (beta, log(dispersions − Lower)) at x; for a
// dispersion with its Jacobian. For a coefficient with a horseshoe prior use Point.LogPriorAlong.
func (t *Target) LogPriorAlong(j int, x float64) float64 {
	if j < t.Cols() {
		return t.priors.Along(j, x)
	}
	k := t.free[j-t.Cols()]
	d, prior := &t.dispersions[k], t.model.DispersionPrior(k)
	at, logAt := d.At(x), x
	switch {
	case d.Real:
		return prior.LogDensity(x)
	case d.Lower > 0:
		logAt = vec.Log(at)
	}
	return prior.LogDensityAt(at, logAt) + x
}

// LogPosterior returns the log posterior density at the point, unnormalised, with respect to u, as in
// Target.Constrain: log likelihood, log prior and the Jacobian Σ log(dispersion − Lower), with scales Σ log scale +
// Σ log spread more. Cost: O(d).
func (p *Point) LogPosterior() float64 { return p.LogPosteriorWith(p.LogPrior()) }

// LogPosteriorWith is LogPosterior where LogPrior is known already.
func (p *Point) LogPosteriorWith(logPrior float64) float64 {
	value := p.value.LogLik + logPrior
	for _, k := range p.t.free {
		value += p.t.dispersions[k].LogSlope(p.disp.u[k])
	}
	if p.t.scaleGroups != nil {
		value += p.logScaleJacobian()
	}
	return value
}

// Gradient writes the gradient of LogPosterior with respect to u to grad,
// len(grad) = Target.Dim. rows is scratch of length n. Cost: O(n + entries of X).
func (p *Point) Gradient(grad, rows []float64) {
	t := p.t
	p.Slopes(grad[:t.Cols()], rows)
	t.priors.AddGradient(p.beta, grad)
	if len(t.free) > 0 {
		p.dispersionGradient(grad)
	}
	if t.scaleGroups != nil {
		p.scaleGradient(grad)
	}
}

// Slopes writes the gradient of the log likelihood with respect to the coefficients to grad. rows is scratch of length
// n. Cost: O(n + entries of X).
func (p *Point) Slopes(grad, rows []float64) {
	p.t.RowGradient(p.eta, p.disp.at[:], rows)
	flush(rows)
	p.t.data.X.TransposedProduct(p.t.kernels, rows, grad)
}

// Densities returns a function for the use of one chain: the log posterior density over u, as in LogPosterior, with
// its gradient, the log likelihood and the log prior density. Cost: two passes over X.
func (t *Target) Densities() func(u, grad []float64) (logPosterior, logLik, logPrior float64) {
	p, rows := NewPoint(t), make([]float64, t.Rows())
	return func(u, grad []float64) (logPosterior, logLik, logPrior float64) {
		p.SetUnconstrained(u)
		p.Gradient(grad, rows)
		logPrior = p.LogPrior()
		return p.LogPosteriorWith(logPrior), p.value.LogLik, logPrior
	}
}

// Reads is the number of entries of X that Densities reads for a gradient, those that are not stored too.
func (t *Target) Reads() int64 { return 2 * int64(t.Rows()) * int64(t.Cols()) }

// flush makes subnormal numbers 0: a product with one takes a processor as long
// as hundreds of others, and rows that are certain of their response by e^−708 to
// e^−745 are common where features outnumber rows.
func flush(rows []float64) {
	const normal = 0x1p-1022 // the least that is not subnormal
	for i, r := range rows {
		if math.Abs(r) < normal {
			rows[i] = 0
		}
	}
}

// dispersionGradient writes the part of the gradient that belongs to
// dispersions. Cost: O(n).
func (p *Point) dispersionGradient(grad []float64) {
	t := p.t
	var scores [2]float64 // in the coordinates of the dispersions
	if t.form == family.Squares {
		scaled := p.value.sum / p.disp.at[0] / p.disp.at[0]
		scores[0] = scaled - t.rows.Total
	} else {
		scores = t.scores(p.eta, p.disp.at)
		for k, info := range t.dispersions {
			scores[k] = float64(scores[k] * info.Slope(p.disp.at[k]))
		}
	}
	for i, k := range t.free {
		at := p.disp.at[k]
		prior := t.model.DispersionPrior(k)
		fall := prior.Gradient(at)
		d := &t.dispersions[k]
		slope := float64(d.Slope(at) * fall)
		if !d.Real {
			slope++
		}
		grad[t.Cols()+i] = scores[k] + slope
	}
}
