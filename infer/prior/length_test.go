package prior

import (
	"math"
	"testing"
)

// The spread of a coefficient is the root of the spectral density, and slope is the derivative of its log.
func TestSpectralDensity(t *testing.T) {
	for numbers := 1; numbers <= 3; numbers++ {
		l := Length{Numbers: numbers, Frequencies: []float64{0.8, 3}}
		for _, length := range []float64{0.05, 0.7, 2} {
			at := math.Log(length)
			for i, f := range l.Frequencies {
				density := math.Pow(math.Sqrt(2*math.Pi)*length, float64(numbers)) * math.Exp(-0.5*length*length*f*f)
				if got := math.Exp(2 * l.logSpread(at, i)); math.Abs(got-density) > 1e-12*density {
					t.Errorf("%d numbers, length %v, frequency %v: variance %v, want %v", numbers, length, f, got, density)
				}
				const step = 1e-6
				slope := (l.logSpread(at+step, i) - l.logSpread(at-step, i)) / (2 * step)
				if got := l.slope(at, i); math.Abs(got-slope) > 1e-7*(1+math.Abs(slope)) {
					t.Errorf("%d numbers, length %v, frequency %v: slope %v, want %v", numbers, length, f, got, slope)
				}
			}
		}
	}
}
