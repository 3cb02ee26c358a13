package transform

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/infer/glm"
)

// Average is a call of average(): columns, and the value of each in every row.
type Average struct {
	Names  []string
	Values []any // float64, string or bool
	Text   string
}

// Averaged are the rows of a call of average().
type Averaged struct {
	Data    *glm.Data
	Columns []Column  // of the design, whose coefficients are the first parameters unless Params says others
	Params  []int     // of the components of a mixture; nil of others
	Cells   []int32   // 0 of rows that count, −1 of others
	Weights []float64 // how often a row counts
}

// params are the parameters that the means of rows depend on.
func (a *Averaged) params() []int {
	if a.Params != nil {
		return a.Params
	}
	out := make([]int, len(a.Columns))
	for j := range out {
		out[j] = j
	}
	return out
}

// Averages lists the calls of average() in the expression, each once.
func (d *Derived) Averages() (out []*Average) {
	var visit func(n *node)
	visit = func(n *node) {
		if n.kind == nodeCall && n.text == average {
			if a := averageOf(n); !slices.ContainsFunc(out, func(b *Average) bool { return b.Text == a.Text }) {
				out = append(out, a)
			}
			return
		}
		for _, arg := range n.args {
			visit(arg)
		}
	}
	visit(d.root)
	return out
}

func averageOf(n *node) *Average {
	a := &Average{Names: n.names, Text: n.exact()}
	for _, arg := range n.args {
		a.Values = append(a.Values, arg.constant())
	}
	return a
}

// bindAverage finds the rows of a call of average().
func (q *Quantity) bindAverage(n *node, f *Fitted, known map[string]int) error {
	a := averageOf(n)
	at, found := known[a.Text]
	if !found {
		all, err := f.Record.Population(true).Inputs(false)
		if err == nil {
			err = q.source.knownVariables(n, all)
		}
		if err != nil {
			return err
		}
		if f.Average == nil {
			return q.source.fail(n.pos, "average() is over the rows of the data, and there are none to be had", "")
		}
		rows, err := f.Average(a)
		if err != nil {
			return err
		}
		at = len(q.Averages)
		q.Averages, known[a.Text] = append(q.Averages, rows), at
		if f.Record.Groupings != nil {
			q.Notes = append(q.Notes, n.label()+": where every group-level effect is 0")
		}
	}
	q.mean[n] = at
	return nil
}

// TableRows are the rows of the table, from 0, that the rows of the design are.
func (d *Design) TableRows() []int {
	out := make([]int, 0, d.Rows)
	for row := 0; len(out) < d.Rows; row++ {
		if d.Kept == nil || d.Kept[row] {
			out = append(out, row)
		}
	}
	return out
}

// RowWeights returns how often each row of a table counts in averages over its rows: the product of its frequency
// and count, which are nil for once each; 0 if the row is left out. Warnings are those of the design.
func (r *Record) RowWeights(table arrow.Table, counts []float64, c Coding) (out []float64, warnings []string,
	err error) {
	design, err := r.Population(true).Code(table, c)
	if err != nil {
		return nil, nil, err
	}
	out = make([]float64, table.NumRows())
	for i, row := range design.TableRows() {
		out[row] = 1
		if design.Data.Frequency != nil {
			out[row] = design.Data.Frequency[i]
		}
		if counts != nil {
			out[row] *= counts[row]
		}
	}
	return out, design.Warnings, nil
}

// AveragedBy is the record of the rows of a call: group-level effects are 0, and offsets too, unless the call gives a
// column of theirs.
func (r *Record) AveragedBy(a *Average) (*Record, error) {
	plain, err := r.Population(false).Inputs(false)
	if err != nil {
		return nil, err
	}
	return r.Population(slices.ContainsFunc(a.Names, func(name string) bool { return !slices.Contains(plain, name) })), nil
}

// Averaged codes the rows of a table with the values of a call instead of their own. Weights are those of
// RowWeights.
func (r *Record) Averaged(table arrow.Table, a *Average, weights []float64, c Coding) (*Averaged, error) {
	among, err := r.AveragedBy(a)
	if err != nil {
		return nil, err
	}
	c.Locate = func(int64) string { return a.Text }
	set := Replace(table, a.Names, a.Values)
	defer set.Release()
	design, err := among.Code(set, c)
	if err != nil {
		return nil, err
	}
	out := &Averaged{Data: design.Data, Columns: among.Columns}
	for _, row := range design.TableRows() {
		cell := int32(0)
		if weights[row] == 0 {
			cell = -1
		}
		out.Cells, out.Weights = append(out.Cells, cell), append(out.Weights, weights[row])
	}
	return out, nil
}
