package predictive

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/loo"
	"glmbatch/report/record"
)

// looRows is the number of rows whose log likelihoods are held together.
const looRows = 16

// LeaveOneOut evaluates every row of the data that a model was fitted to. A row that counts several times
// represents as many equal observations: its numbers are those of leaving one of them out. stream names the random
// stream of a row, which places whole numbers among probability integral transforms.
func (e *Evaluator) LeaveOneOut(ctx context.Context, stream func(row int) *infer.Stream) (*record.LOO, error) {
	out := &record.LOO{Rows: make([]record.Pointwise, e.rows()), Threshold: loo.Threshold(e.Size()),
		Outcomes: e.hash(), Version: LOOVersion(false, e.Description.Weights != nil)}
	works := make([]loo.Workspace, max(1, e.Workers))
	scratch, transforms := make([][3][]float64, len(works)), newPIT(e, stream)
	err := e.Blocks(ctx, func(b *Block) error {
		return e.each((b.Rows+looRows-1)/looRows, func(w, part int) {
			from, to := part*looRows, min((part+1)*looRows, b.Rows)
			mine := &scratch[w]
			if mine[0] == nil {
				*mine = [3][]float64{make([]float64, e.Size()), make([]float64, e.Size()), make([]float64, looRows*e.Size())}
			}
			width := to - from
			for s := range e.Size() {
				b.logLik(s, from, to, mine[2][s*width:(s+1)*width])
			}
			for i := range width {
				for s := range mine[0] {
					mine[0][s] = mine[2][s*width+i]
				}
				r := works[w].Row(slices.Collect(slices.Chunk(mine[0], e.Draws)))
				at := math.NaN()
				if r.Reason == "" && e.one() {
					transforms.row(&works[w], b, from+i, mine[0], mine[1])
					at = transforms.values[b.First+from+i][0]
				} else {
					transforms.values[b.First+from+i] = []float64{at}
				}
				out.Rows[b.First+from+i] = record.Pointwise{ELPD: r.ELPD, P: r.P, K: r.K, WAIC: r.WAIC, PWAIC: r.PWAIC,
					Efficiency: r.Efficiency, MCSE: r.MCSE, Reason: r.Reason, Frequency: 1, PIT: at}
			}
		})
	})
	if err != nil {
		return nil, err
	}
	out.PIT = transforms.ecdf()
	total(out, e.data.Frequency)
	return out, nil
}

// total adds the rows up.
func total(l *record.LOO, frequency []float64) {
	l.Observations = float64(len(l.Rows))
	for i, w := range frequency {
		l.Rows[i].Frequency = w
	}
	if frequency != nil {
		l.Observations, _ = loo.Sum(frequency, nil)
	}
	sum := func(of func(*record.Pointwise) float64) record.Estimate {
		values := make([]float64, len(l.Rows))
		for i := range l.Rows {
			values[i] = of(&l.Rows[i])
		}
		var e record.Estimate
		e.Value, e.SE = loo.Sum(values, frequency)
		return e
	}
	l.ELPD = sum(func(r *record.Pointwise) float64 { return r.ELPD })
	l.P = sum(func(r *record.Pointwise) float64 { return r.P })
	l.WAIC = sum(func(r *record.Pointwise) float64 { return r.WAIC })
	l.PWAIC = sum(func(r *record.Pointwise) float64 { return r.PWAIC })
	variance := sum(func(r *record.Pointwise) float64 { return r.MCSE * r.MCSE })
	l.MCSE, l.WorstK, l.High = math.Sqrt(variance.Value), math.NaN(), len(l.Unreliable())
	for i := range l.Rows {
		if k := l.Rows[i].K; k > l.WorstK || math.IsNaN(l.WorstK) && !math.IsNaN(k) {
			l.WorstK, l.Worst = k, i
		}
	}
	if l.High > 0 {
		l.MCSE = math.NaN()
	}
}

// MixtureVersion names the arithmetic of densities of mixtures.
const MixtureVersion = "mixture/2"

// LOOVersion names the algorithms that a leave-one-out result is made by.
func LOOVersion(match, mixed bool) string {
	out := loo.Version
	if match {
		out += " " + loo.MatchVersion
	}
	if mixed {
		out += " " + MixtureVersion
	}
	return out
}

// The first words of all warnings of a kind.
const (
	looSaid   = "leave-one-out"
	kfoldSaid = "k-fold"
)

// SaidOfLOO reports whether a warning is one of LOOWarnings.
func SaidOfLOO(warning string) bool { return strings.HasPrefix(warning, looSaid) }

// SaidOfKFold reports whether a warning is one of KFoldWarnings.
func SaidOfKFold(warning string) bool { return strings.HasPrefix(warning, kfoldSaid) }

// LOOWarnings describes the rows that make the estimates unreliable.
func LOOWarnings(l *record.LOO) (out []string) {
	for i := range l.Rows {
		if reason := l.Rows[i].Reason; reason != "" {
			return []string{fmt.Sprintf(looSaid+" cannot be computed: row %d of the design: %s", i+1, reason)}
		}
	}
	if l.High > 0 {
		after, advice := "", "look at these rows, or refit without them"
		if l.Version == LOOVersion(true, false) {
			after, advice = "after moment matching ", "look at these rows, or ask for kfold"
		}
		out = append(out, fmt.Sprintf(looSaid+": %sthe Pareto k of %d of %d rows is above %.2g (row %d of the design: "+
			"%.3g): there elpd_loo cannot be relied on; %s", after, l.High, len(l.Rows), l.Threshold, l.Worst+1, l.WorstK,
			advice))
	}
	return out
}

// outcomesHash is that of one response in a row.
func outcomesHash(data *glm.Data) string {
	numbers := append([][]float64{data.Y, data.Trials, data.Frequency}, data.Counts...)
	if data.Limits() != family.NoLimits {
		bounds := make([]float64, 0, 3*len(data.Bounds))
		for _, b := range data.Bounds {
			bounds = append(bounds, b.Upper, b.Low, b.High)
		}
		numbers = append(numbers, data.Kind, bounds)
	}
	return hashOf(numbers...)
}

func hashOf(numbers ...[]float64) string {
	h := sha256.New()
	var word [8]byte
	put := func(values []float64) {
		binary.LittleEndian.PutUint64(word[:], uint64(len(values)))
		h.Write(word[:])
		for _, v := range values {
			binary.LittleEndian.PutUint64(word[:], math.Float64bits(v))
			h.Write(word[:])
		}
	}
	for _, values := range numbers {
		put(values)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
