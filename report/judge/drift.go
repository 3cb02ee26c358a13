package judge

import "strconv"

// A driftGate is one limit on a fit's distance from its predecessor.
type driftGate struct {
	name   string // its column of the view drift_summary
	limits Limits
	value  string // what is measured, in words
	unit   string // of the value, in words; may be empty
}

func (d DriftGates) list() []driftGate {
	return []driftGate{
		{"shift", d.Shift, "drift: the posterior mean of", "sds"},
		{"sd_ratio", d.SDRatio, "drift: the posterior sd of", "times"},
		{"rows", d.Rows, "drift: the number of rows", "of itself"},
		{"columns", d.Columns, "drift: the columns of the design", "of them"},
		{"missing", d.Missing, "drift: the share of rows left out", ""},
		{"response_shift", d.ResponseShift, "drift: the mean response", "sds"},
		{"centre_shift", d.CentreShift, "drift: the mean of column", "sds"},
		{"scale_ratio", d.ScaleRatio, "drift: the sd of column", "times"},
	}
}

// Measure is one number of the view drift_summary about a fit.
type Measure struct {
	Name  string  // of the gate
	Value float64 // NaN: it cannot be computed
	Where string  // the parameter or column concerned; empty if there is none
}

// judgeDrift holds measures against gates. What cannot be computed breaks none:
// a first night has no predecessor, an intercept's column no spread.
func (d DriftGates) judgeDrift(measures []Measure) (fails, warns []string) {
	for _, gate := range d.list() {
		for _, m := range measures {
			if m.Name != gate.name {
				continue
			}
			switch {
			case gate.limits.Fail.On && m.Value > gate.limits.Fail.At:
				fails = append(fails, gate.words(m, gate.limits.Fail.At))
			case gate.limits.Warn.On && m.Value > gate.limits.Warn.At:
				warns = append(warns, gate.words(m, gate.limits.Warn.At))
			}
		}
	}
	return fails, warns
}

func (g driftGate) words(m Measure, limit float64) string {
	what := g.value
	if m.Where != "" {
		what += " " + strconv.Quote(m.Where)
	}
	unit := ""
	if g.unit != "" {
		unit = " " + g.unit
	}
	return what + " changed by " + apart(m.Value, limit) + unit + ", more than " + short(limit, 4)
}

// Drifted returns the verdict with what gates of drift add to it.
func (v Verdict) Drifted(d DriftGates, measures []Measure) Verdict {
	fails, warns := d.judgeDrift(measures)
	switch {
	case len(fails) > 0:
		v.Grade = Fail
	case len(warns) > 0 && v.Grade == Pass:
		v.Grade = Warn
	}
	v.Reasons = append(append(fails, v.Reasons...), warns...)
	return v
}
