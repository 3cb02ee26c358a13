package pipelines

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"glmbatch/pipelines/internal/check"
	"glmbatch/pipelines/internal/plan"
)

// CheckOutcome is the result of a check.
type CheckOutcome = check.Outcome

// CheckOptions configures Check. Simulations must be set.
type CheckOptions struct {
	Overrides
	Workers     int      // 0: one per processor
	Only        []string // terms FIELD=PATTERN, see --only
	Simulations int      // data sets for each fit
	Posterior   bool     // draw parameters from the posterior of the data, not from the prior
	LockWait    time.Duration
	Say         func(line string) // what a person wants to know meanwhile; may be nil
}

// Check calibrates the samplers of the pipeline that target names by simulation
// on its own designs. The error is a *UsageError where the spec or the call is
// wrong; what was found about a fit is in the outcome.
func Check(ctx context.Context, target string, o CheckOptions) (*CheckOutcome, error) {
	only, err := plan.ParseSelector(o.Only)
	if err != nil {
		return nil, &UsageError{err}
	}
	if o.Workers < 0 {
		return nil, &UsageError{fmt.Errorf("--workers %d: there must be at least 1", o.Workers)}
	}
	if o.Simulations < check.Fewest {
		return nil, &UsageError{fmt.Errorf("--simulations %d: at least %d are needed", o.Simulations, check.Fewest)}
	}
	p, _, err := load(target, o.Overrides)
	if err != nil {
		return nil, err
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	given := check.Prior
	if o.Posterior {
		given = check.Posterior
	}
	out, err := check.Run(ctx, check.Config{
		Pipeline: p, Database: p.Database, Workers: o.Workers, Only: only, Simulations: o.Simulations, Given: given,
		Build: Version().String(), LockWait: o.LockWait, Example: example, Say: o.Say, Now: time.Now,
	})
	if errors.Is(err, plan.ErrNothingSelected) {
		return nil, nothingSelected(p, only, o.Only)
	}
	return out, err
}
