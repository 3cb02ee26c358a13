package pipelines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"glmbatch/infer/diag"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/draw"
	"glmbatch/pipelines/internal/explain"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
)

// Plan describes the run of a valid spec.
type Plan struct {
	pipeline *spec.Pipeline
	survey   *plan.Survey
	read     bool // the data too
}

// Validate checks the spec that target names. Unless specOnly is set it also reads its data, and takes each fit as far
// as a run would before its first draw. Its error is a *UsageError that lists every problem of the spec; what would end
// fits is in the plan, see Plan.Err.
func Validate(ctx context.Context, target string, o Overrides, specOnly bool) (*Plan, error) {
	p, _, err := load(target, o)
	if err != nil {
		return nil, err
	}
	p.Run.Workers = cmp.Or(p.Run.Workers, runtime.GOMAXPROCS(0))
	defer bound(int64(p.Run.Memory))()
	reader := &plan.Reader{Pipeline: p, Example: example}
	var foresee func(*plan.Identified) error
	if !specOnly {
		reader.Work = spool.Root(p.Database)
		defer os.Remove(reader.Work) // fails if a run has its files there, as it should
		world := &draw.Env{Workers: make(draw.Workers, p.Run.Workers), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		foresee = func(id *plan.Identified) error { return draw.Preview(ctx, id, world, &plan.Stopwatch{}) }
	}
	survey, err := plan.TakeSurvey(ctx, reader, foresee)
	if errors.Is(err, plan.ErrNothingSelected) {
		return nil, nothingSelected(p, plan.Selector{}, nil)
	}
	if err != nil {
		return nil, err
	}
	return &Plan{p, survey, !specOnly}, nil
}

// maxRefusals is the number of errors of data that are listed one by one.
const maxRefusals = 20

// Err is nil if every fit would draw. Otherwise it lists each error that would end fits, as a run words it, with these
// fits.
func (p *Plan) Err() error {
	refused := p.survey.Refused
	if len(refused) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", p.pipeline.Name, p.refused())
	for _, r := range refused[:min(len(refused), maxRefusals)] {
		fmt.Fprintf(&b, "\n\n%s\n  %s", strings.Join(r.Fits, "\n"), words.Indent(r.Err.Error()))
	}
	if more := len(refused) - maxRefusals; more > 0 {
		fmt.Fprintf(&b, "\n\n… and %d more like these", more)
	}
	return errors.New(b.String())
}

// refused counts the fits that would not draw.
func (p *Plan) refused() string {
	n := 0
	for _, r := range p.survey.Refused {
		n += len(r.Fits)
	}
	return fmt.Sprintf("%d of %d fits would end in an error", n, p.survey.Fits)
}

// state says how far the spec was found to be good.
func (p *Plan) state() string {
	switch {
	case !p.read:
		return "valid, its data not read"
	case len(p.survey.Refused) > 0:
		return p.refused()
	}
	return "valid"
}

// String lists the fits and the priors.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", p.pipeline.Name, p.state())
	fmt.Fprintf(&b, "database: %s\n\nfits:\n", p.pipeline.Database)
	for _, f := range p.pipeline.Fits() {
		each := ""
		switch {
		case f.Dataset.Imputed():
			each = " (imputations, pooled)"
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
		b.WriteString(plan.KindOf(&plan.Unit{}, m).Words(m))
	}
	if len(p.survey.Items) > 0 {
		fmt.Fprintf(&b, "\nitems:\n  %s\n", words.Indent(strings.Join(p.survey.Items, "\n")))
	}
	if len(p.survey.Defaults) > 0 {
		fmt.Fprintf(&b, "\ndefault priors, of the columns as scaled:\n  %s\n",
			words.Indent(strings.Join(p.survey.Defaults, "\n")))
	}
	if len(p.survey.Sizes) > 0 {
		fmt.Fprintf(&b, "\nmemory:\n  %s\n", strings.Join(p.survey.Sizes, "\n  "))
	}
	return b.String()
}

// RHat says which R-hat perfect mixing would stay below in nine runs of ten: a
// gate below it hardly passes, however well the chains mix.
func (p *Plan) RHat() string {
	var b strings.Builder
	r := p.pipeline.Run
	lengths := []int{r.First / 2, r.First, 2 * r.First}
	what := "kept draws per chain at the first checks"
	if r.Fixed() {
		lengths, what = []int{r.Draws}, "draws per chain"
	}
	fmt.Fprintf(&b, "\nlargest R-hat of perfectly mixed runs (9 in 10 stay below), %d chains,\nby %s:\n", r.Chains, what)
	for _, params := range []int{10, 100, 1000, 10000} {
		fmt.Fprintf(&b, "  %6d parameters:", params)
		for _, n := range lengths {
			fmt.Fprintf(&b, "  %.3f (%d)", diag.PerfectRHat(params, r.Chains, n, assess.PerfectLevel), n)
		}
		b.WriteString("\n")
	}
	g := p.pipeline.Gates.RHat
	if g.Warn.On {
		fmt.Fprintf(&b, "  the gate warns above %g\n", g.Warn.At)
	}
	if g.Fail.On {
		fmt.Fprintf(&b, "  the gate is %g\n", g.Fail.At)
	}
	return b.String()
}

// ExplainFormats are the forms of an explanation.
func ExplainFormats() []string { return explain.Formats }

// Explain describes each fit of the spec that target names, before it is drawn: a text for each, of the first file
// or group if a data set has several. The error is a *UsageError where the spec or the call is wrong.
func Explain(ctx context.Context, target string, o Overrides, only []string, format string,
) (texts []string, err error) {
	selector, err := plan.ParseSelector(only)
	if err != nil {
		return nil, &UsageError{err}
	}
	p, _, err := load(target, o)
	if err != nil {
		return nil, err
	}
	told := map[string]bool{}
	cases := &plan.Reader{Pipeline: p, Choice: plan.Choice{Selector: selector}, Example: example}
	err = cases.Cases(ctx, func(c *plan.Case) error {
		name := c.Dataset + "\x00" + c.Key.Model + "\x00" + c.Sampler
		if !told[name] {
			told[name] = true
			texts = append(texts, explain.Of(c).Write(explain.Format(format)))
		}
		return nil
	})
	if errors.Is(err, plan.ErrNothingSelected) {
		return nil, &UsageError{words.Hint(err, "pipeline validate lists the fits of a spec")}
	}
	return texts, err
}
