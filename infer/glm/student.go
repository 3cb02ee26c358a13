package glm

import (
	"math"

	"glmbatch/internal/simd"
	"glmbatch/internal/vec"
)

// studentLaw is student_t(identity): scale sigma, nu degrees of freedom.
type studentLaw struct{}

func (studentLaw) terms(r rows, eta, dst []float64) {
	sigma, nu := r.disp[0], r.disp[1]
	for i, e := range eta {
		z := (r.y[i] - e) / sigma * r.root(i)
		dst[i] = float64(z / nu * z)
	}
	dst = dst[:len(eta)]
	r.kernels.Log1p(dst, dst)
	for i, v := range dst {
		dst[i] = -0.5 * (nu + 1) * v
	}
}

// slopes: the information per row is (nu + 1)/(nu + 3)/sigma².
func (studentLaw) slopes(r rows, eta, grad, curv, info []float64) {
	sigma, nu := r.disp[0], r.disp[1]
	for i, e := range eta {
		z := (r.y[i] - e) / sigma * r.root(i)
		weight := (nu + 1) / math.FMA(z, z, nu)
		grad[i] = weight * z / sigma * r.root(i)
		curv[i] = weight * ((nu - float64(z*z)) / math.FMA(z, z, nu)) / sigma / sigma * r.weight(i)
		info[i] = (nu + 1) / (nu + 3) / sigma / sigma * r.weight(i)
	}
}

func (studentLaw) norm(r rows) float64 {
	row := vec.LogRising(0.5*r.disp[1], 0.5) - halfLog2Pi - vec.Log(r.disp[0])
	return r.total * row
}

func (studentLaw) scores(r rows, eta []float64) [2]float64 {
	sigma, nu := r.disp[0], r.disp[1]
	base := vec.Digamma(0.5*(nu+1)) - vec.Digamma(0.5*nu) - 1/nu
	inSigma, inNu := 0.0, 0.0
	for i, e := range eta {
		z := (r.y[i] - e) / sigma * r.root(i)
		weight := (nu + 1) / math.FMA(z, z, nu)
		inSigma += float64(r.count(i) * math.FMA(float64(weight*z), z, -1))
		inNu += float64(r.count(i) * (0.5 * ((base - vec.Log1p(float64(z/nu*z))) + float64(weight*z)*z/nu)))
	}
	return [2]float64{inSigma / sigma, inNu}
}

// betaLaw is beta(logit): mean mu and precision phi, shapes a = mu·phi and
// b = (1 − mu)·phi.
type betaLaw struct{}

// vanishing is the shape below which log Γ(a) is −log a to the last bit, and a
// itself may underflow.
const vanishing = 1e-290

// excess returns log Γ(a) − a·log a + a for a with logarithm logA.
func excess(a, logA float64) float64 {
	if a < vanishing {
		return -logA
	}
	return vec.LogGammaExcess(a)
}

func (l betaLaw) terms(r rows, eta, dst []float64) {
	if r.kernels != simd.Scalar {
		l.blockTerms(r, eta, dst)
		return
	}
	phi := r.disp[0]
	logPhi := vec.Log(phi)
	for i, e := range eta {
		a, b := phi*vec.Logistic(e), phi*vec.Logistic(-e)
		logMu, logRest := -vec.Log1pExp(-e), -vec.Log1pExp(e)
		fit := math.FMA(a, r.logY[i]-logMu, float64(b*(r.log1Y[i]-logRest)))
		dst[i] = fit - (excess(a, logPhi+logMu) + excess(b, logPhi+logRest))
	}
}

// blockTerms is terms of up to 128 rows, with the same bits.
func (betaLaw) blockTerms(r rows, eta, dst []float64) {
	first, second := blocks.Get().(*[3]block), blocks.Get().(*[3]block)
	defer blocks.Put(first)
	defer blocks.Put(second)
	n, phi := len(eta), r.disp[0]
	logPhi := vec.Log(phi)
	a, logA, excessA := first[0][:n], first[1][:n], first[2][:n]
	b, logB, excessB := second[0][:n], second[1][:n], second[2][:n]
	copy(b, eta)
	negate(b)
	r.kernels.Log1pExp(logA, b)
	r.kernels.Log1pExp(logB, eta)
	r.kernels.Logistic(a, eta)
	r.kernels.Logistic(b, b)
	for i := range n {
		a[i] *= phi
		b[i] *= phi
	}
	r.kernels.LogGammaExcess(excessA, a)
	r.kernels.LogGammaExcess(excessB, b)
	for i := range n {
		logMu, logRest := -logA[i], -logB[i]
		fit := math.FMA(a[i], r.logY[i]-logMu, float64(b[i]*(r.log1Y[i]-logRest)))
		if a[i] < vanishing {
			excessA[i] = -(logPhi + logMu)
		}
		if b[i] < vanishing {
			excessB[i] = -(logPhi + logRest)
		}
		dst[i] = fit - (excessA[i] + excessB[i])
	}
}

// scaledDigamma returns a·ψ(a), −1 at 0.
func scaledDigamma(a float64) float64 {
	if a < vanishing {
		return -1
	}
	return float64(a * vec.Digamma(a))
}

// scaledTrigamma returns a²·ψ′(a), 1 at 0.
func scaledTrigamma(a float64) float64 {
	if a < vanishing {
		return 1
	}
	return vec.ScaledTrigamma(a)
}

func (betaLaw) slopes(r rows, eta, grad, curv, info []float64) {
	phi := r.disp[0]
	for i, e := range eta {
		mu, rest := vec.Logistic(e), vec.Logistic(-e)
		a, b := phi*mu, phi*rest
		logit := r.logY[i] - r.log1Y[i]
		grad[i] = math.FMA(float64(a*rest), logit, math.FMA(mu, scaledDigamma(b), -float64(rest*scaledDigamma(a))))
		info[i] = math.FMA(rest*rest, scaledTrigamma(a), float64(float64(mu*mu)*scaledTrigamma(b)))
		curv[i] = math.FMA(-grad[i], rest-mu, info[i])
	}
}

func (betaLaw) norm(r rows) float64 { return r.total * vec.LogGammaExcess(r.disp[0]) }

func (betaLaw) scores(r rows, eta []float64) [2]float64 {
	phi := r.disp[0]
	base := vec.Digamma(phi)
	sum := 0.0
	for i, e := range eta {
		mu, rest := vec.Logistic(e), vec.Logistic(-e)
		shapes := (scaledDigamma(phi*mu) + scaledDigamma(phi*rest)) / phi
		sum += float64(r.count(i) * ((base - shapes) + math.FMA(mu, r.logY[i], float64(rest*r.log1Y[i]))))
	}
	return [2]float64{sum}
}
