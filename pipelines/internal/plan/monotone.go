package plan

import (
	"fmt"
	"slices"

	"glmbatch/infer"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// monotonePriors gives monotonic effects their priors. The default of the mean of the steps is that of the coefficient
// of the number of the level.
func monotonePriors(m *spec.Model, data *glm.Data, named func(string) string) (out []glm.MonotonePrior) {
	if len(data.Monotone) == 0 {
		return nil
	}
	levels := *data
	n := data.Rows()
	x := matrix.NewDense(n, len(data.Monotone))
	for k, effect := range data.Monotone {
		for j := effect.First; j < effect.Last; j++ {
			data.X.Column(j).AddTo(x.Values[k*n:(k+1)*n], 1)
		}
	}
	levels.X, levels.Intercept, levels.Names = x, -1, nil
	defaults := glm.Defaults(m.Family.Family, &levels)
	for k, effect := range data.Monotone {
		law := m.Prior.For(named(effect.Name))
		if law.Kind == "" {
			law = defaults.Coefficients[k]
		}
		out = append(out, glm.MonotonePrior{Mean: law, Share: slices.Repeat([]float64{1}, effect.Last-effect.First)})
		given := m.Prior.MatchShare(named(effect.Simplex))
		switch {
		case given == nil:
		case len(given.Share) == 1:
			out[k].Share = slices.Repeat(given.Share, effect.Last-effect.First)
		default:
			out[k].Share = given.Share
		}
	}
	return out
}

// monotonePriorsOf gives the effects of a class of a response their priors: those of its name, else those of all.
func monotonePriorsOf(m *spec.Model, data *glm.Data, of family.Predictor) []glm.MonotonePrior {
	out, own := monotonePriors(m, data, plainly), monotonePriors(m, data, of.Named)
	for k, effect := range data.Monotone {
		if m.Prior.Match(of.Named(effect.Name)) != nil {
			out[k].Mean = own[k].Mean
		}
		if m.Prior.MatchShare(of.Named(effect.Simplex)) != nil {
			out[k].Share = own[k].Share
		}
	}
	return out
}

// plainly is the name of what has no predictor of its own.
func plainly(name string) string { return name }

// checkMonotone refuses priors of simplexes of other lengths.
func checkMonotone(data *glm.Data, laws []glm.MonotonePrior) error {
	for k, effect := range data.Monotone {
		if steps := effect.Last - effect.First; len(laws[k].Share) != steps {
			return words.Hint(fmt.Errorf("prior of %s: %s has %d numbers for %d steps", effect.Simplex,
				spec.SharePrior(laws[k].Share), len(laws[k].Share), steps), "give one for all steps: dirichlet(1), or one for each")
		}
	}
	return nil
}

// monotonePrior spells the prior of a parameter of a monotonic effect, or of one of its steps.
func monotonePrior(given *glm.Model, data *glm.Data, of family.Predictor, p infer.Parameter, column int) string {
	for k, effect := range data.Monotone {
		law := given.Monotone[k]
		switch {
		case effect.First <= column && column < effect.Last:
			return fmt.Sprintf("%d · %s · %s[%d]", effect.Last-effect.First, effect.Name, effect.Simplex, column-effect.First+1)
		case column < 0 && p.Term == effect.Name && p.Name != of.Named(effect.Name):
			return ShareWords(law.Share)
		case column < 0 && p.Term == effect.Name:
			return law.Mean.String()
		}
	}
	return ""
}

// ShareWords spells the prior of the shares of steps: one number if all are equal.
func ShareWords(share []float64) string {
	if !slices.ContainsFunc(share, func(x float64) bool { return x != share[0] }) {
		share = share[:1]
	}
	return spec.SharePrior(share).String()
}

// monotoneNumbers lists the defaults of monotonic effects.
func monotoneNumbers(m *spec.Model, all glm.Model, data *glm.Data) (out []string) {
	for k, effect := range data.Monotone {
		if m.Prior.For(effect.Name).Kind == "" {
			out = append(out, effect.Name+": "+all.Monotone[k].Mean.String())
		}
		if m.Prior.MatchShare(effect.Simplex) == nil {
			out = append(out, effect.Simplex+": dirichlet(1)")
		}
	}
	return out
}

// IsStep reports whether a column of a design is a step of a monotonic effect.
func IsStep(data *glm.Data, column int) bool {
	return slices.ContainsFunc(data.Monotone, func(m matrix.Monotone) bool { return m.First <= column && column < m.Last })
}
