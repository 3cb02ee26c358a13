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

// Component says where a component of a mixture stands among the draws.
type Component struct {
	Weight int // its weight
	First  int // its first parameter besides that: the coefficient of the first column of the design; the others follow
	// Dispersions of the family, in its order.
	Dispersions []Dispersion
}

// Dispersion says where a dispersion stands among the draws.
type Dispersion struct {
	Param int     // −1 if it is fixed
	Fixed float64 // the value then
}

// of is the dispersion where value returns a parameter.
func (d Dispersion) of(value func(param int) float64) float64 {
	if d.Param < 0 {
		return d.Fixed
	}
	return value(d.Param)
}

// Size is the number of draws over all chains.
func (f *Fit) Size() int { return f.Chains * f.Draws }

// Blocks calls do with the rows, as their design was sampled, in blocks of which the linear predictor, with the draws
// of their missing cells, takes at most 64 MB (one row at least). The next call rewrites the block. Cost: O(n·d) for
// each draw, and a pass over the draws for each block unless they are kept.
func (e *Evaluator) Blocks(ctx context.Context, do func(*Block) error) error {
	if e.bytes == 0 {
		e.bytes = blockBytes
	}
	n, fill := e.rows(), e.fill
	if e.Items != nil {
		fill = e.fillItems
	}
	rows := max(1, min(n, e.bytes/(8*e.Size()*max(1+e.Cells.widest(), len(e.Components)))))
	b := e.newBlock(rows, e.Size())
	for first := 0; first < n; first += rows {
		b.hold(first, min(rows, n-first))
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fill(b); err != nil {
			return err
		}
		if err := do(b); err != nil {
			return err
		}
	}
	return nil
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
func (e *Evaluator) fill(b *Block) error {
	parts, single := b.parts(), e.singles(b)
	for _, p := range parts {
		clear(p.shift)
		if e.data.Offset == nil {
			clear(p.Eta)
			continue
		}
		for s := range p.Disp {
			copy(p.At(s), e.data.Offset[b.First:])
		}
	}
	for c, err := range e.columns() {
		if err != nil {
			return err
		}
		single.take(c)
		err := e.each(e.Size(), func(_, s int) {
			for _, p := range parts {
				e.add(p, c, s)
			}
			e.addEffects(b, c, s)
		})
		if err != nil {
			return err
		}
	}
	if err := single.settle(b); err != nil {
		return err
	}
	if err := errors.Join(e.addNew(b, single), e.addCells(b, single)); err != nil {
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
	design.IdleRows(e.data.X, b.First, b.First+b.Rows)
	return nil
}

// singles are the draws of the parameters that rows of a block need one by one, by their columns: dispersions, weights,
// scales of new levels, and what missing cells are computed from.
type singles map[int][]float64

// singles returns those of a block without their draws.
func (e *Evaluator) singles(b *Block) singles {
	out := singles{}
	for _, p := range b.parts() {
		out.need(p.at.Dispersions...)
		out.need(Dispersion{Param: p.at.Weight})
	}
	for _, of := range e.Effects {
		if of.New != nil {
			out.need(of.New.SD...)
			for _, p := range of.New.Cor {
				out[p] = nil
			}
		}
	}
	from, to := e.Cells.within(b)
	for i := from; i < to; i++ {
		for _, p := range slices.Concat(e.Cells.Columns[i], e.Cells.Params[i]) {
			out[p] = nil
		}
	}
	return out
}

func (s singles) need(of ...Dispersion) {
	for _, d := range of {
		if d.Param >= 0 {
			s[d.Param] = nil
		}
	}
}

// take keeps what a block of columns has of them.
func (s singles) take(c *infer.Columns) {
	size := c.Chains * c.Draws
	for p := range c.Params {
		if _, needed := s[c.First+p]; needed {
			s[c.First+p] = slices.Clone(c.Values[p*size : (p+1)*size])
		}
	}
}

// settle sets the dispersions and weights of a block. It returns an error if a parameter has no draws.
func (s singles) settle(b *Block) error {
	for p, draws := range s {
		if draws == nil {
			return fmt.Errorf("the draws do not have all parameters that rows need: number %d is missing", p+1)
		}
	}
	for _, p := range b.parts() {
		for draw := range p.Disp {
			p.set(draw, func(param int) float64 { return s[param][draw] })
		}
	}
	return nil
}

// add adds a block of columns at draw s.
func (e *Evaluator) add(p *Block, c *infer.Columns, s int) {
	eta, first := p.At(s), p.at.First
	for param := max(c.First, first); param < min(c.First+c.Params, first+len(e.Columns)); param++ {
		column := &e.Columns[param-first]
		beta := c.Values[(param-c.First)*e.Size()+s]
		if column.Centre != 0 {
			p.shift[s] = math.FMA(column.Centre, beta, p.shift[s])
		}
		beta *= column.Scale
		e.data.X.Column(param-first).AddPart(eta, beta, p.First)
	}
}

// addEffects adds the group-level effects of a block of columns at draw s to the rows of their levels.
func (e *Evaluator) addEffects(b *Block, c *infer.Columns, s int) {
	for k, of := range e.data.Effects {
		eta := b.At(s)
		first, levels := e.Effects[k].First, e.Effects[k].Fitted
		if first < 0 {
			continue
		}
		for p := max(first, c.First); p < min(first+len(of.Terms)*levels, c.First+c.Params); p++ {
			r, column := c.Values[(p-c.First)*e.Size()+s], of.Columns[(p-first)/levels]
			rows := of.Grouping.Rows((p - first) % levels)
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
