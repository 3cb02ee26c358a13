package judge

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"glmbatch/infer/diag"
	"glmbatch/internal/words"
)

// Grade is a verdict in one word.
type Grade string

// The grades, from good to bad. ErrorGrade belongs to fits that could not be
// computed; Judge never gives it.
const (
	Pass       Grade = "pass"
	Warn       Grade = "warn"
	Fail       Grade = "fail"
	ErrorGrade Grade = "error"
)

// Verdict reports whether a fit can be trusted, and why not.
type Verdict struct {
	Grade   Grade    `json:"verdict,omitempty"`
	Reasons []string `json:"reasons"`
}

// Evidence holds the measures that a verdict depends on.
type Evidence struct {
	Names     []string       // of the parameters
	Summaries []diag.Summary // of the parameters
	// Families are those of the parameters, see Family; nil if no parameter has one.
	Families   []string
	Statistics []Statistic // log_lik and the like, gated as parameters are
	// Derived quantities are gated as parameters are, but that a diagnostic which
	// ties leave undefined (of draws that are all 1, say) is passed over: their
	// parameters speak for them. Draws without a finite value break every gate.
	Derived     []Statistic
	Divergences int // after warm-up
	Warnings    []string
	// Drift holds the distances of the fit from its predecessor; empty if there is none.
	Drift []Measure
	// Sensitivity holds the sensitivity of quantities to prior and likelihood; empty if it was not measured.
	Sensitivity []Sensitivity
}

// Sensitivity is the change of one quantity with the power of the prior, and with that of the likelihood, as
// package powerscale measures it.
type Sensitivity struct {
	Name              string
	Prior, Likelihood float64
}

// sensitive is the sensitivity to the likelihood below which the data hardly inform a quantity.
//
// Source: Kallioinen et al. (2024), doi:10.1007/s11222-023-10366-5.
const sensitive = 0.05

// Diagnosis says what a prior that moves a posterior does: it conflicts with the data where they move it too, else it
// rules what they say little of.
func (s Sensitivity) Diagnosis() string {
	if s.Likelihood >= sensitive {
		return "the prior and the data may disagree"
	}
	return "the prior rules, the data say little"
}

// judgeSensitivity says what a limit on the sensitivity to the prior breaks.
func judgeSensitivity(limit Limit, all []Sensitivity) []string {
	broken, worst := 0, Sensitivity{Prior: math.Inf(-1)}
	for _, s := range all {
		if limit.On && s.Prior > limit.At {
			broken++
			if s.Prior > worst.Prior {
				worst = s
			}
		}
	}
	if broken == 0 {
		return nil
	}
	return []string{fmt.Sprintf("prior sensitivity %s at %s exceeds %s (%d of %d parameters): %s",
		apart(worst.Prior, limit.At), words.Visible(worst.Name), short(limit.At, 4), broken, len(all), worst.Diagnosis())}
}

// Statistic is the summary of a scalar of each draw other than a parameter.
type Statistic struct {
	Name    string // log_lik, log_prior, …
	Summary diag.Summary
}

// Judge holds evidence against gates. The grade is Fail when a gate is broken or cannot be read (a NaN diagnostic,
// no diagnostics at all), else Warn when a limit that warns is, there are warnings, or no gate is on, else Pass.
// Reasons name the worst parameter and the number of parameters; those that fail come before those that warn.
func Judge(g Gates, in Evidence) Verdict {
	var fails []string
	if len(in.Summaries) == 0 {
		fails = append(fails, "there are no diagnostics")
	}
	failing := func(l Limits) Limit { return l.Fail }
	broken := g.broken(&in, failing, nil)
	for _, b := range broken {
		fails = append(fails, b.words...)
	}
	drifts, warns := g.Drift.judgeDrift(in.Drift)
	fails = append(fails, drifts...)
	var lesser []string
	for _, b := range g.broken(&in, func(l Limits) Limit { return l.Warn }, broken) {
		lesser = append(lesser, b.words...)
	}
	warns = append(lesser, warns...)
	if g == (Gates{}) {
		warns = append(warns, "every gate is off")
	}
	warns = append(warns, in.Warnings...)
	switch {
	case len(fails) > 0:
		return Verdict{Fail, append(fails, warns...)}
	case len(warns) > 0:
		return Verdict{Warn, warns}
	}
	return Verdict{Grade: Pass}
}

// Rewarn returns the verdict that Judge would give if warnings replaced those for which old reports true.
func (v Verdict) Rewarn(old func(string) bool, warnings []string) Verdict {
	out := Verdict{v.Grade, slices.DeleteFunc(slices.Clone(v.Reasons), old)}
	out.Reasons = append(out.Reasons, warnings...)
	switch {
	case v.Grade == Pass && len(warnings) > 0:
		out.Grade = Warn
	case v.Grade == Warn && len(out.Reasons) == 0:
		out = Verdict{Grade: Pass}
	}
	return out
}

// breach is the finding of one gate that a fit breaks.
type breach struct {
	gate  string
	words []string
}

// broken lists the gates whose limit of one step evidence breaks, without those already listed.
func (g Gates) broken(in *Evidence, step func(Limits) Limit, told []breach) (out []breach) {
	add := func(name string, words []string) {
		known := slices.ContainsFunc(told, func(b breach) bool { return b.gate == name })
		if len(words) > 0 && !known {
			out = append(out, breach{name, words})
		}
	}
	for _, gate := range []gate{
		{"R-hat", step(g.RHat), false, func(s *diag.Summary) float64 { return s.RHat }},
		{"bulk ESS", step(g.ESSBulk), true, func(s *diag.Summary) float64 { return s.ESSBulk }},
		{"tail ESS", step(g.ESSTail), true, func(s *diag.Summary) float64 { return s.ESSTail }},
	} {
		add(gate.name, gate.judge(in))
	}
	if limit := step(g.Divergences); limit.On && in.Divergences > int(math.Floor(limit.At)) {
		add("divergences", []string{fmt.Sprintf("%d divergent transitions exceed %d", in.Divergences,
			int(math.Floor(limit.At)))})
	}
	add("prior sensitivity", judgeSensitivity(step(g.PriorSensitivity), in.Sensitivity))
	return out
}

// A gate is a limit on one diagnostic of every quantity.
type gate struct {
	name    string
	limit   Limit
	atLeast bool // the limit is a floor, not a ceiling
	value   func(*diag.Summary) float64
}

func (g gate) judge(in *Evidence) []string {
	if !g.limit.On {
		return nil
	}
	var parameters, statistics, derived tally
	families := in.families()
	for i := range in.Summaries {
		to := &parameters
		if f := families.of(in, i); f != nil {
			to = &f.tally
		}
		to.add(g, parameterName(in.Names, i), &in.Summaries[i])
	}
	for i := range in.Statistics {
		statistics.add(g, in.Statistics[i].Name, &in.Statistics[i].Summary)
	}
	for i := range in.Derived {
		s := &in.Derived[i].Summary
		if tied := !math.IsNaN(s.Mean); !tied || !math.IsNaN(g.value(s)) {
			derived.add(g, in.Derived[i].Name, s)
		}
	}
	return slices.Concat(parameters.words(g, "parameters"), families.words(g), statistics.words(g, "statistics"),
		derived.words(g, "derived quantities"))
}

func parameterName(names []string, i int) string {
	if i < len(names) {
		return words.Visible(names[i])
	}
	return "parameter " + strconv.Itoa(i+1)
}

// A tally counts the quantities that break a gate and keeps the worst.
type tally struct {
	total, broken, unknown int
	worst                  float64
	worstName              string
	unknownName, reason    string
}

func (t *tally) add(g gate, name string, s *diag.Summary) {
	v := g.value(s)
	t.total++
	switch {
	case math.IsNaN(v):
		if t.unknown == 0 {
			t.unknownName, t.reason = name, s.Reason
		}
		t.unknown++
	case g.atLeast && v < g.limit.At, !g.atLeast && v > g.limit.At:
		if t.broken == 0 || g.atLeast && v < t.worst || !g.atLeast && v > t.worst {
			t.worst, t.worstName = v, name
		}
		t.broken++
	}
}

func (t *tally) words(g gate, what string) []string {
	var out []string
	if t.broken > 0 {
		side := "exceeds"
		if g.atLeast {
			side = "is below"
		}
		out = append(out, fmt.Sprintf("%s %s at %s %s %s%s",
			g.name, apart(t.worst, g.limit.At), t.worstName, side, short(g.limit.At, 4), t.of(t.broken, what)))
	}
	if t.unknown > 0 {
		reason := t.reason
		if reason == "" {
			reason = "no reason was given"
		}
		out = append(out, fmt.Sprintf("%s of %s cannot be computed: %s%s", g.name, t.unknownName, reason,
			t.of(t.unknown, what)))
	}
	return out
}

// of says how many of how many, unless there is only one.
func (t *tally) of(n int, what string) string {
	if t.total == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d %s)", n, t.total, what)
}

// apart writes v with four digits, or as many more as set it apart from limit.
func apart(v, limit float64) string {
	for digits := 4; digits < 17; digits++ {
		if s := short(v, digits); s != short(limit, digits) {
			return s
		}
	}
	return short(v, 17)
}

// short writes v with digits significant digits, and never as 2e+04.
func short(v float64, digits int) string {
	if math.Abs(v) >= math.Pow10(digits) && !math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
