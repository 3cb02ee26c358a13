package run

import (
	"context"
	"slices"

	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
)

// look is what one pass over the data takes: the fits that are chosen and, in a second pass, of these the named ones.
type look struct {
	plan.Choice
	names map[string]bool // nil of the first pass
}

func (l look) first() bool { return l.names == nil }

// fits lists the unit's fits.
func (l look) fits(p *spec.Pipeline, u *plan.Unit) []*plan.Fit {
	return slices.DeleteFunc(plan.Fits(p, l.Choice, u), func(f *plan.Fit) bool { return !l.first() && !l.names[f.Name()] })
}

// secondLook takes those of the results that were left to another run, unless it still works on them.
func secondLook(s plan.Selector, results []*outcome.Result, busy func(fingerprint string) bool) look {
	l := look{plan.Choice{Selector: s, Keys: []record.Key{}}, map[string]bool{}}
	for _, res := range results {
		if res.LeftToOther() && !busy(res.Fingerprint) {
			l.names[res.Name()] = true
			l.Keys = append(l.Keys, record.Key{Dataset: res.Dataset, Group: res.Key, Model: res.Model, Sampler: res.Sampler})
		}
	}
	return l
}

// again looks once more at the fits that another run worked on when this one came to them:
// what the other has stored since counts by its verdict, and what it has let go of is
// drawn. So of several runs of one spec the last to end finds every fit stored. A fit
// that is still worked on is left alone.
func (r *runner) again(ctx context.Context, results []*outcome.Result) error {
	if !slices.ContainsFunc(results, (*outcome.Result).LeftToOther) {
		return nil
	}
	_ = r.known.read(ctx, r.ledger.file) // where the ledger cannot be read now, it is what was known last
	seen, err := r.all(ctx, secondLook(r.choice.Selector, results, func(fingerprint string) bool {
		_, stored := r.known.fit(fingerprint)
		return !stored && r.Disk.Busy(r.world.Root, fingerprint)
	}))
	found := map[string]*outcome.Result{}
	for _, res := range seen {
		found[res.Name()] = res
	}
	for i, res := range results {
		switch now := found[res.Name()]; {
		case now != nil:
			results[i] = now
		case res.LeftToOther():
			r.Tracker.Expect(1)
			r.ended(nil, res.Method, nil, res)
		}
	}
	return err
}
