package loo

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"glmbatch/internal/vec"
)

// Weights predict as well as those of R's loo, or better, and are close to them if the optimum is one point; R's
// barrier leaves about 2e-6. They are optimal: the mean over observations of p/Σ w·p is 1 for a model with a
// weight, and at most 1 for others (Karush, Kuhn and Tucker).
func TestWeightsEqualR(t *testing.T) {
	for _, line := range lines(t, "weights.csv") {
		name, rest, _ := strings.Cut(line, ",")
		v := numbers(t, strings.Split(rest, ","))
		k := int(v[0])
		stacked, boot, loss := v[1:1+k], v[1+k:1+2*k], v[1+2*k]
		elpd := slices.Collect(slices.Chunk(v[2+2*k:], (len(v)-2-2*k)/k))
		w := Stacking(elpd, nil)
		if got := -vec.Sum(logs(elpd, w)); got > loss+1e-9 {
			t.Errorf("%s: the mixture has -%.12g, R's -%.12g", name, got, loss)
		}
		for j := range w {
			if name != "twins" && math.Abs(w[j]-stacked[j]) > 3e-6 {
				t.Errorf("%s: weight %d is %.9g, R has %.9g", name, j+1, w[j], stacked[j])
			}
		}
		mixed := logs(elpd, w)
		for j := range w {
			slope := 0.0
			for i, l := range mixed {
				slope += math.Exp(elpd[j][i]-l) / float64(len(mixed))
			}
			if slope > 1+1e-7 || w[j] > 1e-6 && slope < 1-1e-7 {
				t.Errorf("%s: model %d has the weight %.3g and the slope %.12g", name, j+1, w[j], slope)
			}
		}
		r := rand.New(rand.NewPCG(1, 2))
		for j, got := range PseudoBMA(elpd, nil, 20_000, r) {
			if math.Abs(got-boot[j]) > 0.012 { // 2·20,000 draws of sd at most 0.5: 3.4 standard errors
				t.Errorf("%s: pseudo-BMA+ of %d is %.4g, R has %.4g", name, j+1, got, boot[j])
			}
		}
	}
}

// logs are those of the mixture's densities.
func logs(elpd [][]float64, w []float64) (out []float64) {
	for i := range elpd[0] {
		sum := 0.0
		for j := range w {
			sum += w[j] * math.Exp(elpd[j][i])
		}
		out = append(out, math.Log(sum))
	}
	return out
}

// An observation that counts three times is three; equal models share their weight; one that is worse everywhere has
// none, however far densities lie.
func TestStackingIdentities(t *testing.T) {
	a, b := []float64{-1, -3, -2.5, -0.2}, []float64{-2, -1, -3, -0.1}
	counted := Stacking([][]float64{a, b}, []float64{3, 1, 1, 2})
	repeated := Stacking([][]float64{{-1, -1, -1, -3, -2.5, -0.2, -0.2}, {-2, -2, -2, -1, -3, -0.1, -0.1}}, nil)
	for j := range counted {
		if !near(counted[j], repeated[j], 1e-9) {
			t.Errorf("counted %v, repeated %v", counted, repeated)
		}
	}
	three := Stacking([][]float64{a, b, a}, nil)
	two := Stacking([][]float64{a, b}, nil)
	if !near(three[0], three[2], 1e-9) || !near(three[1], two[1], 1e-7) {
		t.Errorf("twins have %s of %s", words(three), words(two))
	}
	far := Stacking([][]float64{{-1000, -2000, -1500}, {-1900, -2900, -2400}}, nil)
	if far[0] < 1-1e-9 || far[1] < 0 {
		t.Errorf("the better one has %v", far)
	}
	if one := Stacking([][]float64{a}, nil); one[0] != 1 {
		t.Errorf("one model has %v", one)
	}
}

func words(x []float64) (out string) {
	for _, v := range x {
		out += strconv.FormatFloat(v, 'g', 9, 64) + " "
	}
	return out
}
