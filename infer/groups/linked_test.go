package groups

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// Slices of linked effects draw them given the effects of the other predictor. Counts of 0 with a mean of e^−30 leave
// these to their prior, whose conditional mean and sd are known.
//
// False alarms: 6 numbers at six standard errors of 4000 draws, of which a third are taken to be independent: 1e-8.
// Power: without the other predictor the means are 0 instead of 1.8, −0.9 and 0.45, and the sds 1 instead of 0.44.
func TestLinkedSlices(t *testing.T) {
	const levels, rows, correlation = 3, 12, 0.9
	l := linkedCounts(t, levels, rows)
	l.SetCorrelations([]float64{correlation})
	given := []float64{2, -1, 0.5}
	l.owners[1].point.Assign(l.parts[1].effects, given)
	l.Lean(0)
	k, g := l.owners[0], l.parts[0]
	const draws = 4000
	var mean, square [levels]float64
	for range draws {
		if !k.sliceLevels(g) {
			t.Fatal(k.Failing)
		}
		for i, r := range g.r {
			mean[i] += r / draws
			square[i] += r * r / draws
		}
	}
	want := math.Sqrt(1 - correlation*correlation)
	for i, m := range mean {
		sd := math.Sqrt(square[i] - m*m)
		if off := 6 * want / math.Sqrt(draws/3); math.Abs(m-correlation*given[i]) > off || math.Abs(sd-want) > off {
			t.Errorf("effect %d given %v has mean %v and sd %v, want %v and %v", i, given[i], m, sd, correlation*given[i], want)
		}
	}
}

// linkedCounts returns the moves of linked intercepts, with sds of 1, of two predictors of counts of 0.
func linkedCounts(t *testing.T, levels, rows int) *LinkedMove {
	t.Helper()
	of, x := make([]int32, rows), design.NewDense(rows, 1)
	offset, names := make([]float64, rows), make([]string, levels)
	for i := range rows {
		of[i], x.Values[i], offset[i] = int32(i%levels), 1, -30
	}
	effects := []*design.Effects{}
	priors := []glm.EffectsPrior{}
	chains := []Chain{}
	for k := range 2 {
		e := &design.Effects{Grouping: design.NewGrouping(of, levels), Group: "g", ID: "p", Linked: true, Levels: names,
			Terms: []string{"Intercept"}, Columns: [][]float64{nil}}
		law := glm.EffectsPrior{SD: []prior.Prior{{Kind: prior.HalfNormal, Scale: 1}}, LKJ: 1}
		effects, priors = append(effects, e), append(priors, law)
		s, err := NewOrdered(&glm.Data{X: x, Names: []string{"(Intercept)"}, Intercept: -1, Y: make([]float64, rows),
			Offset: offset, Penalised: glm.Penalised{Effects: []*design.Effects{e}}}, glm.Model{Family: family.Named("poisson").Family(),
			Coefficients: []prior.Prior{{Kind: prior.Normal, Scale: 1}}, Effects: []glm.EffectsPrior{law}}, nil)
		must(t, err)
		c, err := s.Start(infer.Chain{Count: 1, Stream: infer.NewStream(uint64(k), "linked")})
		must(t, err)
		c.(*kernel).groups[0].logSD[0] = 0
		chains = append(chains, c)
	}
	l, err := NewLink([]LinkPart{{0, 0}, {1, 0}}, effects, priors)
	must(t, err)
	return l.Mover(chains, infer.NewStream(3, "linked"), &chains[0].(*kernel).Looks)
}
