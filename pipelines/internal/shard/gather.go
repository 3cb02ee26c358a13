package shard

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/report/record"
)

// MissingError names the shards whose fragments are not there, or not as they were written. Nothing was loaded.
type MissingError struct{ Shards []string }

func (e *MissingError) Error() string {
	hint := "carry these shards out and gather again, or leave them out with --partial"
	return words.Hint(fmt.Errorf("nothing was loaded: %s", strings.Join(e.Shards, "; ")), hint).Error()
}

// Gathering is what Gather needs besides the plan and its folder.
type Gathering struct {
	Spec    *spec.Pipeline
	Run     *report.Run // how the ledger tells of the night
	Ledger  *report.Ledger
	Partial bool
}

// Gather loads all fragments into the ledger, and says what one run of all fits would have said. It may be killed, and
// called again.
func (p *Plan) Gather(ctx context.Context, dir string, g Gathering) (*outcome.Outcome, error) {
	var whole []*report.Ledger
	out := &outcome.Outcome{RunID: p.Run, Pipeline: g.Spec.Name, Database: g.Ledger.Path(), Started: p.Started,
		Finished: p.Started}
	for i := range p.Shards() {
		part, file, err := p.fragment(ctx, dir, i)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			out.Missing = append(out.Missing, fmt.Sprintf("shard %d %s", i, err))
			continue
		}
		whole, out.Fits = append(whole, file), append(out.Fits, part.Fits...)
		if part.Finished.After(out.Finished) {
			out.Finished = part.Finished
		}
	}
	if len(out.Missing) > 0 && !g.Partial {
		return nil, &MissingError{out.Missing}
	}
	if err := g.Ledger.Gather(ctx, g.Run, whole, p.Whole); err != nil {
		return nil, err
	}
	if err := number(ctx, g.Ledger, out.Fits); err != nil {
		return nil, err
	}
	inOrder(g.Spec, out)
	out.Complete(false)
	g.Run.Finished, g.Run.ExitCode = out.Finished, out.ExitCode
	err := g.Ledger.Write(ctx, func(s *report.Session) error { return s.Run(ctx, g.Run) })
	if err != nil {
		out.Unrecord(err)
	}
	out.Deliver(ctx, g.Ledger, g.Spec.Publish, g.Spec.Report)
	return out, nil
}

// fragment opens the fragment of a shard, if all of it is as it was written.
func (p *Plan) fragment(ctx context.Context, dir string, i int) (*outcome.Outcome, *report.Ledger, error) {
	out, err := Done(dir, i)
	if err == nil && out == nil {
		err = fmt.Errorf("has no fragment")
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := report.Open(fragment(dir, i), report.Options{Threads: 1, Later: true})
	if err != nil {
		return nil, nil, err
	}
	names := 0
	err = file.Reading(ctx, func() error {
		if _, err := file.Verify(ctx); err != nil {
			return err
		}
		names, err = file.Told(ctx, p.Run)
		return err
	})
	if err == nil && names < p.Names[i] {
		err = fmt.Errorf("tells of %d of the %d fits that were planned: data were not there any more", names, p.Names[i])
	}
	return out, file, err
}

// number gives results the numbers that their fits have in the ledger.
func number(ctx context.Context, ledger *report.Ledger, results []*outcome.Result) error {
	stored, err := ledger.Stored(ctx, nil)
	for _, r := range results {
		if r.ID != 0 {
			r.ID = stored[r.Fingerprint].ID
		}
	}
	return err
}

// inOrder puts results in the order of the spec, those of what no shard could read once.
func inOrder(p *spec.Pipeline, out *outcome.Outcome) {
	place := map[record.Key]int{}
	for i, ref := range p.Fits() {
		place[record.Key{Dataset: ref.Dataset.Name, Model: ref.Model.Name, Sampler: ref.Sampler.Name}] = i
	}
	datasets := map[string]int{}
	for i, ds := range p.Datasets {
		datasets[ds.Name] = i
	}
	at := func(r *outcome.Result) int {
		return place[record.Key{Dataset: r.Dataset, Model: r.Model, Sampler: r.Sampler}]
	}
	slices.SortStableFunc(out.Fits, func(a, b *outcome.Result) int {
		return cmp.Or(cmp.Compare(datasets[a.Dataset], datasets[b.Dataset]), cmp.Compare(a.Key, b.Key),
			cmp.Compare(at(a), at(b)), cmp.Compare(a.Replicate, b.Replicate))
	})
	out.Fits = slices.CompactFunc(out.Fits, func(a, b *outcome.Result) bool { return a.Name() == b.Name() })
}
