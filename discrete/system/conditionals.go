package system

import (
	"encoding/binary"
	"math"

	"glmbatch/discrete/mrf"
)

// conditionals average the full conditional probability of each state, given the others at the end of an iteration,
// instead of the states themselves: the Rao-Blackwellised estimate of marginals. Its expectation is the same, and its
// variance for independent states smaller by that of a state around its conditional probability.
//
// The numbers of variable i begin at i·(q−1), of states 1 … q−1, as counts do.
//
// Source: Gelfand and Smith (1990), Sampling-based approaches to calculating marginal densities, section 2.5,
// doi:10.1080/01621459.1990.10476213; Liu, Wong and Kong (1994), doi:10.1093/biomet/81.1.27, for Gibbs sampling.
type conditionals struct {
	sum, batch    []float64 // over iterations, and those of the batch under way
	inner, square []float64 // over whole batches, and of their squares
}

func newConditionals(size int) *conditionals {
	all := make([]float64, 4*size)
	return &conditionals{all[:size:size], all[size : 2*size : 2*size], all[2*size : 3*size : 3*size], all[3*size:]}
}

// average adds the conditionals of the variables that are counted. Cost: a full conditional each.
func (c *tally) average(a *conditionals, x []uint8) {
	add := func(i int) {
		lw, p := c.lw[:c.of.States(i)], c.p[:c.of.States(i)]
		c.of.LogWeights(lw, i, x)
		mrf.Conditional(p, lw, 1)
		at := i * (c.q - 1)
		for k, v := range p[1:] {
			a.sum[at+k] += v
			a.batch[at+k] += v
		}
	}
	if c.only != nil {
		for _, i := range c.only {
			add(i)
		}
		return
	}
	for i := range x {
		add(i)
	}
}

// endBatch adds the batch under way to the whole ones.
func (a *conditionals) endBatch() {
	for i, v := range a.batch {
		a.inner[i] += v
		a.square[i] = math.FMA(v, v, a.square[i])
	}
	clear(a.batch)
}

// merge adds the sums of another segment.
func (a *conditionals) merge(o *conditionals) {
	for i, v := range o.sum {
		a.sum[i] += v
		a.inner[i] += o.inner[i]
		a.square[i] += o.square[i]
	}
}

// marginals writes the averages over so many iterations.
func (a *conditionals) marginals(q *mrf.Marginals, variables, states int, total float64) {
	for i := range variables {
		row, rest := q.At(i), 0.0
		for k := range row[1:] {
			row[k+1] = a.sum[i*(states-1)+k] / total
			rest += row[k+1]
		}
		row[0] = max(0, 1-rest)
	}
}

// append writes the sums, in order.
func (a *conditionals) append(out []byte) []byte {
	for _, part := range [][]float64{a.sum, a.batch, a.inner, a.square} {
		for _, v := range part {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

// read is the inverse of append, of data that are long enough. It returns what is left.
func (a *conditionals) read(data []byte) []byte {
	for _, part := range [][]float64{a.sum, a.batch, a.inner, a.square} {
		for i := range part {
			part[i], data = math.Float64frombits(binary.LittleEndian.Uint64(data)), data[8:]
		}
	}
	return data
}
