package judge

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer/diag"
)

// Whatever Judge says that no warning said, there is advice for it.
func TestEveryReasonHasAdvice(t *testing.T) {
	bad := diag.Summary{RHat: 2, ESSBulk: 3, ESSTail: 3, Mean: 1}
	unknown := diag.Summary{RHat: math.NaN(), ESSBulk: math.NaN(), ESSTail: math.NaN(), Reason: "all draws are equal"}
	gates := Defaults()
	var measures []Measure
	d := &gates.Drift
	for _, limits := range []*Limits{&d.Shift, &d.SDRatio, &d.Rows, &d.Columns, &d.Missing, &d.ResponseShift,
		&d.CentreShift, &d.ScaleRatio} {
		limits.Fail = At(1)
	}
	for _, g := range gates.Drift.list() {
		measures = append(measures, Measure{Name: g.name, Value: 5, Where: "x"})
	}
	reasons := Judge(gates, Evidence{
		Names: []string{"a", "b"}, Summaries: []diag.Summary{bad, unknown}, Statistics: []Statistic{{"log_lik", bad}},
		Divergences: 3, Drift: measures,
	}).Reasons
	reasons = append(reasons, Judge(Gates{}, Evidence{}).Reasons...)
	if len(reasons) < 15 {
		t.Fatalf("only %d reasons: %q", len(reasons), reasons)
	}
	for _, r := range reasons {
		if len(Advice([]string{r}, false)) != 1 {
			t.Errorf("no advice for %q", r)
		}
	}
	if got := Advice([]string{"12 rows dropped", "column \"member\" has one value"}, false); len(got) != 0 {
		t.Errorf("warnings get advice on gates: %q", got)
	}
	if got := Advice(reasons, false); len(got) != 8 {
		t.Errorf("%d pieces of advice, want each once: %q", len(got), got)
	}
	for _, a := range Advice(reasons, true) {
		if strings.Contains(a, "auto") {
			t.Errorf("a fit of auto is advised to take auto: %s", a)
		}
	}
	if all := strings.Join(Advice(reasons, false), "\n"); strings.Count(all, "let method: auto choose") != 2 {
		t.Errorf("auto is no advice any more:\n%s", all)
	}
}

// Reasons that say the same with other numbers and names have one headline.
func TestHeadline(t *testing.T) {
	for reason, want := range map[string]string{
		"R-hat 1.25 at glu exceeds 1.01 (1 of 5 parameters)": "R-hat beyond its gate",
		"3 divergent transitions exceed 0":                   "divergent transitions",
		"predictive check: the standard deviation of the response, 13.2, is above that of all 600 sets of replicated " +
			"data (95 % of them: 7.8 to 11.9)": "misfit: spread",
		"predictive check: the maximum of the response, 5, is above":      "misfit: extremes",
		"predictive check: the mean of the response, 5, is above":         "misfit: mean",
		"predictive check by county: the mean of the response is outside": "misfit: levels",
		"predictive check over age: the mean of the response is outside":  "misfit: along a number",
		"predictive check: the statistic top of the response, 5, is":      "misfit: a statistic of the spec",
		`predictive checks: the data have no column "a"`:                  "a column cannot be checked",
		"12 rows dropped":                                "… rows dropped",
		`column "member" has 3.5e-7 of it`:               "column … has … of it",
		"dataset \"a\", /tmp/x1y/none.csv: no such file": "no such file",
		`dataset "a: b", column "y", row 4 (line 5 of d.csv): "abc" is not a number`: "… is not a number",
		"line one\nhint: two": "line one",
	} {
		if got := Headline(reason); got != want {
			t.Errorf("%q has the headline %q, want %q", reason, got, want)
		}
	}
}

// The cause of an error is what follows its place in the data, with the words of the data.
func TestCause(t *testing.T) {
	for reason, want := range map[string]string{
		`dataset "a: b", column "y", row 4 (line 5 of d.csv): "abc" is not a number` + "\nhint: mend it": `"abc" is not a number`,
		`dataset "d", d.csv: no such file or directory`:                                                  "no such file or directory",
		"R-hat 1.25 at glu exceeds 1.01":                                                                 "",
		`dataset "d" has no rows`:                                                                        "",
	} {
		if got := Cause(reason); got != want {
			t.Errorf("%q has the cause %q, want %q", reason, got, want)
		}
	}
}
