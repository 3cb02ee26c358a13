package model_test

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/model"
	"glmbatch/infer/prior"
)

// study is a model of several predictors, by its definition: a categorical one if it has no density, or a multinomial one
// with trials. Then a response has classes; other responses have two predictors, the second without the last column of the first.
type study struct {
	of                     family.Family
	density                func(y float64, eta []float64, disp float64) float64
	shape                  prior.Prior // of the dispersion that density has; no kind: it has none
	rows, classes, columns int
	cuts                   int   // thresholds, which are the last predictors
	steps                  int   // of a monotonic effect, the last columns of each predictor; 0 for none
	alone                  bool  // whether the family has one predictor
	specific               int   // columns of category-specific effects
	equal                  bool  // whether thresholds are equidistant
	levels                 int   // of a grouping; 0 for none
	terms                  []int // of linked effects of each predictor; nil: one each, which are not linked
	smooth                 int   // penalised columns, the last ones; 0 for none
	trials                 float64
	weighted, sparse       bool
	repeated               bool        // whether columns are −1 and 1, so that rows are equal
	law                    prior.Prior // of slopes
	bound                  float64     // above which rows are censored; 0 for none
	dear                   bool        // its chains are run by make study alone
}

// predictors is their number.
func (s study) predictors() int {
	switch {
	case s.alone:
		return 1
	case s.cuts > 0 && s.of.Predicted == "":
		return 1 + s.cuts
	case s.cuts > 0:
		return 2 + s.cuts
	case s.density != nil:
		return len(s.of.Several().Predictors(nil))
	}
	return s.classes - 1
}

// cut reports whether predictor k is a threshold.
func (s study) cut(k int) bool { return s.cuts > 0 && k >= s.predictors()-s.cuts }

// levelsOf and smoothOf are the levels and the penalised columns of a predictor.
func (s study) levelsOf(k int) int {
	if s.cut(k) {
		return 0
	}
	return s.levels
}

func (s study) smoothOf(k int) int {
	if s.cut(k) {
		return 0
	}
	return s.smooth
}

// own is how many columns a predictor has, and head how many parameters that are no effects.
func (s study) own(k int) int {
	if s.cut(k) {
		return 1 + s.specific
	}
	if s.density != nil && k > 0 {
		return s.columns - 1
	}
	return s.columns
}

func (s study) head(k int) int {
	n := s.own(k)
	if k == 0 && s.shape.Kind != "" {
		n++
	}
	if s.smoothOf(k) > 0 {
		n++
	}
	return n + s.termsOf(k)
}

// smoothSD is the prior of the standard deviation of penalised columns.
var smoothSD = prior.Prior{Kind: prior.HalfNormal, Scale: 0.8}

// problem returns the model without responses.
func (s study) problem(rng *infer.Stream) *model.Problem {
	p := &model.Problem{Family: family.Classes, Y: make([]float64, s.rows)}
	if s.density != nil {
		p.Family = s.of
	}
	s.takeClasses(p)
	for i := 0; s.weighted && i < s.rows; i++ {
		p.Frequency = append(p.Frequency, float64(1+i%3))
	}
	for i := 0; s.trials > 0 && i < s.rows; i++ {
		p.Trials = append(p.Trials, s.trials)
	}
	for k := range s.cuts + 1 {
		if s.cuts > 0 {
			p.Classes = append(p.Classes, string(rune('a'+k)))
		}
	}
	x, names := s.design(rng, s.columns, s.cuts == 0)
	for k := range s.predictors() {
		if d := s.own(k); d < s.columns || s.cut(k) {
			x, names = s.design(rng, d, s.cuts == 0 || s.cut(k))
		}
		q := model.Predictor{Data: &glm.Data{X: x, Names: names, Y: p.Y},
			Model: glm.Model{Coefficients: []prior.Prior{{Kind: prior.Normal, Location: 0.2, Scale: 1.5}}}}
		for i := 0; k == 1 && !s.cut(k) && i < s.rows; i++ {
			q.Data.Offset = append(q.Data.Offset, 0.3*float64(i%3))
		}
		if k == 0 && s.shape.Kind != "" {
			q.Model.Dispersion, q.Model.Nu = s.shape, s.shape
		}
		if s.steps > 0 && !s.cut(k) {
			d := s.own(k)
			q.Data.Monotone = []design.Monotone{{Name: "mo(x)", Simplex: "simo_x", First: d - s.steps, Last: d}}
			q.Model.Monotone = []glm.MonotonePrior{{Mean: stepPrior, Share: shares[:s.steps]}}
		}
		for range s.own(k) - 1 {
			law := s.law
			if law.Scale == 0 {
				law = prior.Prior{Kind: prior.Normal, Scale: 1 + 0.5*float64(k)}
			}
			q.Model.Coefficients = append(q.Model.Coefficients, law)
		}
		if d := s.own(k); s.smooth > 0 {
			q.Data.Smooths = []design.Smooth{{Name: "sx_1", Term: "s(x)", First: d - s.smoothOf(k), Last: d}}
			q.Model.Smooths = []prior.Prior{smoothSD}
		}
		if s.levelsOf(k) > 0 {
			q.Data.Effects = []*design.Effects{s.effects(rng, s.termsOf(k))}
			sds := slices.Repeat([]prior.Prior{{Kind: prior.HalfNormal, Scale: 1}}, s.termsOf(k))
			q.Model.Effects = []glm.EffectsPrior{{SD: sds, LKJ: lkj}}
		}
		p.Predictors = append(p.Predictors, q)
	}
	if s.equal {
		p.Distance = &distance
	}
	return p
}

// design returns a column of ones, if it has one, and random columns, with their names.
func (s study) design(rng *infer.Stream, columns int, ones bool) (design.Matrix, []string) {
	s.columns = columns
	x := &design.Dense{Rows: s.rows, Cols: s.columns, Values: make([]float64, s.rows*s.columns)}
	names := []string{"(Intercept)"}
	if !ones {
		names[0] = "x0"
	}
	for i := range s.rows {
		if x.Values[i] = 1; !ones {
			x.Values[i] = 2*rng.Float64() - 1
		}
		for j := 1; j < s.columns; j++ {
			v := 2*rng.Float64() - 1
			if s.sparse && s.columns > 2 && i%(s.columns-1) != j-1 {
				v = 0
			}
			if s.repeated {
				v = math.Copysign(1, v)
			}
			x.Values[j*s.rows+i] = v
		}
	}
	for i := 0; s.steps > 0 && s.steps <= columns && i < s.rows; i++ {
		level := int(rng.Float64() * float64(s.steps+1))
		for j := range s.steps {
			if x.Values[(s.columns-s.steps+j)*s.rows+i] = 0; level > j {
				x.Values[(s.columns-s.steps+j)*s.rows+i] = 1
			}
		}
	}
	for j := 1; j < s.columns; j++ {
		names = append(names, fmt.Sprintf("x%d", j))
	}
	if !s.sparse {
		return x, names
	}
	out := design.NewSparse(s.rows, s.columns, 0)
	for j := range s.columns {
		out.AppendDense(x.Col(j))
	}
	return out, names
}

// theta draws a position from the prior: the heads of all predictors, then their effects.
func (s study) theta(p *model.Problem, rng *infer.Stream) (theta []float64) {
	var effects, sds []float64
	for k, q := range p.Predictors {
		own, sd := s.own(k), smoothSD.Draw(rng)
		for j, law := range q.Model.Coefficients {
			if j >= own-s.smoothOf(k) {
				law = prior.Prior{Kind: prior.Normal, Scale: sd}
			}
			theta = append(theta, law.Draw(rng))
		}
		if s.steps > 0 && !s.cut(k) {
			mean := stepPrior.Draw(rng)
			for i, share := range simplex(rng, s.steps) {
				theta[len(theta)-s.steps+i] = mean * float64(s.steps) * share
			}
		}
		for at := 0.0; k == 0 && s.shape.Kind != "" && at == 0; {
			if at = s.shape.Draw(rng); at <= s.least() {
				at = 0
				continue
			}
			theta = append(theta, at)
		}
		if s.smoothOf(k) > 0 {
			theta = append(theta, sd)
		}
		for _, e := range q.Model.Effects {
			for _, law := range e.SD {
				sd := law.Draw(rng)
				theta, sds = append(theta, sd), append(sds, sd)
				for range s.levels {
					effects = append(effects, prior.Prior{Kind: prior.Normal, Scale: sd}.Draw(rng))
				}
			}
		}
	}
	slices.Sort(theta[len(theta)-s.rising():])
	if s.equal {
		theta = s.equidistant(rng, theta)
	}
	theta = append(theta, s.shareNumbers(theta)...)
	if s.terms == nil {
		return append(theta, effects...)
	}
	return append(theta, s.link(rng, sds, effects)...)
}

// rising is how many thresholds each have to be above the one before.
func (s study) rising() int {
	if s.of.Name == "cumulative" && !s.equal {
		return s.cuts
	}
	return 0
}

// least is where the dispersion begins: its prior is cut off there.
func (s study) least() float64 {
	for _, d := range s.of.Dispersions() {
		if d.Lower > 0 && !s.of.Predicts(d.Name) {
			return d.Lower
		}
	}
	return 0
}

// logPrior returns the log prior density of the numbers of a predictor and its effects, and its dispersion.
func (s study) logPrior(k int, q model.Predictor, own, effects []float64) (disp, logPrior float64) {
	d := s.own(k)
	scales := d
	if k == 0 && s.shape.Kind != "" {
		disp, scales = own[d], d+1
		logPrior += s.shape.LogDensity(disp)
	}
	for j, law := range q.Model.Coefficients {
		if j >= d-s.smoothOf(k) {
			law = prior.Prior{Kind: prior.Normal, Scale: own[scales]}
		}
		if s.equal && k > s.predictors()-s.cuts {
			continue // the threshold follows from the first one
		}
		if s.cut(k) || j < d-s.steps {
			logPrior += law.LogDensity(own[j])
		}
	}
	if s.steps > 0 && !s.cut(k) {
		logPrior += logSteps(own[d-s.steps : d])
	}
	if s.smoothOf(k) > 0 {
		logPrior += smoothSD.LogDensity(own[scales])
	}
	if s.levelsOf(k) > 0 {
		for t := range s.termsOf(k) {
			sd := own[len(own)-s.termsOf(k)+t]
			logPrior += q.Model.Effects[0].SD[t].LogDensity(sd)
			for _, r := range effects[t*s.levels : (t+1)*s.levels] {
				if s.terms == nil { // else see linked
					logPrior += prior.Prior{Kind: prior.Normal, Scale: sd}.LogDensity(r)
				}
			}
		}
	}
	return disp, logPrior
}

// densities returns linear predictors by row, the dispersion, log likelihood and log prior, by package math and from
// the definitions.
func (s study) densities(p *model.Problem, theta []float64) (eta [][]float64, disp, logLik, logPrior float64) {
	eta = make([][]float64, s.rows)
	heads, first := 0, 0
	for k := range p.Predictors {
		heads += s.head(k)
	}
	if s.equal {
		logPrior += distance.LogDensity(theta[heads])
	}
	heads += s.shared()
	for i := range eta {
		eta[i] = make([]float64, len(p.Predictors))
	}
	correlations := theta[heads:][:s.correlations()]
	heads += len(correlations)
	behind, sds := theta[heads:], []float64(nil)
	for k, q := range p.Predictors {
		d := s.own(k)
		own, effects := theta[first:first+s.head(k)], theta[heads:][:s.termsOf(k)*s.levelsOf(k)]
		sds = append(sds, own[len(own)-s.termsOf(k):]...)
		first, heads = first+s.head(k), heads+len(effects)
		at, logLaw := s.logPrior(k, q, own, effects)
		if logPrior += logLaw; k == 0 {
			disp = at
		}
		for i := range s.rows {
			if q.Data.Offset != nil {
				eta[i][k] += q.Data.Offset[i]
			}
			for t := range s.termsOf(k) {
				z := 1.0
				if t > 0 {
					z = q.Data.Effects[0].Columns[t][i]
				}
				eta[i][k] += z * effects[t*s.levels+int(q.Data.Effects[0].Grouping.Of()[i])]
			}
		}
		for j := range d {
			c := q.Data.X.Column(j)
			for i, v := range c.Values {
				row := i
				if c.Rows != nil {
					row = int(c.Rows[i])
				}
				eta[row][k] += v * own[j]
			}
		}
	}
	if s.cuts > 0 {
		disp = float64(s.cuts)
	}
	if s.terms != nil {
		logPrior += s.linked(sds, correlations, behind)
	}
	return eta, disp, s.logLik(p, eta, disp), logPrior
}
