package report

import (
	"encoding/json"
	"math"
	"strconv"
)

// Gates are the limits that a fit must keep. The zero value holds the
// defaults; a negative limit switches its gate off.
//
// The limits that stand here by themselves fail a fit; those of Warn only warn.
// Gates are compared with ==: a changed limit, and nothing else, takes a
// stored fit's verdict anew.
type Gates struct {
	// RHat is the largest allowed R-hat. Zero means 1.01.
	RHat float64 `json:"rhat"`
	// ESSBulk and ESSTail are the smallest allowed effective sample sizes over
	// all chains. Zero means 400.
	ESSBulk float64 `json:"ess_bulk"`
	ESSTail float64 `json:"ess_tail"`
	// Divergences is the largest allowed number of divergent transitions after
	// warm-up. Zero means none.
	Divergences int `json:"divergences"`
	// Warn are stricter limits beyond which a fit is graded Warn. The zero value
	// has none.
	Warn Warnings `json:"warn,omitzero"`
	// Drift bounds how far a fit may lie from its predecessor. The zero value
	// bounds nothing.
	Drift DriftGates `json:"drift,omitzero"`
}

// Warnings are the limits of a Warn.
type Warnings struct {
	RHat        Limit `json:"rhat,omitzero"`
	ESSBulk     Limit `json:"ess_bulk,omitzero"`
	ESSTail     Limit `json:"ess_tail,omitzero"`
	Divergences Limit `json:"divergences,omitzero"`
}

// DriftGates bound the columns of the view drift_summary that bear their names.
type DriftGates struct {
	Shift         Limits `json:"shift,omitzero"`          // of a posterior mean, in sds of the fit before
	SDRatio       Limits `json:"sd_ratio,omitzero"`       // of posterior sds, the larger over the smaller
	Rows          Limits `json:"rows,omitzero"`           // relative change of the number of rows
	Columns       Limits `json:"columns,omitzero"`        // design columns that came or went
	Missing       Limits `json:"missing,omitzero"`        // change of the share of rows that were left out
	ResponseShift Limits `json:"response_shift,omitzero"` // of the mean response, in sds of the response before
	CentreShift   Limits `json:"centre_shift,omitzero"`   // of a column's mean, in its sds before
	ScaleRatio    Limits `json:"scale_ratio,omitzero"`    // of a column's sds, the larger over the smaller
}

// Limits are two steps of one ceiling.
type Limits struct {
	Warn Limit `json:"warn,omitzero"`
	Fail Limit `json:"fail,omitzero"`
}

// Limit is a number, or no limit: its zero value.
type Limit struct {
	On bool
	At float64
}

// At makes a limit.
func At(x float64) Limit { return Limit{On: true, At: x} }

// MarshalJSON writes the number; no limit is null.
func (l Limit) MarshalJSON() ([]byte, error) {
	if !l.On {
		return []byte("null"), nil
	}
	return json.Marshal(l.At)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (l *Limit) UnmarshalJSON(data []byte) error {
	var x *float64
	err := json.Unmarshal(data, &x)
	*l = Limit{}
	if x != nil {
		*l = At(*x)
	}
	return err
}

// withDefaults returns g with the zero limits spelled out, the form in which
// gates are stored and compared.
func (g Gates) withDefaults() Gates {
	for _, d := range []struct {
		gate  *float64
		value float64
	}{{&g.RHat, 1.01}, {&g.ESSBulk, 400}, {&g.ESSTail, 400}} {
		if *d.gate == 0 {
			*d.gate = d.value
		}
	}
	return g
}

// Strict returns the gates that a growing run aims at: every limit that warns
// fails, and drift, which more draws do not mend, is no matter.
func (g Gates) Strict() Gates {
	g = g.withDefaults()
	for _, l := range []struct {
		gate *float64
		warn Limit
	}{{&g.RHat, g.Warn.RHat}, {&g.ESSBulk, g.Warn.ESSBulk}, {&g.ESSTail, g.Warn.ESSTail}} {
		if l.warn.On {
			*l.gate = l.warn.At
		}
	}
	if g.Warn.Divergences.On {
		g.Divergences = int(g.Warn.Divergences.At)
	}
	g.Warn, g.Drift = Warnings{}, DriftGates{}
	return g
}

// off tells whether no gate is on.
func (g Gates) off() bool {
	return g.RHat < 0 && g.ESSBulk < 0 && g.ESSTail < 0 && g.Divergences < 0 && g.Warn == Warnings{} && g.Drift == DriftGates{}
}

// warning returns the limits of Warn as gates: those that are not there are off.
func (g Gates) warning() Gates {
	at := func(l Limit) float64 {
		if l.On {
			return l.At
		}
		return -1
	}
	w := g.Warn
	return Gates{RHat: at(w.RHat), ESSBulk: at(w.ESSBulk), ESSTail: at(w.ESSTail), Divergences: int(math.Floor(at(w.Divergences)))}
}

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
