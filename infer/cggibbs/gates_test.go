package cggibbs

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/diag"
	laws "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
)

// logistic returns the posterior of 0 and 1 given columns, which it standardises, and a constant one.
func logistic(t testing.TB, columns [][]float64, y []float64, law prior.Prior, intercept prior.Prior) *glm.Target {
	t.Helper()
	x := design.NewDense(len(y), 1+len(columns))
	m := glm.Model{Coefficients: []prior.Prior{intercept}}
	for i := range y {
		x.Col(0)[i] = 1
	}
	for j, column := range columns {
		mean, square := 0.0, 0.0
		for _, v := range column {
			mean += v / float64(len(y))
		}
		for _, v := range column {
			square += (v - mean) * (v - mean) / float64(len(y)-1)
		}
		for i, v := range column {
			x.Col(1 + j)[i] = (v - mean) / math.Sqrt(square)
		}
		m.Coefficients = append(m.Coefficients, law)
	}
	family, err := laws.Parse("bernoulli", "")
	must(t, err)
	m.Family = family
	target, err := glm.NewTarget(&glm.Data{X: x, Y: y, Intercept: 0}, m)
	must(t, err)
	return target
}

// pima returns a bootstrap copy of 200 women, diabetes given five columns.
func pima(t testing.TB, copy uint64) *glm.Target {
	t.Helper()
	f, err := os.Open("../../testdata/classic/pima_tr.csv")
	must(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	must(t, err)
	head, rows := rows[0], rows[1:]
	r := rand.New(rand.NewPCG(copy, 0))
	columns, y := make([][]float64, 5), make([]float64, len(rows))
	used := map[string]int{"npreg": 0, "glu": 1, "bmi": 2, "ped": 3, "age": 4}
	for i := range rows {
		row := rows[r.IntN(len(rows))]
		for c, name := range head {
			if j, ok := used[name]; ok {
				v, err := strconv.ParseFloat(row[c], 64)
				must(t, err)
				columns[j] = append(columns[j], v)
			} else if name == "type" && row[c] == "Yes" {
				y[i] = 1
			}
		}
	}
	return logistic(t, columns, y, prior.Prior{Kind: prior.Normal, Scale: 2.5}, prior.Prior{Kind: prior.Normal, Scale: 10})
}

// separated returns a posterior of quasi-separated classes under student_t(3, 0, 2.5): all rows of a rare group have
// the same class.
func separated(t testing.TB, n, d int, seed uint64) *glm.Target {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	columns, y := make([][]float64, d), make([]float64, n)
	for j := range columns {
		columns[j] = make([]float64, n)
		for i := range n {
			columns[j][i] = r.NormFloat64()
		}
	}
	for i := range n {
		if columns[0][i] = 0; r.Float64() < 12/float64(n) || i < 2 {
			columns[0][i], y[i] = 1, 1
		} else if r.Float64() < 0.4 {
			y[i] = 1
		}
	}
	law := prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 2.5}
	return logistic(t, columns, y, law, law)
}

// allOnes returns a posterior that the priors alone bound.
func allOnes(t testing.TB, n, d int, seed uint64) *glm.Target {
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	columns, y := make([][]float64, d), make([]float64, n)
	for i := range y {
		y[i] = 1
	}
	for j := range columns {
		columns[j] = make([]float64, n)
		for i := range n {
			columns[j][i] = r.NormFloat64()
		}
	}
	law := prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 2.5}
	return logistic(t, columns, y, law, law)
}

// gated draws 4 chains and returns the largest R-hat and the least bulk and tail ESS of their later halves.
func gated(t testing.TB, s infer.Setup, iterations, seed int) (rhat, bulk, tail float64) {
	t.Helper()
	dim, from := len(s.Parameters()), iterations/2
	draws := make([][][]float64, dim) // by parameter and chain
	for c := range 4 {
		k, err := s.Kernel(infer.Chain{Index: c, Count: 4, Warmup: from,
			Stream: infer.NewStream(uint64(seed), "gates", strconv.Itoa(c))})
		must(t, err)
		theta := make([]float64, dim)
		for j := range draws {
			draws[j] = append(draws[j], make([]float64, 0, iterations-from))
		}
		for i := range iterations {
			step(t, k)
			if i < from {
				continue
			}
			k.Position(theta)
			for j, v := range theta {
				draws[j][c] = append(draws[j][c], v)
			}
		}
	}
	w := diag.NewWorkspace()
	bulk, tail = 1e9, 1e9
	for _, chains := range draws {
		m := w.Summarize(chains)
		rhat, bulk, tail = max(rhat, m.RHat), min(bulk, m.ESSBulk), min(tail, m.ESSTail)
	}
	return rhat, bulk, tail
}

// passes reports whether the usual gates hold.
func passes(rhat, bulk, tail float64) bool { return rhat <= 1.01 && bulk >= 400 && tail >= 400 }

// On bootstrap copies of a small data set, where sampling is a small part of a fit, auto passes the usual gates with 4
// chains of 250 draws at least as often as NUTS, and a draw is worth nearly one of its own: the least of 6 parameters has
// 870 and 825 (bulk, tail) of 1000 independent draws in the mean of 100 sets.
//
// Seeds are fixed: auto/4, which counted operations of sampling alone, passed on 3 to 7 of 100 and on none of the short form's.
func TestAutoOnSmallData(t *testing.T) {
	copies := uint64(infertest.Scale(6, 100))
	passed, byNuts, bulks, tails := 0, 0, 0.0, 0.0
	for copy := range copies {
		target := pima(t, copy)
		s, err := New(target, Options{Basis: "auto"})
		must(t, err)
		rhat, bulk, tail := gated(t, s, 500, int(copy))
		bulks, tails = bulks+bulk/float64(copies), tails+tail/float64(copies)
		if passes(rhat, bulk, tail) {
			passed++
		}
		if s, err = nuts.New(target, nuts.Options{}); err != nil {
			t.Fatal(err)
		}
		if passes(gated(t, s, 500, int(copy))) {
			byNuts++
		}
	}
	t.Logf("%d copies: auto passes on %d, nuts on %d; least ESS of auto %.0f and %.0f in the mean", copies, passed, byNuts,
		bulks, tails)
	if passed < byNuts || float64(passed) < 0.9*float64(copies) {
		t.Errorf("of %d copies auto passes on %d, nuts on %d", copies, passed, byNuts)
	}
	if bulks < 800 || tails < 740 {
		t.Errorf("least ESS of 1000 draws in the mean: %.0f and %.0f", bulks, tails)
	}
}

// Where classes are separated and priors have heavy tails, auto passes whenever the coordinate sampler does, within
// 20,000 iterations.
func TestAutoWhereClassesAreSeparated(t *testing.T) {
	seeds := infertest.Scale(2, 30)
	for _, c := range []struct {
		name string
		full bool // in full only
		of   func(seed uint64) *glm.Target
	}{
		{"60 × 2", false, func(seed uint64) *glm.Target { return separated(t, 60, 2, seed) }},
		{"all ones, 60 × 2", false, func(seed uint64) *glm.Target { return allOnes(t, 60, 1, seed) }},
		{"2000 × 10", true, func(seed uint64) *glm.Target { return separated(t, 2000, 10, seed) }},
		{"all ones, 200 × 6", true, func(seed uint64) *glm.Target { return allOnes(t, 200, 5, seed) }},
	} {
		if c.full && !infertest.Full() {
			continue
		}
		for seed := range seeds {
			target := c.of(uint64(seed))
			reach := func(o Options) int {
				s, err := New(target, o)
				must(t, err)
				for length := 500; length <= 20_000; length *= 2 {
					if passes(gated(t, s, length, seed)) {
						return length
					}
				}
				return 0
			}
			if at := reach(Options{Basis: "auto"}); at == 0 {
				if plain := reach(Options{}); plain > 0 {
					t.Errorf("%s, seed %d: auto fails, the coordinate sampler passes at %d iterations", c.name, seed, plain)
				}
			} else {
				t.Logf("%s, seed %d: auto passes at %d iterations", c.name, seed, at)
			}
		}
	}
}
