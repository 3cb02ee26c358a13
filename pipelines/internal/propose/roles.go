package propose

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/words"
)

// role is the use of a column, and the reason.
type role struct {
	column *Column
	why    string
}

// roles are the parts that columns play.
type roles struct {
	response   role
	trials     role // successes out of these
	failures   role // in addition to successes
	event      role // marks censored times
	censored   string
	exposure   role // its logarithm is an offset
	offset     role // as it is
	frequency  role
	predictors []*Column
	groupings  []role // whose levels have effects of their own, with the reason
	out        []role // left out, with the reason
	incomplete int    // rows with a missing cell in a used column
}

// Names that indicate the use of a column, in lower case.
var (
	responseNames = strings.Fields("y response target outcome label class type status event case died dead death " +
		"deaths survived default churn success successes cases ncases n_cases claims claim_count count counts n_claims " +
		"breaks")
	trialNames    = strings.Fields("trials trial n size total totals attempts exposed at_risk tested number")
	failureNames  = strings.Fields("failure failures controls ncontrols n_controls")
	exposureNames = strings.Fields("exposure exposures person_years pyears personyears population pop holders policies " +
		"insured time_at_risk at_risk hours_at_risk")
	offsetNames    = strings.Fields("offset log_exposure logexposure log_population log_pop")
	frequencyNames = strings.Fields("freq frequency frequencies frequency_weight frequency_weights weights_freq")
	idNames        = regexp.MustCompile(`(?i)^(id|uuid|guid|key|index|idx|row|rownames?|row_?(id|number|names?)|` +
		`obs|observation|x\.?1|unnamed.*|.+[_.](id|uuid|key))$`)
	strataNames = regexp.MustCompile(`(?i)^(.+[_.])?(stratum|strata|matched|match|matchset|riskset|pair|pairs)` +
		`([_.]?(id|no|nr))?$`)
	groupNames = regexp.MustCompile(`(?i)^(subject|subj|person|patient|participant|respondent|individual|household|` +
		`family|animal|litter|brood|herd|cage|plate|batch|school|class|hospital|clinic|site|location|village|county|` +
		`cluster|item|user|customer|account|store|shop|zip|zipcode|postcode)([_.]?(id|no|nr|number|code))?$`)
)

func named(c *Column, names []string) bool { return slices.Contains(names, strings.ToLower(c.Name)) }

// NoResponseError reports that nothing speaks for a column as the response.
type NoResponseError struct {
	From string
	// Candidates are the columns that can be one.
	Candidates []string
}

// Error names them.
func (e *NoResponseError) Error() string {
	return fmt.Sprintf("the response of %s is not clear: it can be %s", e.From, words.List(e.Candidates))
}

// choose finds the response: the column that was asked for, one that is called like a
// response, or the only one that can be one.
func (t *Table) choose() (role, error) {
	if t.Response != "" {
		at := slices.IndexFunc(t.Columns, func(c *Column) bool { return c.Name == t.Response })
		if at < 0 {
			return role{}, words.Hint(fmt.Errorf("%s has no column %q", t.From, t.Response),
				"its columns are "+t.names())
		}
		c := t.Columns[at]
		if !c.answers() && !c.inClasses() {
			return role{}, words.Hint(fmt.Errorf("column %q cannot be a response: %s", c.Name, c.refusal()),
				"a response is numbers, true and false, or text of a few classes")
		}
		return role{c, "named by --response"}, nil
	}
	if time, event, _ := t.survival(); time != nil {
		return role{time, "it is called like a time, and " + event.column.Name + " marks censored ones"}, nil
	}
	for _, name := range responseNames {
		for _, c := range t.Columns {
			if strings.EqualFold(c.Name, name) && c.answers() && !t.kindOf(c) {
				return role{c, "it is called like one"}, nil
			}
		}
	}
	var able, binary []*Column
	ids := false
	none := &NoResponseError{From: t.From}
	for _, c := range t.Columns {
		ids = ids || idNames.MatchString(c.Name) && !c.answersTwo()
		if c.answers() && !idNames.MatchString(c.Name) && !c.Serial && c.groups() == 0 {
			able, none.Candidates = append(able, c), append(none.Candidates, c.Name)
			if c.Kind != Text && c.answersTwo() && c.Min == 0 && c.Max == 1 {
				binary = append(binary, c)
			}
		}
	}
	switch len(able) {
	case 0:
		return role{}, words.Hint(fmt.Errorf("%s has no column that can be a response", t.From),
			"a response is numbers, true and false, or text of two levels, and not constant; --response names a column of "+
				"more classes")
	case 1:
		return role{able[0], "no other column can be one"}, nil
	}
	if ids && len(binary) == 1 { // the file names its rows, and this column marks some of them
		return role{binary[0], "it is the only column of 0 and 1"}, nil
	}
	return role{}, words.Hint(none, "--response names it, for example --response "+shellName(able[0].Name))
}

// kindOf reports whether a column of a name that covariates have too says of what kind the levels of another one are:
// a property of them, and no response.
func (t *Table) kindOf(c *Column) bool {
	return slices.Contains([]string{"type", "class", "label"}, strings.ToLower(c.Name)) &&
		slices.ContainsFunc(t.Columns, func(of *Column) bool {
			return of != c && of.Kind == Text && !of.constant() && !of.answersTwo() && fixes(of, c)
		})
}

// shellName is a name as a shell takes it.
func shellName(name string) string {
	if plain.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\\''`) + "'"
}

func (t *Table) names() string {
	var out []string
	for i, c := range t.Columns {
		if i == 20 {
			out = append(out, fmt.Sprintf("and %d more", len(t.Columns)-i))
			break
		}
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}

// answers reports whether a column can be a response.
func (c *Column) answers() bool {
	if c.constant() || c.Present == 0 {
		return false
	}
	_, _, two := c.two()
	return c.Kind == Number || two
}

// refusal says why a column cannot be a response.
func (c *Column) refusal() string {
	switch {
	case c.Present == 0:
		return "every cell is missing"
	case c.constant():
		return "it has one value only"
	case c.Kind == Time:
		return "it holds dates"
	}
	return "it is text of more than " + strconv.Itoa(maxClasses) + " classes"
}

// assign gives every column its part.
func (t *Table) assign() (*roles, error) {
	response, err := t.choose()
	if err != nil {
		return nil, err
	}
	r := &roles{response: response}
	y := response.column
	if time, event, censored := t.survival(); time == y {
		r.event, r.censored = event, censored
	}
	counts := y.Kind == Number && y.Whole && y.Min >= 0 && !y.answersTwo() && r.event.column == nil
	for _, c := range t.Columns {
		if c == y || c == r.event.column {
			continue
		}
		positive := c.Kind == Number && c.Missing == 0 && c.Min > 0
		why := c.useless(t.Rows)
		switch {
		case r.trials.column == nil && counts && named(c, trialNames) && c.Whole && positive && below(y, c):
			r.trials = role{c, "whole numbers, in no row below " + y.Name}
		case r.trials.column == nil && r.failures.column == nil && counts && named(c, failureNames) &&
			c.Kind == Number && c.Whole && c.Min >= 0 && c.Missing == 0:
			r.failures = role{c, "it is called like failures: the trials are successes and failures"}
		case r.exposure.column == nil && counts && named(c, exposureNames) && positive:
			r.exposure = role{c, "it is called like an exposure, and is above 0"}
		case r.offset.column == nil && named(c, offsetNames) && c.Kind == Number && c.Missing == 0:
			r.offset = role{c, "it is called like one"}
		case r.frequency.column == nil && named(c, frequencyNames) && c.Whole && c.Min >= 0 && c.Missing == 0 &&
			c.Kind == Number:
			r.frequency = role{c, "whole numbers, and called like it: each row stands for so many"}
		case why != "":
			r.out = append(r.out, role{c, why})
		case determines(y, c) || fixes(c, y):
			r.out = append(r.out, role{c, "it determines " + y.Name +
				" row by row: it was computed from it, or is known only after it"})
		case slices.ContainsFunc(r.predictors, func(p *Column) bool { return equalCells(p, c) }):
			r.out = append(r.out, role{c, "it is equal to a column before it"})
		case slices.ContainsFunc(r.predictors, func(p *Column) bool { return sameLine(p, c) }):
			r.out = append(r.out, role{c, "it equals an earlier column except for its unit"})
		case c.groups() > 0:
			r.group(c)
		default:
			r.predictors = append(r.predictors, c)
		}
	}
	if r.exposure.column != nil && (r.trials.column != nil || r.failures.column != nil) {
		r.out = append(r.out, role{r.exposure.column, "an exposure adds nothing to trials"})
		r.exposure = role{}
	}
	t.count(r)
	return r, nil
}

// maxFactor is how many levels a predictor of text may have, one coefficient each, and a column that is called like
// the number of a group before it is one.
const maxFactor = 8

// useless is the reason why a column cannot be a predictor; empty if it may be one.
func (c *Column) useless(rows int) string {
	switch {
	case c.Present == 0:
		return "every cell is missing"
	case strings.ContainsAny(c.Name, "`\n\r\t"):
		return "a formula cannot name it: rename it"
	case c.constant():
		return "it has one value only"
	case c.Kind == Time:
		return "it holds dates: compute a number from them, such as days since a start"
	case c.Kind == Text && (c.Distinct == maxCounted || c.Distinct == c.Present && c.Present > 2):
		return "it is text that names rows"
	case c.groups() > 0 && c.Missing*2 <= rows:
		return ""
	case c.Kind == Text && (c.Distinct > maxFactor || 3*c.Distinct > rows):
		return fmt.Sprintf("it is text of %d levels for %d rows, too few rows for each level: group them first", c.Distinct,
			c.Present)
	case c.Missing*2 > rows:
		return fmt.Sprintf("%d of %d cells are missing", c.Missing, rows)
	case c.Kind == Number && idNames.MatchString(c.Name) && c.Whole && (c.Distinct == rows || c.Distinct > maxLevels):
		return "it numbers the rows"
	case c.Kind == Number && c.Whole && strataNames.MatchString(c.Name):
		return "it is called like the number of a stratum or matched set: a number of it means nothing"
	case c.Kind == Number && c.Whole && c.Distinct > 2 && idNames.MatchString(c.Name):
		return "it is called like an identifier: a number of it means nothing"
	case c.Kind == Number && c.Whole && c.Distinct > maxFactor && groupNames.MatchString(c.Name):
		return "it numbers groups, and most of them have one row"
	case c.Serial:
		return "it counts the rows: 1 more in each"
	}
	return ""
}

// below reports whether y is in no row above the trials.
func below(y, trials *Column) bool {
	for i, v := range y.Values {
		if v > trials.Values[i] {
			return false
		}
	}
	return true
}

// determines reports whether a column of numbers fixes a response: it is the response in another unit, or separates
// its two values.
func determines(y, c *Column) bool {
	if c.Values == nil || y.Values == nil || len(y.Values) < 5 || c.Distinct < 2 {
		return false
	}
	if _, _, ok := y.two(); ok {
		return c.Distinct > 10 && separates(y.indicator(), c.Values)
	}
	return sameLine(y, c) || y.Min > 0 && sameLine(y.log(), c) || c.Min > 0 && sameLine(y, c.log())
}

// sameLine reports whether one column of numbers is the other in another unit.
func sameLine(a, b *Column) bool {
	return a.Values != nil && b.Values != nil && len(a.Values) > 4 && a.Distinct > 2 && b.Distinct > 2 &&
		math.Abs(correlation(a.Values, b.Values)) > 0.99999
}

// byChance is the probability below which it is no chance that rows of one value of a
// column all have one value of the response.
const byChance = 1e-6

// minRepeats is the average number of rows per value of a column from which duplicates count: rows that a file
// holds twice agree in all columns.
const minRepeats = 5

// fixes reports whether rows that agree in c agree in y, more often than chance has it: were
// y mixed at random, groups of n_g rows would all agree with probability Π_g Σ_v p_v^n_g,
// p_v being the share of the value v of y.
func fixes(c, y *Column) bool {
	cells, answers := c.cells(), y.cells()
	if cells == nil || answers == nil {
		return false
	}
	first, size, share := map[float64]float64{}, map[float64]float64{}, map[float64]float64{}
	rows := 0.0
	for i, v := range cells {
		a := answers[i]
		if math.IsNaN(v) || math.IsNaN(a) {
			continue
		}
		if was, seen := first[v]; seen && was != a {
			return false
		}
		first[v] = a
		size[v]++
		share[a]++
		rows++
	}
	if len(share) < 2 || float64(len(size))*minRepeats > rows {
		return false
	}
	chance := 0.0 // its logarithm
	for _, n := range size {
		if n == 1 {
			continue
		}
		sum := 0.0
		for _, k := range share {
			sum += math.Pow(k/rows, n)
		}
		chance += math.Log(sum)
	}
	return chance < math.Log(byChance)
}

// separates reports whether a threshold of x splits the two classes.
func separates(class, x []float64) bool {
	low := [2]float64{math.Inf(1), math.Inf(1)}
	high := [2]float64{math.Inf(-1), math.Inf(-1)}
	seen := [2]int{}
	for i, v := range x {
		if !math.IsNaN(v) && !math.IsNaN(class[i]) {
			k := int(class[i])
			low[k], high[k] = math.Min(low[k], v), math.Max(high[k], v)
			seen[k]++
		}
	}
	return seen[0] > 4 && seen[1] > 4 && (high[0] < low[1] || high[1] < low[0])
}

// correlation is Pearson's, over rows that have both.
func correlation(x, y []float64) float64 {
	var n, mx, my float64
	for i := range x {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			n++
			mx += (x[i] - mx) / n
			my += (y[i] - my) / n
		}
	}
	var xx, yy, xy float64
	for i := range x {
		if !math.IsNaN(x[i]) && !math.IsNaN(y[i]) {
			a, b := x[i]-mx, y[i]-my
			xx, yy, xy = xx+float64(a*a), yy+float64(b*b), xy+float64(a*b)
		}
	}
	return xy / math.Sqrt(xx*yy)
}

// equalCells reports whether two columns of numbers are one.
func equalCells(a, b *Column) bool {
	return a.Values != nil && b.Values != nil && a.Mean == b.Mean && a.Min == b.Min && a.Max == b.Max &&
		slices.EqualFunc(a.Values, b.Values, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// count counts the rows that miss a used cell. Of text the rows are not known, so that it
// is at least the largest number of any column.
func (t *Table) count(r *roles) {
	used := append([]*Column{r.response.column}, r.predictors...)
	missing := make([]bool, t.Rows)
	for _, c := range used {
		r.incomplete = max(r.incomplete, c.Missing)
		for i, v := range c.Values {
			missing[i] = missing[i] || math.IsNaN(v)
		}
	}
	n := 0
	for _, m := range missing {
		if m {
			n++
		}
	}
	r.incomplete = max(r.incomplete, n)
}

// columns is the number of coefficients, the intercept's included.
func (r *roles) columns(t *Table) int {
	d := 1 + t.Triplets
	for _, c := range r.predictors {
		switch c.Kind {
		case Text:
			d += len(c.Levels) - 1
		default:
			d++
		}
	}
	return d
}
