package collapsed

import (
	"errors"
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/internal/state"
	"glmbatch/internal/vec"
	"glmbatch/internal/words"
)

// Version names the algorithm: it changes whenever the same stream gives other bits.
const Version = "collapsed/2"

// Options configures New.
type Options struct {
	mixture.Options
	Prior Prior
	// Plain draws labels given parameters, and parameters given labels, instead of labels given each other.
	Plain bool
}

// setup holds the data that the chains of one fit share.
type setup struct {
	mixture.Layout
	opts   Options
	family family
	rows   int
}

// New returns the sampler of a mixture of a family whose linear predictor is an intercept alone. It returns an
// error if such a mixture cannot be sampled, or if an option is wrong.
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
	own, err := newFamily(f, opts.Prior, data)
	if err != nil {
		return nil, err
	}
	return newSetup(own, data.Rows(), opts)
}

// newSetup is the sampler of a family on so many rows.
func newSetup(f family, rows int, opts Options) (infer.Setup, error) {
	of := f.parameters()
	var err error
	if opts.Options, err = opts.Filled(of); err != nil {
		return nil, err
	}
	if opts.Process != 0 && opts.Plain {
		return nil, words.Hint(errors.New("a Dirichlet process is sampled with its parameters integrated out"),
			"take method: collapsed or auto")
	}
	return &setup{opts: opts, family: f, rows: rows, Layout: mixture.Layout{Components: opts.Components, Of: of,
		Order: mixture.OrderOf(of, opts.Order), Known: opts.Known, Process: opts.Process,
		Real: realOf(of)}}, nil
}

// probabilities converts the logs of probabilities of a position.
func (s *setup) probabilities(position []float64) {
	for _, theta := range s.Blocks(position) {
		for j, p := range s.Of {
			if p.Kind == infer.Probability {
				theta[j] = min(1, vec.Exp(theta[j]))
			}
		}
	}
}

// read is its inverse.
func (s *setup) read(position, logW, theta []float64) {
	s.Read(position, logW, theta)
	for i := range theta {
		if s.Of[i%len(s.Of)].Kind == infer.Probability {
			theta[i] = vec.Log(theta[i])
		}
	}
}

// Explain says how the mixture is sampled.
func (s *setup) Explain() string {
	if s.opts.Plain {
		return fmt.Sprintf("%d components; labels given parameters, then parameters given labels", s.Components)
	}
	if s.Process != 0 {
		return fmt.Sprintf("a Dirichlet process, at most %d components occupied; one label after the other given all "+
			"others, parameters integrated out", s.Components)
	}
	return fmt.Sprintf("%d components; one label after the other given all others, parameters integrated out",
		s.Components)
}

// bare is a chain that is nowhere.
func (s *setup) bare(stream *infer.Stream) *kernel {
	out := &kernel{setup: s, labels: make([]uint8, s.rows), of: make([]statistics, s.Components),
		scratch: make([]float64, s.rows)}
	out.Chain = mixture.NewChain(&s.Layout, out, s.rows, nil, s.opts.Concentration, stream)
	return out
}

// Kernel returns one chain at its dispersed start.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, fmt.Errorf("collapsed: chain %d has no random stream", c.Index)
	}
	out := s.bare(c.Stream)
	for c := range out.of {
		out.of[c] = make(statistics, s.family.size())
	}
	out.Updates, out.Words = out.schedule(), mixture.HowStarted(s.starts())
	out.Saver = state.NewSaver("collapsed", stateVersion, out.list)
	return out, s.Restart(c.Stream, out, s.starts())
}
