package infertest_test

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"glmbatch/infer/infertest"
)

// hotelling returns the probability that the mean of independent normal
// vectors is at least as far from truth, in Mahalanobis distance with their
// own sample covariance, as that of rows; mcse are the standard errors of truth.
//
// Batch means of a chain are such vectors where the batches are much longer
// than the autocorrelation. The components are divided by scale before.
//
// Source: Hotelling (1931), doi:10.1214/aoms/1177732979.
func hotelling(rows [][]float64, truth, mcse, scale []float64) (p float64) {
	_, p = distance(rows, truth, mcse, scale)
	return p
}

// distance is hotelling with the Mahalanobis distance itself, which is about
// the root of the number of components where nothing is wrong.
func distance(rows [][]float64, truth, mcse, scale []float64) (size, p float64) {
	n, d := len(rows), len(truth)
	mean := make([]float64, d)
	for _, row := range rows {
		for j, v := range row {
			mean[j] += (v - truth[j]) / scale[j] / float64(n)
		}
	}
	cov := mat.NewSymDense(d, nil) // of the mean
	for _, row := range rows {
		for j := range d {
			for k := range j + 1 {
				x := (row[j]-truth[j])/scale[j] - mean[j]
				y := (row[k]-truth[k])/scale[k] - mean[k]
				cov.SetSym(j, k, cov.At(j, k)+x*y/float64(n)/float64(n-1))
			}
		}
	}
	for j := range d {
		e := mcse[j] / scale[j]
		cov.SetSym(j, j, cov.At(j, j)+e*e)
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		return math.Inf(1), 0 // a component that does not vary: a frozen chain
	}
	v := mat.NewVecDense(d, mean)
	var solved mat.VecDense
	if err := chol.SolveVecTo(&solved, v); err != nil {
		return math.Inf(1), 0
	}
	t2 := mat.Dot(v, &solved)
	f := t2 * float64(n-d) / float64(d*(n-1))
	return math.Sqrt(t2), 1 - distuv.F{D1: float64(d), D2: float64(n - d)}.CDF(f)
}

// holm returns the indexes that Holm's procedure rejects at family-wise level
// alpha.
//
// Source: Holm (1979), https://www.jstor.org/stable/4615733.
func holm(p []float64, alpha float64) (rejected []int) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return p[order[a]] < p[order[b]] })
	for rank, i := range order {
		if !(p[i] <= alpha/float64(len(p)-rank)) {
			break
		}
		rejected = append(rejected, i)
	}
	return rejected
}

func TestHolm(t *testing.T) {
	got := holm([]float64{0.04, 0.001, 0.5, 0.012}, 0.05)
	if len(got) != 2 || got[0] != 1 || got[1] != 3 { // 0.04 > 0.05/2
		t.Errorf("rejected %v, want [1 3]", got)
	}
	if got := holm([]float64{0.02, 0.02, 0.02}, 0.05); got != nil {
		t.Errorf("rejected %v, want none: 0.02 > 0.05/3", got)
	}
}

// TestHotellingIsCalibrated: its p-values are uniform for correlated normal
// vectors, and for batch means of a chain with autocorrelation 0.5 in batches of
// 50. False alarms 1e-6. Power: 2,000 p-values show a distance of 0.06.
func TestHotellingIsCalibrated(t *testing.T) {
	for name, memory := range map[string]float64{"independent": 0, "batches": 0.5} {
		const reps, batches, d = 2000, 30, 4
		rng := rand.New(rand.NewPCG(infertest.Seed(t), 1))
		p := make([]float64, reps)
		zero, one := make([]float64, d), []float64{1, 1, 1, 1}
		for r := range p {
			state := make([]float64, d)
			for j := range state {
				state[j] = rng.NormFloat64()
			}
			rows := make([][]float64, batches)
			for b := range rows {
				rows[b] = make([]float64, d)
				size := 1
				if memory > 0 {
					size = 50
				}
				for range size {
					common := rng.NormFloat64()
					for j := range state {
						state[j] = memory*state[j] + math.Sqrt(1-memory*memory)*(0.9*common+0.4*rng.NormFloat64())
						rows[b][j] += state[j] / float64(size)
					}
				}
			}
			p[r] = hotelling(rows, zero, zero, one)
		}
		sort.Float64s(p)
		var distance float64
		for i, v := range p {
			distance = math.Max(distance, math.Max(v-float64(i)/reps, float64(i+1)/reps-v))
		}
		if limit := math.Sqrt(math.Log(2e6) / (2 * reps)); distance > limit {
			t.Errorf("%s: p-values are off the uniform law by %.3f, limit %.3f", name, distance, limit)
		}
	}
}
