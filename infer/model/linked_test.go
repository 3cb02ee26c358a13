package model_test

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/model"
	"glmbatch/internal/variate"
)

// lkj is the shape of the prior of correlations.
const lkj = 2.0

// termsOf is how many effects each level has in a predictor.
func (s study) termsOf(k int) int {
	switch {
	case s.levelsOf(k) == 0:
		return 0
	case s.terms != nil:
		return s.terms[k]
	}
	return 1
}

// effects returns effects of each level of a grouping, the first one of a column of ones.
func (s study) effects(rng *infer.Stream, terms int) *design.Effects {
	of, names := make([]int32, s.rows), make([]string, s.levels)
	for i := range of {
		of[i] = int32((i * 7 / 3) % s.levels)
	}
	for l := range names {
		names[l] = fmt.Sprint(l)
	}
	out := &design.Effects{Grouping: design.NewGrouping(of, s.levels), Group: "g", Levels: names,
		Terms: []string{"Intercept"}, Columns: [][]float64{nil}}
	if s.terms != nil {
		out.ID = "p"
	}
	for t := 1; t < terms; t++ {
		z := make([]float64, s.rows)
		for i := range z {
			z[i] = 2*rng.Float64() - 1
		}
		out.Terms, out.Columns = append(out.Terms, fmt.Sprintf("z%d", t)), append(out.Columns, z)
	}
	return out
}

// behind is how many numbers a position has after the thresholds.
func (s study) behind() (n int) {
	for k := range s.predictors() {
		n += s.termsOf(k) * s.levels
	}
	return n + s.correlations() + s.shared()
}

// correlations is the number of those of linked effects.
func (s study) correlations() int {
	all := 0
	for _, q := range s.terms {
		all += q
	}
	return all * max(0, all-1) / 2
}

// link draws correlations, and gives them to independent effects, term by term.
func (s study) link(rng *infer.Stream, sds, effects []float64) []float64 {
	correlations := drawCorrelations(rng, len(sds))
	l := factor(correlations, len(sds))
	for t := len(sds) - 1; t >= 0; t-- {
		for level := range s.levels {
			r := 0.0
			for j := range t + 1 {
				r += l[t][j] * effects[j*s.levels+level] / sds[j]
			}
			effects[t*s.levels+level] = sds[t] * r
		}
	}
	return append(correlations, effects...)
}

// drawCorrelations draws correlations of q terms, each with the terms before it, from canonical partial ones.
func drawCorrelations(rng *infer.Stream, q int) (out []float64) {
	l := make([][]float64, q)
	for i := range l {
		rest := 1.0
		for j := range i {
			b := lkj + float64(q-2-j)/2
			x := 2*variate.Beta(rng, b, b) - 1
			l[i] = append(l[i], x*math.Sqrt(rest))
			rest *= 1 - x*x
		}
		l[i] = append(l[i], math.Sqrt(rest))
		for j := range i {
			sum := 0.0
			for k := range j + 1 {
				sum += l[i][k] * l[j][k]
			}
			out = append(out, sum)
		}
	}
	return out
}

// factor returns the Cholesky factor of a matrix of correlations.
func factor(correlations []float64, q int) [][]float64 {
	l := make([][]float64, q)
	for i := range l {
		l[i] = make([]float64, i+1)
		rest := 1.0
		for j := range i {
			sum := correlations[i*(i-1)/2+j]
			for k := range j {
				sum -= l[i][k] * l[j][k]
			}
			l[i][j] = sum / l[j][j]
			rest -= l[i][j] * l[i][j]
		}
		l[i][i] = math.Sqrt(rest)
	}
	return l
}

// linked returns the log density of linked effects, term by term, and of their correlations.
func (s study) linked(sds, correlations, effects []float64) (sum float64) {
	q := len(sds)
	l := factor(correlations, q)
	for i := range l {
		sum += 2 * (lkj - 1) * math.Log(l[i][i])
	}
	for j := range q - 1 { // the integral over the partial correlations of a column
		b := lkj + float64(q-2-j)/2
		one, _ := math.Lgamma(b)
		two, _ := math.Lgamma(2 * b)
		sum -= float64(q-1-j) * ((2*b-1)*math.Ln2 + 2*one - two)
	}
	for level := range s.levels {
		z := make([]float64, q)
		for t := range q {
			z[t] = effects[t*s.levels+level] / sds[t]
			for j := range t {
				z[t] -= l[t][j] * z[j]
			}
			z[t] /= l[t][t]
			sum -= z[t]*z[t]/2 + math.Log(2*math.Pi)/2 + math.Log(sds[t]*l[t][t])
		}
	}
	return sum
}

// A move of a linked law looks at the likelihood of the predictors as they are: at others, slices shrink to nothing.
func TestLinkedLooks(t *testing.T) {
	const name = "zero_inflated_poisson by linked groups"
	_, p := one(t, name)
	setup, err := model.New(p, nil)
	must(t, err)
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, name)})
	must(t, err)
	looks, most := int64(0), int64(0)
	for range 200 {
		info, err := k.Step()
		must(t, err)
		looks, most = looks+info.Evaluations, max(most, info.Evaluations)
	}
	if looks > 200*300 || most > 1000 {
		t.Errorf("an iteration has %d looks, and up to %d; 182 and 312 are usual", looks/200, most)
	}
}
