package pipelines

import (
	"context"
	"fmt"
	"strings"

	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
)

// Plan is what a valid spec would do.
type Plan struct {
	pipeline *spec.Pipeline
	defaults []string
	sizes    []string // of models of kind mrf
}

// Validate checks the spec that target names. Its error is a *UsageError that
// lists every problem. It reads data where priors are left out, whose defaults
// have their scale from there.
func Validate(ctx context.Context, target string, o Overrides) (*Plan, error) {
	p, _, err := load(target, o)
	if err != nil {
		return nil, err
	}
	return &Plan{p, plan.Defaults(ctx, p, example), plan.Sizes(ctx, p, example)}, nil
}

// String lists the fits, the priors, and how small an R-hat the run can reach.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: valid\n", p.pipeline.Name)
	fmt.Fprintf(&b, "database: %s\n\nfits:\n", p.pipeline.Database)
	for _, f := range p.pipeline.Fits() {
		each := ""
		switch {
		case len(f.Dataset.By) > 0:
			each = " (one for each " + strings.Join(f.Dataset.By, " × ") + ")"
		case f.Dataset.Each != "":
			each = " (one for each file of " + f.Dataset.Written + ")"
		}
		fmt.Fprintf(&b, "  %s × %s × %s%s\n", f.Dataset.Name, f.Model.Name, f.Sampler.Name, each)
	}
	if n := p.pipeline.Run.Replicates; n > 1 {
		fmt.Fprintf(&b, "  each %d times, with seeds of its own from the second on\n", n)
	}
	if p.pipeline.Run.Start == "previous" {
		b.WriteString("  each starts from the newest fit before it of its name, if there is one: its posterior, scales, a " +
			"quarter of the warm-up\n")
	}
	b.WriteString("\nmodels:\n")
	for _, m := range p.pipeline.Models {
		if m.Discrete() {
			b.WriteString(discreteModel(m))
			continue
		}
		fmt.Fprintf(&b, "  %s: %s, %s, standardize %s\n    prior of coefficients %s; of the intercept %s at %s",
			m.Name, m.Formula, m.Family, m.Standardize, orDefault(m.Prior.Coefficients.Prior.String()),
			orDefault(m.Prior.Intercept.Prior.Prior.String()), m.Prior.Intercept.At)
		for _, n := range m.Prior.ByName {
			fmt.Fprintf(&b, "; of %s %s", n.Pattern, n.Prior)
		}
		for _, d := range m.Family.Dispersions() {
			fmt.Fprintf(&b, "; of %s %s", d.Name, orDefault(m.Prior.Dispersion(d.Name).String()))
		}
		b.WriteString("\n")
	}
	if len(p.defaults) > 0 {
		fmt.Fprintf(&b, "\ndefault priors, of the columns as scaled:\n  %s\n",
			strings.ReplaceAll(strings.Join(p.defaults, "\n"), "\n", "\n  "))
	}
	if len(p.sizes) > 0 {
		fmt.Fprintf(&b, "\nmemory:\n  %s\n", strings.Join(p.sizes, "\n  "))
	}
	p.rhat(&b)
	return b.String()
}

// discreteModel is the line of a model of kind mrf.
func discreteModel(m *spec.Model) string {
	words := fmt.Sprintf("  %s: mrf, %d states, %s with coupling %g, or the tables of the data", m.Name, m.States,
		m.Interaction, *m.Coupling)
	if m.Field != "" {
		words += ", field " + string(m.Field)
	}
	if len(m.Fields) > 0 {
		words += ", log potentials " + strings.Join(m.Fields, ", ")
	}
	if m.Noise.SD > 0 {
		words += fmt.Sprintf(", observed with normal noise of sd %g", m.Noise.SD)
	}
	return words + "\n"
}

func orDefault(prior string) string {
	if prior == "" {
		return "by default"
	}
	return prior
}

// rhat prints the largest R-hat that perfect mixing would give in nine runs of
// ten: a gate below it hardly passes, however well the chains mix.
func (p *Plan) rhat(b *strings.Builder) {
	r := p.pipeline.Run
	lengths := []int{r.First / 2, r.First, 2 * r.First}
	what := "kept draws per chain at the first checks"
	if r.Fixed() {
		lengths, what = []int{r.Draws}, "draws per chain"
	}
	fmt.Fprintf(b, "\nlargest R-hat of perfectly mixed runs (9 in 10 stay below), %d chains, by %s:\n", r.Chains, what)
	for _, params := range []int{10, 100, 1000, 10000} {
		fmt.Fprintf(b, "  %6d parameters:", params)
		for _, n := range lengths {
			fmt.Fprintf(b, "  %.3f (%d)", diag.PerfectRHat(params, r.Chains, n, assess.PerfectLevel), n)
		}
		b.WriteString("\n")
	}
	g := p.pipeline.Gates.RHat
	if g.Warn.On {
		fmt.Fprintf(b, "  the gate warns above %g\n", g.Warn.At)
	}
	if g.Fail.On {
		fmt.Fprintf(b, "  the gate is %g\n", g.Fail.At)
	}
}
