package collapsed

import (
	"errors"
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/internal/words"
)

// Version names the algorithm: it changes whenever the same stream gives other bits.
const Version = "collapsed/1"

// Options configures New.
type Options struct {
	mixture.Options
	Prior Prior
	// Plain draws labels given parameters, and parameters given labels, in place of labels given each other.
	Plain bool
}

// setup is what the chains of one fit share.
type setup struct {
	mixture.Layout
	opts   Options
	family family
	data   *glm.Data
	rows   *glm.Pointwise
}

// New returns the sampler of a mixture of a family whose linear predictor is an intercept alone. Its error tells what
// such a mixture cannot have, or is one of Options.
//
// Cost of an iteration: K predictive densities a row, then K densities a row for the log likelihood.
func New(f glm.Family, data *glm.Data, opts Options) (infer.Setup, error) {
	switch {
	case data.Cols() != 1 || data.Intercept != 0:
		return nil, words.Hint(fmt.Errorf("conjugate priors of a mixture are for y ~ 1, and the design has the columns %s",
			words.List(data.Names)), "leave conjugate out of the mixture for a regression")
	case data.Offset != nil || data.Frequency != nil || data.Precision != nil:
		return nil, words.Hint(errors.New("conjugate priors of a mixture are for rows that count once each, without offsets"),
			"leave conjugate out of the mixture, or offset and weights out of the model")
	}
	if err := opts.Prior.Serves(f); err != nil {
		return nil, err
	}
	rows, err := glm.NewPointwise(f, data)
	if err != nil {
		return nil, err
	}
	s := &setup{opts: opts, family: newFamily(f, opts.Prior, data), data: data, rows: rows}
	of := s.family.parameters()
	if s.opts.Options, err = opts.Filled(of); err != nil {
		return nil, err
	}
	s.Layout = mixture.Layout{Components: opts.Components, Of: of, Order: mixture.OrderOf(of, opts.Order)}
	return s, nil
}

// Explain says how the mixture is sampled.
func (s *setup) Explain() string {
	if s.opts.Plain {
		return fmt.Sprintf("%d components; labels given parameters, then parameters given labels", s.Components)
	}
	return fmt.Sprintf("%d components; one label after the other given all others, parameters integrated out",
		s.Components)
}

// Kernel returns one chain at its dispersed start.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, fmt.Errorf("collapsed: chain %d has no random stream", c.Index)
	}
	n, k := s.data.Rows(), s.Components
	out := &kernel{setup: s, stream: c.Stream, labels: make([]uint8, n), of: make([]statistics, k),
		counts: make([]float64, k), logW: make([]float64, k), theta: make([]float64, k*len(s.Of)),
		terms: make([]float64, k*n), chances: make([]float64, k)}
	out.start()
	return out, nil
}
