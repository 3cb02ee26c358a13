package report

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"

	"glmbatch/infer"
)

// insertStats stores the statistics of each iteration, a row of lists for each block of a chain's warm-up or kept
// draws.
func (s *Session) insertStats(ctx context.Context, id int64, f *Fit) error {
	if f.StatsOf == nil {
		return nil
	}
	return s.appendRows("chain_piece", func(add func(...driver.Value) error) error {
		for st, err := range f.StatsOf {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return err
			}
			if st.Chain < 0 || st.Chain >= f.Chains {
				return &ShapeError{fmt.Sprintf("statistics of chain %d of %d", st.Chain+1, f.Chains)}
			}
			warm := min(max(1-st.First, 0), len(st.Infos)) // the rest are of kept draws
			for _, part := range []infer.Iterations{{First: st.First, Infos: st.Infos[:warm]},
				{First: st.First + warm, Infos: st.Infos[warm:]}} {
				if len(part.Infos) == 0 {
					continue
				}
				if err := add(statsRow(id, st.Chain, part.First, part.Infos)...); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// statsRow is a row of the table chain_piece.
func statsRow(id int64, chain, first int, infos []infer.Info) []driver.Value {
	row := []driver.Value{id, int16(chain + 1), int32(first), int32(len(infos))}
	for _, of := range []func(*infer.Info) any{
		func(i *infer.Info) any { return number(i.LogLik) }, func(i *infer.Info) any { return number(i.LogPrior) },
		func(i *infer.Info) any { return i.Evaluations }, func(i *infer.Info) any { return i.Touched },
		func(i *infer.Info) any { return i.Gradients }, func(i *infer.Info) any { return number(i.Accept) },
		func(i *infer.Info) any { return number(i.StepSize) }, func(i *infer.Info) any { return number(i.Energy) },
		func(i *infer.Info) any { return i.Depth }, func(i *infer.Info) any { return i.Leapfrogs },
		func(i *infer.Info) any { return i.Divergent },
	} {
		row = append(row, statsList(infos, of))
	}
	return row
}

// statsList is what of gives of each iteration, or one value where it is the same to the bit.
func statsList(infos []infer.Info, of func(*infer.Info) any) []any {
	out := make([]any, 0, len(infos))
	same := true
	for i := range infos {
		v := of(&infos[i])
		out = append(out, v)
		same = same && equalBits(v, out[0])
	}
	if same {
		return out[:1]
	}
	return out
}

// equalBits is a == b, which of floats tells −0 from 0.
func equalBits(a, b any) bool {
	x, float := a.(float64)
	y, both := b.(float64)
	if float && both {
		return math.Float64bits(x) == math.Float64bits(y)
	}
	return a == b
}
