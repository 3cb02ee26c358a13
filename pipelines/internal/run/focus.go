package run

import (
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
	"glmbatch/report"
	"glmbatch/transform"
)

// focus names to the sampler the coefficients of the design that its scan is for.
func (f *fitting) focus() error {
	patterns := f.sampler.Scan.For
	o, ok := f.method.options.(cggibbs.Options)
	if !ok || len(patterns) == 0 {
		return nil
	}
	names, err := focused(patterns, f.design.Data.Names)
	if err != nil {
		return fmt.Errorf("dataset %q, model %q, sampler %q: %w", f.unit.name(), f.model.Name, f.sampler.Name, err)
	}
	o.Focus, o.SweepEvery = names, f.sampler.Scan.SweepEvery
	f.method.options = o
	f.method.setup = func(t *glm.Target) (infer.Setup, error) { return cggibbs.New(t, o) }
	return nil
}

// focused lists the coefficients that names and globs mean, in the order of the
// design; an error where one means none.
func focused(patterns, coefficients []string) ([]string, error) {
	chosen := make([]bool, len(coefficients))
	for _, p := range patterns {
		found := slices.Contains(coefficients, p)
		for j, name := range coefficients {
			if name == p || !found && words.Match(p, name) {
				chosen[j] = true
			}
		}
		if !found && !slices.ContainsFunc(coefficients, func(name string) bool { return words.Match(p, name) }) {
			return nil, fmt.Errorf("scan for %q: there is no such coefficient\nhint: %s", p, transform.UnknownHint(p, "coefficients", coefficients))
		}
	}
	var out []string
	for j, name := range coefficients {
		if chosen[j] {
			out = append(out, name)
		}
	}
	return out, nil
}

// certified is what the sampler proves of its scan, as the ledger keeps it.
func (f *fitting) certified() []report.Certificate {
	var out []report.Certificate
	for _, c := range f.proved {
		out = append(out, report.Certificate{Method: c.Method, Bounded: c.Bounded, IDs: c.Names, Variables: len(c.Names), Updates: c.Updates, Bound: c.Bound, Note: c.Note})
	}
	return out
}
