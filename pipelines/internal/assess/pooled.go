package assess

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// summing is the way in which columns of draws are described: as draws of one posterior, or of those of several
// imputations, whose chains take turns.
type summing struct {
	imputations int // 0 is 1
}

func (s summing) pooled() bool { return s.imputations > 1 }

// sum describes one column of draws.
func (s summing) sum(work *diag.Workspace, chains [][]float64) diag.Pooled {
	if !s.pooled() {
		return diag.Pooled{Summary: work.Summarize(chains)}
	}
	return work.SummarizePooled(chains, s.imputations)
}

// pooling adds to a record what each imputation says, by Rubin's rules what they say together, and of which imputation
// each chain is. rec has all summaries.
func (d *Drawn) pooling(p *plan.Pooled, rec *record.Fit) {
	m := d.Measured
	found := slices.Concat(m.within[:d.Stored], m.deriving.within)
	names := d.ImputationNames()
	for c := range rec.Chains {
		of := c / (rec.Chains / len(names))
		rec.Diagnostics = append(rec.Diagnostics,
			record.Diagnostic{Name: "imputation", Chain: c, Value: float64(of + 1), Note: names[of]})
	}
	complete, worst, apart := p.CompleteDF(), -1, -1
	for i := range found {
		means, variances := make([]float64, len(names)), make([]float64, len(names))
		for k := range found[i].Each {
			s := &found[i].Each[k]
			if math.IsNaN(rec.Summaries[i].Mean) { // its moments may not exist
				s.Mean, s.SD = math.NaN(), math.NaN()
			}
			means[k], variances[k] = s.Mean, float64(s.SD*s.SD)
			rec.Imputations = append(rec.Imputations, record.Imputation{Parameter: rec.Parameters[i].Name,
				Imputation: k + 1, Name: names[k], Summary: *s})
		}
		r := diag.PoolRubin(means, variances, complete)
		rec.Pooling = append(rec.Pooling,
			record.Pooling{Parameter: rec.Parameters[i].Name, Rubin: r, Across: found[i].Across})
		if !math.IsNaN(r.FMI) && (worst < 0 || r.FMI > rec.Pooling[worst].FMI) {
			worst = i
		}
		if a := found[i].Across; !math.IsNaN(a) && (apart < 0 || a > rec.Pooling[apart].Across) {
			apart = i
		}
	}
	rec.Diagnostics = append(rec.Diagnostics, record.Diagnostic{Name: record.Imputations, Chain: -1,
		Value: float64(len(names)), Note: poolingWords(rec.Pooling, len(names), worst, apart)})
}

// apartFrom is the R-hat over all draws from which imputations are said to differ.
const apartFrom = 1.01

// poolingWords sums up how imputations differ, by the parameter with the largest fraction of missing information and
// the one with the largest R-hat over all draws, −1 where there is none.
func poolingWords(all []record.Pooling, count, worst, apart int) string {
	out := fmt.Sprintf("R-hat and effective sample sizes are taken within each of the %d imputations", count)
	if apart >= 0 && all[apart].Across > apartFrom {
		out += fmt.Sprintf("; over all draws R-hat is %s, at %s, because imputations differ, which is no fault of the chains",
			strconv.FormatFloat(all[apart].Across, 'f', 2, 64), all[apart].Parameter)
	}
	if worst >= 0 {
		out += fmt.Sprintf("; the largest fraction of missing information is %s, of %s",
			strconv.FormatFloat(all[worst].FMI, 'f', 2, 64), all[worst].Parameter)
	}
	return out
}
