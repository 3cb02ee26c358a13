package glm

import (
	"math"
	"math/rand/v2"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// thinned returns the data with two of three entries of every other column but the
// intercept set to 0, dense and sparse.
func thinned(d *Data) (dense, sparse *Data) {
	x, s := design.NewDense(d.Rows(), d.Cols()), design.NewSparse(d.Rows(), d.Cols(), 0)
	for j := range d.Cols() {
		copy(x.Col(j), d.X.Col(j))
		for i := range x.Rows {
			if j%2 == 1 && i%3 > 0 {
				x.Col(j)[i] = 0
			}
		}
		s.AppendDense(x.Col(j))
	}
	a, b := *d, *d
	a.X, b.X = x, s
	return &a, &b
}

// eachSparse calls check with a target of every family on a design with zeros,
// dense and sparse, rows counted or not.
func eachSparse(t *testing.T, check func(t *testing.T, dense, sparse *Target, theta []float64)) {
	calls := 0
	eachCounted(t, func(t *testing.T, target *Target, theta []float64) {
		calls++
		if data, point := (calls-1)/4, (calls-1)%4; point != data%2 { // another point of the same data
			return
		}
		a, b := thinned(target.data)
		dense, err := NewTarget(a, target.model)
		if err != nil {
			t.Skip(err) // the zeros moved eta out of the link's domain, or the posterior is improper
		}
		sparse, err := NewTarget(b, target.model)
		must(t, err)
		if target.model.Family.PositiveEta() {
			copy(theta, dense.Penalised())
			dense.Constrain(theta, theta)
		}
		check(t, dense.Vectorised(), sparse.Vectorised(), theta)
	})
}

// sameWalk is one point on the same design, dense and sparse.
type sameWalk struct {
	*testing.T
	dense, sparse *Curved
}

func (p sameWalk) agree(what string, x, y, tol float64) {
	p.Helper()
	if !near(x, y, tol) {
		p.Fatalf("%s: dense %v, sparse %v", what, x, y)
	}
}

// here compares what is known of the point itself.
func (p sameWalk) here() {
	p.Helper()
	p.agree("log likelihood", p.dense.Value().LogLik, p.sparse.Value().LogLik, 1e-12)
	for i, e := range p.dense.Eta() {
		p.agree("eta", e, p.sparse.Eta()[i], 1e-13)
	}
	t := p.dense.t
	one, two, rows := make([]float64, t.Dim()), make([]float64, t.Dim()), make([]float64, t.Rows())
	p.dense.Gradient(one, rows)
	p.sparse.Gradient(two, rows)
	for j := range one {
		p.agree("gradient", one[j], two[j], 1e-11)
	}
}

// slide moves both along coordinate j by way of the log likelihood alone.
func (p sameWalk) slide(j int, delta float64) {
	v, w := p.dense.Along(j, delta), p.sparse.Along(j, delta)
	p.agree("along", v.LogLik, w.LogLik, 1e-12)
	p.agree("without a cache", v.LogLik, p.sparse.AlongUncached(j, delta).LogLik, 1e-11)
	if !math.IsInf(v.LogLik, -1) {
		p.dense.Move(j, delta, v)
		p.sparse.Move(j, delta, w)
	}
}

// jump moves both by way of slopes and curvatures.
func (p sameWalk) jump(j int, delta float64) {
	same := func(v, w Curve) {
		p.Helper()
		p.agree("curve", v.LogLik, w.LogLik, 1e-12)
		p.agree("slope", v.Slope, w.Slope, 1e-10)
		p.agree("curvature", v.Curvature, w.Curvature, 1e-10)
	}
	same(p.dense.Here(j), p.sparse.Here(j))
	if math.IsInf(p.dense.Along(j, delta).LogLik, -1) {
		return
	}
	v, w := p.dense.AlongCurve(j, delta), p.sparse.AlongCurve(j, delta)
	same(v, w)
	p.dense.Jump(j, delta, v.Value)
	p.sparse.Jump(j, delta, w.Value)
}

// disperse moves the dispersions of both.
func (p sameWalk) disperse(delta float64) {
	for i := range p.dense.t.free {
		u := p.dense.LogDispersion(i) + delta
		v, w := p.dense.AlongDispersion(i, u), p.sparse.AlongDispersion(i, u)
		p.agree("along a dispersion", v.LogLik, w.LogLik, 1e-12)
		p.dense.MoveDispersion(i, u, v)
		p.sparse.MoveDispersion(i, u, w)
	}
}

// Every number that a sampler asks for is that of the dense design up to
// rounding, at a point and after a long walk, between whose moves the sparse
// log likelihood is a sum of differences.
func TestSparseAgreesWithDense(t *testing.T) {
	eachSparse(t, func(t *testing.T, dense, sparse *Target, theta []float64) {
		p := sameWalk{t, NewCurved(NewPoint(dense)), NewCurved(NewPoint(sparse))}
		for _, c := range []*Curved{p.dense, p.sparse} {
			c.SetTheta(theta)
		}
		p.here()
		r := rand.New(rand.NewPCG(5, 8))
		for step := range 80 {
			j, delta := r.IntN(dense.Cols()), 0.02*r.NormFloat64()
			switch step % 3 {
			case 0:
				p.slide(j, delta)
			case 1:
				p.jump(j, delta)
			default:
				p.disperse(delta / 2)
				p.jump(j, delta)
			}
		}
		p.here()
		p.sparse.Settle()
		p.here()
	})
}

// All that is computed from a target before a chain begins is the same too: the penalised point, the scales, the
// starts, the default priors.
func TestSparseTargetAgreesWithDense(t *testing.T) {
	eachSparse(t, func(t *testing.T, dense, sparse *Target, _ []float64) {
		agree := func(what string, a, b []float64, tol float64) {
			t.Helper()
			for j := range a {
				if !near(a[j], b[j], tol) {
					t.Errorf("%s %d: dense %v, sparse %v", what, j, a[j], b[j])
				}
			}
		}
		agree("penalised", dense.Penalised(), sparse.Penalised(), 1e-6)
		a, _ := dense.Start(infer.Chain{Count: 2, Stream: infer.NewStream(4)})
		b, _ := sparse.Start(infer.Chain{Count: 2, Stream: infer.NewStream(4)})
		agree("start", a, b, 1e-5)
		for j := range dense.Cols() {
			agree("scale", []float64{dense.ConditionalScale(j), dense.LikelihoodScale(j)}, []float64{sparse.ConditionalScale(j), sparse.LikelihoodScale(j)}, 1e-6)
		}
		one, two := Defaults(dense.model.Family, dense.data), Defaults(dense.model.Family, sparse.data)
		for j, p := range one.Coefficients {
			if p != two.Coefficients[j] {
				t.Errorf("default prior of column %d: dense %v, sparse %v", j, p, two.Coefficients[j])
			}
		}
	})
}

// A poisson sum of e^700 hides all of the remainder after a move down: the sum is then recomputed.
func TestSparseSumSurvivesAFall(t *testing.T) {
	x := design.NewSparse(60, 1, 2)
	x.Append([]int32{3, 5}, []float64{1, 1})
	data := &Data{X: x, Intercept: -1, Y: make([]float64, 60)}
	target, err := NewTarget(data, Model{Family: Family{Name: "poisson", Link: "log"}, Coefficients: []prior.Prior{{Kind: prior.Normal, Scale: 1000}}})
	must(t, err)
	p := NewPoint(target)
	p.SetTheta([]float64{700})
	v := p.Along(0, -700)
	p.Move(0, -700, v)
	if got := p.Value().LogLik; got != -60 {
		t.Errorf("log likelihood %v, want -60", got)
	}
	if got, want := p.Along(0, 1).LogLik, -58-2*math.E; !near(got, want, 1e-14) {
		t.Errorf("log likelihood %v beside it, want %v", got, want)
	}
}

// A sparse design of fewer rows than columns has a penalised point although a column,
// the intercept's, has no zeros.
func TestFewSparseRowsWithAnIntercept(t *testing.T) {
	const n, d = 4, 9
	x := design.NewSparse(n, d, n*d)
	x.AppendDense([]float64{1, 1, 1, 1})
	for j := 1; j < d; j++ {
		x.Append([]int32{int32(j % n)}, []float64{float64(j)})
	}
	model := Model{Family: Family{Name: "bernoulli", Link: "logit"}, Coefficients: make([]prior.Prior, d)}
	for j := range model.Coefficients {
		model.Coefficients[j] = prior.Prior{Kind: prior.Normal, Scale: 2}
	}
	var points [2][]float64
	for i, x := range []design.Matrix{x, design.ToDense(x)} {
		target, err := NewTarget(&Data{X: x, Y: []float64{1, 0, 0, 1}, Intercept: 0}, model)
		must(t, err)
		points[i] = target.Penalised()
	}
	for j, want := range points[1] {
		if !(math.Abs(points[0][j]-want) <= 1e-9) {
			t.Errorf("coefficient %d is %v, dense %v", j, points[0][j], want)
		}
	}
}
