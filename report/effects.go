package report

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"glmbatch/internal/words"
	"glmbatch/report/html"
)

// Effect is a row of an effect: the mean of the response at values of variables, or how two of them differ.
type Effect struct {
	ID        int     `db:"effect_id INTEGER NOT NULL" doc:"1, 2, … in the order of the spec."`
	Effect    string  `db:"effect VARCHAR NOT NULL" doc:"The effect as the spec asks for it: age, or treatment:sex, average, pairwise."`
	Kind      string  `db:"kind VARCHAR NOT NULL" doc:"prediction (the mean of the response), difference, ratio or odds_ratio."`
	Variable  string  `db:"variable VARCHAR" doc:"The first variable of the effect; NULL where the rows are averaged as they are."`
	Level     string  `db:"level VARCHAR" doc:"Its value, or what is compared: B - A, or +1 of a number."`
	X         float64 `db:"x DOUBLE" doc:"Its value where that is a number."`
	Given     string  `db:"given VARCHAR" doc:"Values of the other variables that vary, and of the groups of rows: sex = female."`
	Mean      float64 `db:"mean DOUBLE" doc:"Posterior mean; NULL, like all numbers, where a draw has no value."`
	SD        float64 `db:"sd DOUBLE" doc:"Posterior standard deviation."`
	Q025      float64 `db:"q025 DOUBLE" doc:"2.5 % quantile."`
	Median    float64 `db:"median DOUBLE" doc:"Median."`
	Q975      float64 `db:"q975 DOUBLE" doc:"97.5 % quantile."`
	Direction float64 `db:"p_direction DOUBLE" doc:"Of differences and ratios: the share of draws on the side of no difference where most are."`
}

// FitEffects holds the effects of one complete fit, and what they change in the ledger's record of the fit.
type FitEffects struct {
	Fit  int64
	Rows []Effect
	// Warned reports whether Warnings and the verdicts are stored too.
	Warned   bool
	Warnings []string // all of the fit's
	Verdict  Verdict
	RunID    string  // the run whose record of the fit gets InRun
	InRun    Verdict // differs from Verdict if the run has reasons of its own
}

// Effects replaces the effects of a complete fit, in one transaction.
func (s *Session) Effects(ctx context.Context, f *FitEffects) error {
	return storing("effects", inTransaction(ctx, s.c, func() error {
		if _, err := s.c.ExecContext(ctx, "DELETE FROM effect WHERE fit_id = ?", f.Fit); err != nil {
			return err
		}
		err := insertEach(s, f.Rows, func(_ int, e *Effect) effectRow {
			return effectRow{ofFit: ofFit{f.Fit}, Effect: *e}
		})
		if err != nil || !f.Warned {
			return err
		}
		_, err = s.c.ExecContext(ctx, "UPDATE fit SET warnings = ?, verdict = ?, reasons = ? WHERE fit_id = ?",
			list(f.Warnings), string(f.Verdict.Grade), list(f.Verdict.Reasons), f.Fit)
		if err != nil {
			return err
		}
		_, err = s.c.ExecContext(ctx, "UPDATE run_fit SET verdict = ?, reasons = ? WHERE run_id = ? AND fit_id = ?",
			string(f.InRun.Grade), list(f.InRun.Reasons), f.RunID, f.Fit)
		return err
	}))
}

// The prefixes of warnings about effects: of one, and of all that a fit's model asks for.
const (
	effectPrefix  = "effect not computed: "
	effectsPrefix = "effects not computed: "
)

// EffectWarning returns the warning that an effect was not computed, or no effect of the fit if name is empty.
func EffectWarning(name string, cause error) string {
	message, hint := words.Parts(cause)
	if hint != "" {
		message += "; " + hint
	}
	message = strings.ReplaceAll(message, "\n", "; ")
	if name == "" {
		return effectsPrefix + message
	}
	return effectPrefix + name + ": " + message
}

// IsEffectWarning reports whether EffectWarning returned w.
func IsEffectWarning(w string) bool {
	return strings.HasPrefix(w, effectPrefix) || strings.HasPrefix(w, effectsPrefix)
}

// WarnedOfEffect reports whether warnings has one that says that this effect was not computed.
func WarnedOfEffect(warnings []string, name string) bool {
	return slices.ContainsFunc(warnings, func(w string) bool { return strings.HasPrefix(w, effectPrefix+name+": ") })
}

// EffectsOf are the effects that fits of the ledger have, by fit, as they are asked for, in order.
func (l *Ledger) EffectsOf(ctx context.Context, fits []int64) (map[int64][]string, error) {
	out := map[int64][]string{}
	err := l.readTables(ctx, func(c *sql.Conn) error {
		return scanRows(ctx, c, `SELECT fit_id, first(effect) FROM effect WHERE fit_id IN (SELECT unnest(?::BIGINT[]))
			GROUP BY fit_id, effect_id ORDER BY fit_id, effect_id`, func(rows *sql.Rows) error {
			var fit int64
			var name string
			err := rows.Scan(&fit, &name)
			out[fit] = append(out[fit], name)
			return err
		}, fits)
	})
	return out, err
}

// pageRows bounds the rows of effects that the page of a fit shows.
const pageRows = 2000

// effects reads what the pictures of effects show.
func (r *pageReader) effects(f *html.Fit) error {
	return read(r.ctx, r.c, &f.Detail.Effects, "SELECT "+columnList(html.Effect{})+" FROM effect WHERE fit_id = ? "+
		"ORDER BY effect_id, rowid LIMIT ?", f.ID, pageRows)
}
