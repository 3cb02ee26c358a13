package plan

import (
	"context"
	"errors"
	"fmt"

	"glmbatch/infer"
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
	Name      string // as people read it
	Data      *glm.Data
	Counted   int       // rows of the data that the design's rows stand for
	Factored  bool      // whether the design's rows are no rows of the data
	Posterior glm.Model // the likelihood with its priors
	Method    string
	Identity  string // hash of data, model, sampler and versions; not of lengths or seed
	// Hamiltonian says that warm-up adapts the sampler, and so is thrown away.
	Hamiltonian bool
	On          func(*glm.Data) (Joint, error) // the model on data, the fit's own or simulated ones
	Spec        *spec.Model
	Record      *transform.Record // how the data were coded and scaled
	Reason      string            // why the method, where it was chosen; empty where it was named
	// Cells are the missing cells and responses that are drawn, in words; nil of complete data.
	Cells []string
	Err   error
}

// Explained is what a set-up chose, in the words that the ledger gets; empty where there was
// no choice.
func (c *Case) Explained(s infer.Setup) string {
	return Explained(c.Method, s)
}

// Explained is what a set-up of a method chose, in words; empty where there was no choice.
func Explained(method string, s infer.Setup) string {
	e, ok := s.(infer.Explainer)
	if !ok || e.Explain() == "" {
		return ""
	}
	if _, effects := s.(overEffects); method == "cggibbs" && !effects {
		return method + " samples in the basis " + e.Explain()
	}
	return method + ": " + e.Explain()
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
	if out.Err = p.inCase(out); out.Err != nil {
		return out
	}
	id, err := Identify(f, p, MemoryOf(f.Pipeline))
	if out.Err = err; err != nil {
		return out
	}
	m := p.Method()
	out.Method, out.Reason, out.Hamiltonian = m.Name, m.Reason, m.Trajectories != nil
	out.Identity = id.Identity.CaseHash()
	return out
}

// on fills in the model on a design, with one linear predictor.
func (c *Case) on(d *transform.Design, of glm.Model, setup func(*groups.Model) (infer.Setup, error)) error {
	c.Counted, c.Factored, c.Data, c.Record, c.Posterior = d.Counted, d.Factored, d.Data, d.Record, of
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
		return nil, fmt.Errorf("%s: %w", c.Method, err)
	}
	return s, nil
}
