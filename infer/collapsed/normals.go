package collapsed

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// normals are columns with a multivariate normal distribution: Σ ~ inverse Wishart(df, Ψ) with a diagonal Ψ, and
// mu ~ N(mean, Σ/rows). The variance and mean of each column alone then have the normal-inverse-gamma distribution
// that its Prior states, with shape (df − D + 1)/2 and scale Ψ_jj/2.
//
// Statistics: n, Σ(y − mean) of each column, and the Cholesky factor of Ψ given the rows, by rows; it is 0 if n is 0.
// theta is mu and sigma of each column, and after these its correlations with the columns before it.
//
// Source: Murphy (2007), Conjugate Bayesian analysis of the Gaussian distribution, section 9.
type normals struct {
	names    []string
	y        [][]float64 // by column; NaN is missing
	mean     []float64
	roots    []float64 // of the diagonal of Ψ
	rows, df float64
	ranks    [][]int
}

// maxCorrelated bounds the columns of normals.
const maxCorrelated = 20

// newNormals joins columns that are correlated.
func newNormals(columns []*Column) (*normals, error) {
	f := &normals{}
	first := columns[0].Prior.Numbers
	d := float64(len(columns))
	if len(columns) < 2 || len(columns) > maxCorrelated {
		return nil, fmt.Errorf("%d correlated columns; there must be 2 to %d", len(columns), maxCorrelated)
	}
	for _, c := range columns {
		if lawOf(c.Family) != lawNamed(normalInverseGamma) || c.Prior.Law != normalInverseGamma {
			return nil, fmt.Errorf("column %q is correlated, and not gaussian with the prior %s", c.Name, normalInverseGamma)
		}
		p := c.Prior.Numbers
		if p[1] != first[1] || p[2] != first[2] {
			return nil, fmt.Errorf("column %q has %v rows and the shape %v in its prior, and %q has %v and %v: those of "+
				"correlated columns must be equal", c.Name, p[1], p[2], columns[0].Name, first[1], first[2])
		}
		f.names, f.y = append(f.names, c.Name), append(f.y, c.Y)
		f.mean, f.roots = append(f.mean, p[0]), append(f.roots, math.Sqrt(2*p[3]))
		f.ranks = append(f.ranks, ranksOf(len(c.Y), func(i int) float64 { return c.Y[i] }))
	}
	f.rows, f.df = first[1], math.FMA(2, first[2], d-1)
	return f, nil
}

// first is where theta has mu of a column, and where the factor has row j without the columns of others.
func first(j int) int { return 2*j + j*(j-1)/2 }

func (f *normals) parameters() (out []infer.Parameter) {
	for j, name := range f.names {
		out = append(out, infer.Parameter{Name: name, Kind: infer.Intercept, Term: name},
			infer.Parameter{Name: "sigma_" + name, Kind: infer.Dispersion, Term: name})
		for _, other := range f.names[:j] {
			out = append(out, infer.Parameter{Name: "cor_" + other + "_" + name, Kind: infer.Dispersion, Term: name,
				Term2: other})
		}
	}
	return out
}

// correlation reports whether a parameter is one.
func correlation(p infer.Parameter) bool { return p.Kind == infer.Dispersion && p.Term2 != "" }

func (f *normals) size() int { d := len(f.y); return 1 + d + d*(d+1)/2 }

// factor returns the numbers of the posterior given rows: the factor of Ψ, and writes the means less those of the prior
// to shift.
func (f *normals) factor(s statistics, shift []float64) (lower []float64, rows float64) {
	d := len(f.y)
	rows = f.rows + s[0]
	for j := range shift {
		shift[j] = s[1+j] / rows
	}
	if s[0] > 0 {
		return s[1+d:], rows
	}
	lower = make([]float64, d*(d+1)/2)
	for j, root := range f.roots {
		lower[j*(j+1)/2+j] = root
	}
	return lower, rows
}

func (f *normals) add(s statistics, i int, sign float64) {
	d := len(f.y)
	var space [maxCorrelated]float64
	shift := space[:d]
	lower, rows := f.factor(s, shift)
	if s[0] == 0 {
		copy(s[1+d:], lower)
	}
	w := math.Sqrt(rows / (rows + sign))
	for j := range shift {
		r := f.y[j][i] - f.mean[j]
		shift[j] = float64(w * (r - shift[j]))
		s[1+j] = math.FMA(sign, r, s[1+j])
	}
	f.update(s[1+d:], shift, sign)
	if s[0] += sign; s[0] == 0 {
		clear(s)
	}
}

// update makes lower the factor of L·Lᵀ ± x·xᵀ, and uses x up. No pivot falls below that of the prior, whose matrix is
// never more than the other. Cost: O(D²).
//
// Source: Golub and Van Loan (2013), Matrix Computations, section 6.5.4.
func (f *normals) update(lower, x []float64, sign float64) {
	for k := range x {
		at := k*(k+1)/2 + k
		old := lower[at]
		square := float64(f.roots[k] * f.roots[k])
		pivot := math.Sqrt(max(square, math.FMA(sign*x[k], x[k], float64(old*old))))
		c, s := pivot/old, x[k]/old
		lower[at] = pivot
		for i := k + 1; i < len(x); i++ {
			l := &lower[i*(i+1)/2+k]
			*l = math.FMA(sign*s, x[i], *l) / c
			x[i] = math.FMA(c, x[i], -float64(s**l))
		}
	}
}

// solved overwrites x with L⁻¹x, and returns its square and log |L|.
func solved(lower, x []float64) (square, logDet float64) {
	for j := range x {
		row := lower[j*(j+1)/2:]
		for i := range j {
			x[j] = math.FMA(-row[i], x[i], x[j])
		}
		x[j] /= row[j]
		square = math.FMA(x[j], x[j], square)
		logDet += vec.Log(row[j])
	}
	return square, logDet
}

// predictive is the multivariate Student t with df − D + 1 degrees of freedom.
func (f *normals) predictive(s statistics, i int) float64 {
	var space [maxCorrelated]float64
	x := space[:len(f.y)]
	lower, rows := f.factor(s, x)
	for j := range x {
		x[j] = f.y[j][i] - f.mean[j] - x[j]
	}
	square, logDet := solved(lower, x)
	d, df := float64(len(x)), f.df+s[0]
	return vec.LogGamma(0.5*(df+1)) - vec.LogGamma(0.5*(df+1-d)) - float64(0.5*d*vec.Log(math.Pi*(rows+1)/rows)) -
		logDet - float64(0.5*(df+1)*vec.Log1p(square*rows/(rows+1)))
}

// draw draws Σ by Bartlett's decomposition, then mu.
func (f *normals) draw(from variate.Source, s statistics, theta []float64) {
	d := len(f.y)
	shift := make([]float64, d)
	lower, rows := f.factor(s, shift)
	a, b, z := make([]float64, len(lower)), make([]float64, d*d), make([]float64, d)
	for i := range d {
		for j := range i {
			a[i*(i+1)/2+j] = variate.Normal(from)
		}
		a[i*(i+1)/2+i] = math.Sqrt(2 * variate.Gamma(from, 0.5*(f.df+s[0]-float64(i))))
		z[i] = variate.Normal(from) / math.Sqrt(rows)
	}
	for r := range d { // Σ = B·Bᵀ with B·Aᵀ = L
		for i := range d {
			x := 0.0
			if i <= r {
				x = lower[r*(r+1)/2+i]
			}
			for j := range i {
				x = math.FMA(-b[r*d+j], a[i*(i+1)/2+j], x)
			}
			b[r*d+i] = x / a[i*(i+1)/2+i]
		}
	}
	product := func(x, y []float64) (sum float64) {
		for i := range x {
			sum = math.FMA(x[i], y[i], sum)
		}
		return sum
	}
	for j := range d {
		own := b[j*d : (j+1)*d]
		at := first(j)
		theta[at], theta[at+1] = f.mean[j]+shift[j]+product(own, z), math.Sqrt(product(own, own))
		for i := range j {
			theta[at+2+i] = product(own, b[i*d:(i+1)*d]) / theta[at+1] / theta[first(i)+1]
		}
	}
}

// scale returns the Cholesky factor of the covariance matrix of some columns, in increasing order, by rows; nil if the
// matrix is not positive definite.
func (f *normals) scale(theta []float64, columns []int) []float64 {
	out := make([]float64, 0, len(columns)*(len(columns)+1)/2)
	for a, j := range columns {
		sd := theta[first(j)+1]
		row := make([]float64, a+1)
		rest := 1.0
		for b, i := range columns[:a] {
			x := theta[first(j)+2+i]
			other := out[b*(b+1)/2:]
			own := theta[first(i)+1]
			for k := range b {
				x = math.FMA(-row[k], other[k]/own, x)
			}
			row[b] = x / (other[b] / own)
			rest = math.FMA(-row[b], row[b], rest)
		}
		if !(rest > 0) {
			return nil
		}
		row[a] = math.Sqrt(rest)
		for b := range row {
			row[b] = float64(row[b] * sd)
		}
		out = append(out, row...)
	}
	return out
}

// all are the columns.
func (f *normals) all() (out []int) {
	for j := range f.y {
		out = append(out, j)
	}
	return out
}

// logPrior is the density of mu, sigma and correlations.
func (f *normals) logPrior(theta []float64) float64 {
	lower := f.scale(theta, f.all())
	if lower == nil {
		return math.Inf(-1)
	}
	d := len(f.y)
	size := float64(d)
	x := make([]float64, d)
	for j := range x {
		x[j] = theta[first(j)] - f.mean[j]
	}
	square, logDet := solved(lower, x)
	sum := float64(0.5*size*vec.Log(f.rows)) - logDet - float64(size*halfLog2Pi) - float64(0.5*f.rows*square)
	trace := 0.0
	for j, root := range f.roots {
		clear(x)
		x[j] = root
		own, _ := solved(lower, x)
		trace += own
		sum += float64(f.df*vec.Log(root)) - vec.LogGamma(0.5*(f.df-float64(j))) + math.Ln2 +
			float64(size*vec.Log(theta[first(j)+1]))
	}
	return sum - float64(0.5*f.df*size*math.Ln2) - float64(0.25*size*(size-1)*vec.Log(math.Pi)) -
		float64((f.df+size+1)*logDet) - float64(0.5*trace)
}

// logLik integrates the missing columns of a row out.
func (f *normals) logLik(theta, dst, _ []float64) {
	all := f.all()
	whole := f.scale(theta, all)
	x, seen := make([]float64, 0, len(all)), make([]int, 0, len(all))
	for i := range dst {
		x, seen = x[:0], seen[:0]
		for j, of := range f.y {
			if !math.IsNaN(of[i]) {
				x, seen = append(x, of[i]-theta[first(j)]), append(seen, j)
			}
		}
		lower := whole
		if len(x) < len(all) {
			lower = f.scale(theta, seen)
		}
		if dst[i] = math.Inf(-1); lower != nil {
			square, logDet := solved(lower, x)
			dst[i] = -logDet - math.FMA(0.5, square, float64(float64(len(x))*halfLog2Pi))
		}
	}
}

// far is the mean over the columns.
func (f *normals) far(i, j int) (sum float64) {
	for _, ranks := range f.ranks {
		d := ranks[i] - ranks[j]
		sum += float64(max(d, -d)) / float64(len(ranks))
	}
	return sum / float64(len(f.ranks))
}

func (f *normals) simulate(from variate.Source, theta [][]float64) (family, error) {
	out := *f
	out.y, out.ranks = make([][]float64, len(f.y)), make([][]int, len(f.y))
	for j := range out.y {
		out.y[j] = slices.Clone(f.y[j])
	}
	z := make([]float64, len(f.y))
	for i, of := range theta {
		lower := f.scale(of, f.all())
		for j := range z {
			z[j] = variate.Normal(from)
		}
		for j := range z {
			y := of[first(j)]
			for k := range j + 1 {
				y = math.FMA(lower[j*(j+1)/2+k], z[k], y)
			}
			if !(math.Abs(y) <= maxResponse) {
				return nil, fmt.Errorf("a simulated response of %q is too large", f.names[j])
			}
			if !math.IsNaN(f.y[j][i]) {
				out.y[j][i] = y
			}
		}
	}
	for j, y := range out.y {
		out.ranks[j] = ranksOf(len(y), func(i int) float64 { return y[i] })
	}
	return &out, nil
}

// realOf lists the parameters of a component that are dispersions of either sign.
func realOf(of []infer.Parameter) (out []int) {
	for j, p := range of {
		if correlation(p) {
			out = append(out, j)
		}
	}
	return out
}
