package glm

import (
	"sync"

	"glmbatch/infer"
)

// Batch evaluates the log likelihood at many points in one reading of X. It belongs
// to one chain.
type Batch struct {
	t       *Target
	by      infer.Parallel
	offset  float64 // linear part of the offset
	scratch sync.Pool
	disp    []dispersions
	sums    []float64 // of each part, one point after the other
}

// NewBatch returns the evaluator of a target without horseshoe priors, whose parts go side
// by side where by has workers. Memory: 256 rows for each of these.
func NewBatch(t *Target, by infer.Parallel) *Batch {
	b := &Batch{t: t, by: by}
	b.scratch.New = func() any { return newPiece(t) }
	if t.form.Linear() && t.data.Offset != nil {
		b.offset = t.linearOf(t.data.Offset)
	}
	return b
}

// LogLiks writes the log likelihood at as many points as dst is long: point i is
// u[i·Dim : (i+1)·Dim], coefficients and then logs of dispersions, as
// Point.SetUnconstrained reads them. They are those of a predictor there up to
// the rounding of its sums, which are taken over 256 rows at a time, and of many rows over
// parts of them.
//
// Cost: X is read once; n·(d + 1) for each point, plus the cost of the normalising constant of a family with
// dispersions.
func (b *Batch) LogLiks(u []float64, dst []float64) {
	t, d, dim, m := b.t, b.t.Cols(), b.t.Dim(), len(dst)
	b.disp = b.disp[:0]
	for i := range dst {
		disp := t.newDispersions()
		t.setUnconstrained(&disp, u[i*dim+d:(i+1)*dim])
		b.disp = append(b.disp, disp)
	}
	count, size := t.parts()
	if len(b.sums) < count*m {
		b.sums = make([]float64, count*m)
	}
	clear(b.sums)
	b.by.Each(count, func(part int) {
		p, sums := b.scratch.Get().(*piece), b.sums[part*m:(part+1)*m]
		defer b.scratch.Put(p)
		for first := part * size; first < min((part+1)*size, t.Rows()); first += pieceRows {
			p.load(first, (part+1)*size)
			for i := range sums {
				p.predict(u[i*dim : i*dim+d])
				sums[i] += p.part.sum(p.eta, p.eta, 0, b.disp[i].at)
			}
		}
	})
	for i := range dst {
		sum, linear := 0.0, 0.0
		for part := range count {
			sum += b.sums[part*m+i]
		}
		if t.form.Linear() {
			linear = b.offset + t.kernels.Dot(t.xty, u[i*dim:i*dim+d])
		}
		dst[i] = t.logLik(sum, linear, &b.disp[i])
	}
}

// Place moves to u, where a Batch gave the log likelihood, and leaves the cached
// predictor behind: Refresh must come before anything else looks at rows.
func (p *Point) Place(u []float64, logLik float64) {
	p.setCentred(u)
	p.value = Value{LogLik: logLik}
}
