package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/plan"
)

// Explanation describes one fit.
type Explanation struct {
	Name   string
	Err    error // why the fit cannot be described
	Facts  string
	Family glm.Family
	// Terms are the columns of the design in the linear predictor, Offsets what is added
	// with coefficient 1.
	Terms, Offsets []string
	Effects        []effect
	Smooths        []string // the penalised parts of smooths
	Intercept      bool
	Scaling        []string // sentences
	Priors         []Prior
	Predictive     []string // sentences
	Sampler        []string // sentences
	Cells          []string // what is drawn of missing cells and responses; nil of complete data
	response       string
	parts
	last int // priors that are not of coefficients, behind these
}

// Prior is the prior of one parameter.
type Prior struct {
	Name, Law string
	// Low and High hold 95 % of the effect that the prior gives to one unit of the
	// column, and EffectLow and EffectHigh that of one sd of the column, as a factor
	// if the link is a logarithm or a logit; NaN if there is no such interval.
	Low, High, EffectLow, EffectHigh float64
}

// draws of the prior, and rows of the data, that the predictive intervals rest on.
const (
	predictiveDraws = 2000
	predictiveRows  = 20
)

// Of explains one fit.
//
// Cost: the sampler's set-up, and 2000 draws of the prior at 20 rows.
func Of(c *plan.Case) *Explanation {
	e := &Explanation{Name: c.Name, Err: c.Err}
	if c.Err != nil {
		return e
	}
	if c.Responses != nil {
		e.joined(c)
		return e
	}
	e.describe(c)
	of, err := c.On(c.Data)
	if err != nil {
		e.Sampler = []string{"The run would refuse it: " + err.Error()}
		return e
	}
	e.predictive(c)
	e.sampler(c, of)
	return e
}

// describe writes the model and its priors.
func (e *Explanation) describe(c *plan.Case) {
	f := c.Posterior.Family
	n, d := c.Data.X.Size()
	e.Family = f
	e.Facts = fmt.Sprintf("%s, %d rows", f, c.Counted)
	switch {
	case c.Factored:
		e.Facts += fmt.Sprintf(" (told by %d, their triangular factor)", n)
	case n != c.Counted:
		e.Facts += fmt.Sprintf(" (%d distinct)", n)
	}
	if e.Facts += fmt.Sprintf(", %d coefficients", d); d == 1 {
		e.Facts = strings.TrimSuffix(e.Facts, "s")
	}
	e.terms(c)
	e.Cells = c.Cells
	e.respond(c)
	e.scaling(c)
	e.effects(c)
	e.smooths(c)
	e.table(c)
}

// table lists the priors of all linear predictors.
func (e *Explanation) table(c *plan.Case) {
	e.priors(c)
	for _, further := range c.Further {
		e.further(further)
	}
	if c.Spec != nil && c.Spec.Family.Equidistant {
		law, nan := plan.DistancePrior(c.Spec), math.NaN()
		low, high := middle(law, infer.NewStream(1, "explain", "distance"))
		e.Priors = append(e.Priors, Prior{plan.DistanceName, law.String(), low, high, nan, nan})
		e.last++
	}
}

// further adds a linear predictor.
func (e *Explanation) further(c *plan.Case) {
	own := &Explanation{Name: c.Predictor.Name, Family: c.Posterior.Family}
	own.terms(c)
	own.effects(c)
	own.smooths(c)
	own.priors(c)
	e.Priors = append(e.Priors, own.Priors...)
	if e.last += len(own.Priors); c.Predictor.Cut == 0 {
		e.Further = append(e.Further, own)
	}
}

// terms names the parts of the linear predictor.
func (e *Explanation) terms(c *plan.Case) {
	e.Intercept = c.Data.Intercept >= 0
	for j, name := range c.Data.Names {
		if j != c.Data.Intercept && !penalised(c, j) && !plan.IsStep(c.Data, j) {
			e.Terms = append(e.Terms, words.Visible(name))
		}
	}
	for _, m := range c.Data.Monotone {
		e.Terms = append(e.Terms, words.Visible(m.Name))
	}
	for _, o := range c.Record.Offsets {
		e.Offsets = append(e.Offsets, words.Visible(o.Expression))
	}
}

// respond names the response.
func (e *Explanation) respond(c *plan.Case) {
	r := c.Record.Response
	e.response = r.Expression
	switch {
	case e.Family.Support().Ordered:
		e.Facts += fmt.Sprintf(", %d thresholds between the classes %s of %s", len(r.Levels)-1, strings.Join(r.Levels, " < "),
			r.Column)
	case e.Family.Support().CountsClasses():
		e.Facts += fmt.Sprintf(" of each of the classes %s against %s, the reference",
			strings.Join(r.Levels[1:], ", "), r.Levels[0])
	case e.Family.Support().Classes:
		e.Facts += fmt.Sprintf(" of each of %d classes of %s but %s, the reference", len(r.Levels)-1, r.Column, r.Levels[0])
	case len(r.Levels) == 2:
		e.Facts += fmt.Sprintf(", success is %s = %s", r.Column, r.Levels[1])
	}
	switch {
	case r.Trials != "":
		e.Facts += ", trials are " + r.Trials
	case r.TrialsEach > 0:
		e.Facts += fmt.Sprintf(", %g trials a row", r.TrialsEach)
	}
}

// scaling says what coefficients mean.
func (e *Explanation) scaling(c *plan.Case) {
	add := func(format string, a ...any) { e.Scaling = append(e.Scaling, fmt.Sprintf(format, a...)) }
	switch c.Record.Standardize {
	case "center_scale":
		add("Sampling works on columns that are centred and divided by their sd; so do the priors. The ledger has " +
			"coefficients in the units of the data.")
	case "max_abs":
		add("Sampling works on columns divided by their largest magnitude; so do the priors. The ledger has coefficients " +
			"in the units of the data.")
	default:
		add("Columns are sampled in the units of the data, and priors speak of these.")
	}
	if e.Intercept && c.Record.InterceptAt == "means" {
		add("The prior of the intercept is that of the linear predictor where every column is at its mean.")
	}
	if e.Family.Support().Ordered {
		add("A coefficient above 0 moves rows with more of its column to higher classes.")
	} else if effect := e.Family.Of().Effect; effect != "" {
		add("A coefficient b means: one unit more of its column %s.", effect)
	}
}

// priors lists the prior of each parameter, and what it says in the units of the data.
func (e *Explanation) priors(c *plan.Case) {
	nan := math.NaN()
	stream := infer.NewStream(1, "explain", "priors")
	for j, law := range c.Posterior.Coefficients {
		if penalised(c, j) || plan.IsStep(c.Data, j) {
			continue
		}
		p := Prior{words.Visible(c.Predictor.Named(c.Data.Names[j])), law.String(), nan, nan, nan, nan}
		if j != c.Data.Intercept {
			column := c.Record.Columns[j]
			low, high := middle(law, stream)
			p.Low, p.High = low/column.Scale, high/column.Scale
			spread := sd(c.Data.X.Col(j))
			p.EffectLow, p.EffectHigh = low*spread, high*spread
			if e.factors() {
				p.EffectLow, p.EffectHigh = math.Exp(p.EffectLow), math.Exp(p.EffectHigh)
			}
		}
		e.Priors = append(e.Priors, p)
	}
	e.monotonePriors(c, stream)
	for k, of := range e.Family.Dispersions() {
		if e.Family.Predicts(of.Name) {
			continue
		}
		law := c.Posterior.DispersionPrior(k)
		low, high := middle(law, stream)
		name := of.Name
		if c.Spec != nil && c.Spec.Response.Name != "" {
			name += "_" + c.Spec.Response.Name
		}
		e.Priors = append(e.Priors, Prior{name, law.String(), low, high, nan, nan})
	}
	e.Priors = append(append(e.Priors, smoothPriors(c, stream)...), effectPriors(c, stream)...)
	e.last = len(e.Priors) - len(e.Terms) - min(1, c.Data.Intercept+1)
}

// factors reports whether effects are printed as factors.
func (e *Explanation) factors() bool { return e.Family.Of().Factor }

// middle holds 95 % of a prior, by its draws; NaN if it is not proper, or of a group.
func middle(p prior.Prior, s *infer.Stream) (low, high float64) {
	x := make([]float64, 4001)
	for i := range x {
		if x[i] = p.Draw(s); math.IsNaN(x[i]) {
			return x[i], x[i]
		}
	}
	if p.Kind == prior.Normal { // exactly, without the noise of draws
		return p.Location - 1.959964*p.Scale, p.Location + 1.959964*p.Scale
	}
	slices.Sort(x)
	return x[100], x[3900]
}

func sd(x []float64) float64 {
	var mean, m2 float64
	for i, v := range x {
		d := v - mean
		mean += d / float64(i+1)
		m2 += float64(d * (v - mean))
	}
	return math.Sqrt(m2 / float64(len(x)))
}

// predictive says what the priors imply for the mean of the response.
func (e *Explanation) predictive(c *plan.Case) {
	if !c.Posterior.Proper() {
		e.Predictive = []string{"Some prior is flat: there is no prior predictive distribution."}
		return
	}
	if !e.Family.HasDraw() {
		e.Predictive = []string{"The family has no draw, so that no responses are simulated."}
		return
	}
	if e.Family.Several() != nil || len(c.Data.Monotone) > 0 {
		e.responses(c)
		return
	}
	points, err := glm.NewPointwise(c.Posterior.Family, c.Data)
	if err != nil {
		return
	}
	target, err := groups.NewModel(c.Data, c.Posterior, nil)
	if err != nil {
		return
	}
	n, d := c.Data.X.Size()
	rows, x, typical := someRows(n), make([][]float64, d), make([]float64, d)
	for j := range d {
		column := c.Data.X.Col(j)
		x[j] = make([]float64, len(rows))
		for i, row := range rows {
			x[j][i] = column[row]
		}
		typical[j] = mean(column)
	}
	atTypical, atRows := e.means(c, target, points, rows, x, typical)
	where := "Where every column is at its mean"
	if c.Data.Effects != nil {
		where += " and every effect 0"
	}
	mean := e.Family.Distribution().Notation.Of
	e.Predictive = append(e.Predictive, fmt.Sprintf("%s, the priors put %s %s.", where, mean, between(atTypical)))
	if c.Factored { // its rows are none of the data
		return
	}
	over := "Over rows of the data"
	if c.Cells != nil {
		over += " with missing cells where a chain may start"
	}
	e.Predictive = append(e.Predictive, fmt.Sprintf("%s, %s.", over, between(atRows)))
	if extreme := e.extreme(atRows); extreme != "" {
		e.Predictive = append(e.Predictive, extreme)
	}
}

// means are those of the response where every column is typical, and of some rows with columns x, by draws of the
// prior.
func (e *Explanation) means(c *plan.Case, target *groups.Model, points *glm.Pointwise, rows []int, x [][]float64,
	typical []float64) (atTypical, atRows []float64) {
	d := len(x)
	stream := infer.NewStream(1, "explain", "predictive")
	plain := target.Plain()
	theta, eta := make([]float64, plain.Dim()), make([]float64, len(rows))
	for range predictiveDraws {
		plain.DrawPrior(stream, theta)
		atTypical = append(atTypical, e.mean(c, points, dot(theta[:d], typical)+offset(c.Data, -1), theta[d:], 0))
		for i, row := range rows {
			eta[i] = offset(c.Data, row)
			for j := range d {
				eta[i] += float64(theta[j] * x[j][i])
			}
		}
		target.AddPriorEffects(stream, rows, eta)
		for i, row := range rows {
			atRows = append(atRows, e.mean(c, points, eta[i], theta[d:], row))
		}
	}
	return atTypical, atRows
}

// someRows are at most predictiveRows of n rows.
func someRows(n int) []int {
	rows := make([]int, min(n, predictiveRows))
	for i := range rows {
		rows[i] = i * n / len(rows)
	}
	return rows
}

// responses describes prior predictive responses of some rows: their shares in each class, or what they lie between and
// the share of zeros.
func (e *Explanation) responses(c *plan.Case) {
	of, err := c.On(c.Data.Taken(someRows(c.Data.Rows())))
	if err != nil {
		return
	}
	classes, support := c.Record.Response.Levels, e.Family.Support()
	stream := infer.NewStream(1, "explain", "predictive")
	theta, shares := make([]float64, len(of.Parameters())), make([][]float64, max(1, len(classes)))
	var all []float64
	for range predictiveDraws {
		of.DrawPrior(stream, theta)
		counts := make([]float64, len(shares))
		y := of.Respond(stream, theta)
		total := 0.0
		for i, v := range y {
			switch {
			case support.CountsClasses(): // those of one class after the other
				counts[i*len(counts)/len(y)] += v
				total += v - 1
			case v >= 0 && v < float64(len(counts)) && v == math.Floor(v):
				counts[int(v)]++
			}
			total++
		}
		for k, count := range counts {
			shares[k] = append(shares[k], count/total)
		}
		all = append(all, y...)
	}
	for k, class := range classes {
		what := "rows"
		if support.CountsClasses() {
			what = "counts"
		}
		e.Predictive = append(e.Predictive, fmt.Sprintf("The share of %s of class %s is %s.", what, words.Visible(class),
			between(shares[k])))
	}
	if classes == nil {
		e.Predictive = append(e.Predictive, fmt.Sprintf("Over rows of the data, the priors put responses %s.", between(all)))
	}
	if support.Counts() || support.Zero || support.Trials && !support.Classes && e.Family.Several() != nil {
		e.Predictive = append(e.Predictive, fmt.Sprintf("The share of zeros is %s.", between(shares[0])))
	}
}

// mean is that of one response; of binomial the probability.
func (e *Explanation) mean(c *plan.Case, p *glm.Pointwise, eta float64, free []float64, row int) float64 {
	out, disp := []float64{eta}, c.Posterior.DispersionsAt(free)
	p.Mean(row, out, disp[:], out)
	if c.Data.Trials != nil {
		out[0] /= c.Data.Trials[row]
	}
	return out[0]
}

// extreme warns of priors that put most of their weight on the ends of a probability.
func (e *Explanation) extreme(p []float64) string {
	if !e.Family.Support().Probability() {
		return ""
	}
	ends := 0
	for _, v := range p {
		if v < 0.01 || v > 0.99 {
			ends++
		}
	}
	share := 100 * float64(ends) / float64(len(p))
	if share < 25 {
		return ""
	}
	return fmt.Sprintf("%.0f%% of that is below 0.01 or above 0.99: if that is more certainty than you have, take "+
		"smaller scales.", share)
}

// between says where the middle of numbers lies; infinities are as good as any.
func between(x []float64) string {
	x = slices.DeleteFunc(x, math.IsNaN)
	if len(x) == 0 {
		return "nowhere that can be computed"
	}
	slices.Sort(x)
	at := func(p float64) string { return figure(x[int(p*float64(len(x)-1))]) }
	return fmt.Sprintf("between %s and %s with 95%%, half of it between %s and %s", at(0.025), at(0.975), at(0.25),
		at(0.75))
}

func mean(x []float64) float64 {
	m := 0.0
	for i, v := range x {
		m += (v - m) / float64(i+1)
	}
	return m
}

func dot(x, y []float64) float64 {
	s := 0.0
	for i := range x {
		s += float64(x[i] * y[i])
	}
	return s
}

// offset is that of a row, −1 for their mean.
func offset(d *glm.Data, row int) float64 {
	switch {
	case d.Offset == nil:
		return 0
	case row < 0:
		return mean(d.Offset)
	}
	return d.Offset[row]
}

// sampler says how the fit would be drawn, in the words that the ledger gets.
func (e *Explanation) sampler(c *plan.Case, of plan.Joint) {
	setup, err := c.Setup(of)
	if err != nil {
		e.Sampler = []string{"The run would refuse it: " + err.Error()}
		return
	}
	for _, why := range []string{c.Method.Reason, c.Method.Explained(setup)} {
		if why != "" {
			e.Sampler = append(e.Sampler, strings.TrimSpace(why))
		}
	}
	if e.Sampler == nil {
		e.Sampler = []string{"method " + c.Method.Name + ", as the spec says"}
	}
	if f := plan.ForecastOf(setup, plan.ForecastAsked); f != nil {
		names := make([]string, len(c.Data.Names))
		for j, name := range c.Data.Names {
			names[j] = words.Visible(name)
		}
		e.Sampler = append(e.Sampler, f.Words(names))
	}
}
