package judge

import (
	"math"

	"glmbatch/infer/diag"
	"glmbatch/internal/words"
)

// A family of parameters are quantities alike of which a fit may have thousands, as the effects of the levels of a
// grouping. Diagnostics are estimates, and the worst of many is bad by chance alone. In a family of at least fewest
// members, therefore, at most one in fewest may break a limit, and none by more than the noise of that many
// estimates: see bound. Smaller families are judged as other parameters are.
const fewest = 100

// falseAlarms bounds the probability that a family of which each member has a limit's value breaks bound.
const falseAlarms = 0.05

type family struct {
	name string
	tally
}

type families struct {
	list []*family
	at   map[string]*family
}

// families lists those of at least fewest members, in the order of their first ones.
func (in *Evidence) families() families {
	out := families{at: map[string]*family{}}
	counts := map[string]int{}
	for _, name := range in.Families {
		if counts[name]++; name != "" && counts[name] == fewest {
			f := &family{name: name}
			out.list, out.at[name] = append(out.list, f), f
		}
	}
	return out
}

// of returns the family of parameter i, nil if it has none.
func (f families) of(in *Evidence, i int) *family {
	if i >= len(in.Families) {
		return nil
	}
	return f.at[in.Families[i]]
}

// words lists the families that break a gate.
func (f families) words(g gate) (out []string) {
	for _, one := range f.list {
		bound := g.bound(one.total)
		if one.broken <= one.total/fewest && (g.atLeast && one.worst >= bound || !g.atLeast && one.worst <= bound) {
			one.broken = 0
		}
		out = append(out, one.tally.words(g, words.Visible(one.name))...)
	}
	return out
}

// bound returns what no member of a family may be beyond.
//
// An effective sample size e is estimated with an error whose lower tail is that of e/(1 + b·(x − 1)), x standard
// exponential and b = 3.1/√e: quantiles of 4 autoregressive chains of 100 to 2500 draws with e = 400 and 1000 are met
// within 10 % from 0.05 to 0.0005. The least of n estimates is above the same with x = log(n/falseAlarms) with
// probability 1 − falseAlarms, whatever their dependence. R-hat is held to the largest of n mixed ones of 4 chains with
// 400 effective draws, diag.PerfectRHat; less for limits below 1.01.
func (g gate) bound(n int) float64 {
	limit := g.limit.At
	if g.atLeast {
		return limit / math.FMA(3.1/math.Sqrt(limit), math.Log(float64(n)/falseAlarms)-1, 1)
	}
	most := diag.PerfectRHat(n, 4, 100, 1-falseAlarms) - 1
	return max(limit, 1+float64(min(1, (limit-1)/0.01)*most))
}
