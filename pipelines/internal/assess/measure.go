package assess

import (
	"math"
	"slices"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// Measured holds the measures of a check in a window of draws.
type Measured struct {
	Parameters  []diag.Summary // one per parameter, in the order of the draws
	Derived     []diag.Summary // of the derived quantities, in the order of the spec
	Divergences int
	// Lost reports whether a gate fails that more draws do not make hold. Such a fit does not grow.
	Lost        bool
	local       []bool // local scales, and constants of discrete systems, which no gate looks at; nil: none
	still       bool   // log_lik never moves, and no gate looks at it
	deriving    *Deriving
	logLik      diag.Summary
	logPrior    diag.Summary
	extra       []judge.Statistic // of the numbers besides parameters
	hamiltonian hamiltonian
	expanding   time.Duration // processor time in which the draws were made of their rows
	summing
	// within holds the estimates of the parameters from each imputation; nil if there is one.
	within []diag.Pooled
}

// measure computes the diagnostics of every number of a draw and of the log
// densities.
func measure(d *Draws, w plan.Window, imputations, bytes int) (*Measured, error) {
	f, n := d.Spool, &d.Numbers
	d.expanded = 0
	m := &Measured{Parameters: make([]diag.Summary, n.Params), extra: make([]judge.Statistic, len(n.extra)),
		summing: summing{imputations}}
	if m.pooled() {
		m.within = make([]diag.Pooled, n.Params)
	}
	work := diag.NewWorkspace()
	chains := make([][]float64, len(f.Chains))
	for block, err := range d.inAnyOrder(n.count(), w, bytes) {
		if err != nil {
			return nil, err
		}
		for p := range block.Params {
			found := m.sum(work, chainsOf(block, p, chains))
			summary := found.Summary
			if at := block.First + p; at < n.Params {
				m.Parameters[at] = summary
				if m.pooled() {
					m.within[at] = found
				}
			} else {
				m.extra[at-n.Params] = judge.Statistic{Name: n.extra[at-n.Params], Summary: summary}
			}
		}
	}
	m.expanding = d.expanded
	return m, m.densities(f, work, w)
}

func (m *Measured) densities(f *spool.Fit, work *diag.Workspace, w plan.Window) error {
	lik := make([][]float64, len(f.Chains))
	prior := make([][]float64, len(f.Chains))
	for c, chain := range f.Chains {
		lik[c], prior[c] = make([]float64, 0, w.Draws()), make([]float64, 0, w.Draws())
		energy := make([]float64, 0, w.Draws())
		for from := w.From; from < w.To; from += infosAtOnce {
			infos, err := chain.Infos(from, min(from+infosAtOnce, w.To))
			if err != nil {
				return err
			}
			m.hamiltonian.add(infos)
			for i := range infos {
				lik[c], prior[c] = append(lik[c], infos[i].LogLik), append(prior[c], infos[i].LogPrior)
				energy = append(energy, infos[i].Energy)
				if infos[i].Divergent {
					m.Divergences++
				}
			}
		}
		m.hamiltonian.end(energy)
	}
	m.logLik, m.logPrior = m.sum(work, lik).Summary, m.sum(work, prior).Summary
	return nil
}

// mixed reports whether R-hat passes its gate, without a warning, for every
// gated quantity. A quantity whose R-hat cannot be computed has not mixed.
func (m *Measured) mixed(g judge.Gates, kept []infer.Parameter) bool {
	limit := g.RHat.Strict()
	if !limit.On {
		return true
	}
	var e judge.Evidence
	m.addParameters(&e, kept)
	for _, s := range m.extra {
		e.Summaries, e.Families = append(e.Summaries, s.Summary), append(e.Families, "")
	}
	if !m.still {
		e.Summaries, e.Families = append(e.Summaries, m.logLik), append(e.Families, "")
	}
	return len(e.Summaries) == 0 || judge.Judge(judge.Gates{RHat: judge.Limits{Fail: limit}}, e).Grade != judge.Fail
}

// addParameters adds the gated parameters to evidence; kept describes them.
func (m *Measured) addParameters(e *judge.Evidence, kept []infer.Parameter) {
	for i, s := range m.Parameters {
		if !m.gated(i) {
			continue
		}
		name, family := "", ""
		if i < len(kept) {
			name, family = kept[i].Name, record.Family(kept[i])
		}
		e.Names, e.Summaries, e.Families = append(e.Names, name), append(e.Summaries, s), append(e.Families, family)
	}
}

// gated reports whether gates look at parameter i.
func (m *Measured) gated(i int) bool { return i >= len(m.local) || !m.local[i] }

// WorstRHat is the largest R-hat of the gated parameters and statistics, +Inf if
// one cannot be computed.
func (m *Measured) WorstRHat() float64 {
	worst := m.logLik.RHat
	if m.still {
		worst = 1
	}
	for i := range m.Parameters {
		if !m.gated(i) {
			continue
		}
		worst = math.Max(worst, m.Parameters[i].RHat) // NaN stays NaN
	}
	for i := range m.extra {
		worst = math.Max(worst, m.extra[i].Summary.RHat)
	}
	if math.IsNaN(worst) {
		return math.Inf(1)
	}
	return worst
}

// ESS is the bulk effective sample size of the target: the median or the least over the parameters that gates
// check, dispersions included, or the least over these and the gated statistics (all).
func (m *Measured) ESS(over string) float64 {
	var list []float64
	for i := range m.Parameters {
		if m.gated(i) {
			list = append(list, m.Parameters[i].ESSBulk)
		}
	}
	if over == "all" || len(list) == 0 {
		if !m.still {
			list = append(list, m.logLik.ESSBulk)
		}
		for i := range m.extra {
			list = append(list, m.extra[i].Summary.ESSBulk)
		}
	}
	if len(list) == 0 {
		return 0
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

// withoutMoments blanks moments that may not exist: averages of the draws would look like numbers. Quantiles, R-hat
// and ESS, which gates look at, rest on ranks.
func (m *Measured) withoutMoments(doubts []glm.Doubt) {
	for _, d := range doubts {
		for _, j := range d.Parameters {
			if j < len(m.Parameters) {
				withoutMoments(&m.Parameters[j], d.Reason)
			}
		}
	}
}

func withoutMoments(s *diag.Summary, words string) {
	s.Mean, s.SD, s.MCSEMean, s.MCSESD = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if s.Reason != "" {
		words = s.Reason + "; " + words
	}
	s.Reason = words
}

// withoutDerivedMoments blanks the moments of derived quantities that depend on parameters without them, unless
// through bounded functions.
func withoutDerivedMoments(derived []diag.Summary, quantities []Quantity, names []string, doubts []glm.Doubt) {
	for i, q := range quantities {
		for _, j := range q.Unbounded() {
			in := func(d glm.Doubt) bool { return slices.Contains(d.Parameters, j) }
			if k := slices.IndexFunc(doubts, in); k >= 0 {
				withoutMoments(&derived[i], "it rests on "+names[j]+", of which "+doubts[k].Reason)
				break
			}
		}
	}
}

// meanless are the doubts that stored summaries show: a median without a mean.
func meanless(params []diag.Summary) (out []glm.Doubt) {
	for j, s := range params {
		if math.IsNaN(s.Mean) && !math.IsNaN(s.Median) {
			out = append(out, glm.Doubt{Parameters: []int{j}, Reason: s.Reason})
		}
	}
	return out
}
