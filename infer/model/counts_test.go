package model_test

import (
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/model"
)

// counted reports whether rows have counts of classes.
func (s study) counted() bool { return s.classes > 0 && s.trials > 0 }

// takeClasses names the classes, and makes the family of counts and room for these.
func (s study) takeClasses(p *model.Problem) {
	for k := range s.classes {
		if p.Classes = append(p.Classes, string(rune('a'+k))); s.counted() {
			p.Family = family.Named("multinomial").Family()
			p.Counts = append(p.Counts, make([]float64, s.rows))
		}
	}
}

// drawCounts draws the counts of a row at its predictors.
func (s study) drawCounts(p *model.Problem, rng *infer.Stream, row int, eta []float64) {
	counts := make([]float64, s.classes)
	p.Family.Likelihood().DrawCounts(rng, eta, s.trials, counts)
	for k, v := range counts {
		p.Counts[k][row] = v
	}
	p.Y[row] = counts[0]
}

// Numbers that are no counts, and counts that do not add up to the trials, are refused.
func TestCountsAreChecked(t *testing.T) {
	for want, change := range map[string]func(p *model.Problem){
		"count, row 3: -1":   func(p *model.Problem) { p.Counts[1][2] = -1 },
		"count, row 3: 0.5":  func(p *model.Problem) { p.Counts[1][2] = 0.5 },
		"trials, row 3: 9":   func(p *model.Problem) { p.Trials[2] = 9 },
		"counts of 2 classe": func(p *model.Problem) { p.Counts = p.Counts[:2] },
	} {
		_, p := one(t, "multinomial")
		change(p)
		if _, err := model.New(p, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
