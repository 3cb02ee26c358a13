package predictive

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// Component says where a component of a mixture stands among the draws.
type Component struct {
	Weight int // its weight
	First  int // its coefficient of the first column of the design; the others follow
	// Dispersions of the family, in its order.
	Dispersions []Dispersion
}

// newBlock has room for so many rows.
func (f *Fit) newBlock(rows int) *Block {
	if f.Components == nil {
		return &Block{Eta: make([]float64, rows*f.Size()), Disp: make([][2]float64, f.Size())}
	}
	b := &Block{}
	for range f.Components {
		b.Of = append(b.Of, &Block{Eta: make([]float64, rows*f.Size()), Disp: make([][2]float64, f.Size()),
			LogW: make([]float64, f.Size()), Dense: f.Items != nil})
	}
	return b
}

// hold makes the block one of these rows.
func (b *Block) hold(first, rows, size int) {
	b.First, b.Rows = first, rows
	if b.Of == nil {
		b.Eta = b.Eta[:rows*size]
	}
	for _, c := range b.Of {
		c.hold(first, rows, size)
	}
}

// logLik writes the log densities of the block's rows from … to−1 at draw s to dst: those of a mixture with the
// components summed over, which no renumbering of these moves.
func (b *Block) logLik(outcomes *glm.Pointwise, s, from, to int, dst []float64) {
	switch {
	case b.Dense:
		copy(dst, b.At(s)[from:to])
		return
	case b.Of == nil:
		outcomes.LogLik(b.First+from, b.At(s)[from:to], b.Disp[s][:], dst)
		return
	}
	one := make([]float64, to-from)
	for c, of := range b.Of {
		of.logLik(outcomes, s, from, to, one)
		for i, l := range one {
			if l += of.LogW[s]; c == 0 {
				dst[i] = l
			} else {
				dst[i] = logAdd(dst[i], l)
			}
		}
	}
}

// logAdd returns log(e^a + e^b).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) || math.IsNaN(b) {
		return math.Max(a, b)
	}
	return a + math.Log1p(math.Exp(b-a))
}

// mixed returns the mean of what of tells of each component of a mixture at draw s, by their weights; of a block that
// is none, what it tells of this one. A component that weighs nothing is not asked.
func (b *Block) mixed(s int, of func(*Block) float64) float64 {
	if b.Of == nil {
		return of(b)
	}
	sum := 0.0
	for _, c := range b.Of {
		if w := math.Exp(c.LogW[s]); w > 0 {
			sum = math.FMA(w, of(c), sum)
		}
	}
	return sum
}

// mean is that of the response of the block's row i at draw s.
func (b *Block) mean(outcomes *glm.Pointwise, s, i int) float64 {
	return b.mixed(s, func(b *Block) float64 {
		var mean [1]float64
		outcomes.Mean(b.First+i, b.Eta[s*b.Rows+i:s*b.Rows+i+1], b.Disp[s][:], mean[:])
		return mean[0]
	})
}

// cdf is the probability of a response up to y in the block's row i at draw s.
func (b *Block) cdf(outcomes *glm.Pointwise, s, i int, y float64) float64 {
	return b.mixed(s, func(b *Block) float64 {
		return outcomes.CDF(b.First+i, y, b.Eta[s*b.Rows+i], b.Disp[s][:])
	})
}

// draw returns a random response of the block's row i at draw s: in a mixture first the component.
func (b *Block) draw(outcomes *glm.Pointwise, random *infer.Stream, s, i int) float64 {
	if b.Of != nil {
		b = b.pick(random.Float64(), s)
	}
	return outcomes.Draw(random, b.First+i, b.Eta[s*b.Rows+i], b.Disp[s][:])
}

// pick returns the component on which u of (0, 1) falls at draw s.
func (b *Block) pick(u float64, s int) (last *Block) {
	for _, c := range b.Of {
		w := math.Exp(c.LogW[s])
		if w > 0 {
			if last = c; u < w {
				return c
			}
		}
		u -= w
	}
	return last
}
