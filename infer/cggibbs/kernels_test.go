package cggibbs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
)

// pinnedKernels are hashes of draws, statistics and states of each set-up, over all cases that it can sample. A change
// means another version of what has changed.
var pinnedKernels = []struct {
	name, want string
	options    cggibbs.Options
}{
	{"plain", "108/c2020fb769f429ed", cggibbs.Options{RefreshEvery: 7, Moves: 2}},
	{"uncached", "94/ac530889b39e25ad", cggibbs.Options{Uncached: true, Scan: "random"}},
	{"matched", "30/3f39258f9eb3535a", cggibbs.Options{Update: "matched", RefreshEvery: 16}},
	{"tangent", "30/c87174c485a2a275", cggibbs.Options{Update: "tangent", Moves: 2}},
	{"stepping out", "94/e3ee576c4e5899d0", cggibbs.Options{Update: "stepping_out", Scan: "random"}},
	{"focus", "94/2f6f3ede25b4b1e2", cggibbs.Options{Focus: []string{"a"}}},
	{"slow", "94/2816d702b419994b", cggibbs.Options{Slow: "on", RefreshEvery: 16}},
	{"slow, nuts", "94/2da43e0ccef55f63", cggibbs.Options{Slow: "nuts", RefreshEvery: 16}},
	{"blocks", "54/c51e474dae721942", cggibbs.Options{Blocks: [][]string{{"a", "b"}}, RefreshEvery: 16}},
	{"rotated", "94/fd70d826b3611e53", cggibbs.Options{Basis: "rotated", RefreshEvery: 16}},
	{"rotated, moves", "94/7ff5878de254e69f", cggibbs.Options{Basis: "rotated", Moves: 3}},
	{"joint", "94/7921d4175638e04a", cggibbs.Options{Basis: "rotated", Joint: "on", Moves: 5}},
	{"swept", "94/b055fb9bbfc36a0b", cggibbs.Options{Basis: "rotated", Joint: "swept", Moves: 3, SweepEvery: 4}},
	{"reduced", "94/d24cb12c76dd5b82", cggibbs.Options{Basis: "reduced", RefreshEvery: 16}},
	{"reduced, tangent", "30/433b4fa189477c30", cggibbs.Options{Basis: "reduced", Update: "tangent", Moves: 2}},
	{"mixture", "94/a13c567a44ca89ac", cggibbs.Options{Basis: "mixture", Moves: 2}},
	{"reduced by nuts", "74/e46a2f87df180f8f", cggibbs.Options{}},
	{"auto", "108/4a034904559a27ed", cggibbs.Options{Basis: "auto"}},
	{"auto, moves", "108/0db356fdd4ef9c9c", cggibbs.Options{Basis: "auto", Moves: 2, RefreshEvery: 16}},
}

func byNuts(target *glm.Target) (infer.Setup, error) { return nuts.New(target, nuts.Options{}) }

// kernelCases are small posteriors of all kinds, sparse designs among them.
func kernelCases(t *testing.T) (out []*glm.Target) {
	cases := slices.Concat(infertest.Cases(), infertest.FamilyCases(), infertest.HorseshoeCases(),
		infertest.SmoothCases(), infertest.SelectionCases(), infertest.WeightedCases())
	for _, size := range [][2]int{{8, 20}, {50, 140}, {90, 70}} {
		cases = append(cases, wide(size[0], size[1]))
	}
	for _, c := range cases {
		_, target, err := c.Simulate(infer.NewStream(7, "kernels", c.Name))
		must(t, err)
		x := target.Data().X
		n, cols := x.Size()
		dense, sparse := design.NewDense(n, cols), design.NewSparse(n, cols, n)
		for j := range cols {
			x.Read(j, 0, dense.Col(j))
			even(dense.Col(j))
			sparse.AppendDense(dense.Col(j))
		}
		even(target.Data().Y)
		for _, x := range []design.Matrix{dense, sparse} {
			data := *target.Data()
			data.X = x
			own, err := glm.NewTarget(&data, *target.Model())
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			out = append(out, own)
		}
	}
	return out
}

// even rounds numbers that were simulated by functions of other bits on other processors.
func even(x []float64) {
	for i, v := range x {
		x[i] = math.Round(v*0x1p20) / 0x1p20
	}
}

// wide is a regression on many columns, which have slow directions, rows that move by themselves, or blocks.
func wide(rows, cols int) infertest.Case {
	c, x := infertest.Bernoulli(rows), design.NewDense(rows, cols)
	c.Name, c.Data.X, c.Data.Names = fmt.Sprintf("%dx%d", rows, cols), x, nil
	c.Model.Coefficients = slices.Repeat([]prior.Prior{{Kind: prior.Normal, Scale: 0.5}}, cols)
	from := infer.NewStream(3, c.Name)
	for j := range cols {
		c.Data.Names = append(c.Data.Names, fmt.Sprint("x", j))
		for i := range x.Col(j) {
			x.Col(j)[i] = 0.5 + from.Float64()
		}
	}
	return c
}

// TestPinnedKernels pins what each set-up explains, draws and saves: after 20 iterations a chain is saved and restored.
func TestPinnedKernels(t *testing.T) {
	cases := kernelCases(t)
	for _, c := range pinnedKernels {
		hash, made := sha256.New(), 0
		for _, target := range cases {
			setup, err := cggibbs.New(target, c.options)
			if c.name == "reduced by nuts" {
				setup, err = cggibbs.ReducedBy(target, byNuts)
			}
			if err != nil {
				continue
			}
			made++
			if e, ok := setup.(infer.Explainer); ok {
				hash.Write([]byte(e.Explain()))
			}
			hash.Write([]byte(infertest.Bits(t, setup)))
		}
		got := fmt.Sprintf("%d/%s", made, hex.EncodeToString(hash.Sum(nil)[:8]))
		if got != c.want {
			t.Errorf("%s: bits with hash %s, pinned are %s", c.name, got, c.want)
		}
	}
}
