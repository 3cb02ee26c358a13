package run

import (
	"context"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/report"
)

// maxExact is the largest number of coefficients of which the best diagonal
// preconditioner is sought by eigen-decompositions; above, by products.
const maxExact = 48

// maxCovariance is the largest number of coefficients whose draws' covariance is
// made: d² numbers, and d² additions a draw.
const maxCovariance = 2048

// conditions asks for condition numbers of this fit.
func (r *runner) conditions(f *fitting) bool { return r.Pipeline.Run.Condition && f.replicate <= 1 }

// curvature is that of a target at its penalised point.
type curvature struct {
	target *glm.Target
	h      *glm.Curvature
	err    error // why h is none
}

// conditionAtMode is that of the curvature over the coefficients at the
// penalised point, design as sampled.
func (f *fitting) conditionAtMode(target *glm.Target) {
	at := target.Penalised()
	f.curvature = &curvature{target: target}
	f.curvature.h, f.curvature.err = target.CurvatureAt(at)
	c, err := diag.Condition{}, f.curvature.err
	switch d := target.Cols(); {
	case d <= maxExact: // by differences, whatever the priors are
		c, err = diag.ConditionNumbers(target.Hessian(at), d)
	case err == nil:
		c, err = diag.ConditionOf(f.curvature.h, f.curvature.h.Diagonal())
	}
	f.condition = conditionDiagnostics("mode", c, err)
}

// conditionOfDraws adds that of the draws' covariance over the coefficients,
// design as sampled.
func (r *runner) conditionOfDraws(ctx context.Context, f *fitting) error {
	if !r.conditions(f) {
		return nil
	}
	if err := r.workers.acquire(ctx); err != nil {
		return err
	}
	defer r.workers.release()
	d := 0
	for _, p := range f.params {
		if p.Kind == infer.Intercept || p.Kind == infer.Coefficient {
			d++
		}
	}
	c, err := diag.Condition{}, error(nil)
	switch n := f.window.draws() * len(f.spool.Chains); {
	case d > maxCovariance:
		err = fmt.Errorf("%d coefficients, more than %d", d, maxCovariance)
	case n <= d:
		err = fmt.Errorf("%d draws do not tell the covariance of %d coefficients", n, d)
	default:
		var cov []float64
		if cov, err = f.covariance(d); err != nil {
			return err
		}
		c, err = conditionOfMatrix(cov, d)
	}
	f.condition = append(f.condition, conditionDiagnostics("draws", c, err)...)
	return nil
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
func (f *fitting) covariance(d int) ([]float64, error) {
	piece := max(1, columnBytes/(8*len(f.params)*len(f.spool.Chains)))
	mean, scatter, delta := make([]float64, d), make([]float64, d*d), make([]float64, d)
	theta, n := make([]float64, len(f.params)), 0.0
	for from := f.window.from; from < f.window.to; from += piece {
		w := window{from, min(from+piece, f.window.to)}
		values := make([]float64, len(f.params)*w.draws()*len(f.spool.Chains))
		block := &infer.Columns{Params: len(f.params), Chains: len(f.spool.Chains), Draws: w.draws(), Values: values}
		if err := f.draws.fill(block, w); err != nil {
			return nil, err
		}
		for i := range block.Chains * block.Draws {
			for p := range theta {
				theta[p] = values[p*block.Chains*block.Draws+i]
			}
			f.design.Record.FromData(theta)
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
func conditionDiagnostics(where string, c diag.Condition, err error) []report.Diagnostic {
	out := []report.Diagnostic{
		{Name: "condition_raw_" + where, Chain: -1, Value: c.Raw},
		{Name: "condition_correlation_" + where, Chain: -1, Value: c.Correlation},
		{Name: "condition_residual_" + where, Chain: -1, Value: c.Residual, Note: fmt.Sprintf("at least %.4g", c.ResidualLow)},
	}
	if err != nil {
		for i := range out {
			out[i].Value, out[i].Note = math.NaN(), err.Error()
		}
	}
	return out
}
