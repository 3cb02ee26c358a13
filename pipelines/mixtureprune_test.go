package pipelines_test

import (
	"testing"

	"glmbatch/pipelines"
)

// mixtureSpec has a mixture by each of its samplers.
const mixtureSpec = `
pipeline: test
database: t.duckdb
seed: 7
datasets:
  d: {path: "example:faithful.csv"}
models:
  given: {formula: waiting ~ 1, family: gaussian, mixture: {components: 2}}
  collapsed: {formula: waiting ~ 1, family: gaussian, mixture: {components: 2, conjugate: "normal_inverse_gamma(70, 0.05, 3, 70)"}}
samplers:
  s: {method: auto}
run: {chains: 2, warmup: 50, draws: 100}
`

// allocatedDigest is how many rows the ledger has of allocations, of how many fits, and their digest.
const allocatedDigest = `
	SELECT count(*), count(DISTINCT fit_id), md5(string_agg(concat_ws(',', model, row, component, observation, probability, meaningful), ';'
		ORDER BY model, observation, component)) FROM allocations`

// Allocations go with the fit of a mixture that is pruned, and the newest keeps its own.
func TestMixturePruned(t *testing.T) {
	f := newFolder(t, mixtureSpec)
	for seed := range uint64(3) {
		o := pipelines.RunOptions{}
		o.Seed = &seed
		f.run(o)
	}
	const rows = "SELECT count(*), count(DISTINCT fit_id) FROM allocation"
	before, all := f.ask("t.duckdb", allocatedDigest), f.ask("t.duckdb", rows)
	if _, err := pipelines.Prune(t.Context(), f.path("t.duckdb"), "", 1, 0); err != nil {
		t.Fatal(err)
	}
	if got := f.ask("t.duckdb", rows); all != "3264,6" || got != "1088,2" {
		t.Errorf("allocation has rows and fits %s, pruned %s", all, got)
	}
	if got := f.ask("t.duckdb", allocatedDigest); got != before {
		t.Errorf("allocations have %s, before %s", got, before)
	}
}
