package family_test

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/internal/simd"
)

// Rows of families with sums and thresholds: 300 rows in the order of their classes, then in none.
func sumRows(f family.Family, sorted bool) (r family.Rows, eta [][]float64) {
	rng := infer.NewStream(3, f.String())
	r = family.Rows{Total: 300, Disp: [2]float64{1, 1}, Kernels: simd.Vector()}
	eta = make([][]float64, 2)
	for range 300 {
		y := rng.Float64() * 4
		if f.Support().Classes {
			y = math.Floor(y)
		}
		r.Y = append(r.Y, y)
		eta[0], eta[1] = append(eta[0], 3*rng.Float64()-1), append(eta[1], 2*rng.Float64()-1)
	}
	if sorted {
		slices.Sort(r.Y)
	}
	if f.Support().Classes {
		eta = eta[:1]
		for _, cut := range []float64{-1, 0.2, 0.9} {
			eta = append(eta, slices.Repeat([]float64{cut}, 300))
		}
	}
	f.Several().Prepare(&r)
	return r, eta
}

// A sum of log densities is that of the rows, and slopes along thresholds are the scores of the rows.
func TestSums(t *testing.T) {
	families := []family.Family{family.Named("cumulative").Family()}
	for _, name := range []string{"gaussian", "lognormal"} {
		f, _ := family.Named(name).Family().WithPredictor("sigma")
		families = append(families, f)
	}
	for _, f := range families {
		for _, sorted := range []bool{true, false} {
			r, eta := sumRows(f, sorted)
			each := make([]float64, 300)
			f.Several().LogLik(&r, 0, eta, each)
			want := simd.Vector().Sum(each)
			if got := f.Likelihood().Sum(&r, eta); !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
				t.Errorf("%s: sum %v, that of the rows %v", f, got, want)
			}
		}
	}
}

func TestCutSlopes(t *testing.T) {
	for _, name := range []string{"cumulative", "sratio", "cratio", "acat"} {
		f := family.Named(name).Family()
		for _, sorted := range []bool{true, false} {
			r, eta := sumRows(f, sorted)
			slopes, part := make([][]float64, 3), make([][]float64, 4)
			for k := range slopes {
				slopes[k] = make([]float64, 200)
			}
			for p := range eta {
				part[p] = eta[p][50:250]
			}
			f.Likelihood().Cuts.Slopes(&r, 50, part, slopes)
			at, score := make([]float64, 4), make([]float64, 3)
			for i := range 200 {
				for p := range part {
					at[p] = part[p][i]
				}
				f.Likelihood().Cuts.Scores(r.Y[50+i], at, score)
				for k, want := range score {
					if got := slopes[k][i]; !(math.Abs(got-want) <= 1e-13*(1+math.Abs(want))) {
						t.Fatalf("%s, row %d: slope %v along threshold %d, want %v", f, i, got, k, want)
					}
				}
			}
		}
	}
}
