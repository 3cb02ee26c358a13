package family

import "testing"

// The default prior of a length is that of brms 2.18, get_prior(y ~ gp(x, k = 3, c = 5/4)): of c(3, 4.5, 5, 6, 7, 8, 8.5,
// 9), and of the logarithms with scale = FALSE.
func TestLengthPriorLikeBrms(t *testing.T) {
	for want, distances := range map[string][2]float64{
		"inverse_gamma(4.047046, 0.843335)": {0.5 / 6, 1},
		"inverse_gamma(3.005065, 0.48096)":  {0.057158413839948574, 1.0986122886681098},
	} {
		if got := LengthPrior(distances[0], distances[1]).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := LengthPrior(1, 1); got.Shape < 1000 {
		t.Errorf("of two values %s, want all of it near their distance", got)
	}
}
