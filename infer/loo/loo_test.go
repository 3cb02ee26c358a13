package loo

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const goldenDir = "../../testdata/loo"

// lines returns the lines of a golden file.
func lines(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(goldenDir, name))
	if err != nil {
		t.Fatalf("%v (make it: cd testdata/loo && Rscript make_golden.R)", err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func numbers(t testing.TB, fields []string) []float64 {
	t.Helper()
	var out []float64
	for _, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// chainsOf cuts a row of log likelihoods into chains.
func chainsOf(x []float64, chains int) [][]float64 {
	var out [][]float64
	n := len(x) / chains
	for c := range chains {
		out = append(out, x[c*n:(c+1)*n])
	}
	return out
}

// golden is a row of golden.csv.
type golden struct {
	name   string
	chains int
	row    int
	want   []float64 // elpd, p, k, waic, pwaic, reff, mcse, then sums with their errors
}

func goldens(t testing.TB) []golden {
	var out []golden
	for _, line := range lines(t, "golden.csv")[1:] {
		f := strings.Split(line, ",")
		v := numbers(t, f[1:])
		out = append(out, golden{f[0], int(v[0]), int(v[1]), v[2:]})
	}
	return out
}

func near(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))
}

// Every number of every row equals that of R's loo: heavy tails, ties, tails too
// short to fit, one chain and three, lengths that are no power of two, and
// likelihoods as small as e^-500.
func TestRowsEqualR(t *testing.T) {
	var w Workspace
	var elpd, p, waic []float64
	all := goldens(t)
	for i, g := range all {
		row := w.Row(chainsOf(numbers(t, strings.Split(lines(t, g.name+".csv")[g.row-1], ",")), g.chains))
		got := []float64{row.ELPD, row.P, row.K, row.WAIC, row.PWAIC, row.Efficiency, row.MCSE}
		for j, name := range []string{"elpd", "p", "k", "waic", "p_waic", "r_eff", "mcse"} {
			if !near(got[j], g.want[j], 1e-9) {
				t.Errorf("%s, row %d: %s is %.12g, R has %.12g", g.name, g.row, name, got[j], g.want[j])
			}
		}
		elpd, p, waic = append(elpd, row.ELPD), append(p, row.P), append(waic, row.WAIC)
		if i+1 < len(all) && all[i+1].name == g.name {
			continue
		}
		want := g.want[7:]
		for j, values := range [][]float64{elpd, p, waic} {
			if total, se := Sum(values, nil); !near(total, want[2*j], 1e-9) || !near(se, want[2*j+1], 1e-9) {
				t.Errorf("%s: sum %d is %v ± %v, R has %v ± %v", g.name, j, total, se, want[2*j], want[2*j+1])
			}
		}
		elpd, p, waic = nil, nil, nil
	}
}

// Weights are those of R's psis, draw by draw; they add up to 1, and the likelihood under them is that of ELPD.
func TestSmoothedWeightsEqualR(t *testing.T) {
	var w Workspace
	chains := map[string]int{}
	for _, g := range goldens(t) {
		chains[g.name] = g.chains
	}
	for _, line := range lines(t, "smoothed.csv")[1:] {
		f := strings.Split(line, ",")
		want := numbers(t, f[1:])
		logLik := numbers(t, strings.Split(lines(t, f[0]+".csv")[int(want[0])-1], ","))
		row := w.Row(chainsOf(logLik, chains[f[0]]))
		weights := make([]float64, len(logLik))
		w.Weights(logLik, 1, weights)
		some, of := make([]float64, (len(weights)+2)/3), 0.0
		w.Weights(logLik, 3, some)
		for s := range some {
			of += weights[3*s]
		}
		for s, v := range some {
			if !near(v, weights[3*s]/of, 1e-12) {
				t.Fatalf("%s, row %s: every third draw: %v, want %v", f[0], f[1], v, weights[3*s]/of)
			}
		}
		sum, squares, place, lik := 0.0, 0.0, 0.0, 0.0
		for s, v := range weights {
			sum, squares, place = sum+v, squares+v*v, place+v*float64(s+1)
			lik += v * math.Exp(logLik[s]-row.ELPD)
		}
		if !near(sum, 1, 1e-12) || !near(squares, want[1], 1e-9) || !near(place, want[2], 1e-9) || !near(lik, 1, 1e-9) {
			t.Errorf("%s, row %s: sum %v, squares %v, place %v, likelihood %v; R has squares %v, place %v", f[0], f[1], sum, squares,
				place, lik, want[1], want[2])
		}
	}
}

// Identities that need no reference: a shift of the log likelihood shifts ELPD
// and WAIC, the chains' order does not matter, and a constant likelihood is its
// own prediction.
func TestRowIdentities(t *testing.T) {
	var w Workspace
	r := rand.New(rand.NewPCG(3, 3))
	chains := make([][]float64, 4)
	shifted := make([][]float64, 4)
	for c := range chains {
		for range 250 {
			l := -r.ExpFloat64()
			chains[c] = append(chains[c], l)
			shifted[3-c] = append(shifted[3-c], l-2000)
		}
	}
	a, b := w.Row(chains), w.Row(shifted)
	if !near(b.ELPD, a.ELPD-2000, 1e-12) || !near(b.WAIC, a.WAIC-2000, 1e-12) || !near(a.K, b.K, 1e-6) || !near(a.Efficiency, b.Efficiency, 1e-9) {
		t.Errorf("shifted by 2000: %+v and %+v", a, b)
	}
}

// A row whose likelihood is the same at all draws has an exact density and no Pareto shape, as in package posterior.
func TestConstantRows(t *testing.T) {
	var w Workspace
	r := rand.New(rand.NewPCG(4, 4))
	for _, c := range []struct {
		level, spread float64
		none          bool
	}{
		{0, 0, true}, {-3, 0, true}, {-1e6, 0, true}, {-1e-26, 1e-26, true}, {-3, 1e-9, true},
		{-3, 1e-6, false}, {-1e-3, 1e-4, false},
	} {
		chains := make([][]float64, 4)
		for c2 := range chains {
			for range 250 {
				chains[c2] = append(chains[c2], c.level-c.spread*r.ExpFloat64())
			}
		}
		row := w.Row(chains)
		if math.IsNaN(row.K) != c.none || row.Reason != "" || !near(row.ELPD, c.level, 10*c.spread+1e-15) {
			t.Errorf("level %v, spread %v: %+v", c.level, c.spread, row)
		}
	}
}

func TestRowWithoutNumbers(t *testing.T) {
	var w Workspace
	for name, chains := range map[string][][]float64{
		"NaN": {{-1, math.NaN(), -2}}, "impossible": {{-1, math.Inf(-1)}}, "one draw": {{-1}}, "none": {},
	} {
		if row := w.Row(chains); !math.IsNaN(row.ELPD) || !math.IsNaN(row.K) || row.Reason == "" {
			t.Errorf("%s: %+v", name, row)
		}
	}
	if _, se := Sum([]float64{1}, nil); !math.IsNaN(se) {
		t.Errorf("the error of one row is %v", se)
	}
}

// A value that counts three times is three values.
func TestSumOfFrequencies(t *testing.T) {
	total, se := Sum([]float64{1, 4, -2}, []float64{3, 1, 2})
	wantTotal, wantSE := Sum([]float64{1, 1, 1, 4, -2, -2}, nil)
	if !near(total, wantTotal, 1e-15) || !near(se, wantSE, 1e-15) {
		t.Errorf("%v ± %v, want %v ± %v", total, se, wantTotal, wantSE)
	}
}

func TestSortLast(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 2000 {
		x := make([]float64, 1+r.IntN(300))
		for i := range x {
			x[i] = float64(r.IntN(40)) // ties
		}
		want := slices.Sorted(slices.Values(x))
		count := r.IntN(len(x) + 2)
		sortLast(x, count)
		at := max(0, len(x)-count)
		if !slices.Equal(x[at:], want[at:]) {
			t.Fatalf("the last %d of %d: %v, want %v", count, len(x), x[at:], want[at:])
		}
	}
}

func TestThreshold(t *testing.T) {
	for draws, want := range map[int]float64{100: 0.5, 1000: 2. / 3, 4000: 0.7} {
		if got := Threshold(draws); !near(got, want, 1e-12) {
			t.Errorf("%d draws: %v, want %v", draws, got, want)
		}
	}
}

func BenchmarkRow(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 3))
	chains := make([][]float64, 4)
	for c := range chains {
		for range 1000 {
			z := r.NormFloat64()
			chains[c] = append(chains[c], -z*z/4)
		}
	}
	var w Workspace
	for b.Loop() {
		w.Row(chains)
	}
}
