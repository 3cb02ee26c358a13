package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// dots4 takes four columns of a matrix at a time, each with its own 8 lanes: entry i of
// column j is at columns[i + j·stride].
func dots4() *kernel {
	return &kernel{
		name: "dots4", doc: "returns Σ v·c for 4 columns c.", args: "columns []float64, stride int", in: []string{"v"},
		sums: []sum{{}, {}, {}, {}},
		setup: func(w *walk) []vec { // the addresses of the columns are those of slices c0 … c3
			w.base["c0"] = w.Load(w.Param("columns").Base(), w.GP64())
			stride := w.Load(w.Param("stride"), w.GP64())
			for j := 1; j < 4; j++ {
				next := w.GP64()
				w.LEAQ(operand.Mem{Base: w.base[fmt.Sprint("c", j-1)], Index: stride, Scale: 8}, next)
				w.base[fmt.Sprint("c", j)] = next
			}
			return nil
		},
		body: func(l lane, s, _ []vec) {
			v := l.load("v")
			for j := range s {
				l.plus(s[j], v, l.load(fmt.Sprint("c", j)))
			}
		},
	}
}
