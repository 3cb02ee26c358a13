package nuts

import (
	"fmt"
	"math"

	"glmbatch/internal/vec"
)

// dual adapts the logarithm of the step size by Nesterov's dual averaging to a
// mean acceptance.
//
// Source: Hoffman and Gelman (2014), section 3.2, with their constants.
type dual struct {
	count     float64 // updates since the restart
	centre    float64 // mu
	shortfall float64 // averaged target − acceptance, H̄
	average   float64 // averaged log step size
}

const (
	dualGamma  = 0.05
	dualOffset = 10 // t₀
)

// restart begins anew around a step size; it aims at ten times that.
func (a *dual) restart(step float64) { *a = dual{centre: vec.Log(10 * step)} }

// settle begins anew around a step size that was found on about this posterior.
func (a *dual) settle(step float64) { *a = dual{centre: vec.Log(step)} }

// learn takes the acceptance of one iteration and returns the next step size.
func (a *dual) learn(accept, target float64) float64 {
	a.count++
	eta := 1 / (a.count + dualOffset)
	a.shortfall = math.FMA(eta, target-min(1, accept), float64((1-eta)*a.shortfall))
	x := a.centre - a.shortfall*math.Sqrt(a.count)/dualGamma
	weight := 1 / (math.Sqrt(a.count) * math.Sqrt(math.Sqrt(a.count))) // count^−0.75
	a.average = math.FMA(weight, x, float64((1-weight)*a.average))
	return vec.Exp(x)
}

// final returns the step size of sampling.
func (a *dual) final() float64 { return vec.Exp(a.average) }

// StepSizeError tells that no step size suits a posterior.
type StepSizeError struct {
	Iteration int64 // 0-based
	StepSize  float64
}

// Error says what the search came to.
func (e *StepSizeError) Error() string {
	if e.StepSize > 1 {
		return fmt.Sprintf("nuts: iteration %d: the log posterior does not fall even with steps of %.3g: "+
			"it may be improper: give proper priors", e.Iteration+1, e.StepSize)
	}
	return fmt.Sprintf("nuts: iteration %d: no step is small enough (%.3g): "+
		"the log posterior or its gradient is no number at the chain's point: scale the columns of the design, or give "+
		"tighter priors",
		e.Iteration+1, e.StepSize)
}

// logSearch is log 0.8, the change of the log density that the search of a
// first step size crosses.
const logSearch = -0.22314355131420975577

// searchStep doubles or halves the step size until the acceptance of one
// leapfrog step from z crosses 0.8; every trial has a fresh momentum. z keeps
// its position.
//
// Source: Hoffman and Gelman (2014), algorithm 4, with Stan's 0.8.
func (k *kernel) searchStep(z *point, step float64) (float64, error) {
	k.space.step = step
	up := k.oneLeap(z) > logSearch
	for {
		if up {
			k.space.step *= 2
		} else {
			k.space.step /= 2
		}
		if k.space.step > 1e7 || k.space.step < 1e-300 {
			return 0, &StepSizeError{k.iteration, k.space.step}
		}
		if (k.oneLeap(z) > logSearch) != up {
			return k.space.step, nil
		}
	}
}

// oneLeap draws a momentum and returns the log weight after one step.
func (k *kernel) oneLeap(z *point) float64 {
	k.space.pool.reset()
	k.refresh(z)
	w, _ := k.space.weigh(k.space.leap(z, true))
	return w
}
