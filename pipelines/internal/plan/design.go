package plan

import (
	"fmt"
	"sync"

	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// design is one model's design matrix on one unit, made once for its samplers.
type design struct {
	once sync.Once
	*transform.Design
	dataHash string
	err      error
}

// design codes the unit's table for a model; the samplers of a model share it.
func (u *Unit) design(m *spec.Model) (*design, error) {
	u.mu.Lock()
	if u.designs == nil {
		u.designs = map[*spec.Model]*design{}
	}
	d := u.designs[m]
	if d == nil {
		d = &design{}
		u.designs[m] = d
	}
	u.mu.Unlock()
	d.once.Do(func() { d.err = u.code(d, m) })
	return d, d.err
}

func (u *Unit) code(d *design, m *spec.Model) error {
	formula, err := formulaOf(m)
	if err != nil {
		return err
	}
	columns, err := formula.Columns(u.table.Data.Schema())
	if err != nil {
		return fmt.Errorf("%s: %w", transform.DatasetWords(u.Name(), u.table.From()), err)
	}
	if d.dataHash, err = u.table.Hash(columns); err != nil {
		return err
	}
	d.Design, err = transform.Build(u.table.Data, transform.Spec{
		Dataset: u.Name(), Formula: formula, Family: m.Family.Family,
		Standardize: m.Standardize, Missing: m.Missing, Sparse: string(m.Sparse),
		InterceptAt: m.Prior.Intercept.At,
		Levels:      levels(m.Levels),
		Contrasts:   m.Contrasts,
		File:        u.table.From(),
		Locate:      u.table.Locate,
	})
	return err
}

// formulaOf is a model's formula with its columns of weights.
func formulaOf(m *spec.Model) (*transform.Formula, error) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return nil, err
	}
	return formula.Weighted(m.FrequencyWeights, m.PrecisionWeights), nil
}

func levels(in map[string][]spec.Text) map[string][]string {
	out := make(map[string][]string, len(in))
	for column, texts := range in {
		for _, t := range texts {
			out[column] = append(out[column], string(t))
		}
	}
	return out
}
