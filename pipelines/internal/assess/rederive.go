package assess

import (
	"iter"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// Rederived are the derived quantities of a stored fit, computed anew from its draws.
type Rederived struct {
	Parameters []record.Parameter
	Summaries  []diag.Summary
	DrawsOf    iter.Seq2[*infer.Columns, error] // nil where nothing is derived
}

// Rederive computes the derived quantities of a stored fit, and puts them in the place of
// those in its evidence. read reads the draws of parameters [lo, hi) by parameter, chain and draw.
func Rederive(id *plan.Identified, e *judge.Evidence, chains, draws int,
	read func(dst []float64, lo, hi int) error) (*Rederived, error) {
	quantities, err := Bind(id, e.Names)
	if err != nil {
		return nil, err
	}
	d := newDeriving(quantities, len(e.Names), chains, draws, read)
	summaries, err := d.Summarize()
	if err != nil {
		return nil, err
	}
	withoutDerivedMoments(summaries, quantities, e.Names, meanless(e.Summaries))
	e.Derived = nil
	for i, q := range quantities {
		e.Derived = append(e.Derived, judge.Statistic{Name: q.Name, Summary: summaries[i]})
	}
	out := &Rederived{Parameters: d.Parameters(), Summaries: summaries}
	if len(quantities) > 0 {
		values, err := d.All() // the ledger cannot be read while it is written
		if err != nil {
			return nil, err
		}
		out.DrawsOf = derivedColumns(values, len(e.Names), chains, draws)
	}
	return out, nil
}
