package run

import (
	"math"
	"slices"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report/judge"
)

// measured is what a check found in a window of draws.
type measured struct {
	params      []diag.Summary // one per parameter, in the order of the draws
	local       []bool         // local scales, and constants of discrete systems, which no gate looks at; nil: none
	still       bool           // log_lik never moves, and no gate looks at it
	derived     []diag.Summary // of the derived quantities, in the order of the spec
	deriving    *deriving
	logLik      diag.Summary
	logPrior    diag.Summary
	extra       []judge.Statistic // of the numbers besides parameters
	divergences int
	hamiltonian hamiltonian
	expanding   time.Duration // processor time in which the draws were made of their rows
}

// measure computes the diagnostics of every number of a draw and of the log
// densities.
func measure(d *draws, w window, bytes int) (*measured, error) {
	f, n := d.spool, &d.numbers
	d.expanded = 0
	m := &measured{params: make([]diag.Summary, n.params), extra: make([]judge.Statistic, len(n.extra))}
	work := diag.NewWorkspace()
	chains := make([][]float64, len(f.Chains))
	for block, err := range d.inAnyOrder(n.count(), w, bytes) {
		if err != nil {
			return nil, err
		}
		for p := range block.Params {
			for c := range chains {
				at := (p*block.Chains + c) * block.Draws
				chains[c] = block.Values[at : at+block.Draws]
			}
			summary := work.Summarize(chains)
			if at := block.First + p; at < n.params {
				m.params[at] = summary
			} else {
				m.extra[at-n.params] = judge.Statistic{Name: n.extra[at-n.params], Summary: summary}
			}
		}
	}
	m.expanding = d.expanded
	return m, m.densities(f, work, w)
}

func (m *measured) densities(f *spool.Fit, work *diag.Workspace, w window) error {
	lik := make([][]float64, len(f.Chains))
	prior := make([][]float64, len(f.Chains))
	for c, chain := range f.Chains {
		lik[c], prior[c] = make([]float64, 0, w.draws()), make([]float64, 0, w.draws())
		energy := make([]float64, 0, w.draws())
		for from := w.from; from < w.to; from += blockDraws {
			infos, err := chain.Infos(from, min(from+blockDraws, w.to))
			if err != nil {
				return err
			}
			m.hamiltonian.add(infos)
			for i := range infos {
				lik[c], prior[c] = append(lik[c], infos[i].LogLik), append(prior[c], infos[i].LogPrior)
				energy = append(energy, infos[i].Energy)
				if infos[i].Divergent {
					m.divergences++
				}
			}
		}
		m.hamiltonian.end(energy)
	}
	m.logLik, m.logPrior = work.Summarize(lik), work.Summarize(prior)
	return nil
}

// mixed reports whether R-hat passes its gate, without a warning, for every
// gated quantity. A quantity whose R-hat cannot be computed has not mixed.
func (m *measured) mixed(g spec.Gate) bool {
	limit := g.Strict()
	return !limit.On || m.worstRHat() <= limit.At
}

// gated tells whether gates look at parameter i.
func (m *measured) gated(i int) bool { return i >= len(m.local) || !m.local[i] }

// worstRHat is the largest R-hat of the gated parameters and statistics, +Inf if
// one cannot be computed.
func (m *measured) worstRHat() float64 {
	worst := m.logLik.RHat
	if m.still {
		worst = 1
	}
	for i := range m.params {
		if !m.gated(i) {
			continue
		}
		worst = math.Max(worst, m.params[i].RHat) // NaN stays NaN
	}
	for i := range m.extra {
		worst = math.Max(worst, m.extra[i].Summary.RHat)
	}
	if math.IsNaN(worst) {
		return math.Inf(1)
	}
	return worst
}

// ess is the bulk effective sample size that the target speaks of.
func (m *measured) ess(over string, kinds []infer.Parameter) float64 {
	var list []float64
	for i, p := range kinds {
		other := p.Kind == infer.Dispersion || p.Kind == infer.Scale || p.Kind == infer.LocalScale
		if !other || over == "all" && m.gated(i) {
			list = append(list, m.params[i].ESSBulk)
		}
	}
	if over == "all" {
		list = append(list, m.logLik.ESSBulk)
		for i := range m.extra {
			list = append(list, m.extra[i].Summary.ESSBulk)
		}
	}
	for i, v := range list {
		if math.IsNaN(v) {
			list[i] = 0
		}
	}
	slices.Sort(list)
	if over == "median" {
		n := len(list)
		return (list[(n-1)/2] + list[n/2]) / 2
	}
	return list[0]
}
