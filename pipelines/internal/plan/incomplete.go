package plan

import (
	"strconv"

	"glmbatch/infer/glm"
)

// Incomplete is a column of which missing cells are drawn, or the response where some of its are missing.
type Incomplete struct {
	Variable        string
	Formula, Family string   // of its model; of the response those of the regression
	Levels          []string // names of its states; nil of numbers
	Numbers         glm.Family
	Response        bool
	Missing         int
	// Seen are the observed values, on the scale of the draws; of levels their states.
	Seen []float64
}

// Incomplete are the columns with missing cells in the order of their models, and the response after them where some of
// its are missing.
func (p *Imputed) Incomplete() (out []Incomplete) {
	for _, c := range p.columns {
		g := &c.gap
		of := Incomplete{Variable: g.Column, Formula: c.formula, Family: c.familyWord(), Levels: g.Levels, Numbers: c.family,
			Missing: len(g.Rows), Seen: g.Seen()}
		if g.Binary && g.Levels == nil {
			for state := range 2 {
				of.Levels = append(of.Levels, strconv.FormatFloat(g.Low+float64(state), 'g', -1, 64))
			}
			for i := range of.Seen {
				of.Seen[i] -= g.Low
			}
		}
		out = append(out, of)
	}
	if n := len(p.problem.UnseenOf); n > 0 {
		m := p.fit.Model
		of := Incomplete{Variable: p.problem.Response, Formula: m.Formula, Family: m.Family.Name, Numbers: m.Family.Family,
			Response: true, Missing: n, Seen: p.Data.Y}
		if s := m.Family.Support(); s.Probability() && !s.Trials {
			if of.Levels = p.Record.Response.Levels; len(of.Levels) != 2 {
				of.Levels = []string{"0", "1"}
			}
		}
		out = append(out, of)
	}
	return out
}
