package conjugate

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// flat, normal and half priors in short.
func normal(m, s float64) prior.Prior { return prior.Prior{Kind: prior.Normal, Location: m, Scale: s} }

var (
	flat        = prior.Prior{Kind: prior.Flat}
	halfCauchy  = prior.Prior{Kind: prior.HalfCauchy, Scale: 1.3}
	halfNormal  = prior.Prior{Kind: prior.HalfNormal, Scale: 2}
	exponential = prior.Prior{Kind: prior.Exponential, Rate: 0.8}
)

// fixture is a posterior with its name.
type fixture struct {
	name  string
	data  *glm.Data
	model glm.Model
}

// fixtures covers n ≷ d, flat, normal and mixed priors, all priors of sigma,
// an offset, and a normal part of deficient rank.
func fixtures() []fixture {
	return []fixture{
		simulate(20, 4, "ffff", flat),
		simulate(20, 4, "nnnn", halfCauchy),
		simulate(12, 5, "fnnfn", halfNormal),
		simulate(12, 5, "nfnfn", flat),
		simulate(6, 9, "nnnnnnnnn", halfNormal),
		simulate(6, 9, "fnnnnnnnn", halfCauchy),
		simulate(5, 5, "fnnfn", halfCauchy),
		deficient(simulate(15, 6, "fnnnnn", halfCauchy)),
		simulate(700, 3, "fnn", flat), // more than one block of rows
		simulate(1, 3, "nnn", halfNormal),
		simulate(20, 4, "fnnn", exponential),
		simulate(6, 9, "nnnnnnnnn", exponential),
		weighted(simulate(20, 4, "fnnn", flat)),
		weighted(simulate(6, 9, "fnnnnnnnn", halfCauchy)),
		weighted(simulate(700, 3, "fnn", halfNormal)),
	}
}

// simulate returns n rows with correlated columns of unequal scales. kinds has
// a letter per column: f for flat, n for normal.
func simulate(n, d int, kinds string, sigma prior.Prior) fixture {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	data := &glm.Data{X: design.NewDense(n, d), Intercept: -1, Y: make([]float64, n), Offset: make([]float64, n)}
	model := glm.Model{Family: glm.Family{Name: "gaussian", Link: "identity"}, Dispersion: sigma}
	for i := range n {
		common := rng.NormFloat64()
		data.Offset[i] = 3 * rng.Float64()
		data.Y[i] = data.Offset[i] + 2 + 0.9*rng.NormFloat64()
		for j := range d {
			data.X.Col(j)[i] = (rng.NormFloat64() + common) * math.Pow(3, float64(j%3))
			data.Y[i] += 0.3 * data.X.Col(j)[i]
		}
	}
	for j := range d {
		p := flat
		if kinds[j] == 'n' {
			p = normal(0.2*float64(j), 0.5+0.4*float64(j))
		}
		model.Coefficients = append(model.Coefficients, p)
	}
	return fixture{fmt.Sprintf("n=%d/d=%d/%s/sigma=%s", n, d, kinds, sigma.Kind), data, model}
}

// weighted gives the rows frequencies and precisions.
func weighted(f fixture) fixture {
	n := f.data.Rows()
	f.data.Frequency, f.data.Precision = make([]float64, n), make([]float64, n)
	for i := range n {
		f.data.Frequency[i], f.data.Precision[i] = float64(1+i%3), 0.3+float64(i%5)
		if n < f.data.Cols() {
			f.data.Frequency[i] = 1 // a row twice would be fitted perfectly
		}
	}
	f.name += "/weighted"
	return f
}

// weight is that of the squared residual of row i.
func (f fixture) weight(i int) float64 {
	if f.data.Frequency == nil {
		return 1
	}
	return f.data.Frequency[i] * f.data.Precision[i]
}

// deficient makes the last column a combination of two others with normal
// priors.
func deficient(f fixture) fixture {
	d := f.data.Cols()
	last := f.data.X.Col(d - 1)
	for i := range last {
		last[i] = f.data.X.Col(d - 2)[i] - 2*f.data.X.Col(d - 3)[i]
	}
	f.name += "/deficient"
	return f
}

// dense is the posterior given sigma by dense algebra in the d coefficients and
// the n rows, with none of the package's reductions: the oracle.
type dense struct {
	logDensity float64 // of log sigma, without constant
	mean       []float64
	cov        *mat.SymDense
	precision  *mat.SymDense
}

// oracle computes Λ = XᵀX/sigma² + S⁻² (0 for flat columns) and from it the distribution of beta and ytilde's
// density: log p(y | sigma) = log p(y, beta)|mean − ½ log|Λ|.
func oracle(f fixture, logSigma float64) dense {
	n, d := f.data.Rows(), f.data.Cols()
	sigma := math.Exp(logSigma)
	precision := mat.NewSymDense(d, nil)
	linear := mat.NewVecDense(d, nil)
	for j := range d {
		for k := range j + 1 {
			var sum float64
			for i := range n {
				sum += f.weight(i) * f.data.X.Col(j)[i] * f.data.X.Col(k)[i]
			}
			precision.SetSym(j, k, sum/sigma/sigma)
		}
		var sum float64
		for i := range n {
			sum += f.weight(i) * f.data.X.Col(j)[i] * (f.data.Y[i] - f.data.Offset[i])
		}
		linear.SetVec(j, sum/sigma/sigma)
		if p := f.model.Coefficients[j]; p.Kind == prior.Normal {
			precision.SetSym(j, j, precision.At(j, j)+1/p.Scale/p.Scale)
			linear.SetVec(j, linear.AtVec(j)+p.Location/p.Scale/p.Scale)
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(precision) {
		panic("oracle: precision is not positive definite")
	}
	var mean mat.VecDense
	if err := chol.SolveVecTo(&mean, linear); err != nil {
		panic(err)
	}
	cov := mat.NewSymDense(d, nil)
	if err := chol.InverseTo(cov); err != nil {
		panic(err)
	}
	out := dense{mean: mean.RawVector().Data, cov: cov, precision: precision}
	count := float64(n)
	for _, w := range f.data.Frequency {
		count += w - 1
	}
	sum := logSigma - count*logSigma + f.model.Dispersion.LogDensity(sigma) - 0.5*chol.LogDet()
	for i := range n {
		r := f.data.Y[i] - f.data.Offset[i]
		for j := range d {
			r -= f.data.X.Col(j)[i] * out.mean[j]
		}
		sum -= f.weight(i) * r * r / (2 * sigma * sigma)
	}
	for j, p := range f.model.Coefficients {
		if p.Kind == prior.Normal {
			z := (out.mean[j] - p.Location) / p.Scale
			sum -= 0.5 * z * z
		}
	}
	out.logDensity = sum
	return out
}
