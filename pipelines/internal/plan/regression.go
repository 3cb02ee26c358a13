package plan

import (
	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/nuts"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Regression is a generalised linear model on a coded design.
type Regression struct {
	coded
	fit     *Fit
	sampler sampler
}

// kindRegression is that of one linear predictor.
var kindRegression = Kind{
	of:      func(*Unit, *spec.Model) bool { return true },
	problem: func(f *Fit) (Problem, error) { return newRegression(f) },
	method:  regressionMethod, survey: surveyRows, Words: rowsWords, Size: rowsSize,
}

// newRegression resolves the sampler and codes the design.
func newRegression(f *Fit) (*Regression, error) {
	complete, m := *f, *f.Model
	complete.Model, m.Missing = &m, "" // no cell is drawn
	if err := complete.refused(); err != nil {
		return nil, err
	}
	s := resolve(f.Sampler, f.Model)
	d, err := f.Unit.design(f.Model)
	if err != nil {
		return nil, err
	}
	if err := s.focus(f, d.Data.Names); err != nil {
		return nil, err
	}
	if err := s.block(f, d.Record, d.Data.Names); err != nil {
		return nil, err
	}
	if len(d.Data.Smooths) > 0 {
		if s, err = s.smooth(f); err != nil {
			return nil, err
		}
	}
	return &Regression{d.coded, f, s}, nil
}

// Observed are rows of a design with their responses, independent given the parameters, as predictive checks and
// leave-one-out see them.
type Observed struct {
	Data       *glm.Data
	AuxColumns []*transform.AuxColumn // columns of the data that predictive checks ask for, as the rows of the design
	Unread     []string               // why others are not there
	Drawn      bool                   // whether all that their linear predictors are made of has its draws stored
	Rows       int
	Folds      *Folds // what k-fold leaves out together; nil: what is dealt at random

	Columns []transform.Column  // of the design
	Further []predictive.Design // of further linear predictors
	// Responses has the rows of each response, with its Name; nil if there is one response.
	Responses []Observed
	Name      string
	Items     *predictive.Items // instead of a design; nil if there is one
	Cells     cellFinder        // missing cells; nil: none is drawn
}

// Rowwise is a problem whose likelihood is a product over rows.
type Rowwise interface {
	Problem
	Observed() Observed
	// Refit sets the sampler up without the responses of all rows but some, with scales and default priors of all.
	Refit(rows []int) (infer.Setup, error)
}

// Observed are the rows of the design.
func (r *Regression) Observed() Observed {
	out := r.observed()
	out.Drawn = r.KeepsEffects()
	return out
}

// Capabilities are those of one linear predictor and one table.
func (r *Regression) Capabilities() Capabilities {
	return Capabilities{Rows: r, Regression: r, Smooths: r.Record, Preview: r.preview, Undrawn: r.undrawn(),
		Anew: r.startsAnew(), recall: r.recall}
}

func (r *Regression) inCase(c *Case) error { return c.on(r.Design, r.Posterior(), r.setupOn) }

// Family is the likelihood of the model.
func (r *Regression) Family() glm.Family { return r.fit.Model.Family.Family }

// Method is the resolved sampler.
func (r *Regression) Method() *Method { return &r.sampler.Method }

// Facts are those of the model and its design.
func (r *Regression) Facts() Facts { return r.facts(r.fit) }

// Lengths is the run's own schedule; what no gate looks at does not grow.
func (r *Regression) Lengths(s Schedule, run *spec.Run) Schedule {
	if r.sampler.Off != "" {
		return s.ungated(run.WarmupGiven)
	}
	return s
}

// Need counts the design, and what its method makes of it.
func (r *Regression) Need(chains, workers int) Need {
	parameters := r.Data.Cols() + levelEffects(r.Data)
	n := r.sampler.work(r.Data.X, r.need(r.fit, chains, workers), parameters, chains)
	return effectsNeed(n, r.Data, r.Method(), chains)
}

// Identify adds the hash of the data, the model, and the versions of what only some designs and models use.
func (r *Regression) Identify(id *Identity) {
	r.dataHash.identify(r.fit, id)
	if id.Keep != KeepSummary && !r.KeepsEffects() {
		id.Keep += effectsSummarised
	}
	if len(r.Data.Smooths) > 0 {
		id.Versions["smooths"] = cggibbs.SmoothsVersion
	}
	if _, sparse := r.Data.X.(*matrix.Sparse); sparse {
		id.Versions["sparse"] = matrix.SparseVersion // whose sums have another order
	}
	o := r.sampler.Gibbs
	if o != nil && o.Basis == "auto" && cggibbs.MayBlock(r.Family(), r.Data) {
		id.Versions["blocks"] = cggibbs.BlocksVersion
	}
	if r.Factored {
		id.Versions["triangle"] = glm.TriangleVersion
	}
	if o != nil && o.MayMoveRows(r.Data) {
		id.Versions["rows"] = cggibbs.RowsVersion
	}
	if o != nil && o.MayFollow(r.Data) {
		id.Versions["slow"] = cggibbs.SlowVersion
	}
	if r.Family().Limits != family.NoLimits {
		id.Versions["limits"] = family.LimitsVersion
	}
	if glm.Tall(r.Rows) {
		id.Versions["tall"] = glm.TallVersion
	}
	m := r.fit.Model
	if v := m.Family.First().PrecisionVersion; v != "" && r.sampler.Trajectories != nil && m.PrecisionWeights != "" {
		id.Versions["gradient"] = v
	}
}

// ToData takes coefficients from the scale of the design to the units of the data.
func (r *Regression) ToData(theta []float64) { r.Record.ToData(theta) }

// Gating is that of parameters and log_lik; where the prior is drawn from, log_lik has no part in the draws and may
// be infinite. Coefficients that may be left out may stay out, or in, in all draws.
func (r *Regression) Gating() Gating {
	return Gating{Parameters: r.sampler.Prior, Constants: r.fit.Model.Selects(), Off: r.sampler.Off}
}

// Posterior is the likelihood with its priors, defaults resolved for the design.
func (r *Regression) Posterior() glm.Model { return posterior(r.fit.Model, r.Data) }

// Target is the posterior with the design; its chains start from an earlier posterior if from is not nil.
func (r *Regression) Target(from *Previous) (*glm.Target, error) {
	target, err := r.target(nil)
	if err != nil {
		return nil, err
	}
	return r.startFrom(target, from)
}

func (r *Regression) target(by infer.Parallel) (*glm.Target, error) {
	return glm.NewTargetBy(by, r.Data, r.Posterior())
}

// Refit sets the sampler up on some of the rows.
func (r *Regression) Refit(rows []int) (setup infer.Setup, err error) {
	err = withinMemory(func() error {
		model, err := groups.NewModel(r.Data.Taken(rows), r.Posterior(), nil)
		if err == nil {
			setup, err = r.setupOn(model)
		}
		return err
	})
	return setup, err
}

// Coordinates is the posterior with the design over coordinates without bounds.
func (r *Regression) Coordinates() (nuts.Target, error) {
	if len(r.Data.Effects) > 0 {
		return groups.NewTarget(r.Data, r.Posterior(), nil, groups.TargetOptions{})
	}
	target, err := r.target(nil)
	if err != nil {
		return nil, err
	}
	return target.Vectorised(), nil
}

// fromPrior warns of draws that are none of a posterior.
const fromPrior = "drawn from the prior, not from a posterior: the response had no part in it"

// Setup makes the target and the sampler.
func (r *Regression) Setup(by infer.Parallel, _ Schedule, from *Previous) (*Setup, error) {
	out := &Setup{Gating: r.Gating()}
	if r.sampler.Prior {
		out.Cautions = append(out.Cautions, fromPrior)
	}
	out.Cautions = append(out.Cautions, unused(r.fit.Model, r.Data)...)
	err := withinMemory(func() (err error) {
		switch {
		case r.sampler.effects != nil:
			out.Sampler, err = r.setupEffects(r.Data, by, from)
			return err
		case r.sampler.Prior:
			out.Sampler, err = r.setupPrior(by)
			return err
		}
		target, err := r.target(by)
		if err != nil {
			return err
		}
		r.doubt(target, out)
		if target, err = r.startFrom(target, from); err != nil {
			return err
		}
		out.Sampler, err = r.sampler.setup(target)
		return err
	})
	return out, r.fit.Explain(err)
}

// doubt notes which posterior means may not exist.
func (r *Regression) doubt(target *glm.Target, s *Setup) {
	for _, d := range target.MeanMayNotExist() {
		if words := caution(target.Parameters(), d); words != "" {
			s.Cautions = append(s.Cautions, words)
		}
		s.Doubts = append(s.Doubts, glm.Doubt{Parameters: inDataUnits(d.Parameters, r.Record), Reason: d.Reason})
	}
}

// Description describes the rows of the design.
func (r *Regression) Description(params []infer.Parameter) (*record.Description, error) {
	return describe(r.Record, r.Family().Link, params, fixedBy(&r.fit.Model.Prior))
}

// Bind looks up what a derived quantity names among parameters and columns of the data.
func (r *Regression) Bind(d *spec.Derivation, params []infer.Parameter) (*transform.Quantity, error) {
	rows, err := r.Description(params)
	if err != nil {
		return nil, err
	}
	return d.Expression.Bind(fitted(r.fit, rows, r.Record, params, r.averages.of))
}
