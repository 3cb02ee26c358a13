package run

import (
	"context"
	"errors"
	"slices"

	"glmbatch/pipelines/internal/spool"
	"glmbatch/report/record"
)

// again looks once more at the fits that another run worked on when this one came to them:
// what the other has stored since counts by its verdict, and what it has let go of is
// drawn. So of several runs of one spec the last to end finds every fit stored. A fit
// that is still worked on is left alone.
func (r *runner) again(ctx context.Context, results []*Result) error {
	if !slices.ContainsFunc(results, (*Result).leftToOther) {
		return nil
	}
	_ = r.known.read(ctx, r.ledger.file) // where the ledger cannot be read now, it is what was known last
	second := *r
	second.choice.Keys, second.last = []record.Key{}, map[string]bool{}
	for _, res := range results {
		if !res.leftToOther() {
			continue
		}
		_, stored := r.known.fit(res.Fingerprint)
		if stored || !r.Disk.Busy(r.world.Root, res.Fingerprint) {
			second.last[res.Name()] = true
			second.choice.Keys = append(second.choice.Keys,
				record.Key{Dataset: res.Dataset, Group: res.Key, Model: res.Model, Sampler: res.Sampler})
		}
	}
	seen, err := second.all(ctx)
	found := map[string]*Result{}
	for _, res := range seen {
		found[res.Name()] = res
	}
	for i, res := range results {
		switch now := found[res.Name()]; {
		case now != nil:
			results[i] = now
		case res.leftToOther():
			r.Tracker.Expect(1)
			r.ended(nil, res.Method, nil, res)
		}
	}
	return err
}

// leftToOther reports whether another run worked on the fit.
func (r *Result) leftToOther() bool {
	var busy *spool.BusyError
	return r.Action == Uncommitted && errors.As(r.Err, &busy)
}
