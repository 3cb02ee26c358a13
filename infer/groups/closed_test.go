package groups

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
)

// closedStudy has two responses of 12 rows: a with two coefficients and one effect of each of three levels, b with one
// coefficient and two effects.
func closedStudy() *Closed {
	s := infer.NewStream(7, "closed")
	const n = 12
	numbers := func(size int) []float64 {
		out := make([]float64, size)
		for i := range out {
			out[i] = variate.Normal(s)
		}
		return out
	}
	of := make([]int32, n)
	for i := range of {
		of[i] = int32(i * i % 3)
	}
	by := design.NewGrouping(of, 3)
	ofA, ofB := &design.Effects{Grouping: by, Terms: []string{"u"}, Columns: [][]float64{nil}},
		&design.Effects{Grouping: by, Terms: []string{"v", "w"}, Columns: [][]float64{nil, numbers(n)}}
	sd := prior.Prior{Kind: prior.HalfNormal, Scale: 1}
	return NewClosed([]ClosedResponse{
		{Y: numbers(n), X: &design.Dense{Rows: n, Cols: 2, Values: numbers(2 * n)}, Start: []float64{0.3, -1},
			Priors:  []prior.Prior{{Kind: prior.Normal, Location: 1, Scale: 2}, {Kind: prior.Normal, Scale: 0.5}},
			Effects: ofA, Scales: glm.EffectsPrior{SD: []prior.Prior{sd}, LKJ: 2}},
		{Y: numbers(n), X: &design.Dense{Rows: n, Cols: 1, Values: numbers(n)}, Start: []float64{0.1},
			Priors:  []prior.Prior{{Kind: prior.Normal, Location: -1, Scale: 1}},
			Effects: ofB, Scales: glm.EffectsPrior{SD: []prior.Prior{sd, sd}, LKJ: 2}},
	}, true, nil)
}

// wholeRows is the joint normal distribution of coefficients, effects by level, and responses.
type wholeRows struct {
	load, mean, cov []float64 // of responses on the others, and the mean and covariance of these
	y               []float64
	noise           []float64 // covariance of responses given the others
	d, n            int
}

func wholeOf(k *ClosedChain) *wholeRows {
	rows := len(k.responses[0].Y)
	d, n := len(k.col)+len(k.r), len(k.responses)*rows
	out := &wholeRows{load: make([]float64, n*d), mean: make([]float64, d), cov: make([]float64, d*d), noise: make([]float64, n*n),
		d: d, n: n}
	sigma := k.law.law.chol
	for a, r := range k.responses {
		out.y = append(out.y, r.Y...)
		for b := range a + 1 {
			for i := range rows {
				cov := sigma[a*2]*sigma[b*2] + sigma[a*2+1]*sigma[b*2+1]
				out.noise[(a*rows+i)*n+b*rows+i], out.noise[(b*rows+i)*n+a*rows+i] = cov, cov
			}
		}
		for j, law := range r.Priors {
			at := k.start[a] + j
			out.mean[at], out.cov[at*d+at] = law.Location, law.Scale*law.Scale
			for i := range rows {
				out.load[(a*rows+i)*d+at] = r.X.Col(j)[i]
			}
		}
		_, _, first, terms := k.at(a)
		for t := range terms {
			for i, l := range r.Effects.Grouping.Of() {
				z := 1.0
				if c := r.Effects.Columns[t]; c != nil {
					z = c[i]
				}
				out.load[(a*rows+i)*d+len(k.col)+int(l)*len(k.term)+first+t] = z
			}
		}
	}
	g := k.groups[0]
	for l := range k.levels {
		for i := range g.q {
			for j := range g.q {
				at := len(k.col) + l*g.q
				out.cov[(at+i)*d+at+j] = dot(g.chol[i*g.q:i*g.q+min(i, j)+1], g.chol[j*g.q:j*g.q+min(i, j)+1])
			}
		}
	}
	return out
}

// given returns the log density of the responses, and the means and variances of the others given them.
func (s *wholeRows) given(t *testing.T) (log float64, mean, variance []float64) {
	t.Helper()
	v, cross := append([]float64(nil), s.noise...), make([]float64, s.n*s.d)
	e := append([]float64(nil), s.y...)
	for i := range s.n {
		for a := range s.d {
			e[i] -= s.load[i*s.d+a] * s.mean[a]
			for b := range s.d {
				cross[i*s.d+a] += s.load[i*s.d+b] * s.cov[b*s.d+a]
			}
		}
	}
	for i := range s.n {
		for j := range s.n {
			for a := range s.d {
				v[i*s.n+j] += cross[i*s.d+a] * s.load[j*s.d+a]
			}
		}
	}
	root, err := linalg.Cholesky(v, s.n)
	if err != nil {
		t.Fatal(err)
	}
	root.SolveLower(e)
	for a := range s.d {
		column := make([]float64, s.n)
		for i := range column {
			column[i] = cross[i*s.d+a]
		}
		root.SolveLower(column)
		mean, variance = append(mean, s.mean[a]+dot(column, e)), append(variance, s.cov[a*s.d+a]-dot(column, column))
	}
	return -0.5 * (dot(e, e) + root.LogDet()), mean, variance
}

// The density with coefficients and effects integrated out, and the draws of these, are those of the normal
// distribution of all rows.
//
// False alarms: at most 1e-6, a normal quantile of 6 for each of 24 numbers. Power: a mean that is off by 0.05 sd, or a
// variance by 7 %.
func TestClosedIsExact(t *testing.T) {
	c := closedStudy()
	law := NewResiduals([]string{"a", "b"}, glm.EffectsPrior{LKJ: 1,
		SD: []prior.Prior{{Kind: prior.Exponential, Rate: 1}, {Kind: prior.Exponential, Rate: 1}}}, 12)
	k := c.Chain(law, infer.NewStream(8, "closed"), new(update.Looks))
	var own, want [2]float64
	for i, at := range [][2][]float64{{{0, 0}, {0.3, 0.4, 0.5}}, {{0.6, -0.7}, {-0.8, 0.2, 0.9}}} {
		copy(law.law.logSD, at[0])
		law.law.partial[0] = at[1][0]
		copy(k.groups[0].logSD, at[1])
		copy(k.groups[0].partial, at[1])
		law.law.settle()
		k.groups[0].settle()
		own[i] = k.logMarginal()
		want[i], _, _ = wholeOf(k).given(t)
	}
	if math.Abs((own[1]-own[0])-(want[1]-want[0])) > 1e-9 {
		t.Errorf("log densities %v differ by %v, want %v", own, own[1]-own[0], want[1]-want[0])
	}
	const draws = 20_000
	_, mean, variance := wholeOf(k).given(t)
	sum, squares := make([]float64, len(mean)), make([]float64, len(mean))
	for range draws {
		if !k.draw() {
			t.Fatal("no draw")
		}
		x := make([]float64, len(k.col))
		k.Coefficients(0, x)
		k.Coefficients(1, x[2:])
		for i, v := range append(x, k.r...) {
			e := (v - mean[i]) / math.Sqrt(variance[i])
			sum[i] += e / draws
			squares[i] += e * e / draws
		}
	}
	for i := range mean {
		if math.Abs(sum[i]) > 6/math.Sqrt(draws) || math.Abs(squares[i]-1) > 6*math.Sqrt(2.0/draws) {
			t.Errorf("number %d has the mean %.3f and the mean square %.3f in sds, want 0 and 1", i, sum[i], squares[i])
		}
	}
}
