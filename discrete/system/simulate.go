package system

import (
	"sync"

	"glmbatch/discrete/mrf"
	"glmbatch/infer"
)

// Simulated is a Setup that also draws independent states of the field, by sums over all states.
type Simulated struct {
	*Setup
	independent func() (*mrf.Independent, error)
}

// Simulated returns the set-up with independent draws. Their limits are those of mrf.Transfer.
func (s *Setup) Simulated() *Simulated {
	return &Simulated{s, sync.OnceValues(func() (*mrf.Independent, error) { return mrf.NewIndependent(s.Model) })}
}

// Simulate draws a state. Its posterior is the field, of which nothing is observed.
func (s *Simulated) Simulate(stream *infer.Stream) (out infer.Simulation, err error) {
	from, err := s.independent()
	if err != nil {
		return out, err
	}
	x := make([]uint8, s.N)
	from.Draw(stream, x)
	out = infer.Simulation{Position: make([]float64, len(s.at)), LogLik: mrf.LogDensity(s.Model, x), Posterior: s}
	for i, f := range s.at {
		out.Position[i] = f.at(x)
	}
	return out, nil
}
