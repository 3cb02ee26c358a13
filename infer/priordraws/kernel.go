package priordraws

import (
	"fmt"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
	"glmbatch/internal/state"
	"glmbatch/internal/words"
)

// Version is part of every fit's fingerprint.
const Version = "1"

// ImproperError names the priors that cannot be drawn from.
type ImproperError struct{ Names []string }

func (e *ImproperError) Error() string {
	names := e.Names
	const most = 8
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	return fmt.Sprintf("the prior of %s%s is improper (flat), so that nothing can be drawn from it",
		strings.Join(names, ", "), more) +
		words.HintLine("give each a proper prior such as normal(0, 10), or half_normal(1) for a dispersion")
}

// Check returns an *ImproperError unless every prior is proper.
func Check(data *glm.Data, model *glm.Model) error {
	if names := groups.ImproperPriors(data, model); names != nil {
		return &ImproperError{names}
	}
	return nil
}

// tries bounds the draws that are rejected for the domain of the link.
const tries = 10_000

// Model is a model that priors are drawn of: a groups.Model or a model.Posterior.
type Model interface {
	Parameters() []infer.Parameter
	// DrawPrior writes an independent draw of a position from the prior.
	DrawPrior(s prior.Source, theta []float64)
	// At returns a function for the use of one chain: log likelihood and log prior density at a position, and whether
	// its linear predictor is in the domain of the link.
	At() func(theta []float64) (logLik, logPrior float64, inside bool)
}

// setup is shared by the chains.
type setup struct {
	Model
	rows int
}

// New returns the set-up of draws from the target's prior; an *ImproperError if
// it has none.
func New(target *groups.Model) (infer.Setup, error) {
	if err := Check(target.Data(), target.Model()); err != nil {
		return nil, err
	}
	return NewFor(target, target.Data().Rows()), nil
}

// NewFor is New of a model of a number of rows whose priors are proper.
func NewFor(of Model, rows int) infer.Setup { return &setup{of, rows} }

// Kernel returns a chain at its first draw.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k := &kernel{setup: s, at: s.At(), stream: c.Stream, theta: make([]float64, len(s.Parameters()))}
	k.Saver = state.NewSaver("prior", stateVersion, k.list)
	return k, k.draw()
}

// kernel is one chain of independent draws.
type kernel struct {
	*setup
	state.Saver
	at     func(theta []float64) (logLik, logPrior float64, inside bool)
	stream *infer.Stream
	theta  []float64

	logLik, logPrior float64
}

// Step redraws theta. Cost: one pass over the design for the log likelihood.
func (k *kernel) Step() (infer.Info, error) {
	err := k.draw()
	return infer.Info{LogLik: k.logLik, LogPrior: k.logPrior, Accept: 1, Touched: int64(k.rows)}, err
}

// draw draws theta until its linear predictor is inside the domain of the link.
func (k *kernel) draw() error {
	for range tries {
		k.DrawPrior(k.stream, k.theta)
		var inside bool
		if k.logLik, k.logPrior, inside = k.at(k.theta); inside {
			return nil
		}
	}
	return words.Hint(fmt.Errorf("none of %d draws from the prior has a linear predictor in the domain of the link, "+
		"eta > 0 in every row", tries),
		"give the intercept a prior above 0, and the coefficients narrow ones")
}

// Position writes the draw.
func (k *kernel) Position(dst []float64) { copy(dst, k.theta) }

// Start says how the chain begins.
func (k *kernel) Start() string { return "prior" }

// stateVersion leads the state of a chain.
const stateVersion = 1

// list lists the state of the chain.
func (k *kernel) list(c *state.Codec) {
	c.Short(k.stream)
	c.Finite("parameters", k.theta)
}
