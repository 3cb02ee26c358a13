package mrf

import "math"

// MeanFieldOptions configures MeanField. The zero value is ready to use.
type MeanFieldOptions struct {
	// Damping is the share of the new distribution in an update, above 0 and at
	// most 1. Zero means 1: no damping.
	Damping float64
	// Tolerance ends the iteration when no probability moved further in a sweep.
	// Zero means 1e-10.
	Tolerance float64
	// MaxSweeps bounds the sweeps. Zero means 1000.
	MaxSweeps int
	// Start of the laws. Empty means Anywhere, where they are uniform.
	Start Start `json:",omitempty"`
}

// MeanFieldResult is the end of the iteration.
type MeanFieldResult struct {
	Sweeps    int
	Change    float64 // the largest move of a probability in the last sweep
	Converged bool
}

// MeanField returns the product distribution q = Π q_i that naive mean field
// finds from its start: q_i ∝ exp(E_q θ_i(x)), variables in turn, each
// update mixed with the old distribution by the damping. A fixed point is a
// stationary point of the divergence KL(q‖π), not always the best one.
// Cost per sweep: a pass over the edges, times the squared states.
//
// Source: Wainwright and Jordan (2008), doi:10.1561/2200000001, section 5.3.
func MeanField(m Model, o MeanFieldOptions) (*Marginals, MeanFieldResult, error) {
	if o.Damping == 0 {
		o.Damping = 1
	}
	if !(o.Damping > 0 && o.Damping <= 1) {
		return nil, MeanFieldResult{}, fault("give a share above 0, at most 1", "the damping is %v", o.Damping)
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.MaxSweeps == 0 {
		o.MaxSweeps = 1000
	}
	start, err := o.Start.Check()
	if err != nil {
		return nil, MeanFieldResult{}, err
	}
	q, lw := NewMarginals(m), make([]float64, MaxStates(m))
	start.laws(m, q)
	var r MeanFieldResult
	for r.Sweeps < o.MaxSweeps && !r.Converged {
		r.Sweeps++
		r.Change = 0
		for i := range m.Variables() {
			row := q.At(i)
			m.logMean(lw, i, q)
			normalise(lw[:len(row)])
			for a, old := range row {
				row[a] = math.FMA(o.Damping, lw[a]-old, old)
				r.Change = max(r.Change, math.Abs(row[a]-old))
			}
		}
		r.Converged = r.Change <= o.Tolerance
	}
	return q, r, nil
}
