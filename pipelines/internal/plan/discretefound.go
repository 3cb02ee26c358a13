package plan

import (
	"strings"

	"glmbatch/discrete/system"
	"glmbatch/report/record"
)

// found holds the results of a discrete system apart from draws: it implements Collected.
type found struct {
	*system.Result
	problem *Discrete
	// chainBytes is the memory of one chain; 0 if there are no chains.
	chainBytes int64
}

// Warnings are those of the result.
func (f *found) Warnings() []string { return f.Result.Warnings }

// Describe adds variables, marginals and certificates as the ledger keeps them.
func (f *found) Describe(rec *record.Fit) {
	field, found := f.problem.field, f.Result
	out := &record.Discrete{
		System: record.System{
			Variables: field.N, Edges: field.Edges, Labels: field.Labels, Rows: field.Rows, Columns: field.Columns,
			Interaction: field.Interaction,
			LogZ:        found.LogZ, BestLogLik: found.BestU, BestChain: found.BestChain, Gated: f.problem.method.gated,
			ModelBytes: int64(field.Model.Bytes()), ChainBytes: f.chainBytes,
		},
		IDs: make([]string, field.N), Observation: field.Observation, Truth: field.Truth, Best: found.Best,
		MCSE: found.MCSE,
	}
	for i := range out.IDs {
		out.IDs[i] = field.ID(i)
	}
	if found.Marginals != nil {
		out.Probability = make([]float64, 0, field.N*field.States)
		for i := range field.N {
			out.Probability = append(out.Probability, found.Marginals.At(i)...)
		}
	}
	if out.Probability == nil {
		out.MCSE = nil
	}
	for _, c := range found.Certificates {
		if c.Trace != nil {
			out.Scan, out.ScanBounds, out.Influences = c.Trace.Order, c.Trace.Bounds, influences(c.Trace)
		}
		out.Certificates = append(out.Certificates,
			record.Certificate{Method: c.Method, Bounded: c.Of, IDs: c.IDs, Variables: c.Count, Updates: c.Updates,
				Bound: c.Bound, Note: strings.TrimSpace(c.Reason)})
	}
	rec.Discrete = out
}

// influences lists the bounds of influences of a scan.
func influences(t *system.Trace) (out []record.Influence) {
	if t.Influences == nil {
		return nil
	}
	for i := range t.Influences.Variables() {
		to, values := t.Influences.Row(i)
		for k, j := range to {
			out = append(out, record.Influence{Variable: i, Other: int(j), Bound: values[k]})
		}
	}
	return out
}
