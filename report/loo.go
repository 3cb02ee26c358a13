package report

import (
	"context"
	"database/sql/driver"
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
	err := appendEach(s, "pointwise", l.Rows, func(i int, r *Pointwise) []driver.Value {
		return []driver.Value{id, int64(i + 1), number(r.ELPD), number(r.P), number(r.K), number(r.WAIC), number(r.PWAIC),
			number(r.Efficiency), text(r.Reason), r.Frequency, number(r.MCSE), moved(r.Before), number(r.PIT)}
	})
	if err == nil {
		err = appendEach(s, "loo_pit", l.PIT, func(_ int, p *PITPoint) []driver.Value {
			return []driver.Value{id, p.Z, p.ECDF, p.Low, p.High}
		})
	}
	if err != nil {
		return storing("leave-one-out rows", err)
	}
	_, err = s.c.ExecContext(ctx, `INSERT INTO loo VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, id,
		int64(l.Observations),
		number(l.ELPD.Value), number(l.ELPD.SE), number(l.P.Value), number(l.P.SE), number(-2*l.ELPD.Value),
		number(2*l.ELPD.SE),
		number(l.WAIC.Value), number(l.WAIC.SE), number(l.PWAIC.Value), number(l.PWAIC.SE), number(-2*l.WAIC.Value),
		number(l.Threshold), l.High, number(l.WorstK), l.Outcomes, l.Version,
		number(l.MCSE))
	return storing("leave-one-out", err)
}

// moved is the Pareto k before draws were moved; NULL where they were not.
func moved(before float64) driver.Value {
	if before == 0 {
		return nil
	}
	return number(before)
}

// insertChecks stores a fit's predictive checks.
func (s *Session) insertChecks(id int64, a *Assessment) error {
	err := appendEach(s, "ppc_bin", a.Bins, func(i int, b *Bin) []driver.Value {
		return []driver.Value{id, int32(i + 1), number(b.Low), number(b.High), b.Observed, number(b.Q025), number(b.Q25),
			number(b.Median), number(b.Q75), number(b.Q975)}
	})
	if err != nil {
		return storing("histograms of predictive checks", err)
	}
	err = appendEach(s, "ppc_group", a.Groups, func(_ int, c *GroupCheck) []driver.Value {
		return []driver.Value{id, c.Variable, c.Level, c.Statistic, int64(c.Rows), number(c.Observed), number(c.Mean),
			number(c.Q05), number(c.Q25), number(c.Median), number(c.Q75), number(c.Q95), number(c.P), number(c.Expected),
			int32(c.Replicates)}
	})
	if err != nil {
		return storing("predictive checks by group", err)
	}
	bin := 0
	err = appendEach(s, "ppc_over", a.Over, func(i int, c *OverBin) []driver.Value {
		if bin++; i > 0 && a.Over[i-1].Variable != c.Variable {
			bin = 1
		}
		return []driver.Value{id, c.Variable, int32(bin), c.Low, c.High, c.X, int64(c.Rows), number(c.Observed),
			number(c.Q05), number(c.Q25), number(c.Median), number(c.Q75), number(c.Q95), number(c.Expected), number(c.Y05),
			number(c.Y25), number(c.Y50), number(c.Y75), number(c.Y95), int64(c.Outside), int32(c.Replicates)}
	})
	if err != nil {
		return storing("predictive checks over numbers", err)
	}
	return storing("predictive checks", appendEach(s, "ppc", a.Checks, func(_ int, c *Check) []driver.Value {
		return []driver.Value{id, c.Statistic, number(c.Observed), number(c.Mean), number(c.SD), number(c.Q025),
			number(c.Q975), number(c.P), int32(c.Replicates), text(c.Note), text(c.Expression)}
	}))
}

// Assess adds an assessment to the complete fit with this fingerprint, in place
// of what it had of the same kind, and gives it these warnings and a verdict
// anew. It is an error if there is none.
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

// insertAssessment stores what there is of an assessment in place of what a fit
// has of the same kind.
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

// insertKFold stores a fit's k-fold cross-validation in place of what it had.
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
	err := appendEach(s, "kfold_pointwise", k.Rows, func(i int, r *record.FoldRow) []driver.Value {
		observations += r.Frequency
		return []driver.Value{id, int64(i + 1), int32(r.Fold + 1), number(r.ELPD), r.Frequency}
	})
	if err != nil {
		return storing("rows of k-fold", err)
	}
	_, err = s.c.ExecContext(ctx, "INSERT INTO kfold VALUES (?, ?, ?, ?, ?, ?, ?, ?)", id, k.Asked, int32(k.Count),
		int64(observations), number(k.ELPD.Value), number(k.ELPD.SE), number(k.RHat), k.Outcomes)
	return storing("k-fold", err)
}

// insertSensitivity stores what the powers of prior and likelihood move.
func (s *Session) insertSensitivity(id int64, all []judge.Sensitivity) error {
	return storing("sensitivities", appendEach(s, "sensitivity", all, func(i int, v *judge.Sensitivity) []driver.Value {
		return []driver.Value{id, int32(i + 1), v.Name, number(v.Prior), number(v.Likelihood)}
	}))
}
