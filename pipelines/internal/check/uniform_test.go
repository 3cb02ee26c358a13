package check

import (
	"math"
	"math/rand/v2"
	"testing"
)

// every calls f with each sequence of n ranks from 0 to draws.
func every(n, draws int, f func(ranks []int)) {
	ranks := make([]int, n)
	for {
		f(ranks)
		i := 0
		for i < n && ranks[i] == draws {
			ranks[i] = 0
			i++
		}
		if i == n {
			return
		}
		ranks[i]++
	}
}

// The p-value is exact: over all equally likely sequences, the share whose
// deviation is as small or smaller. No false alarms: everything is enumerated.
func TestExactP(t *testing.T) {
	for _, size := range []struct{ n, draws int }{{5, 3}, {6, 2}, {4, 5}} {
		u := newUniformity(size.n, size.draws)
		var p []float64
		every(size.n, size.draws, func(ranks []int) { p = append(p, u.p(ranks)) })
		for _, v := range p {
			share := 0.0
			for _, w := range p {
				if w <= v*(1+1e-9) {
					share += 1 / float64(len(p))
				}
			}
			if math.Abs(share-v) > 1e-9 {
				t.Fatalf("%d ranks of 0 to %d: p = %v for the share %v of sequences", size.n, size.draws, v, share)
			}
		}
	}
}

// Powers of the test with 200 ranks of 0 to 31 at 0.01 over 10 quantities: draws
// shifted by 0.5 posterior standard deviations, or 35 % too narrow, are found
// in at least 9 of 10 checks; a right sampler in none of these 200 seeds.
func TestPower(t *testing.T) {
	const n, draws, seeds = 200, 31, 200
	u := newUniformity(n, draws)
	rejected := func(shift, scale float64) (share float64) {
		rng := rand.New(rand.NewPCG(5, 5))
		for range seeds {
			ranks := make([]int, n)
			for i := range ranks {
				truth := rng.NormFloat64()
				for range draws {
					if shift+scale*rng.NormFloat64() < truth {
						ranks[i]++
					}
				}
			}
			if u.p(ranks) <= FalseAlarms/10 {
				share += 1.0 / seeds
			}
		}
		return share
	}
	right, shifted, narrow := rejected(0, 1), rejected(0.5, 1), rejected(0, 0.65)
	t.Logf("rejected: %.2f of the right ones, %.2f of the shifted, %.2f of the narrow", right, shifted, narrow)
	if right > 0.01 || shifted < 0.9 || narrow < 0.9 {
		t.Errorf("rejected: %.2f of the right ones, %.2f of the shifted, %.2f of the narrow", right, shifted, narrow)
	}
}

func TestHolm(t *testing.T) {
	got := holm([]float64{0.04, 0.001, 0.5, 0.012}, 0.05)
	if !got[1] || !got[3] || got[0] || got[2] { // 0.04 > 0.05/2
		t.Errorf("rejected %v", got)
	}
}
