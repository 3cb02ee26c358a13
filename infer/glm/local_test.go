package glm

import (
	"testing"
)

// What Local and LocalDirection give is what AlongCurve gives where nothing moves, and
// a move after Local has the value of one without, on dense and on sparse designs.
func TestLocal(t *testing.T) {
	eachCounted(t, func(t *testing.T, target *Target, theta []float64) {
		var targets []*Target
		dense, sparse := thinned(target.data)
		for _, data := range []*Data{dense, sparse} {
			made, err := NewTarget(data, target.model)
			must(t, err)
			targets = append(targets, made, made.Vectorised())
		}
		for _, target := range targets {
			c, plain := NewCurved(NewPoint(target)), NewCurved(NewPoint(target))
			c.SetTheta(theta)
			plain.SetTheta(theta)
			for j := range target.Cols() {
				agree := func(what string, got, want float64) {
					if !near(got, want, 1e-11) {
						t.Errorf("coefficient %d, %s: %v, want %v", j, what, got, want)
					}
				}
				got, want := c.Local(j), plain.AlongCurve(j, 0)
				agree("log likelihood", got.LogLik, want.LogLik)
				agree("slope", got.Slope, want.Slope)
				agree("curvature", got.Curvature, want.Curvature)
				if a, b := c.Along(j, 0.01), plain.Along(j, 0.01); !near(a.LogLik, b.LogLik, 1e-13) {
					t.Errorf("coefficient %d: %v after a look at its slope, %v without", j, a.LogLik, b.LogLik)
				}
				direction := &Direction{Beta: make([]float64, target.Cols()), Eta: target.data.X.Col(j)}
				direction.Beta[j] = 1
				c.Direct(direction)
				got = c.LocalDirection(direction)
				agree("slope of the direction", got.Slope, want.Slope)
				agree("curvature of the direction", got.Curvature, want.Curvature)
				c.Move(j, 0.01, c.Along(j, 0.01))
				plain.Move(j, 0.01, plain.Along(j, 0.01))
			}
			before := c.Along(1, 0.01)
			c.Local(0) // a column without zeros
			if after := c.Along(1, 0.01); after != before {
				t.Errorf("%v along coefficient 1, %v after a look at another", before.LogLik, after.LogLik)
			}
		}
	})
}
