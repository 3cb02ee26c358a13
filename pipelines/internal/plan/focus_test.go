package plan

import (
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/cggibbs"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/transform"
)

// Names win over globs of the same text; order and repetitions do not matter. A name
// without a coefficient is an error with the nearest one.
func TestFocused(t *testing.T) {
	names := []string{"(Intercept)", "glu", "race*", "racewhite", "age"}
	for _, c := range []struct {
		patterns, want []string
		fault          string
	}{
		{patterns: []string{"age", "glu", "age"}, want: []string{"glu", "age"}},
		{patterns: []string{"race*"}, want: []string{"race*"}},
		{patterns: []string{"r*", "(Intercept)"}, want: []string{"(Intercept)", "race*", "racewhite"}},
		{patterns: []string{"???"}, want: []string{"glu", "age"}},
		{patterns: []string{"age", "gluc"}, fault: "scan for \"gluc\": there is no such coefficient\nhint: did you mean \"glu\"?"},
		{patterns: []string{"b*"}, fault: `scan for "b*": there is no such coefficient`},
	} {
		got, err := focused(c.patterns, names)
		if c.fault == "" && (err != nil || !slices.Equal(got, c.want)) {
			t.Errorf("%q means %q, %v; want %q", c.patterns, got, err, c.want)
		}
		if c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%q: error %v, want %q", c.patterns, err, c.fault)
		}
	}
}

// The purpose of a scan changes the fingerprint: the coefficients that are meant, however they are written, the
// period and the version of the rules. The error names data set, model and sampler.
func TestFocusCounts(t *testing.T) {
	identity := func(every int, patterns ...string) (string, cggibbs.Options, error) {
		p := parse(t)
		p.Samplers[0].Scan.For, p.Samplers[0].Scan.SweepEvery = patterns, every
		ref := p.Fits()[0]
		m := resolve(ref.Sampler, ref.Model)
		f := &Fit{Pipeline: p, Unit: &Unit{Dataset: ref.Dataset}, Model: ref.Model, Sampler: ref.Sampler}
		data := &glm.Data{X: matrix.NewDense(1, 3), Names: []string{"(Intercept)", "x", "x2"}}
		err := m.focus(f, data.Names)
		return identified(t, f, &Regression{coded: coded{Design: &transform.Design{Data: data}, dataHash: DataHash{Value: "h"}}, fit: f, sampler: m}).Fingerprint, *m.Gibbs, err
	}
	plain, _, _ := identity(0)
	one, o, err := identity(0, "x")
	if err != nil || !slices.Equal(o.Focus, []string{"x"}) {
		t.Fatalf("focus %+v: %v", o, err)
	}
	both, _, _ := identity(0, "x*")
	listed, _, _ := identity(0, "x2", "x")
	often, o, _ := identity(7, "x")
	if plain == one || one == both || one == often || both != listed || o.SweepEvery != 7 {
		t.Errorf("fingerprints: plain %s, x %s, x* %s, both names %s, period 7 %s", plain, one, both, listed, often)
	}
	if _, _, err := identity(0, "y"); err == nil || !strings.Contains(err.Error(), `dataset "d", model "m", sampler "s": scan for "y"`) {
		t.Errorf("an unknown coefficient: %v", err)
	}
}
