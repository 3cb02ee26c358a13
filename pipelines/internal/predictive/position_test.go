package predictive

import (
	"math"
	"testing"

	"glmbatch/transform"
)

// A row has the same density at a position of the sampler as in the blocks of draws: in each bit, except for rows with
// missing cells, whose sums run in another order.
func TestPositionsAndBlocksAgree(t *testing.T) {
	plain, cells, mixed := newExample(9, 2, 1, 7, 3), newExample(23, 4, 1, 7, 3), newMixture(7, 3, true)
	withCells(cells)
	items, _ := newItems(9, 7, 3)
	for name, e := range map[string]*example{"plain": plain, "cells": cells, "mixture": mixed, "items": items} {
		for j := range e.fit.Columns {
			e.fit.Columns[j] = transform.Column{Scale: 1} // the sampler's units
		}
		rows, theta := on(t, &e.fit, gaussian, e.data), make([]float64, len(e.beta))
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
