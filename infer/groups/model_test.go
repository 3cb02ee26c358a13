package groups

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// A target's log likelihood and log prior are those of the definitions, at its own draws.
func TestModelOfPositions(t *testing.T) {
	weighted := newStudy("gaussian", "identity", 24, [2]int{3, 2}).weighted()
	weighted.data.Offset = covariate(24, 1)
	for name, s := range map[string]study{
		"gaussian": weighted, "bernoulli": studies()["bernoulli/tailed"], "poisson": studies()["poisson/4"],
		"student_t": newStudy("student_t", "identity", 20, [2]int{3, 2}, [2]int{8, 1}),
		"sparse":    newStudy("bernoulli", "logit", 20, [2]int{5, 1}).sparse(),
	} {
		rng := infer.NewStream(2, name)
		_, data := s.draw(rng)
		target, err := NewModel(data, s.model, nil)
		must(t, err)
		p, theta := NewPredictor(target), make([]float64, len(target.Parameters()))
		for range 5 {
			target.DrawPrior(rng, theta)
			p.SetTheta(theta)
			logLik, logPrior := s.density(data)(theta)
			if off(p.Value().LogLik, logLik) || off(p.LogPrior(theta), logPrior) {
				t.Errorf("%s: log likelihood %v and log prior %v, want %v and %v", name, p.Value().LogLik, p.LogPrior(theta), logLik,
					logPrior)
			}
		}
	}
}

// A target's draws have the distribution of those that the tests of invariance begin from, and so have the linear
// predictors of single rows: means of functions of them, |z| of differences. False alarms: 80 numbers, |z| < 5,
// 5e-5. Power: 0.1 sds.
func TestModelDrawsFromThePrior(t *testing.T) {
	const n = 5000
	for _, name := range []string{"gaussian/4", "bernoulli/tailed"} {
		s, seed := studies()[name], infertest.Seed(t)
		_, data := s.draw(infer.NewStream(seed, "data"))
		target, err := NewModel(data, s.model, nil)
		must(t, err)
		p, theta := NewPredictor(target), make([]float64, len(target.Parameters()))
		look := func(theta []float64) (out []float64) {
			for j, param := range target.Parameters() {
				v := theta[j]
				if param.Kind == infer.GroupSD {
					v = math.Log(v)
				}
				out = append(out, math.Tanh(v), math.Tanh(v*v), math.Tanh(v*theta[max(j-1, 0)]))
			}
			return out
		}
		rows := []int{0, 7, 8, 19}
		seen := func(eta []float64) (out []float64) {
			for k := range rows {
				out = append(out, math.Tanh(eta[k]), math.Tanh(eta[k]*eta[k]), math.Tanh(eta[k]*eta[0]))
			}
			return out
		}
		var sums [2][][]float64
		add := func(which int, values []float64) {
			sums[which] = append(sums[which], values)
		}
		eta := make([]float64, len(rows))
		for i := range n {
			rng := infer.NewStream(seed, name, strconv.Itoa(i))
			own, _ := s.draw(rng)
			p.SetTheta(own)
			for k, row := range rows {
				eta[k] = p.Eta()[row]
			}
			add(0, append(look(own), seen(eta)...))
			target.DrawPrior(rng, theta)
			few := append([]float64(nil), theta...)
			values := look(theta)
			clear(eta)
			for k, row := range rows {
				for j := range data.Cols() {
					eta[k] += few[j] * data.X.Col(j)[row]
				}
			}
			target.AddPriorEffects(rng, rows, eta)
			add(1, append(values, seen(eta)...))
		}
		sameMeans(t, name, sums)
	}
}

// sameMeans compares the means of two samples of vectors.
func sameMeans(t *testing.T, name string, samples [2][][]float64) {
	t.Helper()
	n := float64(len(samples[0]))
	for j := range samples[0][0] {
		var m, v [2]float64
		for which := range samples {
			for _, x := range samples[which] {
				m[which] += x[j] / n
			}
			for _, x := range samples[which] {
				v[which] += (x[j] - m[which]) * (x[j] - m[which]) / n
			}
		}
		if z := (m[0] - m[1]) / math.Sqrt((v[0]+v[1])/n); math.Abs(z) > 5 {
			t.Errorf("%s: number %d has the means %v: z = %.1f", name, j, m, z)
		}
	}
}

// Flat priors are named, sds among them; the effects of rows are taken with these.
func TestModelNames(t *testing.T) {
	s := newStudy("gaussian", "identity", 20, [2]int{3, 2})
	s.model.Coefficients[1].Kind, s.model.Dispersion.Kind = prior.Flat, prior.Flat
	s.model.Effects[0].SD[1].Kind = prior.Flat
	if got := ImproperPriors(&s.data, &s.model); !slices.Equal(got, []string{"a", "sigma", "sd_g__t1"}) {
		t.Errorf("flat priors of %q", got)
	}
	e := s.data.Effects[0]
	taken := e.Taken([]int{7, 7, 3})
	if of := taken.Grouping.Of(); taken.Columns[0] != nil || taken.Columns[1][2] != e.Columns[1][3] || of[1] != e.Grouping.Of()[7] ||
		taken.Grouping.Levels() != e.Grouping.Levels() {
		t.Errorf("taken %+v", taken)
	}
}
