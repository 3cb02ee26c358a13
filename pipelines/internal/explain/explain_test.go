package explain

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
)

var update = flag.Bool("update", false, "write the goldens anew; read the diff")

// caseOf is the one fit of a model of a data set of R.
func caseOf(t *testing.T, data, model, sampler string) *plan.Case {
	t.Helper()
	text := fmt.Sprintf("pipeline: p\ndatasets: {d: {path: %s.csv}}\nmodels: {m: {%s}}\nsamplers: {s: {method: %s}}\n", data, model, sampler)
	p, err := spec.Parse("p.yaml", []byte(text), spec.Options{Dir: "../../../testdata/classic", Today: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	var out *plan.Case
	err = (&plan.Reader{Pipeline: p}).Cases(context.Background(), func(c *plan.Case) error {
		out = c
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var explained = []struct {
	name, data, model, sampler string
	format                     Format
}{
	{"bernoulli", "birthwt", "formula: low ~ age + lwt + race, family: bernoulli, standardize: center_scale, prior: {coefficients: 'normal(0, 10)'}", "auto", Plain},
	{"poisson", "insurance", "formula: Claims ~ District + offset(log(Holders)), family: poisson, standardize: center_scale", "auto", Markdown},
	{"binomial", "carrots", "formula: success | trials(total) ~ logdose, family: binomial(probit), prior: {coefficients: 'student_t(4, 0, 1)'}", "nuts", Plain},
	{"gamma", "clotting", "formula: lot1 ~ log(u), family: gamma(log), standardize: center_scale", "auto", LaTeX},
	{"gaussian", "mtcars", "formula: mpg ~ wt + hp, family: gaussian, standardize: center_scale", "auto", Plain},
	{"flat", "mtcars", "formula: mpg ~ wt - 1, family: gaussian, prior: {coefficients: flat}", "conjugate", Plain},
	{"groups", "warpbreaks", "formula: 'breaks ~ tension + (1 + tension | wool)', family: poisson, prior: {cor: lkj(2)}", "auto", Plain},
	{"crossed", "mtcars", "formula: 'mpg ~ wt + (1 | cyl) + (wt || gear)', family: gaussian, prior: {sd: half_normal(3)}", "cggibbs", LaTeX},
	{"sweeps", "birthwt", "formula: low ~ age + lwt + race, family: bernoulli, prior: {coefficients: 'normal(0, 10)'}", "cggibbs", Plain},
	{"trajectories", "birthwt", "formula: low ~ age + lwt + race, family: bernoulli, standardize: center_scale", "hmc", LaTeX},
	{"cells", "airquality", "formula: Ozone ~ log(Solar.R) + Wind, family: gamma(log), missing: impute, imputation: {Solar.R: {formula: log(Solar.R) ~ Wind}}", "auto", Markdown},
	{"refused", "mtcars", "formula: mpg ~ wt, family: poisson", "auto", Plain},
}

// Explanations of several families, links, scalings, samplers and formats.
func TestGoldens(t *testing.T) {
	for _, c := range explained {
		t.Run(c.name, func(t *testing.T) {
			got := []byte(Of(caseOf(t, c.data, c.model, c.sampler)).Write(c.format))
			if strings.Contains(c.model, "|") && c.name != "binomial" { // the text of package groups has tests of its own
				got = got[:max(bytes.LastIndex(got, []byte("groups: ")), 0)]
			}
			path := filepath.Join("testdata", c.name+".txt")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v (run: go test ./pipelines/internal/explain -update, then read the diff)", err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// Under centring the linear predictor at the means of the columns is the intercept's
// prior alone: the printed interval is that of the prior.
//
// False alarms: none, the seed is fixed. Power: the quantiles of 2000 draws at 2.5 %
// and 97.5 % have a standard error of 0.06 prior sds; 0.25 is seen.
func TestTypicalRowIsTheIntercept(t *testing.T) {
	c := caseOf(t, "mtcars", "formula: mpg ~ wt + hp, family: gaussian, standardize: center_scale, prior: {coefficients: 'normal(0, 50)', intercept: 'normal(20, 8)'}", "auto")
	words := strings.Join(Of(c).Predictive, "\n")
	var low, high float64
	_, after, _ := strings.Cut(words, "the mean response between ")
	if _, err := fmt.Sscanf(after, "%g and %g", &low, &high); err != nil {
		t.Fatalf("%v in %q", err, words)
	}
	if math.Abs(low-(20-1.96*8)) > 2 || math.Abs(high-(20+1.96*8)) > 2 {
		t.Errorf("between %g and %g, want about %g and %g", low, high, 20-1.96*8, 20+1.96*8)
	}
}

// A prior in the units of the data is the prior as sampled over the column's scale, and
// its effect of one sd does not depend on standardisation.
func TestPriorsInDataUnits(t *testing.T) {
	c := caseOf(t, "mtcars", "formula: mpg ~ wt, family: gaussian, standardize: center_scale, prior: {coefficients: 'normal(0, 3)'}", "auto")
	p := Of(c).Priors[1]
	scale := c.Record.Columns[1].Scale
	if want := 1.959964 * 3 / scale; math.Abs(p.High-want) > 1e-12 || p.Low != -p.High {
		t.Errorf("data units: %g to %g, want ±%g", p.Low, p.High, want)
	}
	raw := caseOf(t, "mtcars", fmt.Sprintf("formula: mpg ~ wt, family: gaussian, prior: {coefficients: 'normal(0, %.17g)'}", 3/scale), "auto")
	if q := Of(raw).Priors[1]; math.Abs(q.EffectHigh-p.EffectHigh) > 1e-6 {
		t.Errorf("the effect of one sd is %g as scaled, and %g raw", p.EffectHigh, q.EffectHigh)
	}
}

// Half of a law lies in its middle, and an improper one has none.
func TestMiddle(t *testing.T) {
	stream := infer.NewStream(3)
	if low, high := middle(prior.Prior{Kind: prior.Flat}, stream); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("flat: %g to %g", low, high)
	}
	low, high := middle(prior.Prior{Kind: prior.Exponential, Rate: 1}, stream)
	if math.Abs(low-0.0253) > 0.01 || math.Abs(high-3.689) > 0.4 {
		t.Errorf("exponential(1): %g to %g", low, high)
	}
}

// Data that cannot be read are named with the error.
func TestErrorIsTold(t *testing.T) {
	e := Of(&plan.Case{Name: "a × b × c", Err: errors.New("no such file")})
	for _, f := range Formats {
		if text := e.Write(Format(f)); !strings.Contains(text, "no such file") {
			t.Errorf("%s: %q", f, text)
		}
	}
}

// every has a model of each family, and of each feature that has parameters.
func every() (out [][2]string) {
	for _, l := range family.Table() {
		y := "Days"
		switch {
		case l.Support.Classes && l.Support.Trials:
			continue // counts of classes have the predictors of classes
		case l.Support.Classes:
			y = "Age"
		case l.Support.Share():
			y = "I((Days + 1) / 100)"
		case l.Support.Positive():
			y = "I(Days + 1)"
		case l.Support.Trials:
			y = "Days | trials(100)"
		case l.Support.Probability():
			y = "Sex"
		}
		out = append(out, [2]string{"quine", "formula: '" + y + " ~ Eth', family: " + l.Name})
	}
	for _, model := range []string{
		"formula: Days ~ Age + (1 + Sex | Lrn), family: negative_binomial",
		"formula: 'bf(Days ~ Age + (1 | p | Eth), sigma ~ Sex + (1 + Sex | p | Eth))', family: gaussian",
		"formula: 'surv(I(Days + 1), Days < 40, breaks = c(5, 20)) ~ Age + (1 | Eth)', family: piecewise_exponential",
		"formula: 'Days ~ mo(Age) + Sex', family: poisson, levels: {Age: [F0, F1, F2, F3]}",
		"formula: 'bf(Days ~ mo(Age), zi ~ mo(Age))', family: zero_inflated_poisson, levels: {Age: [F0, F1, F2, F3]}",
		"formula: 'Age ~ Sex + cs(Lrn)', family: sratio",
		"formula: 'Age ~ Sex', family: 'cumulative(logit, threshold = \"equidistant\")'",
		"formula: 'bf(Age ~ Sex, disc ~ Lrn + (1 | Eth))', family: cumulative",
		"formula: 'Age ~ mo(Lrn) + (1 | Eth)', family: categorical, levels: {Lrn: [AL, SL]}",
		"formula: Days ~ Age + Sex, family: gaussian, prior: {coefficients: horseshoe(0.1)}",
	} {
		out = append(out, [2]string{"quine", model})
	}
	return append(out, [2]string{"mcycle",
		"formula: 'bf(accel ~ s(times, k = 5), nu ~ s(times, k = 4))', family: student_t"})
}

// follows matches parameters whose prior is that of another one in the table: steps and shares of monotonic effects,
// correlations, and thresholds at equal distances.
var follows = regexp.MustCompile(`^(.*mo\(.*\)|.*simo_.*)\[\d+\]$|^cor_([^_]+)__.*$|^(\(Intercept\)\[)\d+\]$`)

// Every parameter of a fit, effects apart, has its prior in the table, or follows from one that has.
func TestEveryParameterIsListed(t *testing.T) {
	for _, m := range every() {
		c := caseOf(t, m[0], m[1], "auto")
		if c.Err != nil {
			t.Errorf("%s: %v", m[1], c.Err)
			continue
		}
		of, err := c.On(c.Data)
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
			continue
		}
		e, listed := &Explanation{Family: c.Posterior.Family}, map[string]bool{}
		e.table(c)
		for _, p := range e.Priors {
			if listed[p.Name] = true; p.Law == "" {
				t.Errorf("%s: %s has no prior", m[1], p.Name)
			}
		}
		for _, p := range of.Parameters() {
			switch p.Kind {
			case infer.GroupEffect, infer.SmoothEffect, infer.Scale, infer.LocalScale:
				continue
			}
			name := p.Name
			if c.Posterior.Family.Name == family.Classes.Name { // whose classes have the priors of the first one
				name = strings.Replace(name, p.Predictor+"_", "", 1)
			}
			if part := follows.FindStringSubmatch(name); part != nil && !listed[name] {
				name = strings.Join(part[1:], "")
				if part[2] != "" {
					name = "cor_" + part[2]
				}
				if part[3] != "" {
					name = "delta"
				}
			}
			if !listed[name] {
				t.Errorf("%s: %s is not in the table of priors, which has %v", m[1], p.Name, slices.Sorted(maps.Keys(listed)))
			}
		}
	}
}
