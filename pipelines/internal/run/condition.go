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

// maxCondition is the largest number of coefficients whose condition numbers
// are computed: the best diagonal preconditioner takes hundreds of
// eigen-decompositions.
const maxCondition = 48

// conditions asks for condition numbers of this fit.
func (r *runner) conditions(f *fitting) bool { return r.Pipeline.Run.Condition && f.replicate <= 1 }

// conditionAtMode is that of the Hessian over the coefficients at the
// penalised point, design as sampled.
func conditionAtMode(target *glm.Target) []report.Diagnostic {
	if d := target.Cols(); d > maxCondition {
		return conditionDiagnostics("mode", diag.Condition{}, tooMany(d))
	}
	c, err := diag.ConditionNumbers(target.Hessian(target.Penalised()), target.Cols())
	return conditionDiagnostics("mode", c, err)
}

func tooMany(d int) error {
	return fmt.Errorf("%d coefficients, more than %d", d, maxCondition)
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
	if d > maxCondition {
		f.condition = append(f.condition, conditionDiagnostics("draws", diag.Condition{}, tooMany(d))...)
		return nil
	}
	cov, err := f.covariance(d)
	if err != nil {
		return err
	}
	c, err := diag.ConditionNumbers(cov, d)
	f.condition = append(f.condition, conditionDiagnostics("draws", c, err)...)
	return nil
}

// covariance is that of the first d parameters, on the scale of the design as
// sampled. It reads the window in pieces.
func (f *fitting) covariance(d int) ([]float64, error) {
	const piece = 4096
	mean, scatter, delta := make([]float64, d), make([]float64, d*d), make([]float64, d)
	theta, n := make([]float64, len(f.params)), 0.0
	for from := f.window.from; from < f.window.to; from += piece {
		w := window{from, min(from+piece, f.window.to)}
		values := make([]float64, len(f.params)*w.draws()*len(f.spool.Chains))
		block := &report.Columns{Params: len(f.params), Chains: len(f.spool.Chains), Draws: w.draws(), Values: values}
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
				for l := range d {
					scatter[j*d+l] = math.FMA(delta[j]*(theta[l]-mean[l]), 1/n, scatter[j*d+l]*(1-1/n))
				}
			}
		}
	}
	for j := range d {
		for l := range j { // rounding leaves the halves apart by an ulp
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
