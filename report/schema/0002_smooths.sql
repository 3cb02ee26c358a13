-- Smooths: s(x) of a formula.

CREATE TABLE smooth_curve (
    fit_id BIGINT NOT NULL,
    smooth VARCHAR NOT NULL,
    level  VARCHAR,
    name   VARCHAR NOT NULL,
    x      DOUBLE NOT NULL,
    mean   DOUBLE,
    sd     DOUBLE,
    q025   DOUBLE,
    q25    DOUBLE,
    median DOUBLE,
    q75    DOUBLE,
    q975   DOUBLE
);

COMMENT ON TABLE smooth_curve IS 'The curves of smooths, s(x) of a formula, on a grid of 100 points: summaries of f(x) over the draws.';
COMMENT ON COLUMN smooth_curve.fit_id IS 'The fit.';
COMMENT ON COLUMN smooth_curve.smooth IS 'The term as written: s(x, by = f).';
COMMENT ON COLUMN smooth_curve.level IS 'The level of the factor that the curve is of; else NULL.';
COMMENT ON COLUMN smooth_curve.name IS 'How names of parameters call the smooth: sx_1 of sds_sx_1.';
COMMENT ON COLUMN smooth_curve.x IS 'The number that is smoothed, from the least to the largest of the rows that were used; of s(log(x)) its logarithm.';
COMMENT ON COLUMN smooth_curve.mean IS 'Posterior mean of f(x), on the scale of the linear predictor; its sum over the rows is 0, unless it is multiplied by a number.';
COMMENT ON COLUMN smooth_curve.sd IS 'Posterior standard deviation.';
COMMENT ON COLUMN smooth_curve.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN smooth_curve.q25 IS '25 % quantile.';
COMMENT ON COLUMN smooth_curve.median IS 'Median.';
COMMENT ON COLUMN smooth_curve.q75 IS '75 % quantile.';
COMMENT ON COLUMN smooth_curve.q975 IS '97.5 % quantile.';

CREATE VIEW smooths AS
SELECT f.dataset, f.key, f.model, f.sampler, c.smooth, c.level, c.x, c.mean, c.sd, c.q025, c.q25, c.median, c.q75, c.q975, c.name,
       f.state, f.fit_id
FROM latest f
JOIN smooth_curve c USING (fit_id)
ORDER BY f.dataset, f.key, f.model, f.sampler, c.rowid;

COMMENT ON VIEW smooths IS 'The curves of smooths of the newest fits, with their bands: a row for each of 100 points.';
COMMENT ON COLUMN smooths.dataset IS 'Data set.';
COMMENT ON COLUMN smooths.key IS 'File or group of the data set.';
COMMENT ON COLUMN smooths.model IS 'Model.';
COMMENT ON COLUMN smooths.sampler IS 'Sampler.';
COMMENT ON COLUMN smooths.smooth IS 'The term as written: s(x, by = f).';
COMMENT ON COLUMN smooths.level IS 'The level of the factor that the curve is of; else NULL.';
COMMENT ON COLUMN smooths.x IS 'The number that is smoothed.';
COMMENT ON COLUMN smooths.mean IS 'Posterior mean of f(x), on the scale of the linear predictor.';
COMMENT ON COLUMN smooths.sd IS 'Posterior standard deviation.';
COMMENT ON COLUMN smooths.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN smooths.q25 IS '25 % quantile.';
COMMENT ON COLUMN smooths.median IS 'Median.';
COMMENT ON COLUMN smooths.q75 IS '75 % quantile.';
COMMENT ON COLUMN smooths.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN smooths.name IS 'How names of parameters call the smooth: sx_1 of sds_sx_1.';
COMMENT ON COLUMN smooths.state IS 'current, or what became of a newer attempt at the fit: error or uncommitted.';
COMMENT ON COLUMN smooths.fit_id IS 'The fit.';

CREATE OR REPLACE VIEW coefficients AS
SELECT l.fit_id, l.dataset, l.key, l.model, l.sampler, s.name AS parameter,
       s.mean, s.sd, s.q025, s.median, s.q975, s.rhat, s.ess_bulk, s.ess_tail, l.verdict, l.state, l.created, l.run_id
FROM latest l
JOIN summary s ON s.fit_id = l.fit_id
WHERE s.kind NOT IN ('statistic', 'group_effect', 'smooth_effect', 'imputed')
ORDER BY l.dataset, l.key, l.model, l.sampler, s.parameter_id;
COMMENT ON VIEW coefficients IS 'Summaries of the parameters of the latest fits; those of levels of a grouping stand in group_effects, the curves of smooths in smooths, missing cells in imputed.';
COMMENT ON COLUMN coefficients.mean IS 'Posterior mean; NULL where it may not exist.';
COMMENT ON COLUMN coefficients.sd IS 'Posterior standard deviation; NULL where it may not exist.';
COMMENT ON COLUMN coefficients.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN coefficients.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN coefficients.state IS 'current, or what became of a newer attempt at the fit: error or uncommitted.';

COMMENT ON COLUMN parameter.kind IS 'intercept, coefficient, dispersion, scale (of a horseshoe prior: tau, c), local_scale (lambda, one a coefficient; there with keep: scales only, and seen by no gate), group_sd, group_correlation, group_effect (of group-level effects), smooth_sd, smooth_effect (of a smooth: the standard deviation of its penalised coefficients, and one of these), imputation (of the model of an incomplete column), imputed (a missing cell or response) or derived.';
COMMENT ON COLUMN parameter.term IS 'The term that a group_effect or group_sd is of, Intercept or a column; the second of the two of a group_correlation; the smooth of a smooth_sd or smooth_effect, s(x) or s(x):level.';
