package groups

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// ClosedResponse is a gaussian response of a Closed.
type ClosedResponse struct {
	Y       []float64 // less the offset
	X       *design.Dense
	Start   []float64       // coefficients about which sums are made, so that they keep their digits
	Priors  []prior.Prior   // of coefficients: normal or flat
	Effects *design.Effects // or nil
	Scales  glm.EffectsPrior
}

// Closed is the posterior of gaussian responses, whose effects are of the levels of one grouping. Given sds and
// correlations, coefficients and effects are normal, with a precision that follows from cross products of all columns:
// these are made once, and no move reads a row. It is read-only once made.
type Closed struct {
	responses []ClosedResponse
	linked    bool
	rows      float64 // each as often as it counts
	levels    int
	closedColumns
	closedSums
}

// closedColumns are those of all responses, one after the other.
type closedColumns struct {
	col, term []int // the response of each coefficient, and of each term of effects
	start     []int // the number of the first coefficient of each response
	precision []float64
	centre    []float64 // of the prior of coefficients, less Start
}

// closedSums are the cross products, where y is less X·Start.
type closedSums struct {
	xx, xy, yy []float64 // Σ w·x·xᵀ, Σ w·x·yᵀ and Σ w·y·yᵀ
	zz, zx, zy []float64 // the same of the terms of each level
}

// NewClosed returns the posterior; linked is whether all effects have one distribution. Frequency is nil for 1 each.
// Cost: O(n·d²).
func NewClosed(responses []ClosedResponse, linked bool, frequency []float64) *Closed {
	c := &Closed{responses: responses, linked: linked, rows: float64(len(responses[0].Y))}
	w := frequency
	if w == nil {
		w = filled(len(responses[0].Y))
	}
	c.rows = vector.Sum(w)
	var x, z, y [][]float64
	var of []int32
	for k, r := range responses {
		c.start = append(c.start, len(x))
		rest := make([]float64, len(r.Y))
		r.X.AddProduct(vector, r.Start, rest)
		vector.Minus(rest, r.Y, rest)
		y = append(y, rest)
		for j, law := range r.Priors {
			x, c.col = append(x, r.X.Col(j)), append(c.col, k)
			precision := 0.0
			if law.Kind == prior.Normal {
				precision = 1 / law.Scale / law.Scale
			}
			c.precision, c.centre = append(c.precision, precision), append(c.centre, law.Location-r.Start[j])
		}
		if r.Effects == nil {
			continue
		}
		of, c.levels = r.Effects.Grouping.Of(), r.Effects.Grouping.Levels()
		for _, column := range r.Effects.Columns {
			if column == nil {
				column = filled(len(r.Y))
			}
			z, c.term = append(z, column), append(c.term, k)
		}
	}
	c.xx, c.xy, c.yy = productsOf(x, x, w), productsOf(x, y, w), productsOf(y, y, w)
	c.zz, c.zx, c.zy = c.byLevel(z, z, w, of), c.byLevel(z, x, w, of), c.byLevel(z, y, w, of)
	return c
}

// productsOf returns Σ w·a·b over the rows, by columns of a.
func productsOf(a, b [][]float64, w []float64) []float64 {
	out := make([]float64, 0, len(a)*len(b))
	weighed := make([]float64, len(w))
	for _, u := range a {
		for i, v := range u {
			weighed[i] = v * w[i]
		}
		for _, v := range b {
			out = append(out, vector.Dot(weighed, v))
		}
	}
	return out
}

// byLevel returns productsOf of the rows of each level.
func (c *Closed) byLevel(a, b [][]float64, w []float64, of []int32) []float64 {
	size := len(a) * len(b)
	out := make([]float64, c.levels*size)
	for i, l := range of {
		at := int(l) * size
		for _, u := range a {
			weighed := float64(u[i] * w[i])
			for _, v := range b {
				out[at] = math.FMA(weighed, v[i], out[at])
				at++
			}
		}
	}
	return out
}

// maxClosed bounds the work of a look at the density, in multiplications for each row.
const maxClosed = 64

// Serves reports whether a look costs no more than some passes over the rows.
func (c *Closed) Serves() bool {
	d, q := float64(len(c.col)), float64(len(c.term))
	return q <= maxTerms && d <= jointMost && float64(float64(c.levels)*q*d*(d+q)/2)+float64(d*d*d/6) <= maxClosed*c.rows
}
