package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// scaled is a family whose scale sigma has a linear predictor, log sigma, besides that of its location.
type scaled struct {
	base *Distribution
	link *Link
}

// scalable reports whether the density is f((y − eta)/sigma)/sigma, of y or of log y, with one such sigma.
func (l *Distribution) scalable(k *Link) bool {
	d := l.Dispersions
	return l.limits() == NoLimits && l.CDF != nil && len(d) > 0 && d[0].Scale() && (len(d) == 1 || !d[1].Scale()) &&
		k.Name == identity.Name
}

// scales are the likelihoods of the location given sigma, and of log sigma given the location.
func scales(bases ...*Distribution) (out []*Distribution) {
	for _, l := range bases {
		location, scale := *l, *l
		along, terms := l.Along(l.Links[0]), scaledTerms(l)
		location.Name = l.Name + "/mu"
		location.Along = func(*Link) Likelihood {
			return Likelihood{Form: Termwise, Terms: locationGiven{terms}, Concave: along.Concave}
		}
		scale.Name, scale.Links, scale.Dispersions, scale.Ends = l.Name+"/sigma", []*Link{logLink}, nil, nil
		scale.Along = func(*Link) Likelihood {
			return Likelihood{Form: Termwise, Terms: scaleGiven{terms}, Concave: len(l.Dispersions) == 1}
		}
		for _, part := range []*Distribution{&location, &scale} {
			part.Constant, part.Additive = func(*Rows) float64 { return 0 }, false
			out = append(out, part)
		}
	}
	return out
}

// scaledTerms are the terms along the location, by precisions of rows.
func scaledTerms(l *Distribution) Terms {
	if along := l.Along(l.Links[0]); along.Terms != nil {
		return along.Terms
	}
	return normalLaw{}
}

// locationGiven is the likelihood of the location: Given are 1/sigma² and 1/sigma.
type locationGiven struct{ terms Terms }

func (locationGiven) rows(r Rows) Rows {
	r.Precision, r.Roots = r.given(0), r.given(1)
	return r
}

func (l locationGiven) Terms(r Rows, eta, dst []float64) { l.terms.Terms(l.rows(r), eta, dst) }

func (l locationGiven) Slopes(r Rows, eta, grad, curv, info []float64) {
	l.terms.Slopes(l.rows(r), eta, grad, curv, info)
}

func (l locationGiven) Norm(r Rows) float64 { return l.terms.Norm(l.rows(r)) }

func (l locationGiven) Scores(r Rows, eta []float64) [2]float64 {
	return l.terms.Scores(l.rows(r), eta)
}

// scaleGiven is the likelihood of log sigma: Given are the location and, the same in all rows, the second dispersion.
type scaleGiven struct{ terms Terms }

// minLogScale is where 1/sigma² overflows; no smaller scale has a density.
const minLogScale = -340

// precisions writes 1/sigma² of log sigma, and its roots.
func (r *Rows) precisions(logSigma, precision, roots []float64) {
	roots, precision = roots[:len(logSigma)], precision[:len(logSigma)]
	for i, e := range logSigma {
		if roots[i] = -e; e < minLogScale {
			roots[i] = -minLogScale
		}
	}
	r.Kernels.Exp(roots, roots)
	for i, root := range roots {
		precision[i] = float64(root * root)
	}
}

// rows has the precisions of log sigma.
func (scaleGiven) rows(r Rows, eta []float64, scratch *[3]Block) Rows {
	roots, precision := scratch[0][:len(eta)], scratch[1][:len(eta)]
	r.precisions(eta, precision, roots)
	r.Precision, r.Roots, r.Disp = precision, roots, [2]float64{1, r.given(1)[0]}
	return r
}

func (l scaleGiven) Terms(r Rows, eta, dst []float64) {
	scratch := Blocks.Get().(*[3]Block)
	defer Blocks.Put(scratch)
	r = l.rows(r, eta, scratch)
	own := scratch[2][:copy(scratch[2][:], eta)]
	l.terms.Terms(r, r.given(0), dst)
	for i, e := range own {
		if dst[i] -= e; e < minLogScale {
			dst[i] = math.Inf(-1)
		}
	}
}

// Slopes follow from those along the location: with d from the location to the response, d·grad − 1 and
// d·grad + d²·curv. The information of a gaussian row is 2.
func (l scaleGiven) Slopes(r Rows, eta, grad, curv, info []float64) {
	scratch := Blocks.Get().(*[3]Block)
	defer Blocks.Put(scratch)
	r = l.rows(r, eta, scratch)
	at := r.located()
	l.terms.Slopes(r, r.given(0), grad, curv, info)
	for i, mu := range r.given(0) {
		d := at[i] - mu
		slope := float64(d * grad[i])
		curv[i] = math.FMA(float64(d*curv[i]), d, slope)
		grad[i], info[i] = slope-1, 2
	}
}

func (scaleGiven) Norm(Rows) float64                 { return 0 }
func (scaleGiven) Scores(Rows, []float64) [2]float64 { return [2]float64{} }

// Location returns the family of the location given the scale of each row.
func (f Family) Location() Family { return Family{Name: f.Name + "/mu", Link: f.Link} }

// Predictors are named as brms names them.
func (s scaled) Predictors([]string) []Predictor {
	location := Family{Name: s.base.Name, Link: s.link.Name}.Location()
	return []Predictor{{Of: location, Elsewhere: [2]bool{true}},
		{Name: s.base.Dispersions[0].Name, Of: Family{Name: s.base.Name + "/sigma", Link: logLink.Name}, Centre: s.logSpread}}
}

// logSpread is the logarithm of the standard deviation of what eta is the location of; 0 if it has none.
func (s scaled) logSpread(y []float64) float64 {
	_, sd := s.moments(y)
	if !(sd > 0) {
		return 0
	}
	return vec.Log(sd)
}

func (s scaled) moments(y []float64) (mean, sd float64) {
	r := Rows{Y: y}
	r.Prepare(s.base)
	at := r.located()
	n := float64(len(at))
	mean = vec.Sum(at) / n
	return mean, math.Sqrt(vec.SquaresAbout(at, mean) / max(1, n-1))
}

// normal reports whether the response or its logarithm is normal.
func (s scaled) normal() bool { return scaledTerms(s.base) == normalLaw{} }

func (s scaled) Prepare(r *Rows) {
	if !s.normal() || r.Y == nil {
		s.base.eachConstant(r)
		return
	}
	r.Prepare(s.base)
	r.Each = make([]float64, len(r.Y))
	fill(r.Each, -halfLog2Pi)
	for i, y := range r.LogY {
		r.Each[i] -= y
	}
}

func (s scaled) Start(r *Rows, _ int) []float64 {
	mean, _ := s.moments(r.Y)
	return []float64{mean, s.logSpread(r.Y)}
}

func (scaled) Response(_ int, r *Rows) []float64 { return r.Y }

// norm is the part of a row's log density at scale 1 that only the second dispersion moves.
func (s scaled) norm(disp [2]float64) float64 {
	return scaledTerms(s.base).Norm(Rows{Total: 1, Disp: [2]float64{1, disp[1]}})
}

func (s scaled) Given(p int, r *Rows, eta [][]float64, v *View) {
	n := len(r.Y)
	v.Base = r.counted(r.Each)
	if p == 0 {
		r.precisions(eta[1], v.given(0, n), v.given(1, n))
		v.Base -= r.counted(eta[1])
		return
	}
	copy(v.given(0, n), eta[0])
	second := v.given(1, n)
	for i := range second {
		second[i] = r.Disp[1]
	}
	v.Base = math.FMA(r.Total, s.norm(r.Disp), v.Base)
}

func (s scaled) LogLik(r *Rows, first int, eta [][]float64, dst []float64) {
	terms, norm := scaleGiven{scaledTerms(s.base)}, s.norm(r.Disp)
	rows := r.Part(first, first+len(dst))
	second := make([]float64, min(ChunkRows, len(dst)))
	for i := range second {
		second[i] = r.Disp[1]
	}
	var given [2][]float64
	rows.chunks(func(i int, part Rows) {
		n := len(part.Y)
		part.Given, part.first = append(given[:0], eta[0][i:i+n], second[:n]), 0
		terms.Terms(part, eta[1][i:i+n], dst[i:i+n])
		for k, c := range part.Each {
			dst[i+k] += norm + c
		}
	})
}

// normalSum is the sum of LogLik where normal.
func (s scaled) normalSum(r *Rows, eta [][]float64) float64 {
	squares, at := 0.0, r.located()
	var precision Block
	for i := 0; i < len(at); i += ChunkRows {
		n := min(ChunkRows, len(at)-i)
		for k, e := range eta[1][i : i+n] {
			if precision[k] = -2 * e; e < minLogScale {
				return math.Inf(-1)
			}
		}
		r.Kernels.Exp(precision[:], precision[:n])
		mean := eta[0][i : i+n]
		squares += r.Kernels.WeightedSquaresAlong(precision[:n], at[i:i+n], mean, mean, 0)
	}
	return math.FMA(-0.5, squares, r.Kernels.Sum(r.Each)) - r.Kernels.Sum(eta[1])
}

// row is a row at its predictors.
func (s scaled) row(eta []float64, disp [2]float64) Row {
	disp[0] = vec.Exp(eta[1])
	return Row{Eta: eta[0], Mean: s.base.MeanAt(s.link, eta[0], disp), Disp: disp, Trials: 1, Link: s.link}
}

func (s scaled) Means(eta []float64, disp [2]float64, dst []float64) { dst[0] = s.row(eta, disp).Mean }

func (s scaled) CDF(y float64, eta []float64, disp [2]float64, _ float64) float64 {
	return s.base.CDF(y, s.row(eta, disp))
}

func (s scaled) Draw(from prior.Source, eta []float64, disp [2]float64, _ float64) float64 {
	return s.base.Draw(from, s.row(eta, disp))
}
