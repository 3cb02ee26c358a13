package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// Several is a likelihood of P linear predictors. As a function of one of them, all others given, it has the form of a
// family of one predictor: so samplers move the predictors in turn, each by the updates of that family.
type Several interface {
	// Predictors describes the predictors of responses in these classes; nil for responses that are no classes.
	Predictors(classes []string) []Predictor
	// Start returns a constant for each predictor, at which the likelihood of the responses is about largest.
	Start(r *Rows, predictors int) []float64
	// Response returns what predictor p has as responses in its own family; r.Y if they are the same. Common: see View.
	Response(p int, r *Rows) []float64
	// Given writes what predictor p sees to v, where eta are the predictors, [P][n]. It is called for p = 0, 1, … in turn,
	// and may rest on what it kept in v at p − 1 and p + 1 to P − 1, which have not moved since p = 0. Cost: O(n).
	Given(p int, r *Rows, eta [][]float64, v *View)
	// LogLik writes log densities with all constants of the rows from first on to dst. Cost: O(P) a row.
	LogLik(r *Rows, first int, eta [][]float64, dst []float64)
	// Means writes the means of one row, one for each class, or one.
	Means(eta []float64, dst []float64)
	// Draw returns a random response at the predictors of a row.
	Draw(s prior.Source, eta []float64) float64
}

// Common is the number that stands for the predictor which moves all others at once: eta_p − c for all p. Not every
// Several has one, see Predictor.Common.
const Common = -1

// Predictor is a linear predictor of a family that has several.
type Predictor struct {
	Name string // that its coefficients are named by; empty for the main one
	Of   Family // that its likelihood has, given the others
	// Common reports whether all predictors may be moved at once, in the view of predictor Common and in this family.
	Common bool
}

// View holds what the other predictors leave to one of them. It belongs to one chain.
type View struct {
	Rest []float64   // [n]: its likelihood is that of its own family at eta_p + Rest
	Base float64     // and this is added to its log likelihood for the whole one
	Kept [][]float64 // [P][n], for Given
}

// NewView returns a view of p predictors of n rows.
func NewView(p, n int) *View {
	v := &View{Rest: make([]float64, n)}
	for range p {
		v.Kept = append(v.Kept, make([]float64, n))
	}
	return v
}

// addLogs writes log(e^a + e^b) to dst, which may be either.
func (r *Rows) addLogs(a, b, dst []float64) {
	var size, gap Block
	for i := 0; i < len(a); i += ChunkRows {
		n := min(ChunkRows, len(a)-i)
		for k := range n {
			x, y := a[i+k], b[i+k]
			size[k], gap[k] = max(x, y), -math.Abs(x-y)
		}
		r.Kernels.Exp(gap[:], gap[:n])
		r.Kernels.Log1p(gap[:], gap[:n])
		for k := range n {
			dst[i+k] = size[k] + gap[k]
		}
	}
}

// logSum returns log(1 + Σ e^eta).
func logSum(eta []float64) float64 {
	most, sum := 0.0, 0.0
	for _, e := range eta {
		most = max(most, e)
	}
	for _, e := range eta {
		sum += vec.Exp(e - most)
	}
	return most + vec.Log(vec.Exp(-most)+sum)
}
