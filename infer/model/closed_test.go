package model_test

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/model"
	"glmbatch/infer/prior"
)

// Chains by cross products have the densities of the rows at their positions, whatever has the sigmas and the effects.
func TestClosedChains(t *testing.T) {
	fixed := prior.Prior{Kind: prior.Constant, Location: 0.7}
	for name, change := range map[string]func(p *model.Problem){
		"correlated":  func(*model.Problem) {},
		"independent": func(p *model.Problem) { p.Rescor = 0 },
		"fixed": func(p *model.Problem) {
			p.Rescor, p.Responses[1].Predictors[0].Model.Dispersion = 0, fixed
		},
		"fixed correlated": func(p *model.Problem) { p.Responses[0].Predictors[0].Model.Dispersion = fixed },
		"apart": func(p *model.Problem) {
			for _, own := range p.Responses[:2] {
				e := own.Predictors[0].Data.Effects[0]
				e.ID, e.Terms, e.Columns = "", []string{"Intercept", "x1"}, [][]float64{nil, own.Predictors[0].Data.X.Col(1)}
				law := &own.Predictors[0].Model.Effects[0]
				law.SD = append(law.SD, fixed)
			}
		},
		"one": func(p *model.Problem) { p.Responses[0].Predictors[0].Data.Effects = nil },
		"none": func(p *model.Problem) {
			for _, own := range p.Responses[:2] {
				own.Predictors[0].Data.Effects, own.Predictors[0].Model.Effects = nil, nil
			}
		},
		"offset": func(p *model.Problem) {
			p.Responses[2].Predictors[0].Data.Offset = slices.Repeat([]float64{3}, bound.rows)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := simulateBound(infer.NewStream(3, "closed"), lawsOfBound)
			for _, own := range p.Responses {
				data := *own.Predictors[0].Data
				data.Effects = slices.Clone(data.Effects)
				own.Predictors[0].Data = &data
			}
			change(p)
			if p.Responses[0].Predictors[0].Data.Effects == nil {
				p.Responses[0].Predictors[0].Model.Effects = nil
			}
			checkClosed(t, p)
		})
	}
}

func checkClosed(t *testing.T, p *model.Problem) {
	t.Helper()
	setup, err := model.New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	of, err := model.NewPosterior(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(4, "closed")})
	if err != nil {
		t.Fatal(err)
	}
	at, theta, back := of.At(), make([]float64, len(setup.Parameters())), make([]float64, len(setup.Parameters()))
	for range 20 {
		info, err := k.Step()
		if err != nil {
			t.Fatal(err)
		}
		k.Position(theta)
		logLik, logPrior, _ := at(theta)
		if info.Touched > 0 || math.Abs(info.LogLik-logLik) > 1e-9 || math.Abs(info.LogPrior-logPrior) > 1e-9 {
			t.Fatalf("densities %v and %v with %d entries read, want %v and %v with none", info.LogLik, info.LogPrior,
				info.Touched, logLik, logPrior)
		}
		if err := k.(interface{ SetPosition([]float64) error }).SetPosition(theta); err != nil {
			t.Fatal(err)
		}
		if k.Position(back); !near(theta, back) {
			t.Fatalf("position %v comes back as %v", theta, back)
		}
	}
}
