package cggibbs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
	{"plain", "100/85fe5c4f34da1a8f", cggibbs.Options{RefreshEvery: 7, Moves: 2}},
	{"uncached", "86/1c17580dca19f6d3", cggibbs.Options{Uncached: true, Scan: "random"}},
	{"matched", "30/9228eafaa3b6a9e9", cggibbs.Options{Update: "matched", RefreshEvery: 16}},
	{"tangent", "30/d91a37f442cebbd5", cggibbs.Options{Update: "tangent", Moves: 2}},
	{"stepping out", "86/b98301bad8168c3c", cggibbs.Options{Update: "stepping_out", Scan: "random"}},
	{"focus", "86/803fc5acd37d80aa", cggibbs.Options{Focus: []string{"a"}}},
	{"slow", "86/784d82ff0e810f1c", cggibbs.Options{Slow: "on", RefreshEvery: 16}},
	{"slow, nuts", "86/5c3449e615a7f409", cggibbs.Options{Slow: "nuts", RefreshEvery: 16}},
	{"blocks", "54/0b8e8d73ddb6e5b6", cggibbs.Options{Blocks: [][]string{{"a", "b"}}, RefreshEvery: 16}},
	{"rotated", "86/09a42a2f722482de", cggibbs.Options{Basis: "rotated", RefreshEvery: 16}},
	{"rotated, moves", "86/a19ee70141729d92", cggibbs.Options{Basis: "rotated", Moves: 3}},
	{"joint", "86/a9e3379ae4360436", cggibbs.Options{Basis: "rotated", Joint: "on", Moves: 5}},
	{"swept", "86/059a9f8c8df33430", cggibbs.Options{Basis: "rotated", Joint: "swept", Moves: 3, SweepEvery: 4}},
	{"reduced", "86/caa138a5349cc2d8", cggibbs.Options{Basis: "reduced", RefreshEvery: 16}},
	{"reduced, tangent", "30/9e9a7fa467916e2e", cggibbs.Options{Basis: "reduced", Update: "tangent", Moves: 2}},
	{"mixture", "86/36537e96ccf90983", cggibbs.Options{Basis: "mixture", Moves: 2}},
	{"reduced by nuts", "74/cfe9dc62b657e1b0", cggibbs.Options{}},
	{"auto", "100/d5c362cbec97c5fc", cggibbs.Options{Basis: "auto"}},
	{"auto, moves", "100/98ff9c48b7d33cb9", cggibbs.Options{Basis: "auto", Moves: 2, RefreshEvery: 16}},
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
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, target)
		x := target.Data().X
		if _, dense := x.(*design.Dense); !dense {
			continue
		}
		rows, cols := x.Size()
		data, sparse := *target.Data(), design.NewSparse(rows, cols, rows)
		column := make([]float64, rows)
		for j := range cols {
			x.Read(j, 0, column)
			sparse.AppendDense(column)
		}
		data.X = sparse
		if target, err = glm.NewTarget(&data, *target.Model()); err != nil {
			t.Fatal(err)
		}
		out = append(out, target)
	}
	return out
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
