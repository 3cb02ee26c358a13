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
	// Eta has row i at draw s, chain after chain, at Eta[s*Rows+i].
	Eta []float64
	// Disp has the dispersions at each draw.
	Disp [][2]float64
}

// At is the linear predictor of the block's rows at draw s.
func (b *Block) At(s int) []float64 { return b.Eta[s*b.Rows : (s+1)*b.Rows] }

// Row writes the linear predictor of the block's row i at every draw to dst.
func (b *Block) Row(i int, dst []float64) {
	for s := range dst {
		dst[s] = b.Eta[s*b.Rows+i]
	}
}

// Blocks yields the rows of a design, as it was sampled, in blocks of which the
// linear predictor takes at most 64 MB (one row at least). The block is used
// again between yields. Cost: O(n·d) for each draw, and a pass over the draws for
// each block unless they are kept.
func (f *Fit) Blocks(ctx context.Context, data *glm.Data) iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
		if f.bytes == 0 {
			f.bytes = blockBytes
		}
		n := data.Rows()
		rows := max(1, min(n, f.bytes/(8*f.Size())))
		b := &Block{Eta: make([]float64, rows*f.Size()), Disp: make([][2]float64, f.Size())}
		for first := 0; first < n; first += rows {
			b.First, b.Rows = first, min(rows, n-first)
			b.Eta = b.Eta[:b.Rows*f.Size()]
			err := errors.Join(ctx.Err(), f.fill(b, data))
			design.IdleRows(data.X, first, first+b.Rows)
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
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

// fill computes a block's linear predictor. With coefficients β of the columns x
// it is offset + β₀ + Σ centre·β + Σ (x − centre)·β: the design as sampled is
// (x − centre)/scale, and nothing large is added that was subtracted before.
func (f *Fit) fill(b *Block, data *glm.Data) error {
	shift, scales := make([]float64, f.Size()), scales{}
	for s := range f.Size() {
		if data.Offset == nil {
			clear(b.At(s))
			continue
		}
		copy(b.At(s), data.Offset[b.First:])
	}
	for k, d := range f.Dispersions {
		for s := range b.Disp {
			b.Disp[s][k] = d.Fixed
		}
	}
	for c, err := range f.columns() {
		if err != nil {
			return err
		}
		for k, d := range f.Dispersions {
			if p := d.Param - c.First; d.Param >= 0 && p >= 0 && p < c.Params {
				for s := range b.Disp {
					b.Disp[s][k] = c.Values[p*f.Size()+s]
				}
			}
		}
		scales.take(f.Effects, c)
		err := f.each(f.Size(), func(_, s int) { f.add(b, data, c, s, &shift[s]) })
		if err != nil {
			return err
		}
	}
	if err := f.addNew(b, data, scales); err != nil {
		return err
	}
	for s, v := range shift {
		if v != 0 {
			eta := b.At(s)
			for i := range eta {
				eta[i] += v
			}
		}
	}
	return nil
}

// add adds a block of columns at draw s.
func (f *Fit) add(b *Block, data *glm.Data, c *infer.Columns, s int, shift *float64) {
	eta := b.At(s)
	for p := 0; p < c.Params && c.First+p < len(f.Columns); p++ {
		column := &f.Columns[c.First+p]
		beta := c.Values[p*f.Size()+s]
		if column.Centre != 0 {
			*shift = math.FMA(column.Centre, beta, *shift)
		}
		beta *= column.Scale
		data.X.Column(c.First+p).AddPart(eta[:b.Rows], beta, b.First)
	}
	f.addEffects(b, data, c, s)
}

// addEffects adds the group-level effects of a block of columns at draw s to the rows of their levels.
func (f *Fit) addEffects(b *Block, data *glm.Data, c *infer.Columns, s int) {
	eta := b.At(s)
	for k, e := range data.Effects {
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
