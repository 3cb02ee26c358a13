package impute

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// maxColumns bounds the incomplete columns: a pattern of missing cells is a word.
const maxColumns = 62

// check finds what cannot be sampled.
func (p *Problem) check() error {
	if len(p.Columns) > maxColumns {
		return fmt.Errorf("impute: %d incomplete columns, more than %d", len(p.Columns), maxColumns)
	}
	if !p.Model.Proper() {
		return fmt.Errorf("impute: a flat prior beside missing cells may leave no posterior: give each coefficient and " +
			"dispersion a proper prior")
	}
	if p.Data.Frequency != nil {
		return fmt.Errorf("impute: rows that count several times have one cell each to be drawn")
	}
	if err := dense("the regression", p.Data); err != nil {
		return err
	}
	if p.Unseen != nil && len(p.Unseen.Effects) != len(p.Data.Effects) {
		return fmt.Errorf("impute: rows without a response have %d group-level effects, the others %d",
			len(p.Unseen.Effects), len(p.Data.Effects))
	}
	for k := range p.Columns {
		if err := p.checkColumn(k); err != nil {
			return fmt.Errorf("model of column %q: %w", p.Columns[k].Name, err)
		}
	}
	return nil
}

func dense(what string, data *glm.Data) error {
	if _, ok := data.X.(*design.Dense); !ok {
		return fmt.Errorf("impute: %s has a sparse design, whose entries are not rewritten", what)
	}
	return nil
}

// movable reports whether cells of a family have moves.
func movable(f glm.Family) bool {
	binary := f.Is(family.Softplus) && !f.Support().Trials
	return f.Known() && (f.Is(family.Squares) || binary || f.Likelihood().Cell != nil)
}

func (p *Problem) checkColumn(k int) error {
	c := &p.Columns[k]
	if err := dense("it", c.Data); err != nil {
		return err
	}
	switch f := c.Model.Family; {
	case !movable(f) || c.Levels != nil && !f.Is(family.Softplus):
		return fmt.Errorf("impute: family %s has no moves of cells", f)
	case !c.Model.Proper():
		return fmt.Errorf("impute: it has a flat prior")
	case c.Data.Intercept != 0:
		return fmt.Errorf("impute: it has no intercept")
	case c.Data.Rows() != p.Rows || len(c.Data.Y) != p.Rows:
		return fmt.Errorf("impute: it has %d of %d rows", c.Data.Rows(), p.Rows)
	case len(c.Data.Effects) > 0:
		return fmt.Errorf("impute: group-level effects have no place in it")
	case len(c.Data.Smooths) > 0 || c.Data.Offset != nil || c.Data.Frequency != nil || c.Data.Precision != nil:
		return fmt.Errorf("impute: smooths, offsets and weights have no place in it")
	case c.Noise != nil && (!c.linear() || c.Log || len(c.Missing) != p.Rows || len(c.Noise) != p.Rows):
		return fmt.Errorf("impute: a column with errors of measurement is gaussian, and all of its cells are drawn")
	case slices.ContainsFunc(c.Noise, func(sd float64) bool { return !(sd > 0) || math.IsInf(sd, 1) }):
		return fmt.Errorf("impute: a standard deviation of a measurement is not positive")
	case c.Noise == nil && len(c.Missing) > p.Rows-2:
		return fmt.Errorf("impute: %d of %d cells are missing, and at least 2 must be there", len(c.Missing), p.Rows)
	}
	for j := range p.Columns {
		moved := c.Coder.Moved(j)
		if j >= k && moved != nil {
			return fmt.Errorf("impute: it reads column %q, which comes after it", p.Columns[j].Name)
		}
		if moved == nil {
			continue
		}
		slope, _, ok := c.Coder.Affine(j)
		ok = ok && len(moved) == 1 && (!c.linear() || slope[0] == 1)
		if p.Columns[j].Levels != nil {
			_, ok = c.Coder.Table(j)
		}
		if !ok {
			return fmt.Errorf("impute: it takes a function of column %q, which is incomplete", p.Columns[j].Name)
		}
	}
	other := func(q prior.Prior) bool { return q.Kind != prior.Normal }
	if c.linear() && slices.ContainsFunc(c.Model.Coefficients, other) {
		return fmt.Errorf("impute: its coefficients have other priors than normal ones")
	}
	return nil
}
