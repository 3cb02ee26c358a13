package run

import (
	"context"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
	"glmbatch/report/record"
)

// base is what the ledger knew of earlier fits when the run began; it is a plan.Base.
type base struct {
	*runner
	file    *report.Ledger
	earlier map[record.Key][]record.Stored // complete ones by name, the newest first
}

// newBase reads the earlier fits of the pipeline, if its run starts from them.
func newBase(ctx context.Context, file *report.Ledger, r *runner) (*base, error) {
	b := &base{r, file, map[record.Key][]record.Stored{}}
	if r.Pipeline.Run.Start != plan.StartPrevious {
		return b, nil
	}
	found, err := file.Earlier(ctx, r.Pipeline.Name)
	for _, e := range found {
		b.earlier[e.Key] = append(b.earlier[e.Key], e)
	}
	return b, err
}

// Earlier lists the complete fits of a name, the newest first.
func (b *base) Earlier(k record.Key) []record.Stored { return b.earlier[k] }

// Recall reads what a fit says of its posterior and its data.
func (b *base) Recall(ctx context.Context, id int64) (record.Recalled, error) {
	return b.file.Recall(ctx, id)
}

// Answers reports whether the fit with a fingerprint serves in place of f.
func (b *base) Answers(f *plan.Fit, fingerprint string) bool {
	stored, _ := b.known.fit(fingerprint)
	return !b.Force && !redraws(f.Model, stored)
}
