package plan

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/nuts"
)

// Largest numbers of coefficients of which chains are forecast: of any fit, 2 ms; and where that is asked for, 2 s.
const (
	ForecastAlways = 48
	ForecastAsked  = 512
)

// Forecast is the theoretical prediction of how fast a fit's chains mix, before they are drawn. It is for the
// coefficients, design as sampled, and for the normal approximation at the penalised point, dispersions held there.
type Forecast struct {
	Rates *diag.Rates // nil if nothing is forecast
	Why   string      // nothing is
	Dim   int         // coefficients
	// Sweeps in an iteration; 0 of Hamiltonian trajectories.
	Sweeps int
	// Random reports whether sweeps update coefficients in a random order.
	Random bool
	// Kept reports whether Rates has more than a bound: of trajectories under the No-U-Turn rule it has not.
	Kept bool
	// Metric is the metric that trajectories learn, and that of Gradients: diagonal or dense.
	Metric string
	// Condition is the condition number under that metric once it is learnt, and Gradients √κ·d^¼: the order of the
	// gradients of a Hamiltonian draw (Beskos et al. 2013, arXiv:1001.4460; Chen et al. 2020, arXiv:1905.12247),
	// with 1 instead of the constant. For a Gibbs sampler they are those of hmc on the same posterior.
	Condition, Gradients float64
}

// ForecastOf forecasts chains of a set-up of at most some coefficients; nil if there is no forecast for the method:
// exact draws, group-level effects, missing cells, mixtures.
//
// Cost: the curvature, n·d²/2, and some 10 to 40 products of d × d matrices.
func ForecastOf(s infer.Setup, most int) *Forecast {
	if sweeps, why, ok := cggibbs.SweepsOf(s); ok {
		if sweeps == nil {
			return &Forecast{Why: why}
		}
		out := &Forecast{Sweeps: sweeps.Times, Random: sweeps.Random, Metric: "diagonal", Kept: true}
		t := sweeps.Target
		return out.from(t, most, func(h []float64, d int) (*diag.Rates, error) {
			return diag.SweepRates(h, d, diag.Sweep{Random: sweeps.Random, Others: t.Dim() - t.Scales() - d,
				Times: sweeps.Times})
		})
	}
	t, opts, ok := nuts.TrajectoriesOf(s)
	switch {
	case !ok:
		return nil
	case opts.Metric == "low_rank":
		return &Forecast{Why: "what metric: low_rank leaves is not known before warm-up"}
	case t.Scales() > 0:
		return &Forecast{Why: "coefficients under horseshoe priors and smooths depend on their scales"}
	}
	out, trajectory := &Forecast{Metric: opts.Metric}, (*diag.Trajectory)(nil)
	if opts.Static {
		trajectory = &diag.Trajectory{Length: opts.Length, Jitter: opts.Jitter, Accept: opts.TargetAccept}
		out.Kept = true
	}
	return out.from(t, most, func(h []float64, d int) (*diag.Rates, error) {
		return diag.TrajectoryRates(h, d, out.metric(), trajectory)
	})
}

func (f *Forecast) metric() diag.Metric {
	if f.Metric == "dense" {
		return diag.Covariance
	}
	return diag.Variances
}

// from takes the rates from the curvature at the penalised point.
func (f *Forecast) from(t *glm.Target, most int, rates func(h []float64, d int) (*diag.Rates, error)) *Forecast {
	d := t.Cols()
	f.Dim = d
	if d > most {
		f.Why = fmt.Sprintf("%d coefficients, more than %d", d, most)
		if most < ForecastAsked {
			f.Why += fmt.Sprintf(" (up to %d with run: {condition: true})", ForecastAsked)
		}
		return f
	}
	curvature, err := t.CurvatureAt(t.Penalised())
	if err != nil {
		f.Why = err.Error()
		return f
	}
	h := curvature.Matrix()
	metric, err := diag.TrajectoryRates(h, d, f.metric(), nil)
	if err == nil {
		f.Rates, err = rates(h, d)
	}
	if err != nil {
		f.Rates, f.Why = nil, err.Error()
		return f
	}
	f.Condition = metric.Condition
	f.Gradients = math.Sqrt(metric.Condition) * math.Sqrt(math.Sqrt(float64(d)))
	return f
}

// CostRatio is the sweeps of an effective draw of the slowest direction over the gradients of a Hamiltonian draw.
func (f *Forecast) CostRatio() float64 { return float64(f.Sweeps) / f.Rates.Least / f.Gradients }

// Words say the forecast in some sentences; names are those of the coefficients.
func (f *Forecast) Words(names []string) string {
	if f.Rates == nil {
		return "Nothing is forecast of how fast its chains forget: " + f.Why + "."
	}
	trajectories := fmt.Sprintf("gradients of the order of %.2g (condition number %.3g in a learnt %s metric)",
		f.Gradients, f.Condition, f.Metric)
	const from = "Forecast, from the normal approximation at the penalised point: "
	if !f.Kept {
		return from + "an effective draw takes " + trajectories + "."
	}
	iteration, many, direction := "a sweep", "sweeps", "slowest direction"
	if f.Rates.Slowest == nil {
		direction = "slowest directions, which turn into each other"
	}
	switch {
	case f.Sweeps > 1:
		iteration, many = fmt.Sprintf("an iteration of %d sweeps", f.Sweeps), "iterations"
	case f.Sweeps == 0:
		iteration, many = "a trajectory", "trajectories"
	}
	if f.Rates.Least > 0.95 {
		return from + iteration + " is expected to be worth an effective draw."
	}
	slowest := 0
	for j, v := range f.Rates.Each {
		if v < f.Rates.Each[slowest] {
			slowest = j
		}
	}
	words := fmt.Sprintf(from+"%s is expected to keep %.2g of the distance along its %s. An effective draw of the "+
		"slowest combination of coefficients takes %.2g %s, of the slowest coefficient, %s, %.2g.", iteration, f.Rates.Kept,
		direction, 1/f.Rates.Least, many, names[slowest], 1/f.Rates.Each[slowest])
	if f.Sweeps > 0 {
		words += " Hamiltonian trajectories would take " + trajectories + "."
	}
	return words
}
