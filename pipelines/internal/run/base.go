package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
	"glmbatch/report/record"
)

// base has the earlier fits of the ledger as of the start of the run; it is a plan.Base.
type base struct {
	*runner
	file    *report.Ledger
	earlier map[record.Key][]record.Stored // complete ones by name, the newest first

	mu     sync.Mutex
	groups map[int64][]int64            // the fits that are read with a fit, by its number
	held   []map[int64]*record.Recalled // the groups that were read last, the newest first
}

// Earlier fits are read in groups of at most groupParameters parameters, and heldGroups of them are kept: queries of
// one fit took 15 to 22 ms.
const (
	groupParameters = 50_000
	heldGroups      = 4
)

// newBase reads the earlier fits of the pipeline, if its run starts from them.
func newBase(ctx context.Context, file *report.Ledger, r *runner) (*base, error) {
	b := &base{runner: r, file: file, earlier: map[record.Key][]record.Stored{}}
	if r.Pipeline.Run.Start != plan.StartPrevious {
		return b, nil
	}
	found, err := file.Earlier(ctx, r.Pipeline.Name)
	b.groups = byParameters(found, groupParameters)
	for _, e := range found {
		b.earlier[e.Key] = append(b.earlier[e.Key], e)
	}
	return b, err
}

// byParameters divides the fits of each run into groups of at most most parameters, in the order of their numbers. A
// fit with more is a group by itself.
func byParameters(fits []record.Stored, most int) map[int64][]int64 {
	sorted := slices.Clone(fits)
	slices.SortFunc(sorted, func(a, b record.Stored) int {
		return cmp.Or(cmp.Compare(a.RunID, b.RunID), cmp.Compare(a.ID, b.ID))
	})
	groups := make(map[int64][]int64, len(fits))
	for i := 0; i < len(sorted); {
		var group []int64
		parameters, run := 0, sorted[i].RunID
		for ; i < len(sorted) && sorted[i].RunID == run; i++ {
			parameters += sorted[i].Parameters
			if group != nil && parameters > most {
				break
			}
			group = append(group, sorted[i].ID)
		}
		for _, id := range group {
			groups[id] = group
		}
	}
	return groups
}

// Earlier lists the complete fits of a name, the newest first.
func (b *base) Earlier(k record.Key) []record.Stored { return b.earlier[k] }

// Recall returns what a fit of Earlier has of its posterior and its data, and reads its group with it.
func (b *base) Recall(ctx context.Context, id int64) (record.Recalled, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, group := range b.held {
		if p := group[id]; p != nil {
			return *p, nil
		}
	}
	group, err := b.file.Recall(ctx, b.groups[id])
	if err != nil {
		return record.Recalled{}, err
	}
	b.held = slices.Insert(b.held, 0, group)
	b.held = b.held[:min(len(b.held), heldGroups)]
	p := group[id]
	if p == nil {
		return record.Recalled{}, fmt.Errorf("the earlier fit %d is no longer in the ledger", id)
	}
	return *p, nil
}

// Answers reports whether the fit with a fingerprint answers f, which is then not drawn.
func (b *base) Answers(f *plan.Fit, fingerprint string) bool {
	stored, _ := b.known.fit(fingerprint)
	return !b.Force && !redraws(f.Model, stored)
}
