package cggibbs

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
)

// withZeros makes every second entry of the columns but the first 0, and the
// design sparse; dense is the same with its zeros.
func withZeros(data *glm.Data) (sparse, dense *glm.Data) {
	n, d := data.Rows(), data.Cols()
	x, y := design.NewSparse(n, d, n*d), design.NewDense(n, d)
	for j := range d {
		copy(y.Col(j), data.X.Col(j))
		for i := j % 2; j > 0 && i < n; i += 2 {
			y.Col(j)[i] = 0
		}
		x.AppendDense(y.Col(j))
	}
	a, b := *data, *data
	a.X, b.X = x, y
	return &a, &b
}

var sparseUpdates = []Options{{}, {Update: "stepping_out"}, {Update: "tangent"}, {Update: "matched"}, {Update: "matched", RefreshEvery: -1, Scan: "random"}}

// sparseUpdate returns options that a family's model can be sampled with.
func sparseUpdate(o Options, t *glm.Target) Options {
	if !t.Model().Family.LogConcave() && (o.Update == "matched" || o.Update == "tangent") {
		o.Update = "stepping_out"
	}
	return o
}

// A chain on a sparse design makes the decisions of the chain on the dense one:
// from equal streams their points differ by rounding only, which 20 sweeps do not
// make more than 1e-8 of.
func TestSparseChainIsTheDenseChain(t *testing.T) {
	for _, f := range familyNames {
		for _, o := range sparseUpdates {
			t.Run(fmt.Sprintf("%s/%s%s", f, o.Update, o.Scan), func(t *testing.T) {
				target := posterior(t, f, 30, 6, unitNormal)
				o := sparseUpdate(o, target)
				sparse, dense := withZeros(target.Data())
				var kernels [2]infer.Kernel
				for i, data := range []*glm.Data{sparse, dense} {
					target, err := glm.NewTarget(data, *target.Model())
					must(t, err)
					setup, err := New(target, o)
					must(t, err)
					if kernels[i], err = setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3, f)}); err != nil {
						t.Fatal(err)
					}
				}
				a, b := make([]float64, target.Dim()), make([]float64, target.Dim())
				kernels[1].Position(b)
				must(t, kernels[0].(interface{ SetPosition([]float64) error }).SetPosition(b))
				for sweep := range 20 {
					one, err := kernels[0].Step()
					two, other := kernels[1].Step()
					if err != nil || other != nil {
						t.Fatal(err, other)
					}
					kernels[0].Position(a)
					kernels[1].Position(b)
					for j := range a {
						if !(math.Abs(a[j]-b[j]) <= 1e-8*(1+math.Abs(b[j]))) {
							t.Fatalf("sweep %d: coordinate %d is %v sparse and %v dense", sweep, j, a[j], b[j])
						}
					}
					if one.Evaluations != two.Evaluations || !(math.Abs(one.LogLik-two.LogLik) <= 1e-7*(1+math.Abs(two.LogLik))) {
						t.Fatalf("sweep %d: %v sparse and %v dense", sweep, one, two)
					}
					if !(one.Touched < two.Touched) {
						t.Errorf("sweep %d: %d entries read of a sparse design, %d of the dense one", sweep, one.Touched, two.Touched)
					}
				}
			})
		}
	}
}

func TestSparseConformance(t *testing.T) {
	for i, f := range familyNames {
		target := posterior(t, f, 13, 4, unitNormal)
		sparse, _ := withZeros(target.Data())
		target, err := glm.NewTarget(sparse, *target.Model())
		must(t, err)
		o := sparseUpdate(sparseUpdates[i%len(sparseUpdates)], target)
		t.Run(f, func(t *testing.T) { infertest.Conformance(t, target, sampler(o)) })
	}
}

// False alarms: at most 1e-6 for each of 8 checks (each update of each family in
// make stat). Power: see infertest.Invariance; the pairs are independent.
func TestSparseInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range infertest.Cases() {
		sparse, _ := withZeros(&c.Data)
		c.Data = *sparse
		for k, o := range sparseUpdates {
			if !infertest.Full() && (i+k)%2 == 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s%s", c.Name, o.Update, o.Scan), func(t *testing.T) {
				infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(o), Seed: seed, Pairs: infertest.Scale(1000, 20_000)})
			})
		}
	}
}

// A lost entry of a sparse column must be rejected by that check.
func TestSparseInvarianceCatches(t *testing.T) {
	c := infertest.Poisson(8)
	sparse, _ := withZeros(&c.Data)
	c.Data = *sparse
	faulty := infertest.Wrong(sampler(Options{Update: "matched"}), func(data *glm.Data, _ *glm.Model) {
		x := design.NewSparse(data.Rows(), data.Cols(), 0)
		for j := range data.Cols() {
			col := data.X.Col(j)
			if j == 2 {
				clear(col[2:])
			}
			x.AppendDense(col)
		}
		data.X = x
	})
	infertest.MustReject(t, func(tb infertest.TB) {
		infertest.Invariance(tb, infertest.Check{Case: c, Sampler: faulty, Seed: 1, Steps: 5, Pairs: 2000})
	})
}
