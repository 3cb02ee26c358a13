package cggibbs

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// basisVariants are the ways of a chain that differ between bases and updates.
var basisVariants = []struct {
	name string
	Options
}{
	{"rotated", Options{Basis: "rotated", RefreshEvery: 7}},
	{"rotated/doubling", Options{Basis: "rotated", Update: "doubling", RefreshEvery: -1}},
	{"rotated/stepping_out", Options{Basis: "rotated", Update: "stepping_out", Width: 0.3, MaxDoublings: 2, Scan: "random"}},
	{"reduced", Options{Basis: "reduced", RefreshEvery: 7}},
	{"reduced/doubling", Options{Basis: "reduced", Update: "doubling", Width: 0.2, MaxDoublings: 3}},
	{"reduced/matched", Options{Basis: "reduced", Update: "matched", Scan: "random"}},
	{"coordinate/stepping_out", Options{Update: "stepping_out"}},
	{"coordinate/tangent", Options{Update: "tangent"}},
	{"reduced/tangent", Options{Basis: "reduced", Update: "tangent", Width: 0.3, Scan: "random"}},
}

// mixed is a case with a flat-like wide, a student_t and a normal prior: F and G
// are both there.
func mixed(c infertest.Case) infertest.Case {
	c.Name += "/mixed"
	c.Model.Coefficients = append([]prior.Prior(nil), c.Model.Coefficients...)
	c.Model.Coefficients[0] = prior.Prior{Kind: prior.Laplace, Location: 0.2, Scale: 0.8}
	return c
}

// wide returns a case with more columns than rows: the columns of c and products
// of theirs.
func wide(c infertest.Case, n, d int) infertest.Case {
	c.Name += "/wide"
	x := design.NewDense(n, d)
	names := make([]string, d)
	for j := range d {
		names[j] = fmt.Sprintf("x%d", j)
		for i := range n {
			x.Col(j)[i] = math.Mod(float64(i+1)*math.Sqrt(float64(3*j+2)), 1)*2 - 1
			if j == 0 {
				x.Col(j)[i] = 1
			}
		}
	}
	scale := c.Model.Coefficients[0].Scale / math.Sqrt(float64(d)/3)
	c.Model.Coefficients = nil
	for j := range d {
		c.Model.Coefficients = append(c.Model.Coefficients, prior.Prior{Kind: prior.Normal, Location: 0.1 * scale, Scale: scale * (1 + 0.3*float64(j%3))})
	}
	c.Data.X, c.Data.Names = x, names
	c.Data.Offset = c.Data.Offset[:n]
	if c.Data.Trials != nil {
		c.Data.Trials = c.Data.Trials[:n]
	}
	return c
}

// basisCases are models of each closed family, square, wide and with other priors.
func basisCases() []infertest.Case {
	out := infertest.Cases()
	for _, c := range infertest.Cases()[1:] {
		out = append(out, mixed(c), wide(c, 5, 8))
	}
	return out
}

func simulated(t testing.TB, c infertest.Case) *glm.Target {
	t.Helper()
	_, target, err := c.Simulate(infer.NewStream(5, "conform", c.Name))
	must(t, err)
	return target
}

// The quick form takes one pair of case and variant in eleven.
func TestBasisConformance(t *testing.T) {
	for i, c := range append(append(basisCases(), infertest.FamilyCases()...), infertest.WeightedCases()...) {
		for k, v := range basisVariants {
			if !infertest.Full() && (2*i+k)%11 != 0 {
				continue
			}
			if _, err := v.update(&c.Model); err != nil {
				continue // not log-concave
			}
			t.Run(c.Name+"/"+v.name, func(t *testing.T) { infertest.Conformance(t, simulated(t, c), sampler(v.Options)) })
		}
	}
}
