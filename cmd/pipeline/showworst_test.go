package main

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines"
	"glmbatch/report/judge"
)

// Cells that never moved, and those of which many draws are equal, are no breach of a fit with missing cells: gates pass
// over the first and judge the second by their bulk. In other fits what cannot be computed is the worst.
func TestWorstOfCells(t *testing.T) {
	none := math.NaN()
	lines := func(kind infer.ParameterKind) []pipelines.Line {
		return []pipelines.Line{
			{Name: "x", Kind: infer.Coefficient, Summary: diag.Summary{SD: 1, RHat: 1.02, ESSBulk: 500, ESSTail: 500}},
			{Name: "y", Kind: infer.Coefficient, Summary: diag.Summary{SD: 1, RHat: 1, ESSBulk: 500, ESSTail: 500}},
			{Name: "still", Kind: kind, Summary: diag.Summary{RHat: none, ESSBulk: none, ESSTail: none}},
			{Name: "equal", Kind: kind, Summary: diag.Summary{SD: 1, RHat: 1.001, ESSBulk: 900, ESSTail: none}},
			{Name: "log_prior", Kind: "statistic", Summary: diag.Summary{SD: 1, RHat: 1.012, ESSBulk: 500, ESSTail: 500}},
			{Name: "few", Kind: kind, Summary: diag.Summary{SD: 1, RHat: 1.001, ESSBulk: 450, ESSTail: none}},
		}
	}
	f := &pipelines.Look{}
	gates := judge.Defaults()
	gates.ESSTail.Fail.At = 600
	f.Gates = &gates
	for kind, want := range map[infer.ParameterKind]string{
		infer.Imputed: "x few y 3 of 5 quantities beyond a gate", infer.Inclusion: "x few y 3 of 5 quantities beyond a gate",
		infer.Coefficient: "still equal few x y 5 of 5 quantities beyond a gate"} {
		var b strings.Builder
		printWorst(&screen{Writer: &b, width: 200}, f, lines(kind))
		var got []string
		for _, line := range strings.Split(b.String(), "\n")[1:] {
			if words := strings.Fields(line); len(words) == 4 {
				got = append(got, words[0])
			}
		}
		_, told, _ := strings.Cut(b.String(), "; ")
		if got := strings.Join(append(got, strings.TrimSpace(told)), " "); got != want {
			t.Errorf("with kind %s: %s, want %s\n%s", kind, got, want, b.String())
		}
	}
}

// A fit that passes has no quantity beyond a gate: none counts for a gate that is off, nor a derived quantity that is
// the same in every draw.
func TestNothingBeyondGates(t *testing.T) {
	none := math.NaN()
	lines := []pipelines.Line{
		{Name: "x", Kind: infer.Coefficient, Summary: diag.Summary{SD: 1, RHat: 1.5, ESSBulk: 500, ESSTail: 500}},
		{Name: "same", Kind: "derived", Summary: diag.Summary{Mean: 2, RHat: none, ESSBulk: none, ESSTail: none}},
	}
	gates := judge.Defaults()
	for limit, want := range map[judge.Limit]bool{{}: false, {On: true, At: 1.5}: false, {On: true, At: 1.01}: true} {
		gates.RHat.Fail = limit
		f := &pipelines.Look{}
		f.Gates = &gates
		var b strings.Builder
		printWorst(&screen{Writer: &b, width: 200}, f, lines)
		if got := strings.Contains(b.String(), "1 of 2 quantities beyond a gate"); got != want ||
			!want && strings.Contains(b.String(), "beyond") {
			t.Errorf("with the limit %v a quantity is beyond: %v\n%s", limit, got, b.String())
		}
	}
}

// Of many cells those are named that mixed worst. One that never moved is named only where none did.
func TestGroupsOfCells(t *testing.T) {
	none := math.NaN()
	of := func(name string, sd, rhat, bulk float64) pipelines.Line {
		return pipelines.Line{Name: name, Kind: infer.Imputed, Grouping: "gen", Level: name,
			Summary: diag.Summary{SD: sd, RHat: rhat, ESSBulk: bulk, ESSTail: none}}
	}
	first, few, mixed, still := of("first", 0, none, none), of("few", 1, 1.001, 450), of("mixed", 1, 1.002, 900),
		of("still", 0, none, none)
	for want, lines := range map[string][]pipelines.Line{
		"least bulk ESS 450 (few), largest R-hat 1.002 (mixed)":   {first, few, mixed, still},
		"least bulk ESS 900 (mixed), largest R-hat 1.002 (mixed)": {mixed, still},
		"least bulk ESS — (still), largest R-hat — (still)":       {first, still},
	} {
		var b strings.Builder
		printGroups(&screen{Writer: &b, width: 300}, lines, nil)
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s, want %s", b.String(), want)
		}
	}
}
