package propose

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	laws "glmbatch/infer/family"
	"glmbatch/internal/words"
)

// Proposal is a spec for a table.
type Proposal struct {
	Spec     []byte
	Response string
	Family   string
	Formula  string
	// Why says of the response, the family and each column that is left out why it was
	// chosen or left out.
	Why []string
}

// Spec proposes a spec for t. It returns an error if there is no response.
func (t *Table) Spec() (*Proposal, error) {
	r, err := t.assign()
	if err != nil {
		return nil, err
	}
	d := r.columns(t)
	plain := *r // a quick fit has no effects of groups
	plain.out, plain.groupings = append(r.out[:len(r.out):len(r.out)], r.groupings...), nil
	f := t.familyOf(r, func(f *family) []byte { return t.write(&plain, f, d, true) })
	return &Proposal{Spec: t.write(r, f, d, false), Response: r.response.column.Name, Family: f.name,
		Formula: t.formula(r, f), Why: r.why(f)}, nil
}

// maxOut is how many columns that are left out are named one by one.
const maxOut = 20

// why are the reasons of the choices, for a person who does not read the spec.
func (r *roles) why(f *family) []string {
	out := []string{
		fmt.Sprintf("response %s: %s", r.response.column.Name, r.response.why),
		fmt.Sprintf("family %s: %s", f.name, strings.Join(f.why, ". ")),
	}
	for _, g := range r.groupings {
		out = append(out, fmt.Sprintf("grouping %s: %s", g.column.Name, g.why))
	}
	out = append(out, r.nesting()...)
	for i, o := range r.out {
		if i == maxOut {
			return append(out, fmt.Sprintf("left out besides: %d columns, for reasons like these", len(r.out)-maxOut))
		}
		out = append(out, fmt.Sprintf("left out %s: %s", o.column.Name, strings.TrimPrefix(o.why, "since ")))
	}
	return out
}

// plain are names that a formula takes without quotes.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._]*$`)

// reserved are words that a formula understands otherwise.
var reserved = strings.Fields("TRUE FALSE Inf NA NaN I")

func quoteName(name string) string {
	if plain.MatchString(name) {
		for _, w := range reserved {
			if name == w {
				return "`" + name + "`"
			}
		}
		return name
	}
	return "`" + name + "`"
}

// maxTerms is how many predictors a formula names one by one.
const maxTerms = 30

// formula is that of the model.
func (t *Table) formula(r *roles, f *family) string {
	var terms []string
	if len(r.predictors) <= maxTerms && t.Triplets == 0 {
		for _, c := range r.predictors {
			terms = append(terms, quoteName(c.Name))
		}
		if len(terms) == 0 {
			terms = []string{"1"}
		}
	} else {
		terms = []string{"."}
	}
	right := strings.Join(terms, " + ")
	if terms[0] == "." {
		for _, o := range append(append([]role{}, r.out...), r.exposure, r.offset, r.frequency) {
			if o.column != nil && !strings.ContainsAny(o.column.Name, "`\n\r\t") {
				right += " - " + quoteName(o.column.Name)
			}
		}
	}
	if r.exposure.column != nil {
		right += " + offset(log(" + quoteName(r.exposure.column.Name) + "))"
	}
	if r.offset.column != nil {
		right += " + offset(" + quoteName(r.offset.column.Name) + ")"
	}
	for _, g := range r.groupings {
		right += " + (1 | " + quoteName(g.column.Name) + ")"
	}
	return f.left + " ~ " + right
}

// page writes lines and comments.
type page struct{ strings.Builder }

func (p *page) line(format string, a ...any) { fmt.Fprintf(p, format+"\n", a...) }

// pageWidth is where comments are broken.
const pageWidth = 100

// note writes a comment, broken at spaces, indented like what it is about.
func (p *page) note(indent int, format string, a ...any) {
	front := strings.Repeat(" ", indent) + "#"
	room := pageWidth - len(front) - 1
	for _, line := range words.Break(strings.Join(strings.Fields(fmt.Sprintf(format, a...)), " "), room, room) {
		p.line("%s %s", front, line)
	}
}

// write is the spec; a draft is one for a quick fit, without what takes time.
func (t *Table) write(r *roles, f *family, d int, draft bool) []byte {
	p := &page{}
	p.note(0, "Proposed by pipeline init from %s (%d rows, %d columns). Every choice has its reason; change "+
		"what you know better. Then:", t.From, t.Rows, len(t.Columns))
	p.line("#   pipeline explain FILE     the model in mathematics, and what its priors imply")
	p.line("#   pipeline run FILE         draw, judge, and keep it in the ledger")
	p.line("pipeline: %s", scalar(t.Name))
	p.line("database: %s", scalar(t.Name+".duckdb"))
	p.line("seed: 1")
	p.line("datasets:")
	source := t.Source
	if f.text {
		source += ", types: {" + scalar(r.response.column.Name) + ": text}"
	}
	p.line("  %s: {%s}", scalar(t.Name), source)
	p.line("models:")
	p.line("  %s:", scalar(t.Name))
	t.writeColumns(p, r)
	p.line("    formula: %s", scalar(t.formula(r, f)))
	for _, why := range f.why {
		p.note(4, "%s.", why)
	}
	p.line("    family: %s", f.name)
	if f.levels != nil {
		var levels []string
		for _, level := range f.levels {
			levels = append(levels, scalar(level))
		}
		p.line("    levels: {%s: [%s]}", scalar(r.response.column.Name), strings.Join(levels, ", "))
	}
	t.writeMissing(p, r)
	t.writeScaling(p, r, f, d)
	p.line("samplers:")
	p.note(2, "auto takes the sampler that suits the shape of the data; pipeline explain prints which, and why.")
	p.line("  auto: {method: auto}")
	if draft {
		p.line("run: {warmup: 10, draws: 10}")
	}
	p.line("gates:")
	p.note(2, "A fit warns if its data changed that much since the fit before: the share of rows, columns of the design "+
		"that came or went, the share of rows with missing cells.")
	p.line("  drift: {rows: {warn: 0.5}, columns: {warn: 0}, missing: {warn: 0.1}}")
	return []byte(p.String())
}

// writeColumns says what each column is for.
func (t *Table) writeColumns(p *page, r *roles) {
	p.note(4, "Response: %s, %s.", r.response.column.Name, r.response.why)
	if c := r.exposure.column; c != nil {
		p.note(4, "%s is an exposure, since %s: the model is of the rate, counts by exposure.", c.Name, r.exposure.why)
	}
	if c := r.offset.column; c != nil {
		p.note(4, "%s is an offset: %s. It is added to the linear predictor with coefficient 1.", c.Name, r.offset.why)
	}
	for i, o := range r.out {
		if i == maxOut {
			p.note(4, "Left out besides: %d columns, for reasons like these.", len(r.out)-maxOut)
			break
		}
		p.note(4, "Left out: %s, since %s.", o.column.Name, strings.TrimPrefix(o.why, "since "))
	}
	for _, g := range r.groupings {
		p.note(4, "Grouping: %s, %s.", g.column.Name, g.why)
	}
	for _, words := range r.nesting() {
		p.note(4, "%s.", words)
	}
	if len(r.predictors) == 0 && len(r.groupings) == 0 && t.Triplets == 0 {
		p.note(4, "No column is left to predict with: this is a model of the response's mean alone.")
	}
	if r.frequency.column != nil {
		p.note(4, "%s weighs rows: %s.", r.frequency.column.Name, r.frequency.why)
		p.line("    frequency_weights: %s", scalar(r.frequency.column.Name))
	}
}

// writeMissing says what becomes of rows with missing cells.
func (t *Table) writeMissing(p *page, r *roles) {
	if r.incomplete == 0 {
		return
	}
	p.note(4, "At least %d of %d rows miss a cell of a used column. They are left out, which is fair only if what is "+
		"missing does not depend on the response. "+"Without this line the first of them is an error.", r.incomplete, t.Rows)
	p.line("    missing: drop")
}

// tall is the number of rows from which a data set is.
const tall = 100_000

// writeScaling proposes scaling and priors.
func (t *Table) writeScaling(p *page, r *roles, f *family, d int) {
	standardize := "center_scale"
	sparse := t.Triplets > 0 || t.zeroShare(r) > 0.85 && int64(t.Rows)*int64(d) >= 100_000
	switch {
	case sparse:
		standardize = "max_abs"
		p.note(4, "Most cells are 0: columns are divided by their largest magnitude and not centred, which keeps zeros, so "+
			"that only the others cost time.")
	case d > 1:
		p.note(4, "Columns are centred and divided by their sd while sampling, so that one prior suits all of them. "+
			"Coefficients are reported in the units of the data.")
	}
	p.line("    standardize: %s", standardize)
	if t.Rows >= tall {
		p.note(4, "%d rows: equal rows are counted, and auto proposes all coefficients at once where that is accepted. "+
			"See docs/large-data.md.", t.Rows)
	}
	scale, of := 2.5, "one sd of its column"
	if sparse {
		of = "its column's largest value"
	}
	words := "A coefficient is the effect of " + of + " on the linear predictor: 2.5 is wide"
	if name, _, _ := strings.Cut(f.name, "("); laws.Named(name).Support.Probability() {
		words += ", and tames separation"
	}
	if d >= t.Rows {
		scale = 2.5 / math.Sqrt(float64(d))
		words = fmt.Sprintf("%d coefficients, %d rows: the prior decides. With this scale all effects together have sd 2.5 "+
			"on the linear predictor. "+"If few of them matter, use regularized_horseshoe; see docs/large-data.md", d, t.Rows)
	}
	if f.unit > 0 {
		scale *= f.unit
		words += fmt.Sprintf("; in the unit of the response, whose sd is %s", brief(f.unit))
	}
	p.note(4, "%s. Other priors have defaults with scales from the data: pipeline validate prints them.", words)
	p.line("    prior: {coefficients: \"normal(0, %s)\"}", twoDigits(scale))
}

// twoDigits rounds to two significant digits.
func twoDigits(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err != nil || rounded < 1e-4 || rounded > 1e9 {
		return strconv.FormatFloat(v, 'e', 1, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// zeroShare is the share of zeros among the cells of the predictors.
func (t *Table) zeroShare(r *roles) float64 {
	zeros, cells := 0, 0
	for _, c := range r.predictors {
		if c.Kind == Number || c.Kind == Truth {
			zeros, cells = zeros+c.Zeros, cells+c.Present
		}
	}
	if cells == 0 {
		return 0
	}
	return float64(zeros) / float64(cells)
}

// scalar writes text as YAML reads it back.
func scalar(s string) string {
	if regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`).MatchString(s) &&
		!regexp.MustCompile(`(?i)^(y|n|yes|no|true|false|on|off|null|nan)$`).MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}
