package cggibbs

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// sparseWide is a wide case with zeros in every other place of its columns, its last
// row the one before it once more, and its first nearly the second.
func sparseWide(c infertest.Case) infertest.Case {
	c = wide(c, 6, 9)
	c.Name += "/sparse"
	x := design.NewSparse(6, 9, 54)
	for j := range 9 {
		col := append([]float64(nil), c.Data.X.Col(j)...)
		for i := j % 2; j > 0 && i < 5; i += 2 {
			col[i] = 0
		}
		col[5] = col[4]
		col[0] = math.FMA(1e-5, col[0], col[1])
		x.AppendDense(col)
	}
	c.Data.X = x
	return c
}

// sparseBasisCases are wide and sparse, with normal priors alone and with another.
func sparseBasisCases() []infertest.Case {
	var out []infertest.Case
	for _, c := range infertest.Cases()[1:] {
		out = append(out, sparseWide(c), mixed(sparseWide(c)))
	}
	return out
}

// densely is a case with the zeros of its design.
func densely(c infertest.Case) infertest.Case {
	c.Data.X = design.ToDense(c.Data.X)
	return c
}

// The likelihood depends on as many directions of a sparse design as of the same with its zeros, and on the same
// ones: the rest of a draw when z is 0 is equal.
func TestSparseReductionIsTheDenseOne(t *testing.T) {
	for _, c := range sparseBasisCases() {
		sparse, dense := simulated(t, c), simulated(t, densely(c))
		a, err := reduce(sparse)
		must(t, err)
		b, err := reduce(dense)
		must(t, err)
		if a.space.Rank != b.space.Rank || a.space.Rank != 5 || a.space.Own != 1 || b.sparse != nil {
			t.Errorf("%s: rank %d with %d of rows' own, dense %d; want 5 with 1", c.Name, a.space.Rank, a.space.Own, b.space.Rank)
		}
		var x, y [9]float64
		one, other := newHidden(a), newHidden(b)
		for line := range int64(10) {
			one.arrive(7, line, make([]float64, a.space.Rank))
			other.arrive(7, line, make([]float64, b.space.Rank))
			one.position(x[:])
			other.position(y[:])
			for j := range x {
				if !(math.Abs(x[j]-y[j]) <= 1e-9) {
					t.Fatalf("%s: coefficient %d is %v, dense %v", c.Name, j, x[j], y[j])
				}
			}
			if r, s := one.residual(), other.residual(); !(math.Abs(r-s) <= 1e-9*(1+s)) {
				t.Errorf("%s: %v of ε is not seen, dense %v", c.Name, r, s)
			}
		}
	}
}

var sparseReducedVariants = []Options{
	{Basis: "reduced", RefreshEvery: 7}, {Basis: "reduced", Update: "doubling", Width: 0.2}, {Basis: "reduced", Update: "matched", Scan: "random"},
}

func TestSparseReducedConformance(t *testing.T) {
	for i, c := range sparseBasisCases() {
		o := sparseReducedVariants[i%len(sparseReducedVariants)]
		if _, err := o.update(&c.Model); err != nil {
			continue // not log-concave
		}
		t.Run(c.Name+"/"+o.Update, func(t *testing.T) { infertest.Conformance(t, simulated(t, c), sampler(o)) })
	}
}

// The cached predictor is offset + X·theta, and rows expand to the bits of Position in
// any block of columns, those behind the directions of rows' own included.
func TestSparseReducedExpands(t *testing.T) {
	for _, c := range sparseBasisCases() {
		target := simulated(t, c)
		k, s := based(t, target, Options{Basis: "reduced", RefreshEvery: -1})
		expands(t, c.Name, s.(infer.Compact), s.(*reducedSetup))
		theta := make([]float64, target.Dim())
		for i := range 25 {
			step(t, k)
			k.Position(theta)
			eta := append([]float64(nil), target.Data().Offset...)
			for j := range target.Cols() {
				target.Data().X.Column(j).AddTo(eta, theta[j])
			}
			for r, got := range k.point.Eta() {
				if !(math.Abs(got-eta[r]) <= 1e-9*(1+math.Abs(eta[r]))) {
					t.Fatalf("%s, iteration %d, row %d: cached %v, product %v", c.Name, i, r, got, eta[r])
				}
			}
		}
	}
}

// False alarms: at most 1e-6 for each check. Power: a distance of 0.19 between distributions with 460 pairs, of
// 0.029 in full. The quick form takes one pair of case and variant in eight.
func TestSparseReducedInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range sparseBasisCases() {
		for k, o := range sparseReducedVariants {
			if !infertest.Full() && (i+k)%8 != 0 {
				continue
			}
			if _, err := o.update(&c.Model); err != nil {
				continue // not log-concave
			}
			t.Run(c.Name+"/"+o.Update, func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(o), Seed: seed, Steps: 2, Pairs: infertest.Scale(460, 20_000)})
			})
		}
	}
}

// Possible faults of the sparse way must be rejected: rows of V of another scale, a direction of a row's own whose
// length is not 1, and the design of a draw without some of its entries.
func TestSparseReducedCatches(t *testing.T) {
	for name, plant := range map[string]func(p *reduction){
		"scale of V": func(p *reduction) {
			for c := range p.scale {
				p.scale[c] *= 1.6
			}
		},
		"length of a direction of its own": func(p *reduction) {
			for j := range p.space.OwnRows {
				p.space.OwnRows[j] *= 2
			}
		},
		"entries": func(p *reduction) {
			x := design.NewSparse(p.target.Rows(), p.target.Cols(), 0)
			for j := range p.target.Cols() {
				col := p.sparse.Col(j)
				if j == 0 {
					clear(col[2:])
				}
				x.AppendDense(col)
			}
			p.sparse = x
		},
	} {
		t.Run(name, func(t *testing.T) {
			faulty := func(target *glm.Target) (infer.Setup, error) {
				s, err := New(target, Options{Basis: "reduced"})
				if err == nil {
					plant(s.(*reducedSetup).reduction)
				}
				return s, err
			}
			infertest.MustReject(t, func(tb infertest.TB) {
				infertest.Invariance(tb, infertest.Check{Case: sparseWide(infertest.Poisson(8)), Sampler: faulty, Seed: 1, Steps: 5, Pairs: infertest.Scale(1000, 20_000)})
			})
		})
	}
}

// A sparse design with too many rows for their products is left in the coordinate
// basis, and the set-up says why.
func TestSparseReducedRefuses(t *testing.T) {
	x := design.NewSparse(basis.RotateLimit+1, 2, 4)
	x.Append([]int32{0, 3}, []float64{1, 2})
	x.Append([]int32{1, 2}, []float64{1, 2})
	target, err := glm.NewTarget(&glm.Data{X: x, Y: make([]float64, basis.RotateLimit+1), Intercept: -1},
		glm.Model{Family: glm.Family{Name: "poisson", Link: "log"}, Coefficients: []prior.Prior{unitNormal, unitNormal}})
	must(t, err)
	s, err := New(target, Options{Basis: "reduced"})
	must(t, err)
	const want = "coordinate, for reduced cannot be made: a sparse design of 5001 rows, more than 5000: their products would not fit"
	if got := s.(infer.Explainer).Explain(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
