package assess

import (
	"iter"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/cpu"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/transform"
)

// ColumnBytes bounds the draws that are in memory at once while a fit is
// diagnosed or committed.
const ColumnBytes = 4 << 20

// heldRows bounds the rows of a window, in bytes, that are held while its draws are expanded; more are read in such
// pieces, again for each block of columns.
const heldRows = 16 << 20

// Draws reads the spooled draws of a fit, in the units of the data: numbers as they are stored, or rows that a
// sampler expands. It is not safe for concurrent use.
type Draws struct {
	Spool   *spool.Fit
	Numbers Numbers

	compact  infer.Compact     // nil if the spool has the numbers
	rowBytes int               // heldRows
	keys     []uint64          // of the chains
	record   *transform.Record // of the units of compact rows

	rows     []float64 // of window held, by chain, draw and entry; nil: too many
	held     plan.Window
	gives    []float64 // what the intercept gives up, by chain and draw of window of
	of       plan.Window
	expanded time.Duration // processor time of expansions
}

// NewDraws reads a fit's spool. r is nil if the fit is not a regression. Rows of a compact sampler need Expand first.
func NewDraws(file *spool.Fit, n Numbers, r *plan.Regression) *Draws {
	d := &Draws{Spool: file, Numbers: n, rowBytes: heldRows}
	if r != nil { // only regressions have compact samplers
		d.record = r.Record
	}
	return d
}

// Expand has rows expanded by their sampler, with the keys of the chains.
func (d *Draws) Expand(by infer.Compact, keys []uint64) { d.compact, d.keys = by, keys }

// Expands reports whether rows are expanded.
func (d *Draws) Expands() bool { return d.compact != nil }

// Columns yields the first count numbers of the window's draws in blocks of columns
// that fit in bounded bytes of memory (one column at least), [number][chain][draw]. The
// block is reused between yields.
func (d *Draws) Columns(count int, w plan.Window, bytes int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) { d.blocks(0, count, w, bytes, nil, yield) }
}

// inAnyOrder is Columns, with the intercept last where its units need all the others:
// so it makes everything once.
func (d *Draws) inAnyOrder(count int, w plan.Window, bytes int) iter.Seq2[*infer.Columns, error] {
	if !d.shifted() || d.of == w && d.gives != nil {
		return d.Columns(count, w, bytes)
	}
	return func(yield func(*infer.Columns, error) bool) {
		gives := make([]float64, len(d.Spool.Chains)*w.Draws())
		if d.blocks(1, count, w, bytes, gives, yield) {
			d.gives, d.of = gives, w
			d.blocks(0, 1, w, bytes, nil, yield)
		}
	}
}

// shifted reports whether an expansion of the intercept needs all columns.
func (d *Draws) shifted() bool { return d.compact != nil && d.record.Shifted() }

// blocks yields numbers first to count−1, and reports whether all were wanted. The part that the intercept gives up
// for them is added to gives, if there is one.
func (d *Draws) blocks(first, count int, w plan.Window, bytes int, gives []float64,
	yield func(*infer.Columns, error) bool) bool {
	chains, n := len(d.Spool.Chains), w.Draws()
	width := max(1, min(count-first, bytes/(8*chains*n)))
	values := make([]float64, width*chains*n)
	for lo := first; lo < count; lo += width {
		hi := min(lo+width, count)
		block := &infer.Columns{First: lo, Params: hi - lo, Chains: chains, Draws: n, Values: values[:(hi-lo)*chains*n]}
		err := d.fillWith(block, w, gives)
		if !yield(block, err) || err != nil {
			return false
		}
	}
	return true
}

// Fill reads the numbers of a block.
func (d *Draws) Fill(block *infer.Columns, w plan.Window) error { return d.fillWith(block, w, nil) }

func (d *Draws) fillWith(block *infer.Columns, w plan.Window, gives []float64) error {
	if d.compact == nil {
		for c := range d.Spool.Chains {
			if err := d.read(block, c, block.First, block.First+block.Params, block.First, w); err != nil {
				return err
			}
		}
		return nil
	}
	if block.First == 0 && d.shifted() && (d.of != w || d.gives == nil) {
		if err := d.give(w); err != nil {
			return err
		}
	}
	timer := cpu.Start()
	defer timer.Stop()
	err := d.expand(block, w, gives)
	d.expanded += timer.Lap()
	return err
}

// read reads numbers lo to hi−1 of the spool of a chain to the block's places from at
// on.
func (d *Draws) read(block *infer.Columns, c, lo, hi, at int, w plan.Window) error {
	dst := make([][]float64, hi-lo)
	for p := range dst {
		from := ((at-block.First+p)*block.Chains + c) * block.Draws
		dst[p] = block.Values[from : from+block.Draws]
	}
	return d.Spool.Chains[c].Columns(dst, lo, hi, w.From, w.To)
}

// give makes all columns once for what the intercept gives up.
func (d *Draws) give(w plan.Window) error {
	gives, dim := make([]float64, len(d.Spool.Chains)*w.Draws()), min(d.Numbers.Params, len(d.record.Columns))
	var err error
	d.blocks(1, dim, w, ColumnBytes, gives, func(_ *infer.Columns, failed error) bool {
		err = failed
		return err == nil
	})
	d.gives, d.of = gives, w
	return err
}

// expand makes parameters of rows in the units of the data, and reads what is
// besides them.
func (d *Draws) expand(block *infer.Columns, w plan.Window, gives []float64) error {
	if err := d.hold(w); err != nil {
		return err
	}
	last := block.First + block.Params
	for c := range d.Spool.Chains {
		for p := max(block.First, d.Numbers.Params); p < last; p++ {
			at := d.Numbers.places[p-d.Numbers.Params]
			if err := d.read(block, c, at, at+1, p, w); err != nil {
				return err
			}
		}
		if end := min(last, d.Numbers.Params); block.First < end {
			if err := d.expandChain(block, c, end, w); err != nil {
				return err
			}
		}
	}
	series := block.Chains * block.Draws
	for j := block.First; j < min(last, d.Numbers.Params); j++ {
		column := block.Values[(j-block.First)*series : (j-block.First+1)*series]
		if j == 0 && d.shifted() {
			d.record.InterceptToData(column, d.gives)
		}
		d.record.ColumnToData(j, column, gives)
	}
	return nil
}

// expandChain makes parameters of the block's first to end−1 of a chain's rows, as
// many rows at a time as may be held.
func (d *Draws) expandChain(block *infer.Columns, c, end int, w plan.Window) error {
	size, n := d.Numbers.row, w.Draws()
	few := max(1, d.rowBytes/(8*size))
	if d.held == w {
		few = n
	}
	for from := 0; from < n; from += few {
		m := min(few, n-from)
		var rows []float64
		if d.held == w {
			rows = d.rows[size*c*n : size*(c+1)*n]
		} else {
			rows = make([]float64, size*m)
			if err := d.readRows(rows, c, plan.Window{From: w.From + from, To: w.From + from + m}); err != nil {
				return err
			}
		}
		iterations := make([]int64, m)
		for i := range iterations {
			iterations[i] = int64(w.From + from + i)
		}
		d.compact.Expand(block.Values[c*n+from:], block.Chains*n, rows, d.keys[c], iterations, block.First, end)
	}
	return nil
}

// hold reads the rows of a window, if they are few enough to be kept for its other
// blocks.
func (d *Draws) hold(w plan.Window) error {
	each := d.Numbers.row * w.Draws()
	all := each * len(d.Spool.Chains)
	if d.held == w || 8*all > d.rowBytes {
		return nil
	}
	d.rows, d.held = make([]float64, all), plan.Window{}
	for c := range d.Spool.Chains {
		if err := d.readRows(d.rows[c*each:(c+1)*each], c, w); err != nil {
			return err
		}
	}
	d.held = w
	return nil
}

// readRows reads the rows of a chain, entry k of row i to dst[i*row+k].
func (d *Draws) readRows(dst []float64, c int, w plan.Window) error {
	size, m := d.Numbers.row, w.Draws()
	columns, values := make([][]float64, size), make([]float64, size*m)
	for k := range columns {
		columns[k] = values[k*m : (k+1)*m]
	}
	if err := d.Spool.Chains[c].Columns(columns, 0, size, w.From, w.To); err != nil {
		return err
	}
	for k, column := range columns {
		for i, v := range column {
			dst[i*size+k] = v
		}
	}
	return nil
}

// Numbers are the numbers of a draw that are measured: parameters in data units, then the further gated numbers of
// a compact sampler's row. The spool keeps them, except that it keeps rows of a compact sampler.
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
