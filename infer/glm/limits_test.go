package glm

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
)

// limitedFamilies lists every family whose rows may be censored, with each limit.
func limitedFamilies() (all []Family) {
	for _, f := range everyFamily() {
		for _, limits := range []family.Limits{family.Censored, family.Truncated} {
			if of, err := f.WithLimits(limits); err == nil {
				all = append(all, of)
			}
		}
	}
	return all
}

// limit makes rows of all kinds, and bounds around them, for a family with limits; of 150 censored rows none is below a
// bound, of 140 none in an interval, and then there are no bounds.
func (e *example) limit(seed uint64) {
	limits := e.model.Family.Limits
	if limits == family.NoLimits {
		return
	}
	r := rand.New(rand.NewPCG(seed, 10))
	e.data.Kind, e.data.Bounds = make([]float64, len(e.data.Y)), make([]family.Bound, len(e.data.Y))
	step := func(y, by float64) float64 {
		if e.model.Family.Support().Low < 0 {
			return y + by
		}
		if e.model.Family.Support().Whole {
			return y + math.Copysign(math.Ceil(math.Abs(by)), by)
		}
		return y * math.Exp(by)
	}
	kinds := []float64{family.Observed, family.Observed, family.Above, family.Below, family.Within}
	if n := len(e.data.Y); limits == family.Censored && n >= 140 {
		kinds = kinds[:4-n/150]
		defer func() { e.data.Bounds = nil }()
	}
	for i, y := range e.data.Y {
		if k := r.IntN(len(kinds)); i >= 4 { // four rows are not fitted perfectly
			e.data.Kind[i] = kinds[k]
		}
		b := family.Bound{Upper: step(y, 0.1+r.Float64()), Low: math.Inf(-1), High: math.Inf(1)}
		if limits == family.Truncated {
			if r.IntN(3) > 0 {
				b.Low = step(y, -0.2-r.Float64())
			}
			if r.IntN(3) > 0 {
				b.High = step(b.Upper, 0.2+r.Float64())
			}
		}
		e.data.Bounds[i] = b
	}
}

// slowTails reports whether probabilities of a family with limits are continued fractions.
func slowTails(f Family) bool {
	return f.Limits != family.NoLimits && slices.Contains([]string{"student_t", "gamma", "poisson", "negative_binomial"}, f.Name)
}

// tailsOracle returns the distribution function and the survival function by the textbook and package math.
func tailsOracle(f Family, y, eta float64, disp [2]float64) (below, above float64) {
	s, mu := disp[0], math.Exp(eta)
	switch f.Name {
	case "gaussian":
		z := (y - eta) / s / math.Sqrt2
		return math.Erfc(-z) / 2, math.Erfc(z) / 2
	case "lognormal":
		z := (math.Log(max(y, 0)) - eta) / s / math.Sqrt2
		return math.Erfc(-z) / 2, math.Erfc(z) / 2
	case "weibull":
		hazard := math.Pow(max(y, 0)/mu*math.Gamma(1+1/s), s)
		return -math.Expm1(-hazard), math.Exp(-hazard)
	case "exponential":
		return -math.Expm1(-max(y, 0) / mu), math.Exp(-max(y, 0) / mu)
	case "loglogistic":
		return 1 / (1 + math.Pow(max(y, 0)/mu, -s)), 1 / (1 + math.Pow(max(y, 0)/mu, s))
	case "student_t", "gamma", "poisson", "negative_binomial": // TestSurvivalAgainstR compares these
		mean := eta
		if f.Name != "student_t" {
			mean = mu
		}
		cdf := func(y float64) float64 {
			return f.Distribution().CDF(y, family.Row{Eta: eta, Mean: mean, Disp: disp, Trials: 1})
		}
		switch above = 1 - cdf(y); {
		case f.Name == "student_t":
			above = cdf(2*eta - y)
		case above < 1e-3:
			above = remaining(func(y float64) float64 { return oracle(f, y, 1, eta, disp) }, y, f.Support().Whole)
		}
		return cdf(y), above
	case "frechet":
		power := math.Pow(max(y, 0)/mu*math.Gamma(1-1/s), -s)
		return math.Exp(-power), -math.Expm1(-power)
	}
	panic(f.Name)
}

// remaining is the probability above y, by a sum over counts, or by the trapezoidal rule with x = y + exp(t − e^−t).
func remaining(log func(float64) float64, y float64, counts bool) (sum float64) {
	for k := math.Floor(y) + 1; counts && k < y+1000; k++ {
		sum += math.Exp(log(k))
	}
	const step = 0.03
	for t := -4.0; !counts && t < 15; t += step {
		x := math.Exp(t - math.Exp(-t))
		sum += math.Exp(log(y+x)) * x * (1 + math.Exp(-t)) * step
	}
	return sum
}

// limitedOracle returns the log density of a row, or the log probability that it has. The smaller tails do not cancel.
func limitedOracle(t *Target, i int, m, eta float64, disp [2]float64) float64 {
	f, y := t.model.Family, t.data.Y[i]
	if f.Limits == family.NoLimits {
		return oracle(f, y, m, eta, disp)
	}
	between := func(low, high float64) float64 {
		belowLow, aboveLow := tailsOracle(f, low, eta, disp)
		belowHigh, aboveHigh := tailsOracle(f, high, eta, disp)
		if belowHigh < 0.5 {
			return math.Log(belowHigh - belowLow)
		}
		if aboveLow < 0.5 {
			return math.Log(aboveLow - aboveHigh)
		}
		return math.Log1p(-belowLow - aboveHigh)
	}
	b, seen := family.Bound{Low: math.Inf(-1), High: math.Inf(1)}, 0.0
	if t.data.Bounds != nil {
		b = t.data.Bounds[i]
	}
	low := b.Low
	if f.Support().Whole {
		low = math.Ceil(low) - 1
	}
	if b.Truncates() {
		seen = between(low, b.High)
	}
	switch t.data.Kind[i] {
	case family.Observed:
		return oracle(f, y, m, eta, disp) - seen
	case family.Above:
		return between(y, b.High) - seen
	case family.Below:
		return between(low, y) - seen
	}
	return between(y, b.Upper) - seen
}

// Densities, survival functions and those of intervals and truncated responses are those of R 4.2.2: packages stats,
// survival and brms 2.18. testdata/survival.R and tails.R write the tables.
func TestSurvivalAgainstR(t *testing.T) {
	againstR(t, "survival", 6)
	againstR(t, "tails", 4)
}

// againstR compares densities with those of a table, whose last column they are, after eta and the dispersions.
func againstR(t *testing.T, table string, families int) {
	t.Helper()
	file, err := os.Open("testdata/" + table + ".csv")
	must(t, err)
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	seen := map[string]int{}
	for _, line := range lines[1:] {
		number := func(k int) float64 {
			v, err := strconv.ParseFloat(line[k], 64)
			must(t, err)
			return v
		}
		f, err := family.Parse(line[0], "")
		must(t, err)
		data := &Data{Y: []float64{number(2)}, Censoring: family.Censoring{Kind: []float64{number(1)},
			Bounds: []family.Bound{{Upper: number(3), Low: number(4), High: number(5)}}}}
		f, err = f.WithLimits(family.Truncated)
		must(t, err)
		p, err := NewPointwise(f, data)
		must(t, err)
		last := len(line) - 1
		got, want, disp := []float64{number(6)}, number(last), []float64{}
		for k := 7; k < last; k++ {
			disp = append(disp, number(k))
		}
		p.LogLik(0, got, disp, got)
		if math.Abs(got[0]-want) > 1e-12*math.Max(1, math.Abs(want)) {
			t.Errorf("%v: %v", line, got[0])
		}
		seen[line[0]+line[1]]++
	}
	if len(seen) < families*4 {
		t.Errorf("the table has %d families and kinds of rows", len(seen))
	}
}

// readColumns reads columns of a CSV file, and leaves out rows with a cell that is not a number.
func readColumns(t *testing.T, path string, names ...string) [][]float64 {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	out := make([][]float64, len(names))
	for _, line := range lines[1:] {
		var row []float64
		for _, name := range names {
			v, err := strconv.ParseFloat(line[slices.Index(lines[0], name)], 64)
			if err == nil {
				row = append(row, v)
			}
		}
		for k := 0; k < len(names) && len(row) == len(names); k++ {
			out[k] = append(out[k], row[k])
		}
	}
	return out
}

// The maximum of the likelihood is that of R's survreg, and as high: testdata/outcomes/survreg.R.
func TestCensoredAgainstSurvreg(t *testing.T) {
	const folder = "../../testdata/outcomes/"
	reads := map[string][]string{"lung": {"time", "status", "age", "sex", "ph.ecog"},
		"veteran": {"time", "status", "karno", "age", "trt"}}
	file, err := os.Open(folder + "survreg.csv")
	must(t, err)
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	for _, line := range lines[1:] {
		columns := readColumns(t, folder+line[0]+".csv", reads[line[0]]...)
		n := len(columns[0])
		x := design.NewDense(n, 4)
		for i := range n {
			x.Col(0)[i] = 1
		}
		for j, c := range columns[2:] {
			copy(x.Col(j+1), c)
		}
		f, err := family.Parse(line[1], "")
		must(t, err)
		f, err = f.WithLimits(family.Censored)
		must(t, err)
		e := example{line[0], &Data{X: x, Y: columns[0]}, Model{Family: f, Coefficients: make([]prior.Prior, 4),
			Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 2}}}
		for j := range 4 {
			e.model.Coefficients[j] = prior.Prior{Kind: prior.Flat}
		}
		for _, status := range columns[1] { // lung has 1 and 2, veteran 0 and 1
			e.data.Kind = append(e.data.Kind, slices.Max(columns[1])-status)
		}
		target := mustTarget(t, e)
		var at []float64
		for _, text := range line[2:] {
			v, err := strconv.ParseFloat(text, 64)
			must(t, err)
			at = append(at, v)
		}
		want, theta := at[0], at[1:1+target.Dim()]
		if got := target.LogLik(theta); !near(got, want, 1e-10) {
			t.Errorf("%s: log likelihood %v, of survreg %v", line[:2], got, want)
		}
		for j := range theta {
			moved, size := slices.Clone(theta), 1e-4*math.Max(1e-2, math.Abs(theta[j]))
			along := func(x float64) float64 { moved[j] = x; return target.LogLik(moved) }
			slope := (along(theta[j]+size) - along(theta[j]-size)) / (2 * size)
			curve := (along(theta[j]+size) - 2*want + along(theta[j]-size)) / (size * size)
			if math.Abs(slope/math.Sqrt(-curve)) > 1e-4 {
				t.Errorf("%s: parameter %d is %v standard errors away", line[:2], j, slope/math.Sqrt(-curve))
			}
		}
	}
}

// Flat priors need observed rows: censored ones bound no coefficient, and truncated ones prove nothing.
func TestCensoredRowsProveNothing(t *testing.T) {
	f, err := Family{Name: "weibull", Link: "log"}.WithLimits(family.Censored)
	must(t, err)
	flat := prior.Prior{Kind: prior.Flat}
	for name, c := range map[string]struct {
		change func(e *example)
		want   string
	}{
		"observed":          {func(*example) {}, ""},
		"a censored column": {func(e *example) { copy(e.data.X.Col(2), []float64{0, 0, 0, 0, 0, 0, 0}) }, "linear combination"},
		"no row":            {func(e *example) { fill(e.data.Kind, family.Above) }, "no row is observed"},
		"truncated": {func(e *example) {
			e.model.Family.Limits = family.Truncated
			e.data.Bounds = make([]family.Bound, 12)
			for i := range e.data.Bounds {
				e.data.Bounds[i] = family.Bound{Low: math.Inf(-1), High: 1e3}
			}
		}, "truncated"},
		"a flat shape": {func(e *example) { e.model.Dispersion, e.data.Kind = flat, make([]float64, 12) }, ""},
	} {
		e := familyExample(12, f, 12, 3)
		e.data.Kind = []float64{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}
		for j := range e.model.Coefficients {
			e.model.Coefficients[j] = flat
		}
		c.change(&e)
		_, err := NewTarget(e.data, e.model)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A replicate has the kind of a censored row in its interval alone.
func TestReplicated(t *testing.T) {
	data := &Data{Y: []float64{2, 2, 2, 2}, Censoring: family.Censoring{
		Kind: []float64{family.Observed, family.Above, family.Below, family.Within}, Bounds: make([]family.Bound, 4)}}
	data.Bounds[3].Upper = 3
	for y, want := range map[float64][4][2]float64{
		1:   {{1, family.Observed}, {1, family.Observed}, {2, family.Below}, {1, family.Observed}},
		2.5: {{2.5, family.Observed}, {2, family.Above}, {2.5, family.Observed}, {2, family.Within}},
		4:   {{4, family.Observed}, {2, family.Above}, {4, family.Observed}, {4, family.Observed}},
	} {
		for i := range data.Y {
			if seen, kind := data.Replicated(i, y); [2]float64{seen, kind} != want[i] {
				t.Errorf("%v in row %d: %v of kind %v, want %v", y, i, seen, kind, want[i])
			}
		}
	}
}
