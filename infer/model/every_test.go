package model_test

import (
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/infertest"
	"glmbatch/infer/model"
	"glmbatch/infer/prior"
	"glmbatch/internal/simd"
)

// every returns a study of each family of several linear predictors with each link, of each parameter that may have one,
// and of their censored rows. Densities are those of the family: other tests compare them with their definitions.
func every() (out []study) {
	for _, l := range family.Table() {
		if l.Support.Classes && l.Support.Trials {
			continue // counts of classes, which have the predictors of categorical
		}
		for _, link := range l.LinkNames() {
			f, _ := family.Parse(l.Name, link)
			of := []family.Family{f}
			for _, name := range append(f.Formulas(), family.Break(1)) {
				if one, can := f.WithPredictor(name); can {
					of = append(of, one)
				}
			}
			for _, f := range of {
				if f.Several() == nil {
					continue
				}
				out = append(out, studyOf(f))
				if one, err := f.WithLimits(family.Censored); err == nil && !f.Support().Whole {
					out = append(out, studyOf(one))
				}
			}
		}
	}
	return out
}

// studyOf is the study of a family.
func studyOf(f family.Family) study {
	s := study{of: f, rows: 25, columns: 2}
	for _, d := range f.Dispersions() {
		if s.shape = (prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 2}); d.Real {
			s.shape = prior.Prior{Kind: prior.Normal, Location: 1, Scale: 0.5}
		}
		if !f.Predicts(d.Name) {
			break
		}
		s.shape = prior.Prior{}
	}
	if f.Support().Classes {
		s.classes = 3
	}
	if f.Support().Ordered {
		s.classes, s.cuts = 0, 2
	}
	if f.Support().Trials {
		s.trials = 5
	}
	if f.Limits != family.NoLimits {
		s.bound = 3
	}
	if s.classes > 0 {
		return s
	}
	s.density = func(y float64, eta []float64, disp float64) float64 {
		r := family.Rows{Y: []float64{y}, Trials: []float64{max(1, s.trials)}, Total: 1, Disp: [2]float64{disp, disp},
			Kernels: simd.Vector()}
		if s.bound > 0 {
			r.Kind = []float64{family.Observed}
			if y == s.bound {
				r.Kind[0] = family.Above
			}
		}
		f.Several().Prepare(&r)
		rows, out := [][]float64{}, []float64{0}
		for p := range eta {
			rows = append(rows, eta[p:p+1])
		}
		f.Several().LogLik(&r, 0, rows, out)
		return out[0]
	}
	return s
}

// The joint distribution of positions and responses stays as it is, and ranks are uniform, for every family of several
// linear predictors with each link and parameter. make stat runs it.
func TestEveryFamily(t *testing.T) {
	if !infertest.Full() {
		t.Skip("an hour; GLMBATCH_STAT=1 runs it")
	}
	for _, s := range every() {
		name := s.of.String() + " " + s.of.Predicted
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			law := s.joint(name, sampler)
			infertest.InvarianceOf(t, law, infertest.Check{Seed: infertest.Seed(t), Pairs: 2000})
			infertest.RanksOf(t, law, infertest.Check{Seed: infertest.Seed(t), Pairs: 500, Steps: 10})
		})
	}
}

// Faults that are planted in a model are found: a wrong reference class, and censored rows that are taken for observed.
// TestPointsAgree finds stale linear predictors, and internal/mutants has faults in the code.
func TestInvarianceCatches(t *testing.T) {
	swapped := func(p *model.Problem) (infer.Setup, error) {
		own := *p
		own.Y = slices.Clone(p.Y)
		for i, y := range own.Y {
			if y < 2 {
				own.Y[i] = 1 - y
			}
		}
		return model.New(&own, nil)
	}
	observed := func(p *model.Problem) (infer.Setup, error) {
		own := *p
		own.Kind = make([]float64, len(p.Kind))
		return model.New(&own, nil)
	}
	for _, f := range []struct {
		study   string
		sampler func(*model.Problem) (infer.Setup, error)
	}{{"three", swapped}, {"cumulative", swapped}, {"hazard in pieces", observed}, {"sigma of censored rows", observed}} {
		infertest.MustReject(t, func(t infertest.TB) {
			s := studies[f.study]
			infertest.InvarianceOf(t, s.joint(f.study, f.sampler), infertest.Check{Seed: 1, Pairs: 1840})
		})
	}
}
