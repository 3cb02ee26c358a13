package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Four columns of a matrix at a time: entry i of column j is at columns[i +
// j·stride]. Each column has its own 8 lanes.

// column is a kernel that reads v (or changes dst) beside 4 columns.
func column(k *kernel) *kernel {
	k.args = "columns []float64, stride int" + k.args
	return k
}

// bases returns the addresses of the 4 columns as slices c0 … c3.
func bases(w *walk) {
	first := w.Load(w.Param("columns").Base(), w.GP64())
	stride := w.Load(w.Param("stride"), w.GP64())
	w.base["c0"] = first
	for j := 1; j < 4; j++ {
		next := w.GP64()
		w.LEAQ(operand.Mem{Base: w.base[fmt.Sprint("c", j-1)], Index: stride, Scale: 8}, next)
		w.base[fmt.Sprint("c", j)] = next
	}
}

func columns() []*kernel {
	dots := column(&kernel{name: "dots4", doc: "returns Σ v·c for 4 columns c.", in: []string{"v"}, sums: []sum{{}, {}, {}, {}}})
	dots.setup = func(w *walk) []vec { bases(w); return nil }
	dots.body = func(l lane, s, _ []vec) {
		v := l.load("v")
		for j := range s {
			l.plus(s[j], v, l.load(fmt.Sprint("c", j)))
		}
	}

	axpys := column(&kernel{name: "axpys4", doc: "adds Σ a·c for 4 columns c to dst, one after the other.", args: ", a *[4]float64", out: []string{"dst"}})
	axpys.setup = func(w *walk) []vec {
		bases(w)
		a := w.Load(w.Param("a"), w.GP64())
		with := make([]vec, 4)
		for j := range with {
			with[j] = w.reg()
			w.VBROADCASTSD(operand.Mem{Base: a.(reg.GPVirtual), Disp: 8 * j}, with[j])
		}
		return with
	}
	axpys.body = func(l lane, _, with []vec) {
		d := l.load("dst")
		for j, a := range with {
			l.plus(d, a, l.load(fmt.Sprint("c", j)))
		}
		l.store(d, "dst")
	}
	return []*kernel{dots, axpys}
}
