package assess

import (
	"fmt"

	"glmbatch/infer/cggibbs"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// theorems adds the rates of theorem 4.1 and proposition 4.3 of Luu et al. (2024), as they are stated, for systematic
// sweeps with known condition numbers. Each note reports whether the hypothesis of both holds.
func (d *Drawn) theorems(f *plan.Forecast, known []record.Diagnostic, measured float64,
	add func(name string, predicted, measured float64, note string)) {
	if s, _, ok := cggibbs.SweepsOf(d.Sampler); !ok || s == nil || s.Random {
		return
	}
	hypothesis := "the hypothesis holds: no entry of the precision off its diagonal is positive"
	if n := f.Rates.Positive; n > 0 {
		hypothesis = fmt.Sprintf("no bound here, for the hypothesis fails: of %d pairs of coefficients %d have a positive "+
			"entry in the precision", f.Dim*(f.Dim-1)/2, n)
	}
	for _, k := range known {
		switch k.Name {
		case "condition_raw_mode":
			add("rate_theorem_4_1", diag.PaperBound(k.Value, f.Sweeps), measured, fmt.Sprintf("κ = %.4g; %s", k.Value,
				hypothesis))
		case "condition_residual_mode":
			add("rate_proposition_4_3", diag.PaperBound(k.Value, f.Sweeps), measured, fmt.Sprintf("κ_r = %.4g; %s",
				k.Value, hypothesis))
		}
	}
}
