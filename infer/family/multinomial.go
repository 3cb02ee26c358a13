package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// multinomial: counts of classes 0 … K − 1, whose sum is the trials of the row, with log odds eta_k of class k against
// class 0. A row is as many rows of a categorical response. So the likelihood along eta_k is that of a binomial
// response, the count of class k. The response of a row is the count of class 0, and Counts has those of all classes.
var multinomial = &Distribution{
	Name:    "multinomial",
	Links:   []*Link{logOdds},
	Support: countsOfClasses,
	Notation: Notation{Law: "Multinomial(n_i, π_i)", LaTeX: `\mathrm{Multinomial}(n_i, \pi_i)`, Mean: "π_i", TeX: `\pi_i`,
		Of: "the probability of each class"},
	Along: func(*Link) Likelihood {
		return Likelihood{Form: Termwise, Several: choice{Trials}, Concave: true, DrawCounts: drawCounts}
	},
	Constant: func(*Rows) float64 { return 0 },
}

// Counted has counts of classes.
type Counted struct {
	// Counts are how often each class occurs in a row, [K][n]; nil of responses of one column.
	Counts [][]float64

	each    [][]float64 // [K][n], each as often as the row counts
	ways    []float64   // of each class, the constant of the binomial likelihood of its counts
	allWays float64     // and that of all of them
}

// Taken returns the rows of some indices.
func (c Counted) Taken(at []int) (out Counted) {
	for _, of := range c.Counts {
		some := make([]float64, len(at))
		for i, from := range at {
			some[i] = of[from]
		}
		out.Counts = append(out.Counts, some)
	}
	return out
}

// tally computes what the likelihood reads of counts besides themselves.
func (r *Rows) tally() {
	if r.Counts == nil {
		return
	}
	r.Each = make([]float64, len(r.Y))
	for i := range r.Each {
		r.Each[i] = vec.LogFactorial(r.Trials[i])
	}
	r.each, r.ways = nil, nil
	for _, of := range r.Counts {
		each := append([]float64(nil), of...)
		r.CountRows(each)
		own := Rows{Y: of, Trials: r.Trials, Frequency: r.Frequency}
		r.each, r.ways = append(r.each, each), append(r.ways, choices(&own))
		for i, count := range of {
			r.Each[i] -= vec.LogFactorial(count)
		}
	}
	r.allWays = r.sum(func(i int) float64 { return r.Each[i] })
}

// perClass returns how often each of some classes occurs.
func (r *Rows) perClass(classes int) []float64 {
	out := make([]float64, classes)
	for k, of := range r.each {
		out[k] = r.Kernels.Sum(of)
	}
	if r.Counts == nil {
		for i, y := range r.Y {
			out[int(y)] += r.Count(i)
		}
	}
	return out
}

// others returns the log likelihood of counts less that of one class, at the log of the summed odds of all others. It
// changes the sign of these.
func (r *Rows) others(class int, eta [][]float64, odds []float64) float64 {
	for i, all := range odds {
		odds[i] = -all
	}
	base := r.allWays - r.ways[class]
	for k, each := range r.each {
		if k == class {
			continue
		}
		if base += r.Kernels.Dot(each, odds); k > 0 {
			base += r.Kernels.Dot(each, eta[k-1])
		}
	}
	return base
}

// logCounts returns the log density of the counts of a row by its predictors, those at index at, and the log of the sum
// of all odds.
func (r *Rows) logCounts(row, at int, eta [][]float64, total float64) float64 {
	sum := math.FMA(-r.Trials[row], total, r.Each[row])
	for k, e := range eta {
		if count := r.Counts[k+1][r.first+row]; count > 0 { // 0·(−Inf) counts nothing
			sum = math.FMA(count, e[at], sum)
		}
	}
	return sum
}

// drawCounts writes random counts at the predictors of a row: that of each class given those before it.
func drawCounts(s prior.Source, eta []float64, trials float64, dst []float64) {
	shares := make([]float64, len(dst))
	choice{}.Means(eta, [2]float64{}, shares)
	for k := range dst {
		own, behind := shares[k], 0.0
		for _, share := range shares[k+1:] {
			behind += share
		}
		dst[k] = variate.Binomial(s, trials, own/(own+behind), behind/(own+behind))
		trials -= dst[k]
	}
}
