package groups

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// Chains start at the effects of levels in an earlier posterior and near 0 in others, at its sds and correlations;
// the last one starts from the prior. A start without is as before, to the bit.
func TestStartsAroundTheEarlierPosterior(t *testing.T) {
	s := newStudy("poisson", "log", 40, [2]int{4, 3}, [2]int{2, 1})
	_, data := s.draw(infer.NewStream(3, "started"))
	said := map[string][2]float64{
		"sd_g__Intercept": {math.Log(0.3), 1e-9}, "sd_g__t1": {math.Log(2), 1e-9}, "sd_g__t2": {math.Log(0.5), 1e-9},
		"cor_g__Intercept__t1": {0.5, 1e-9}, "cor_g__Intercept__t2": {-0.4, 1e-9}, "cor_g__t1__t2": {0.2, 1e-9},
		"r_g[0,Intercept]": {0.7, 1e-9}, "r_g[2,t1]": {-1.1, 1e-9}, "r_h[1,Intercept]": {0.25, 1e-9},
	}
	around := 0
	earlier := &Earlier{
		Around: func(t *glm.Target) (*glm.Target, error) { around++; return t, nil },
		Of: func(p infer.Parameter) (float64, float64, bool) {
			v, ok := said[p.Name]
			return v[0], v[1], ok
		},
	}
	at := func(o Options, index, count int) (map[string]float64, string) {
		setup, err := New(data, s.model, nil, o)
		must(t, err)
		k, err := setup.Kernel(infer.Chain{Index: index, Count: count, Stream: infer.NewStream(4, "chain")})
		must(t, err)
		position, out := make([]float64, len(setup.Parameters())), map[string]float64{}
		k.Position(position)
		for i, p := range setup.Parameters() {
			out[p.Name] = position[i]
		}
		return out, k.(interface{ Start() string }).Start()
	}
	got, words := at(Options{Earlier: earlier}, 0, 2)
	for name, v := range said {
		want := v[0]
		if name[:2] == "sd" {
			want = math.Exp(want)
		}
		if math.Abs(got[name]-want) > 1e-6 {
			t.Errorf("%s starts at %v, want %v", name, got[name], want)
		}
	}
	for name, sd := range map[string]float64{"r_g[1,Intercept]": 0.3, "r_g[3,t1]": 2, "r_g[0,t2]": 0.5} {
		if v := math.Abs(got[name]) / sd; v == 0 || v > 0.5 { // five sd of 0.1
			t.Errorf("%s, which is new, starts at %v sds", name, v)
		}
	}
	if around != 1 || words == "" {
		t.Errorf("moved %d times, %q", around, words)
	}
	usual, _ := at(Options{}, 1, 2)
	last, _ := at(Options{Earlier: earlier}, 1, 2)
	for name, v := range usual {
		if last[name] != v {
			t.Errorf("the last chain starts with %s at %v, and without an earlier posterior at %v", name, last[name], v)
		}
	}
	said["cor_g__t1__t2"] = [2]float64{1, 0}
	if got, _ = at(Options{Earlier: earlier}, 0, 2); !(math.Abs(got["cor_g__t1__t2"]) < 1) {
		t.Errorf("a correlation that was 1 starts at %v", got["cor_g__t1__t2"])
	}
	delete(said, "cor_g__t1__t2")
	if got, _ = at(Options{Earlier: earlier}, 0, 2); got["cor_g__Intercept__t1"] != 0 {
		t.Errorf("correlations of which one is not known start at %v", got["cor_g__Intercept__t1"])
	}
}
