package run

import (
	"context"
	"fmt"
	"strings"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// States choose fits by the newest verdict that the ledger has of them. The
// zero value chooses all.
type States struct {
	grades  map[judge.Grade]bool
	lastRun bool // verdicts of the pipeline's last run only
}

// ParseStates reads terms such as "state:error"; several are alternatives.
func ParseStates(terms []string) (States, error) {
	s := States{grades: map[judge.Grade]bool{}}
	for _, term := range terms {
		grade, ok := strings.CutPrefix(term, "state:")
		switch g := judge.Grade(grade); {
		case ok && (g == judge.ErrorGrade || g == judge.Fail || g == judge.Warn):
			s.grades[g] = true
		default:
			return s, fmt.Errorf("--select %q: write state:error, state:fail or state:warn", term)
		}
	}
	return s, nil
}

// FailedLast chooses what failed or erred in the last run of the pipeline.
func FailedLast() States {
	return States{grades: map[judge.Grade]bool{judge.ErrorGrade: true, judge.Fail: true}, lastRun: true}
}

func (s States) empty() bool { return len(s.grades) == 0 }

// choose asks the ledger for the fits in the wanted states.
func (r *runner) choose(ctx context.Context, file *report.Ledger) (plan.Choice, error) {
	c := plan.Choice{Selector: r.Only}
	if r.Select.empty() {
		return c, nil
	}
	grades, err := map[record.Key]judge.Grade(nil), error(nil)
	if r.Select.lastRun {
		grades, err = file.LastRun(ctx, r.Pipeline.Name)
	} else {
		grades, err = file.States(ctx)
	}
	c.Keys = []record.Key{}
	for k, g := range grades {
		if r.Select.grades[g] {
			c.Keys = append(c.Keys, k) // their order decides nothing
		}
	}
	return c, err
}
