package predictive

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/report/record"
)

// maxBins is how many classes the range of the data is divided into at most. Two more have what lies outside.
const maxBins = 30

// classes divide the range of observed responses, low to high, into n classes of one width. Class 0 has what lies below
// them, class n+1 what lies above.
type classes struct {
	low, high, width float64
	n                int
}

// classesOf are those of a data set: whole numbers, where responses are, have classes of whole width.
func classesOf(f glm.Family, y []float64) classes {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range y {
		low, high = math.Min(low, v), math.Max(high, v)
	}
	if f.Support().Whole {
		width := math.Ceil((high - low + 1) / maxBins)
		n := math.Ceil((high - low + 1) / width)
		return classes{low, low + float64(n*width) - 1, width, int(n)}
	}
	if low == high {
		return classes{low - 0.5, low + 0.5, 1, 1}
	}
	// Sturges asks for too few where there are many rows; the square root is bounded.
	n := max(5, min(maxBins, int(math.Ceil(math.Sqrt(float64(len(y)))))))
	return classes{low, high, (high - low) / float64(n), n}
}

// of is the class of a response; the largest one of the data belongs to the last class within.
func (c classes) of(y float64) int {
	switch {
	case y < c.low:
		return 0
	case y > c.high:
		return c.n + 1
	}
	return 1 + min(int((y-c.low)/c.width), c.n-1)
}

// bins compares the classes of the data with those of the replicates. A class outside the range of the data is left
// out where no replicate has it.
func bins(c classes, observed *sample, replicates []sample) (out []record.Bin) {
	values := make([]float64, 0, len(replicates))
	for k := range c.n + 2 {
		values = values[:0]
		most := 0.0
		for r := range replicates {
			if s := &replicates[r]; !math.IsNaN(s.sum) {
				values = append(values, float64(s.classes[k]))
				most = math.Max(most, float64(s.classes[k]))
			}
		}
		b := record.Bin{Low: c.low + float64(c.width*float64(k-1)), High: c.low + float64(c.width*float64(k)),
			Observed: float64(observed.classes[k])}
		switch {
		case (k == 0 || k == c.n+1) && most == 0:
			continue
		case k == 0:
			b.Low = math.NaN()
		case k == c.n+1:
			b.High = math.NaN()
		}
		s := Summarize(values)
		b.Q025, b.Q25, b.Median, b.Q75, b.Q975 = s.Q025, s.Q25, s.Median, s.Q75, s.Q975
		out = append(out, b)
	}
	return out
}
