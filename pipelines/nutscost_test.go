package pipelines_test

import (
	"database/sql"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"glmbatch/infer/diag"
	"glmbatch/infer/infertest"
	"glmbatch/internal/references"
	"glmbatch/pipelines"
)

// stanCosts has a line for each of 12 chains of Stan's NUTS: STAN_COST=1 testdata/multilevel/references.R.
const stanCosts = "../testdata/multilevel/stan.txt"

// TestNutsCostOfGroups is the bar that NUTS has to clear on models with group-level effects (full form): as many
// effective draws per gradient as Stan's NUTS in the same form of effects, with defaults and lengths as its chains have,
// and no more divergences. Rates are the least bulk ESS of a parameter in a chain, effects in.
//
// False alarms: 4 standard errors of the difference of mean log rates, 3e-5 each as far as these are normal. Power:
// log rates have standard deviations of 0.1 to 0.5 from chain to chain, so that half the rate is found everywhere.
func TestNutsCostOfGroups(t *testing.T) {
	text, err := os.ReadFile(stanCosts)
	must(t, err)
	theirs, divergences := map[[2]string][]float64{}, map[[2]string]int{}
	for line := range strings.Lines(string(text)) {
		var of [2]string
		var chain, divergent int
		var ess, warm, drawn float64
		if _, err := fmt.Sscanf(line, "stan %s %s %d %f %f %f %d", &of[0], &of[1], &chain, &ess, &warm, &drawn, &divergent); err != nil {
			t.Fatalf("%s: %q: %v", stanCosts, line, err)
		}
		theirs[of] = append(theirs[of], math.Log(ess/drawn))
		divergences[of] += divergent
	}
	if len(theirs) < 5 {
		t.Errorf("%s has %d posteriors", stanCosts, len(theirs))
	}
	for of, stan := range theirs {
		t.Run(of[0], func(t *testing.T) {
			if len(stan) != 12 {
				t.Errorf("%v: %d chains of Stan, want 12", of, len(stan))
			}
			if !infertest.Full() {
				t.Skip("minutes; set GLMBATCH_STAT=1")
			}
			ours, divergent := nutsCosts(t, of[0], of[1])
			a, va := stat.MeanVariance(ours, nil)
			b, vb := stat.MeanVariance(stan, nil)
			se := math.Sqrt(va/float64(len(ours)) + vb/float64(len(stan)))
			t.Logf("%s: %.4f per gradient, Stan %.4f: ratio %.2f [%.2f, %.2f]; %d and %d divergences", of[1],
				math.Exp(a), math.Exp(b), math.Exp(a-b), math.Exp(a-b-2*se), math.Exp(a-b+2*se), divergent, divergences[of])
			if (a-b)/se < -4 || divergent > divergences[of]+12 {
				t.Errorf("%s: worse than Stan's", of[1])
			}
		})
	}
}

// nutsCosts returns the log of the effective draws per gradient of each chain, and the divergences of all.
func nutsCosts(t *testing.T, name, form string) (rates []float64, divergences int) {
	t.Helper()
	at := slices.IndexFunc(stanPosteriors, func(p struct {
		name, model string
		draws       int
	}) bool {
		return p.name == name
	})
	file, _, _ := strings.Cut(name, "-")
	f := newFolder(t, fmt.Sprintf(`{pipeline: cost, database: t.duckdb, seed: %d, datasets: {%s: {path: %q}}, models: {%s: {formula: %s}},
		samplers: {s: {method: nuts, effects: %s}}, run: {chains: 12, warmup: 1000, draws: 1000}}`, infertest.Seed(t), file,
		filepath.Join(references.Folder(t, "multilevel"), file+".csv"), name, stanPosteriors[at].model, form))
	if out := f.run(pipelines.RunOptions{}); out.Fits[0].Err != nil {
		t.Fatal(out.Fits[0].Err)
	}
	db, err := sql.Open("duckdb", f.path("t.duckdb")+"?access_mode=READ_ONLY")
	must(t, err)
	defer db.Close()
	for chain := range 12 {
		rows, err := db.QueryContext(t.Context(), "SELECT parameter_id, value FROM draw WHERE chain = ? ORDER BY parameter_id, iteration", chain+1)
		must(t, err)
		draws := map[int][]float64{}
		for rows.Next() {
			var parameter int
			var value float64
			must(t, rows.Scan(&parameter, &value))
			draws[parameter] = append(draws[parameter], value)
		}
		must(t, rows.Err())
		var gradients float64
		var divergent int
		if err := db.QueryRowContext(t.Context(), "SELECT sum(gradients), sum(divergent::INT) FROM chain WHERE chain = ? AND NOT warmup",
			chain+1).Scan(&gradients, &divergent); err != nil {
			t.Fatal(err)
		}
		least := math.Inf(1)
		for _, values := range draws {
			least = min(least, diag.ESSBulk([][]float64{values}))
		}
		rates, divergences = append(rates, math.Log(least/gradients)), divergences+divergent
	}
	return rates, divergences
}
