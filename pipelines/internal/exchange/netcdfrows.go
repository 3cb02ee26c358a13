package exchange

import (
	"os"

	"glmbatch/internal/netcdf"
	"glmbatch/pipelines/internal/spec"
)

// observed are the groups of observations; none if these are not known.
type observed struct {
	*Observations
	groups           []*netcdf.Group
	logLik, response *netcdf.Variable // over chain, draw and row; logLik is nil of draws of the prior
	y, trials        *netcdf.Variable
}

// observed plans the groups log_likelihood, posterior_predictive (or prior_predictive), observed_data and, of responses
// with trials, constant_data. The response is y in each.
func (d *Draws) observed() *observed {
	o := &observed{Observations: d.Observations}
	if o.Observations == nil {
		return o
	}
	add := func(group, variable string, drawn bool) *netcdf.Variable {
		row := &netcdf.Dimension{Name: "row", Length: len(o.Places), Numbers: o.Places}
		g, over := d.newGroup(group)
		if !drawn {
			g.Dimensions, over = nil, nil
		}
		g.Dimensions = append(g.Dimensions, row)
		v := &netcdf.Variable{Name: variable, Over: append(over, row)}
		g.Variables = []*netcdf.Variable{v}
		o.groups = append(o.groups, g)
		return v
	}
	if spec.MethodNamed(d.Method).Prior {
		o.response = add("prior_predictive", "y", true)
	} else {
		o.logLik, o.response = add("log_likelihood", "y", true), add("posterior_predictive", "y", true)
	}
	o.y = add("observed_data", "y", false)
	if o.Trials != nil {
		o.trials = add("constant_data", "trials", false)
	}
	return o
}

func (o *observed) put(f *os.File) error {
	if o.Observations == nil {
		return nil
	}
	err := o.y.Put(f, 0, o.Y)
	if err == nil && o.trials != nil {
		err = o.trials.Put(f, 0, o.Trials)
	}
	if err != nil {
		return err
	}
	return o.Each(func(first, rows int, logLik, responses []float64) error {
		if o.logLik != nil {
			if err := o.putRows(f, o.logLik, first, rows, logLik); err != nil {
				return err
			}
		}
		return o.putRows(f, o.response, first, rows, responses)
	})
}

// putRows writes some rows at every draw: a write a draw, or of all rows as many draws as a piece holds.
func (o *observed) putRows(f *os.File, v *netcdf.Variable, first, rows int, values []float64) error {
	n, together := len(o.Places), 1
	if rows == n {
		together = max(1, piece/n)
	}
	for from := 0; from < len(values); from += together * rows {
		to := min(from+together*rows, len(values))
		if err := v.Put(f, from/rows*n+first, values[from:to]); err != nil {
			return err
		}
	}
	return nil
}
