package assess

import (
	"context"
	"math"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
)

// kfoldVersion names how rows are dealt to folds, and how long folds are drawn.
const kfoldVersion = "kfold/1"

// kfoldAsked is the request of a fit's run for k-fold, with its version and a digest of the folds from the data:
// later the same column may have others.
func kfoldAsked(f *plan.Fit, folds *plan.Folds) string {
	asked := f.Pipeline.Run.KFold.String() + ", " + kfoldVersion
	if f.Model.Mixed() {
		asked += " " + predictive.MixtureVersion
	}
	if folds != nil {
		asked += ", folds " + folds.Digest()
	}
	return asked
}

// kfold fits the model without each fold, with chains chains of draws draws.
func (e *Extras) kfold(ctx context.Context, f *plan.Fit, p plan.Rowwise, draws *Source) error {
	of := p.Observed()
	stream := func(path ...string) *infer.Stream {
		return infer.NewStream(f.Pipeline.Seed, append([]string{"kfold", f.Unit.Dataset.Name, f.Unit.Key}, path...)...)
	}
	by := &predictive.Folding{
		Asked: kfoldAsked(f, of.Folds), Chains: draws.Chains, Warmup: draws.Draws, Draws: draws.Draws,
		Setup: func(rows []int) (setup infer.Setup, all *predictive.Evaluator, err error) {
			if setup, err = p.Refit(rows); err == nil {
				all, err = evaluate(p, &Source{Parameters: setup.Parameters()})
			}
			return setup, all, err
		},
		Stream: func(fold, chain int) *infer.Stream {
			return stream(f.Model.Name, f.Sampler.Name, strconv.Itoa(fold), strconv.Itoa(chain))
		},
	}
	if run := &f.Pipeline.Run; run.Fixed() {
		by.Warmup = run.Warmup
	}
	if of.Folds != nil {
		by.Of, by.Count = of.Folds.Of, of.Folds.Count
	} else {
		by.Of, by.Count = deal(of.Rows, f.Pipeline.Run.KFold.Folds, stream("folds"))
	}
	found, logs, err := predictive.KFold(ctx, of.Data.Frequency, by)
	if err != nil {
		return err
	}
	work := diag.NewWorkspace()
	for _, chains := range logs {
		found.RHat = math.Max(found.RHat, work.Summarize(chains).RHat)
	}
	e.KFold = found
	e.Warnings = append(e.Warnings, predictive.KFoldWarnings(found)...)
	return nil
}

// deal deals rows to folds of nearly equal size at random. It depends on the data set and the number of rows alone, so
// that models share their folds.
func deal(rows, folds int, s *infer.Stream) (of []int, count int) {
	of, order := make([]int, rows), make([]int, rows)
	for i := range order {
		j := int(s.Uint64() % uint64(i+1))
		order[i], order[j] = order[j], i
	}
	for place, i := range order {
		of[i] = place % folds
	}
	return of, min(folds, rows)
}
