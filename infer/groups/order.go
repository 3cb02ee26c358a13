package groups

import (
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// maxSorted is the largest number of columns that are copied to have their rows in the order of levels: with more the
// columns take more time than the levels.
const maxSorted = 32

// byLevel returns data whose rows are in the order of the levels of the grouping that has most, so that its passes read
// memory in order; data itself where that is so, where rows are few, or where columns are many or not dense.
//
// Cost: O(n·d), and a copy of the data.
func byLevel(data *glm.Data) *glm.Data {
	x, dense := data.X.(*design.Dense)
	largest := slices.MaxFunc(data.Effects, func(a, b *design.Effects) int {
		return a.Grouping.Levels() - b.Grouping.Levels()
	}).Grouping
	if !dense || data.Given != nil || !glm.Tall(x.Rows) || x.Cols > maxSorted || slices.IsSorted(largest.Of()) {
		return data
	}
	out, rows := *data, make([]int32, 0, x.Rows)
	for l := range largest.Levels() {
		rows = append(rows, largest.Rows(l)...)
	}
	to := design.NewDense(x.Rows, x.Cols)
	for j := range x.Cols {
		gather(to.Col(j), x.Col(j), rows)
	}
	out.X = to
	for _, column := range []*[]float64{&out.Y, &out.Trials, &out.Offset, &out.Frequency, &out.Precision,
		&out.Kind} {
		*column = gathered(*column, rows)
	}
	out.Bounds = gathered(out.Bounds, rows)
	out.Effects = nil
	for _, e := range data.Effects {
		moved := *e
		of := make([]int32, len(rows))
		gather(of, e.Grouping.Of(), rows)
		moved.Grouping, moved.Columns = design.NewGrouping(of, e.Grouping.Levels()), nil
		for _, c := range e.Columns {
			moved.Columns = append(moved.Columns, gathered(c, rows))
		}
		out.Effects = append(out.Effects, &moved)
	}
	return &out
}

// gathered returns the rows of a column in another order; nil of nil.
func gathered[T any](column []T, rows []int32) []T {
	if column == nil {
		return nil
	}
	out := make([]T, len(rows))
	gather(out, column, rows)
	return out
}

func gather[T any](to, from []T, rows []int32) {
	for i, row := range rows {
		to[i] = from[row]
	}
}
