package assess

import (
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/report/record"
)

// incomplete describes the columns of which missing cells were drawn, and compares these with the observed cells.
func incomplete(p *plan.Imputed, draws *Source) ([]record.IncompleteColumn, error) {
	fit, err := p.Description(draws.Parameters)
	if err != nil {
		return nil, err
	}
	of := map[string][]int{}
	for _, c := range fit.Cells {
		for i := range c.Each * len(c.Rows) {
			of[c.Column] = append(of[c.Column], c.First-1+i)
		}
	}
	var out []record.IncompleteColumn
	var wanted []predictive.Incomplete
	for _, c := range p.Incomplete() {
		out = append(out, record.IncompleteColumn{Variable: c.Variable, Formula: c.Formula, Family: c.Family,
			Response: c.Response, Observed: len(c.Seen), Missing: c.Missing})
		wanted = append(wanted,
			predictive.Incomplete{Params: of[c.Variable], Levels: c.Levels, Numbers: c.Numbers, Seen: c.Seen})
	}
	bins, err := draws.fit().CellBins(wanted)
	for k := range bins {
		out[k].Bins = bins[k]
	}
	return out, err
}
