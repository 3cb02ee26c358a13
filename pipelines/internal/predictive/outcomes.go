package predictive

import (
	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/simd"
)

// outcomes are the responses of rows, given the linear predictors of a block.
type outcomes interface {
	// means is how many means a response has: one, or the probability of each class.
	means() int
	logLik(b *Block, s, from, to int, dst []float64)
	mean(b *Block, s, from, to, class int, dst []float64)
	cdf(b *Block, s, i int, y float64) float64
	draw(b *Block, random *infer.Stream, s, i int) float64
	// counts draws a count of each class, of responses that are such counts.
	counts(b *Block, random *infer.Stream, s, i int, dst []float64)
}

// newOutcomes returns the responses of a family; classes are those of a response that has such.
func newOutcomes(f glm.Family, classes []string, data *glm.Data) (outcomes, error) {
	if several := f.Several(); several != nil {
		o := &severalOutcomes{Several: several, family: f, classes: max(1, len(classes)),
			rows: family.Rows{Y: data.Y, Trials: data.Trials, Kernels: simd.Vector(), Total: 1, Censoring: data.Censoring,
				Counted: data.Counted}}
		if data.Limits() == family.Truncated {
			o.bounds = data.Bounds
		}
		y := data.Y
		if y == nil { // no success is always allowed
			y = make([]float64, len(data.Trials))
		}
		if err := family.CheckResponse(f, y, data.Trials); err != nil {
			return nil, err
		}
		several.Prepare(&o.rows)
		return o, nil
	}
	of, err := glm.NewPointwise(f, data)
	return pointwise{of}, err
}

// pointwise has one linear predictor.
type pointwise struct{ *glm.Pointwise }

func (pointwise) means() int { return 1 }

func (o pointwise) logLik(b *Block, s, from, to int, dst []float64) {
	o.LogLik(b.First+from, b.at(0, s)[from:to], b.Disp[s][:], dst)
}

func (o pointwise) mean(b *Block, s, from, to, _ int, dst []float64) {
	o.Mean(b.First+from, b.at(0, s)[from:to], b.Disp[s][:], dst)
}

func (o pointwise) cdf(b *Block, s, i int, y float64) float64 {
	return o.CDF(b.First+i, y, b.Eta[0][s*b.Rows+i], b.Disp[s][:])
}

func (o pointwise) draw(b *Block, random *infer.Stream, s, i int) float64 {
	return o.Draw(random, b.First+i, b.Eta[0][s*b.Rows+i], b.Disp[s][:])
}

func (o pointwise) counts(b *Block, random *infer.Stream, s, i int, dst []float64) {
	dst[0] = o.draw(b, random, s, i)
}

// severalOutcomes has several.
type severalOutcomes struct {
	family.Several
	family  glm.Family
	rows    family.Rows
	classes int
	bounds  []family.Bound // of truncated rows, or nil
}

func (o *severalOutcomes) means() int { return o.classes }

func (o *severalOutcomes) logLik(b *Block, s, from, to int, dst []float64) {
	eta := make([][]float64, len(b.Eta))
	for q := range eta {
		eta[q] = b.at(q, s)[from:to]
	}
	rows := o.rows
	rows.Disp = b.Disp[s]
	o.LogLik(&rows, b.First+from, eta, dst)
}

// row returns the predictors of a row at draw s.
func (o *severalOutcomes) row(b *Block, s, i int) []float64 {
	eta := make([]float64, len(b.Eta))
	for q := range eta {
		eta[q] = b.Eta[q][s*b.Rows+i]
	}
	return eta
}

func (o *severalOutcomes) mean(b *Block, s, from, to, class int, dst []float64) {
	means := make([]float64, o.classes)
	for i := from; i < to; i++ {
		o.Means(o.row(b, s, i), b.Disp[s], means)
		dst[i-from] = float64(means[class] * o.rows.Attempts(b.First+i))
	}
}

func (o *severalOutcomes) cdf(b *Block, s, i int, y float64) float64 {
	row, trials := o.row(b, s, i), o.rows.Attempts(b.First+i)
	cdf := func(y float64) float64 { return o.CDF(y, row, b.Disp[s], trials) }
	if o.bounds != nil {
		return o.family.CDFWithin(&o.bounds[b.First+i], y, cdf)
	}
	return cdf(y)
}

func (o *severalOutcomes) counts(b *Block, random *infer.Stream, s, i int, dst []float64) {
	o.family.Likelihood().DrawCounts(random, o.row(b, s, i), o.rows.Attempts(b.First+i), dst)
}

func (o *severalOutcomes) draw(b *Block, random *infer.Stream, s, i int) float64 {
	row, trials := o.row(b, s, i), o.rows.Attempts(b.First+i)
	draw := func() float64 { return o.Draw(random, row, b.Disp[s], trials) }
	if o.bounds != nil {
		return o.family.DrawWithin(&o.bounds[b.First+i], random, draw,
			func(y float64) float64 { return o.CDF(y, row, b.Disp[s], trials) })
	}
	return draw()
}
