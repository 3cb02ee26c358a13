package plan

import (
	"strings"
	"testing"

	"glmbatch/infer/prior"
	"glmbatch/pipelines/internal/spec"
)

// Samplers that gain nothing from an earlier posterior say why.
func TestWhoStartsAnew(t *testing.T) {
	plain, horseshoe := &spec.Model{}, &spec.Model{}
	plain.Family.Name, plain.Family.Link = "bernoulli", "logit"
	*horseshoe = *plain
	horseshoe.Prior.Coefficients.Kind = prior.Horseshoe
	for _, c := range []struct {
		sampler spec.Sampler
		model   *spec.Model
		want    string
	}{
		{spec.Sampler{Method: "conjugate"}, plain, "conjugate draws independently"},
		{spec.Sampler{Method: "nuts", Metric: "dense"}, plain, "a dense metric learns directions"},
		{spec.Sampler{Method: "hmc", Basis: "reduced"}, plain, "hmc moves in other coordinates"},
		{spec.Sampler{Method: "nuts"}, horseshoe, "under horseshoe priors nuts moves in other coordinates"},
		{spec.Sampler{Method: "nuts"}, plain, ""},
		{spec.Sampler{Method: "auto"}, plain, ""},
		{spec.Sampler{Method: "cggibbs"}, horseshoe, ""},
	} {
		m := resolve(&c.sampler, c.model)
		f := &Regression{fit: &Fit{Model: c.model, Sampler: &c.sampler}, sampler: m}
		if got := f.startsAnew(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", c.sampler, got, c.want)
		}
	}
}

// A warm fit has a quarter of the usual warm-up and the usual number of draws at its
// first check; what the spec gives stays.
func TestWarmSchedule(t *testing.T) {
	for _, c := range []struct {
		usual Schedule
		given bool
		want  Window
	}{
		{Schedule{first: 500, max: 20000}, false, Window{62, 312}},
		{Schedule{first: 60, max: 20000}, false, Window{20, 50}},
		{Schedule{fixedWarmup: 1000, fixedDraws: 1000}, false, Window{250, 1250}},
		{Schedule{fixedWarmup: 700, fixedDraws: 1000}, true, Window{700, 1700}},
		{Schedule{fixedWarmup: 0, fixedDraws: 10}, false, Window{0, 10}},
	} {
		if got := c.usual.warmed(c.given).Start(); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.usual, got, c.want)
		}
	}
}
