package run

import (
	"context"
	"fmt"
	"strings"

	"glmbatch/report"
	"glmbatch/report/judge"
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

// choice is what a run looks at: the selector's fits, and of these, unless
// keys is nil, the ones that the ledger names.
type choice struct {
	Selector
	keys []report.Key
}

// choose asks the ledger for the fits in the wanted states.
func (r *runner) choose(ctx context.Context) (choice, error) {
	c := choice{Selector: r.Only}
	if r.Select.empty() {
		return c, nil
	}
	grades, err := map[report.Key]judge.Grade(nil), error(nil)
	if r.Select.lastRun {
		grades, err = r.ledger.file.LastRun(ctx, r.Pipeline.Name)
	} else {
		grades, err = r.ledger.file.States(ctx)
	}
	c.keys = []report.Key{}
	for k, g := range grades {
		if r.Select.grades[g] {
			c.keys = append(c.keys, k) // their order decides nothing
		}
	}
	return c, err
}

// names reports whether the keys have one that ok accepts.
func (c choice) names(ok func(report.Key) bool) bool {
	if c.keys == nil {
		return true
	}
	for _, k := range c.keys {
		if ok(k) {
			return true
		}
	}
	return false
}

func (c choice) dataset(name string, divided bool) bool {
	return c.Selector.dataset(name, divided) && c.names(func(k report.Key) bool { return k.Dataset == name })
}

func (c choice) unit(dataset, key string) bool {
	return c.Selector.unit(dataset, key) && c.names(func(k report.Key) bool { return k.Dataset == dataset && within(key, k.Group) })
}

// model reports whether a model and sampler may be selected on some unit of a
// data set.
func (c choice) model(dataset, model, sampler string) bool {
	return c.Selector.fit(model, sampler) && c.names(func(k report.Key) bool {
		return k.Dataset == dataset && k.Model == model && k.Sampler == sampler
	})
}

func (c choice) fit(dataset, key, model, sampler string) bool {
	return c.Selector.fit(model, sampler) && c.names(func(k report.Key) bool {
		return k.Dataset == dataset && k.Model == model && k.Sampler == sampler && within(key, k.Group)
	})
}

// within reports whether a unit is, or is part of, the one that the ledger
// names: a file that could not be read stands for all of its groups.
func within(key, stored string) bool {
	return stored == "" || key == stored || strings.HasPrefix(key, stored+"/")
}
