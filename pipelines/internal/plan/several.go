package plan

import (
	"fmt"
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

// Several is a regression whose response has several linear predictors, on one coded design.
type Several struct {
	*Regression
	predictors []family.Predictor
	laws       func() []glm.Model // the priors of each predictor; default ones read the whole design, once
}

// kindSeveral is that of families with several linear predictors.
var kindSeveral = Kind{
	of: func(_ *Unit, m *spec.Model) bool { return m.Family.Several() != nil },
	problem: func(f *Fit) (Problem, error) {
		if err := refuseOfSeveral(f); err != nil {
			return nil, err
		}
		return newSeveral(f)
	},
	method: func(s *spec.Sampler, m *spec.Model) string {
		out, _ := severalMethod(s, m)
		return out.Name
	},
	survey: surveyRows, Words: rowsWords, Size: rowsSize,
}

// newSeveral resolves the sampler and codes the design.
func newSeveral(f *Fit) (*Several, error) {
	method, err := severalMethod(f.Sampler, f.Model)
	if err != nil {
		return nil, err
	}
	d, err := f.Unit.design(f.Model)
	if err != nil {
		return nil, err
	}
	s := &Several{Regression: &Regression{d.coded, f, sampler{Method: method}}}
	s.predictors = s.Family().Several().Predictors(d.Record.Response.Levels)
	s.laws = sync.OnceValue(s.priors)
	return s, nil
}

// refuseOfSeveral refuses what families of several predictors do not have.
func refuseOfSeveral(f *Fit) error {
	m := f.Model
	refuse := func(what, hint string) error {
		return words.Hint(fmt.Errorf("model %q has several linear predictors, and %s", m.Name, what), hint)
	}
	switch {
	case m.Mixed():
		return refuse("a mixture has one in each component", "leave mixture out, or take a family of one linear predictor")
	case m.Imputes():
		return refuse("missing cells are not drawn beside these", "write missing: drop, or impute before")
	case f.Unit.imputations != nil:
		return refuse("several imputations are not pooled for these", "run each imputation as a data set of its own")
	}
	all := []prior.Prior{m.Prior.Coefficients.Prior, m.Prior.Intercept.Prior.Prior}
	for _, n := range m.Prior.ByName {
		all = append(all, n.Prior.Prior)
	}
	for _, p := range all {
		if p.Kind.Shrinks() || p.Kind == prior.SpikeSlab {
			return refuse(fmt.Sprintf("no sampler draws them with a prior %s", p.Kind), "take normal, student_t or laplace")
		}
		if p.Kind == prior.Flat {
			return refuse("a flat prior of one of them is not known to give a proper posterior",
				"give normal(0, 2.5), or leave it to the default")
		}
	}
	if f.Gates.PriorSensitivity.Strict().On {
		return refuse("gates: prior_sensitivity is not measured of these",
			"switch the gate off for it under fits: gates: {prior_sensitivity: off}")
	}
	return nil
}

// severalMethod chooses the method for a family of several predictors, or refuses the sampler.
func severalMethod(s *spec.Sampler, m *spec.Model) (Method, error) {
	refuse := func(what, hint string) (Method, error) {
		return Method{}, words.Hint(fmt.Errorf("model %q has several linear predictors: %s", m.Name, what), hint)
	}
	versions := " " + model.Version + " " + cggibbs.Version
	if m.Grouped() {
		versions += " " + groups.Version
	}
	switch of := s.Of(); {
	case s.Auto(), of.Coordinates:
		if given := s.OptionsWithoutGroups(); len(given) > 0 {
			return refuse(fmt.Sprintf("sampler %q has %s, which updates of several predictors do not have", s.Name,
				words.List(given)), "leave them out for this model, or name under fits what goes together")
		}
		out := Method{Method: spec.CGGibbs, Version: cggibbs.Version + versions, Chains: true}
		if s.Auto() {
			out.Reason = "auto chose cggibbs: the linear predictors move in turn, each given the others"
		}
		return out, nil
	case of.Prior:
		return priorSampler().Method, nil
	case of.Hamiltonian:
		out := trajectories(s).Method
		out.Options = effectsOptions{out.Options.(nuts.Options), s.Effects}
		out.Version += versions
		return out, nil
	}
	return refuse(fmt.Sprintf("sampler %q is %s, which does not draw them", s.Name, s.Method),
		"take method: auto, cggibbs or nuts for this model, or name under fits what goes together")
}

// problem is the posterior on data, the design or some of its rows.
func (s *Several) problem(data *glm.Data) *model.Problem {
	out := &model.Problem{Family: s.Family(), Classes: s.Record.Response.Levels, Y: data.Y, Frequency: data.Frequency}
	for k := range s.predictors {
		out.Predictors = append(out.Predictors, model.Predictor{Data: data, Model: s.laws()[k]})
	}
	return out
}

// priors are those of each predictor: by names that begin with its own, if by_name has such, else as of one predictor.
func (s *Several) priors() (out []glm.Model) {
	m, shared := s.fit.Model, s.Posterior()
	for k := range s.predictors {
		own := shared
		own.Family, own.Coefficients = s.predictors[k].Of, slices.Clone(shared.Coefficients)
		for j, name := range s.Data.Names {
			if named := m.Prior.Match(s.named(k, name)); named != nil && j != s.Data.Intercept {
				own.Coefficients[j] = named.Prior.Prior
			}
		}
		out = append(out, own)
	}
	return out
}

// named leads the name of a column by that of a predictor.
func (s *Several) named(k int, name string) string { return s.predictors[k].Name + "_" + name }

// setup makes the sampler on data.
func (s *Several) setup(data *glm.Data, by infer.Parallel) (out infer.Setup, err error) {
	err = withinMemory(func() error {
		p := s.problem(data)
		if s.sampler.Prior {
			of, err := model.NewPosterior(p, by)
			out = priordraws.NewFor(of, data.Rows())
			return err
		}
		o, trajectories := s.sampler.Options.(effectsOptions)
		if !trajectories {
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
	var err error
	out.Sampler, err = s.setup(s.Data, by)
	return out, s.fit.Explain(err)
}

// Refit sets the sampler up on some of the rows.
func (s *Several) Refit(rows []int) (infer.Setup, error) { return s.setup(s.Data.Taken(rows), nil) }

// Capabilities are those of rows alone.
func (s *Several) Capabilities() Capabilities {
	return Capabilities{Rows: s, Anew: "its linear predictors move each given the others"}
}

func (s *Several) inCase(c *Case) error {
	err := c.on(s.Design, s.Posterior(), nil)
	c.On = s.on
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

// heads is how many parameters of a predictor are no effects of levels: coefficients, standard deviations of smooths
// and of effects, and correlations.
func (s *Several) heads() int {
	given, n := s.laws()[0], s.Data.Cols()
	for k := range s.Data.Smooths {
		if given.Smooths[k].Kind != prior.Constant {
			n++
		}
	}
	for k, e := range s.Data.Effects {
		q := len(e.Terms)
		n += q * (q - 1) / 2
		for _, law := range given.Effects[k].SD {
			if law.Kind != prior.Constant {
				n++
			}
		}
	}
	return n
}

// ToData takes the coefficients of each predictor from the scale of the design to the units of the data.
func (s *Several) ToData(theta []float64) {
	heads := s.heads()
	for k := range s.predictors {
		s.Record.ToData(theta[k*heads : k*heads+s.Data.Cols()])
	}
}

// Describe adds the record of the design, the summary of its data, and the prior and scaling of each parameter.
func (s *Several) Describe(rec *record.Fit, params []infer.Parameter) error {
	if err := s.record(s.fit, rec); err != nil {
		return err
	}
	column := map[string]int{}
	for j, name := range s.Data.Names {
		column[name] = j
	}
	for i, p := range params {
		k := slices.IndexFunc(s.predictors, func(of family.Predictor) bool { return of.Name == p.Predictor })
		if k < 0 {
			continue
		}
		given, out := s.laws()[k], &rec.Parameters[i]
		switch p.Kind {
		case infer.Intercept, infer.Coefficient:
			j := column[p.Name[len(s.named(k, "")):]]
			c := s.Record.Columns[j]
			out.Center, out.Scale, out.Prior = c.Centre, c.Scale, given.Coefficients[j].String()
		default:
			out.Prior = priorOf(&given, s.Data, p)
		}
	}
	return nil
}

// Bind looks up what a derived quantity names among parameters.
func (s *Several) Bind(d *spec.Derivation, params []infer.Parameter) (*transform.Quantity, error) {
	rows, err := s.Description(params)
	if err != nil {
		return nil, err
	}
	return d.Expression.Bind(fitted(s.fit, rows, s.Record, params,
		func(*transform.Average) (*transform.Averaged, error) {
			return nil, words.Hint(fmt.Errorf("average() is of one mean, and a response of family %s has one for each class",
				s.Family().Name), "take pipeline effects for means of classes")
		}))
}
