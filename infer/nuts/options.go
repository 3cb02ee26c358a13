package nuts

import (
	"fmt"
	"math"
)

// Version names the algorithm: draws of different versions may differ in bits.
const Version = "nuts/1"

// Options configures New. The zero value is NUTS with Stan's defaults.
type Options struct {
	// Static replaces the No-U-Turn rule by trajectories of length Length, each
	// ended by a Metropolis decision.
	Static bool
	// Metric is the metric that adapts in warm-up: "diagonal" (posterior variances), "dense" (their covariance
	// matrix) or "low_rank" (a diagonal, and the directions in which it is not enough, from positions and
	// gradients). Empty means "diagonal".
	Metric string
	// MaxDepth is the largest number of doublings of a trajectory, at most
	// 2^MaxDepth − 1 gradients. Zero means 10; at most 20. NUTS only.
	MaxDepth int
	// TargetAccept is the mean acceptance that the step size is adapted to,
	// between 0 and 1. Zero means 0.8.
	TargetAccept float64
	// Length is the length of a static trajectory in time: step size times number of steps. In a well adapted
	// metric a posterior has scale 1, and the autocorrelation of a normal one is 0 after π/2. Zero means π/2.
	// Static only.
	Length float64
	// Jitter multiplies Length by a uniform draw from 1 − Jitter to 1 + Jitter,
	// which keeps trajectories from resonating with a period of the posterior.
	// Between 0 and 1. Zero means no jitter. Static only.
	Jitter float64
	// StepSize is the step size before warm-up; without warm-up it is the step size of all iterations. Zero means
	// to search for one: at the start of the chain, or without warm-up at the penalised point, so that it does not
	// depend on the state.
	StepSize float64
}

// maxDeltaH is the rise of the energy above which a trajectory has diverged, as in
// Stan.
const maxDeltaH = 1000

// OptionError names an option that is impossible.
type OptionError struct {
	Option string // as in a pipeline
	Value  any
	Want   string
}

// Error names the option, its value and what is possible.
func (e *OptionError) Error() string {
	return fmt.Sprintf("nuts: option %s is %#v: want %s", e.Option, e.Value, e.Want)
}

// Doublings returns the number of doublings that ends a trajectory, 0 for static
// ones, which do not double.
func (o Options) Doublings() int {
	switch {
	case o.Static:
		return 0
	case o.MaxDepth == 0:
		return defaultDepth
	}
	return o.MaxDepth
}

// Aim returns the mean acceptance that warm-up adapts the step size to.
func (o Options) Aim() float64 {
	if o.TargetAccept == 0 {
		return defaultAim
	}
	return o.TargetAccept
}

const (
	defaultDepth = 10
	defaultAim   = 0.8
)

// filled returns o with its zeros replaced, or the first impossible option.
func (o Options) filled() (Options, error) {
	if o.Metric == "" {
		o.Metric = "diagonal"
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = defaultDepth
	}
	o.TargetAccept = o.Aim()
	if o.Length == 0 {
		o.Length = math.Pi / 2
	}
	switch {
	case o.Metric != "diagonal" && o.Metric != "dense" && o.Metric != "low_rank":
		return o, &OptionError{"metric", o.Metric, `"diagonal", "dense" or "low_rank"`}
	case o.MaxDepth < 1 || o.MaxDepth > 20:
		return o, &OptionError{"max_depth", o.MaxDepth, "1 to 20"}
	case !(o.TargetAccept > 0 && o.TargetAccept < 1):
		return o, &OptionError{"target_accept", o.TargetAccept, "a number between 0 and 1"}
	case !(o.Length > 0) || math.IsInf(o.Length, 0):
		return o, &OptionError{"length", o.Length, "a positive number"}
	case !(o.Jitter >= 0 && o.Jitter < 1):
		return o, &OptionError{"jitter", o.Jitter, "a number from 0 to below 1"}
	case !(o.StepSize >= 0) || math.IsInf(o.StepSize, 0):
		return o, &OptionError{"step_size", o.StepSize, "a positive number"}
	}
	return o, nil
}
