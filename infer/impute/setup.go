package impute

import (
	"fmt"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
)

// setup holds the data that the chains of one fit share.
type setup struct {
	problem *Problem
	incomplete
	tall bool

	system  *system // gaussian models of columns
	readers []*readerSetup
	models  [][]int // the readers of each column's model; none of gaussian ones
	main    int     // the regression's place among readers
	params  []infer.Parameter
	unseen  *glm.Pointwise
	summed  *summed // or nil
	patterns
}

// incomplete has the rows with a missing cell.
type incomplete struct {
	rows   []int
	place  []int32 // of each row of the data among these, or −1
	mask   []uint64
	cells  [][]int32 // of each column: places of the rows where it is missing
	donors [][]float64
}

// Tall data take turns, see kernel.Step.
const tallRows = 20_000

// New returns the sampler of a regression on incomplete data. It keeps the problem. It returns the errors
// of glm.NewTarget for the regression and for the models of columns, with start values instead of missing cells, and an
// error for a model that this package does not support. Cost: O(n·d²).
func New(p *Problem, by infer.Parallel) (infer.Setup, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	s := &setup{problem: p, tall: p.Rows >= tallRows}
	s.findCells()
	var err error
	if s.system, err = newSystem(s); err != nil {
		return nil, err
	}
	for k := range p.Columns {
		if err := s.readColumn(k, by); err != nil {
			return nil, fmt.Errorf("model of column %q: %w", p.Columns[k].Name, err)
		}
	}
	r, err := newReader(s, p.Data, p.Model, p.Coder, p.Of, by)
	if err != nil {
		return nil, err
	}
	r.own, s.main = -1, len(s.readers)
	s.readers = append(s.readers, r)
	if p.Unseen != nil {
		data := *p.Unseen
		data.Y, data.Effects = nil, nil
		if s.unseen, err = glm.NewPointwise(p.Model.Family, &data); err != nil {
			return nil, err
		}
	}
	s.findPatterns()
	s.describe()
	s.summed = s.findSummed()
	return s, s.fitTogether()
}

// findCells lists the rows with missing cells, and what chains start from.
func (s *setup) findCells() {
	p := s.problem
	masks := make([]uint64, p.Rows)
	for k := range p.Columns {
		c := &p.Columns[k]
		for _, i := range c.Missing {
			masks[i] |= 1 << k
		}
		var donors []float64
		for i, y := range c.Data.Y {
			if masks[i]>>k&1 == 0 || c.Noise != nil {
				donors = append(donors, y)
			}
		}
		s.donors = append(s.donors, donors)
	}
	s.place, s.cells = make([]int32, p.Rows), make([][]int32, len(p.Columns))
	for i, m := range masks {
		s.place[i] = -1
		if m == 0 {
			continue
		}
		q := int32(len(s.rows))
		s.place[i] = q
		s.rows, s.mask = append(s.rows, i), append(s.mask, m)
		for k := range p.Columns {
			if m>>k&1 == 1 {
				s.cells[k] = append(s.cells[k], q)
			}
		}
	}
}

// describe makes the parameters: those of the regression without effects of levels, of the models of columns, cells
// and missing responses, then effects of levels. Those of measured columns have brms's names.
func (s *setup) describe() {
	p := s.problem
	main := s.readers[s.main]
	s.params = slices.Clone(main.Params[:main.First()])
	for k := range p.Columns {
		c := &p.Columns[k]
		for i, q := range s.parametersOf(k) {
			q.Grouping, q.Term = c.Name, q.Name
			switch {
			case c.Noise != nil && q.Name == "(Intercept)":
				q.Name = "meanme_me" + c.Name
			case c.Noise != nil && q.Kind == infer.Dispersion:
				q.Name = "sdme_me" + c.Name
			case q.Kind == infer.Dispersion:
				q.Name = q.Name + "_" + c.Name
			case c.Levels != nil:
				q.Level = c.Levels[i/c.Data.Cols()+1]
				q.Name = c.Name + "_" + q.Level + "_" + q.Name
			default:
				q.Name = c.Name + "_" + q.Name
			}
			q.Kind = infer.Imputation
			s.params = append(s.params, q)
		}
	}
	cell := func(prefix, column string, row int, level string) {
		label := p.Row(row)
		name := prefix + column + "[" + label
		if level != "" {
			name += "," + level
		}
		s.params = append(s.params, infer.Parameter{Name: name + "]", Kind: infer.Imputed, Grouping: column, Level: label,
			Term: level})
	}
	for k := range p.Columns {
		c := &p.Columns[k]
		for _, i := range c.Missing {
			switch {
			case c.Noise != nil:
				cell("Xme_me", c.Name, i, "")
			case c.Levels == nil:
				cell("Ymi_", c.Name, i, "")
			}
			for _, level := range c.Levels {
				cell("Ymi_", c.Name, i, level)
			}
		}
	}
	for _, i := range p.UnseenOf {
		cell("Ymi_", p.Response, i, "")
	}
	s.params = append(s.params, main.Params[main.First():]...)
}

// parametersOf are those of the model of column k.
func (s *setup) parametersOf(k int) (out []infer.Parameter) {
	c := &s.problem.Columns[k]
	for _, r := range s.models[k] {
		for _, q := range s.readers[r].Params {
			out = append(out, infer.Parameter{Name: q.Name, Kind: q.Kind})
		}
	}
	if !c.linear() {
		return out
	}
	for _, name := range c.Data.Names {
		out = append(out, infer.Parameter{Name: name, Kind: infer.Coefficient})
	}
	return append(out, infer.Parameter{Name: "sigma", Kind: infer.Dispersion})
}

// Parameters describes the coefficients and dispersions of the regression with the scales of its effects, those of the
// models of columns, the missing cells, and the effects of levels.
func (s *setup) Parameters() []infer.Parameter { return s.params }

// Explain says how cells are sampled.
func (s *setup) Explain() string {
	var models []string
	for k := range s.problem.Columns {
		c := &s.problem.Columns[k]
		what := c.words()
		if c.Noise != nil {
			what += ", measured"
		}
		models = append(models, fmt.Sprintf("%s (%d, %s)", c.Name, len(c.Missing), what))
	}
	words := "no cell of a predictor is missing"
	if models != nil {
		words = "cells of " + strings.Join(models, ", ")
	}
	if names := s.togetherNames(); len(names) > 0 {
		words += fmt.Sprintf("; coefficients move together with the cells of %s", strings.Join(names, ", "))
	}
	if n := len(s.problem.UnseenOf); n > 0 {
		words += fmt.Sprintf("; %d missing responses predicted", n)
	}
	return words + "; " + s.readers[s.main].Explain
}

// readColumn makes the readers of a column's model: none for a gaussian one, one for each level but the first for a
// column of more levels.
func (s *setup) readColumn(k int, by infer.Parallel) error {
	c := &s.problem.Columns[k]
	s.models = append(s.models, nil)
	if c.linear() {
		return nil
	}
	for m := range c.models() {
		data, level := *c.Data, 0
		if c.Levels != nil {
			level = m + 1
			data.Y = make([]float64, len(c.Data.Y))
			for i, y := range c.Data.Y {
				data.Y[i] = indicator(y, level)
			}
		}
		r, err := newReader(s, &data, c.Model, c.Coder, nil, by)
		if err != nil {
			return err
		}
		r.own, r.level = k, level
		if level > 0 {
			r.tilts = false
		}
		s.models[k] = append(s.models[k], len(s.readers))
		s.readers = append(s.readers, r)
	}
	return nil
}

// readerSetup is a model that reads cells, and is no gaussian model of a column.
type readerSetup struct {
	*groups.Sampler
	data  *glm.Data
	coder Coder
	of    []int32 // its row for each row with missing cells, or −1
	own   int     // the column that it explains, or −1
	level int     // the level of that, where the column has more than two; else 0
	moved [][]int // by column
	quad  bool    // a closed gaussian, whose likelihood is part of the normal distribution of cells
	tilts bool    // log-concave with a closed form: its slope tilts proposals of cells
	all   []int
	byState
}

// byState has the entries of the moved columns as functions of a cell's state, by incomplete column.
type byState struct {
	slope, origin [][]float64
	affine        []bool        // entries are slope·state + origin
	table         [][][]float64 // of a column of several levels, by moved column and level; nil of other functions
}

func newReader(s *setup, data *glm.Data, model glm.Model, coder Coder, rows []int, by infer.Parallel,
) (*readerSetup, error) {
	r := &readerSetup{data: data, coder: coder, of: make([]int32, len(s.rows))}
	for k := range s.problem.Columns {
		r.all = append(r.all, coder.Moved(k)...)
	}
	slices.Sort(r.all)
	r.all = slices.Compact(r.all)
	var err error
	if r.Sampler, err = groups.NewRewritten(data, model, by, r.all); err != nil {
		return nil, err
	}
	r.quad = r.Target.ClosedGaussian() && r.Target.Weights() == nil
	r.tilts = r.Target.Closed() && !r.quad
	at := make([]int32, s.problem.Rows)
	for i := range at {
		at[i] = int32(i)
		if rows != nil {
			at[i] = -1
		}
	}
	for j, i := range rows {
		at[i] = int32(j)
	}
	for q, i := range s.rows {
		r.of[q] = at[i]
	}
	for k := range s.problem.Columns {
		moved := coder.Moved(k)
		slope, origin, ok := coder.Affine(k)
		r.moved, r.slope, r.origin = append(r.moved, moved), append(r.slope, slope), append(r.origin, origin)
		r.affine = append(r.affine, ok || moved == nil)
		table, ok := coder.Table(k)
		if !ok || s.problem.Columns[k].Levels == nil {
			table = nil
		}
		r.table = append(r.table, table)
	}
	return r, nil
}

// entries is the dense design of a reader.
func entries(t *glm.Target) *design.Dense { return t.Data().X.(*design.Dense) }
