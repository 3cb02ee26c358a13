package assess

import (
	"glmbatch/infer"
)

// Numbers are what a draw is looked at by: parameters in data units, then what is
// gated besides them of a compact sampler's row. They are what the spool keeps, but of
// a compact sampler it keeps rows.
type Numbers struct {
	Dim    int // entries of a position
	Params int // those that are kept, the first
	extra  []string
	places []int // of extra in a row
	row    int   // its length; 0 of samplers without
}

// NumbersOf returns the numbers of a sampler of which some parameters are kept.
func NumbersOf(setup infer.Setup, params int) Numbers {
	n := Numbers{Dim: len(setup.Parameters()), Params: params}
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
func (n *Numbers) count() int { return n.Params + len(n.extra) }

// Spooled is how many of a draw are in the spool.
func (n *Numbers) Spooled() int {
	if n.row > 0 {
		return n.row
	}
	return n.Params
}

// Write writes what is spooled of a chain's point to dst; position is scratch, len
// Dim.
func (n *Numbers) Write(dst, position []float64, k infer.Kernel, toData func([]float64)) {
	if n.row > 0 {
		k.(infer.CompactKernel).Row(dst)
		return
	}
	n.Parameters(dst, position, k, toData)
}

// Parameters writes those of a chain's point to dst; position is scratch, len Dim.
func (n *Numbers) Parameters(dst, position []float64, k infer.Kernel, toData func([]float64)) {
	k.Position(position)
	toData(position)
	copy(dst, position[:n.Params])
}

// Rows reports whether the spool keeps rows that a sampler expands.
func (n *Numbers) Rows() bool { return n.row > 0 }
