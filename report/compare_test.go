package report

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"
)

// The interval of the median misses it with probability at most 0.05, and the
// next narrower one with more: by the binomial law, without simulation.
func TestMedianIntervalCovers(t *testing.T) {
	for n := 1; n <= 60; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(n - i)
		}
		got := medianInterval(x)
		if want := float64(n+1) / 2; float64(got.Value) != want {
			t.Fatalf("n=%d: median %v, want %v", n, got.Value, want)
		}
		miss := func(k int) float64 { // of [x₍ₖ₎, x₍ₙ₊₁₋ₖ₎]
			sum, term := 0.0, math.Pow(0.5, float64(n))
			for i := range k {
				sum += term
				term *= float64(n-i) / float64(i+1)
			}
			return 2 * sum
		}
		if n < 6 {
			if !math.IsNaN(float64(got.Low)) {
				t.Errorf("n=%d has an interval: %v", n, got)
			}
			continue
		}
		k := int(got.Low)
		if int(got.High) != n+1-k || miss(k) > 0.05 || miss(k+1) <= 0.05 {
			t.Errorf("n=%d: [%v, %v] misses with probability %v, one narrower with %v", n, got.Low, got.High, miss(k), miss(k+1))
		}
	}
}

// A time that was not reached is longer than any; a pair of two such times has no ratio.
func TestRatioOfUnreachedTimes(t *testing.T) {
	inf := math.Inf(1)
	got, pairs := ratio(map[int]float64{1: 1, 2: inf, 3: inf, 4: 2, 5: 1},
		map[int]float64{1: 3, 2: 4, 3: inf, 4: inf, 9: 1})
	if pairs != 3 || got.Value != 3 { // 3, 0, +Inf
		t.Errorf("ratio %v of %d pairs, want 3 of 3", got.Value, pairs)
	}
	if b, err := json.Marshal(medianInterval([]float64{1, inf, inf})); err != nil ||
		string(b) != `{"value":null,"low":null,"high":null}` {
		t.Errorf("%s, error %v", b, err)
	}
}

// Replicates are counted where data, model and settings are those of the newest
// fit, whatever views of plain fits show.
func TestComparisons(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	var fits []*Fit
	add := func(n int, sampler string, replicate int, seconds float64, setting string) {
		f := viewFit(n, sampler, seconds, [4]float64{1, 3, .03, .04}, [4]float64{0, 1, .01, .01})
		f.Replicate = replicate
		f.Times.ToESS100Median, f.Times.ToESS100Min, f.Times.ToESS100LogLik = seconds/10, seconds/5, math.NaN()
		f.Identity = []byte(`{"sampler":` + setting + `,"length":{"First":500},"chains":4,"seed":1,"versions":{}}`)
		f.Diagnostics = []Diagnostic{{Name: "ess_bulk_median", Chain: -1, Value: 1000},
			{Name: "ess_bulk_min", Chain: -1, Value: 500}}
		fits = append(fits, f)
	}
	for k := range 7 {
		add(10+k, "a", k+1, 2+float64(k)/10, `"new"`)
		add(20+k, "b", k+1, 4*(2+float64(k)/10), `"new"`)
	}
	add(1, "a", 8, 99, `"old"`)
	add(2, "a", 1, 99, `"old"`)
	store(t, l, fits...)
	wantInt(t, l, 2, "SELECT count(*) FROM latest")
	wantInt(t, l, 14, "SELECT count(*) FROM replicates")
	wantInt(t, l, 1, "SELECT count(DISTINCT fit_id) FROM drift") // the newer plain fit of a
	pairs, err := l.Comparisons(ctx, "", "", "")
	if err != nil || len(pairs) != 1 {
		t.Fatalf("%d pairs, error %v", len(pairs), err)
	}
	p := pairs[0]
	if p.Agreement != "agree" || p.A.Fits != 7 || p.B.Fits != 7 || p.Pairs != 7 {
		t.Errorf("%s, %d and %d fits, %d pairs", p.Agreement, p.A.Fits, p.B.Fits, p.Pairs)
	}
	for name, got := range map[string][4]float64{
		"ratio": {float64(p.RatioMedian.Value), float64(p.RatioMedian.Low), float64(p.RatioMedian.High), 4},
		"seconds": {float64(p.A.ToMedian.Value), float64(p.A.ToMedian.Low) + .03, float64(p.A.ToMedian.High) - .03,
			0.23},
		"ESS/s, least": {float64(p.A.MinESSPerSecond.Value), 500 / 2.3, 500 / 2.3, 500 / 2.3},
	} {
		for _, v := range got[:3] {
			if !near(v, got[3]) {
				t.Errorf("%s: %v, want %v", name, got[:3], got[3])
			}
		}
	}
	if !math.IsInf(float64(p.A.ToLogLik.Value), 1) {
		t.Errorf("a time that no run has shown is %v", p.A.ToLogLik.Value)
	}
	for pattern, want := range map[string]int{"d": 1, "d/g": 1, "d*": 1, "?": 1, "e": 0, "_": 0, "%": 0, "[d]": 0, `\d`: 0,
		"d!": 0} {
		if pairs, err := l.Comparisons(ctx, "", pattern, "m"); err != nil || len(pairs) != want {
			t.Errorf("data set %s: %d pairs, error %v", pattern, len(pairs), err)
		}
	}
}

// Prune counts fits of each replicate apart.
func TestPruneReplicates(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	for k := range 6 {
		f := viewFit(k, "a", 1, [4]float64{1, 3, .03, .04})
		f.Replicate, f.Created = k/2+1, night.Add(time.Duration(k)*time.Hour)
		store(t, l, f)
	}
	p, err := l.Prune(ctx, "", 1)
	if err != nil || p.Kept != 3 || p.Removed != 3 {
		t.Errorf("pruned %+v, error %v", p, err)
	}
}
