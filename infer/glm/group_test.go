package glm_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// tangled returns n rows: predictors of data in turn, each with responses of data in
// another order, every third row standing for two.
func tangled(data *glm.Data, n int) *glm.Data {
	out, rows := repeated(data, n), len(data.Y)
	out.Frequency = make([]float64, n)
	for i := range n {
		at := (i/rows*5 + i) % rows
		out.Y[i], out.Frequency[i] = data.Y[at], float64(1+i%3/2)
		if data.Trials != nil {
			out.Trials[i] = data.Trials[at]
		}
		if data.Precision != nil {
			out.Precision[i] = data.Precision[at]
		}
	}
	return out
}

// sparsely returns data with the same design as a sparse one.
func sparsely(data *glm.Data) *glm.Data {
	out, x := *data, design.NewSparse(data.Rows(), data.Cols(), 0)
	for j := range data.Cols() {
		x.AppendDense(data.X.Col(j))
	}
	out.X = x
	return &out
}

// A grouped posterior is the one of all rows, to rounding, for every family, link and
// weight, dense and sparse.
func TestGroupedIsTheSamePosterior(t *testing.T) {
	for _, c := range append(append(infertest.Cases(), infertest.WeightedCases()...), infertest.FamilyCases()...) {
		_, small, err := c.Simulate(infer.NewStream(5, "grouped", c.Name))
		must(t, err)
		zeros := small.Data().X.(*design.Dense) // a column that a sparse design stores half of
		for i := range zeros.Col(2) {
			zeros.Col(2)[i] *= float64(i % 2)
		}
		dense := tangled(small.Data(), 600)
		for name, data := range map[string]*glm.Data{"dense": dense, "sparse": sparsely(dense)} {
			if name == "dense" && c.Model.Family == (glm.Family{Name: "gaussian", Link: "identity"}) {
				continue // condensed otherwise
			}
			target, err := glm.NewTarget(data, c.Model)
			must(t, err)
			got, words := target.Condensed()
			most := len(small.Data().Y)
			if f := c.Model.Family.Name; f != "bernoulli" && f != "binomial" && f != "poisson" {
				most *= most
			}
			if got.Rows() > most || got.Observations() != target.Observations() || !strings.HasPrefix(words, fmt.Sprintf("600 rows told by %d, ", got.Rows())) {
				t.Errorf("%s, %s: %d rows for %v observations, %q", c.Name, name, got.Rows(), got.Observations(), words)
			}
			samePosterior(t, c.Name+", "+name, target, got, 1e-12, infer.NewStream(3, "grouped", c.Name, name))
		}
	}
}

// Groups are those of a table of rows, in the order of their first ones, and each counts the counts of its rows;
// offset, response and precision distinguish rows, and too many groups count as no grouping.
func TestGroupedRows(t *testing.T) {
	stream := infer.NewStream(7, "rows")
	digit := func(n int) float64 { return math.Floor(float64(n) * stream.Float64()) }
	for round := range 40 {
		n, d := 60+round*10, 1+round%4
		data := &glm.Data{X: design.NewDense(n, d), Intercept: -1, Y: make([]float64, n), Offset: make([]float64, n), Precision: make([]float64, n)}
		place, counts := map[string]int{}, []float64(nil)
		var first []int
		for i := range n {
			for j := range d {
				data.X.Col(j)[i] = digit(2)
			}
			data.Y[i], data.Offset[i], data.Precision[i] = 1+digit(2), digit(1+round%3), 1+digit(1+round%2)
			key := fmt.Sprint(data.Y[i], data.Offset[i], data.Precision[i])
			for j := range d {
				key += fmt.Sprint(" ", data.X.Col(j)[i])
			}
			if _, known := place[key]; !known {
				place[key] = len(first)
				first, counts = append(first, i), append(counts, 0)
			}
			counts[place[key]]++
		}
		model := glm.Model{Family: glm.Family{Name: "gamma", Link: "log"}, Coefficients: make([]prior.Prior, d), Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 1}}
		for j := range model.Coefficients {
			model.Coefficients[j] = prior.Prior{Kind: prior.Normal, Scale: 1}
		}
		for name, data := range map[string]*glm.Data{"dense": data, "sparse": sparsely(data)} {
			target, err := glm.NewTarget(data, model)
			must(t, err)
			got, words := target.Condensed()
			if 4*len(first) > n {
				if got != target || words != "" {
					t.Errorf("round %d, %s: %d of %d rows differ, and yet %s", round, name, len(first), n, words)
				}
				continue
			}
			told := got.Data()
			if got.Rows() != len(first) {
				t.Errorf("round %d, %s: %d groups of %d rows, want %d", round, name, got.Rows(), n, len(first))
				continue
			}
			for g, i := range first {
				same := told.Y[g] == data.Y[i] && told.Offset[g] == data.Offset[i] && told.Precision[g] == data.Precision[i] && told.Frequency[g] == counts[g]
				for j := range d {
					same = same && told.X.Col(j)[g] == data.X.Col(j)[i]
				}
				if !same {
					t.Errorf("round %d, %s: group %d is not row %d, %v times", round, name, g, i, counts[g])
				}
			}
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
