package assess

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// Foretell sets the forecast of a fit whose sampler is set up, as large as its run lets it be. Replicates are drawn
// as the fit was, and have none.
func (p *Prepared) Foretell() {
	most := plan.ForecastAlways
	if p.Pipeline.Run.Condition {
		most = plan.ForecastAsked
	}
	if p.Replicate <= 1 {
		p.Forecast = plan.ForecastOf(p.Sampler, most)
	}
}

// forecasts are the numbers that were forecast of the chains, each under its name, and under the name with _measured
// what the draws have. Where nothing is forecast there is a row that says why, if the run asks for condition numbers.
func (d *Drawn) forecasts(e *Extras) error {
	f := d.Forecast
	switch r := d.Capabilities().Regression; {
	case f == nil || r == nil:
		return nil
	case f.Rates != nil:
		out, err := d.scored(r, f, e.Diagnostics)
		e.Diagnostics = append(e.Diagnostics, out...)
		return err
	case d.Pipeline.Run.Condition:
		e.Diagnostics = append(e.Diagnostics,
			record.Diagnostic{Name: "forecast_rate", Chain: -1, Value: math.NaN(), Note: f.Why})
	}
	return nil
}

// residualNumber is κ_r at the penalised point, if it is among some numbers; else NaN.
func residualNumber(known []record.Diagnostic) float64 {
	for _, k := range known {
		if k.Name == "condition_residual_mode" {
			return k.Value
		}
	}
	return math.NaN()
}

// scored compares the forecast with the draws.
func (d *Drawn) scored(r *plan.Regression, f *plan.Forecast, known []record.Diagnostic,
) (out []record.Diagnostic, err error) {
	add := func(name string, predicted, measured float64, note string) {
		out = append(out, record.Diagnostic{Name: "forecast_" + name, Chain: -1, Value: predicted, Note: note},
			record.Diagnostic{Name: "forecast_" + name + "_measured", Chain: -1, Value: measured})
	}
	n := float64(d.Window.Draws() * len(d.Draws.Spool.Chains))
	least := math.Inf(1)
	for i := range f.Dim {
		least = min(least, d.Measured.Parameters[i].ESSBulk)
	}
	functions := [][]float64{f.Rates.Along}
	if f.Rates.Slowest != nil {
		functions = append(functions, f.Rates.Slowest)
	}
	along, err := d.along(r, functions)
	if err != nil {
		return nil, err
	}
	slowest := math.NaN()
	if len(along) > 1 {
		slowest = math.Abs(diag.LagOne(along[1]))
	}
	add("rate_bound", f.Rates.Bound, slowest, fmt.Sprintf("of all targets with κ = %.4g", f.Rates.Condition))
	if residual := residualNumber(known); f.Sweeps > 0 && !math.IsNaN(residual) {
		add("rate_bound_residual", diag.SweepBound(residual, f.Sweeps), slowest,
			fmt.Sprintf("of all targets with κ_r = %.4g", residual))
	}
	d.theorems(f, known, slowest, add)
	if f.Kept {
		add("rate", f.Rates.Kept, slowest, standardError(slowest, n))
		add("ess_slowest", f.Rates.Least, diag.NewWorkspace().Summarize(along[0]).ESSBulk/n, "")
		add("ess_least", slices.Min(f.Rates.Each), least/n, "")
	}
	if f.Sweeps > 0 {
		return append(out, record.Diagnostic{Name: "forecast_cost_ratio", Chain: -1, Value: f.CostRatio(),
			Note: fmt.Sprintf("to %.4g gradients, κ = %.4g in a diagonal metric", f.Gradients, f.Condition)}), nil
	}
	add("gradients", f.Gradients, float64(d.Measured.hamiltonian.leapfrogs)/least,
		fmt.Sprintf("κ = %.4g in a %s metric", f.Condition, f.Metric))
	return out, nil
}

// standardError is that of an autocorrelation at lag 1 of n draws, as text.
func standardError(r, n float64) string {
	if math.IsNaN(r) {
		return "no single direction is the slowest"
	}
	return fmt.Sprintf("measured with a standard error of %.2g", math.Sqrt((1-float64(r*r))/n))
}

// along returns linear functions of the coefficients, design as sampled, of all draws of the window: by function and
// chain. It reads the draws in blocks of columns, and is off by a constant.
func (d *Drawn) along(r *plan.Regression, functions [][]float64) ([][][]float64, error) {
	cols, chains, n := len(functions[0]), len(d.Draws.Spool.Chains), d.Window.Draws()
	inUnits := r.Record.FunctionOfData
	out := make([][][]float64, len(functions))
	for k, f := range functions {
		functions[k] = inUnits(f)
		for range chains {
			out[k] = append(out[k], make([]float64, n))
		}
	}
	for block, err := range d.Draws.Columns(cols, d.Window, ColumnBytes) {
		if err != nil {
			return nil, err
		}
		for p := range block.Params {
			for k, f := range functions {
				addChains(out[k], f[block.First+p], block, p)
			}
		}
	}
	return out, nil
}

// addChains adds a multiple of a column of a block to chains.
func addChains(to [][]float64, weight float64, block *infer.Columns, p int) {
	for c := range to {
		x := block.Values[(p*block.Chains+c)*block.Draws:][:block.Draws]
		for i, v := range x {
			to[c][i] = math.FMA(weight, v, to[c][i])
		}
	}
}
