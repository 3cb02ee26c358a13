package run

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/transform"
)

// Case is one fit of a spec, its data coded and its priors resolved, ready to
// be set up; or, with Err, the reason why it is not.
type Case struct {
	report.Key
	Name      string // as people read it
	Data      *glm.Data
	Posterior glm.Model // the likelihood with its priors
	Method    string
	Identity  string // hash of data, model, sampler and versions; not of lengths or seed
	// Hamiltonian tells that warm-up adapts the sampler, and so is thrown away.
	Hamiltonian bool
	Setup       func(*glm.Target) (infer.Setup, error)
	Spec        *spec.Model
	Record      *transform.Record // how the data were coded and scaled
	Reason      string            // why the method, where it was chosen; empty where it was named
	Err         error
}

// Explained is what a set-up chose, in the words that the ledger gets; empty where there was
// no choice.
func (c *Case) Explained(s infer.Setup) string {
	if e, ok := s.(infer.Explainer); ok {
		return c.Method + " samples in the basis " + e.Explain()
	}
	return ""
}

// Cases reads the data of the selected fits and yields these, in the order of
// the spec. Of c it uses Pipeline, Only and Example. It stops at the first error
// of yield, and returns ErrNothingSelected if there is no fit.
func Cases(ctx context.Context, c Config, yield func(*Case) error) error {
	c.Workers, c.Tracker, c.Log = 1, progress.New(c.Now), slog.New(slog.NewTextHandler(io.Discard, nil))
	r := &runner{Config: c, workers: make(workers, 1), choice: choice{Selector: c.Only}}
	found := false
	for _, ds := range r.Pipeline.Datasets {
		if !r.choice.dataset(ds.Name, ds.Each != "" || len(ds.By) > 0) || len(r.models(ds.Name)) == 0 {
			continue
		}
		err := r.read(ctx, ds, func(u *unit) error {
			for _, ref := range r.Pipeline.Fits() {
				if ref.Dataset != ds || !r.choice.fit(ds.Name, u.key, ref.Model.Name, ref.Sampler.Name) {
					continue
				}
				found = true
				if err := yield(r.prepared(ctx, &job{unit: u, model: ref.Model, sampler: ref.Sampler, gates: ref.Gates})); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	if !found {
		return ErrNothingSelected
	}
	return nil
}

// prepared identifies a job and resolves its priors.
func (r *runner) prepared(ctx context.Context, j *job) *Case {
	out := &Case{Key: j.key(), Name: j.name(), Err: j.unit.err}
	if out.Err != nil {
		return out
	}
	f := &fitting{job: j}
	if j.model.Discrete() {
		out.Err = words.Hint(fmt.Errorf("model %q is of kind mrf, and this verb is for generalised linear models", j.model.Name),

			"choose fits with --only model=…; pipeline validate says what fits of kind mrf take")
		return out
	}
	if out.Err = r.identify(ctx, f, &Result{}); out.Err != nil {
		return out
	}
	id := r.identity(f)
	id.Length, id.Chains, id.Keep, id.Seed = nil, 0, "", 0
	out.Data, out.Posterior, out.Method, out.Identity = f.design.Data, f.posterior(), f.method.name, id.fingerprint()
	out.Hamiltonian, out.Spec, out.Record, out.Reason = f.method.hamiltonian, f.model, f.design.Record, f.method.reason
	out.Setup = func(t *glm.Target) (infer.Setup, error) {
		setup, err := f.method.setup(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.method.name, err)
		}
		return setup, nil
	}
	return out
}
