package predictive

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime/debug"
	"slices"

	"golang.org/x/sync/errgroup"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/transform"
)

// blockBytes bounds the linear predictor of a block of rows, and the draws that
// are kept between blocks.
const blockBytes = 64 << 20

// Columns are draws, in blocks of parameters.
type Columns = iter.Seq2[*infer.Columns, error]

// Fit is a fit as far as its rows need it.
type Fit struct {
	Chains, Draws int // kept draws, per chain
	Params        int // columns of draws
	// Open yields the draws in the units of the data, all columns in order; each
	// call begins anew.
	Open func() Columns
	// Columns of the design: the first columns of draws are their coefficients.
	Columns []transform.Column
	// Dispersions of the family, in its order.
	Dispersions []Dispersion
	// Effects are as many as the data's.
	Effects []Effects
	// Components are those of a mixture, which has neither effects nor dispersions of the fit; else nil.
	Components []Component
	// Items are the rows of a mixture whose rows have several responses, in place of those of a design; else nil.
	Items *Items
	// Cells are missing cells of the data that were drawn; nil: there are none, or none that rows here have.
	Cells   *Cells
	Workers int // at least 1; changes no bit

	bytes int              // of a block; 0: blockBytes
	kept  []*infer.Columns // all draws, if they fit into that
}

// Dispersion says where a dispersion stands among the draws.
type Dispersion struct {
	Param int     // −1 if it is fixed
	Fixed float64 // the value then
}

// Size is the number of draws over all chains.
func (f *Fit) Size() int { return f.Chains * f.Draws }

// Block holds rows First … First+Rows−1 of a design at every draw.
type Block struct {
	First, Rows int
	// Eta has row i at draw s, chain after chain, at Eta[s*Rows+i]: the linear predictor, or with Dense the log density.
	Eta   []float64
	Dense bool
	// Disp has the dispersions at each draw.
	Disp [][2]float64
	// Of are the components of a mixture, each with the numbers above; the block has none of its own then.
	Of []*Block
	// LogW is the log weight of a component at each draw.
	LogW []float64
}

// At is the linear predictor of the block's rows at draw s.
func (b *Block) At(s int) []float64 { return b.Eta[s*b.Rows : (s+1)*b.Rows] }

// Row writes the linear predictor of the block's row i at every draw to dst; NaN of a mixture, whose components have
// one each.
func (b *Block) Row(i int, dst []float64) {
	for s := range dst {
		if dst[s] = math.NaN(); b.Of == nil {
			dst[s] = b.Eta[s*b.Rows+i]
		}
	}
}

// Blocks yields the rows of a design, as it was sampled, in blocks of which the
// linear predictor, with the draws of their missing cells, takes at most 64 MB (one row at least). The block is used
// again between yields. Cost: O(n·d) for each draw, and a pass over the draws for
// each block unless they are kept.
func (f *Fit) Blocks(ctx context.Context, data *glm.Data) iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
		if f.bytes == 0 {
			f.bytes = blockBytes
		}
		n := f.rows(data)
		rows := max(1, min(n, f.bytes/(8*f.Size()*max(1+f.Cells.widest(), len(f.Components)))))
		b := f.newBlock(rows)
		for first := 0; first < n; first += rows {
			b.hold(first, min(rows, n-first), f.Size())
			err := ctx.Err()
			if f.Items != nil {
				err = errors.Join(err, f.fillItems(b))
			} else {
				err = errors.Join(err, f.fill(b, data))
				design.IdleRows(data.X, first, first+b.Rows)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// rows counts the rows that are asked about.
func (f *Fit) rows(data *glm.Data) int {
	if f.Items != nil {
		return f.Items.Rows
	}
	return data.Rows()
}

// columns yields the draws, kept or anew.
func (f *Fit) columns() iter.Seq2[*infer.Columns, error] {
	if f.kept == nil {
		if f.Params*f.Size() > f.bytes/8 {
			return f.Open()
		}
		for c, err := range f.Open() {
			if err != nil {
				f.kept = nil
				return func(yield func(*infer.Columns, error) bool) { yield(nil, err) }
			}
			own := *c
			own.Values = append([]float64(nil), c.Values...)
			f.kept = append(f.kept, &own)
		}
	}
	return func(yield func(*infer.Columns, error) bool) {
		for _, c := range f.kept {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// fill computes a block's linear predictor, or that of each component. With coefficients β of the columns x
// it is offset + β₀ + Σ centre·β + Σ (x − centre)·β: the design as sampled is
// (x − centre)/scale, and nothing large is added that was subtracted before.
func (f *Fit) fill(b *Block, data *glm.Data) error {
	parts, scales, cells := f.parts(b, data), scales{}, f.cellsOf(b)
	for c, err := range f.columns() {
		if err != nil {
			return err
		}
		for i := range parts {
			parts[i].take(c, f.Size())
		}
		scales.take(f.Effects, c)
		cells.take(f, c)
		err := f.each(f.Size(), func(_, s int) {
			for i := range parts {
				f.add(&parts[i], data, c, s)
			}
			f.addEffects(b, data, c, s)
		})
		if err != nil {
			return err
		}
	}
	if err := errors.Join(f.addNew(b, data, scales), f.addCells(b, data, cells)); err != nil {
		return err
	}
	for _, p := range parts {
		for s, v := range p.shift {
			if v != 0 {
				eta := p.At(s)
				for i := range eta {
					eta[i] += v
				}
			}
		}
	}
	return nil
}

// part is a block, or a component of one, that is being filled.
type part struct {
	*Block
	at    Component // where its numbers stand
	shift []float64 // at each draw, of all its rows
}

// parts are those of a block, with offsets and fixed dispersions.
func (f *Fit) parts(b *Block, data *glm.Data) []part {
	out := []part{{Block: b, at: Component{Weight: -1, Dispersions: f.Dispersions}}}
	if f.Components != nil {
		out = out[:0]
		for i, c := range f.Components {
			out = append(out, part{Block: b.Of[i], at: c})
		}
	}
	for i := range out {
		p := &out[i]
		p.shift = make([]float64, f.Size())
		for s := range f.Size() {
			if data.Offset == nil {
				clear(p.At(s))
				continue
			}
			copy(p.At(s), data.Offset[b.First:])
		}
		for k, d := range p.at.Dispersions {
			for s := range p.Disp {
				p.Disp[s][k] = d.Fixed
			}
		}
	}
	return out
}

// take takes dispersions and the weight from a block of columns.
func (p *part) take(c *infer.Columns, size int) {
	column := func(param int) []float64 {
		if at := param - c.First; param >= 0 && at >= 0 && at < c.Params {
			return c.Values[at*size : (at+1)*size]
		}
		return nil
	}
	for k, d := range p.at.Dispersions {
		for s, v := range column(d.Param) {
			p.Disp[s][k] = v
		}
	}
	for s, v := range column(p.at.Weight) {
		p.LogW[s] = math.Log(v)
	}
}

// add adds a block of columns at draw s.
func (f *Fit) add(p *part, data *glm.Data, c *infer.Columns, s int) {
	eta, first := p.At(s), p.at.First
	for param := max(c.First, first); param < min(c.First+c.Params, first+len(f.Columns)); param++ {
		column := &f.Columns[param-first]
		beta := c.Values[(param-c.First)*f.Size()+s]
		if column.Centre != 0 {
			p.shift[s] = math.FMA(column.Centre, beta, p.shift[s])
		}
		beta *= column.Scale
		data.X.Column(param-first).AddPart(eta[:p.Rows], beta, p.Block.First)
	}
}

// addEffects adds the group-level effects of a block of columns at draw s to the rows of their levels.
func (f *Fit) addEffects(b *Block, data *glm.Data, c *infer.Columns, s int) {
	for k, e := range data.Effects {
		eta := b.At(s)
		first, levels := f.Effects[k].First, f.Effects[k].Fitted
		if first < 0 {
			continue
		}
		for p := max(first, c.First); p < min(first+len(e.Terms)*levels, c.First+c.Params); p++ {
			r, column := c.Values[(p-c.First)*f.Size()+s], e.Columns[(p-first)/levels]
			rows := e.Grouping.Rows((p - first) % levels)
			at, _ := slices.BinarySearch(rows, int32(b.First))
			for _, row := range rows[at:] {
				i := int(row) - b.First
				if i >= b.Rows {
					break
				}
				if column == nil {
					eta[i] += r
				} else {
					eta[i] = math.FMA(r, column[row], eta[i])
				}
			}
		}
	}
}

// each calls do for 0 … n−1 on the workers, each with a run of its own. A panic
// is an error.
func (f *Fit) each(n int, do func(worker, i int)) error {
	workers := max(1, min(f.Workers, n))
	var g errgroup.Group
	for w := range workers {
		g.Go(func() (err error) {
			defer func() {
				if v := recover(); v != nil {
					err = fmt.Errorf("this program has a fault: %v\n%s", v, debug.Stack())
				}
			}()
			for i := w * n / workers; i < (w+1)*n/workers; i++ {
				do(w, i)
			}
			return nil
		})
	}
	return g.Wait()
}
