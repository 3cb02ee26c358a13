package groups

import (
	"math"
	"reflect"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/internal/variate"
)

// The density of totals with all effects integrated out is a normal density whose covariances are sums of the
// variances of the groupings that two leaves have in common, and levels without rows are normal by themselves.
func TestNestIsTheLawOfItsTotals(t *testing.T) {
	for name, s := range map[string]study{
		"two":   newStudy("poisson", "log", 20, [2]int{3, 1}).nested(12, 0),
		"three": newStudy("poisson", "log", 30, [2]int{4, 1}).nested(8, 0).nested(24, 0),
		"four":  newStudy("gaussian", "identity", 60, [2]int{3, 1}).nested(6, 0).nested(12, 0).nested(48, 0),
	} {
		t.Run(name, func(t *testing.T) {
			k := started(t, s, Options{})
			if len(k.trees) != 1 || len(k.trees[0].blocks) != len(k.groups) {
				t.Fatalf("%d nests", len(k.trees))
			}
			tree := k.trees[0]
			rng := infer.NewStream(5, name)
			for _, g := range k.groups {
				for i := range g.r {
					g.r[i] = variate.Normal(rng)
				}
			}
			tree.read(k.groups)
			last := len(k.groups) - 1
			var offset float64
			for place := range 5 {
				from := last
				for at, g := range k.groups { // some move a coarse sd alone
					if place < 3 || at < last {
						g.logSD[0] = 0.7 * variate.Normal(rng)
					}
				}
				if place > 2 {
					from = last - 1
				}
				got, want := tree.logDensity(from), lawOfTotals(k, tree)
				if place == 0 {
					offset = got - want
				}
				if math.Abs(got-want-offset) > 1e-9*math.Abs(want) {
					t.Errorf("log density %v, want %v", got-offset, want)
				}
			}
		})
	}
}

// lawOfTotals is the log density by its definition.
func lawOfTotals(k *kernel, tree *tree) float64 {
	last := len(k.groups) - 1
	sum := 0.0
	var rows []int32 // one of each leaf
	var totals []float64
	for at, g := range k.groups {
		v := math.Exp(2 * g.logSD[0])
		for l := range g.levels {
			own := g.Grouping.Rows(l)
			switch {
			case len(own) == 0:
				sum -= g.logSD[0] + 0.5*g.r[l]*g.r[l]/v
			case at == last:
				total := 0.0
				for _, h := range k.groups {
					total += h.r[h.of[own[0]]]
				}
				rows, totals = append(rows, own[0]), append(totals, total)
			}
		}
	}
	n := len(rows)
	c := make([]float64, n*n)
	for i, a := range rows {
		for j, b := range rows {
			for _, g := range k.groups {
				if g.of[a] == g.of[b] {
					c[i*n+j] += math.Exp(2 * g.logSD[0])
				}
			}
		}
	}
	factor(c, n)
	lower(c, n, totals)
	for i := range n {
		sum -= math.Log(c[i*n+i]) + 0.5*totals[i]*totals[i]
	}
	return sum
}

// Chains of groupings are as long as they come, and share groupings where these are crossed above.
func TestNestsOfCrossedGroupings(t *testing.T) {
	s := newStudy("poisson", "log", 60, [2]int{3, 1}, [2]int{4, 1})
	both := *s.data.Effects[0]
	of := make([]int32, 60)
	for i := range of {
		of[i] = 4*s.data.Effects[0].Grouping.Of()[i] + s.data.Effects[1].Grouping.Of()[i]
	}
	s.data.Effects = append(s.data.Effects, &both)
	both.Group, both.Grouping, both.Levels = "both", design.NewGrouping(of, 12), nil
	for l := range 12 {
		both.Levels = append(both.Levels, string(rune('a'+l)))
	}
	s.model.Effects = append(s.model.Effects, s.model.Effects[0])
	k := started(t, s.nested(24, 0), Options{})
	var got [][]int
	for _, m := range k.nests {
		got = append(got, m.blocks)
	}
	if want := [][]int{{0, 2, 3}, {1, 2, 3}}; !reflect.DeepEqual(got, want) {
		t.Errorf("nests are %v, want %v", got, want)
	}
}
