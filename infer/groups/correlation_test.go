package groups_test

import (
	"math"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// slopeless simulates levels with an intercept each, of standard deviation 0.8, and the same slope: a bernoulli with
// the logit link, or a poisson of mean e^4. The model is y ~ x + (1 + x | g).
func slopeless(family, link string, levels, rows int) (*glm.Data, glm.Model) {
	n, rng := levels*rows, infer.NewStream(9, "slopeless")
	x := design.NewDense(n, 2)
	data := &glm.Data{X: x, Names: []string{"(Intercept)", "x"}, Y: make([]float64, n)}
	e := &design.Effects{Group: "g", Terms: []string{"Intercept", "x"}, Columns: [][]float64{nil, x.Col(1)}}
	of := make([]int32, n)
	for l := range levels {
		e.Levels = append(e.Levels, strconv.Itoa(l))
		r := 0.8 * variate.Normal(rng)
		for i := l * rows; i < (l+1)*rows; i++ {
			of[i] = int32(l)
			x.Col(0)[i], x.Col(1)[i] = 1, variate.Normal(rng)
			eta := r + 0.5*x.Col(1)[i]
			if family == "poisson" {
				data.Y[i] = variate.Poisson(rng, math.Exp(4+eta))
			} else if rng.Float64() < 1/(1+math.Exp(-eta)) {
				data.Y[i] = 1
			}
		}
	}
	e.Grouping = design.NewGrouping(of, levels)
	data.Effects = []*design.Effects{e}
	sd := prior.Prior{Kind: prior.HalfStudentT, DF: 3, Scale: 2.5}
	return data, glm.Model{Family: glm.Family{Name: family, Link: link},
		Coefficients: []prior.Prior{{Kind: prior.Normal, Scale: 5}, {Kind: prior.Normal, Scale: 5}},
		Effects:      []glm.EffectsPrior{{SD: []prior.Prior{sd, sd}, LKJ: 1}}}
}

// A correlation of effects of which one has a standard deviation near 0 mixes as fast as the standard deviations: the
// data do not determine it, and a move given the effects is as short as one over the root of the number of levels.
// The bar is effective draws per iteration. Without moves that carry the effects of several terms, the correlation has
// 0.010 of the bernoulli and 0.028 of the poisson; with them 0.23 and 0.068.
func TestCorrelationWithoutSpread(t *testing.T) {
	for _, c := range []struct {
		family, link string
		levels, rows int
	}{{"bernoulli", "logit", 100, 8}, {"poisson", "log", 40, 20}} {
		t.Run(c.family, func(t *testing.T) {
			data, model := slopeless(c.family, c.link, c.levels, c.rows)
			setup, err := groups.New(data, model, nil, groups.Options{})
			if err != nil {
				t.Fatal(err)
			}
			const warmup, draws, bar = 200, 1500, 0.05
			k, err := setup.Kernel(infer.Chain{Count: 1, Warmup: warmup, Stream: infer.NewStream(3, "slopeless")})
			if err != nil {
				t.Fatal(err)
			}
			params := setup.Parameters()
			theta, values := make([]float64, len(params)), make([][]float64, len(params))
			for i := range warmup + draws {
				if _, err := k.Step(); err != nil {
					t.Fatal(err)
				}
				if k.Position(theta); i >= warmup {
					for j, v := range theta {
						values[j] = append(values[j], v)
					}
				}
			}
			for j, p := range params {
				if p.Kind == infer.GroupSD || p.Kind == infer.GroupCorrelation {
					ess := diag.ESSBulk([][]float64{values[j]}) / draws
					t.Logf("%s: %.4f effective draws an iteration", p.Name, ess)
					if !(ess > bar) {
						t.Errorf("%s has %.4f effective draws an iteration, which must be more than %v", p.Name, ess, bar)
					}
				}
			}
		})
	}
}
