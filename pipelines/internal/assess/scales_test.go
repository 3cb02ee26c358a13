package assess

import (
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
)

// Local scales are stored on request only, and no gate checks them.
func TestLocalScalesAreNotGated(t *testing.T) {
	all := []infer.Parameter{{Name: "a", Kind: infer.Coefficient}, {Name: "tau", Kind: infer.Scale}, {Name: "lambda[a]", Kind: infer.LocalScale}}
	if n, with := len(plan.Kept(all, "draws")), len(plan.Kept(all, "scales")); n != 2 || with != 3 {
		t.Errorf("%d parameters are kept, %d with scales", n, with)
	}
	m := &Measured{Parameters: []diag.Summary{{RHat: 1.001, ESSBulk: 500}, {RHat: 1.002, ESSBulk: 300}, {RHat: 9, ESSBulk: 1}}, local: localScales(all)}
	m.logLik = diag.Summary{RHat: 1, ESSBulk: 1000}
	if m.WorstRHat() != 1.002 || m.ESS("all") != 300 || m.ESS("min") != 300 {
		t.Errorf("R-hat %v, ESS %v of all, the least %v of parameters", m.WorstRHat(), m.ESS("all"), m.ESS("min"))
	}
}
