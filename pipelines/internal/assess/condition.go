package assess

import (
	"context"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// maxExact is the largest number of coefficients of which the best diagonal
// preconditioner is sought by eigen-decompositions; above, by products.
const maxExact = 48

// maxCovariance is the largest number of coefficients whose draws' covariance is
// made: d² numbers, and d² additions a draw.
const maxCovariance = 2048

// curvature is that of a target at its penalised point.
type curvature struct {
	target *glm.Target
	h      *glm.Curvature
	err    error // the reason if h is not computed
}

// conditions are the condition numbers of a regression, at the penalised point and of its draws, and those that the
// metrics of its chains leave.
func (d *Drawn) conditions(ctx context.Context, r *plan.Regression,
) (out []record.Diagnostic, metrics []record.Metric, err error) {
	c := &curvature{err: plan.NoTarget(r.Data, "no curvature is computed for")}
	if c.err != nil {
		out = conditionDiagnostics("mode", diag.Condition{}, c.err)
	} else {
		if c.target, err = r.Target(d.Previous); err != nil {
			return nil, nil, d.Explain(err)
		}
		out = c.atMode()
	}
	of, err := d.conditionOfDraws(r)
	if err != nil {
		return nil, nil, err
	}
	metrics, err = d.conditionOfMetrics(ctx, r, c)
	return append(out, of...), metrics, err
}

// atMode takes that of the curvature over the coefficients at the penalised point, design as sampled.
func (c *curvature) atMode() []record.Diagnostic {
	at := c.target.Penalised()
	c.h, c.err = c.target.CurvatureAt(at)
	numbers, err := diag.Condition{}, c.err
	switch d := c.target.Cols(); {
	case d <= maxExact: // by differences, whatever the priors are
		numbers, err = diag.ConditionNumbers(c.target.Hessian(at), d)
	case err == nil:
		numbers, err = diag.ConditionOf(c.h, c.h.Diagonal())
	}
	return conditionDiagnostics("mode", numbers, err)
}

// conditionOfDraws takes that of the draws' covariance over the coefficients, design as sampled.
func (d *Drawn) conditionOfDraws(r *plan.Regression) ([]record.Diagnostic, error) {
	cols := 0
	for _, p := range d.Kept {
		if p.Kind == infer.Intercept || p.Kind == infer.Coefficient {
			cols++
		}
	}
	c, err := diag.Condition{}, error(nil)
	switch n := d.Window.Draws() * len(d.Draws.Spool.Chains); {
	case cols > maxCovariance:
		err = fmt.Errorf("%d coefficients, more than %d", cols, maxCovariance)
	case n <= cols:
		err = fmt.Errorf("%d draws do not tell the covariance of %d coefficients", n, cols)
	default:
		var cov []float64
		if cov, err = d.covariance(r, cols); err != nil {
			return nil, err
		}
		c, err = conditionOfMatrix(cov, cols)
	}
	return conditionDiagnostics("draws", c, err), nil
}

// conditionOfMatrix takes a d × d matrix.
func conditionOfMatrix(a []float64, d int) (diag.Condition, error) {
	if d <= maxExact {
		return diag.ConditionNumbers(a, d)
	}
	m, err := diag.NewDefinite(a, d)
	if err != nil {
		return diag.Condition{}, err
	}
	diagonal := make([]float64, d)
	for j := range d {
		diagonal[j] = a[j*d+j]
	}
	return diag.ConditionOf(m, diagonal)
}

// covariance is that of the first d parameters, on the scale of the design as
// sampled. It reads the window in pieces.
func (f *Drawn) covariance(r *plan.Regression, d int) ([]float64, error) {
	piece := max(1, ColumnBytes/(8*len(f.Kept)*len(f.Draws.Spool.Chains)))
	mean, scatter, delta := make([]float64, d), make([]float64, d*d), make([]float64, d)
	theta, n := make([]float64, len(f.Kept)), 0.0
	for from := f.Window.From; from < f.Window.To; from += piece {
		w := plan.Window{From: from, To: min(from+piece, f.Window.To)}
		values := make([]float64, len(f.Kept)*w.Draws()*len(f.Draws.Spool.Chains))
		block := &infer.Columns{Params: len(f.Kept), Chains: len(f.Draws.Spool.Chains), Draws: w.Draws(), Values: values}
		if err := f.Draws.Fill(block, w); err != nil {
			return nil, err
		}
		for i := range block.Chains * block.Draws {
			for p := range theta {
				theta[p] = values[p*block.Chains*block.Draws+i]
			}
			r.Record.FromData(theta)
			n++
			for j := range d {
				delta[j] = theta[j] - mean[j]
				mean[j] += delta[j] / n
			}
			for j := range d {
				row, share := scatter[j*d:j*d+j+1], delta[j]/n
				for l := range row {
					row[l] = math.FMA(share, theta[l]-mean[l], row[l]*(1-1/n))
				}
			}
		}
	}
	for j := range d {
		for l := range j {
			scatter[l*d+j] = scatter[j*d+l]
		}
	}
	return scatter, nil
}

// conditionDiagnostics are the ledger's rows.
func conditionDiagnostics(where string, c diag.Condition, err error) []record.Diagnostic {
	out := []record.Diagnostic{
		{Name: "condition_raw_" + where, Chain: -1, Value: c.Raw},
		{Name: "condition_correlation_" + where, Chain: -1, Value: c.Correlation},
		{Name: "condition_residual_" + where, Chain: -1, Value: c.Residual,
			Note: fmt.Sprintf("at least %.4g", c.ResidualLow)},
	}
	if err != nil {
		for i := range out {
			out[i].Value, out[i].Note = math.NaN(), err.Error()
		}
	}
	return out
}
