package plan

import (
	"math"

	matrix "glmbatch/infer/design"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// summary describes the data of a design, so that the next night can be compared with it. Cost: two passes
// over the entries that are stored.
func summary(d *transform.Design) *record.DataSummary {
	out := &record.DataSummary{Missing: int64(d.Dropped)}
	y, weights := d.Data.Y, d.Data.Frequency
	if trials := d.Data.Trials; trials != nil {
		share, weight := make([]float64, len(y)), make([]float64, len(y))
		for i := range y {
			weight[i] = trials[i]
			if weights != nil {
				weight[i] *= weights[i]
			}
			if trials[i] > 0 {
				share[i] = y[i] / trials[i]
			}
		}
		y, weights = share, weight
	}
	out.ResponseMean, out.ResponseSD = moments(y, weights)
	for j, c := range d.Record.Columns {
		mean, sd := columnMoments(d.Data.X.Column(j), d.Rows, d.Counts)
		matrix.IdleColumn(d.Data.X, j)
		out.Columns = append(out.Columns, record.ColumnSummary{Name: c.Name, Mean: c.Centre + c.Scale*mean, SD: c.Scale * sd})
	}
	return out
}

// moments are the weighted mean and standard deviation (divisor n) of x; nil
// weights count 1 each. Without any weight both are NaN.
func moments(x, weights []float64) (mean, sd float64) {
	weight := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	total := 0.0
	for i, v := range x {
		total += weight(i)
		mean += weight(i) * v
	}
	mean /= total
	square := 0.0
	for i, v := range x {
		square += weight(i) * (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(square / total)
}

// columnMoments are the mean and standard deviation (divisor n) of a column of n rows, those that are not stored
// being zeros. A row counts once, or counts[i] times.
func columnMoments(c matrix.Column, n int, counts []float64) (mean, sd float64) {
	if counts != nil {
		x := make([]float64, n)
		c.AddTo(x, 1)
		return moments(x, counts)
	}
	total := 0.0
	for _, v := range c.Values {
		total += v
	}
	mean = total / float64(n)
	square := float64(n-len(c.Values)) * mean * mean
	for _, v := range c.Values {
		square += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(square / float64(n))
}
