package judge

import (
	"encoding/json"
	"math"
	"strconv"
)

// Gates are the limits that a fit must keep. The zero value has none: every
// gate is off. Defaults are those of a spec that names none.
//
// Gates are compared with ==: only a changed limit recomputes a stored fit's verdict.
type Gates struct {
	RHat Limits // of R-hat, ceilings
	// ESSBulk and ESSTail are of effective sample sizes over all chains, floors.
	ESSBulk, ESSTail Limits
	// Divergences are of the number of divergent transitions after warm-up,
	// ceilings; fractions are rounded down.
	Divergences Limits
	// Drift bounds how far a fit may lie from its predecessor.
	Drift DriftGates
	// PriorSensitivity is of what the power of the prior moves each marginal posterior, ceilings.
	PriorSensitivity Limits `json:"PriorSensitivity,omitzero"`
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

// Limits are two steps of one gate: beyond Fail a fit fails, beyond Warn, the
// stricter one, it is graded Warn.
type Limits struct {
	Warn Limit `json:"warn,omitzero"`
	Fail Limit `json:"fail,omitzero"`
}

// Strict returns the stricter of the two limits: Warn where it is on, else Fail.
func (l Limits) Strict() Limit {
	if l.Warn.On {
		return l.Warn
	}
	return l.Fail
}

// Limit is a number, or no limit: its zero value. At is 0 if On is false.
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

// Defaults are the gates of a spec that names none.
func Defaults() Gates {
	fail := func(x float64) Limits { return Limits{Fail: At(x)} }
	warn := func(x float64) Limits { return Limits{Warn: At(x)} }
	return Gates{RHat: fail(1.01), ESSBulk: fail(400), ESSTail: fail(400), Divergences: fail(0),
		Drift: DriftGates{Rows: warn(0.5), Columns: warn(0), Missing: warn(0.1)}}
}

// Strict returns the gates that a growing run aims at: every limit that warns
// fails. Divergences and drift, which more draws do not remove, do not count.
func (g Gates) Strict() Gates {
	strict := func(l Limits) Limits { return Limits{Fail: l.Strict()} }
	return Gates{RHat: strict(g.RHat), ESSBulk: strict(g.ESSBulk), ESSTail: strict(g.ESSTail)}
}

// Diverged reports whether so many divergences break the limit that fails. More draws only add to them.
func (g Gates) Diverged(divergences int) bool {
	limit := g.Divergences.Fail
	return limit.On && divergences > int(math.Floor(limit.At))
}

// storedGates is the JSON of Gates, as in the ledger: the limits that fail have their names, −1 if they are off;
// those that warn and those of drift are left out if they are off.
type storedGates struct {
	RHat        *float64   `json:"rhat"`
	ESSBulk     *float64   `json:"ess_bulk"`
	ESSTail     *float64   `json:"ess_tail"`
	Divergences *float64   `json:"divergences"`
	Warn        warnings   `json:"warn,omitzero"`
	Drift       DriftGates `json:"drift,omitzero"`
}

type warnings struct {
	RHat        Limit `json:"rhat,omitzero"`
	ESSBulk     Limit `json:"ess_bulk,omitzero"`
	ESSTail     Limit `json:"ess_tail,omitzero"`
	Divergences Limit `json:"divergences,omitzero"`
}

// MarshalJSON writes the limits that fail as numbers, −1 where they are off.
func (g Gates) MarshalJSON() ([]byte, error) {
	number := func(l Limits) *float64 {
		x := -1.0
		if l.Fail.On {
			x = l.Fail.At
		}
		return &x
	}
	return json.Marshal(storedGates{
		RHat: number(g.RHat), ESSBulk: number(g.ESSBulk), ESSTail: number(g.ESSTail), Divergences: number(g.Divergences),
		Warn:  warnings{RHat: g.RHat.Warn, ESSBulk: g.ESSBulk.Warn, ESSTail: g.ESSTail.Warn, Divergences: g.Divergences.Warn},
		Drift: g.Drift,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote. A limit that is not there is off.
func (g *Gates) UnmarshalJSON(data []byte) error {
	var s storedGates
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	limits := func(fail *float64, warn Limit) Limits {
		if fail == nil || *fail < 0 {
			return Limits{Warn: warn}
		}
		return Limits{Warn: warn, Fail: At(*fail)}
	}
	*g = Gates{
		RHat: limits(s.RHat, s.Warn.RHat), ESSBulk: limits(s.ESSBulk, s.Warn.ESSBulk),
		ESSTail:     limits(s.ESSTail, s.Warn.ESSTail),
		Divergences: limits(s.Divergences, s.Warn.Divergences), Drift: s.Drift,
	}
	return nil
}

// A driftGate is one limit on a fit's distance from its predecessor.
type driftGate struct {
	name   string // its column of the view drift_summary
	limits Limits
	value  string // description of the measure
	unit   string // of the value; may be empty
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

// judgeDrift holds measures against gates. A measure that cannot be computed breaks none: a first run has no
// predecessor, an intercept's column no spread.
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
