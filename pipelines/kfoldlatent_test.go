package pipelines_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// latentSpec has models of which each row has latent states in addition to the parameters.
const latentSpec = `
pipeline: latent
seed: 9
database: t.duckdb
datasets: {few: few.csv}
models:
  cells:
    formula: y ~ x * z
    family: gaussian
    standardize: none
    missing: impute
    imputation: {x: {formula: x ~ 1, family: bernoulli, prior: {intercept: "normal(0, 1.5)"}}}
    prior: {coefficients: "normal(0, 2)", intercept: {prior: "normal(0, 3)", at: zero}, sigma: constant(1)}
  normal:
    formula: y ~ 1
    family: gaussian
    standardize: none
    missing: drop
    mixture: {components: 2}
    prior: {intercept: "normal(0, 3)", sigma: constant(1)}
  counts:
    formula: k ~ 1
    family: poisson
    missing: drop
    mixture: {components: 2, conjugate: "gamma(2, 0.5)"}
  classes:
    formula: cbind(x, k, q) ~ 1
    mixture: {components: 2, items: {x: bernoulli, k: {family: poisson, conjugate: "gamma(2, 0.5)"}}}
samplers: {auto: {}, plain: {method: cggibbs}}
fits:
  - {models: [cells, normal], samplers: [auto]}
  - {models: [counts, classes], samplers: [auto, plain]}
run: {chains: 4, warmup: 300, draws: 2500, kfold: %s}
gates: {ess_tail: 100}
`

// latentRow is a row of the data; x is NaN if it is missing.
type latentRow struct {
	y, x, z, k float64
	q          int // a, b or c
}

var latentRows = []latentRow{{2.1, 1, 0.5, 3, 0}, {-1.2, 0, -1, 0, 1}, {0.4, math.NaN(), 1.5, 1, 0}, {1.9, 1, -0.5, 7, 2},
	{-0.6, 0, 1, 2, 1}, {2.8, math.NaN(), 0, 9, 0}, {-2.2, 0, -1.5, 0, 1}, {3.3, 1, 1, 5, 2}, {0.1, math.NaN(), -1, 1, 2}}

// level is that of the column g in a row.
func level(row int) rune { return 'u' + rune(math.Abs(latentRows[row].y))%3 }

// sumStates adds up a density over all states 0 and 1 of some places.
func sumStates(places []int, state []float64, density func() float64) float64 {
	if len(places) == 0 {
		return density()
	}
	sum := 0.0
	for _, u := range []float64{0, 1} {
		state[places[0]] = u
		sum += sumStates(places[1:], state, density)
	}
	return sum
}

// marginalNormal is the density of normal responses with variance 1 about a linear predictor of independent normal
// coefficients, each with its own sd: normal with covariance I + Σ sd²·x·xᵀ, whose factor is made row by row.
func marginalNormal(y []float64, sd []float64, x [][]float64) float64 {
	n := len(y)
	l, log := make([][]float64, n), 0.0
	z := make([]float64, n)
	for i := range n {
		l[i] = make([]float64, i+1)
		rest := y[i]
		for j := range i + 1 {
			v := 0.0
			if i == j {
				v = 1
			}
			for c, s := range sd {
				v += s * s * x[i][c] * x[j][c]
			}
			for m := range j {
				v -= l[i][m] * l[j][m]
			}
			if i == j {
				l[i][i] = math.Sqrt(v)
			} else {
				l[i][j] = v / l[j][j]
				rest -= l[i][j] * z[j]
			}
		}
		z[i] = rest / l[i][i]
		log -= z[i]*z[i]/2 + math.Log(l[i][i]) + math.Log(2*math.Pi)/2
	}
	return math.Exp(log)
}

// withCells is the density of the responses of some rows and of the observed cells of x, of all rows: summed over
// the others, and over the log odds of x on a grid.
func withCells(rows []int) float64 {
	x, missing := make([]float64, len(latentRows)), []int(nil)
	ones, zeros := 0.0, 0.0
	for i, r := range latentRows {
		switch {
		case r.x == 1:
			ones++
		case r.x == 0:
			zeros++
		case slices.Contains(rows, i):
			missing = append(missing, i)
		}
		x[i] = r.x
	}
	return sumStates(missing, x, func() float64 {
		one, zero := ones, zeros
		for _, i := range missing {
			one, zero = one+x[i], zero+1-x[i]
		}
		odds := 0.0
		const step = 0.01
		for a := -12.0; a <= 12; a += step {
			p := 1 / (1 + math.Exp(-a))
			odds += step * math.Exp(-a*a/(2*1.5*1.5)) / (1.5 * math.Sqrt(2*math.Pi)) * math.Pow(p, one) * math.Pow(1-p, zero)
		}
		var y []float64
		var design [][]float64
		for _, i := range rows {
			y = append(y, latentRows[i].y)
			design = append(design, []float64{1, x[i], latentRows[i].z, x[i] * latentRows[i].z})
		}
		return odds * marginalNormal(y, []float64{3, 2, 2, 2}, design)
	})
}

// ofLabels is the density of some rows in a mixture of two components with weights that are equally likely: of(rows) is
// that of the rows of one component.
func ofLabels(rows []int, of func(rows []int) float64) float64 {
	labels, all := make([]float64, len(latentRows)), math.Gamma(float64(len(rows)+2))
	return sumStates(rows, labels, func() float64 {
		var parts [2][]int
		for _, i := range rows {
			parts[int(labels[i])] = append(parts[int(labels[i])], i)
		}
		a, b := float64(len(parts[0])), float64(len(parts[1]))
		return math.Gamma(a+1) * math.Gamma(b+1) / all * of(parts[0]) * of(parts[1])
	})
}

// normalPart is the density of normal responses of variance 1 about a mean normal(0, 3).
func normalPart(rows []int) float64 {
	var y []float64
	var ones [][]float64
	for _, i := range rows {
		y, ones = append(y, latentRows[i].y), append(ones, []float64{1})
	}
	return marginalNormal(y, []float64{3}, ones)
}

// countsPart is the density of counts whose mean is gamma(2, 0.5).
func countsPart(rows []int) float64 {
	sum, factorials, n := 2.0, 1.0, float64(len(rows))
	for _, i := range rows {
		sum, factorials = sum+latentRows[i].k, factorials*math.Gamma(latentRows[i].k+1)
	}
	return math.Pow(0.5, 2) / math.Pow(0.5+n, sum) * math.Gamma(sum) / math.Gamma(2) / factorials
}

// itemsPart is the density of three items: x of beta(1, 1) if it is observed, counts, and q of dirichlet(1, 1, 1).
func itemsPart(rows []int) float64 {
	ones, zeros, levels := 0.0, 0.0, [3]float64{}
	for _, i := range rows {
		r := &latentRows[i]
		if !math.IsNaN(r.x) {
			ones, zeros = ones+r.x, zeros+1-r.x
		}
		levels[r.q]++
	}
	p := math.Gamma(ones+1) * math.Gamma(zeros+1) / math.Gamma(ones+zeros+2) * countsPart(rows)
	for _, n := range levels {
		p *= math.Gamma(n + 1)
	}
	return p * 2 / math.Gamma(float64(len(rows)+3))
}

// Rows that are left out of fits with missing cells, of mixtures and of latent classes have the densities of
// enumeration: over the cells that are missing, over the components of all rows.
//
// False alarms: the log of a mean of 10,000 densities, whose relative sd is below 1.5 here, is within 0.1 of it at six
// standard errors of draws with an effective size of a sixth of that. Power: elpd of rows that are left in are 0.1 to 1
// larger.
func TestKFoldIsExactBesideLatentStates(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(latentSpec, "3"))
	csv := "y,x,z,k,q,g\nNA,NA,0,NA,NA,v\n" // nothing is known of the first row
	for i, r := range latentRows {
		x := fmt.Sprint(r.x)
		if math.IsNaN(r.x) {
			x = "NA"
		}
		csv += fmt.Sprintf("%v,%s,%v,%v,%c,%c\n", r.y, x, r.z, r.k, 'a'+r.q, level(i))
	}
	f.write("few.csv", csv)
	for _, folds := range []string{"3", "{by: g}"} {
		f.write("spec.yaml", fmt.Sprintf(latentSpec, folds))
		f.run(pipelines.RunOptions{})
		f.foldsAreExact()
	}
}

// foldsAreExact holds the rows of each fit against enumeration.
func (f folder) foldsAreExact() {
	f.t.Helper()
	density := map[string]func(rows []int) float64{
		"cells":   withCells,
		"normal":  func(rows []int) float64 { return ofLabels(rows, normalPart) },
		"counts":  func(rows []int) float64 { return ofLabels(rows, countsPart) },
		"classes": func(rows []int) float64 { return ofLabels(rows, itemsPart) },
	}
	fits := f.asked("SELECT fit_id, model, sampler, asked FROM latest JOIN kfold USING (fit_id) ORDER BY ALL")
	if len(fits) != 6 {
		f.t.Fatalf("%d fits", len(fits))
	}
	for _, fit := range fits {
		folds := f.asked("SELECT fold, elpd_kfold FROM kfold_pointwise WHERE fit_id = " + fit[0] + " ORDER BY observation")
		if fit[1] == "classes" && math.Abs(number(f.t, folds[0][1])) < 1e-9 {
			folds = folds[1:] // a row without items is certain
		}
		if len(folds) != len(latentRows) {
			f.t.Fatalf("%s: %d rows", fit[1], len(folds))
		}
		for i := range latentRows {
			var rest []int
			for j := range latentRows {
				if folds[j][0] != folds[i][0] {
					rest = append(rest, j)
				}
				if same := level(i) == level(j); strings.HasPrefix(fit[3], "by g") && same != (folds[i][0] == folds[j][0]) {
					f.t.Errorf("%s, %s: rows %d and %d are in folds %s and %s", fit[1], fit[3], i+1, j+1, folds[i][0], folds[j][0])
				}
			}
			of := density[fit[1]]
			exact := math.Log(of(append(slices.Clone(rest), i)) / of(rest))
			if got := number(f.t, folds[i][1]); !(math.Abs(got-exact) < 0.1) {
				f.t.Errorf("%s, %s, %s: row %d has %.4f, exactly %.4f", fit[1], fit[2], fit[3], i+1, got, exact)
			}
		}
	}
}
