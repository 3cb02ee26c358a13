package family

import (
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// categorical: y in classes 0 … K − 1 with log odds eta_k of class k against class 0, which is the reference.
//
// Given the others, the likelihood along eta_k is that of a bernoulli response, whether y is k, at eta_k less the log
// of the sum of all other classes' odds.
var categorical = &Distribution{
	Name:    "categorical",
	Links:   []*Link{logOdds},
	Support: classes,
	Notation: Notation{Law: "Categorical(π_i)", LaTeX: `\mathrm{Categorical}(\pi_i)`, Mean: "π_i", TeX: `\pi_i`,
		Of: "the probability of each class"},
	Along: func(*Link) Likelihood {
		return Likelihood{Form: Termwise, Several: choice{Binary}, Concave: true}
	},
	Constant: func(*Rows) float64 { return 0 },
}

// logOdds is the link of the probability of a class to that of the first.
var logOdds = &Link{Name: "logit", Eta: "log(π_k/π_1)", Mean: "e^eta_k/(1 + Σ e^eta)", Factor: true,
	Effect: "multiplies the odds of its class, against the reference, by exp(b)", Inverse: vec.Logistic, Of: Logit.Of}

// choice is the likelihood of a class, or of counts of classes, by log odds against the first. Of is the family of one
// class against the others.
type choice struct{ of Family }

// Predictors are named as brms names them: mu and the class.
func (c choice) Predictors(classes []string) (out []Predictor) {
	for _, name := range classes[1:] {
		out = append(out, Predictor{Name: "mu" + name, Of: c.of, Common: true})
	}
	return out
}

func (choice) Prepare(r *Rows) { r.tally() }

func (choice) Start(r *Rows, predictors int) []float64 {
	counts := r.perClass(predictors + 1)
	out := make([]float64, predictors)
	for k := range out {
		out[k] = vec.Log((counts[k+1] + 0.5) / (counts[0] + 0.5))
	}
	return out
}

func (choice) Response(p int, r *Rows) []float64 {
	if r.Counts != nil {
		return r.Counts[p+1]
	}
	out := make([]float64, len(r.Y))
	for i, y := range r.Y {
		if int(y) == p+1 {
			out[i] = 1
		}
	}
	return out
}

// Given keeps in v.kept[p] the log of the summed odds of the classes behind p, and in the last one that of the classes
// before the predictor that is asked for, the reference included.
func (choice) Given(p int, r *Rows, eta [][]float64, v *View) {
	last := len(eta) - 1
	before := v.kept[last]
	if p <= 0 {
		for k := last - 1; k >= 0; k-- {
			if k == last-1 {
				copy(v.kept[k], eta[last])
				continue
			}
			r.addLogs(eta[k+1], v.kept[k+1], v.kept[k])
		}
		clear(before)
	}
	if v.Rest == nil {
		v.Rest = make([]float64, len(r.Y))
	}
	switch {
	case p == Common && last == 0:
		copy(v.Rest, eta[0])
	case p == Common:
		r.addLogs(eta[0], v.kept[0], v.Rest)
	case p > 0:
		r.addLogs(before, eta[p-1], before)
		fallthrough
	default:
		copy(v.Rest, before)
		if p < last {
			r.addLogs(before, v.kept[p], v.Rest)
		}
	}
	v.Base = 0
	if r.Counts != nil {
		v.Base = r.others(p+1, eta, v.Rest)
		return
	}
	for i, all := range v.Rest {
		v.Rest[i] = -all
		if y := int(r.Y[i]); y != p+1 {
			rest := -all
			if y > 0 {
				rest += eta[y-1][i]
			}
			v.Base += float64(r.Count(i) * rest)
		}
	}
}

func (choice) LogLik(r *Rows, first int, eta [][]float64, dst []float64) {
	var most, sum, gap Block
	for at := 0; at < len(dst); at += ChunkRows {
		n := min(ChunkRows, len(dst)-at)
		clear(most[:n])
		for _, of := range eta {
			for i, e := range of[at : at+n] {
				most[i] = max(most[i], e)
			}
		}
		for i, m := range most[:n] {
			gap[i] = -m
		}
		r.Kernels.Exp(sum[:], gap[:n])
		for _, of := range eta {
			for i, e := range of[at : at+n] {
				gap[i] = e - most[i]
			}
			r.Kernels.Exp(gap[:], gap[:n])
			r.Kernels.Axpy(1, gap[:n], sum[:n])
		}
		r.Kernels.Log(sum[:], sum[:n])
		if r.Counts != nil {
			for i, v := range sum[:n] {
				dst[at+i] = r.logCounts(first+at+i, at+i, eta, most[i]+v)
			}
			continue
		}
		for i, v := range sum[:n] {
			dst[at+i] = -most[i] - v
			if y := int(r.Y[first+at+i]); y > 0 {
				dst[at+i] += eta[y-1][at+i]
			}
		}
	}
}

func (choice) Means(eta []float64, _ [2]float64, dst []float64) {
	total := logSum(eta)
	dst[0] = vec.Exp(-total)
	for k, e := range eta {
		dst[k+1] = vec.Exp(e - total)
	}
}

// CDF adds the probabilities of the classes up to y, or of the counts of the first class.
func (c choice) CDF(y float64, eta []float64, disp [2]float64, trials float64) (sum float64) {
	means := make([]float64, len(eta)+1)
	c.Means(eta, disp, means)
	switch {
	case c.of.Support().Trials && y >= trials:
		return 1
	case c.of.Support().Trials:
		return incompleteBeta(trials-y, y+1, 1-means[0])
	}
	for class, p := range means {
		if float64(class) <= y {
			sum += p
		}
	}
	return sum
}

func (c choice) Draw(s prior.Source, eta []float64, _ [2]float64, trials float64) float64 {
	if c.of.Support().Trials {
		counts := make([]float64, len(eta)+1)
		drawCounts(s, eta, trials, counts)
		return counts[0]
	}
	total, u := logSum(eta), s.Float64()
	for k, e := range eta {
		if u -= vec.Exp(e - total); u < 0 {
			return float64(k + 1)
		}
	}
	return 0
}
