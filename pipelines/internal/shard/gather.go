package shard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/report/record"
)

// MissingError names the shards whose fragments are absent, damaged, of another run or shard, or incomplete. Nothing
// was loaded.
type MissingError struct{ Shards []string }

func (e *MissingError) Error() string {
	hint := "run these shards and gather again, or load the others with --partial"
	return words.Hint(fmt.Errorf("nothing was loaded: %s", strings.Join(e.Shards, "; ")), hint).Error()
}

// Gathering holds the inputs of Gather apart from the plan and its folder.
type Gathering struct {
	Spec     *spec.Pipeline
	Manifest *Manifest
	Run      *report.Run // the run's row in the ledger
	Ledger   *report.Ledger
	Partial  bool // load what there is
	Log      *slog.Logger
}

// Gather loads all fragments into the ledger, and returns the outcome that one run of all fits would have had. It may
// be killed, and called again.
func (p *Plan) Gather(ctx context.Context, dir string, g Gathering) (*outcome.Outcome, error) {
	found := make([]found, p.Shards())
	var read errgroup.Group
	read.SetLimit(runtime.GOMAXPROCS(0))
	for i := range found {
		read.Go(func() error {
			found[i] = g.Manifest.find(ctx, dir, i)
			return ctx.Err()
		})
	}
	if err := read.Wait(); err != nil {
		return nil, err
	}
	var fragments []*report.Fragment
	for i := range found {
		if found[i].err == nil && !g.Partial {
			found[i].err = incomplete(found[i].out)
		}
		if found[i].err == nil {
			fragments = append(fragments, found[i].fragment)
		}
	}
	if len(fragments) < len(found) && !g.Partial {
		return nil, missing(found)
	}
	out := &outcome.Outcome{RunID: p.Run, Pipeline: g.Spec.Name, Database: g.Ledger.Path(), Started: p.Started,
		Finished: p.Started}
	var unsaid error
	err := g.Ledger.Gather(ctx, report.Gathering{Run: g.Run, Fragments: fragments, Whole: p.Whole, Partial: g.Partial,
		End: func(s *report.Session) error {
			if err := p.say(ctx, s, g, found, out); err != nil {
				return err
			}
			unsaid = s.Run(ctx, g.Run)
			return nil
		}})
	if errors.Is(err, report.ErrFragments) {
		return nil, missing(found)
	}
	if err != nil {
		return nil, err
	}
	if unsaid != nil {
		out.Unrecord(unsaid)
	}
	out.Deliver(ctx, g.Ledger, g.Spec.Publish, g.Spec.Report)
	out.Lack()
	return out, nil
}

// found holds the results of a shard.
type found struct {
	out      *outcome.Outcome
	fragment *report.Fragment
	err      error // why it is not loaded
}

// missing names the shards whose fragments are not loaded.
func missing(all []found) *MissingError { return &MissingError{left(all)} }

// left gives the reason for each shard that is not loaded.
func left(all []found) (out []string) {
	for i, f := range all {
		if f.err == nil && f.fragment.Err != nil {
			f.err = f.fragment.Err
		}
		if f.err != nil {
			out = append(out, fmt.Sprintf("shard %d %s", i, f.err))
		}
	}
	return out
}

// find looks for the fragment of a shard, and reads every block of it.
func (m *Manifest) find(ctx context.Context, dir string, i int) (f found) {
	if f.out, f.err = Done(dir, i); f.err == nil && f.out == nil {
		f.err = errors.New("has no fragment")
	}
	if f.err == nil {
		f.err = m.outcome(i, f.out)
	}
	if f.err != nil {
		return f
	}
	f.fragment, f.err = m.open(dir, i, f.out)
	if f.err == nil {
		f.err = f.fragment.File.Whole(ctx)
	}
	return f
}

// open opens the fragment of a shard whose run had an outcome.
func (m *Manifest) open(dir string, i int, out *outcome.Outcome) (*report.Fragment, error) {
	file, err := report.Open(fragment(dir, i), report.Options{Threads: 1, Later: true})
	return &report.Fragment{File: file, Check: func(c report.Contents) error { return m.fragment(i, out, c) }}, err
}

// say completes the outcome, and with it the run, when all present shards were loaded.
func (p *Plan) say(ctx context.Context, s *report.Session, g Gathering, all []found, out *outcome.Outcome) error {
	numbers, err := s.Numbers(ctx)
	if err != nil {
		return err
	}
	out.Missing = left(all)
	for i, f := range all {
		if f.err == nil {
			f.err = f.fragment.Err
		}
		if f.err != nil {
			g.Log.Warn("shard", "run", p.Run, "shard", i, "action", "left out", "err", f.err.Error())
			continue
		}
		g.Log.Info("shard", "run", p.Run, "shard", i, "action", "loaded", "fits", len(f.out.Fits))
		out.Fits = append(out.Fits, f.out.Fits...)
		if f.out.Finished.After(out.Finished) {
			out.Finished = f.out.Finished
		}
	}
	for _, r := range out.Fits {
		if r.ID != 0 {
			r.ID = numbers[r.Fingerprint]
		}
	}
	inOrder(g.Spec, out)
	out.Complete(false)
	g.Run.Finished, g.Run.ExitCode = out.Finished, out.ExitCode
	return nil
}

// inOrder puts results in the order of the spec.
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
}
