package predictive

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/infer/glm"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Wanted are checks besides those that every fit has.
type Wanted struct {
	AuxColumns []*transform.AuxColumn // by levels, and over numbers
	Statistics []Statistic
}

// Statistic is one that a spec names.
type Statistic struct {
	Name string
	Of   *transform.Statistic
}

// Checked holds the comparisons of a fit with replicated data.
type Checked struct {
	Checks []record.Check
	Bins   []record.Bin
	Groups []record.GroupCheck
	Over   []record.OverBin
}

// extraBytes bounds what each tally, and all responses that statistics of a spec are of, take.
const extraBytes = 64 << 20

// Least replicates of tallies and of such statistics, however many levels and responses there are.
const (
	fewestByLevel = 100
	fewestWhole   = 20
)

// collected gathers the responses that Wanted are of.
type collected struct {
	want    Wanted
	tallies []*tally
	whole   [][]float64 // the data, then replicates; nil: no statistic asks for them
	every   int         // of which replicates whole has one
}

// collect makes room. The same replicates are seen that every fit's checks are of, or an even part of them.
func (w Wanted) collect(f glm.Family, y []float64, observations, replicates int) *collected {
	out := &collected{want: w}
	for _, b := range w.AuxColumns {
		out.tallies = append(out.tallies, newTally(f, b, y, replicates))
	}
	if len(w.Statistics) > 0 {
		out.every = thinned(replicates, fewestWhole, observations)
		out.whole = make([][]float64, 1+(replicates+out.every-1)/out.every)
	}
	return out
}

// thinned returns the step with which replicates are kept, one in each step, if each takes numbers numbers.
func thinned(replicates, fewest, numbers int) int {
	most := max(fewest, extraBytes/(8*max(1, numbers)))
	return max(1, (replicates+most-1)/most)
}

// add takes the response of a row in; replicate −1 is the data.
func (c *collected) add(row, replicate int, y float64) {
	for _, t := range c.tallies {
		t.add(row, replicate, y)
	}
	switch {
	case c.whole == nil:
	case replicate < 0:
		c.whole[0] = append(c.whole[0], y)
	case replicate%c.every == 0:
		at := 1 + replicate/c.every
		c.whole[at] = append(c.whole[at], y)
	}
}

// finish compares the data with the replicates.
func (c *collected) finish(f glm.Family, out *Checked) {
	for _, s := range c.want.Statistics {
		var values []float64
		for _, y := range c.whole[1:] {
			values = append(values, s.Of.Of(y))
		}
		out.Checks = append(out.Checks, checkOf(record.Check{Statistic: s.Name, Words: "statistic " + s.Name,
			Observed: s.Of.Of(c.whole[0]), Expression: s.Of.String()}, values))
	}
	for _, t := range c.tallies {
		t.finish(f, out)
	}
}

// tally holds sums of the responses in each level, or class of a number, of the data and of replicates.
type tally struct {
	beside *transform.AuxColumn
	of     []int32   // level of each row; −1: none
	levels int       // or classes
	origin float64   // sums are of distances from it
	every  int       // of which replicates one is kept
	rows   []float64 // observations of each level
	// sums has, for the data and then for each replicate, the sum, the squares and the zeros of each level.
	sums [][3][]float64

	low, high, x []float64   // of classes: their ranges, and sums of the number
	seen         [][]float64 // responses of the data by class
	pool         [][]float64 // and of some replicates
	poolEvery    int
}

func newTally(f glm.Family, b *transform.AuxColumn, y []float64, replicates int) *tally {
	t := &tally{beside: b, of: b.Of, levels: len(b.Levels), origin: y[0]}
	if b.Of == nil {
		t.classes(b.X)
		t.seen, t.pool = make([][]float64, t.levels), make([][]float64, t.levels)
		t.poolEvery = thinned(replicates, fewestWhole, len(y))
	}
	t.rows = make([]float64, t.levels)
	t.every = thinned(replicates, fewestByLevel, 3*t.levels)
	for range 1 + (replicates+t.every-1)/t.every {
		t.sums = append(t.sums, [3][]float64{make([]float64, t.levels), make([]float64, t.levels), make([]float64, t.levels)})
	}
	return t
}

// maxClasses is how many classes a number has at most.
const maxClasses = 40

// classes divides the values of a number into classes of about equal counts, or takes each value where they are few.
// Equal values stay together.
func (t *tally) classes(x []float64) {
	t.of = make([]int32, len(x))
	order := make([]int, 0, len(x))
	for i, v := range x {
		t.of[i] = -1
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	distinct := 0
	for k, i := range order {
		if k == 0 || x[i] != x[order[k-1]] {
			distinct++
		}
	}
	each := 1.0
	if distinct > maxClasses {
		each = float64(len(order)) / float64(min(maxClasses, max(5, int(math.Sqrt(float64(len(order)))))))
	}
	for k, i := range order {
		if k == 0 || x[i] != x[order[k-1]] && float64(k) >= float64(each*float64(t.levels)) {
			t.low, t.high, t.x = append(t.low, x[i]), append(t.high, x[i]), append(t.x, 0)
			t.levels++
		}
		t.of[i], t.high[t.levels-1] = int32(t.levels-1), x[i]
	}
}

func (t *tally) add(row, replicate int, y float64) {
	level := t.of[row]
	if level < 0 {
		return
	}
	if t.seen != nil {
		switch {
		case replicate < 0:
			t.seen[level] = append(t.seen[level], y)
			t.x[level] += t.beside.X[row]
		case replicate%t.poolEvery == 0 && !math.IsNaN(y):
			t.pool[level] = append(t.pool[level], y)
		}
	}
	at := 0
	switch {
	case replicate < 0:
		t.rows[level]++
	case replicate%t.every != 0:
		return
	default:
		at = 1 + replicate/t.every
	}
	s, d := &t.sums[at], y-t.origin
	s[0][level] += d
	s[1][level] = math.FMA(d, d, s[1][level])
	if y == 0 {
		s[2][level]++
	}
}

// levelStatistics are those that levels have of the statistics of a family.
var levelStatistics = []string{"mean", "sd", "zeros"}

// finish compares each level of the data with those of the replicates.
func (t *tally) finish(f glm.Family, out *Checked) {
	for _, stat := range statisticsOf(f) {
		if !slices.Contains(levelStatistics, stat.name) || t.seen != nil && stat.name != "mean" {
			continue
		}
		for level, n := range t.rows {
			if n == 0 || stat.name == "sd" && n < 2 {
				continue
			}
			var values []float64
			for r := range t.sums {
				values = append(values, t.value(stat, r, level))
			}
			c := record.GroupCheck{Variable: t.beside.Name, Statistic: stat.name, Rows: n}
			placed(&c, values[0], values[1:])
			if t.seen == nil {
				c.Level = t.beside.Levels[level]
				out.Groups = append(out.Groups, c)
				continue
			}
			out.Over = append(out.Over, t.bin(c, level))
		}
	}
}

// value is a statistic of a level in the data (r is 0) or a replicate.
func (t *tally) value(stat statistic, r, level int) float64 {
	s := &t.sums[r]
	return stat.of(&sample{origin: t.origin, n: t.rows[level], sum: s[0][level], squares: s[1][level], zeros: s[2][level]})
}

// bin completes a class of a number.
func (t *tally) bin(c record.GroupCheck, level int) record.OverBin {
	out := record.OverBin{GroupCheck: c, Low: t.low[level], High: t.high[level], X: t.x[level] / t.rows[level]}
	out.Y05, out.Y25, out.Y50, out.Y75, out.Y95 = quantiles(t.pool[level])
	for _, y := range t.seen[level] {
		if y < out.Y05 || y > out.Y95 {
			out.Outside++
		}
	}
	return out
}

// quantiles are those of 5, 25, 50, 75 and 95 %, NaN of no values, whose order is lost.
func quantiles(x []float64) (q05, q25, q50, q75, q95 float64) {
	if len(x) == 0 {
		nan := math.NaN()
		return nan, nan, nan, nan, nan
	}
	slices.Sort(x)
	at := func(p float64) float64 { return transform.SortedQuantile(x, p) }
	return at(0.05), at(0.25), at(0.5), at(0.75), at(0.95)
}

// placed sets an observed statistic among those of replicates.
func placed(c *record.GroupCheck, observed float64, replicated []float64) {
	values, above := known(replicated, observed)
	c.Observed, c.P, c.Replicates, c.Mean = observed, above, len(values), Summarize(slices.Clone(values)).Mean
	c.Q05, c.Q25, c.Median, c.Q75, c.Q95 = quantiles(values)
	out := 0.0
	for _, v := range values {
		if v < c.Q05 || v > c.Q95 {
			out++
		}
	}
	c.Expected = out / float64(len(values))
}

// GroupWarnings describes where more levels or classes lie outside the intervals of replicated data than chance
// explains: where as many or more have a probability of less than 0.005 at the number that is expected.
func GroupWarnings(c *Checked) (out []string) {
	all := slices.Clone(c.Groups)
	for i := range c.Over {
		all = append(all, c.Over[i].GroupCheck)
	}
	for len(all) > 0 {
		first, n := all[0], 0
		outside, expected := 0, 0.0
		for n < len(all) && all[n].Variable == first.Variable && all[n].Statistic == first.Statistic &&
			(all[n].Level == "") == (first.Level == "") {
			if all[n].Observed < all[n].Q05 || all[n].Observed > all[n].Q95 {
				outside++
			}
			expected += all[n].Expected
			n++
		}
		all = all[n:]
		if outside < 3 || poissonAbove(outside, expected) >= extreme {
			continue
		}
		where, of := "by "+first.Variable, "levels"
		if first.Level == "" {
			where, of = "over "+first.Variable, "classes"
		}
		statistic, response, several := strings.Cut(first.Statistic, "[")
		if several {
			where += " of " + strings.TrimSuffix(response, "]")
		}
		words := map[string]string{"mean": "mean", "sd": "standard deviation", "zeros": "share of zeros"}[statistic]
		out = append(out, fmt.Sprintf("predictive check %s: the %s of the response is outside the 90 %% interval of "+
			"replicated data in %d of %d %s, and %.3g are expected", where, words, outside, n, of, expected))
	}
	return out
}

// poissonAbove is the probability of k or more at a mean.
func poissonAbove(k int, mean float64) float64 {
	term, below := math.Exp(-mean), 0.0
	for i := range k {
		below += term
		term *= mean / float64(i+1)
	}
	return 1 - below
}
