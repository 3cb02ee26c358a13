package collapsed

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/mixture"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// dirichlet is the conjugate prior of the probabilities of C categories: Dirichlet(a₁, …, a_C). Statistics: the count
// of each category, then of all. theta is the logs of the probabilities.
//
// Source: Minka (2000), Estimating a Dirichlet distribution, for the distribution of counts with probabilities
// integrated out.
type dirichlet struct {
	names []string
	a     []float64
	total float64 // Σ a
}

func (d *dirichlet) parameters() (out []infer.Parameter) {
	for _, name := range d.names {
		out = append(out, infer.Parameter{Name: name, Kind: infer.Probability})
	}
	return out
}

func (d *dirichlet) size() int { return len(d.a) + 1 }

func (d *dirichlet) draw(from variate.Source, s statistics, theta []float64) {
	for c, a := range d.a {
		theta[c] = a + s[c]
	}
	mixture.DrawWeights(from, 0, theta, theta)
}

// logPrior is the density over all probabilities but one.
func (d *dirichlet) logPrior(theta []float64) float64 {
	sum := vec.LogGamma(d.total)
	for c, a := range d.a {
		sum += math.FMA(a-1, theta[c], -vec.LogGamma(a))
	}
	return sum
}

// categorical is a column of categories: each row has one of them.
type categorical struct {
	dirichlet
	y []int32 // from 0
}

func (f *categorical) add(s statistics, i int, sign float64) {
	s[f.y[i]] += sign
	s[len(f.a)] += sign
}

func (f *categorical) predictive(s statistics, i int) float64 {
	c := f.y[i]
	return vec.Log((f.a[c] + s[c]) / (f.total + s[len(f.a)]))
}

func (f *categorical) logLik(theta, dst, _ []float64) {
	for i, c := range f.y {
		dst[i] = theta[c]
	}
}

func (f *categorical) far(i, j int) float64 {
	if f.y[i] == f.y[j] {
		return 0
	}
	return 1
}

// multinomial is a row of counts of categories.
type multinomial struct {
	dirichlet
	counts   [][]float64 // by category
	trials   []float64   // of each row
	constant []float64   // log of the multinomial coefficient of each row
}

func newMultinomial(d dirichlet, counts [][]float64) *multinomial {
	n := len(counts[0])
	f := &multinomial{d, counts, make([]float64, n), make([]float64, n)}
	for _, of := range counts {
		for i, y := range of {
			f.trials[i] += y
			f.constant[i] -= vec.LogGamma(y + 1)
		}
	}
	for i, m := range f.trials {
		f.constant[i] += vec.LogGamma(m + 1)
	}
	return f
}

func (f *multinomial) add(s statistics, i int, sign float64) {
	for c, of := range f.counts {
		s[c] = math.FMA(sign, of[i], s[c])
	}
	s[len(f.a)] = math.FMA(sign, f.trials[i], s[len(f.a)])
}

// predictive is Dirichlet-multinomial.
func (f *multinomial) predictive(s statistics, i int) float64 {
	all := f.total + s[len(f.a)]
	sum := vec.LogGamma(all) - vec.LogGamma(all+f.trials[i])
	for c, of := range f.counts {
		if y := of[i]; y != 0 {
			at := f.a[c] + s[c]
			sum += vec.LogGamma(at+y) - vec.LogGamma(at)
		}
	}
	return sum
}

func (f *multinomial) logLik(theta, dst, _ []float64) {
	copy(dst, f.constant)
	for c, of := range f.counts {
		for i, y := range of {
			if y != 0 { // 0·log 0 is 0
				dst[i] = math.FMA(y, theta[c], dst[i])
			}
		}
	}
}

// far is the distance in total variation of the shares of categories; a row without trials is half-way to all.
func (f *multinomial) far(i, j int) float64 {
	if f.trials[i] == 0 || f.trials[j] == 0 {
		return 0.5
	}
	sum := 0.0
	for _, of := range f.counts {
		sum += math.Abs(of[i]/f.trials[i] - of[j]/f.trials[j])
	}
	return sum / 2
}
