package plan

import (
	"fmt"
	"path/filepath"
	"strings"
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
	d.once.Do(func() { d.err = u.fault(u.code(d, m)) })
	return d, d.err
}

// fault adds the file of the data to an error of a whole column or data set, which
// names no row and so no file.
func (u *Unit) fault(err error) error {
	if err == nil || len(u.table.Files) == 0 {
		return err
	}
	for _, file := range u.table.Files {
		if strings.Contains(err.Error(), filepath.Base(file)) {
			return err
		}
	}
	where := filepath.Base(u.table.Files[0])
	if more := len(u.table.Files) - 1; more > 0 {
		where += fmt.Sprintf(" and %d more", more)
	}
	return &fileError{fmt.Sprintf("dataset %q", u.Name()), where, err}
}

// fileError tells which file an error speaks of.
type fileError struct {
	dataset, file string // the data set as err has it
	err           error
}

func (e *fileError) Error() string {
	return strings.ReplaceAll(e.err.Error(), e.dataset, e.dataset+", "+e.file)
}
func (e *fileError) Unwrap() error { return e.err }

func (u *Unit) code(d *design, m *spec.Model) error {
	formula, err := formulaOf(m)
	if err != nil {
		return err
	}
	columns, err := formula.Columns(u.table.Data.Schema())
	if err != nil {
		return fmt.Errorf("dataset %q: %w", u.Name(), err)
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
