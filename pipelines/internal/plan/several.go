package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/model"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
	"glmbatch/infer/priordraws"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Several is a regression whose response has several linear predictors. Those of a response in classes have one design;
// others have one each.
type Several struct {
	*Regression
	predictors []family.Predictor
	laws       func() []glm.Model // the priors of each predictor; default ones read the whole design, once
	response   string             // of several responses; empty of one
	all        []*Several         // the responses; nil of one
	seen       *glm.Data          // rows that have the response, by which default priors are scaled
}

// kindSeveral is that of families with several linear predictors.
var kindSeveral = Kind{
	of:      func(_ *Unit, m *spec.Model) bool { return m.Family.Several() != nil || m.Monotonic() },
	problem: func(f *Fit) (Problem, error) { return newSeveral(f) },
	method:  func(s *spec.Sampler, m *spec.Model) string { return severalMethod(s, m).Name },
	survey:  surveyRows, Words: rowsWords, Size: rowsSize,
}

// newSeveral resolves the sampler and codes the design.
func newSeveral(f *Fit) (*Several, error) {
	if err := f.refused(); err != nil {
		return nil, err
	}
	d, err := f.Unit.design(f.Model)
	if err != nil {
		return nil, err
	}
	s := &Several{Regression: &Regression{d.coded, f, sampler{Method: severalMethod(f.Sampler, f.Model)}}}
	s.predictors, s.seen = predictorsOf(s.Family(), d.Record.Response.Levels), s.Data
	if classes := len(d.Record.Response.Levels); f.Model.Family.Equidistant && classes < 3 {
		return nil, f.Explain(words.Hint(fmt.Errorf("equidistant thresholds need 3 classes, and there are %d", classes),
			"leave threshold out"))
	}
	s.laws = sync.OnceValue(s.priors)
	for k := range s.predictors {
		if err := checkMonotone(s.of(k, s.Data), s.laws()[k].Monotone); err != nil {
			return nil, f.Explain(err)
		}
	}
	return s, nil
}

// predictorsOf describes the predictors of a family, one or several.
func predictorsOf(f glm.Family, classes []string) []family.Predictor {
	if several := f.Several(); several != nil {
		return several.Predictors(classes)
	}
	return []family.Predictor{{Of: f}}
}

// Posterior is the likelihood of the first predictor with its priors.
func (s *Several) Posterior() glm.Model { return posterior(s.fit.Model, s.seen) }

// shared reports whether all predictors have one design, as those of the classes of a response.
func (s *Several) shared() bool { return s.Record.Predicted == nil }

// of returns the data of predictor k, by those of the first: thresholds have the last ones.
func (s *Several) of(k int, first *glm.Data) *glm.Data {
	if k == 0 || s.shared() {
		return first
	}
	return first.Further[min(k, len(first.Further))-1]
}

// recordOf is that of the design of predictor k.
func (s *Several) recordOf(k int) *transform.Record {
	if k == 0 || s.shared() {
		return s.Record
	}
	return s.Record.Predicted[min(k, len(s.Record.Predicted))-1].Record
}

// severalMethod chooses the method for a family of several predictors.
func severalMethod(s *spec.Sampler, m *spec.Model) Method {
	versions := " " + model.Version + " " + cggibbs.Version
	if m.Grouped() {
		versions += " " + groups.Version
	}
	if m.Response.Whole != nil || m.Responses != nil {
		versions += " " + model.ResponsesVersion
	}
	switch of := s.Of(); {
	case of.Prior:
		return priorSampler().Method
	case of.Hamiltonian:
		out := trajectories(s).Method
		out.Options = effectsOptions{out.Trajectories.Options, s.Effects}
		out.Version += versions
		return out
	}
	out := Method{Method: spec.CGGibbs, Version: cggibbs.Version + versions, Chains: true}
	if s.Auto() {
		out.Reason = "auto chose cggibbs: the linear predictors move in turn, each given the others"
		if m.Family.Several() == nil && m.Responses == nil && m.Response.Whole == nil {
			out.Reason = "auto chose cggibbs: the steps of monotonic effects move together, given all else"
		}
	}
	return out
}

// problem is the posterior on data, the design or some of its rows.
func (s *Several) problem(data *glm.Data) *model.Problem {
	out := &model.Problem{Family: s.Family(), Classes: s.Record.Response.Levels, Y: data.Y, Trials: data.Trials,
		Frequency: data.Frequency, Censoring: data.Censoring, Counted: data.Counted}
	if s.fit.Model.Family.Equidistant {
		law := DistancePrior(s.fit.Model)
		out.Distance = &law
	}
	for k := range s.predictors {
		out.Predictors = append(out.Predictors, model.Predictor{Data: s.of(k, data), Model: s.laws()[k]})
	}
	return out
}

// priors are those of each predictor. The first has those of the model, and so have those of the other classes of a
// response, unless by_name has names that begin with that of a class. Further predictors have defaults, unless by_name
// has names that begin with theirs.
func (s *Several) priors() (out []glm.Model) {
	m, first := s.fit.Model, s.Posterior()
	for k, of := range s.predictors {
		data, own := s.of(k, s.seen), first
		switch {
		case s.shared():
			own.Coefficients, own.Monotone = slices.Clone(first.Coefficients), monotonePriorsOf(m, data, of)
			for j, name := range data.Names {
				if named := m.Prior.Match(of.Named(name)); named != nil && j != data.Intercept {
					own.Coefficients[j] = named.Prior.Prior
				}
			}
		case of.Cut > 0:
			own = glm.Model{Coefficients: append([]prior.Prior{thresholdPrior(m, of)}, specificPriors(m, of, data)...)}
		case k > 0:
			_, own = furtherPriors(m, of, data)
		}
		own.Family = of.Of
		out = append(out, own)
	}
	return out
}

// furtherVersion names the rules of default priors of further predictors.
const furtherVersion = "further/2"

// furtherPriors are the priors that a model gives to a further predictor, and those with the defaults for the data.
func furtherPriors(m *spec.Model, of family.Predictor, data *glm.Data) (given *spec.Model, all glm.Model) {
	given = m.Further(of.Name, of.Of)
	all = posterior(given, data)
	if j := data.Intercept; j >= 0 && given.Prior.Intercept.Prior.Kind == "" {
		law := &all.Coefficients[j]
		if of.Intercept.Kind != "" {
			*law = of.Intercept
		}
		if of.Centre != nil {
			at := law.Location + of.Centre(data.Y)
			law.Location = math.Copysign(prior.Rounded(math.Abs(at)), at)
		}
	}
	return given, all
}

// thresholdPrior is the prior of a threshold, at the means of the columns where those have a prior of the intercept.
// The default is that of brms: student_t(3, 0, 2.5).
func thresholdPrior(m *spec.Model, of family.Predictor) prior.Prior {
	given := m.Prior.Intercept.Prior.Prior
	if named := m.Prior.Match(of.Named("(Intercept)")); named != nil {
		given = named.Prior.Prior
	}
	if given.Kind == "" {
		return prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 2.5}
	}
	return given
}

// DistanceName is the name of the distance between equidistant thresholds.
const DistanceName = model.DistanceName

// DistancePrior is the prior of the distance between equidistant thresholds; that of brms is flat.
func DistancePrior(m *spec.Model) prior.Prior {
	if named := m.Prior.Match(model.DistanceName); named != nil {
		return named.Prior.Prior
	}
	return prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 2.5}
}

// specificPriors are those of the category-specific effects of a threshold.
func specificPriors(m *spec.Model, of family.Predictor, data *glm.Data) (out []prior.Prior) {
	if data.Cols() == 1 {
		return nil
	}
	defaults := glm.Defaults(of.Of, data)
	for j, name := range data.Names[1:] {
		law := m.Prior.For(of.Named(name))
		if law.Kind == "" {
			law = defaults.Coefficients[j+1]
		}
		out = append(out, law)
	}
	return out
}

// Identify adds the rules of further predictors.
func (s *Several) Identify(id *Identity) {
	s.Regression.Identify(id)
	if !s.shared() {
		id.Versions["further"] = furtherVersion
	}
}

// further are the predictors besides the first one; nil of the classes of a response, whose design is the first one.
func (s *Several) further() (out []*Case) {
	for k := 1; k < len(s.predictors) && !s.shared(); k++ {
		if s.fit.Model.Family.Equidistant && s.predictors[k].Cut > 1 {
			break // the others follow from the first threshold and the distance
		}
		out = append(out, &Case{CaseParts: CaseParts{Predictor: s.predictors[k]}, Posterior: s.laws()[k],
			Design: &transform.Design{Data: s.of(k, s.seen), Record: s.recordOf(k)}})
	}
	return out
}

// setup makes the sampler on data.
func (s *Several) setup(data *glm.Data, by infer.Parallel) (out infer.Setup, err error) {
	return s.sampler.several(s.problem(data), data.Rows(), by)
}

// several makes the sampler of a problem of several predictors.
func (s *sampler) several(p *model.Problem, rows int, by infer.Parallel) (out infer.Setup, err error) {
	err = withinMemory(func() error {
		if s.Prior {
			of, err := model.NewPosterior(p, by)
			out = priordraws.NewFor(of, rows)
			return err
		}
		o := s.Trajectories
		if o == nil {
			chains, err := model.New(p, by)
			if err == nil {
				out = overEffects{chains, chains.(infer.Explainer)}
			}
			return err
		}
		target, err := model.NewTarget(p, by, o.Effects)
		if err != nil {
			return err
		}
		chains, err := nuts.NewFor(target, o.Options)
		out = overEffects{chains, target}
		return err
	})
	return out, err
}

// Setup makes the sampler. No chain starts from an earlier posterior.
func (s *Several) Setup(by infer.Parallel, _ Schedule, _ *Previous) (*Setup, error) {
	out := &Setup{Gating: s.Gating()}
	if s.sampler.Prior {
		out.Cautions = append(out.Cautions, fromPrior)
	}
	if s.Family().Custom != "" {
		out.Cautions = append(out.Cautions, "no proof is made that the posterior of family custom has a finite integral: "+
			"this rests on its log_density and priors")
	}
	var err error
	out.Sampler, err = s.setup(s.Data, by)
	return out, s.explained(err)
}

// explained names the column and the row of the data at which an expression of a custom family has a fault.
func (s *Several) explained(err error) error {
	var fault *family.FaultError
	if errors.As(err, &fault) {
		err = words.Hint(fmt.Errorf("column %q, row %d: log_density, %w (%s), and no start was found where it is finite",
			s.Record.Response.Column, 1+s.Design.TableRows()[fault.Row], fault.Err, fault.At),
			"correct the expression or the row; what must be above 0 is mu(log), or a scalar with lower: 0")
	}
	return s.fit.Explain(err)
}

// Refit sets the sampler up on some of the rows.
func (s *Several) Refit(rows []int) (infer.Setup, error) { return s.setup(s.Data.Taken(rows), nil) }

// Capabilities are those of rows alone.
func (s *Several) Capabilities() Capabilities {
	return Capabilities{Rows: s, Undrawn: s.undrawn(), Anew: "its linear predictors move each given the others"}
}

// undrawn counts the effects of all predictors if they are without draws.
func (s *Several) undrawn() (n int) {
	if s.fit.Keep() == KeepSummary || s.KeepsEffects() {
		return 0
	}
	return s.levels()
}

// levels counts the effects of all predictors.
func (s *Several) levels() (n int) {
	for k := range s.predictors {
		n += levelEffects(s.of(k, s.Data))
	}
	return n
}

func (s *Several) inCase(c *Case) error {
	err := c.on(s.Design, s.Posterior(), nil)
	c.On, c.Further = s.on, s.further()
	return err
}

// on is the model on data.
func (s *Several) on(data *glm.Data) (Joint, error) {
	of, err := model.NewPosterior(s.problem(data), nil)
	return severalPredictors{of, func() (infer.Setup, error) { return s.setup(data, nil) }}, err
}

// Lengths is the run's own schedule.
func (s *Several) Lengths(of Schedule, _ *spec.Run) Schedule { return of }

// Need counts what one predictor takes for each of them.
func (s *Several) Need(chains, workers int) Need {
	one := s.Regression.Need(chains, workers)
	one.Bytes *= int64(len(s.predictors))
	return one
}

// heads is how many parameters of a predictor are no effects of levels: coefficients, dispersions, standard deviations
// of smooths and of effects, and correlations.
func (s *Several) heads(k int) int {
	given, data := s.laws()[k], s.of(k, s.Data)
	if s.predictors[k].Cut > 0 {
		return data.Cols()
	}
	n := data.Cols()
	for d := range given.Family.Dispersions() {
		if !s.predictors[k].Elsewhere[d] && given.DispersionPrior(d).Kind != prior.Constant {
			n++
		}
	}
	for k := range data.Smooths {
		if given.Smooths[k].Kind != prior.Constant {
			n++
		}
		if data.Smooths[k].SecondName() != "" {
			n++
		}
	}
	for k, e := range data.Effects {
		if q := len(e.Terms); s.linked(e.ID, e.Group) == nil {
			n += q * (q - 1) / 2
		}
		for _, law := range given.Effects[k].SD {
			if law.Kind != prior.Constant {
				n++
			}
		}
	}
	return n
}

// ToData takes the coefficients of each predictor from the scale of the design to the units of the data.
func (s *Several) ToData(theta []float64) { s.toData(theta) }

// toData is ToData; it returns the number of parameters of the predictors.
func (s *Several) toData(theta []float64) (at int) {
	for k, of := range s.predictors {
		if of.Cut > 0 {
			theta[at] += s.Record.AtCentres(theta)
		}
		if of.Cut == 0 || s.heads(k) > 1 {
			s.recordOf(k).ToData(theta[at : at+s.of(k, s.Data).Cols()])
		}
		at += s.heads(k)
	}
	return at
}

// Describe adds the record of the design, the summary of its data, and the prior and scaling of each parameter.
func (s *Several) Describe(rec *record.Fit, params []infer.Parameter) error {
	if err := s.record(s.fit, rec); err != nil {
		return err
	}
	s.describe(rec, params)
	return nil
}

// describe adds the prior and scaling of the parameters of its predictors.
func (s *Several) describe(rec *record.Fit, params []infer.Parameter) {
	for i, p := range params {
		if law := s.linkedPrior(p); law != "" {
			rec.Parameters[i].Prior = law
			continue
		}
		k := slices.IndexFunc(s.predictors, func(of family.Predictor) bool { return of.Name == p.Predictor })
		if k < 0 {
			continue
		}
		given, data, out := s.laws()[k], s.of(k, s.Data), &rec.Parameters[i]
		switch p.Kind {
		case infer.Intercept, infer.Coefficient:
			j := slices.IndexFunc(data.Names, func(name string) bool { return s.predictors[k].Named(name) == p.Name })
			c := s.recordOf(k).Columns[j]
			out.Center, out.Scale, out.Prior = c.Centre, c.Scale, given.Coefficients[j].String()
			switch {
			case IsStep(data, j):
				out.Prior = monotonePrior(&given, data, s.predictors[k], p, j)
			case s.fit.Model.Family.Equidistant && s.predictors[k].Cut > 1:
				out.Prior = fmt.Sprintf("(Intercept)[1] + %d · %s", s.predictors[k].Cut-1, model.DistanceName)
			}
		case infer.Monotonic:
			out.Prior = monotonePrior(&given, data, s.predictors[k], p, -1)
		case infer.Dispersion:
			if s.fit.Model.Family.Equidistant {
				out.Prior = DistancePrior(s.fit.Model).String()
			}
			for d, of := range given.Family.Dispersions() {
				if of.Name == p.Name || of.Name+"_"+s.response == p.Name {
					out.Prior = given.DispersionPrior(d).String()
				}
			}
		default:
			out.Prior = priorOf(&given, data, p)
		}
	}
}

// Description describes the rows of the designs. A dispersion with a predictor has the value 1 besides it.
func (s *Several) Description(params []infer.Parameter) (*record.Description, error) {
	return describe(s.Record, s.Family().Link, params, s.fixed)
}

// fixed returns the value of a dispersion or a group_sd that is not a parameter.
func (s *Several) fixed(p infer.Parameter) (float64, error) {
	if p.Kind == infer.Dispersion && s.Family().Predicts(p.Name) {
		return 1, nil
	}
	return fixedBy(&s.fit.Model.Prior)(p)
}

// Bind looks up what a derived quantity names among parameters.
func (s *Several) Bind(d *spec.Derivation, params []infer.Parameter) (*transform.Quantity, error) {
	if len(s.predictors) == 1 {
		return s.Regression.Bind(d, params)
	}
	rows, err := s.Description(params)
	if err != nil {
		return nil, err
	}
	return d.Expression.Bind(fitted(s.fit, rows, s.Record, params,
		func(*transform.Average) (*transform.Averaged, error) {
			return nil, words.Hint(fmt.Errorf("average() is of a model with one linear predictor, and family %s has several",
				s.Family().Name), "take pipeline effects, which averages means of the response")
		}))
}
