package report

import (
	"context"
	"fmt"
	"time"

	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// insertLOO stores a fit's leave-one-out result.
func (s *Session) insertLOO(ctx context.Context, id int64, l *LOO) error {
	if l == nil {
		return nil
	}
	err := insertEach(s, l.Rows, func(i int, r *Pointwise) pointwiseRow {
		return pointwiseRow{ofFit: ofFit{id}, Observation: i, Pointwise: *r}
	})
	if err == nil {
		err = insertEach(s, l.PIT, func(_ int, p *PITPoint) pitRow { return pitRow{ofFit: ofFit{id}, PITPoint: *p} })
	}
	if err != nil {
		return storing("leave-one-out rows", err)
	}
	return storing("leave-one-out", insert(s, looRow{ofFit: ofFit{id}, Observations: l.Observations,
		looSums: looSums{l.ELPD.Value, l.ELPD.SE, l.P.Value, l.P.SE, -2 * l.ELPD.Value, 2 * l.ELPD.SE, l.WAIC.Value,
			l.WAIC.SE, l.PWAIC.Value, l.PWAIC.SE, -2 * l.WAIC.Value, l.Threshold, l.High, l.WorstK},
		Outcomes: l.Outcomes, Version: l.Version, MCSE: l.MCSE}))
}

// insertChecks stores a fit's predictive checks.
func (s *Session) insertChecks(id int64, a *Assessment) error {
	err := insertEach(s, a.Bins, func(i int, b *Bin) binRow { return binRow{ofFit: ofFit{id}, Number: i, Bin: *b} })
	if err != nil {
		return storing("histograms of predictive checks", err)
	}
	err = insertEach(s, a.Groups, func(_ int, c *GroupCheck) groupCheckRow {
		return groupCheckRow{ofFit: ofFit{id}, GroupCheck: *c}
	})
	if err != nil {
		return storing("predictive checks by group", err)
	}
	bin := 0
	err = insertEach(s, a.Over, func(i int, c *OverBin) overRow {
		if bin++; i > 0 && a.Over[i-1].Variable != c.Variable {
			bin = 1
		}
		return overRow{ofFit: ofFit{id}, Variable: c.Variable, Bin: bin, Low: c.Low, High: c.High, X: c.X,
			overMeans: overMeans{c.Rows, c.Observed, c.Q05, c.Q25, c.Median, c.Q75, c.Q95, c.Expected}, Single: c.Single,
			Replicates: c.Replicates}
	})
	if err != nil {
		return storing("predictive checks over numbers", err)
	}
	return storing("predictive checks", insertEach(s, a.Checks, func(_ int, c *Check) checkRow {
		return checkRow{ofFit: ofFit{id}, Check: *c}
	}))
}

// Assess adds an assessment to the complete fit with this fingerprint, replaces the former one of the same kind,
// stores these warnings and recomputes the verdict. It is an error if there is none.
func (s *Session) Assess(ctx context.Context, fingerprint string, a *Assessment, warnings []string, g judge.Gates,
	v judge.Verdict, at time.Time) error {
	err := inTransaction(ctx, s.c, func() error {
		id, err := s.fitID(ctx, fingerprint)
		if err != nil {
			return err
		}
		if id == nil {
			return fmt.Errorf("assessing: no complete fit has the fingerprint %s", fingerprint)
		}
		if err := s.insertAssessment(ctx, id.(int64), a); err != nil {
			return err
		}
		_, err = s.c.ExecContext(ctx, `UPDATE fit SET warnings = ? WHERE fit_id = ?`, list(warnings), id)
		return err
	})
	if err != nil {
		return err
	}
	return s.Rejudge(ctx, fingerprint, g, v, at)
}

// insertAssessment stores the parts of an assessment, replacing those that a fit has of the same kind.
func (s *Session) insertAssessment(ctx context.Context, id int64, a *Assessment) error {
	if a.LOO != nil {
		for _, table := range []string{"pointwise", "loo", "loo_pit"} {
			if _, err := s.c.ExecContext(ctx, "DELETE FROM "+table+" WHERE fit_id = ?", id); err != nil {
				return err
			}
		}
	}
	if a.Checks != nil {
		for _, table := range []string{"ppc", "ppc_bin", "ppc_group", "ppc_over"} {
			if _, err := s.c.ExecContext(ctx, "DELETE FROM "+table+" WHERE fit_id = ?", id); err != nil {
				return err
			}
		}
		if err := s.insertChecks(id, a); err != nil {
			return err
		}
	}
	if a.Sensitivity != nil {
		if _, err := s.c.ExecContext(ctx, "DELETE FROM sensitivity WHERE fit_id = ?", id); err != nil {
			return err
		}
		if err := s.insertSensitivity(id, a.Sensitivity); err != nil {
			return err
		}
	}
	if err := s.insertKFold(ctx, id, a.KFold); err != nil {
		return err
	}
	return s.insertLOO(ctx, id, a.LOO)
}

// insertKFold stores a fit's k-fold cross-validation, replacing an earlier one.
func (s *Session) insertKFold(ctx context.Context, id int64, k *KFold) error {
	if k == nil {
		return nil
	}
	for _, table := range []string{"kfold_pointwise", "kfold"} {
		if _, err := s.c.ExecContext(ctx, "DELETE FROM "+table+" WHERE fit_id = ?", id); err != nil {
			return err
		}
	}
	observations := 0.0
	err := insertEach(s, k.Rows, func(i int, r *record.FoldRow) foldRow {
		observations += r.Frequency
		return foldRow{ofFit: ofFit{id}, Observation: i, FoldRow: *r}
	})
	if err != nil {
		return storing("rows of k-fold", err)
	}
	return storing("k-fold", insert(s, kfoldRow{ofFit: ofFit{id}, Asked: k.Asked, Folds: k.Count,
		Observations: observations, ELPD: k.ELPD.Value, SE: k.ELPD.SE, RHat: k.RHat, Outcomes: k.Outcomes}))
}

// insertSensitivity stores what the powers of prior and likelihood move.
func (s *Session) insertSensitivity(id int64, all []judge.Sensitivity) error {
	return storing("sensitivities", insertEach(s, all, func(i int, v *judge.Sensitivity) sensitivityRow {
		return sensitivityRow{ofFit: ofFit{id}, Place: i, Name: v.Name, Prior: v.Prior, Likelihood: v.Likelihood}
	}))
}
