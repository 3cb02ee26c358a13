package discrete

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/discrete/mrf"
	"glmbatch/discrete/system"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// maker makes a field of data and a model of a spec.
type maker struct {
	*system.Field
	data *Data
	spec *spec.Model
}

// NewField makes the model of data. Errors name the column and the variable.
//
// Cost: O(variables·states + edges).
func NewField(ctx context.Context, d *Data, m *spec.Model) (*system.Field, error) {
	f := &maker{data: d, spec: m, Field: &system.Field{Variables: &d.Variables, ModelName: m.Name, Edges: d.Edges(),
		Interaction: m.Interaction, States: m.ModelStates()}}
	if d.tables != nil {
		f.Interaction = "tables"
	}
	f.label()
	unary, err := f.unary()
	if err != nil {
		return nil, err
	}
	if err := f.observe(unary); err != nil {
		return nil, err
	}
	if err := f.known(); err != nil {
		return nil, err
	}
	if err := f.watch(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := f.join(unary); err != nil {
		return nil, err
	}
	f.Hash, f.Words = f.hash(), f.words()
	return f.Field, nil
}

// label names the states.
func (f *maker) label() {
	f.Labels = make([]string, f.States)
	for a := range f.Labels {
		switch {
		case len(f.spec.Labels) > 0:
			f.Labels[a] = string(f.spec.Labels[a])
		case f.Interaction == "ising":
			f.Labels[a] = strconv.Itoa(2*a - 1)
		default:
			f.Labels[a] = strconv.Itoa(a)
		}
	}
}

// state is the number of a state that is named by label or, where the spec gives
// none, by number.
func (f *maker) state(text string) (int, bool) {
	for a, label := range f.Labels {
		if label == text {
			return a, true
		}
	}
	if len(f.spec.Labels) > 0 {
		return 0, false
	}
	a, err := strconv.Atoi(text)
	return a, err == nil && a >= 0 && a < f.States
}

func (f *maker) statesHint() string {
	return "states are called " + strings.Join(f.Labels[:min(len(f.Labels), 12)], ", ")
}

// unary returns the log potentials of single variables, states of one variable
// after the other.
func (f *maker) unary() ([]float64, error) {
	q := f.States
	out := make([]float64, f.N*q)
	fields := []string(f.spec.Fields)
	if made := f.data.madeFields(q); made != nil && len(fields) == 0 {
		fields = made
		if f.data.column(unaryColumn(q)) != nil || f.data.column(unaryColumn(q-1)) == nil {
			return nil, words.Hint(fmt.Errorf("dataset %q has sequences of other states than the %d of the model", f.Name, q),
				"give both the same number of states")
		}
	}
	for a, name := range fields {
		values, err := f.data.numbers(name, false)
		if err != nil {
			return nil, err
		}
		for i, v := range values {
			out[i*q+a] = v
		}
	}
	if f.spec.Field == "" {
		return out, nil
	}
	add := func(i int, v float64) {
		out[i*q+q-1] += v
		if f.Interaction == "ising" {
			out[i*q] -= v
		}
	}
	if v, err := strconv.ParseFloat(string(f.spec.Field), 64); err == nil && f.data.column(string(f.spec.Field)) == nil {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, words.Hint(fmt.Errorf("model %q: field is %s", f.spec.Name, f.spec.Field),
				"give a finite number, or a column")
		}
		for i := range f.N {
			add(i, v)
		}
		return out, nil
	}
	values, err := f.data.numbers(string(f.spec.Field), false)
	if err != nil {
		return nil, err
	}
	for i, v := range values {
		add(i, v)
	}
	return out, nil
}

// observe adds the log densities of observations to the potentials, up to what all
// states of a variable have in common.
func (f *maker) observe(unary []float64) error {
	name, noise := f.spec.Observation, f.spec.Noise
	if name == "" {
		name = observationColumn
	}
	if noise.SD == 0 {
		if c := f.data.column(name); c != nil && c.numbers != nil {
			f.Observation = c.numbers // for pictures of it
			return c.bad
		}
		return nil
	}
	values, err := f.data.numbers(name, true)
	if err != nil {
		return fmt.Errorf("model %q has noise, and so observations: %w", f.spec.Name, err)
	}
	f.Observation = values
	q := f.States
	precision := 1 / (noise.SD * noise.SD)
	for i, y := range values {
		if math.IsNaN(y) {
			continue // a variable without observation
		}
		for a := range q {
			mu := f.mean(a)
			// −(y − μ)²/2σ² without the common −y²/2σ²
			unary[i*q+a] += float64(mu * math.FMA(-0.5, mu, y) * precision)
		}
	}
	return nil
}

// mean is that of an observation of a state.
func (f *maker) mean(a int) float64 {
	if m := f.spec.Noise.Means; len(m) > 0 {
		return m[a]
	}
	return math.FMA(2, float64(a)/float64(f.States-1), -1)
}

// known finds the true states.
func (f *maker) known() error {
	if c := f.data.column(shadeColumn); c != nil && f.spec.Truth == "" {
		f.Truth = make([]int16, f.N)
		for i, v := range c.numbers {
			f.Truth[i] = int16(math.Round(v * float64(f.States-1)))
		}
		return nil
	}
	name := f.spec.Truth
	if name == "" {
		if name = truthColumn; f.data.column(name) == nil {
			return nil
		}
	}
	c, err := f.data.needed(name)
	if err != nil {
		return err
	}
	f.Truth = make([]int16, f.N)
	for i := range f.Truth {
		text := c.text(i)
		a, ok := f.state(text)
		switch {
		case text == "":
			a = -1
		case !ok:
			return f.data.fault(name, i, fmt.Errorf("%q is no state of the model", text), f.statesHint())
		}
		f.Truth[i] = int16(a)
	}
	return nil
}

// maxWatched bounds the variables whose states are kept.
const maxWatched = 1000

// watch finds the variables whose states are kept.
func (f *maker) watch() error {
	if len(f.spec.Watch) == 1 && f.spec.Watch[0] == "*" {
		if f.N > maxWatched {
			return words.Hint(fmt.Errorf("model %q: watch '*' would keep the states of %d variables", f.spec.Name, f.N),
				fmt.Sprintf("name at most %d; the marginals of all are kept in any case", maxWatched))
		}
		for i := range f.N {
			f.Watched = append(f.Watched, i)
		}
		return nil
	}
	if len(f.spec.Watch) > maxWatched {
		return words.Hint(fmt.Errorf("model %q: watch names %d variables", f.spec.Name, len(f.spec.Watch)),
			fmt.Sprintf("name at most %d; the marginals of all are kept in any case", maxWatched))
	}
	seen := map[int]bool{}
	for _, id := range f.spec.Watch {
		i, ok := f.Variable(id)
		switch {
		case !ok:
			return words.Hint(fmt.Errorf("model %q, dataset %q: watch names %q, which is no variable", f.spec.Name, f.Name, id),
				f.IDsHint(id))
		case seen[i]:
			return words.Hint(fmt.Errorf("model %q: watch names %q twice", f.spec.Name, id), "remove one of the two")
		}
		seen[i] = true
		f.Watched = append(f.Watched, i)
	}
	return nil
}

// join makes the model.
func (f *maker) join(unary []float64) (err error) {
	if len(f.data.terms) > 0 && f.Interaction != "ising" {
		return words.Hint(fmt.Errorf("dataset %q has terms of several variables, but model %q is not ising", f.Name,
			f.spec.Name), "write interaction: ising, or leave more out")
	}
	if f.Interaction == "ising" {
		field := make([]float64, f.N)
		for i := range field {
			field[i] = 0.5 * (unary[2*i+1] - unary[2*i])
		}
		if len(f.data.terms) > 0 {
			f.Model, err = mrf.NewTerms(field, f.data.products(*f.spec.Coupling))
		} else {
			f.Model, err = mrf.NewBinary(field, f.data.joined(*f.spec.Coupling))
		}
		return f.Explain(err)
	}
	states := make([]int, f.N)
	for i := range states {
		states[i] = f.States
	}
	tables, edges, err := f.pairs()
	if err != nil {
		return err
	}
	f.Model, err = mrf.NewTables(states, unary, tables, edges)
	return f.Explain(err)
}

// pairs are the tables of the model and the edges with their tables: those of the data,
// each times the edge's weight, or Potts tables.
func (f *maker) pairs() (out []mrf.Table, edges []mrf.TableEdge, err error) {
	given := make([]mrf.Table, len(f.data.tables))
	for k := range f.data.tables {
		if given[k], err = f.potentials(&f.data.tables[k]); err != nil {
			return nil, nil, err
		}
	}
	coupling := *f.spec.Coupling
	if f.data.tables == nil {
		given = []mrf.Table{mrf.Potts(f.States, coupling)}
	}
	if f.data.grid() {
		for _, e := range mrf.Grid(f.Rows, f.Columns, 1) {
			edges = append(edges, mrf.TableEdge{I: e.I, J: e.J})
		}
		return given, edges, nil
	}
	type scaled struct {
		table  int32
		weight float64
	}
	numbers := map[scaled]int32{}
	for _, e := range f.data.edges {
		key := scaled{e.table, e.weight}
		k, ok := numbers[key]
		if !ok {
			k = int32(len(out))
			numbers[key] = k
			t := given[e.table]
			t.Log = append([]float64(nil), t.Log...)
			for at := range t.Log {
				t.Log[at] *= e.weight
			}
			out = append(out, t)
		}
		edges = append(edges, mrf.TableEdge{I: e.i, J: e.j, Table: k})
	}
	if out == nil {
		out = given
	}
	return out, edges, nil
}

// potentials fills a table of the data.
func (f *maker) potentials(t *table) (mrf.Table, error) {
	q := f.States
	out := mrf.Table{Rows: q, Cols: q, Log: make([]float64, q*q)}
	seen := make([]string, q*q)
	for _, e := range t.entries {
		a, okA := f.state(e.a)
		b, okB := f.state(e.b)
		wrong, column := e.a, "a"
		if okA {
			wrong, column = e.b, "b"
		}
		at := a*q + b
		switch {
		case !okA || !okB:
			return out, &ingest.ColumnError{
				Dataset: f.Name, Column: column, At: e.at,
				Err: words.Hint(fmt.Errorf("%q is no state of the model", wrong), f.statesHint()),
			}
		case seen[at] != "":
			return out, &ingest.ColumnError{
				Dataset: f.Name, Column: "value", At: e.at,
				Err: words.Hint(errors.New("this pair of states has a log potential already, in "+seen[at]),
					"remove one of the rows"),
			}
		}
		out.Log[at], seen[at] = e.value, e.at
		if seen[at] == "" {
			seen[at] = "the data"
		}
	}
	return out, nil
}

// words are the model in a line.
func (f *maker) words() string {
	var out []string
	switch {
	case f.Rows > 0:
		out = append(out, fmt.Sprintf("%d × %d grid", f.Rows, f.Columns))
	default:
		out = append(out, fmt.Sprintf("%d variables, %d edges", f.N, f.Edges))
	}
	if len(f.data.terms) > 0 {
		out = append(out, fmt.Sprintf("%d terms of three or more", len(f.data.terms)))
	}
	if f.States > 2 {
		out = append(out, fmt.Sprintf("%d states", f.States))
	}
	if f.data.tables == nil {
		coupling := "coupling " + strconv.FormatFloat(*f.spec.Coupling, 'g', -1, 64)
		if f.data.weights && len(f.data.edges) > 0 {
			by := func(a, b edge) int { return cmp.Compare(a.weight, b.weight) }
			coupling += fmt.Sprintf(" times weights of edges from %.3g to %.3g", slices.MinFunc(f.data.edges, by).weight,
				slices.MaxFunc(f.data.edges, by).weight)
		}
		out = append(out, coupling)
	}
	if sd := f.spec.Noise.SD; sd > 0 {
		out = append(out, "noise sd "+strconv.FormatFloat(sd, 'g', -1, 64))
	}
	return strings.Join(out, ", ")
}
