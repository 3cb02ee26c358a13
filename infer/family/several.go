package family

import (
	"strconv"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// Several is a likelihood of P linear predictors. As a function of one of them, all others given, it has the form of a
// family of one predictor: so samplers move the predictors in turn, each by the updates of that family. Dispersions of
// the family belong to the first predictor.
type Several interface {
	// Predictors describes the predictors of responses in these classes; nil for responses that are no classes.
	Predictors(classes []string) []Predictor
	// Prepare computes what the other methods read of the responses, once. Cost: O(n).
	Prepare(r *Rows)
	// Start returns a constant for each predictor, at which the likelihood of the responses is about largest.
	Start(r *Rows, predictors int) []float64
	// Response returns what predictor p has as responses in its own family; r.Y if they are the same. Common: see View.
	Response(p int, r *Rows) []float64
	// Given writes what predictor p sees to v, where eta are the predictors, [P][n], and r has the dispersions. It is
	// called for p = 0, 1, … in turn, and may rest on what it kept in v at p − 1 and p + 1 to P − 1, which have not moved
	// since p = 0. Cost: O(n).
	Given(p int, r *Rows, eta [][]float64, v *View)
	// LogLik writes log densities with all constants of the rows from first on to dst. Cost: O(P) a row.
	LogLik(r *Rows, first int, eta [][]float64, dst []float64)
	// Means writes the means of one row, one for each class, or one: that of one trial.
	Means(eta []float64, disp [2]float64, dst []float64)
	// CDF returns the probability of responses up to y, y included, at the predictors of a row. Trials are 1 in families
	// without them.
	CDF(y float64, eta []float64, disp [2]float64, trials float64) float64
	// Draw returns a random response at the predictors of a row.
	Draw(s prior.Source, eta []float64, disp [2]float64, trials float64) float64
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
	// Started reports whether the search for the mode begins at the constant of Start, since View.Rest is far from what
	// some rows have at it.
	Started bool
	// Elsewhere reports which dispersions of Of have other predictors; there they are at the coordinate 0.
	Elsewhere [2]bool
	// Cut is the number of a threshold between ordered classes, from 1; 0 for other predictors. A threshold is one number,
	// and is named as the intercept with its Cut. Rising reports whether each is above the one before.
	Cut    int
	Rising bool
	// Intercept is the default prior of the intercept; without a kind it is that of the family Of.
	Intercept prior.Prior
	// Centre returns the centre of the default prior of the intercept, by the responses; nil for that of the family Of.
	Centre func(y []float64) float64
}

// thresholdName is the name of the predictor of a threshold.
func thresholdName(cut int) string { return "threshold" + strconv.Itoa(cut) }

// Named returns the name of a coefficient of a column.
func (p Predictor) Named(column string) string {
	switch {
	case p.Cut > 0:
		return column + "[" + strconv.Itoa(p.Cut) + "]"
	case p.Name == "":
		return column
	}
	return p.Name + "_" + column
}

// OfResponse returns the predictor as one of a response among several, whose name ends its own.
func (p Predictor) OfResponse(response string) Predictor {
	if p.Name == "" {
		p.Name = response
	} else {
		p.Name += "_" + response
	}
	return p
}

// View holds what the other predictors leave to one of them. It belongs to one chain.
type View struct {
	Rest  []float64   // [n]: its likelihood is that of its own family at eta_p + Rest; nil for 0
	Given [][]float64 // [n] each: see Rows.Given; nil if its family reads none
	Base  float64     // and this is added to its log likelihood for the whole one
	kept  [][]float64 // [P][n], of all views of a chain
}

// NewViews returns a view for each of p predictors of n rows, and then that of Common.
func NewViews(p, n int) (views []*View) {
	kept := make([][]float64, p)
	for k := range kept {
		kept[k] = make([]float64, n)
	}
	for range p + 1 {
		views = append(views, &View{kept: kept})
	}
	return views
}

// Part returns the view of one of several responses, of whose predictors from is the first and to the one behind.
func (v *View) Part(from, to int) *View {
	return &View{Rest: v.Rest, Given: v.Given, kept: v.kept[from:to]}
}

// given returns the memory of numbers k of n rows.
func (v *View) given(k, n int) []float64 {
	for len(v.Given) <= k {
		v.Given = append(v.Given, make([]float64, n))
	}
	return v.Given[k]
}

// eachConstant writes the part of the log density of each row that no parameter moves to r.Each.
func (l *Distribution) eachConstant(r *Rows) {
	if r.Y == nil {
		return
	}
	r.Prepare(l)
	r.Each = make([]float64, len(r.Y))
	for i := range r.Each {
		one := r.Only(i)
		r.Each[i] = l.Constant(&one)
	}
}

// counted returns the sum of a number of each row, each as often as it counts.
func (r *Rows) counted(v []float64) float64 {
	if r.Frequency == nil {
		return r.Kernels.Sum(v)
	}
	return r.Kernels.Dot(r.Frequency, v)
}

// chunks passes the rows in parts of at most ChunkRows.
func (r *Rows) chunks(do func(first int, part Rows)) {
	for i := 0; i < len(r.Y); i += ChunkRows {
		do(i, r.Part(i, min(i+ChunkRows, len(r.Y))))
	}
}

// addLogs writes log(e^a + e^b) to dst, which may be either. a is not −Inf.
func (r *Rows) addLogs(a, b, dst []float64) {
	var gap Block
	for i := 0; i < len(a); i += ChunkRows {
		n := min(ChunkRows, len(a)-i)
		r.Kernels.Minus(gap[:n], b[i:i+n], a[i:i+n])
		r.Kernels.Log1pExp(gap[:], gap[:n])
		for k, x := range a[i : i+n] {
			dst[i+k] = x + gap[k]
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
