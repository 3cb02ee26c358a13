package explain

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"glmbatch/internal/words"
)

// Format is a form of an explanation.
type Format string

// The formats.
const (
	Plain    Format = "text"
	Markdown Format = "markdown"
	LaTeX    Format = "latex"
)

// Formats are their names.
var Formats = []string{string(Plain), string(Markdown), string(LaTeX)}

// maxTerms is how many terms of the linear predictor are written, and maxPriors how
// many priors: of more the first, and how many there are.
const (
	maxTerms  = 8
	maxPriors = 15
)

// figure is three significant digits.
func figure(v float64) string {
	if math.IsNaN(v) {
		return "—"
	}
	if a := math.Abs(v); a >= 1000 && a < 1e6 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// linear is the linear predictor, its coefficients named b where tex is false.
func (e *Explanation) linear(tex bool) string {
	var parts []string
	dot, name := " · ", func(s string) string { return s + "_i" }
	intercept, coefficient := "a", func(j int) string { return "b" + strconv.Itoa(j) }
	if tex {
		dot, name = `\,`, func(s string) string { return `\mathit{` + escape(s) + `}_i` }
		intercept, coefficient = `\alpha`, func(j int) string { return `\beta_{` + strconv.Itoa(j) + `}` }
	}
	if e.Intercept {
		parts = append(parts, intercept)
	}
	for j, t := range e.Terms {
		if j == maxTerms && len(e.Terms) > maxTerms+1 {
			dots := "…"
			if tex {
				dots = `\dots`
			}
			last := len(e.Terms)
			parts = append(parts, dots, coefficient(last)+dot+name(e.Terms[last-1]))
			break
		}
		parts = append(parts, coefficient(j+1)+dot+name(t))
	}
	for _, s := range e.Smooths {
		parts = append(parts, name(s))
	}
	for _, r := range e.Effects {
		parts = append(parts, r.in(tex))
	}
	for _, o := range e.Offsets {
		parts = append(parts, name(o))
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " + ")
}

// linked is the link of the mean.
func (e *Explanation) linked(tex bool) string {
	n := e.Family.Distribution().Notation
	mean, link := n.Mean, e.Family.Link
	if tex {
		mean, link = n.TeX, `\mathrm{`+escape(link)+`}`
	}
	if e.Family.Support().Ordered {
		return "eta_i"
	}
	if e.Family.Support().Classes {
		return e.Family.Of().Eta
	}
	if e.Family.Of().Linear() {
		return mean
	}
	return link + "(" + mean + ")"
}

func escape(s string) string {
	return strings.NewReplacer(`\`, `\textbackslash{}`, "_", `\_`, "%", `\%`, "&", `\&`, "#", `\#`, "$", `\$`,
		"{", `\{`, "}", `\}`, "^", `\^{}`, "~", `\~{}`,
		"μ", `$\mu$`, "²", "$^2$", "³", "$^3$", "−", "$-$", "×", `$\times$`, "…", `\dots{}`, "<", "$<$", ">",
		"$>$").Replace(s)
}

// Write writes an explanation. Lines of text are not broken.
func (e *Explanation) Write(f Format) string {
	var b strings.Builder
	switch f {
	case Markdown:
		fmt.Fprintf(&b, "## %s\n\n", e.Name)
	case LaTeX:
		fmt.Fprintf(&b, "\\section*{%s}\n", escape(e.Name))
	default:
		fmt.Fprintf(&b, "%s\n", e.Name)
	}
	if e.Err != nil {
		fmt.Fprintf(&b, "%s\n", e.sentence(f, "It cannot be explained: "+e.Err.Error()))
		return b.String()
	}
	b.WriteString(e.sentence(f, e.Facts) + "\n")
	for _, own := range e.Responses {
		e.head(&b, f, own.Name)
		b.WriteString(e.sentence(f, own.Facts) + "\n")
		own.writeParts(&b, f)
	}
	e.writeParts(&b, f)
	return b.String()
}

// writeParts writes the model, its priors and what follows from them.
func (e *Explanation) writeParts(b *strings.Builder, f Format) {
	if e.Responses == nil {
		e.writeModel(b, f)
		e.writePriors(b, f)
	}
	for _, part := range []struct {
		head  string
		words []string
	}{{"missing cells", e.Cells}, {"scale", e.Scaling}, {"what the priors say", e.Predictive}, {"sampler", e.Sampler}} {
		if part.words == nil {
			continue
		}
		e.head(b, f, part.head)
		for _, w := range part.words {
			b.WriteString(e.sentence(f, w) + "\n")
		}
	}
}

// sentence is a text in a format.
func (e *Explanation) sentence(f Format, text string) string {
	switch f {
	case Markdown:
		return text + "\n"
	case LaTeX:
		return escape(text) + "\n"
	}
	return "  " + words.Indent(text)
}

func (e *Explanation) head(b *strings.Builder, f Format, words string) {
	switch f {
	case Markdown:
		fmt.Fprintf(b, "### %s\n\n", words)
	case LaTeX:
		fmt.Fprintf(b, "\\subsection*{%s}\n", words)
	default:
		fmt.Fprintf(b, "\n%s\n", words)
	}
}

// writeModel writes likelihood, linear predictor and the priors of the coefficients.
func (e *Explanation) writeModel(b *strings.Builder, f Format) {
	n := e.Family.Distribution().Notation
	if f == Plain {
		fmt.Fprintf(b, "\n  %s_i ~ %s\n  %s = %s\n", e.response, e.distribution(n.Law), e.linked(false), e.linear(false))
		for _, own := range e.Further {
			fmt.Fprintf(b, "  %s(%s_i) = %s\n", own.Family.Link, own.Name, own.linear(false))
		}
		if n.Note != "" {
			fmt.Fprintf(b, "  (%s)\n", n.Note)
		}
		return
	}
	open, end := "$$\n\\begin{aligned}\n", "\\end{aligned}\n$$\n\n"
	if f == LaTeX {
		open, end = "\\begin{align*}\n", "\\end{align*}\n"
	}
	fmt.Fprintf(b, "%s\\mathit{%s}_i &\\sim %s \\\\\n%s &= %s", open, escape(e.response), n.LaTeX, e.linked(true),
		e.linear(true))
	for _, own := range e.Further {
		fmt.Fprintf(b, " \\\\\n\\mathrm{%s}(\\mathrm{%s}_i) &= %s", escape(own.Family.Link), escape(own.Name),
			own.linear(true))
	}
	b.WriteString("\n" + end)
	if n.Note != "" {
		b.WriteString(e.sentence(f, "Here "+n.Note+"."))
	}
}

// distribution writes that of a response. A parameter with a linear predictor has a number for each row.
func (e *Explanation) distribution(text string) string {
	if e.Family.Predicted == "" {
		return text
	}
	for name := range strings.SplitSeq(e.Family.Predicted, ",") {
		text = strings.ReplaceAll(text, name, name+"_i")
	}
	return text
}

// writePriors writes the table of priors.
func (e *Explanation) writePriors(b *strings.Builder, f Format) {
	e.head(b, f, "priors")
	effect := "one sd of the column"
	if e.factors() {
		effect = "factor of one sd"
	}
	rows := [][]string{{"parameter", "prior as sampled", "95 %, data units", effect}}
	shown := e.Priors
	if len(shown) > maxPriors+e.last+1 {
		shown = append(append([]Prior{}, shown[:maxPriors]...), shown[len(shown)-e.last:]...)
	}
	for i, p := range shown {
		if i == maxPriors && len(shown) < len(e.Priors) {
			rows = append(rows, []string{fmt.Sprintf("… and %d more", len(e.Priors)-len(shown)), "", "", ""})
		}
		rows = append(rows, []string{p.Name, p.Law, span(p.Low, p.High), span(p.EffectLow, p.EffectHigh)})
	}
	if len(shown) < len(e.Priors) && e.last == 0 {
		rows = append(rows, []string{fmt.Sprintf("… and %d more", len(e.Priors)-len(shown)), "", "", ""})
	}
	b.WriteString(layout(rows, f))
}

func span(low, high float64) string {
	if math.IsNaN(low) {
		return ""
	}
	return figure(low) + " to " + figure(high)
}

// layout writes a table in a format.
func layout(rows [][]string, f Format) string {
	var b strings.Builder
	switch f {
	case Markdown:
		for i, r := range rows {
			b.WriteString("| " + strings.Join(r, " | ") + " |\n")
			if i == 0 {
				b.WriteString(strings.Repeat("|---", len(r)) + "|\n")
			}
		}
		b.WriteString("\n")
	case LaTeX:
		b.WriteString("\\begin{tabular}{llll}\n")
		for _, r := range rows {
			cells := make([]string, len(r))
			for i := range r {
				cells[i] = escape(r[i])
			}
			b.WriteString(strings.Join(cells, " & ") + " \\\\\n")
		}
		b.WriteString("\\end{tabular}\n")
	default:
		t := words.Table{Rows: rows, Right: func(int) bool { return false }, Indent: "  "}
		t.Narrow(0, 80)
		_ = t.Write(&b) // a builder takes everything
	}
	return b.String()
}
