package predictive

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer/glm"
	"glmbatch/infer/loo"
	"glmbatch/report/record"
)

// LeaveOneOut evaluates every row of the data that a model was fitted to. A row
// that counts several times is one of so many equal observations: its numbers
// are those of leaving one of them out.
func (f *Fit) LeaveOneOut(ctx context.Context, family glm.Family, data *glm.Data) (*record.LOO, error) {
	outcomes, err := glm.NewPointwise(family, data)
	if err != nil {
		return nil, err
	}
	out := &record.LOO{Rows: make([]record.Pointwise, data.Rows()), Threshold: loo.Threshold(f.Size()),
		Outcomes: outcomesHash(data), Version: loo.Version}
	works := make([]loo.Workspace, max(1, f.Workers))
	scratch := make([][]float64, len(works))
	for b, err := range f.Blocks(ctx, data) {
		if err != nil {
			return nil, err
		}
		err := f.each(f.Size(), func(_, s int) { outcomes.LogLik(b.First, b.At(s), b.Disp[s][:], b.At(s)) })
		if err != nil {
			return nil, err
		}
		err = f.each(b.Rows, func(w, i int) {
			if scratch[w] == nil {
				scratch[w] = make([]float64, f.Size())
			}
			b.Row(i, scratch[w])
			r := works[w].Row(slices.Collect(slices.Chunk(scratch[w], f.Draws)))
			out.Rows[b.First+i] = record.Pointwise{ELPD: r.ELPD, P: r.P, K: r.K, WAIC: r.WAIC, PWAIC: r.PWAIC,
				Efficiency: r.Efficiency, MCSE: r.MCSE, Reason: r.Reason, Frequency: 1}
		})
		if err != nil {
			return nil, err
		}
	}
	total(out, data.Frequency)
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
	l.MCSE, l.WorstK = math.Sqrt(variance.Value), math.Inf(-1)
	for i := range l.Rows {
		k := l.Rows[i].K
		if k > l.Threshold {
			l.High++
		}
		if k > l.WorstK {
			l.WorstK, l.Worst = k, i
		}
	}
	if l.High > 0 {
		l.MCSE = math.NaN()
	}
}

// LOOWarnings says in words which rows make the estimates unreliable.
func LOOWarnings(l *record.LOO) (out []string) {
	for i := range l.Rows {
		if reason := l.Rows[i].Reason; reason != "" {
			return []string{fmt.Sprintf("leave-one-out cannot be computed: row %d of the design: %s", i+1, reason)}
		}
	}
	if l.High > 0 {
		out = append(out, fmt.Sprintf("leave-one-out: the Pareto k of %d of %d rows is above %.2g (row %d of the design: "+
			"%.3g): there elpd_loo cannot be relied on; "+
			"look at these rows, or refit without them", l.High, len(l.Rows), l.Threshold, l.Worst+1, l.WorstK))
	}
	return out
}

// outcomesHash is equal for fits of the same responses in the same order,
// whatever explains them: only these can be compared.
func outcomesHash(data *glm.Data) string {
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
	put(data.Y)
	put(data.Trials)
	put(data.Frequency)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
