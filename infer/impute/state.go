package impute

import (
	"slices"

	"glmbatch/internal/state"
)

// stateVersion leads the state of a chain.
const stateVersion = 1

// list lists the state of the chain: the missing cells, column by column, the coefficients of each gaussian model with
// log sigma, the missing responses, then the chains of the other models.
func (k *kernel) list(c *state.Codec) {
	c.Count("iteration", &k.Iteration)
	for column := range k.cells {
		k.listCells(c, column)
	}
	for i := range k.fits {
		f := &k.fits[i]
		v := c.Finite("coefficients", append(slices.Clone(f.alpha), f.logSigma))
		c.Then(func() { f.logSigma = v[copy(f.alpha, v)] })
	}
	c.Floats("responses", k.predicted)
	c.Exchange(k.rewriteAll)
	for _, r := range k.readers {
		c.Sized(r.chain)
		c.Then(r.arrive)
	}
	c.Then(func() { k.system.precision(k.fits, k.q) })
}

// listCells lists the missing cells of a column.
func (k *kernel) listCells(c *state.Codec, column int) {
	y, own, cells := k.system, &k.problem.Columns[column], k.cells[column]
	at := func(i int) *float64 { return &k.z[int(cells[i])*y.width+y.first+column] }
	z := make([]float64, len(cells))
	for i := range z {
		z[i] = *at(i)
	}
	z = c.Finite("cells", z)
	for _, x := range z {
		u := x + y.centre[column]
		c.Demand(own.inside(u) && (own.Levels == nil || u >= 0 && u < float64(len(own.Levels))), "a cell of %v", u)
	}
	c.Exchange(func() {
		for i, q := range cells {
			*at(i), z[i] = z[i], *at(i)
			y.spell(k.z[int(q)*y.width : int(q+1)*y.width])
		}
	})
}
