package family

import (
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
	Along:    func(*Link) Likelihood { return Likelihood{Form: Termwise, Several: zeroOne{}} },
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

// zeroOne is the likelihood of zero_one_inflated_beta. Along the first predictor it is that of zero_inflated_beta, for
// which ones are zeros.
type zeroOne struct{}

// Predictors are named as brms names them.
func (zeroOne) Predictors([]string) []Predictor {
	return []Predictor{{Of: Family{Name: zeroInflatedBeta.Name + "/mu", Link: Logit.Name}}, {Name: "zoi", Of: Binary},
		{Name: "coi", Of: Family{Name: "zero_one_inflated_beta" + onesOf, Link: Logit.Name}}}
}

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
	zeroed{base: beta, name: "zi", hurdle: true}.Prepare(&in)
	r.LogY, r.Log1Y, r.Each = in.LogY, in.Log1Y, in.Each
}

func (z zeroOne) Start(r *Rows, _ int) []float64 {
	in := z.inner(r)
	ones := r.counted(r.Y) - in.counted(in.Y)
	start := zeroed{base: beta, name: "zi", hurdle: true}.Start(&in, 2)
	ends := 0.0
	for i, y := range in.Y {
		if y == 0 {
			ends += r.Count(i)
		}
	}
	return append(start, vec.Log((ones+0.5)/(ends-ones+0.5)))
}

func (zeroOne) Response(p int, r *Rows) []float64 {
	if p == 2 {
		return r.Y
	}
	out := make([]float64, len(r.Y))
	for i, y := range r.Y {
		switch end := y == 0 || y == 1; {
		case p == 1 && end:
			out[i] = 1
		case p == 0 && !end:
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
}

// factors writes the log density of rows without the factor of predictor p, which is −1 for none.
func (zeroOne) factors(p int, r Rows, eta [][]float64, dst []float64) {
	law, norm := betaLaw{}, vec.LogGammaExcess(r.Disp[0])
	r.chunks(func(first int, part Rows) {
		n := len(part.Y)
		var inside, end, one Block
		if p != 0 {
			law.Terms(part, eta[0][first:first+n], inside[:n])
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
			case y > 0 && y < 1 && p != 0:
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

// row is a row of beta at its predictor.
func (zeroOne) row(eta []float64, disp [2]float64) Row {
	return Row{Eta: eta[0], Mean: vec.Logistic(eta[0]), Disp: disp, Trials: 1, Link: Logit}
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
	return zeros + float64(vec.Logistic(-eta[1])*beta.CDF(y, z.row(eta, disp)))
}

func (z zeroOne) Draw(s prior.Source, eta []float64, disp [2]float64, _ float64) float64 {
	switch {
	case s.Float64() >= vec.Logistic(eta[1]):
		return beta.Draw(s, z.row(eta, disp))
	case s.Float64() < vec.Logistic(eta[2]):
		return 1
	}
	return 0
}
