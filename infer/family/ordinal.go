package family

import (
	"glmbatch/infer/prior"
)

// ordinal is the likelihood of a response in ordered classes 0 … K − 1, by a linear predictor eta, K − 1 thresholds
// tau_k and the discrimination disc, whose logarithm may be a linear predictor, else 1. F is the inverse link:
//
//	cumulative  P(y ≤ k) = F(disc·(tau_k − eta))
//	sratio      P(y = k | y ≥ k) = F(disc·(tau_k − eta))
//	cratio      P(y > k | y ≥ k) = F(disc·(eta − tau_k))
//	acat        P(y = k + 1 | y = k or k + 1) = F(disc·(eta − tau_k))
//
// Source: Bürkner and Vuorre (2019), doi:10.1177/2515245918823199.
type ordinal struct {
	way  way
	link *Link
	disc bool // disc has a predictor
}

// way lists the probabilities that F of a step may have.
type way uint8

// The ways: of all classes up to one, of one class against those from it on, of the classes above it against the same,
// and of the next class against it and the next.
const (
	upTo way = iota
	stopping
	continuing
	adjacent
)

// The families of ordered classes.
var (
	cumulative = upTo.family("cumulative", "P(y_i ≤ k) = F(disc·(τ_k − eta_i))")
	sratio     = stopping.family("sratio", "P(y_i = k | y_i ≥ k) = F(disc·(τ_k − eta_i))")
	cratio     = continuing.family("cratio", "P(y_i > k | y_i ≥ k) = F(disc·(eta_i − τ_k))")
	acat       = adjacent.family("acat", "P(y_i = k + 1 | y_i = k or k + 1) = F(disc·(eta_i − τ_k))")
)

// discrimination is the parameter of ordinal families that may have a linear predictor.
const discrimination = "disc"

// family makes the family.
func (w way) family(name, law string) *Distribution {
	return &Distribution{
		Name: name, Links: []*Link{Logit, Probit, Cloglog, Cauchit}, Support: orderedClasses,
		Notation: Notation{Law: name + "(τ, eta_i)", LaTeX: `\mathrm{` + name + `}(\tau, \eta_i)`, Mean: "π_i", TeX: `\pi_i`,
			Of: "the probability of each class", Note: law + ", F is the inverse link, and disc is 1 without a formula"},
		Along:       func(l *Link) Likelihood { return ordinal{way: w, link: l}.likelihood() },
		Predictable: []string{discrimination},
		With: func(parameter string, l *Link) Likelihood {
			if parameter != discrimination {
				return Likelihood{}
			}
			return ordinal{w, l, true}.likelihood()
		},
		Constant: func(*Rows) float64 { return 0 },
	}
}

func (o ordinal) likelihood() Likelihood {
	out := Likelihood{Form: Termwise, Several: o, Cuts: Cuts{o.cutScores, o.cutSlopes}}
	if o.closed() {
		out.Sum = o.sum
	}
	return out
}

// orderings are the likelihoods along eta and along log disc of the families of ordered classes, the rest given.
func orderings() (out []*Distribution) {
	for w, l := range []*Distribution{cumulative, sratio, cratio, acat} {
		for _, k := range l.Links {
			for _, o := range []ordinal{{way(w), k, false}, {way(w), k, true}} {
				mean, disc := *l, *l
				mean.Name, mean.Links = o.part("mu"), []*Link{k}
				mean.Along = func(*Link) Likelihood {
					return Likelihood{Form: Termwise, Concave: o.concave(), Terms: alongMean{o}}
				}
				disc.Name, disc.Links = o.part(discrimination), []*Link{logLink}
				disc.Along = func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: alongDisc{o}} }
				if out = append(out, &mean); o.disc {
					out = append(out, &disc)
				}
			}
		}
	}
	return out
}

// concave reports whether the log density is concave in eta: log F and log(1 − F) are, and so are logs of differences
// of F and of logistic odds.
func (o ordinal) concave() bool { return o.link.Slow == "" && (o.way != adjacent || o.link == Logit) }

// part is the name of the family along a predictor.
func (o ordinal) part(of string) string {
	name := []string{"cumulative", "sratio", "cratio", "acat"}[o.way] + "/" + o.link.Name + "/" + of
	if o.disc {
		name += "/" + discrimination
	}
	return name
}

// upward reports whether probabilities are F of eta − tau, else of tau − eta.
func (o ordinal) upward() bool { return o.way == continuing || o.way == adjacent }

// before is how many predictors come before the thresholds.
func (o ordinal) before() int {
	if o.disc {
		return 2
	}
	return 1
}

// Predictors are named as brms names them; without classes one stands for all thresholds.
func (o ordinal) Predictors(classes []string) []Predictor {
	out := []Predictor{{Of: Family{Name: o.part("mu"), Link: o.link.Name}}}
	if o.disc {
		out = append(out, Predictor{Name: discrimination, Of: Family{Name: o.part(discrimination), Link: logLink.Name}})
	}
	of := Family{Name: bernoulli.Name, Link: o.link.Name}
	if classes == nil {
		return append(out, Predictor{Name: "thresholds", Of: of, Cut: 1})
	}
	for k := range len(classes) - 1 {
		out = append(out, Predictor{Name: thresholdName(k + 1), Of: of, Cut: k + 1, Rising: o.way == upTo})
	}
	return out
}

func (ordinal) Prepare(*Rows) {}

// Start has the thresholds that fit the classes' shares at an eta of 0.
func (o ordinal) Start(r *Rows, predictors int) []float64 {
	out := make([]float64, predictors)
	counts := make([]float64, predictors-o.before()+1)
	total := 0.0
	for k := range counts {
		counts[k] = 0.5
		total += 0.5
	}
	for i, y := range r.Y {
		counts[int(y)] += r.Count(i)
		total += r.Count(i)
	}
	passed := 0.0
	for k := range len(counts) - 1 {
		up, of := total-passed-counts[k], total-passed
		switch passed += counts[k]; {
		case o.way == upTo:
			up, of = total-passed, total
		case o.way == adjacent:
			up, of = counts[k+1], counts[k]+counts[k+1]
		}
		if o.upward() {
			out[o.before()+k] = -o.link.Of(up / of)
		} else {
			out[o.before()+k] = o.link.Of(1 - up/of)
		}
	}
	return out
}

func (ordinal) Response(_ int, r *Rows) []float64 { return r.Y }

// ends stand for the thresholds below the first class and above the last one. F is 0 or 1 there to rounding.
const ends = 1e100

// bounds writes the thresholds below and above the classes of rows. Rows of one class are often next to each other, see
// package model.
func (r *Rows) bounds(cuts [][]float64, lower, upper []float64) {
	for first, last := 0, 0; first < len(r.Y); first = last {
		y := r.Y[first]
		for last < len(r.Y) && r.Y[last] == y {
			last++
		}
		low, high := lower[first:last], upper[first:last]
		if k := int(y); k > 0 {
			copy(low, cuts[k-1][first:])
		} else {
			fill(low, -ends)
		}
		if k := int(y); k < len(cuts) {
			copy(high, cuts[k][first:])
		} else {
			fill(high, ends)
		}
	}
}

// Given are the thresholds, of a cumulative family the two of the row's class, and last disc if it has a predictor. Of
// log disc the thresholds are less eta.
func (o ordinal) Given(p int, r *Rows, eta [][]float64, v *View) {
	cuts, n := eta[o.before():], len(r.Y)
	v.Base = 0
	given := len(cuts)
	if o.way == upTo {
		given = 2
		v.given(1, n)
		r.bounds(cuts, v.Given[0], v.Given[1])
		if o.closed() {
			each := v.kept[0]
			r.Kernels.Minus(each, v.Given[0], v.Given[1])
			r.logRests(each)
			v.Base = r.counted(each)
		}
	} else {
		for k, cut := range cuts {
			copy(v.given(k, n), cut)
		}
	}
	if p > 0 {
		for _, cut := range v.Given[:given] {
			r.Kernels.Axpy(-1, eta[0], cut)
		}
		return
	}
	if o.disc {
		r.discs(eta[1], v.given(given, n))
	}
}

// closed reports whether the density is a product of F at the ends and of what eta does not move.
func (o ordinal) closed() bool { return o.way == upTo && o.link == Logit && !o.disc }

func (o ordinal) LogLik(r *Rows, first int, eta [][]float64, dst []float64) {
	rows := r.Part(first, first+len(dst))
	cuts := eta[o.before():]
	own := make([][]float64, len(cuts))
	rows.chunks(func(i int, part Rows) {
		n := len(part.Y)
		for k := range cuts {
			own[k] = cuts[k][i : i+n]
		}
		var disc Block
		if o.disc {
			r.discs(eta[1][i:i+n], disc[:])
		}
		mean := eta[0][i : i+n]
		to := func(cut, dst []float64) {
			r.Kernels.Minus(dst, cut, mean)
			for i, x := range dst {
				if !o.disc {
					break
				}
				dst[i] = float64(x * disc[i])
			}
		}
		if o.way == upTo {
			var lower, upper, gap Block
			part.bounds(own, lower[:n], upper[:n])
			r.Kernels.Minus(gap[:n], lower[:n], upper[:n])
			to(lower[:n], lower[:n])
			to(upper[:n], upper[:n])
			if !o.closed() {
				o.between(&part, lower[:n], upper[:n], dst[i:i+n])
				return
			}
			r.logRests(gap[:n])
			o.ends(&part, lower[:n], upper[:n], dst[i:i+n])
			r.Kernels.Axpy(1, gap[:n], dst[i:i+n])
			return
		}
		o.logs(&part, len(cuts), func(k int, dst []float64) { to(own[k], dst) }, dst[i:i+n])
	})
}

// sum is the sum of LogLik where F is logistic, of rows of which many next to each other have one class: thresholds are
// the same in all rows.
func (o ordinal) sum(r *Rows, eta [][]float64) (sum float64) {
	mean, cuts := eta[0], eta[o.before():]
	for first, last := 0, 0; first < len(r.Y); first = last {
		class := r.Y[first]
		for last < len(r.Y) && r.Y[last] == class {
			last++
		}
		k, at := int(class), mean[first:last]
		if k > 0 {
			sum -= r.Kernels.SumLog1pExpAlong(cuts[k-1][first:last], at, -1)
		}
		if k < len(cuts) {
			sum -= r.Kernels.SumLog1pExpAlong(at, cuts[k][first:last], -1)
		}
		if k > 0 && k < len(cuts) {
			sum += float64(float64(last-first) * logRest(cuts[k-1][first]-cuts[k][first]))
		}
	}
	return sum
}

// steps returns disc·(tau − eta) of a row.
func (o ordinal) steps(eta []float64) []float64 {
	out, disc := make([]float64, len(eta)-o.before()), 1.0
	if o.disc {
		disc = discOf(eta[1])
	}
	for k := range out {
		out[k] = disc * (eta[o.before()+k] - eta[0])
	}
	return out
}

func (o ordinal) Means(eta []float64, _ [2]float64, dst []float64) { o.shares(o.steps(eta), dst) }

// CDF adds the probabilities of the classes up to y.
func (o ordinal) CDF(y float64, eta []float64, disp [2]float64, _ float64) (sum float64) {
	means := make([]float64, len(eta)-o.before()+1)
	o.Means(eta, disp, means)
	for class, p := range means {
		if float64(class) <= y {
			sum += p
		}
	}
	return sum
}

func (o ordinal) Draw(s prior.Source, eta []float64, disp [2]float64, _ float64) float64 {
	means := make([]float64, len(eta)-o.before()+1)
	o.Means(eta, disp, means)
	u := s.Float64()
	for class, p := range means {
		if u -= p; u < 0 {
			return float64(class)
		}
	}
	return float64(len(means) - 1)
}

// cutScores writes the derivatives of the log density in the thresholds.
func (o ordinal) cutScores(y float64, eta, dst []float64) {
	class, disc := int(y), 1.0
	if o.disc {
		disc = discOf(eta[1])
	}
	if o.way != upTo {
		x, v := o.steps(eta), make([]float64, len(dst))
		for k := range dst {
			v[k] = disc
			dst[k], _ = o.along(class, x, v)
			v[k] = 0
		}
		return
	}
	clear(dst)
	lower, upper, cuts := -ends, ends, eta[o.before():]
	if class > 0 {
		lower = disc * (cuts[class-1] - eta[0])
	}
	if class < len(cuts) {
		upper = disc * (cuts[class] - eta[0])
		dst[class], _ = o.alongBounds(lower, upper, 0, disc)
	}
	if class > 0 {
		dst[class-1], _ = o.alongBounds(lower, upper, disc, 0)
	}
}

// cutSlopes writes cutScores of rows.
func (o ordinal) cutSlopes(r *Rows, first int, eta, dst [][]float64) {
	rows := r.Part(first, first+len(dst[0]))
	if !o.closed() {
		at, score := make([]float64, len(eta)), make([]float64, len(dst))
		for i, y := range rows.Y {
			for p := range eta {
				at[p] = eta[p][i]
			}
			o.cutScores(y, at, score)
			for k, s := range score {
				dst[k][i] = s
			}
		}
		return
	}
	cuts := make([][]float64, len(dst))
	rows.chunks(func(i int, part Rows) {
		var lower, upper, gap Block
		n := len(part.Y)
		for k := range cuts {
			cuts[k] = eta[o.before()+k][i : i+n]
			clear(dst[k][i : i+n])
		}
		part.bounds(cuts, lower[:n], upper[:n])
		r.Kernels.Minus(gap[:n], upper[:n], lower[:n])
		part.logistics(lower[:n], eta[0][i:i+n])
		part.logistics(upper[:n], eta[0][i:i+n])
		ratio := 0.0
		for j, y := range part.Y {
			if j == 0 || gap[j] != gap[j-1] { // it is the same in rows of a class
				ratio = odds(gap[j])
			}
			k := int(y)
			if k > 0 {
				dst[k-1][i+j] = -(lower[j] + ratio)
			}
			if k < len(cuts) {
				dst[k][i+j] = (1 - upper[j]) + ratio
			}
		}
	})
}

// logistics writes F(cut − eta) of the logit over cuts.
func (r *Rows) logistics(cut, eta []float64) {
	r.Kernels.Minus(cut, cut, eta)
	r.Kernels.Logistic(cut, cut)
}
