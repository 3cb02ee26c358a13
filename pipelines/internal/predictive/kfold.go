package predictive

import (
	"context"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/loo"
	"glmbatch/report/record"
)

// Folding says how rows are left out, and how the others are fitted.
type Folding struct {
	Asked string
	Of    []int // the fold of each row, from 0
	Count int
	// Setup sets the sampler up on some of the rows, and returns what evaluates all rows at its positions; Stream is that
	// of a chain.
	Setup  func(rows []int) (infer.Setup, *Evaluator, error)
	Stream func(fold, chain int) *infer.Stream
	// Chains of each fold, with Warmup iterations of warm-up and Draws draws.
	Chains, Warmup, Draws int
}

// KFold fits a model without each fold of its data and evaluates the rows of the fold by these draws: the log of the
// mean density. A level of a grouping without rows has the effects that its sampler draws for it, which are those of a
// new level; missing cells of a row without its response are drawn by the models of their columns. It returns besides
// the log likelihood of each fold's draws, by chain. frequency is that of the rows; nil: each counts once.
//
// Cost: the fits.
func KFold(ctx context.Context, frequency []float64, by *Folding) (out *record.KFold, logs [][][]float64, err error) {
	values := make([]float64, len(by.Of))
	out = &record.KFold{Asked: by.Asked, Count: by.Count, Rows: make([]record.FoldRow, len(by.Of))}
	for fold := range by.Count {
		rest, left := by.split(fold)
		var trace [][]float64
		var elpd []float64
		setup, e, err := by.Setup(rest)
		if err == nil {
			trace, elpd, err = by.refit(ctx, fold, setup, e.densities(left))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("k-fold: without fold %d of %d: %w", fold+1, by.Count, err)
		}
		out.Outcomes, logs = e.hash(), append(logs, trace)
		for k, i := range left {
			values[i] = elpd[k]
			out.Rows[i] = record.FoldRow{Fold: fold, ELPD: elpd[k], Frequency: 1}
		}
	}
	for i, w := range frequency {
		out.Rows[i].Frequency = w
	}
	out.ELPD.Value, out.ELPD.SE = loo.Sum(values, frequency)
	return out, logs, nil
}

// split returns the rows that are left out with a fold, and the rest.
func (by *Folding) split(fold int) (rest, left []int) {
	for i, of := range by.Of {
		if of == fold {
			left = append(left, i)
		} else {
			rest = append(rest, i)
		}
	}
	return rest, left
}

// densities are the log densities of some rows.
func (e *Evaluator) densities(rows []int) (out []func(theta []float64) float64) {
	for _, i := range rows {
		out = append(out, e.density(i))
	}
	return out
}

// refit draws the chains of a fold and returns the log likelihood of their draws, and the log of the mean of each of
// some densities.
func (by *Folding) refit(ctx context.Context, fold int, setup infer.Setup,
	likes []func(theta []float64) float64) (logs [][]float64, elpd []float64, err error) {
	theta, each := make([]float64, len(setup.Parameters())), make([]loo.MeanExp, len(likes))
	for c := range by.Chains {
		kernel, err := setup.Kernel(infer.Chain{Index: c, Count: by.Chains, Warmup: by.Warmup, Stream: by.Stream(fold, c)})
		if err != nil {
			return nil, nil, err
		}
		var trace []float64
		for i := range by.Warmup + by.Draws {
			info, err := kernel.Step()
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return nil, nil, err
			}
			if i < by.Warmup {
				continue
			}
			trace = append(trace, info.LogLik)
			kernel.Position(theta)
			for k, like := range likes {
				each[k].Add(like(theta))
			}
		}
		logs = append(logs, trace)
	}
	for k := range each {
		elpd = append(elpd, each[k].Log())
	}
	return logs, elpd, nil
}

// KFoldWarnings describes the reasons why the estimates are unreliable.
func KFoldWarnings(k *record.KFold) (out []string) {
	var unknown []string
	for i := range k.Rows {
		if math.IsInf(k.Rows[i].ELPD, 0) || math.IsNaN(k.Rows[i].ELPD) {
			unknown = append(unknown, fmt.Sprint(i+1))
		}
	}
	if unknown != nil {
		out = append(out, fmt.Sprintf(kfoldSaid+": %d rows have no density without their fold, first row %s of the design",
			len(unknown), unknown[0]))
	}
	if k.RHat > 1.05 {
		out = append(out, fmt.Sprintf(kfoldSaid+": R-hat of the log likelihood is %.3g in the worst fold: draw longer",
			k.RHat))
	}
	return out
}
