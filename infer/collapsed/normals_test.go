package collapsed

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/mixture"
)

func lgamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

// logGammas is the log of the multivariate gamma function.
func logGammas(d int, a float64) float64 {
	sum := float64(d*(d-1)) / 4 * math.Log(math.Pi)
	for j := range d {
		sum += lgamma(a - float64(j)/2)
	}
	return sum
}

// marginal is the log density of the rows with these statistics, by the textbook.
func (f *normals) marginal(s statistics) float64 {
	d := len(f.y)
	lower, _ := f.factor(s, make([]float64, d))
	df, det, prior := f.df+s[0], 0.0, 0.0
	for j, root := range f.roots {
		det += 2 * math.Log(lower[j*(j+1)/2+j])
		prior += 2 * math.Log(root)
	}
	return logGammas(d, df/2) - logGammas(d, f.df/2) + f.df/2*prior - df/2*det +
		float64(d)/2*(math.Log(f.rows/(f.rows+s[0]))-s[0]*math.Log(math.Pi))
}

// bivariate is a normal-inverse-Wishart distribution of two columns.
type bivariate struct {
	mean       [2]float64
	rows, df   float64
	aa, ab, bb float64 // Ψ
}

// logDensity is that of the means, sds and the correlation.
func (p *bivariate) logDensity(theta []float64) float64 {
	a, b, r := theta[1], theta[3], theta[4]
	saa, sbb, sab := a*a, b*b, r*a*b
	det := saa*sbb - sab*sab
	inverse := func(x, y, z, w float64) float64 { return (sbb*x*z - sab*(x*w+y*z) + saa*y*w) / det }
	trace := (sbb*p.aa - 2*sab*p.ab + saa*p.bb) / det
	wishart := p.df/2*math.Log(p.aa*p.bb-p.ab*p.ab) - p.df*math.Ln2 - logGammas(2, p.df/2) - (p.df+3)/2*math.Log(det) - trace/2
	x, y := theta[0]-p.mean[0], theta[2]-p.mean[1]
	normal := math.Log(p.rows) - math.Log(2*math.Pi) - math.Log(det)/2 - p.rows/2*inverse(x, y, x, y)
	return wishart + normal + math.Log(4*a*a*b*b) // of sds and the correlation, not of covariances
}

// given is the posterior given rows, by their moments.
func (p bivariate) given(a, b []float64) bivariate {
	n := float64(len(a))
	ma, mb := 0.0, 0.0
	for i := range a {
		ma, mb = ma+a[i]/n, mb+b[i]/n
	}
	for i := range a {
		p.aa += (a[i] - ma) * (a[i] - ma)
		p.ab += (a[i] - ma) * (b[i] - mb)
		p.bb += (b[i] - mb) * (b[i] - mb)
	}
	w := p.rows * n / (p.rows + n)
	da, db := ma-p.mean[0], mb-p.mean[1]
	p.aa, p.ab, p.bb = p.aa+w*da*da, p.ab+w*da*db, p.bb+w*db*db
	p.mean[0] += da * n / (p.rows + n)
	p.mean[1] += db * n / (p.rows + n)
	p.rows, p.df = p.rows+n, p.df+n
	return p
}

// priorOfTwo is the prior of two columns.
func (f *normals) priorOfTwo() bivariate {
	return bivariate{mean: [2]float64{f.mean[0], f.mean[1]}, rows: f.rows, df: f.df, aa: f.roots[0] * f.roots[0],
		bb: f.roots[1] * f.roots[1]}
}

// byBayes is the log of likelihood times prior, less the log posterior density by the textbook, at any parameters.
func (f *normals) byBayes(n int, seen func(int) bool) float64 {
	theta := []float64{0.7, 1.9, 1.2, 1.4, -0.35}
	rows := make([]float64, n)
	f.logLik(theta, rows, nil)
	sum := f.logPrior(theta)
	var a, b []float64
	for i, l := range rows {
		if seen(i) {
			sum += l
			a, b = append(a, f.y[0][i]), append(b, f.y[1][i])
		}
	}
	after := f.priorOfTwo().given(a, b)
	return sum - after.logDensity(theta)
}

// correlated is the family of the example.
func correlated(t *testing.T) *normals {
	t.Helper()
	e := examples[len(examples)-1]
	return e.setup(t, Options{Options: mixture.Options{Components: 2}}).family.(*product).parts[0].family.(*normals)
}

// The prior density is that of the textbook, and of one column that of gaussian.
func TestNormalsPrior(t *testing.T) {
	f := correlated(t)
	p := f.priorOfTwo()
	for _, theta := range [][]float64{{1, 1, 0, 1, 0}, {0.7, 1.9, 1.2, 1.4, -0.35}, {-3, 0.2, 4, 8, 0.95}} {
		if got, want := f.logPrior(theta), p.logDensity(theta); !(math.Abs(got-want) <= 1e-10*math.Abs(want)) {
			t.Errorf("log prior %v at %v, want %v", got, theta, want)
		}
	}
	if got := f.logPrior([]float64{0, 1, 0, 1, 1}); !math.IsInf(got, -1) {
		t.Errorf("log prior %v at a correlation of 1", got)
	}
}

// byMoments is Ψ given some of the rows, by the textbook.
func (f *normals) byMoments(in []bool) [][]float64 {
	d := len(f.y)
	psi, sums, count := make([][]float64, d), make([]float64, d), 0.0
	for a := range psi {
		psi[a] = make([]float64, d)
		psi[a][a] = f.roots[a] * f.roots[a]
	}
	for i, there := range in {
		if !there {
			continue
		}
		count++
		for a := range d {
			sums[a] += f.y[a][i] - f.mean[a]
			for b := range d {
				psi[a][b] += (f.y[a][i] - f.mean[a]) * (f.y[b][i] - f.mean[b])
			}
		}
	}
	for a := range d {
		for b := range d {
			psi[a][b] -= sums[a] * sums[b] / (f.rows + count)
		}
	}
	return psi
}

// Rows that come and go leave the factor that their moments give.
func TestFactorFollowsRows(t *testing.T) {
	const n, d = 40, 4
	r := rand.New(rand.NewPCG(7, 7))
	f := &normals{rows: 0.3, df: 7}
	for j := range d {
		y := make([]float64, n)
		for i := range y {
			y[i] = r.NormFloat64()*float64(1+j) + 100*float64(i%2)
		}
		f.y, f.mean, f.roots, f.names = append(f.y, y), append(f.mean, float64(j)), append(f.roots, 0.5+float64(j)), append(f.names, "")
	}
	s, in := make(statistics, f.size()), make([]bool, n)
	for step := range 2000 {
		i := r.IntN(n)
		if step > 1960 { // until all have gone
			i = step - 1961
			if i >= n || !in[i] {
				continue
			}
		}
		sign := 1.0
		if in[i] {
			sign = -1
		}
		in[i] = !in[i]
		f.add(s, i, sign)
		if step%97 != 0 {
			continue
		}
		want := f.byMoments(in)
		lower, _ := f.factor(s, make([]float64, d))
		for a := range d {
			for b := range a + 1 {
				got := 0.0
				for k := range b + 1 {
					got += lower[a*(a+1)/2+k] * lower[b*(b+1)/2+k]
				}
				if !(math.Abs(got-want[a][b]) <= 1e-8*max(1, want[a][a]+want[b][b])) {
					t.Fatalf("step %d: Ψ of %d and %d is %v, want %v", step, a, b, got, want[a][b])
				}
			}
		}
	}
	for _, x := range s {
		if x != 0 {
			t.Fatalf("without rows the statistics are %v", s)
		}
	}
}

// The log density of a row that lacks a column is that of the others.
func TestNormalsIntegrateOut(t *testing.T) {
	f := correlated(t)
	own := *f
	own.y = [][]float64{{1.5, nan, 1.5}, {nan, 2.5, 2.5}}
	theta, got := []float64{0.7, 1.9, 1.2, 1.4, -0.35}, make([]float64, 3)
	own.logLik(theta, got, nil)
	log := func(x, mean, sd float64) float64 {
		z := (x - mean) / sd
		return -z*z/2 - math.Log(sd) - math.Log(2*math.Pi)/2
	}
	given := 1.2 - 0.35*1.4/1.9*(1.5-0.7)
	want := []float64{log(1.5, 0.7, 1.9), log(2.5, 1.2, 1.4), log(1.5, 0.7, 1.9) + log(2.5, given, 1.4*math.Sqrt(1-0.35*0.35))}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= 1e-12) {
			t.Errorf("row %d: %v, want %v", i+1, got[i], w)
		}
	}
}

// Draws of three columns without rows have the moments of the prior: of a variance Ψ_jj/(df − D − 1), and of a
// correlation 0. False alarms: 6 standard errors of 100,000 draws, below 1e-7.
func TestNormalsDraw(t *testing.T) {
	f := &normals{mean: []float64{1, 2, 3}, roots: []float64{1, 2, 0.5}, y: make([][]float64, 3), rows: 0.5, df: 12}
	stream, theta, none := infer.NewStream(4, "normals"), make([]float64, 9), make(statistics, f.size())
	const draws = 100_000
	var sums, squares [9]float64
	for range draws {
		f.draw(stream, none, theta)
		for j := range 3 {
			theta[first(j)+1] *= theta[first(j)+1]
		}
		for k, x := range theta {
			sums[k] += x
			squares[k] += x * x
		}
	}
	want := make([]float64, 9)
	for j := range 3 {
		want[first(j)], want[first(j)+1] = f.mean[j], f.roots[j]*f.roots[j]/(12-3-1)
	}
	for k, w := range want {
		mean := sums[k] / draws
		if se := math.Sqrt((squares[k]/draws - mean*mean) / draws); !(math.Abs(mean-w) <= 6*se) {
			t.Errorf("number %d has the mean %v ± %v, want %v", k, mean, se, w)
		}
	}
}

func TestCorrelatedRefusals(t *testing.T) {
	column := func(name string, y []float64, numbers ...float64) Column {
		return Column{Name: name, Family: normal, Correlated: true, Y: y, Prior: priorOf("normal_inverse_gamma", numbers...)}
	}
	y := []float64{1, 2, 3}
	counted := column("b", y, 0, 1, 2, 3)
	counted.Family, counted.Prior = counts, priorOf("gamma", 1, 1)
	for want, columns := range map[string][]Column{
		"1 correlated columns":   {column("a", y, 0, 1, 2, 3)},
		"must be equal":          {column("a", y, 0, 1, 2, 3), column("b", y, 0, 1, 2.5, 3)},
		"is correlated, and not": {column("a", y, 0, 1, 2, 3), counted},
		`row 2 lacks "b"`:        {column("a", y, 0, 1, 2, 3), column("b", []float64{1, nan, 2}, 0, 1, 2, 3)},
	} {
		_, err := NewClasses(columns, Options{Options: mixture.Options{Components: 2}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
