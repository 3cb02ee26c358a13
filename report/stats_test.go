package report

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
)

// strangeInfo are statistics of an iteration with NaN, −0, and fields that never change.
func strangeInfo(chain, i int) infer.Info {
	nan, minus := math.NaN(), math.Copysign(0, -1)
	x := float64(1000*chain + i)
	out := infer.Info{LogLik: -x, LogPrior: nan, Evaluations: int64(i % 7), Touched: 200 << 33, Gradients: int64(chain),
		Accept: x / 4096, StepSize: 0, Energy: minus, Depth: int32(i % 3), Leapfrogs: 5, Divergent: i%11 == 0}
	switch i % 5 {
	case 0:
		out.Accept, out.StepSize = nan, minus
	case 1:
		out.Accept = minus
	}
	return out
}

// TestStatisticsAreStored writes statistics that fill several chunks, with blocks across the end of the warm-up, and
// reads each of them back: NaN as NaN, −0 as −0, and lists of one value where all are the same to the bit. Step sizes
// are 0 and −0, and no other: the engine stores the one or the other for both.
func TestStatisticsAreStored(t *testing.T) {
	const chains, warmup, draws, block = 3, 700, 1300, 1024
	info := strangeInfo
	l := open(t, Options{})
	var fits []*Fit
	for n := range 3 {
		f := &Fit{Key: Key{Dataset: "d", Group: fmt.Sprint(n), Model: "m", Sampler: "s"}, Fingerprint: fmt.Sprint("f", n),
			Status: Complete, Chains: chains, Warmup: warmup, Draws: draws}
		f.StatsOf = func(yield func(*infer.Iterations, error) bool) {
			infos := make([]infer.Info, 0, block) // which the next block uses again
			for c := range chains {
				for at := -warmup; at < draws; at += len(infos) {
					infos = infos[:0]
					for i := at; i < min(at+block, draws); i++ {
						infos = append(infos, info(c+chains*n, i))
					}
					if !yield(&infer.Iterations{Chain: c, First: at + 1, Infos: infos}, nil) {
						return
					}
				}
			}
		}
		fits = append(fits, f)
	}
	must(t, l.Write(t.Context(), joined(t.Context(), fits)))
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }
	stored, err := l.Stored(t.Context(), nil)
	must(t, err)
	for n := range fits {
		f := stored[fmt.Sprint("f", n)]
		for c := range chains {
			got, err := l.ChainStats(t.Context(), f, c)
			must(t, err)
			if len(got) != draws {
				t.Fatalf("chain %d of fit %d has %d iterations, want %d", c+1, n, len(got), draws)
			}
			for i, g := range got {
				w := info(c+chains*n, i)
				if !same(g.LogLik, w.LogLik) || !same(g.LogPrior, w.LogPrior) || !same(g.Accept, w.Accept) ||
					g.StepSize != w.StepSize || !same(g.Energy, w.Energy) || g.Depth != w.Depth ||
					g.Leapfrogs != w.Leapfrogs || g.Divergent != w.Divergent {
					t.Fatalf("chain %d of fit %d has %+v at iteration %d, want %+v", c+1, n, g, i+1, w)
				}
			}
		}
	}
	wantInt(t, l, 3*chains*warmup, "SELECT count(*) FROM chain WHERE warmup AND iteration BETWEEN -699 AND 0")
	wantInt(t, l, 3*chains*(warmup+draws), `SELECT count(*) FROM chain WHERE evaluations = abs((iteration - 1) % 7)
		* sign(iteration - 1)::INT AND touched = 200 * 2 ** 33 AND gradients = 3 * (fit_id - 1) + chain - 1`)
	wantInt(t, l, 1, "SELECT max(len(leapfrogs) + len(energy) + len(log_prior) + len(touched)) - 3 FROM chain_piece")
	wantInt(t, l, 2, "SELECT least(min(len(step_size)), 2) FROM chain_piece") // 0 and −0 are two
}

// The entries of an array of draws after the last are 0, whatever a chunk held before, and no view shows them.
func TestPiecesEndInZeros(t *testing.T) {
	l := open(t, Options{})
	const params, chains, count = 70, 4, 2*pieceDraws + 9 // 840 pieces in chunks of 128, which is no multiple of 3
	f := &Fit{Key: Key{Dataset: "d", Model: "m", Sampler: "s"}, Fingerprint: "f", Status: Complete, Chains: chains,
		Draws: count, Parameters: make([]Parameter, params), DrawsOf: draws(params, chains, count, 8)}
	for i := range f.Parameters {
		f.Parameters[i].Name = fmt.Sprint("x", i+1)
	}
	store(t, l, f)
	wantInt(t, l, params*chains, "SELECT count(*) FROM draw_piece WHERE n = 9 AND list_sum(list_transform(v[10:], "+
		"lambda x: abs(x))) = 0")
	wantInt(t, l, 0, "SELECT count(*) FROM draw_piece WHERE 0 IN v[:n]")
	for _, view := range []string{"draw", "draws"} { // full pieces and others in one chunk of the engine
		wantInt(t, l, params*chains*count, "SELECT count(*) FROM "+view)
		wantInt(t, l, params*chains*count, "SELECT count(*) FROM draw_piece p JOIN (SELECT fit_id, "+map[string]string{
			"draw": "parameter_id", "draws": "(substr(parameter, 2)::INTEGER) AS parameter_id"}[view]+`, chain, iteration, value FROM `+
			view+`) d USING (fit_id, parameter_id, chain) WHERE iteration BETWEEN first AND first + n - 1 AND value = v[iteration - first + 1]`)
	}
}
