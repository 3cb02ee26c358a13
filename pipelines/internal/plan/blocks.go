package plan

import (
	"fmt"
	"slices"
	"strings"

	"glmbatch/internal/words"
	"glmbatch/transform"
)

// block names to the sampler the coefficients of the design that it draws jointly.
func (m *sampler) block(f *Fit, record *transform.Record, coefficients []string) error {
	if m.Gibbs == nil || len(f.Sampler.Blocks) == 0 {
		return nil
	}
	taken := map[string]bool{}
	for _, names := range f.Sampler.Blocks {
		block, err := blockOf(names, record, coefficients, taken)
		if err != nil {
			return fmt.Errorf("dataset %q, model %q, sampler %q: %w", f.Unit.Name(), f.Model.Name, f.Sampler.Name, err)
		}
		m.Gibbs.Blocks = append(m.Gibbs.Blocks, block)
	}
	return nil
}

// blockOf lists the coefficients that names of a block mean, in the order of the design: a name is one of a
// coefficient, or of a term, which means all its columns. It adds them to those that are taken.
func blockOf(names []string, record *transform.Record, coefficients []string, taken map[string]bool) ([]string, error) {
	chosen := map[string]bool{}
	for _, name := range names {
		found := meant(name, record, coefficients)
		if len(found) == 0 {
			return nil, words.Hint(fmt.Errorf("block of %q: there is no such coefficient or term", name),
				transform.UnknownHint(name, "coefficients", coefficients))
		}
		for _, c := range found {
			if taken[c] {
				return nil, words.Hint(fmt.Errorf("block of %q: %s is in a block already", name, c),
					"a coefficient is in one block at most: a term means all its columns")
			}
			taken[c], chosen[c] = true, true
		}
	}
	if len(chosen) < 2 {
		return nil, words.Hint(fmt.Errorf("block of %q: it has one coefficient, which moves by itself without", names[0]),
			"write the names that are drawn jointly in one list: [["+strings.Join(names, ", ")+", …]]")
	}
	return slices.DeleteFunc(slices.Clone(coefficients), func(c string) bool { return !chosen[c] }), nil
}

// meant lists the coefficients that a name means.
func meant(name string, record *transform.Record, coefficients []string) (out []string) {
	if slices.Contains(coefficients, name) {
		return []string{name}
	}
	for j, c := range record.Columns {
		if c.Term >= 0 && record.Terms[c.Term].Label == name {
			out = append(out, coefficients[j])
		}
	}
	return out
}
