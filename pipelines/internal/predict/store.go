package predict

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/transform"
)

// Store computes the effects that the models of c.Pipeline ask for and the newest fits of these keys do not have, and
// stores them. The data are read once more where there are such fits. failed is told what is wrong with the effects of
// single fits, which then have none.
func Store(ctx context.Context, c Config, keys []report.Key, failed func(report.Key, error)) error {
	asked := map[string][]spec.Effect{}
	for _, m := range c.Pipeline.Models {
		if len(m.Effects) > 0 {
			asked[m.Name] = m.Effects
		}
	}
	keys = slices.DeleteFunc(slices.Clone(keys), func(k report.Key) bool { return asked[k.Model] == nil })
	if len(keys) == 0 {
		return nil
	}
	ledger, err := report.Open(c.Database, report.Options{LockWait: c.LockWait})
	if err != nil {
		return err
	}
	fits, err := lackEffects(ctx, ledger, c.Pipeline.Name, keys, asked)
	if err != nil || len(fits) == 0 {
		return err
	}
	found := map[int64][]report.Effect{}
	reader := &plan.Reader{Pipeline: c.Pipeline, Choice: plan.Choice{Keys: []report.Key{}}, Example: c.Example}
	for i := range fits {
		reader.Choice.Keys = append(reader.Choice.Keys, fits[i].Key)
	}
	err = reader.Units(ctx, func(u *plan.Unit) error {
		defer u.Close()
		for i := range fits {
			if f := &fits[i]; f.Dataset == u.Dataset.Name && f.Group == u.Key {
				rows, err := c.effectsOf(ctx, ledger, f, u, asked[f.Model])
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if err != nil {
					failed(f.Key, err)
					continue
				}
				found[f.ID] = rows
			}
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return err
	}
	return ledger.Write(ctx, func(s *report.Session) error {
		for i := range fits {
			if rows, ok := found[fits[i].ID]; ok {
				if err := s.Effects(ctx, fits[i].ID, rows); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// lackEffects finds the newest fits of keys in a pipeline that have other effects than their models ask for.
func lackEffects(ctx context.Context, ledger *report.Ledger, pipeline string, keys []report.Key,
	asked map[string][]spec.Effect) ([]report.Fitted, error) {
	wanted := map[report.Key]bool{}
	for _, k := range keys {
		wanted[k] = true
	}
	fits, err := ledger.Newest(ctx, pipeline, func(k report.Key) bool { return wanted[k] })
	if err != nil {
		return nil, err
	}
	var ids []int64
	for i := range fits {
		ids = append(ids, fits[i].ID)
	}
	have, err := ledger.EffectsOf(ctx, ids)
	same := func(e spec.Effect, name string) bool { return e.String() == name }
	return slices.DeleteFunc(fits, func(f report.Fitted) bool {
		return slices.EqualFunc(asked[f.Model], have[f.ID], same)
	}), err
}

// effectsOf computes all effects of one fit.
func (c *Config) effectsOf(ctx context.Context, ledger *report.Ledger, f *report.Fitted, u *plan.Unit,
	asked []spec.Effect) (out []report.Effect, err error) {
	switch {
	case u.Err != nil:
		return nil, u.Err
	case u.Table() == nil:
		return nil, fmt.Errorf("effects need the rows of the data, and %s keeps none", u.Name())
	case !f.Kept:
		return nil, fmt.Errorf("effects are computed from draws, and the fit kept none: write run: {keep: draws}")
	}
	o := &opened{ledger: ledger, stored: *f, table: u.Table()}
	if o.record, err = transform.UnmarshalRecord(f.Design); err != nil {
		return nil, err
	}
	r, err := c.rowsOf(ctx, o)
	if err != nil {
		return nil, err
	}
	for i := range asked {
		s, err := newSetting(&asked[i], o.family(), o.record, r)
		if err != nil {
			return nil, err
		}
		found, err := s.compute(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, s.stored(i+1, found)...)
	}
	return out, nil
}

// stored are the results as a ledger keeps them.
func (s *setting) stored(id int, found []estimate) (out []report.Effect) {
	for _, r := range s.results(found) {
		e := report.Effect{ID: id, Effect: s.Effect.String(), Kind: s.kind(), Level: r.level, X: math.NaN(),
			Mean: r.summary.Mean, SD: r.summary.SD, Q025: r.summary.Q025, Median: r.summary.Median, Q975: r.summary.Q975,
			Direction: r.direction}
		if len(s.axes) > 0 {
			e.Variable = s.axes[0].column
			if x, isNumber := r.at[0].(float64); isNumber && s.Contrast == "" {
				e.X = x
			}
		}
		var given []string
		for k, a := range slices.Concat(s.axes[min(1, len(s.axes)):], s.by) {
			given = append(given, a.column+" = "+short(slices.Concat(r.at[min(1, len(r.at)):], r.by)[k]))
		}
		e.Given = strings.Join(given, ", ")
		out = append(out, e)
	}
	return out
}
