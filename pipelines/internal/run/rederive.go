package run

import (
	"context"
	"iter"
	"slices"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/report/judge"
)

// redraws says whether a complete fit must be drawn again because its derived
// quantities have changed and the ledger has no draws to compute them from.
func redraws(m *spec.Model, stored report.Stored) bool {
	return !stored.Kept && !slices.Equal(expressions(m), stored.Derived)
}

// deriving computes the fit's derived quantities from a window of its spool.
func (f *fitting) deriving(w window) *deriving {
	return &deriving{
		quantities: f.quantities, first: len(f.params), chains: len(f.spool.Chains), draws: w.draws(), bytes: columnBytes,
		read: func(dst []float64, lo, hi int) error {
			block := &infer.Columns{First: lo, Params: hi - lo, Chains: len(f.spool.Chains), Draws: w.draws(), Values: dst}
			return f.draws.fill(block, w)
		},
	}
}

// rederive computes the derived quantities of a complete fit from the draws in
// the ledger, and takes the verdict anew.
func (r *runner) rederive(ctx context.Context, f *fitting, stored report.Stored) (*report.Derivations, error) {
	if err := r.workers.acquire(ctx); err != nil {
		return nil, err
	}
	defer r.workers.release()
	evidence, err := r.storedEvidence(ctx, f)
	if err != nil {
		return nil, err
	}
	if err := r.bind(f, evidence.Names); err != nil {
		return nil, err
	}
	d := &deriving{
		quantities: f.quantities, first: len(evidence.Names), chains: stored.Chains, draws: stored.Draws, bytes: columnBytes,
		read: func(dst []float64, lo, hi int) error {
			block := &infer.Columns{First: lo, Params: hi - lo, Chains: stored.Chains, Draws: stored.Draws, Values: dst}
			return r.ledger.file.ReadDraws(ctx, stored.ID, block)
		},
	}
	summaries, err := d.summarize()
	if err != nil {
		return nil, err
	}
	derivedMoments(summaries, f.quantities, evidence.Names, meanless(evidence.Summaries))
	evidence.Derived = nil
	for i, q := range f.quantities {
		evidence.Derived = append(evidence.Derived, judge.Statistic{Name: q.Name, Summary: summaries[i]})
	}
	out := &report.Derivations{
		Fingerprint: f.fingerprint, RunID: r.id, First: d.first, Parameters: d.parameters(), Summaries: summaries,
		Chains: d.chains, Draws: d.draws, Gates: f.gates.Judge(), Verdict: judge.Judge(f.gates.Judge(), evidence), At: r.Now(),
	}
	if len(d.quantities) > 0 {
		values, err := d.all() // the ledger cannot be read while it is written
		if err != nil {
			return nil, err
		}
		out.DrawsOf = derivedColumns(values, d.first, d.chains, d.draws)
	}
	return out, nil
}

// all returns the draws of all quantities, by quantity, chain and draw.
func (d *deriving) all() (values []float64, err error) {
	for block, err := range d.blocks() {
		if err != nil {
			return nil, err
		}
		values = append(values, block.Values...)
	}
	return values, nil
}

// derivedColumns yields what all has returned, one quantity at a time.
func derivedColumns(values []float64, first, chains, draws int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		for i, block := range slices.Collect(slices.Chunk(values, max(1, chains*draws))) {
			if !yield(&infer.Columns{First: first + i, Params: 1, Chains: chains, Draws: draws, Values: block}, nil) {
				return
			}
		}
	}
}

// inTurn yields the blocks of one sequence and then those of the other.
func inTurn(a, b iter.Seq2[*infer.Columns, error]) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		for _, seq := range []iter.Seq2[*infer.Columns, error]{a, b} {
			for block, err := range seq {
				if !yield(block, err) {
					return
				}
			}
		}
	}
}
