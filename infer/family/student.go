package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// studentT: y ~ mu + sigma/√precision·t, t of nu degrees of freedom.
var studentT = &Distribution{
	Name:  "student_t",
	Links: []*Link{identity},
	Dispersions: []Dispersion{
		{Name: "sigma", Power: -2, Concentrates: true},
		{Name: "nu", Lower: 1, Start: 8, Default: func(float64) prior.Prior { return prior.DefaultNu },
			Limit: "the likelihood does not vanish as nu grows (it becomes that of gaussian), so that a flat prior of nu " +
				"never becomes proper",
			Remedy: "give nu gamma(2, 0.1), or fix it with constant(4)"},
	},
	Support: real,
	Notation: Notation{Law: "Student_t(nu, μ_i, sigma)", LaTeX: `\mathrm{Student\ t}(\nu, \mu_i, \sigma)`, Mean: "μ_i",
		TeX: `\mu_i`, Of: meanResponse},
	Along:    func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: studentLaw{}} },
	Limited:  tailed{terms: studentLaw{}, at: studentAt, dispersions: 2, power: -2}.limited((*Rows).halfLogs),
	Constant: (*Rows).halfLogs,
	Draw: func(s prior.Source, at Row) float64 {
		return math.FMA(at.Disp[0], variate.StudentT(s, at.Disp[1]), at.Mean)
	},
	CDF: func(y float64, at Row) float64 {
		t := (y - at.Mean) / at.Disp[0]
		half := float64(0.5 * incompleteBeta(0.5*at.Disp[1], 0.5, at.Disp[1]/math.FMA(t, t, at.Disp[1])))
		if t > 0 {
			return 1 - half
		}
		return half
	},
	Ends: scaleEnds,
}

// studentLaw is student_t(identity): scale sigma, nu degrees of freedom.
type studentLaw struct{}

func (studentLaw) Terms(r Rows, eta, dst []float64) {
	sigma, nu := r.Disp[0], r.Disp[1]
	for i, e := range eta {
		z := (r.Y[i] - e) / sigma * r.Root(i)
		dst[i] = float64(z / nu * z)
	}
	dst = dst[:len(eta)]
	r.Kernels.Log1p(dst, dst)
	for i, v := range dst {
		dst[i] = -0.5 * (nu + 1) * v
	}
}

// Slopes: the information per row is (nu + 1)/(nu + 3)/sigma².
func (studentLaw) Slopes(r Rows, eta, grad, curv, info []float64) {
	sigma, nu := r.Disp[0], r.Disp[1]
	for i, e := range eta {
		z := (r.Y[i] - e) / sigma * r.Root(i)
		weight := (nu + 1) / math.FMA(z, z, nu)
		grad[i] = weight * z / sigma * r.Root(i)
		curv[i] = weight * ((nu - float64(z*z)) / math.FMA(z, z, nu)) / sigma / sigma * r.Weight(i)
		info[i] = (nu + 1) / (nu + 3) / sigma / sigma * r.Weight(i)
	}
}

func (studentLaw) Norm(r Rows) float64 {
	row := vec.LogRising(0.5*r.Disp[1], 0.5) - halfLog2Pi - vec.Log(r.Disp[0])
	return r.Total * row
}

func (studentLaw) Scores(r Rows, eta []float64) [2]float64 {
	sigma, nu := r.Disp[0], r.Disp[1]
	base := vec.Digamma(0.5*(nu+1)) - vec.Digamma(0.5*nu) - 1/nu
	inSigma, inNu := 0.0, 0.0
	for i, e := range eta {
		z := (r.Y[i] - e) / sigma * r.Root(i)
		weight := (nu + 1) / math.FMA(z, z, nu)
		inSigma += float64(r.Count(i) * math.FMA(float64(weight*z), z, -1))
		inNu += float64(r.Count(i) * (0.5 * ((base - vec.Log1p(float64(z/nu*z))) + float64(weight*z)*z/nu)))
	}
	return [2]float64{inSigma / sigma, inNu}
}
