package selection

import (
	"errors"
	"fmt"
	"slices"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
	"glmbatch/infer/conjugate"
	"glmbatch/infer/glm"
	"glmbatch/internal/state"
)

// Method says how the indicators are sampled.
type Method string

// The methods.
const (
	// Gibbs draws each indicator given the others, in turn.
	Gibbs Method = "gibbs"
	// Herded is herded Gibbs: deterministic weights instead of draws.
	Herded Method = "herded"
	// Exact draws all indicators independently from their joint distribution.
	Exact Method = "exact"
)

// Options configures New.
type Options struct {
	Method Method
	Herded herded.Options // of Herded alone
}

// Setup holds the data that the chains of a fit share.
type Setup struct {
	Options
	target *glm.Target
	law    *conjugate.Selection
	model  *mrf.Listed
	inner  infer.Setup // nil of Exact
	upTo   []float64   // of Exact: cumulative probabilities of the models
	exact  *mrf.Exact
}

// New computes the distribution over all models. It returns a *conjugate.UnsupportedError for models without closed
// form, and the errors of conjugate.New. Cost: 2^candidates times some ten microseconds; 16 candidates take
// seconds.
func New(target *glm.Target, o Options) (*Setup, error) {
	law, err := conjugate.NewSelection(target)
	if err != nil {
		return nil, err
	}
	u, err := law.LogWeights()
	if err != nil {
		return nil, err
	}
	s := &Setup{Options: o, target: target, law: law}
	if s.model, err = mrf.NewListed(len(law.Candidates()), u); err != nil {
		return nil, err
	}
	if s.exact, err = mrf.Enumerate(s.model); err != nil {
		return nil, err
	}
	switch o.Method {
	case Gibbs:
		s.inner, err = mrf.NewGibbs(s.model, mrf.Options{})
	case Herded:
		s.inner, err = herded.New(s.model, o.Herded)
	case Exact:
		sum := 0.0
		for _, p := range s.exact.P {
			sum += p
			s.upTo = append(s.upTo, sum)
		}
	default:
		err = fmt.Errorf("selection: the method is %q; use gibbs, herded or exact", o.Method)
	}
	return s, err
}

// Model is the distribution of the indicators.
func (s *Setup) Model() *mrf.Listed { return s.model }

// Inclusion are the probabilities that the candidates are in the model, exact up to rounding.
func (s *Setup) Inclusion() []float64 {
	out := make([]float64, s.model.Variables())
	for i := range out {
		out[i] = s.exact.Marginals.At(i)[1]
	}
	return out
}

// Explain says what the setup computed.
func (s *Setup) Explain() string {
	words := map[Method]string{Gibbs: "Gibbs sampling of the indicators", Herded: "herded Gibbs of the indicators",
		Exact: "independent draws of the indicators"}[s.Method]
	return fmt.Sprintf("%s, with coefficients and sigma integrated out: %d models of %d candidates are weighed", words,
		len(s.exact.P), s.model.Variables())
}

// Parameters describes the coefficients and sigma, then the indicators.
func (s *Setup) Parameters() []infer.Parameter {
	out := s.target.Parameters()
	for _, j := range s.law.Candidates() {
		out = append(out, infer.Parameter{Name: infer.InclusionName(out[j].Name), Kind: infer.Inclusion, Term: out[j].Name})
	}
	return out
}

// Kernel returns a chain. Its start is a draw given indicators that are drawn uniformly, of Exact one of the posterior.
func (s *Setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, errors.New("selection: the chain has no random stream")
	}
	k := &kernel{Setup: s, stream: c.Stream, x: make([]uint8, s.model.Variables()), draws: s.law.Drawer(c.Stream)}
	k.Saver = state.NewSaver("selection", stateVersion, k.list)
	if s.inner == nil {
		k.pick()
	} else {
		inner, err := s.inner.Kernel(c)
		if err != nil {
			return nil, err
		}
		k.inner = inner.(mrf.Sampler)
		k.x = k.inner.State()
	}
	_, err := k.draws.Draw(k.x)
	return k, err
}

// kernel is one chain.
type kernel struct {
	*Setup
	state.Saver
	stream *infer.Stream // of inner and draws
	inner  mrf.Sampler   // nil of Exact
	x      []uint8       // of inner, where there is one
	draws  *conjugate.Drawer
}

// pick draws the indicators from their joint distribution.
func (k *kernel) pick() {
	u := k.stream.Float64() * k.upTo[len(k.upTo)-1]
	at, _ := slices.BinarySearch(k.upTo, u)
	at = min(at, len(k.upTo)-1)
	for i := range k.x {
		k.x[i] = uint8(at >> (len(k.x) - 1 - i) & 1)
	}
}

// Step makes one sweep over the indicators, and draws coefficients and sigma given them.
func (k *kernel) Step() (infer.Info, error) {
	evaluations := int64(0)
	if k.inner == nil {
		k.pick()
	} else {
		info, err := k.inner.Step()
		if err != nil {
			return info, err
		}
		evaluations = info.Evaluations
	}
	info, err := k.draws.Draw(k.x)
	info.Evaluations = evaluations
	return info, err
}

// Position writes coefficients and sigma, then the indicators.
func (k *kernel) Position(dst []float64) {
	n := copy(dst, k.draws.Theta())
	for i := range dst[n:] {
		dst[n+i] = float64(k.x[i])
	}
}

// Start says how the first position was made.
func (k *kernel) Start() string {
	if k.inner == nil {
		return "exact draw from the posterior"
	}
	return k.inner.Start()
}

// stateVersion leads the state of a chain.
const stateVersion = 1

// list lists the state of the chain: theta, then the indicators and the stream, as the chain of indicators has them.
func (k *kernel) list(c *state.Codec) {
	c.Finite("parameters", k.draws.Theta())
	if k.inner != nil {
		c.Rest(k.inner)
		return
	}
	for _, a := range c.Bytes(k.x) {
		c.Demand(a <= 1, "an indicator is %d", a)
	}
	c.Rest(k.stream)
}
