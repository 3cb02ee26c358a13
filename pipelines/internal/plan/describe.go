package plan

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/glm"
	"glmbatch/infer/nuts"
	"glmbatch/report/record"
)

// Describe adds the record of the design, the summary of its data, and the prior and scaling of each parameter.
func (r *Regression) Describe(rec *record.Fit, params []infer.Parameter) error {
	if err := r.record(r.fit, rec); err != nil {
		return err
	}
	given := r.Posterior()
	scales := scalePriors(&given)
	for i, p := range params {
		out := &rec.Parameters[i]
		if i < len(r.Record.Columns) {
			out.Center, out.Scale = r.Record.Columns[i].Centre, r.Record.Columns[i].Scale
			out.Prior = given.Coefficients[i].String()
		}
		switch law := priorOf(&given, r.Data, p); {
		case p.Kind == infer.Scale || p.Kind == infer.LocalScale:
			out.Prior, scales = scales[0], scales[1:]
		case p.Kind == infer.Inclusion:
			out.Prior = r.inclusionPrior(p.Term)
		case law != "":
			out.Prior = law
		}
	}
	return nil
}

// preview says what auto would take and for how long; empty of other samplers, and where the fit cannot be set up,
// which its run will say.
func (r *Regression) preview() string {
	o := r.sampler.Gibbs
	if o == nil || o.Basis != "auto" {
		return ""
	}
	target, err := glm.NewTarget(r.Data, r.Posterior())
	if err != nil {
		return ""
	}
	var seconds float64
	err = withinMemory(func() error {
		_, _, seconds = cggibbs.Auto(target, *o)
		return nil
	})
	if err != nil {
		return ""
	}
	words := "auto takes Gibbs sampling"
	if seconds > 0 {
		words += fmt.Sprintf(", about %.2g s of one core for 1000 independent draws", seconds)
	}
	return words + " (pipeline explain says why)"
}

// HasMetrics reports whether the method's chains move by metrics over the coefficients.
func (r *Regression) HasMetrics() bool { return r.sampler.windows != nil }

// Windows makes the metrics of a chain's warm-up again, from its positions on the scale of the design.
func (r *Regression) Windows(t *glm.Target, warmup int,
	position func(i int, theta []float64) error) ([]nuts.Window, error) {
	return r.sampler.windows(t, warmup, position)
}
