package diag

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// shapesOfDraws makes one column each; they are what the fast path may trip on.
var shapesOfDraws = map[string]func(rng *rand.Rand, chains, draws int) [][]float64{
	"normal":     func(rng *rand.Rand, m, n int) [][]float64 { return autoregressive(rng, m, n, 0) },
	"correlated": func(rng *rand.Rand, m, n int) [][]float64 { return autoregressive(rng, m, n, 0.97) },
	"antithetic": func(rng *rand.Rand, m, n int) [][]float64 { return autoregressive(rng, m, n, -0.8) },
	"integers": func(rng *rand.Rand, m, n int) [][]float64 {
		return draw(m, n, func() float64 { return float64(rng.IntN(5) - 2) })
	},
	"events": func(rng *rand.Rand, m, n int) [][]float64 {
		return draw(m, n, func() float64 { return float64(rng.IntN(10) / 9) })
	},
	"repeated": func(rng *rand.Rand, m, n int) [][]float64 {
		v := 0.0
		return draw(m, n, func() float64 {
			if rng.IntN(3) == 0 {
				v = rng.NormFloat64()
			}
			return v
		})
	},
	"wide": func(rng *rand.Rand, m, n int) [][]float64 {
		return draw(m, n, func() float64 { return math.Ldexp(rng.NormFloat64(), rng.IntN(400)-200) })
	},
	"offset": func(rng *rand.Rand, m, n int) [][]float64 {
		return draw(m, n, func() float64 { return 1e6 + rng.NormFloat64() })
	},
	// The leading bits distinguish only the outlier: the sort has to notice.
	"outlier": func(rng *rand.Rand, m, n int) [][]float64 {
		x := draw(m, n, func() float64 { return 1e9 + 1e-3*rng.NormFloat64() })
		x[0][0] = -1e60
		return x
	},
	"zeros": func(rng *rand.Rand, m, n int) [][]float64 {
		return draw(m, n, func() float64 { return math.Copysign(float64(rng.IntN(2)), rng.NormFloat64()) })
	},
	"shifted": func(rng *rand.Rand, m, n int) [][]float64 {
		x := autoregressive(rng, m, n, 0.3)
		for i := range x[0] {
			x[0][i] += 3
		}
		return x
	},
	"stuck": func(rng *rand.Rand, m, n int) [][]float64 {
		x := autoregressive(rng, m, n, 0.3)
		for i := range x[0] {
			x[0][i] = 0.1
		}
		return x
	},
}

// inOrder yields shapesOfDraws by name, so that each is given the same random
// numbers in each run.
func inOrder(yield func(string, func(rng *rand.Rand, chains, draws int) [][]float64) bool) {
	for _, name := range slices.Sorted(maps.Keys(shapesOfDraws)) {
		if !yield(name, shapesOfDraws[name]) {
			return
		}
	}
}

func draw(chains, draws int, next func() float64) [][]float64 {
	x := make([][]float64, chains)
	for c := range x {
		for range draws {
			x[c] = append(x[c], next())
		}
	}
	return x
}

// plainSummary is Summarize by the definitions, without a Reason.
func plainSummary(x [][]float64) Summary {
	q := func(p float64) float64 { return refQuantile(x, p) }
	flat := refFlat(x)
	return Summary{
		Mean: refMean(flat), SD: math.Sqrt(refVar(flat)),
		MCSEMean: math.Sqrt(refVar(flat) / refESSMean(x)), MCSESD: refMCSESD(x),
		Q025: q(0.025), Q05: q(0.05), Q25: q(0.25), Median: q(0.5), Q75: q(0.75), Q95: q(0.95), Q975: q(0.975),
		MCSEMedian: refMCSEQuantile(x, 0.5), MCSEQ05: refMCSEQuantile(x, 0.05), MCSEQ95: refMCSEQuantile(x, 0.95),
		RHat: refRHat(x), ESSBulk: refESS(refZ(refSplit(x))),
		ESSTail: math.Min(refESSQuantile(x, 0.05), refESSQuantile(x, 0.95)),
	}
}

// fields lists the numbers of a Summary with their names.
func fields(s Summary) ([]string, []float64) {
	return []string{"Mean", "SD", "MCSEMean", "MCSESD", "Q025", "Q05", "Q25", "Median", "Q75", "Q95", "Q975",
			"MCSEMedian", "MCSEQ05", "MCSEQ95", "RHat", "ESSBulk", "ESSTail"},
		[]float64{s.Mean, s.SD, s.MCSEMean, s.MCSESD, s.Q025, s.Q05, s.Q25, s.Median, s.Q75, s.Q95, s.Q975,
			s.MCSEMedian, s.MCSEQ05, s.MCSEQ95, s.RHat, s.ESSBulk, s.ESSTail}
}

// TestMatchesDefinition compares the workspace with the plain definitions over
// random shapes, one workspace throughout. The tolerance, 1e-9, leaves room for
// what the definitions lose on the worst conditioned of them (offset).
func TestMatchesDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 1))
	w := NewWorkspace()
	columns := 0
	for name, shape := range inOrder {
		for range 25 {
			chains, draws := 1+rng.IntN(5), 6+rng.IntN(60)
			if rng.IntN(4) == 0 {
				draws = 100 + rng.IntN(400)
			}
			x := shape(rng, chains, draws)
			names, got := fields(w.Summarize(x))
			_, want := fields(plainSummary(x))
			columns++
			for i, v := range want {
				if math.Abs(got[i]-v) > 1e-9*math.Max(1, math.Abs(v)) || math.IsNaN(got[i]) != math.IsNaN(v) {
					t.Errorf("%s, %d × %d: %s is %.17g, by definition %.17g", name, chains, draws, names[i], got[i], v)
				}
			}
		}
	}
	if columns != 25*len(shapesOfDraws) {
		t.Errorf("%d columns compared", columns)
	}
}

// TestLongChains compares at lags beyond those that are summed directly and
// those that are counted directly.
func TestLongChains(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 2))
	x := autoregressive(rng, 2, 2501, 0.9995)
	names, got := fields(NewWorkspace().Summarize(x))
	_, want := fields(plainSummary(x))
	for i, v := range want {
		if math.Abs(got[i]-v) > 1e-9*math.Abs(v) {
			t.Errorf("%s is %.17g, by definition %.17g", names[i], got[i], v)
		}
	}
}

// requireSame compares summaries to the bit; scale is applied to what has the
// unit of the draws.
func requireSame(t *testing.T, what string, got, want Summary, scale func(float64) float64) {
	t.Helper()
	names, g := fields(got)
	_, v := fields(want)
	for i := range g {
		if names[i] != "RHat" && names[i] != "ESSBulk" && names[i] != "ESSTail" {
			v[i] = scale(v[i])
		}
		if math.Float64bits(g[i]) != math.Float64bits(v[i]) {
			t.Errorf("%s: %s is %v, want %v", what, names[i], g[i], v[i])
		}
	}
	if got.Reason != want.Reason {
		t.Errorf("%s: reason %q, want %q", what, got.Reason, want.Reason)
	}
}

// TestUnitsDoNotMatter: multiplying the draws by a power of two is exact and
// has to leave every bit of R-hat and ESS alone, also where squares would
// overflow or vanish. (posterior calls draws constant that range less than
// 2.2e-16, and squares that do, which makes mcse_sd NA below an sd of 1e-8.)
func TestUnitsDoNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 3))
	x := autoregressive(rng, 4, 301, 0.8)
	w := NewWorkspace()
	want := w.Summarize(x)
	for _, e := range []int{-900, -300, -60, 60, 300, 900} {
		scale := func(v float64) float64 { return math.Ldexp(v, e) }
		requireSame(t, fmt.Sprintf("draws · 2^%d", e), w.Summarize(refMap(x, scale)), want, scale)
	}
}

// TestOffsetsDoNotMatter: so has adding a number, where that is exact.
func TestOffsetsDoNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 6))
	x := refMap(autoregressive(rng, 4, 301, 0.8), func(v float64) float64 { return math.Round(v*1024) / 1024 })
	got := NewWorkspace().Summarize(refMap(x, func(v float64) float64 { return v + 0x1p40 }))
	want := NewWorkspace().Summarize(x)
	for _, v := range []*float64{&want.Mean, &want.Q025, &want.Q05, &want.Q25, &want.Median, &want.Q75, &want.Q95, &want.Q975} {
		*v += 0x1p40
	}
	for _, v := range [][2]*float64{{&got.Q025, &want.Q025}, {&got.Q975, &want.Q975}, {&got.Q05, &want.Q05},
		{&got.Q25, &want.Q25}, {&got.Q75, &want.Q75}, {&got.Q95, &want.Q95}} { // interpolated: one rounding apart
		if math.Abs(*v[0]-*v[1]) > 0x1p-12 {
			t.Errorf("quantile %v, want %v", *v[0], *v[1])
		}
		*v[0] = *v[1]
	}
	requireSame(t, "draws + 2^40", got, want, func(v float64) float64 { return v })
}

// TestWorkspaceKeepsNothing: a workspace that has seen other columns gives the
// bits that a new one gives.
func TestWorkspaceKeepsNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 4))
	used := NewWorkspace()
	for i := range 200 {
		chains, draws := 1+rng.IntN(4), 1+rng.IntN(90)
		x := shapesOfDraws["normal"](rng, chains, draws)
		switch i % 4 {
		case 1:
			x = shapesOfDraws["integers"](rng, chains, draws)
		case 2:
			x[0][0] = math.NaN()
		case 3:
			x[chains-1][draws/2] = math.Inf(-1)
		}
		a, b := used.Summarize(x), NewWorkspace().Summarize(x)
		requireSame(t, fmt.Sprintf("column %d, %d × %d, in a used workspace", i, chains, draws), a, b,
			func(v float64) float64 { return v })
	}
}

// TestSummarizeAllocatesNothing once it knows the shape, fallback sort included.
func TestSummarizeAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(20260101, 5))
	for _, name := range []string{"normal", "correlated", "integers", "outlier"} {
		x := shapesOfDraws[name](rng, 4, 301)
		w := NewWorkspace()
		w.Summarize(x)
		if n := testing.AllocsPerRun(5, func() { w.Summarize(x) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// FuzzSummarize feeds arbitrary bits as draws: no panic, no number missing
// without a reason, and agreement with the definitions on the ranks.
func FuzzSummarize(f *testing.F) {
	f.Add(uint8(2), []byte("a few bytes of draws, then a few more of them"))
	f.Add(uint8(1), make([]byte, 200))
	f.Fuzz(func(t *testing.T, chains uint8, data []byte) {
		m := 1 + int(chains)%5
		draws := min(len(data)/8/m, 300)
		x := draw(m, draws, func() float64 {
			v := math.Float64frombits(binary.LittleEndian.Uint64(data))
			data = data[8:]
			return v
		})
		s := NewWorkspace().Summarize(x)
		names, got := fields(s)
		for i, v := range got {
			if math.IsNaN(v) && s.Reason == "" {
				t.Errorf("%s is NaN without a reason", names[i])
			}
		}
		if draws < 6 || slices.ContainsFunc(refFlat(x), math.IsNaN) {
			return
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{{"RHat", s.RHat, refRHat(x)}, {"ESSBulk", s.ESSBulk, refESS(refZ(refSplit(x)))}} {
			if !(math.Abs(c.got-c.want) <= 1e-9*c.want) && !(math.IsNaN(c.got) && math.IsNaN(c.want)) && c.got != c.want {
				t.Errorf("%s is %v, by definition %v", c.name, c.got, c.want)
			}
		}
	})
}
