package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// hamiltonians replaces the sampler of quick by Gibbs and Hamiltonian ones.
func hamiltonians(data string) string {
	return strings.Replace(fmt.Sprintf(quick, data), "  gibbs: {method: cggibbs}", `  gibbs: {method: cggibbs}
  nuts: {method: nuts}
  dense: {method: nuts, metric: dense, max_depth: 8, target_accept: 0.9}
  hmc: {method: hmc, jitter: 0.3}`, 1)
}

// Hamiltonian samplers agree with Gibbs on one posterior, and the ledger has
// their statistics.
//
// False alarms: comparison's own, 0.01 for each of 3 pairs with a fixed seed.
func TestHamiltonianSamplersAgreeWithGibbs(t *testing.T) {
	spec := strings.Replace(hamiltonians("c: {path: claims.csv, by: [region]}"), "warmup: 20, draws: 60", "warmup: 300, draws: 600", 1)
	f := newFolder(t, spec)
	f.run(pipelines.RunOptions{})
	if got := f.ask("t.duckdb", `SELECT count(*), count(*) FILTER (agreement = 'agree') FROM comparison
		WHERE key = 'north' AND sampler_a <> sampler_b`); got != "6,6" {
		t.Errorf("pairs of samplers and those that agree: %s, want 6,6\n%s", got,
			f.ask("t.duckdb", "SELECT sampler_a, sampler_b, agreement, z_max, z_limit, worst FROM comparison"))
	}
	if got := f.ask("t.duckdb", `SELECT f.sampler, count(*) FILTER (step_size > 0), count(*) FILTER (energy IS NOT NULL AND gradients > 0)
		FROM chain c JOIN fit f USING (fit_id) WHERE f.key = 'north' AND f.sampler IN ('hmc', 'nuts') GROUP BY ALL ORDER BY ALL`); got != "hmc,2700,2700\nnuts,2700,2700" {
		t.Errorf("iterations with a step size and with a gradient: %s", got)
	}
	if got := f.ask("t.duckdb", `SELECT f.sampler, count(*) FROM diagnostic d JOIN fit f USING (fit_id)
		WHERE f.key = 'north' AND d.name = 'ebfmi' AND value > 0.3 GROUP BY ALL ORDER BY ALL`); got != "dense,3\nhmc,3\nnuts,3" {
		t.Errorf("chains with an E-BFMI above 0.3: %s", got)
	}
}

// A trajectory that max_depth ends is a warning of the fit.
func TestDepthIsWarnedAbout(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "c: {path: claims.csv, by: [region]}"),
		"gibbs: {method: cggibbs}", "nuts: {method: nuts, max_depth: 1}", 1))
	f.run(pipelines.RunOptions{Only: []string{"dataset=c/north"}})
	if got := f.ask("t.duckdb", "SELECT array_to_string(warnings, '; ') FROM latest WHERE key = 'north'"); !strings.Contains(got, "stopped at max_depth 1") {
		t.Errorf("warnings %q, want one about max_depth", got)
	}
}

// Stops in the middle of warm-up change no bit either.
func TestStoppedWarmupGoesOn(t *testing.T) {
	f := newFolder(t, strings.Replace(hamiltonians("claims: {path: claims.csv, by: [region]}"), "warmup: 20, draws: 60", "warmup: 400, draws: 100", 1))
	f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: f.path("whole.duckdb")}})
	bits := strings.ReplaceAll(bits, "f.key", "f.key, f.sampler")
	want := f.ask("whole.duckdb", bits)
	stopped := f.stopAndGoOn(400)
	if got := f.ask("t.duckdb", bits); got != want {
		t.Errorf("after %d stops: %s, want %s", stopped, got, want)
	}
}
