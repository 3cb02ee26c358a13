package family

import (
	"math"
	"slices"
	"sync"

	"glmbatch/internal/simd"
	"glmbatch/internal/vec"
)

const halfLog2Pi = 0.91893853320467274178 // ½ log 2π

// Rows are the responses of a likelihood. All slices have the length of Y, or are nil. Methods of single rows have
// pointer receivers: a call with a copy of all fields took three times as long.
type Rows struct {
	Y, Trials []float64  // response; trials, nil for 1 each
	LogY      []float64  // log y, where the family uses it
	Log1Y     []float64  // log(1 − y), for beta
	Disp      [2]float64 // the dispersions
	OfSeveral
	// Given has the numbers that other linear predictors leave to the likelihood of one of them, see View; or nil. A Part
	// has those of all rows here; given has those of the part. For Several.Start it has the predictors that are offsets
	// alone, nil for others.
	Given [][]float64
	first int       // of the part's rows
	Each  []float64 // constants of the log density, where a Several keeps them

	Kernels simd.Kernels

	Censoring // bounds are of log y if LogY exists
	Counted   // a Part has those of all rows

	Frequency        []float64 // nil for 1 each
	Total            float64   // of the frequencies, over all rows
	Precision, Roots []float64 // and its square root; nil for 1 each
}

// OfSeveral are the numbers of rows that have several responses.
type OfSeveral struct {
	// Further are the dispersions of responses besides the first one.
	Further [][2]float64
	// Residuals are the inverse covariance matrix of the residuals of correlated responses, by rows, and then ½ the log
	// determinant of the covariance; nil for responses that are independent.
	Residuals []float64
}

// Part returns rows i to j. Total stays that of all rows.
func (r *Rows) Part(i, j int) Rows {
	cut := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		return v[i:j]
	}
	return Rows{Y: r.Y[i:j], Trials: cut(r.Trials), LogY: cut(r.LogY), Log1Y: cut(r.Log1Y), Disp: r.Disp,
		OfSeveral: r.OfSeveral, Given: r.Given, first: r.first + i, Each: cut(r.Each),
		Kernels: r.Kernels, Frequency: cut(r.Frequency), Total: r.Total, Precision: cut(r.Precision), Roots: cut(r.Roots),
		Censoring: r.Censoring.part(i, j), Counted: r.Counted}
}

// First returns the index of the first row among those of which these are a part.
func (r *Rows) First() int { return r.first }

// given returns numbers k that other predictors leave to the rows.
func (r *Rows) given(k int) []float64 { return r.Given[k][r.first : r.first+len(r.Y)] }

// DispOf returns the dispersions of response k.
func (r *Rows) DispOf(k int) [2]float64 {
	if k == 0 {
		return r.Disp
	}
	return r.Further[k-1]
}

// SetDisp sets the dispersions of response k.
func (r *Rows) SetDisp(k int, disp []float64) {
	if k == 0 {
		copy(r.Disp[:], disp)
		return
	}
	copy(r.Further[k-1][:], disp)
}

// Only returns row i as it is once.
func (r *Rows) Only(i int) Rows {
	one := r.Part(i, i+1)
	one.Frequency, one.Total = nil, 1
	return one
}

// Count returns how often row i counts.
func (r *Rows) Count(i int) float64 {
	if r.Frequency == nil {
		return 1
	}
	return r.Frequency[i]
}

// Weight returns the precision of row i, and Root its square root.
func (r *Rows) Weight(i int) float64 {
	if r.Precision == nil {
		return 1
	}
	return r.Precision[i]
}

// Root returns the square root of the precision of row i.
func (r *Rows) Root(i int) float64 {
	if r.Roots == nil {
		return 1
	}
	return r.Roots[i]
}

// CountRows multiplies each row of v by its frequency. A row that counts 0 times is 0, whatever v is.
func (r *Rows) CountRows(v []float64) {
	for i, w := range r.Frequency {
		if v[i] *= w; w == 0 {
			v[i] = 0
		}
	}
}

// Outcomes returns the successes and failures of a row of trials.
func (r *Rows) Outcomes(i int) (successes, failures float64) {
	return r.Y[i], r.Attempts(i) - r.Y[i]
}

// Attempts returns the trials of row i.
func (r *Rows) Attempts(i int) float64 {
	if r.Trials == nil {
		return 1
	}
	return r.Trials[i]
}

// Prepare computes what the law reads of the responses and precisions besides themselves.
func (r *Rows) Prepare(l *Distribution) {
	if r.Precision != nil {
		r.Roots = make([]float64, len(r.Precision))
		for i, w := range r.Precision {
			r.Roots[i] = math.Sqrt(w)
		}
	}
	if l.Prepare != nil {
		l.Prepare(r)
	}
	if r.LogY != nil {
		r.Bounds = logBounds(r.Bounds)
	}
	if r.Kind != nil {
		r.seen, r.right = r.countObserved(), !slices.ContainsFunc(r.Kind, func(kind float64) bool {
			return kind != Observed && kind != Above
		})
	}
}

// SetResponse rewrites a response.
func (r *Rows) SetResponse(row int, y float64) {
	r.Y[row] = y
	if r.LogY != nil {
		r.LogY[row] = vec.Log(y)
	}
	if r.Log1Y != nil {
		r.Log1Y[row] = vec.Log1p(-y)
	}
}

// logs writes log y to LogY.
func logs(r *Rows) {
	r.LogY = make([]float64, len(r.Y))
	for i, y := range r.Y {
		r.LogY[i] = vec.Log(y)
	}
}

// located returns the numbers that a location is of: log y if the family reads it, else y.
func (r *Rows) located() []float64 {
	if r.LogY != nil {
		return r.LogY
	}
	return r.Y
}

// sum returns the sum of a number of each row, each as often as it counts.
func (r *Rows) sum(of func(i int) float64) float64 {
	if len(r.Y) == 1 {
		return float64(r.Count(0) * of(0))
	}
	terms := make([]float64, len(r.Y))
	for i := range terms {
		terms[i] = float64(r.Count(i) * of(i))
	}
	return vec.Sum(terms)
}

// halfLogs is ½ Σ log precision.
func (r *Rows) halfLogs() float64 {
	if r.Precision == nil {
		return 0
	}
	return 0.5 * r.sum(func(i int) float64 { return vec.Log(r.Precision[i]) })
}

// ChunkRows is the number of rows that Terms are given at a time.
const ChunkRows = 128

// Block has a number for each row that Terms are given at a time.
type Block [ChunkRows]float64

// Blocks holds rows on their way through Terms, as *[3]Block. A local array would be
// allocated at each call, since the compiler cannot see through the interface.
var Blocks = sync.Pool{New: func() any { return new([3]Block) }}
