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
)

// A Storing stores effects for a run.
type Storing struct {
	RunID string
	// Found receives the warnings about the effects of each fit whose effects were looked for, none if all were
	// computed, and returns the run's verdict of the fit.
	Found func(k report.Key, warnings []string) report.Verdict
}

// Store computes the effects that the models of c.Pipeline ask for and the newest fits of these keys do not have, and
// stores them. It reads the data once more if there are such fits. An effect that cannot be computed does not end the
// others: it is a warning of its fit, which counts in the fit's verdict.
func Store(ctx context.Context, c Config, keys []report.Key, by Storing) error {
	asked := map[string][]spec.Effect{}
	for _, m := range c.Pipeline.Models {
		asked[m.Name] = m.Effects
	}
	if len(keys) == 0 {
		return nil
	}
	ledger, err := report.Open(c.Database, report.Options{LockWait: c.LockWait, Later: true})
	if err != nil {
		return err
	}
	var fits []report.Fitted
	err = ledger.Reading(ctx, func() error {
		fits, err = lackEffects(ctx, ledger, c.Pipeline.Name, keys, asked)
		return err
	})
	if err != nil || len(fits) == 0 {
		return err
	}
	var found []*report.FitEffects
	reader := &plan.Reader{Pipeline: c.Pipeline, Choice: plan.Choice{Keys: []report.Key{}}, Example: c.Example}
	for i := range fits {
		if f := &fits[i]; len(asked[f.Model]) == 0 {
			found = append(found, by.storing(f, nil, nil))
			continue
		}
		reader.Choice.Keys = append(reader.Choice.Keys, fits[i].Key)
		for _, e := range asked[fits[i].Model] {
			reader.Also = append(reader.Also, e.By...)
		}
	}
	err = reader.Units(ctx, func(u *plan.Unit) error {
		defer u.Close()
		for i := range fits {
			if f := &fits[i]; f.Dataset == u.Dataset.Name && f.Group == u.Key && len(asked[f.Model]) > 0 {
				rows, warnings := c.effectsOf(ctx, ledger, f, u, asked[f.Model])
				if ctx.Err() != nil {
					return ctx.Err()
				}
				found = append(found, by.storing(f, rows, warnings))
			}
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return err
	}
	return ledger.Write(ctx, func(s *report.Session) error {
		for _, f := range found {
			if err := s.Effects(ctx, f); err != nil {
				return err
			}
		}
		return nil
	})
}

// storing is the stored form of a fit's effects, with their warnings.
func (by *Storing) storing(f *report.Fitted, rows []report.Effect, warnings []string) *report.FitEffects {
	out := &report.FitEffects{Fit: f.ID, Rows: rows, RunID: by.RunID, InRun: by.Found(f.Key, warnings)}
	if out.Warned = len(warnings) > 0 || slices.ContainsFunc(f.Warnings, report.IsEffectWarning); out.Warned {
		out.Warnings = append(slices.DeleteFunc(slices.Clone(f.Warnings), report.IsEffectWarning), warnings...)
		out.Verdict = f.Verdict.Rewarn(report.IsEffectWarning, warnings)
	}
	return out
}

// lackEffects finds the newest fits of keys in a pipeline whose effects, those included that are known not to be
// computable, are not what their models ask for.
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
	return slices.DeleteFunc(fits, func(f report.Fitted) bool {
		warned := 0
		for _, w := range f.Warnings {
			if report.IsEffectWarning(w) {
				warned++
			}
		}
		var computed []string
		for _, e := range asked[f.Model] {
			if report.WarnedOfEffect(f.Warnings, e.String()) {
				warned--
			} else {
				computed = append(computed, e.String())
			}
		}
		return warned == 0 && slices.Equal(computed, have[f.ID])
	}), err
}

// effectsOf computes the effects of one fit, with a warning for each that cannot be computed.
func (c *Config) effectsOf(ctx context.Context, ledger *report.Ledger, f *report.Fitted, u *plan.Unit,
	asked []spec.Effect) (out []report.Effect, warnings []string) {
	o, r, err := c.rowsFor(ctx, ledger, f, u, asked[0].Response)
	for i := range asked {
		if i > 0 && asked[i].Response != asked[i-1].Response {
			o, r, err = c.rowsFor(ctx, ledger, f, u, asked[i].Response)
		}
		if err != nil {
			return nil, []string{report.EffectWarning("", err)}
		}
		rows, cause := storedEffect(ctx, i+1, &asked[i], o, r)
		switch {
		case report.IsUnusable(cause): // the draws: of no effect alone
			err = cause
		case cause != nil:
			warnings = append(warnings, report.EffectWarning(asked[i].String(), cause))
		}
		out = append(out, rows...)
	}
	return out, warnings
}

// rowsFor returns the rows that a fit's effects are computed by. Its error is that of all of them.
func (c *Config) rowsFor(ctx context.Context, ledger *report.Ledger, f *report.Fitted, u *plan.Unit,
	response string) (o *opened, r *rows, err error) {
	switch {
	case u.Err != nil:
		return nil, nil, u.Err
	case u.Table() == nil:
		return nil, nil, fmt.Errorf("effects need the rows of the data, and %s keeps none", u.Name())
	case !f.Kept:
		return nil, nil, fmt.Errorf("effects are computed from draws, and the fit kept none: write run: {keep: draws}")
	}
	if o, err = newOpened(ledger, *f); err == nil {
		err = o.choose(response)
	}
	if err != nil {
		return nil, nil, err
	}
	o.table = u.Table()
	r, err = c.rowsOf(ctx, o)
	return o, r, err
}

// storedEffect computes effect number id of a fit. A panic is its error alone.
func storedEffect(ctx context.Context, id int, e *spec.Effect, o *opened, r *rows) (out []report.Effect, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = nil, fmt.Errorf("this program has a fault: %v", v)
		}
	}()
	s, err := newSetting(e, o.family, o.record, r)
	if err != nil {
		return nil, err
	}
	found, err := s.compute(ctx)
	if err != nil {
		return nil, err
	}
	if out = s.stored(id, found); len(out) == 0 {
		return nil, s.wrong("no row of the data counts", "")
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
		if r.class != "" {
			given = append(given, s.rows.fit.Description.Responses[0].Column+" = "+r.class)
		}
		for k, a := range slices.Concat(s.axes[min(1, len(s.axes)):], s.by) {
			given = append(given, a.column+" = "+short(slices.Concat(r.at[min(1, len(r.at)):], r.by)[k]))
		}
		e.Given = strings.Join(given, ", ")
		out = append(out, e)
	}
	return out
}
