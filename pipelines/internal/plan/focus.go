package plan

import (
	"fmt"
	"slices"

	"glmbatch/internal/words"
	"glmbatch/transform"
)

// focus names to the sampler the coefficients of the design that its scan is for.
func (m *sampler) focus(f *Fit, coefficients []string) error {
	patterns := f.Sampler.Scan.For
	if m.Gibbs == nil || len(patterns) == 0 {
		return nil
	}
	names, err := focused(patterns, coefficients)
	if err != nil {
		return fmt.Errorf("dataset %q, model %q, sampler %q: %w", f.Unit.Name(), f.Model.Name, f.Sampler.Name, err)
	}
	m.Gibbs.Focus, m.Gibbs.SweepEvery = names, f.Sampler.Scan.SweepEvery
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
			return nil, words.Hint(fmt.Errorf("scan for %q: there is no such coefficient", p),
				transform.UnknownHint(p, "coefficients", coefficients))
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
