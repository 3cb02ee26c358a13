package assess

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/nuts"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
)

// infos returns trajectories with a slowly or a quickly moving energy, every
// fourth of a given depth.
func infos(n, depth int, slow bool) []infer.Info {
	out := make([]infer.Info, n)
	for i := range out {
		out[i] = infer.Info{Energy: float64(i % 7), Accept: 0.5, StepSize: 0.25, Depth: 2, Leapfrogs: 3}
		if slow {
			out[i].Energy = float64(i)
		}
		if i%4 == 0 {
			out[i].Depth = int32(depth)
		}
	}
	return out
}

// trajectories is a Hamiltonian method, static if maxDepth is 0.
func trajectories(maxDepth int, aim float64) *plan.Method {
	return &plan.Method{Trajectories: &plan.Trajectories{Options: nuts.Options{Static: maxDepth == 0, MaxDepth: maxDepth, TargetAccept: aim}}}
}

// Warnings name what happened, how often, and what to do.
func TestHamiltonianWarnings(t *testing.T) {
	nuts := trajectories(10, 0.5)
	for name, c := range map[string]struct {
		m           *plan.Method
		depth       int
		slow        bool
		divergences int
		want        []string // one for each warning, in order
	}{
		"quiet":       {m: nuts, depth: 9},
		"gibbs":       {m: &plan.Method{Method: spec.CGGibbs}, depth: 10, slow: true},
		"deep":        {m: nuts, depth: 10, want: []string{"10 of 80 trajectories stopped at max_depth 10"}},
		"diverged":    {m: nuts, depth: 3, divergences: 5, want: []string{"5 of 80 trajectories diverged"}},
		"slow":        {m: nuts, depth: 3, slow: true, want: []string{"E-BFMI is below 0.3 in 1 of 2 chains"}},
		"static":      {m: trajectories(0, 0.5), depth: 10},
		"too large":   {m: trajectories(10, 0.8), depth: 3, want: []string{"mean acceptance is 0.50 in the worst of 2 of 2 chains, where warm-up aimed at 0.8"}},
		"near enough": {m: trajectories(0, 0.65), depth: 3},
		"highest aim": {m: trajectories(10, 0.99), depth: 3, divergences: 5, want: []string{"5 of 80 trajectories diverged: " +
			"parts of the posterior may be missing from the draws; scale", "mean acceptance"}},
		"all together": {m: nuts, depth: 11, slow: true, divergences: 1, want: []string{"1 of 80", "10 of 80", "E-BFMI"}},
	} {
		h := new(hamiltonian)
		addChain(h, infos(40, c.depth, c.slow))
		addChain(h, infos(40, 2, false))
		got := h.warnings(c.m, c.divergences)
		if len(got) != len(c.want) {
			t.Errorf("%s: warnings %q, want %d", name, got, len(c.want))
			continue
		}
		for i, w := range c.want {
			if !strings.HasPrefix(got[i], w) || !strings.Contains(got[i], "; ") {
				t.Errorf("%s: warning %q, want one that begins with %q and says what to do", name, got[i], w)
			}
		}
	}
}

func TestHamiltonianDiagnostics(t *testing.T) {
	h := new(hamiltonian)
	addChain(h, infos(40, 10, false))
	addChain(h, infos(40, 2, true))
	if got := h.diagnostics(&plan.Method{Method: spec.CGGibbs}); got != nil {
		t.Errorf("a Gibbs sampler has the diagnostics %v", got)
	}
	got := map[string]float64{}
	for _, d := range h.diagnostics(trajectories(10, 0.5)) {
		if d.Chain <= 0 {
			got[d.Name] = d.Value
		}
	}
	for name, want := range map[string]float64{"accept": 0.5, "step_size": 0.25, "leapfrogs": 240, "max_depth_hits": 10} {
		if math.Abs(got[name]-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for _, d := range h.diagnostics(trajectories(10, 0.5)) {
		if d.Chain == 1 && d.Name == "accept" && math.Abs(d.Value-0.5) > 1e-12 {
			t.Errorf("the second chain's accept is %v, want 0.5", d.Value)
		}
	}
	if !(got["ebfmi"] > 1) {
		t.Errorf("the first chain's ebfmi is %v", got["ebfmi"])
	}
}

// addChain gives a chain's iterations in two parts.
func addChain(h *hamiltonian, infos []infer.Info) {
	var energy []float64
	for i := range infos {
		energy = append(energy, infos[i].Energy)
	}
	h.add(infos[:7])
	h.add(infos[7:])
	h.end(energy)
}
