package plan

import (
	"context"
	"errors"
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Case is one fit of a spec, its data coded and its priors resolved, ready to
// be set up; or, with Err, the reason why it is not.
type Case struct {
	record.Key
	Name string // as people read it
	*transform.Design
	Posterior glm.Model // the likelihood with its priors
	Method    Method
	Identity  string // hash of data, model, sampler and versions; not of lengths or seed
	Spec      *spec.Model
	// Cells describes the missing cells and responses that are drawn; nil for complete data.
	Cells []string
	CaseParts
	Joints
	Err error
}

// CaseParts are the parts of a model of several predictors or responses.
type CaseParts struct {
	Further []*Case // further linear predictors, each with a Predictor, data, record and priors
	// Responses has a case for each response, with its design, record and priors; nil if there is one response.
	Responses []*Case
	// Predictor describes a further linear predictor, or the first one of a response.
	Predictor family.Predictor
}

// Joints are the ways to the joint distribution of the parameters and data of a fit.
type Joints struct {
	On func(*glm.Data) (Joint, error) // the model on data, the fit's own or simulated ones
	// Simulator makes the sampler of a fit of another kind, which simulates on its own; nil of regressions, which On
	// simulates. Such a fit has an Err too, and no Design, unless Cells are drawn.
	Simulator func() (infer.Simulator, error)
}

// Explained is the choice of a set-up of the method, as text for the ledger; empty if there was no choice.
func (m *Method) Explained(s infer.Setup) string {
	e, ok := s.(infer.Explainer)
	switch {
	case !ok || e.Explain() == "":
		return ""
	case m.Basis:
		return m.Name + " samples in the basis " + e.Explain()
	}
	return m.Name + ": " + e.Explain()
}

// ErrNothingSelected says that no fit of the spec matches the selector.
var ErrNothingSelected = errors.New("no fit is selected")

// Cases reads the data of the chosen fits and yields these, replicates left out, in the order of the spec. It stops
// at the first error of yield, and returns ErrNothingSelected if there is no fit.
func (r *Reader) Cases(ctx context.Context, yield func(*Case) error) error {
	found := false
	err := r.Units(ctx, func(u *Unit) error {
		for _, f := range Fits(r.Pipeline, r.Choice, u) {
			if f.Replicate > 1 {
				continue
			}
			found = true
			if err := yield(newCase(f)); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err == nil && !found {
		err = ErrNothingSelected
	}
	return err
}

// newCase identifies a fit and resolves its priors.
func newCase(f *Fit) *Case {
	out := &Case{Key: f.Key(), Name: f.Name(), Spec: f.Model}
	p, err := NewProblem(f)
	if out.Err = err; err != nil {
		return out
	}
	if out.Err = p.inCase(out); out.Err != nil && out.Simulator == nil {
		return out
	}
	id, err := Identify(f, p, MemoryOf(f.Pipeline))
	if err != nil {
		out.Err, out.Simulator = err, nil
		return out
	}
	out.Method = *p.Method()
	out.Identity = id.Identity.CaseHash()
	return out
}

// simulates fills in a sampler that simulates on its own.
func (c *Case) simulates(setup func() (infer.Setup, error)) {
	c.Simulator = func() (infer.Simulator, error) {
		var s infer.Setup
		err := withinMemory(func() (err error) {
			s, err = setup()
			return err
		})
		if err != nil {
			return nil, err
		}
		return s.(infer.Simulator), nil
	}
}

// on fills in the model on a design, with one linear predictor.
func (c *Case) on(d *transform.Design, of glm.Model, setup func(*groups.Model) (infer.Setup, error)) error {
	c.Design, c.Posterior = d, of
	c.On = func(data *glm.Data) (Joint, error) { return newOnePredictor(data, of, setup) }
	return nil
}

// Setup makes the sampler of a model on data.
func (c *Case) Setup(of Joint) (s infer.Setup, err error) {
	err = withinMemory(func() (err error) {
		s, err = of.Setup()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Method.Name, err)
	}
	return s, nil
}
