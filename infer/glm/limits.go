package glm

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer/family"
)

// Limits returns the limits of the rows.
func (d *Data) Limits() family.Limits {
	switch {
	case slices.ContainsFunc(d.Bounds, func(b family.Bound) bool { return b.Truncates() }):
		return family.Truncated
	case d.Kind != nil || d.Bounds != nil:
		return family.Censored
	}
	return family.NoLimits
}

// Seen returns the ends of the interval that has the response of row i. They are equal if it is observed.
func (d *Data) Seen(i int) (low, high float64) {
	y := d.Y[i]
	if d.Kind == nil {
		return y, y
	}
	switch d.Kind[i] {
	case family.Above:
		return y, math.Inf(1)
	case family.Below:
		return math.Inf(-1), y
	case family.Within:
		return y, d.Bounds[i].Upper
	}
	return y, y
}

// Replicated returns the number and the kind of a row like i with the random response y: in the interval of a censored
// row they are those of the row.
func (d *Data) Replicated(i int, y float64) (seen, kind float64) {
	if low, high := d.Seen(i); low < high && y > low && y <= high {
		return d.Y[i], d.Kind[i]
	}
	return y, family.Observed
}

// Responding returns the data with random responses; see Replicated. Those of counts are of one class after the other.
func (d *Data) Responding(y []float64) *Data {
	out := *d
	if d.Counts != nil {
		out.Counts = slices.Collect(slices.Chunk(y, d.Rows()))
		y = out.Counts[0]
	}
	out.Y = y
	if d.Kind != nil {
		out.Y, out.Kind = make([]float64, len(y)), make([]float64, len(y))
		for i, v := range y {
			out.Y[i], out.Kind[i] = d.Replicated(i, v)
		}
	}
	return &out
}

// checkLimits compares the limits of rows with the family and with each other.
func checkLimits(data *Data, f Family) error {
	if (data.Kind != nil || data.Bounds != nil) != (f.Limits != family.NoLimits) {
		return fmt.Errorf("glm: family %s has other limits than its rows", f)
	}
	if data.Y == nil {
		return nil
	}
	for i, y := range data.Y {
		if f.Support().Whole && data.Kind != nil && data.Kind[i] == family.Within && data.Bounds[i].Upper < y+1 {
			return &DomainError{What: "interval", Row: i, Value: data.Bounds[i].Upper,
				Allowed: fmt.Sprintf("it has a count above its lower end, %v", y)}
		}
	}
	return f.CheckLimits(data.Y, data.Kind, data.Bounds)
}
