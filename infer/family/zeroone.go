package family

import (
	"slices"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// zeroOneInflatedBeta: y is 0 or 1 with a probability zoi, and then 1 with a probability coi; otherwise it is one of
// beta. Both logits are linear predictors. The likelihood is a product of one factor for each of the three.
var zeroOneInflatedBeta = &Distribution{
	Name: "zero_one_inflated_beta", Links: beta.Links, Dispersions: beta.Dispersions, Support: sharesAndEnds,
	Notation: Notation{Law: "ZeroOneInflated(Beta(μ_i, phi), zoi_i, coi_i)",
		LaTeX: `\mathrm{ZeroOneInflated}(\mathrm{Beta}(\mu_i, \phi), \mathrm{zoi}_i, \mathrm{coi}_i)`, Mean: "μ_i",
		TeX: `\mu_i`, Of: "the mean of responses between 0 and 1",
		Note: "0 or 1 with probability zoi_i, then 1 with probability coi_i, else Beta(μ_i, phi)"},
	Along: func(*Link) Likelihood { return Likelihood{Form: Termwise, Several: zeroOne{zerosOfShares}} },
	With: func(parameters string, _ *Link) Likelihood {
		on, there := beta.predicting(parameters)
		if !there {
			return Likelihood{}
		}
		inner := zerosOfShares.varied(on)
		inner.rowwise.first = 3
		return Likelihood{Form: Termwise, Several: zeroOne{inner}}
	},
	Constant: func(*Rows) float64 { return 0 },
}

// onesOf is how the name of the likelihood along the logit of coi ends.
const onesOf = "/coi"

// ones is the likelihood along the logit of coi, of the rows with 0 or 1.
func ones() *Distribution {
	out := *zeroOneInflatedBeta
	out.Name, out.Dispersions = out.Name+onesOf, nil
	out.Along = func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: onesOfEnds{}, Concave: true} }
	return &out
}

// onesOfEnds is the likelihood of ones among zeros and ones; other rows have none.
type onesOfEnds struct{}

func (onesOfEnds) Terms(r Rows, eta, dst []float64) {
	var grown Block
	r.Kernels.Log1pExp(grown[:], eta)
	for i, y := range r.Y {
		switch y {
		case 0:
			dst[i] = -grown[i]
		case 1:
			dst[i] = eta[i] - grown[i]
		default:
			dst[i] = 0
		}
	}
}

func (onesOfEnds) Slopes(r Rows, eta, grad, curv, info []float64) {
	for i, y := range r.Y {
		grad[i], curv[i] = 0, 0
		if y == 0 || y == 1 {
			p := vec.Logistic(eta[i])
			grad[i], curv[i] = y-p, float64(p*vec.Logistic(-eta[i]))
		}
		info[i] = curv[i]
	}
}

func (onesOfEnds) Norm(Rows) float64                 { return 0 }
func (onesOfEnds) Scores(Rows, []float64) [2]float64 { return [2]float64{} }

// zerosOfShares is zero_inflated_beta.
var zerosOfShares = zeroFamilies[8]

// zeroOne is the likelihood of zero_one_inflated_beta. Along the mean, and along phi if it has a predictor, it is that
// of zero_inflated_beta, for which ones are zeros. The predictor of phi is the last one.
type zeroOne struct{ shares zeroed }

// Predictors are named as brms names them.
func (z zeroOne) Predictors([]string) []Predictor {
	of := z.shares.Predictors(nil)
	return append([]Predictor{of[0], {Name: "zoi", Of: Binary},
		{Name: "coi", Of: Family{Name: "zero_one_inflated_beta" + onesOf, Link: Logit.Name}}}, of[2:]...)
}

// ofShares reports whether predictor p is one of shares between 0 and 1.
func (zeroOne) ofShares(p int) bool { return p == 0 || p > 2 }

// inner are the rows as the first predictor has them.
func (z zeroOne) inner(r *Rows) Rows {
	out := *r
	out.Y = z.Response(0, r)
	return out
}

func (z zeroOne) Prepare(r *Rows) {
	if r.Y == nil {
		return
	}
	in := z.inner(r)
	z.shares.Prepare(&in)
	r.LogY, r.Log1Y, r.Each = in.LogY, in.Log1Y, in.Each
}

func (z zeroOne) Start(r *Rows, _ int) []float64 {
	in := z.inner(r)
	ones := r.counted(r.Y) - in.counted(in.Y)
	start := z.shares.Start(&in, 2)
	ends := 0.0
	for i, y := range in.Y {
		if y == 0 {
			ends += r.Count(i)
		}
	}
	return slices.Insert(start, 2, vec.Log((ones+0.5)/(ends-ones+0.5)))
}

func (z zeroOne) Response(p int, r *Rows) []float64 {
	if p == 2 {
		return r.Y
	}
	out := make([]float64, len(r.Y))
	for i, y := range r.Y {
		switch end := y == 0 || y == 1; {
		case p == 1 && end:
			out[i] = 1
		case z.ofShares(p) && !end:
			out[i] = y
		}
	}
	return out
}

// Given sums the factors of the other predictors.
func (z zeroOne) Given(p int, r *Rows, eta [][]float64, v *View) {
	each := v.kept[0]
	z.factors(p, *r, eta, each)
	v.Base = r.counted(each)
	if z.ofShares(p) {
		in := z.inner(r)
		z.shares.giveDispersions(p, &in, eta, v)
	}
}

// factors writes the log density of rows without the factor of predictor p, which is −1 for none.
func (z zeroOne) factors(p int, r Rows, eta [][]float64, dst []float64) {
	law, norm := z.shares.terms(), 0.0 // with norms if phi has a predictor
	if z.shares.rowwise == nil {
		norm = vec.LogGammaExcess(r.Disp[0])
	}
	r.chunks(func(first int, part Rows) {
		n := len(part.Y)
		var inside, end, one Block
		if !z.ofShares(p) {
			law.Terms(z.shares.at(part, eta, first), eta[0][first:first+n], inside[:n])
		}
		if p != 1 {
			r.Kernels.Log1pExp(end[:], eta[1][first:first+n])
		}
		if p != 2 {
			onesOfEnds{}.Terms(part, eta[2][first:first+n], one[:n])
		}
		for i, y := range part.Y {
			at := one[i] - end[i] + part.Each[i]
			switch {
			case y > 0 && y < 1 && !z.ofShares(p):
				at += inside[i] + norm
			case (y == 0 || y == 1) && p != 1:
				at += eta[1][first+i]
			}
			dst[first+i] = at
		}
	})
}

func (z zeroOne) LogLik(r *Rows, first int, eta [][]float64, dst []float64) {
	z.factors(-1, r.Part(first, first+len(dst)), eta, dst)
}

func (z zeroOne) Means(eta []float64, disp [2]float64, dst []float64) {
	ones := float64(vec.Logistic(eta[1]) * vec.Logistic(eta[2]))
	dst[0] = ones + float64(vec.Logistic(-eta[1])*vec.Logistic(eta[0]))
}

func (z zeroOne) CDF(y float64, eta []float64, disp [2]float64, _ float64) float64 {
	switch {
	case y < 0:
		return 0
	case y >= 1:
		return 1
	}
	zeros := float64(vec.Logistic(eta[1]) * vec.Logistic(-eta[2]))
	return zeros + float64(vec.Logistic(-eta[1])*beta.CDF(y, z.shares.row(eta, disp, 1)))
}

func (z zeroOne) Draw(s prior.Source, eta []float64, disp [2]float64, _ float64) float64 {
	switch {
	case s.Float64() >= vec.Logistic(eta[1]):
		return beta.Draw(s, z.shares.row(eta, disp, 1))
	case s.Float64() < vec.Logistic(eta[2]):
		return 1
	}
	return 0
}
