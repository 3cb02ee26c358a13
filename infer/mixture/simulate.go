package mixture

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// Simulate draws weights and parameters from the prior, and a label and a response of each row given these. Rows count
// once each.
func (s *setup) Simulate(stream *infer.Stream) (out infer.Simulation, err error) {
	k := s.bare(stream)
	if k.frequency != nil {
		return out, fmt.Errorf("mixture: responses of rows that count several times are not simulated")
	}
	k.DrawPrior(func(theta []float64) { s.target.DrawPrior(stream, theta) })
	data := *s.target.Data()
	data.Y = make([]float64, data.Rows())
	eta := make([][]float64, s.Components)
	for c := range eta {
		eta[c] = make([]float64, data.Rows())
		design.Multiplied(data.X, k.ThetaOf(c)[:s.target.Cols()], eta[c])
	}
	for i := range data.Y {
		c := Pick(stream.Float64(), k.LogW, 0)
		at := eta[c][i]
		if data.Offset != nil {
			at += data.Offset[i]
		}
		disp := s.target.Model().DispersionsAt(k.ThetaOf(c)[s.target.Cols():])
		data.Y[i] = s.rows.Draw(stream, i, at, disp[:])
	}
	target, err := glm.NewTarget(&data, *s.target.Model())
	if err != nil {
		return out, err
	}
	own, err := New(target, s.opts)
	if err != nil {
		return out, err
	}
	out.Posterior = own
	out.Position, out.LogLik = own.(*setup).bare(stream).Place(k.LogW, k.Theta)
	return out, nil
}

// bare is a chain that is nowhere.
func (s *setup) bare(stream *infer.Stream) *kernel {
	k := &kernel{setup: s}
	k.Chain = NewChain(&s.Layout, k, s.target.Rows(), s.target.Data().Frequency, s.opts.Concentration, stream)
	return k
}

// DrawPrior draws the weights from their prior, and the parameters of each component by of.
func (k *Chain) DrawPrior(of func(theta []float64)) {
	clear(k.Counts)
	k.DrawWeights()
	for c := range k.LogW {
		of(k.ThetaOf(c))
	}
}

// Place returns the position of weights with these logs and of parameters, and the log likelihood there.
func (k *Chain) Place(logW, theta []float64) (position []float64, logLik float64) {
	copy(k.LogW, logW)
	copy(k.Theta, theta)
	k.Evaluate()
	position = make([]float64, k.layout.Len())
	k.Position(position)
	return position, k.logLik
}
