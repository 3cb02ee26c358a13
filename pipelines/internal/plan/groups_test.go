package plan

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/groups"
	"glmbatch/pipelines/internal/spec"
)

// groupedFit codes a model of 12 rows in four groups; change is applied to the text of the spec, table to its data.
func groupedFit(t *testing.T, change, table func(string) string) (*Fit, Problem, error) {
	t.Helper()
	var csv strings.Builder
	csv.WriteString("y,x,g,h\n")
	for i := range 12 {
		fmt.Fprintf(&csv, "%d,%d,%c,%c\n", i*i%7, i, 'a'+i%4, 'p'+i/6)
	}
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "d.csv"), []byte(table(csv.String())), 0o644))
	text := change("pipeline: p\ndatasets: {d: d.csv}\nmodels: {m: {formula: y ~ x + (1 + x | g) + (1 | h), family: gaussian, " +
		"prior: {sd: half_normal(3), cor: lkj(2), by_name: {\"sd_g__*\": half_cauchy(1), sd_h__Intercept: exponential(2), cor_g: lkj(4)}}}}\n" +
		"samplers: {s: {method: auto}}\nrun: {keep: draws}\n")
	p, err := spec.Parse("p.yaml", []byte(text), spec.Options{Dir: dir, Today: time.Now()})
	must(t, err)
	var fit *Fit
	var problem Problem
	var made error
	err = (&Reader{Pipeline: p}).Units(t.Context(), func(u *Unit) error {
		fit = Fits(p, Choice{}, u)[0]
		problem, made = NewProblem(fit)
		return nil
	})
	must(t, err)
	return fit, problem, made
}

// none is the spec without priors.
func none(text string) string {
	from, to := strings.Index(text, ", prior: {sd"), strings.Index(text, "}}}}\n")
	return text[:from] + text[to+2:]
}

func same(text string) string { return text }

func replaced(old, new string) func(string) string {
	return func(text string) string { return strings.Replace(text, old, new, 1) }
}

// Every sampler but auto and cggibbs is refused by name, and so are options that updates of effects do not have.
func TestSamplersOfGroups(t *testing.T) {
	for change, want := range map[string]string{
		"auto": "", "cggibbs": "", "cggibbs, kernels: scalar": "",
		"nuts": "", "hmc, effects: centred": "",
		"nuts, basis: reduced":               `sampler "s" has basis: reduced`,
		"conjugate":                          `sampler "s" is conjugate`,
		"cggibbs, basis: rotated, slow: off": `sampler "s" has basis, slow, which updates of such effects do not have`,
		"cggibbs, scan: random":              `has scan`,
		"cggibbs, uncached: true":            `has uncached`,
	} {
		_, p, err := groupedFit(t, replaced("method: auto", "method: "+change), same)
		switch {
		case want == "" && (err != nil || !slices.Contains([]string{"groups", "nuts", "hmc"}, p.Method().Name) ||
			!strings.Contains(p.Method().Version, groups.Version)):
			t.Errorf("%s: %v", change, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), `model "m" has group-level effects: `) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v", change, err)
		}
	}
	_, _, err := groupedFit(t, func(text string) string {
		return none(replaced("method: auto", "method: nuts, effects: auto")(replaced(" + (1 + x | g) + (1 | h)", "")(text)))
	}, same)
	if err == nil || !strings.Contains(err.Error(), `sampler "s" has effects: auto, and model "m" has no group-level effects`) {
		t.Errorf("effects of a model without: %v", err)
	}
	_, p, err := groupedFit(t, replaced("keep: draws", "sample: prior"), same)
	if err != nil || !p.Method().Prior {
		t.Fatalf("sample: prior: %v", err)
	}
	if _, err := p.Setup(nil, Schedule{}, nil); err != nil {
		t.Errorf("sample: prior: %v", err)
	}
}

// The more exact entry of by_name gives a prior, then the key of all, then the default by the scale of the response.
func TestPriorsOfGroups(t *testing.T) {
	words := func(change func(string) string) string {
		_, p, err := groupedFit(t, change, same)
		must(t, err)
		r := p.(*Regression)
		m := r.Posterior()
		var out []string
		for _, e := range m.Effects {
			for _, p := range e.SD {
				out = append(out, p.String())
			}
			out = append(out, fmt.Sprint(e.LKJ))
		}
		return strings.Join(append(out, unused(r.fit.Model, r.Data)...), " ")
	}
	for _, c := range []struct {
		change func(string) string
		want   string
	}{
		{same, "half_cauchy(1) half_cauchy(1) 4 exponential(2) 2"},
		{replaced("sd_g__*", "sd_g__x"), "half_normal(3) half_cauchy(1) 4 exponential(2) 2"},
		{replaced("cor_g: lkj(4)", "cor_h: lkj(4)"), "half_cauchy(1) half_cauchy(1) 2 exponential(2) 4 prior.by_name cor_h decides the prior of no column"},
		{replaced("sd_h__Intercept", "sd_h__x"), "half_cauchy(1) half_cauchy(1) 4 half_normal(3) 2 prior.by_name sd_h__x decides the prior of no column"},
		{none, "half_student_t(3, 3.61) half_student_t(3, 3.61) 1 half_student_t(3, 3.61) 1"},
		{func(text string) string { return replaced("gaussian", "poisson")(none(text)) }, "half_student_t(3, 2.5) half_student_t(3, 2.5) 1 half_student_t(3, 2.5) 1"},
	} {
		if got := words(c.change); got != c.want {
			t.Errorf("%s\nwant %s", got, c.want)
		}
	}
}

// Levels, priors of sds and correlations, and the columns of groupings decide draws; kept draws and memory count effects.
func TestIdentityOfGroups(t *testing.T) {
	seen := map[string]string{}
	for name, c := range map[string]struct{ change, table func(string) string }{
		"as it is":    {same, same},
		"grouping":    {same, replaced("1,1,b", "1,1,a")},
		"sd":          {replaced("half_normal(3)", "half_normal(2)"), same},
		"by_name":     {replaced("half_cauchy(1)", "half_cauchy(2)"), same},
		"cor":         {replaced("cor: lkj(2)", "cor: lkj(3)"), same},
		"cor by name": {replaced("lkj(4)", "lkj(5)"), same},
		"kernels":     {replaced("method: auto", "method: cggibbs, kernels: scalar"), same},
		"nuts":        {replaced("method: auto", "method: nuts"), same},
		"hmc":         {replaced("method: auto", "method: hmc"), same},
		"metric":      {replaced("method: auto", "method: nuts, metric: dense"), same},
		"centred":     {replaced("method: auto", "method: nuts, effects: centred"), same},
		"non_centred": {replaced("method: auto", "method: nuts, effects: non_centred"), same},
	} {
		f, p, err := groupedFit(t, c.change, c.table)
		if err != nil {
			t.Fatal(name, err)
		}
		id := identified(t, f, p)
		if other := seen[id.Fingerprint]; other != "" || id.Identity.Versions[p.Method().Name] == "" {
			t.Errorf("%s and %s have one fingerprint; versions %v", name, other, slices.Collect(maps.Keys(id.Identity.Versions)))
		}
		seen[id.Fingerprint] = name
	}
	_, few, _ := groupedFit(t, same, same)
	_, plain, _ := groupedFit(t, func(text string) string { return replaced(" + (1 + x | g) + (1 | h)", "")(none(text)) }, same)
	bytes := func(metric string) int64 {
		_, p, err := groupedFit(t, replaced("method: auto", "method: nuts, metric: "+metric), same)
		must(t, err)
		return p.Need(4, 1).Bytes
	}
	if got := bytes("dense") - bytes("diagonal"); got != 8*4*4*(2+10)*(2+10) {
		t.Errorf("dense metrics over 10 effects and 2 coefficients take %d bytes more", got)
	}
	need := few.Need(4, 1)
	if need.Bytes-plain.Need(4, 1).Bytes < 10*(1<<10) || need.What != "12 rows × 2 columns with 4 chains (and 10 effects of levels) need" {
		t.Errorf("%d bytes, %d without effects: %s", need.Bytes, plain.Need(4, 1).Bytes, need.What)
	}
}

// A ledger gets the prior of each parameter.
func TestDescribeGroups(t *testing.T) {
	_, p, err := groupedFit(t, same, same)
	must(t, err)
	s, err := p.Setup(nil, Schedule{}, nil)
	must(t, err)
	r := p.(*Regression)
	m := r.Posterior()
	seen := map[string]bool{}
	for _, q := range s.Sampler.Parameters() {
		if law := effectPrior(&m, r.Data, q); q.Kind == infer.GroupEffect || (law == "") != (q.Grouping == "") {
			seen[law] = true
		} else if law != "" {
			seen[q.Name+" "+law] = true
		}
	}
	want := []string{"cor_g__Intercept__x lkj(4)", "multivariate normal of Intercept, x", "normal(0, sd_h__Intercept)",
		"sd_g__Intercept half_cauchy(1)", "sd_g__x half_cauchy(1)", "sd_h__Intercept exponential(2)"}
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if s.Cautions != nil {
		t.Errorf("cautions %q", s.Cautions)
	}
}
