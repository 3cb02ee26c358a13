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
	"glmbatch/report/record"
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
	// Open yields the draws in the units of the data, all columns in order, from the beginning at each call.
	Open func() Columns
	// Description locates all numbers among the parameters. The first of its responses is evaluated.
	Description *record.Description
	// NewLevels returns the random streams of the effects of levels that the fit has not seen; nil: these are 0.
	NewLevels func(path ...string) *infer.Stream
	// Items are the rows of a mixture whose rows have several responses, instead of those of a design; else nil.
	Items *Items
	// Cells are missing cells of the data that were drawn; nil: there are none, or none that rows here have.
	Cells   *Cells
	Workers int // at least 1; changes no bit

	bytes  int              // of a block; 0: blockBytes
	kept   []*infer.Columns // the first keptTo draws, if they fit into that
	keptTo int
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
	n, fill, wide := e.rows(), e.fill, 0
	switch {
	case e.Items != nil:
		fill, wide = e.fillItems, len(e.parts)
	case e.responses != nil:
		fill = e.fillResponses
		for _, own := range e.responses {
			wide += len(own.parts[0].predictors)
		}
	default:
		wide = max(1+e.Cells.widest(), len(e.parts)*len(e.parts[0].predictors))
	}
	rows := max(1, min(n, e.bytes/(8*e.Size()*wide)))
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

// columns yields the draws that rows need, kept or read again.
func (e *Evaluator) columns() Columns {
	if e.kept == nil || e.keptTo < e.need {
		if e.need*e.Size() > e.bytes/8 {
			return firstColumns(e.Open(), e.need)
		}
		e.kept = nil
		for c, err := range firstColumns(e.Open(), e.need) {
			if err != nil {
				return func(yield func(*infer.Columns, error) bool) { yield(nil, err) }
			}
			own := *c
			own.Values = slices.Clone(c.Values)
			e.kept = append(e.kept, &own)
		}
		e.keptTo = e.need
	}
	return func(yield func(*infer.Columns, error) bool) {
		for _, c := range e.kept {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// firstColumns stops when n columns of draws are read.
func firstColumns(all Columns, n int) Columns {
	return func(yield func(*infer.Columns, error) bool) {
		for c, err := range all {
			if !yield(c, err) || err != nil || c.First+c.Params >= n {
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
		for q := range p.Eta {
			clear(p.shift[q])
			offset := p.of.predictors[q].Offset
			if offset == nil {
				clear(p.Eta[q])
				continue
			}
			for s := range p.Disp {
				copy(p.at(q, s), offset[b.First:])
			}
		}
	}
	for c, err := range e.columns() {
		if err != nil {
			return err
		}
		single.take(c)
		err := e.each(e.Size(), func(_, s int) {
			for _, p := range parts {
				for q := range p.Eta {
					p.add(q, c, s)
					p.addEffects(q, c, s)
				}
			}
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
		for q := range p.Eta {
			for s, v := range p.shift[q] {
				if v != 0 {
					eta := p.at(q, s)
					for i := range eta {
						eta[i] += v
					}
				}
			}
			design.IdleRows(p.of.predictors[q].X, b.First, b.First+b.Rows)
		}
	}
	return nil
}

// singles are the draws of the parameters that rows of a block need one by one, by their columns: dispersions, weights,
// scales of new levels, and what missing cells are computed from.
type singles map[int][]float64

// singles returns those of a block without their draws.
func (e *Evaluator) singles(b *Block) singles {
	out := singles{}
	for k := range e.parts {
		p := &e.parts[k]
		if out.need(p.weight); e.Items == nil {
			out.need(p.scalars...)
		}
		for _, l := range p.predictors {
			for _, of := range l.effects {
				if of.law != nil {
					out.need(of.law.SD...)
					for _, c := range of.law.Cor {
						out[c-1] = nil
					}
				}
			}
		}
	}
	from, to := e.Cells.within(b)
	for i := from; i < to; i++ {
		for _, p := range e.Cells.Params[i] {
			out[p] = nil
		}
		for _, l := range e.parts[0].predictors {
			for _, j := range e.Cells.Columns[i] {
				out[l.first+j] = nil
			}
		}
	}
	return out
}

func (s singles) need(of ...record.Scalar) {
	for _, n := range of {
		if n.Parameter > 0 {
			s[n.Parameter-1] = nil
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

// add adds a block of columns at draw s to predictor q.
func (b *Block) add(q int, c *infer.Columns, s int) {
	eta, of := b.at(q, s), &b.of.predictors[q]
	for param := max(c.First, of.first); param < min(c.First+c.Params, of.first+len(of.Columns)); param++ {
		column := &of.Columns[param-of.first]
		beta := c.Values[(param-c.First)*len(b.Disp)+s]
		if column.Centre != 0 {
			b.shift[q][s] = math.FMA(column.Centre, beta, b.shift[q][s])
		}
		beta *= column.Scale
		of.X.Column(param-of.first).AddPart(eta, beta, b.First)
	}
}

// addEffects adds the group-level effects of a block of columns at draw s to the rows of their levels.
func (b *Block) addEffects(q int, c *infer.Columns, s int) {
	for _, of := range b.of.predictors[q].effects {
		eta := b.at(q, s)
		first, levels := of.first, of.fitted
		if first < 0 {
			continue
		}
		for p := max(first, c.First); p < min(first+len(of.Terms)*levels, c.First+c.Params); p++ {
			r, column := c.Values[(p-c.First)*len(b.Disp)+s], of.Columns[(p-first)/levels]
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
