package predictive

import (
	"iter"
	"math"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// An Evaluator evaluates rows of data at draws of a fit: Blocks at all draws, At at one position of the sampler. It is
// the one way from draws to linear predictors, densities, means, distribution functions and random responses.
type Evaluator struct {
	*Fit
	family   glm.Family
	data     *glm.Data // responses
	parts    []part
	need     int      // how many parameters, the first, rows need
	outcomes outcomes // nil of Items, whose blocks have densities
	// responses evaluate those of rows with several responses; nil of others. The evaluator has only the first family.
	responses []*Evaluator
	rescor    *rescor // of responses with correlated residuals; nil of others

	questions []question // of times, see Ask
	asked     []string   // their names
}

// rows counts the rows.
func (e *Evaluator) rows() int {
	switch {
	case e.Items != nil:
		return e.Items.Rows
	case e.responses != nil:
		return e.responses[0].rows()
	}
	return e.parts[0].predictors[0].Rows()
}

// one reports whether rows have one response.
func (e *Evaluator) one() bool { return e.Items == nil && e.responses == nil && e.data.Counts == nil }

// hash is equal for fits of the same responses in the same order, whatever explains them: only these can be compared.
func (e *Evaluator) hash() string {
	if e.Items != nil {
		return hashOf(append(e.Items.Responses[:len(e.Items.Responses):len(e.Items.Responses)], e.data.Frequency)...)
	}
	if e.responses != nil {
		var all []string
		for _, own := range e.responses {
			all = append(all, own.hash())
		}
		return strings.Join(all, " ")
	}
	return outcomesHash(e.data)
}

// Block holds rows First … First+Rows−1 of a design at every draw.
type Block struct {
	First, Rows int
	// Eta has row i of predictor q at draw s, chain after chain, at Eta[q][s*Rows+i]; with Dense Eta[0] has the log
	// density.
	Eta   [][]float64
	Dense bool
	// Disp has the scalars at each draw.
	Disp [][2]float64
	// Of are the components of a mixture, each with the numbers above; the block has none of its own then.
	Of []*Block
	// LogW is the log weight of a component at each draw.
	LogW []float64

	severalResponses
	one oneResponse

	of       *part
	shift    [][]float64 // of each predictor at each draw, of all rows
	outcomes outcomes
}

// severalResponses are the blocks of several responses of the rows, and the correlations of their residuals; the block
// has nothing else then.
type severalResponses struct {
	responses []*Block
	rescor    *rescor
}

// oneResponse has the data of one of several responses, of all rows.
type oneResponse struct {
	counts []float64 // how often each row counts; nil: once
	y      []float64
}

// newBlock returns a block of at most rows rows at size draws.
func (e *Evaluator) newBlock(rows, size int) *Block {
	if e.responses != nil {
		b := &Block{severalResponses: severalResponses{rescor: e.rescor}}
		for _, own := range e.responses {
			block := own.newBlock(rows, size)
			block.one = oneResponse{own.data.Frequency, own.data.Y}
			b.responses = append(b.responses, block)
		}
		return b
	}
	of := func(p *part) *Block {
		b := &Block{Disp: make([][2]float64, size), LogW: make([]float64, size), Dense: e.Items != nil, of: p,
			outcomes: e.outcomes}
		for range max(1, len(p.predictors)) {
			b.Eta, b.shift = append(b.Eta, make([]float64, rows*size)), append(b.shift, make([]float64, size))
		}
		return b
	}
	if e.Description.Weights == nil {
		return of(&e.parts[0])
	}
	b := &Block{}
	for k := range e.parts {
		b.Of = append(b.Of, of(&e.parts[k]))
	}
	return b
}

// parts are the components of a mixture; else the block itself.
func (b *Block) parts() []*Block {
	if b.Of == nil {
		return []*Block{b}
	}
	return b.Of
}

// hold makes the block one of these rows.
func (b *Block) hold(first, rows int) {
	b.First, b.Rows = first, rows
	for q := range b.Eta {
		b.Eta[q] = b.Eta[q][:rows*len(b.Disp)]
	}
	for _, c := range slices.Concat(b.Of, b.responses) {
		c.hold(first, rows)
	}
}

// set sets the scalars and the weight of a part at draw s; value returns a parameter.
func (b *Block) set(s int, value func(param int) float64) {
	if !b.Dense {
		for k, n := range b.of.scalars {
			b.Disp[s][k] = n.Of(value)
		}
	}
	b.LogW[s] = vec.Log(b.of.weight.Of(value))
}

// at returns predictor q of the block's rows at draw s.
func (b *Block) at(q, s int) []float64 { return b.Eta[q][s*b.Rows : (s+1)*b.Rows] }

// Row writes linear predictor q of the block's row i at every draw to dst; NaN of a mixture, whose components have one
// each.
func (b *Block) Row(q, i int, dst []float64) {
	for s := range dst {
		if dst[s] = math.NaN(); b.Of == nil {
			dst[s] = b.Eta[q][s*b.Rows+i]
		}
	}
}

// weighed yields the components that weigh anything at draw s, by their weights.
func (b *Block) weighed(s int) iter.Seq2[float64, *Block] {
	return func(yield func(float64, *Block) bool) {
		for _, c := range b.Of {
			if w := vec.Exp(c.LogW[s]); w > 0 && !yield(w, c) {
				return
			}
		}
	}
}

// logLik writes the log densities of the block's rows from … to−1 at draw s to dst: those of a mixture with the
// components summed over, which no renumbering of these moves.
func (b *Block) logLik(s, from, to int, dst []float64) {
	switch {
	case b.responses != nil:
		b.logLikOfResponses(s, from, to, dst)
		return
	case b.Dense:
		copy(dst, b.at(0, s)[from:to])
		return
	case b.Of == nil:
		b.outcomes.logLik(b, s, from, to, dst)
		return
	}
	one := make([]float64, to-from)
	for c, of := range b.Of {
		of.logLik(s, from, to, one)
		for i, l := range one {
			if l += of.LogW[s]; c == 0 {
				dst[i] = l
			} else {
				dst[i] = vec.LogAdd(dst[i], l)
			}
		}
	}
}

// shares writes the probability of each component given the response of the block's row i at draw s to dst.
func (b *Block) shares(s, i int, dst []float64) {
	total := math.Inf(-1)
	for c, of := range b.Of {
		of.logLik(s, i, i+1, dst[c:c+1])
		dst[c] += of.LogW[s]
		total = vec.LogAdd(total, dst[c])
	}
	for c, l := range dst {
		dst[c] = vec.Exp(l - total)
	}
}

// means writes the means of the responses of the block's rows from … to−1 at draw s to dst, or the probabilities of a
// class: of a mixture those of its components by their weights.
func (b *Block) means(s, from, to, class int, dst []float64) {
	if b.Of == nil {
		b.outcomes.mean(b, s, from, to, class, dst)
		return
	}
	one := make([]float64, to-from)
	clear(dst)
	for w, c := range b.weighed(s) {
		c.means(s, from, to, class, one)
		for i, v := range one {
			dst[i] = math.FMA(w, v, dst[i])
		}
	}
}

// cdf returns the probability of a response up to y in the block's row i at draw s.
func (b *Block) cdf(s, i int, y float64) (sum float64) {
	if b.Of == nil {
		return b.outcomes.cdf(b, s, i, y)
	}
	for w, c := range b.weighed(s) {
		sum = math.FMA(w, c.cdf(s, i, y), sum)
	}
	return sum
}

// draw returns a random response of the block's row i at draw s: in a mixture first the component.
func (b *Block) draw(random *infer.Stream, s, i int) float64 {
	if b.Of != nil {
		b = b.pick(random.Float64(), s)
	}
	return b.outcomes.draw(b, random, s, i)
}

// pick returns the component on which u of (0, 1) falls at draw s.
func (b *Block) pick(u float64, s int) (last *Block) {
	for w, c := range b.weighed(s) {
		if last = c; u < w {
			return c
		}
		u -= w
	}
	return last
}
