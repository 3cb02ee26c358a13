package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Stages of transforms have the bits of the portable form, and write no further.
func TestFourierForms(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 11))
	for _, quarter := range []int{1, 2, 4, 5, 16} {
		for blocks := range 4 {
			n := 32 * quarter * blocks
			re, im := column(r, n+9, 1, true), column(r, n+9, 1, true)
			roots := column(r, 6*quarter, 1, true)
			for name, of := range map[string]func(k Kernels, re, im []float64){
				"Butterflies": func(k Kernels, re, im []float64) { k.Butterflies(re, im, quarter, roots) },
				"Halvings":    func(k Kernels, re, im []float64) { k.Halvings(re); k.Halvings(im) },
				"Power":       func(k Kernels, re, im []float64) { k.Power(re, im) },
			} {
				agree(t, vectors(), name, n, func(k Kernels) []float64 {
					a, b := slices.Clone(re), slices.Clone(im)
					of(k, a[:n], b[:n])
					return append(a, b...)
				})
			}
		}
	}
}

// Sums of shifted slices have the bits of Dot.
func TestDotShifted(t *testing.T) {
	r := rand.New(rand.NewPCG(seed(t), 12))
	for _, k := range forms() {
		for _, n := range []int{0, 1, 7, 8, 13, 62, 300} {
			for shifts := range 12 {
				x, y := column(r, n, 1, true), column(r, n+max(shifts-1, 0), 1, true)
				got := make([]float64, shifts+1)
				k.DotShifted(x, y, got[:shifts])
				for j, v := range got {
					want := 0.0
					if j < shifts {
						want = k.Dot(x, y[j:j+n])
					}
					if !same(v, want) {
						t.Fatalf("%s, %d shifts: %d has %v, Dot %v", describe(k, n), shifts, j, v, want)
					}
				}
			}
		}
	}
}
