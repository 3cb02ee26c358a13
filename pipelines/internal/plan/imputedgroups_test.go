package plan

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/groups"
	"glmbatch/internal/references"
)

// radonGaps are the rows of radon_mn as testdata/missing/jags/gaps.awk leaves them.
func radonGaps(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(references.Folder(t, "multilevel"), "radon_mn.csv"))
	must(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for n, line := range lines[1:] {
		cells := strings.Split(line, ",")
		for column, missing := range map[int]bool{1: n*7%10 == 3, 2: n*13%11 == 5, 3: n*11%32 == 4} {
			if missing {
				cells[column] = "NA"
			}
		}
		lines[n+1] = strings.Join(cells, ",")
	}
	return strings.Join(lines, "\n") + "\n"
}

// testdata/missing/radon_mn.reference.json has means and Monte Carlo standard errors by JAGS of coefficients, the sd of
// counties and their effects, cells and responses. False alarms: below 1e-6 for 300 means, 6.5 standard errors of both.
// Power: 0.1 of a standard deviation; that of the sd of counties, 0.2.
func TestImputedGroupsAgainstJAGS(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "missing", "radon_mn.reference.json"))
	must(t, err)
	var want struct {
		Parameters map[string]struct{ Mean, SD, MCSE float64 }
	}
	must(t, json.Unmarshal(text, &want))
	problem, err := problemOf(t, radonGaps(t), "formula: log_radon ~ floor + log_uppm + (1 | county), "+
		"prior: {intercept: {prior: 'normal(0, 10)', at: zero}, coefficients: 'normal(0, 10)', sd: half_normal(1), "+
		"sigma: half_normal(1)}, imputation: {log_uppm: {formula: log_uppm ~ 1, prior: {intercept: 'normal(0, 10)', "+
		"sigma: exponential(1)}}, floor: {formula: floor ~ log_uppm, prior: {coefficients: 'normal(0, 2)', intercept: "+
		"'normal(0, 2)'}}}", "chains: 2", "method: auto")
	must(t, err)
	params, means := batchMeans(t, problem, 2, 6000, 300)
	found, squares, largest := 0, 0.0, 0.0
	for j, p := range params {
		w, ok := want.Parameters[p.Name]
		if !ok {
			t.Errorf("the reference has no %s", p.Name)
			continue
		}
		found++
		mean, second := moments(means[j], nil)
		se := math.Hypot(second/math.Sqrt(float64(len(means[j])-1)), w.MCSE)
		z := (mean - w.Mean) / se
		squares, largest = squares+z*z, max(largest, math.Abs(z))
		if !(math.Abs(z) < 6.5) || se > 0.1*w.SD {
			t.Errorf("%s: %.4f ± %.4f, JAGS %.4f ± %.4f (z = %.1f, sd %.3f)", p.Name, mean, se, w.Mean, w.MCSE, z, w.SD)
		}
	}
	if found != len(want.Parameters) || found < 250 {
		t.Errorf("%d of %d parameters are there", found, len(want.Parameters))
	}
	t.Logf("%d differences: mean square %.2f squared standard errors, largest %.1f", found, squares/float64(found), largest)
}

// batchMeans are the parameters of a problem and their means in the units of the data over batches of draws of each
// chain, after a batch of warm-up.
func batchMeans(t *testing.T, problem Problem, chains, draws, batch int) ([]infer.Parameter, [][]float64) {
	t.Helper()
	setup, err := problem.Setup(nil, Schedule{}, nil)
	must(t, err)
	sampler := setup.Sampler
	means := make([][]float64, len(sampler.Parameters()))
	for c := range chains {
		k, err := sampler.Kernel(infer.Chain{Index: c, Count: chains, Stream: infer.NewStream(3, "jags", fmt.Sprint(c))})
		must(t, err)
		theta := make([]float64, len(means))
		for i := range draws + batch {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			if i < batch {
				continue
			}
			k.Position(theta)
			problem.ToData(theta)
			for j, x := range theta {
				if i%batch == 0 {
					means[j] = append(means[j], 0)
				}
				means[j][len(means[j])-1] += x / float64(batch)
			}
		}
	}
	return sampler.Parameters(), means
}

// levelsWithoutAResponse are 40 rows in groups, with missing cells of x and of all responses of one group.
func levelsWithoutAResponse(t *testing.T, run string) *Imputed {
	t.Helper()
	var b strings.Builder
	b.WriteString("y,x,g,h\n")
	for i := range 40 {
		y, x := fmt.Sprint(i*7%11), fmt.Sprint(i*5%13)
		if i%8 == 7 {
			y = "NA" // all of level g7
		}
		if i%6 == 2 {
			x = "NA"
		}
		fmt.Fprintf(&b, "%s,%s,g%d,%d\n", y, x, i%8, i%3)
	}
	problem, err := problemOf(t, b.String(), "formula: y ~ x + (1 | g) + (1 | g:h)", run, "method: auto")
	must(t, err)
	return problem.(*Imputed)
}

// Levels of a grouping are those of all rows, also of rows without a response; draws of effects are kept with those of
// cells alone.
func TestLevelsOfRowsWithoutAResponse(t *testing.T) {
	p := levelsWithoutAResponse(t, "chains: 2")
	setup, err := p.Setup(nil, Schedule{}, nil)
	must(t, err)
	params := setup.Sampler.Parameters()
	names, n := map[string]int{}, len(params)
	for i, q := range params {
		names[q.Name] = i
	}
	for _, name := range []string{"r_g[g7,Intercept]", "r_g:h[g7_0,Intercept]"} {
		if names[name] < n-p.effects() {
			t.Errorf("%s is parameter %d of %d", name, names[name], n)
		}
	}
	if p.effects() != 8+24 || p.cells != 7+5 || names["Ymi_y[8]"] != n-p.effects()-5 {
		t.Errorf("%d effects, %d cells, the first missing response is parameter %d of %d", p.effects(), p.cells,
			names["Ymi_y[8]"], n)
	}
	if got := p.undrawn(); got != 0 {
		t.Errorf("%d of %d parameters have no draws stored", got, n)
	}
	summarised := levelsWithoutAResponse(t, "chains: 2, keep: {groups: summary}")
	if got := summarised.undrawn(); got != 32 {
		t.Errorf("with summaries of effects %d parameters have no draws stored, want 32", got)
	}
	for q, want := range map[*Imputed]string{p: "draws", summarised: "draws but of group-level effects"} {
		id := Identity{Keep: "draws", Versions: map[string]string{}}
		if q.Identify(&id); id.Keep != want || id.Versions["groups"] != groups.Version {
			t.Errorf("the identity keeps %q and has versions %v, want %q", id.Keep, id.Versions, want)
		}
	}
	asked := levelsWithoutAResponse(t, "chains: 2, keep: {groups: draws}")
	if asked.cells = maxEffects; asked.refuseDraws() != nil || asked.undrawn() != 0 {
		t.Errorf("draws beside %d cells: %v, %d of %d not stored", maxEffects, asked.refuseDraws(), asked.undrawn(), n)
	}
	if asked.cells++; asked.refuseDraws() == nil || !strings.Contains(asked.refuseDraws().Error(), "10001 missing cells") {
		t.Errorf("draws of effects beside 10,001 cells: %v", asked.refuseDraws())
	}
	if got, want := asked.undrawn(), 32+10_001; got != want {
		t.Errorf("beside 10,001 cells %d parameters have no draws stored, want %d", got, want)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
