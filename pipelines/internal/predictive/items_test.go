package predictive

import (
	"iter"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/report/record"
)

// newItems is a fit with made-up draws of two components of three parameters, whose rows have a density that each of these
// changes.
func newItems(rows, draws, width int) (*example, func(row int, theta []float64) float64) {
	e := newMixture(draws, width, false)
	density := func(row int, theta []float64) float64 {
		return theta[0] - theta[1]*float64(row) + theta[2]*theta[2]*float64(row%3)
	}
	responses := make([]record.Response, 3) // one for each parameter
	for i := range responses {
		for c := range 2 {
			one := record.Component{Scalars: []record.Scalar{{Parameter: 3 + 3*c + i}}}
			responses[i].Components = append(responses[i].Components, one)
		}
	}
	e.fit.Description.Responses = responses
	e.fit.Items = &Items{Rows: rows, Responses: [][]float64{{1}, {2}},
		Part: func(first, n int) func(theta, dst, scratch []float64) {
			return func(theta, dst, scratch []float64) {
				for i := range n {
					dst[i], scratch[i] = density(first+i, theta), math.NaN()
				}
				clear(theta) // used up
			}
		}}
	e.fit.Open = func() iter.Seq2[*infer.Columns, error] { return e.blocks(width) }
	return e, density
}

// Rows of several responses have the densities, allocations and probabilities at each draw that their components' have,
// whatever blocks of rows, draws and workers there are.
func TestItems(t *testing.T) {
	const rows, draws = 9, 7
	for _, width := range []int{1, 2, 3, 8} {
		for _, block := range []int{1, 4, 9} {
			e, density := newItems(rows, draws, width)
			e.fit.bytes, e.fit.Workers = 8*draws*2*block, 2
			want, mean := make([][]float64, rows), make([]float64, rows) // by row and draw: the chance of component 1
			for row := range rows {
				for s := range draws {
					f := [2]float64{}
					for c := range 2 {
						theta := []float64{e.beta[2+3*c][s], e.beta[3+3*c][s], e.beta[4+3*c][s]}
						f[c] = e.beta[c][s] * math.Exp(density(row, theta))
					}
					want[row] = append(want[row], f[0]/(f[0]+f[1]))
					mean[row] += f[0] / (f[0] + f[1]) / draws
				}
			}
			next := 0
			err := on(t, &e.fit, gaussian, nil, e.columns).Members(t.Context(), func(p *Prediction) error {
				row, of := p.Row, p.Of
				for s, p := range of[0] {
					if row != next || !(math.Abs(p-want[row][s]) < 1e-12 && math.Abs(p+of[1][s]-1) < 1e-12) {
						t.Fatalf("width %d, %d rows a block: row %d, draw %d: %v and %v, want %v", width, block, row, s, p, of[1][s],
							want[row][s])
					}
				}
				next++
				return nil
			})
			if err != nil || next != rows {
				t.Fatal(next, err)
			}
			found, err := on(t, &e.fit, glm.Family{}, &glm.Data{}, e.columns).Allocations(t.Context())
			for row := range found {
				if err != nil || !(math.Abs(found[row][0]-mean[row]) < 1e-12) {
					t.Fatalf("row %d is of component 1 with probability %v, want %v, error %v", row, found[row][0], mean[row], err)
				}
			}
		}
	}
}

// A fit whose draws end before the last component's is an error; responses of another item are other outcomes.
func TestItemsLacking(t *testing.T) {
	e, _ := newItems(3, 4, 2)
	before := on(t, &e.fit, gaussian, &glm.Data{}, e.columns).hash()
	e.fit.Items.Responses[1][0] = 3
	if on(t, &e.fit, gaussian, &glm.Data{}, e.columns).hash() == before {
		t.Error("other responses have the same hash")
	}
	e.beta = e.beta[:len(e.beta)-1]
	if err := on(t, &e.fit, gaussian, nil, e.columns).Members(t.Context(), func(*Prediction) error { return nil }); err == nil {
		t.Error("draws without the last parameter are no error")
	}
}
