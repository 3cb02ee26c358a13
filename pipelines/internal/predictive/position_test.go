package predictive

import (
	"math"
	"slices"
	"testing"

	"glmbatch/report/record"
	"glmbatch/transform"
)

// A row has the same density at a position of the sampler as in the blocks of draws: in each bit, except for rows with
// missing cells, whose sums run in another order.
func TestPositionsAndBlocksAgree(t *testing.T) {
	plain, cells, mixed := newExample(9, 2, 1, 7, 3), newExample(23, 4, 1, 7, 3), newMixture(7, 3, true)
	withCells(cells)
	items, _ := newItems(9, 7, 3)
	for name, e := range map[string]*example{"plain": plain, "cells": cells, "mixture": mixed, "items": items} {
		for j := range e.columns {
			e.columns[j] = transform.Column{Name: e.columns[j].Name, Scale: 1} // the sampler's units
		}
		rows, theta := on(t, &e.fit, gaussian, e.data, e.columns), make([]float64, len(e.beta))
		for b, err := range rowBlocks(t, rows) {
			if err != nil {
				t.Fatal(name, err)
			}
			want := make([]float64, b.Rows)
			for s := range e.fit.Size() {
				for p, draws := range e.beta {
					theta[p] = draws[s]
				}
				b.logLik(s, 0, b.Rows, want)
				for i, w := range want {
					got := rows.density(b.First + i)(theta)
					if got != w && !(name == "cells" && math.Abs(got-w) < 1e-12*(1+math.Abs(w))) {
						t.Fatalf("%s: row %d, draw %d: log density %v, in blocks %v", name, b.First+i, s, got, w)
					}
				}
			}
		}
	}
}

// Each predictor of a component has its own coefficients, and its own design or that of the one before, in blocks and at
// a position.
func TestSeveralPredictors(t *testing.T) {
	e, other := newExample(9, 2, 1, 7, 3), newExample(9, 3, 1, 7, 3)
	for _, columns := range [][]transform.Column{e.columns, other.columns} {
		for k := range columns {
			columns[k] = transform.Column{Name: columns[k].Name, Scale: 1}
		}
	}
	e.beta = slices.Concat(e.beta, other.beta)
	c := &e.fit.Description.Responses[0].Components[0]
	c.Predictors = append(c.Predictors, record.Predictor{})
	for _, of := range [][]*example{{e, other}, {e, e}} {
		const second = 3 // the first coefficient of the second predictor
		c.Predictors[1] = component(second+1, of[1].columns).Predictors[0]
		designs := []Design{{e.data, e.columns}, {other.data, other.columns}}
		if of[1] == e {
			designs = designs[:1]
		}
		rows, err := e.fit.On(e.data, designs...)
		must(t, err)
		theta := make([]float64, len(e.beta))
		for b, err := range rowBlocks(t, rows) {
			must(t, err)
			for s := range e.fit.Size() {
				for p := range theta {
					theta[p] = e.beta[p][s]
				}
				for i := range b.Rows {
					at := rows.At(b.First + i)(theta)
					for q, from := range []int{0, second} {
						d := of[q]
						want := d.data.Offset[b.First+i]
						for j := range d.columns {
							want += theta[from+j] * d.data.X.Col(j)[b.First+i]
						}
						if math.Abs(b.at(q, s)[i]-want) > 1e-13 || math.Abs(at.Eta[q][0]-want) > 1e-13 {
							t.Fatalf("predictor %d of row %d, draw %d: %v, %v, want %v", q, i, s, b.at(q, s)[i], at.Eta[q][0], want)
						}
					}
				}
			}
		}
	}
}
