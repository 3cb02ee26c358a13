package check

import (
	"fmt"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// mostRows bounds the rows that a frequency-weighted data set is expanded to.
const mostRows = 10_000_000

// expanded repeats rows as often as their frequencies count them: equal rows of
// a data set have different simulated responses.
func expanded(data *glm.Data) (*glm.Data, error) {
	if data.Frequency == nil {
		return data, nil
	}
	var from []int
	for i, w := range data.Frequency {
		if float64(len(from))+w > mostRows {
			return nil, fmt.Errorf("frequency_weights stand for more than %d rows, which is more than a check simulates",
				mostRows)
		}
		for range int(w) {
			from = append(from, i)
		}
	}
	out := taken(data, from)
	out.Frequency = nil
	return out, nil
}

// doubled is the data twice, the second time with other responses.
func doubled(data *glm.Data, y []float64) *glm.Data {
	n := data.Rows()
	from := make([]int, 2*n)
	for i := range from {
		from[i] = i % n
	}
	out := taken(data, from)
	copy(out.Y[n:], y)
	return out
}

// taken are rows of the data, in the order of from.
func taken(data *glm.Data, from []int) *glm.Data {
	pick := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, len(from))
		for to, i := range from {
			out[to] = v[i]
		}
		return out
	}
	out := *data
	if sparse, ok := data.X.(*design.Sparse); ok {
		out.X = sparse.Taken(from)
	} else {
		x := design.NewDense(len(from), data.Cols())
		for j := range data.Cols() {
			copy(x.Col(j), pick(data.X.Col(j)))
		}
		out.X = x
	}
	out.Y, out.Trials, out.Offset = pick(data.Y), pick(data.Trials), pick(data.Offset)
	out.Frequency, out.Precision = pick(data.Frequency), pick(data.Precision)
	return &out
}
