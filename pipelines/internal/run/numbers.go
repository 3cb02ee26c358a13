package run

import (
	"glmbatch/infer"
)

// numbers are what a draw is looked at by: parameters in data units, then what is
// gated besides them of a compact sampler's row. They are what the spool keeps, but of
// a compact sampler it keeps rows.
type numbers struct {
	dim    int // entries of a position
	params int // those that are kept, the first
	extra  []string
	places []int // of extra in a row
	row    int   // its length; 0 of samplers without
}

// numbersOf returns the numbers of a sampler of which some parameters are kept.
func numbersOf(setup infer.Setup, params int) numbers {
	n := numbers{dim: len(setup.Parameters()), params: params}
	compact, ok := setup.(infer.Compact)
	if !ok {
		return n
	}
	row := compact.Row()
	n.row = len(row)
	for i, e := range row {
		if e.Kind == infer.Sampled || e.Kind == infer.Statistic {
			n.extra, n.places = append(n.extra, e.Name), append(n.places, i)
		}
	}
	return n
}

// count is how many they are.
func (n *numbers) count() int { return n.params + len(n.extra) }

// spooled is how many of a draw are in the spool.
func (n *numbers) spooled() int {
	if n.row > 0 {
		return n.row
	}
	return n.params
}

// write writes what is spooled of a chain's point to dst; position is scratch, len
// dim.
func (n *numbers) write(dst, position []float64, k infer.Kernel, toData func([]float64)) {
	if n.row > 0 {
		k.(infer.CompactKernel).Row(dst)
		return
	}
	n.parameters(dst, position, k, toData)
}

// parameters writes those of a chain's point to dst; position is scratch, len dim.
func (n *numbers) parameters(dst, position []float64, k infer.Kernel, toData func([]float64)) {
	k.Position(position)
	toData(position)
	copy(dst, position[:n.params])
}
