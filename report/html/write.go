package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed page vendor/d3.min.js vendor/plot.umd.min.js vendor/d3.LICENSE vendor/plot.LICENSE
var files embed.FS

// ours are the page's own scripts, in order: they make one script together.
var ours = []string{"10-text.js", "20-table.js", "30-charts.js", "35-groups.js", "36-mixtures.js", "37-checks.js",
	"40-fit.js", "45-effects.js", "46-incomplete.js", "50-overview.js", "60-compare.js", "70-drift.js", "90-start.js"}

// file is the content of an embedded file, which is there: a test writes a page.
func file(name string) string {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// vendored is a library's script behind its licence, which asks to go with it.
func vendored(licence, script string) string {
	return "/*\n" + file("vendor/"+licence) + "*/\n" + file("vendor/"+script)
}

// element is JSON in a script element.
type element struct {
	ID   string
	JSON template.JS
}

// Write writes the page. It is a function of p alone: no clock, no order of a
// map. Cost: the page is held in memory once.
func Write(w io.Writer, p *Page) error {
	own := "\"use strict\";\n"
	for _, name := range ours {
		own += file("page/" + name)
	}
	scripts := []string{vendored("d3.LICENSE", "d3.min.js"), vendored("plot.LICENSE", "plot.umd.min.js"), own}
	data, err := elements(p)
	if err != nil {
		return err
	}
	t, err := template.New("page.html").Funcs(template.FuncMap{
		"name": Name, "time": clock, "number": figure, "rhat": rhat, "whole": whole,
		"join": func(list []string) string { return strings.Join(list, "; ") }, "head": head, "more": more,
	}).Parse(file("page/page.html"))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Page": p, "Policy": policy(scripts), "Style": template.CSS(file("page/style.css")),
		"Scripts": []template.JS{template.JS(scripts[0]), template.JS(scripts[1]), template.JS(scripts[2])},
		"Data":    data, "Counts": counts(p.Fits), "First": p.Fits[:min(len(p.Fits), plainRows)],
		"Left": max(0, len(p.Fits)-plainRows),
	})
	if err != nil {
		return err
	}
	_, err = out.WriteTo(w)
	return err
}

// policy forbids the page everything but its own scripts, known by their hash,
// and styles: nothing is fetched, and no script that a name brings along runs.
func policy(scripts []string) string {
	var b strings.Builder
	b.WriteString("default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data:; " +
		"script-src")
	for _, s := range scripts {
		sum := sha256.Sum256([]byte(s))
		fmt.Fprintf(&b, " 'sha256-%s'", base64.StdEncoding.EncodeToString(sum[:]))
	}
	return b.String()
}

// elements are the page's data: the overview, and one element a fit that has
// details, which is parsed when it is looked at. encoding/json escapes <, > and &,
// so that no name ends an element.
func elements(p *Page) ([]element, error) {
	add := func(out []element, id string, v any) ([]element, error) {
		b, err := json.Marshal(v)
		return append(out, element{id, template.JS(b)}), err
	}
	var page any = p
	if len(p.Fits) > plainRows {
		fits, err := columns(p.Fits)
		if err != nil {
			return nil, err
		}
		page = struct {
			*Page
			Fits any `json:"fits"` // replaces those of Page
		}{p, fits}
	}
	out, err := add(nil, "data-page", page)
	for i := range p.Fits {
		if d := p.Fits[i].Detail; d != nil && err == nil {
			out, err = add(out, fmt.Sprintf("data-fit-%d", i), d)
		}
	}
	return out, err
}

// plainRows is the largest number of fits that the page has as rows of HTML, and as objects in its data.
const plainRows = 200

// column is one field of many values: All if they are equal, else each value, or the distinct ones with their indices.
type column struct {
	All  json.RawMessage   `json:"all,omitempty"`
	Of   []json.RawMessage `json:"of,omitempty"`
	At   []int             `json:"at,omitempty"`
	Each []json.RawMessage `json:"each,omitempty"`
}

// columns are the fields of values by name, in the shorter form of each. A value that lacks a field has null.
func columns[T any](values []T) (any, error) {
	fields := map[string][]json.RawMessage{}
	for i := range values {
		b, err := json.Marshal(&values[i])
		var of map[string]json.RawMessage
		if err == nil {
			err = json.Unmarshal(b, &of)
		}
		if err != nil {
			return nil, err
		}
		for name, v := range of {
			if fields[name] == nil {
				fields[name] = slices.Repeat([]json.RawMessage{json.RawMessage("null")}, len(values))
			}
			fields[name][i] = v
		}
	}
	out := map[string]column{} // JSON sorts the keys
	for name, each := range fields {
		out[name] = columnOf(each)
	}
	return map[string]any{"rows": len(values), "columns": out}, nil
}

func columnOf(each []json.RawMessage) column {
	index := map[string]int{}
	var c column
	plain, short := 0, 0
	for _, v := range each {
		i, known := index[string(v)]
		if !known {
			i = len(c.Of)
			index[string(v)] = i
			c.Of = append(c.Of, v)
			short += len(v) + 1
		}
		c.At = append(c.At, i)
		plain, short = plain+len(v)+1, short+len(strconv.Itoa(i))+1
	}
	switch {
	case len(c.Of) == 1:
		return column{All: c.Of[0]}
	case short < plain:
		return c
	}
	return column{Each: each}
}

// Name is a fit's name as the program prints it.
func Name(f Fit) string {
	unit := f.Dataset
	if f.Pipeline != "" {
		unit = f.Pipeline + ": " + unit
	}
	if f.Key != "" {
		unit += "/" + f.Key
	}
	return unit + " × " + f.Model + " × " + f.Sampler
}

// count is a verdict and how many fits have it.
type count struct {
	Verdict string
	N       int
}

// counts are the verdicts of the fits, the worst first; none is left out.
func counts(fits []Fit) []count {
	out := []count{{"error", 0}, {"fail", 0}, {"", 0}, {"warn", 0}, {"pass", 0}}
	for _, f := range fits {
		for i := range out {
			if out[i].Verdict == f.Verdict {
				out[i].N++
			}
		}
	}
	if out[2].N == 0 {
		out = append(out[:2], out[3:]...)
	}
	return out
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "—"
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// figure is a number with three significant digits, as the page's script writes seconds.
func figure(n Number) string {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "—"
	}
	places := 0
	if v != 0 {
		places = max(0, min(6, 2-int(math.Floor(math.Log10(math.Abs(v))))))
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

// rhat and whole are R-hats and effective sample sizes as the page's script writes them.
func rhat(n Number) string { return fixed(n, 3) }

func whole(n Number) string { return fixed(n, 0) }

func fixed(n Number, places int) string {
	if v := float64(n); !math.IsNaN(v) && !math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', places, 64)
	}
	return "—"
}

// namedFits is how many fits a reason names.
const namedFits = 6

// head are the first of a list of fits, more how many are behind them.
func head(fits []int) []int { return fits[:min(len(fits), namedFits)] }

func more(fits []int) int { return max(0, len(fits)-namedFits) }
