package plan

import (
	"fmt"

	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// average holds the rows of a call of average() in a derived quantity, or the reason why there are none.
type average struct {
	rows *transform.Averaged
	err  error
}

// averages are those of a model's calls, by their text.
type averages map[string]average

// averagesOf lists the calls of average() in what a model derives.
func averagesOf(m *spec.Model) (out []*transform.Average) {
	for _, d := range m.Derive {
		out = append(out, d.Expression.Averages()...)
	}
	return out
}

// average codes the rows that derived quantities of a model average over, while its table is in memory.
func (u *Unit) average(d *design, m *spec.Model) {
	calls := averagesOf(m)
	if len(calls) == 0 || d.table == nil || d.Factored {
		return
	}
	table, coding := d.table, transform.Coding{Dataset: u.Name(), Locate: d.table.Locate, Room: u.memory.Reserve(u.chains)}
	responding := coding
	responding.Response = true
	weights, _, err := d.Record.RowWeights(table.Data, table.Counts(), responding)
	d.averages = averages{}
	for _, a := range calls {
		at := average{err: err}
		if err == nil {
			at.rows, at.err = d.Record.Averaged(table.Data, a, weights, coding)
		}
		d.averages[a.Text] = at
	}
}

// of implements Fitted.Average.
func (all averages) of(a *transform.Average) (*transform.Averaged, error) {
	at, found := all[a.Text]
	if !found {
		return nil, fmt.Errorf("%s is over the rows of the data, and rows: factored keeps none", a.Text)
	}
	return at.rows, at.err
}
