package plan

import (
	"strings"
	"testing"

	"glmbatch/infer/cggibbs"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// Samplers of a design with smooths: auto takes cggibbs and says why, what serves is taken as it is, and what does not is
// refused by name.
func TestSamplersOfSmooths(t *testing.T) {
	for options, want := range map[string]string{
		"method: auto":                                       "cggibbs: auto chose cggibbs: the formula has smooths",
		"method: cggibbs":                                    "cggibbs: ",
		"method: cggibbs, basis: auto":                       "cggibbs: ",
		"method: nuts":                                       "nuts: ",
		"method: hmc":                                        "hmc: ",
		"method: conjugate":                                  `model "m" has smooths: sampler "s" is conjugate`,
		"method: cggibbs, basis: rotated":                    `sampler "s" has basis: rotated`,
		"method: cggibbs, update: tangent":                   `sampler "s" has update: tangent`,
		"method: cggibbs, basis: auto, joint: on":            `sampler "s" has joint: on`,
		"method: cggibbs, slow: on":                          `sampler "s" has slow: on`,
		"method: cggibbs, basis: coordinate, scan: {for: x}": `sampler "s" has scan: {for: …}`,
	} {
		plain := replaced(" + (1 + x | g) + (1 | h)", "")
		fit, _, _ := groupedFit(t, func(text string) string {
			return strings.Replace(plain(none(text)), "method: auto", options, 1)
		}, same)
		got := ""
		s, err := resolve(fit.Sampler, fit.Model).smooth(fit)
		if got = s.Name + ": " + s.Reason; err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) && !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
		if o := s.Gibbs; o != nil && options == "method: auto" && o.Basis != "auto" {
			t.Errorf("auto takes the basis %q", o.Basis)
		}
	}
}

// The prior of a smooth's parameters is spelt, and its version is part of a fit's identity.
func TestPriorsOfSmooths(t *testing.T) {
	fit, problem, err := groupedFit(t, func(text string) string { return replaced(" + (1 + x | g) + (1 | h)", "")(none(text)) }, same)
	must(t, err)
	r := problem.(*Regression)
	own := *r.Data
	own.Smooths = []matrix.Smooth{{Name: "sx_1", Term: "s(x)", First: 1, Last: 2}}
	r.Data = &own
	given := posterior(fit.Model, r.Data)
	target, err := glm.NewTarget(r.Data, given)
	must(t, err)
	var list []string
	for _, p := range target.Parameters() {
		p.Name = strings.Replace(p.Name, "x", "s_sx_1[1]", 1)
		if p.Term == "" {
			continue
		}
		if p.Kind == "smooth_sd" {
			p.Name = "sds_sx_1"
		}
		list = append(list, smoothPrior(&given, r.Data, p))
	}
	if got := strings.Join(list, "; "); !strings.HasPrefix(got, "normal(0, sds_sx_1); half_student_t(3, ") {
		t.Errorf("priors %s", got)
	}
	id := Identity{Versions: map[string]string{}}
	r.Identify(&id)
	if id.Versions["smooths"] != cggibbs.SmoothsVersion {
		t.Errorf("versions %v", id.Versions)
	}
}
