package transform

import (
	"math"
	"slices"
)

// ToData brings one position from the scale of the design as sampled to the units of the data, in place:
// coefficients are divided by their column's scale, and the intercept gives up Σ centre·coefficient. The entries of
// theta after the coefficients (dispersions) are unchanged. Cost: O(columns), in a fixed order. It panics if theta
// is shorter than the design is wide.
func (r *Record) ToData(theta []float64) {
	r.shift(theta, func(c *Column, beta float64) (float64, float64) {
		beta /= c.Scale
		return beta, -beta
	})
}

// AtCentres returns Σ centre·coefficient of coefficients in the units of the data: by as much thresholds and intercepts
// outside the design change with it. Cost: O(columns).
func (r *Record) AtCentres(theta []float64) (sum float64) {
	for j := range r.Columns {
		if c := &r.Columns[j]; c.Term >= 0 && c.Centre != 0 {
			sum = math.FMA(c.Centre, theta[j], sum)
		}
	}
	return sum
}

// Shifted reports whether the intercept gives up something in ToData, so that its
// draws in the units of the data need those of every column.
func (r *Record) Shifted() bool {
	return r.intercept() && slices.ContainsFunc(r.Columns, func(c Column) bool { return c.Term >= 0 && c.Centre != 0 })
}

// ColumnToData does for draws of column j what ToData does for its entry of one
// position. Where moved is not nil, and all columns after the intercept come in
// their order, it sums up draw by draw what the intercept gives up, which
// InterceptToData then takes: the bits are those of ToData.
func (r *Record) ColumnToData(j int, draws, moved []float64) {
	if j >= len(r.Columns) || r.Columns[j].Term < 0 {
		return
	}
	c := &r.Columns[j]
	for i := range draws {
		draws[i] /= c.Scale
	}
	if c.Centre == 0 || moved == nil {
		return
	}
	for i, beta := range draws {
		moved[i] = math.FMA(c.Centre, -beta, moved[i])
	}
}

// InterceptToData brings draws of the intercept to the units of the data. moved is the sum from ColumnToData, nil
// if Shifted is false.
func (r *Record) InterceptToData(draws, moved []float64) {
	for i, m := range moved {
		draws[i] += m
	}
}

// FromData is the inverse of ToData.
func (r *Record) FromData(theta []float64) {
	r.shift(theta, func(c *Column, beta float64) (float64, float64) {
		return beta * c.Scale, beta
	})
}

// FunctionOfData returns the weights that a linear function of the coefficients of the design has of those in the units
// of the data.
func (r *Record) FunctionOfData(f []float64) []float64 {
	out := make([]float64, len(f))
	for j := range out {
		unit := make([]float64, len(r.Columns))
		unit[j] = 1
		r.FromData(unit)
		for i, v := range f {
			out[j] = math.FMA(v, unit[i], out[j])
		}
	}
	return out
}

// shift replaces each coefficient by the first result of change, and adds
// centre times the second to the intercept.
func (r *Record) shift(theta []float64, change func(c *Column, beta float64) (after, weight float64)) {
	moved := 0.0
	for j := range r.Columns {
		c := &r.Columns[j]
		if c.Term < 0 {
			continue
		}
		after, weight := change(c, theta[j])
		theta[j] = after
		if c.Centre != 0 {
			moved = math.FMA(c.Centre, weight, moved)
		}
	}
	if r.intercept() {
		theta[0] += moved
	}
}
