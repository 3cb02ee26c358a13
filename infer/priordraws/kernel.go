package priordraws

import (
	"fmt"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/glm"
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

// Check returns an *ImproperError unless every prior is proper. names are those
// of the coefficients.
func Check(model *glm.Model, names []string, data *glm.Data) error {
	var improper []string
	for j, p := range model.Coefficients {
		if !p.Proper() {
			improper = append(improper, names[j])
		}
	}
	for k, d := range model.Family.Dispersions() {
		if !model.DispersionPrior(k).Proper() {
			improper = append(improper, d.Name)
		}
	}
	for k, p := range model.Smooths {
		if !p.Proper() {
			improper = append(improper, glm.SmoothSDName(data.Smooths[k].Name))
		}
	}
	if improper != nil {
		return &ImproperError{improper}
	}
	return nil
}

// tries bounds the draws that are rejected for the domain of the link.
const tries = 10_000

// setup is shared by the chains.
type setup struct{ target *glm.Target }

// New returns the set-up of draws from the target's prior; an *ImproperError if
// it has none.
func New(target *glm.Target) (infer.Setup, error) {
	var names []string
	for _, p := range target.Parameters() {
		names = append(names, p.Name)
	}
	if err := Check(target.Model(), names, target.Data()); err != nil {
		return nil, err
	}
	return &setup{target}, nil
}

// Parameters describes theta.
func (s *setup) Parameters() []infer.Parameter { return s.target.Parameters() }

// Kernel returns a chain at its first draw.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k := &kernel{target: s.target, at: glm.NewPredictor(s.target), stream: c.Stream,
		theta: make([]float64, s.target.Dim())}
	return k, k.draw()
}

// kernel is one chain of independent draws.
type kernel struct {
	target *glm.Target
	at     *glm.Predictor
	stream *infer.Stream
	theta  []float64
}

// Step draws theta anew. Cost: one pass over the design for the log likelihood.
func (k *kernel) Step() (infer.Info, error) {
	err := k.draw()
	return infer.Info{LogLik: k.at.Value().LogLik, LogPrior: k.target.LogPrior(k.theta), Accept: 1,
		Touched: int64(k.target.Rows())}, err
}

// draw draws theta until its linear predictor is inside the domain of the link.
func (k *kernel) draw() error {
	for range tries {
		k.target.DrawPrior(k.stream, k.theta)
		k.at.SetTheta(k.theta)
		if k.target.InDomain(k.at.Eta()) {
			return nil
		}
	}
	family := k.target.Model().Family
	return words.Hint(fmt.Errorf("none of %d draws from the prior has a linear predictor in the domain of %s, eta > 0 "+
		"in every row", tries, family),
		"give the intercept a prior above 0, and the coefficients narrow ones")
}

// Position writes the draw.
func (k *kernel) Position(dst []float64) { copy(dst, k.theta) }

// Start says how the chain begins.
func (k *kernel) Start() string { return "prior" }

// stateVersion leads the serialised form: stream, then theta.
const stateVersion = 1

// MarshalBinary returns the chain's state.
func (k *kernel) MarshalBinary() ([]byte, error) {
	stream, err := k.stream.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return state.AppendFloats(append([]byte{stateVersion, byte(len(stream))}, stream...), k.theta), nil
}

// UnmarshalBinary restores what MarshalBinary wrote.
func (k *kernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("prior", data)
	if version := r.Byte(); r.Err() == nil && version != stateVersion {
		return fmt.Errorf("prior: chain state has version %d, this program has %d", version, stateVersion)
	}
	stream := r.Bytes(int(r.Byte()))
	theta := r.Finite(len(k.theta), "parameters")
	if r.Err() == nil && r.Rest() > 0 {
		return fmt.Errorf("prior: chain state has %d bytes too many", r.Rest())
	}
	if r.Err() != nil {
		return r.Err()
	}
	if err := k.stream.UnmarshalBinary(stream); err != nil {
		return err
	}
	copy(k.theta, theta)
	k.at.SetTheta(k.theta)
	return nil
}
