package groups

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// smoothed adds a smooth of three penalised columns for each prior of a standard deviation.
func (s study) smoothed(sds ...prior.Prior) study {
	old, n := s.data.X.(*design.Dense), s.data.Rows()
	x := design.NewDense(n, old.Cols+3*len(sds))
	copy(x.Values, old.Values)
	s.data.Names = append([]string(nil), s.data.Names...)
	s.model.Coefficients = append([]prior.Prior(nil), s.model.Coefficients...)
	for k := range sds {
		at := old.Cols + 3*k
		m := design.Smooth{Name: fmt.Sprintf("sx%d_1", k+1), Term: fmt.Sprintf("s(x%d)", k+1), First: at, Last: at + 3}
		for l := range 3 {
			for i := range n {
				u := math.Mod(float64(i+1)*(0.324717957244746+0.2*float64(k)), 1)
				x.Col(at + l)[i] = 2 * math.Cos(math.Pi*float64(l+1)*u) / float64(l+1)
			}
			s.data.Names = append(s.data.Names, fmt.Sprintf("s_%s[%d]", m.Name, l+1))
			s.model.Coefficients = append(s.model.Coefficients, prior.Prior{Kind: prior.Penalised, Scale: 1})
		}
		s.data.Smooths = append(s.data.Smooths, m)
	}
	s.data.X, s.model.Smooths = x, sds
	return s
}

// Iterations of smooths and groups after the first ones, which are sweeps. False alarms: see limit.
func TestSmoothsAreInvariant(t *testing.T) {
	for _, name := range []string{"gaussian/smooth", "bernoulli/smooth"} {
		t.Run(name, func(t *testing.T) { holds(t, studies()[name], infertest.Scale(400, 20_000), Options{}, sweeps(12)) })
	}
}
