-- Missing cells that were drawn with the coefficients.

CREATE VIEW imputed AS
SELECT f.dataset, f.key, f.model, f.sampler, p.grouping AS variable, CAST(p.level AS BIGINT) AS row, p.term AS level, s.mean, s.sd, s.q025, s.q25,
       s.median, s.q75, s.q975, s.rhat, s.ess_bulk, s.ess_tail, p.name AS parameter, f.state, f.fit_id
FROM latest f
JOIN parameter p ON p.fit_id = f.fit_id AND p.kind = 'imputed'
JOIN summary s ON s.fit_id = p.fit_id AND s.parameter_id = p.parameter_id
ORDER BY f.dataset, f.key, f.model, f.sampler, p.parameter_id;

COMMENT ON VIEW imputed IS 'Missing cells of the newest fits of models with missing: impute: a row for each, of predictors and of the response; of columns of several levels one for each level.';
COMMENT ON COLUMN imputed.dataset IS 'Data set.';
COMMENT ON COLUMN imputed.key IS 'File or group of the data set.';
COMMENT ON COLUMN imputed.model IS 'Model.';
COMMENT ON COLUMN imputed.sampler IS 'Sampler.';
COMMENT ON COLUMN imputed.variable IS 'The column of the cell.';
COMMENT ON COLUMN imputed.row IS 'The row of the cell, counted from 1.';
COMMENT ON COLUMN imputed.level IS 'A level of a column of text of more than two values, which has a row for each; NULL of other columns.';
COMMENT ON COLUMN imputed.mean IS 'Posterior mean of its value; of a column of two values the probability of the second one, or of true; of a level its probability.';
COMMENT ON COLUMN imputed.sd IS 'Posterior standard deviation.';
COMMENT ON COLUMN imputed.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN imputed.q25 IS '25 % quantile.';
COMMENT ON COLUMN imputed.median IS 'Median.';
COMMENT ON COLUMN imputed.q75 IS '75 % quantile.';
COMMENT ON COLUMN imputed.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN imputed.rhat IS 'R-hat of its draws.';
COMMENT ON COLUMN imputed.ess_bulk IS 'Bulk effective sample size.';
COMMENT ON COLUMN imputed.ess_tail IS 'Tail effective sample size.';
COMMENT ON COLUMN imputed.parameter IS 'Its name among the draws: Ymi_bmi[3].';
COMMENT ON COLUMN imputed.state IS 'current, or what became of a newer attempt at the fit: error or uncommitted.';
COMMENT ON COLUMN imputed.fit_id IS 'The fit.';
