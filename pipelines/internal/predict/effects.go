package predict

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/transform"
)

// rows are the data that an effect is computed by.
type rows struct {
	table   *ingest.Table
	weights []float64 // of each row of the table: its frequency, 0 if it is left out
	fit     *predictive.Fit
	record  *transform.Record // of the fit
	room    transform.Reserve
	drawn   *plan.DrawnRows // of rows with missing cells that were drawn; else nil
}

// designs are the designs that averages are over.
func (r *rows) designs(d *transform.Design) []predictive.Design {
	return predictive.DesignsOf(d, r.record)
}

// estimate is the mean of the response in one cell, at every draw, or the probability of a class.
type estimate struct {
	class string // empty: there is one mean
	at    []any  // of the axes
	by    []any
	draws []float64
}

// Effects writes an effect in a stored fit to w, a row for each cell or contrast.
func Effects(ctx context.Context, w io.Writer, c Config, e *spec.Effect) error {
	c.averages, c.by, c.Response = true, e.By, e.Response
	o, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer o.table.Release()
	if o.classes() {
		return words.Hint(fmt.Errorf("fit %s is of latent classes, whose rows have several responses: effects are of the "+
			"mean of one", o.stored.Key), "pipeline predict has the classes of rows")
	}
	r, err := c.rowsOf(ctx, o)
	if err != nil {
		return err
	}
	s, err := newSetting(e, o.family, o.record, r)
	if err != nil {
		return err
	}
	s.remark(c.Notes, o.record)
	found, err := s.compute(ctx)
	if err != nil {
		return questionError(err)
	}
	return s.write(ctx, w, c.Options, found)
}

// rowsOf codes the data as they are, which says which rows count, and how often.
func (c *Config) rowsOf(ctx context.Context, o *opened) (*rows, error) {
	room := c.Memory.Reserve(0)
	weights, err := c.weightsOf(o, room)
	if err != nil {
		return nil, err
	}
	c.changed(o)
	return &rows{table: o.table, weights: weights, room: room, drawn: o.drawn, fit: c.fit(ctx, o),
		record: o.record}, nil
}

// weightsOf says how often each row of the data counts: of incomplete data that were drawn each does once, also without
// a response.
func (c *Config) weightsOf(o *opened, room transform.Reserve) (weights []float64, err error) {
	if !o.description.Imputed || c.Data != "" {
		weights, warnings, err := o.record.RowWeights(o.table.Data, o.table.Counts(), transform.Coding{
			Dataset: o.table.Name, Locate: o.table.Locate, Room: room, Response: c.Data == ""})
		if c.Data != "" {
			for _, w := range warnings {
				fmt.Fprintf(c.Notes, "note: %s\n", w)
			}
		}
		return weights, err
	}
	d := slices.IndexFunc(c.Pipeline.Datasets, func(d *spec.Dataset) bool { return d.Name == o.stored.Dataset })
	m := slices.IndexFunc(c.Pipeline.Models, func(m *spec.Model) bool { return m.Name == o.stored.Model })
	if d < 0 || m < 0 {
		return nil, &CallError{fmt.Errorf("the spec has no data set %q, or no model %q", o.stored.Dataset, o.stored.Model)}
	}
	o.drawn, err = plan.NewDrawnRows(c.Pipeline.Datasets[d], o.stored.Group, c.Pipeline.Models[m], o.table, o.description)
	return slices.Repeat([]float64{1}, int(o.table.Data.NumRows())), err
}

// Timed are further scales of effects, in addition to names of parameters.
const Timed = predictive.Timed

// IsQuestion reports whether the scale of an effect has the form of a quantity, or of a parameter's name.
func IsQuestion(scale string) bool { return predictive.IsQuestion(scale) }

// remark says what the numbers are of.
func (s *setting) remark(w io.Writer, record *transform.Record) {
	say := func(format string, a ...any) { fmt.Fprintf(w, "note: "+format+"\n", a...) }
	if record.Groupings != nil {
		say("group-level effects are 0: these numbers are of the population")
	}
	if record.Offsets != nil && s.record.Offsets == nil {
		say("per unit of exposure: offsets are 0")
	}
	if s.family.Support().Trials && s.Scale != "link" && !s.asked() {
		say("a mean is the probability of one trial")
	}
	if caution := s.family.Caution(); caution != "" && s.Scale != "link" && !s.asked() {
		say("%s", caution)
	}
	if record.Response.Expression != record.Response.Column && record.Response.Trials == "" {
		say("the response is %s", record.Response.Expression)
	}
	var held []string
	for _, h := range s.held {
		held = append(held, h.column+" = "+short(h.values[0]))
	}
	if held != nil {
		say("held at %s", strings.Join(held, ", "))
	}
}

// compute finds the means of all cells.
func (s *setting) compute(ctx context.Context) ([]estimate, error) {
	cells := product(s.axes)
	if s.Average {
		return s.averages(ctx, cells)
	}
	names := slices.Clone(s.inputs)
	values := make([][]any, len(cells)) // by cell, in the order of names
	for i, cell := range cells {
		values[i] = make([]any, len(names))
		for k, a := range s.axes {
			values[i][slices.Index(names, a.column)] = cell[k]
		}
		for _, h := range s.held {
			values[i][slices.Index(names, h.column)] = h.values[0]
		}
	}
	if len(names) == 0 { // an intercept alone
		return nil, s.wrong("the model has no variables", "")
	}
	table := transform.TableOf(names, len(cells), func(column, row int) any { return values[row][column] })
	defer table.Release()
	design, err := s.record.Code(table, transform.Coding{Dataset: s.dataset, Missing: "error", Room: s.rows.room,
		Locate: func(row int64) string { return s.cellName(cells[row]) }})
	if err != nil {
		return nil, err
	}
	each := make([]int32, len(cells))
	for i := range each {
		each[i] = int32(i)
	}
	s.rows.fit.Cells = nil // there are none in rows that are made
	draws, err := s.rows.fit.Averages(ctx, s.rows.designs(design), each, slices.Repeat([]float64{1}, len(each)), len(each),
		s.Scale)
	var out []estimate
	for i, of := range s.byClass(draws) {
		for k, class := range s.classes() {
			out = append(out, estimate{class: class, at: cells[i], draws: of[k]})
		}
	}
	return out, err
}

func (s *setting) cellName(cell []any) string {
	var parts []string
	for k, a := range s.axes {
		parts = append(parts, a.column+" = "+label(cell[k]))
	}
	return strings.Join(parts, ", ")
}

// averages sets all rows of the data to each cell in turn.
func (s *setting) averages(ctx context.Context, cells [][]any) (out []estimate, err error) {
	var names []string
	for _, a := range slices.Concat(s.axes, s.held) {
		names = append(names, a.column)
	}
	groups := product(s.by)
	for _, cell := range cells {
		values := slices.Clone(cell)
		for _, h := range s.held {
			values = append(values, h.values[0])
		}
		draws, err := s.average(ctx, names, values, len(groups))
		if err != nil {
			return nil, err
		}
		for g, by := range groups {
			for k, class := range s.classes() {
				if draws[g] != nil {
					out = append(out, estimate{class: class, at: cell, by: by, draws: draws[g][k]})
				}
			}
		}
	}
	return out, nil
}

// classes lists the classes that a mean is computed of, one without a name for a response that has one mean; on the
// scale of the link, those that have a linear predictor.
func (s *setting) classes() []string {
	r := &s.rows.fit.Description.Responses[0]
	switch {
	case r.Classes == nil || s.asked():
		return []string{""}
	case s.Scale == "link":
		return r.Classes[1:]
	}
	return r.Classes
}

// asked reports whether the scale is a quantity, or a parameter, which has no classes.
func (s *setting) asked() bool { return s.Scale != "" && s.Scale != "response" && s.Scale != "link" }

// byClass cuts what Averages returns into those of each cell.
func (s *setting) byClass(draws [][]float64) (out [][][]float64) {
	for each := range slices.Chunk(draws, len(s.classes())) {
		out = append(out, each)
	}
	return out
}

// average sets columns of all rows to values, and averages them by group and class; a group without rows is nil.
func (s *setting) average(ctx context.Context, names []string, values []any, groups int) ([][][]float64, error) {
	design, err := s.set(names, values)
	if err != nil {
		return nil, err
	}
	of, weights := make([]int32, design.Rows), make([]float64, design.Rows)
	there := make([]bool, groups)
	for i, row := range design.TableRows() {
		weights[i] = s.rows.weights[row]
		if s.groups != nil {
			of[i] = s.groups[row]
		}
		if weights[i] == 0 {
			of[i] = -1
			continue
		}
		there[of[i]] = true
	}
	all, err := s.rows.fit.Averages(ctx, s.rows.designs(design), of, weights, groups, s.Scale)
	draws := s.byClass(all)
	for g := range draws {
		if !there[g] {
			draws[g] = nil
		}
	}
	return draws, err
}

// set codes all rows with columns set to values. Missing cells of other columns are those of each draw.
func (s *setting) set(names []string, values []any) (*transform.Design, error) {
	coding := transform.Coding{Dataset: s.dataset, Locate: s.rows.table.Locate, Room: s.rows.room}
	if s.rows.drawn == nil {
		table := transform.Replace(s.rows.table.Data, names, values)
		defer table.Release()
		return s.record.Code(table, coding)
	}
	design, cells, err := s.rows.drawn.Code(s.record, s.rows.fit.Description, names, values, coding)
	if err == nil {
		s.rows.fit.Cells = cells
	}
	return design, err
}

// kind says what a row of the result is.
func (s *setting) kind() string {
	switch {
	case s.Contrast == "":
		return "prediction"
	case s.As == "":
		return "difference"
	}
	return s.As
}

// result is one row: a cell, or two that are compared.
type result struct {
	estimate
	level     string // of the first axis: its value, or what is compared
	summary   predictive.Summary
	direction float64 // the share of draws on the side where most are; NaN of predictions
}

// results summarises cells, or compares those that differ in the first axis alone.
func (s *setting) results(found []estimate) (out []result) {
	if s.Contrast == "" {
		for _, e := range found {
			r := result{estimate: e, summary: predictive.Summarize(e.draws), direction: math.NaN()}
			if len(e.at) > 0 {
				r.level = short(e.at[0])
			}
			out = append(out, r)
		}
		return out
	}
	inner := len(found) / len(s.axes[0].values) // cells of each value of the first axis
	for i := range s.axes[0].values {
		for j := i + 1; j < len(s.axes[0].values); j++ {
			if s.Contrast == "reference" && i > 0 {
				continue
			}
			for k := range inner {
				out = append(out, s.compare(found[i*inner+k], found[j*inner+k]))
			}
		}
	}
	return out
}

// compare sets the second cell against the first.
func (s *setting) compare(a, b estimate) result {
	same, sign, with := 0.0, " - ", func(x, y float64) float64 { return y - x }
	switch s.As {
	case "ratio":
		same, sign, with = 1, " / ", func(x, y float64) float64 { return y / x }
	case "odds_ratio":
		same, sign, with = 1, " / ", func(x, y float64) float64 { return y / (1 - y) / (x / (1 - x)) }
	}
	r := result{estimate: estimate{class: b.class, at: b.at, by: b.by, draws: make([]float64, len(a.draws))}}
	above, below := 0, 0
	for i, x := range a.draws {
		v := with(x, b.draws[i])
		r.draws[i] = v
		if v > same {
			above++
		} else if v < same {
			below++
		}
	}
	r.direction = float64(max(above, below)) / float64(len(r.draws))
	r.summary = predictive.Summarize(r.draws)
	r.level = short(b.at[0]) + sign + short(a.at[0])
	x, isNumber := a.at[0].(float64)
	y, _ := b.at[0].(float64)
	if shift, moved := b.at[0].(transform.Shift); moved || isNumber && s.stepped() {
		if !moved {
			shift = transform.Shift(y - x)
		}
		r.level = label(shift)
	}
	return r
}

// stepped reports whether the first axis is a mean and one step from it.
func (s *setting) stepped() bool {
	a := &s.axes[0]
	return len(a.values) == 2 && a.values[0] == any(s.contents[a.column].Mean)
}

// columns are those of a table of results: what is compared, the variables, and the summaries.
func (s *setting) columns() (out []report.Column) {
	others := s.axes
	if s.Contrast != "" {
		out = append(out, report.Column{Name: "contrast", Type: "VARCHAR"})
		others = s.axes[1:]
	}
	for _, a := range slices.Concat(others, s.by) {
		column := report.Column{Name: a.column, Type: "VARCHAR"}
		if a.numeric() {
			column.Type = "DOUBLE"
		}
		out = append(out, column)
	}
	if r := &s.rows.fit.Description.Responses[0]; r.Classes != nil && !s.asked() {
		out = append(out, report.Column{Name: r.Column, Type: "VARCHAR"})
	}
	for _, name := range []string{"mean", "sd", "q025", "median", "q975"} {
		out = append(out, report.Column{Name: name, Type: "DOUBLE"})
	}
	if s.Contrast != "" {
		out = append(out, report.Column{Name: "p_direction", Type: "DOUBLE"})
	}
	seen := map[string]bool{}
	for i := range out { // a variable may be called mean; the engine ignores case
		for seen[strings.ToLower(out[i].Name)] {
			out[i].Name += "_"
		}
		seen[strings.ToLower(out[i].Name)] = true
	}
	return out
}

// write writes the results as a table.
func (s *setting) write(ctx context.Context, w io.Writer, o report.QueryOptions, found []estimate) error {
	return report.WriteRows(ctx, w, o, s.columns(), func(add func(...any) error) error {
		for _, r := range s.results(found) {
			var row []any
			at := r.at
			if s.Contrast != "" {
				row, at = append(row, r.level), at[1:]
			}
			for _, v := range slices.Concat(at, r.by) {
				if _, isNumber := v.(float64); !isNumber {
					v = label(v)
				}
				row = append(row, v)
			}
			if r.class != "" {
				row = append(row, r.class)
			}
			row = append(row, r.summary.Mean, r.summary.SD, r.summary.Q025, r.summary.Median, r.summary.Q975)
			if s.Contrast != "" {
				row = append(row, r.direction)
			}
			if err := add(row...); err != nil {
				return err
			}
		}
		return nil
	})
}
