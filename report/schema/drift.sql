-- How far each result lies from the one before it, in the order of the runs that took them.
CREATE OR REPLACE VIEW predecessor AS
WITH told AS (
    SELECT pipeline, dataset, key, model, sampler, run_id, fit_id, place, noted, rowid AS line, lag(fit_id) OVER night AS previous
    FROM run_fit
    WHERE action IN ('computed', 'skipped') AND replicate = 1 AND fit_id IN (SELECT fit_id FROM fit)
    WINDOW night AS (PARTITION BY pipeline, dataset, key, model, sampler ORDER BY place, noted, rowid)
)
SELECT t.fit_id, t.pipeline, t.dataset, t.key, t.model, t.sampler, f.created, t.previous AS previous_fit_id, p.created AS previous_created,
       t.run_id, t.noted AS since, row_number() OVER (PARTITION BY t.pipeline, t.dataset, t.key, t.model, t.sampler ORDER BY t.place, t.noted, t.line) AS nth
FROM told t
JOIN fit f ON f.fit_id = t.fit_id
LEFT JOIN fit p ON p.fit_id = t.previous
WHERE t.previous IS DISTINCT FROM t.fit_id;
COMMENT ON VIEW predecessor IS 'The results of each pipeline, data set, key, model and sampler in the order of the runs, each with the one before it. A fit that is found again after another one has a row for each time.';
-- As in piece: fit_id.
-- As in needs_attention: pipeline.
COMMENT ON COLUMN predecessor.dataset IS 'Its data set.';
COMMENT ON COLUMN predecessor.key IS 'Its file or group of the data set.';
COMMENT ON COLUMN predecessor.model IS 'Its model.';
COMMENT ON COLUMN predecessor.sampler IS 'Its sampler.';
COMMENT ON COLUMN predecessor.created IS 'When it was finished.';
COMMENT ON COLUMN predecessor.previous_fit_id IS 'The fit before; NULL for the first one.';
COMMENT ON COLUMN predecessor.previous_created IS 'When that was finished.';
COMMENT ON COLUMN predecessor.run_id IS 'The run with which the fit became the result: it drew the fit, or found it unchanged after another one.';
COMMENT ON COLUMN predecessor.since IS 'When that was, UTC.';
COMMENT ON COLUMN predecessor.nth IS '1 for the first result of the name, 2 for the next, ….';

CREATE OR REPLACE VIEW drift AS
SELECT n.dataset, n.key, n.model, n.sampler, n.created, n.previous_created, s.name AS parameter,
       s.mean, p.mean AS previous_mean, s.sd, p.sd AS previous_sd,
       (s.mean - p.mean) / nullif(p.sd, 0) AS shift,
       -- the errors of both fits are dependent: their random streams have the same names
       (s.mean - p.mean) / nullif(s.mcse_mean + p.mcse_mean, 0) AS shift_z,
       s.sd / nullif(p.sd, 0) AS sd_ratio,
       n.fit_id, n.previous_fit_id, n.pipeline, n.run_id, n.since, n.nth
FROM predecessor n
JOIN summary s ON s.fit_id = n.fit_id
JOIN summary p ON p.fit_id = n.previous_fit_id AND p.name = s.name AND p.kind = s.kind
WHERE s.kind NOT IN ('statistic', 'local_scale', 'unsorted')
ORDER BY n.dataset, n.key, n.model, n.sampler, n.nth, s.parameter_id;
COMMENT ON VIEW drift IS 'Each result against the one before it of its pipeline, parameter by parameter: shift of means in posterior standard deviations, ratio of sds.';
-- As in predecessor: fit_id, since.
-- As in group_effects: dataset, key, model, sampler, sd.
-- As in effects: mean.
COMMENT ON COLUMN drift.created IS 'When the fit was finished.';
COMMENT ON COLUMN drift.previous_created IS 'When the fit before was finished.';
COMMENT ON COLUMN drift.parameter IS 'Parameter; those that one of the two lacks are left out.';
COMMENT ON COLUMN drift.previous_mean IS 'That of the fit before.';
COMMENT ON COLUMN drift.previous_sd IS 'That of the fit before.';
COMMENT ON COLUMN drift.shift IS 'Change of the mean in standard deviations of the fit before.';
COMMENT ON COLUMN drift.shift_z IS 'Change of the mean over the sum of both Monte Carlo standard errors, the largest error that it can have: both fits share their random numbers.';
COMMENT ON COLUMN drift.sd_ratio IS 'sd over the sd of the fit before.';
COMMENT ON COLUMN drift.previous_fit_id IS 'The fit before.';
COMMENT ON COLUMN drift.pipeline IS 'Pipeline of both.';
COMMENT ON COLUMN drift.run_id IS 'The run with which the fit became the result.';
COMMENT ON COLUMN drift.nth IS 'Number of the result among those of its name, in the order of the runs.';

CREATE OR REPLACE VIEW drift_summary AS
WITH posterior AS (
    SELECT run_id, fit_id, count(*) AS compared,
           max(abs(shift)) AS shift, arg_max(parameter, abs(shift)) AS shift_parameter, sqrt(avg(shift * shift)) AS shift_rms,
           max(abs(shift_z)) AS shift_z,
           max(greatest(sd_ratio, 1 / nullif(sd_ratio, 0))) AS sd_ratio,
           arg_max(parameter, greatest(sd_ratio, 1 / nullif(sd_ratio, 0))) AS sd_ratio_parameter
    FROM drift
    GROUP BY run_id, fit_id
), design_column AS (
    SELECT n.run_id, n.fit_id, c.name,
           abs(c.mean - p.mean) / nullif(p.sd, 0) AS moved,
           greatest(c.sd / nullif(p.sd, 0), p.sd / nullif(c.sd, 0)) AS ratio
    FROM predecessor n
    JOIN column_summary c ON c.fit_id = n.fit_id
    JOIN column_summary p ON p.fit_id = n.previous_fit_id AND p.name = c.name
), columns_of AS (
    SELECT run_id, fit_id, count(*) AS common,
           max(moved) AS centre_shift, arg_max(name, moved) AS centre_shift_column,
           max(ratio) AS scale_ratio, arg_max(name, ratio) AS scale_ratio_column
    FROM design_column
    GROUP BY run_id, fit_id
)
SELECT n.pipeline, n.dataset, n.key, n.model, n.sampler, n.created, n.previous_created,
       q.shift, q.shift_parameter, q.shift_rms, q.shift_z, q.sd_ratio, q.sd_ratio_parameter, coalesce(q.compared, 0) AS parameters_compared,
       f.n_rows AS rows_now, g.n_rows AS rows_before, abs(f.n_rows - g.n_rows) / nullif(g.n_rows, 0)::DOUBLE AS "rows",
       f.n_columns AS columns_now, g.n_columns AS columns_before, f.n_columns + g.n_columns - 2 * coalesce(k.common, CASE WHEN d.fit_id IS NOT NULL AND e.fit_id IS NOT NULL THEN 0 END) AS "columns",
       d.rows_missing / nullif(d.rows_used + d.rows_missing, 0) AS missing_now,
       e.rows_missing / nullif(e.rows_used + e.rows_missing, 0) AS missing_before,
       abs(missing_now - missing_before) AS missing,
       d.response_mean AS response_now, e.response_mean AS response_before,
       abs(d.response_mean - e.response_mean) / nullif(e.response_sd, 0) AS response_shift,
       k.centre_shift, k.centre_shift_column, k.scale_ratio, k.scale_ratio_column,
       f.data_hash IS DISTINCT FROM g.data_hash AS data_changed,
       f.formula IS DISTINCT FROM g.formula OR f.family IS DISTINCT FROM g.family OR f.link IS DISTINCT FROM g.link AS model_changed,
       f.verdict, n.fit_id, n.previous_fit_id, n.run_id, n.since, n.nth
FROM predecessor n
JOIN fit f ON f.fit_id = n.fit_id
JOIN fit g ON g.fit_id = n.previous_fit_id
LEFT JOIN posterior q ON q.run_id = n.run_id AND q.fit_id = n.fit_id
LEFT JOIN columns_of k ON k.run_id = n.run_id AND k.fit_id = n.fit_id
LEFT JOIN data_summary d ON d.fit_id = n.fit_id
LEFT JOIN data_summary e ON e.fit_id = n.previous_fit_id
ORDER BY n.pipeline, n.dataset, n.key, n.model, n.sampler, n.nth;
COMMENT ON VIEW drift_summary IS 'Each result against the one before it, one row a result: the largest shifts of its posterior, and how its data changed. The gates of drift bound the columns of their names.';
-- As in drift: dataset, key, model, sampler, created, previous_created, fit_id, previous_fit_id, run_id, since, nth.
COMMENT ON COLUMN drift_summary.pipeline IS 'Pipeline of both fits.';
COMMENT ON COLUMN drift_summary.shift IS 'Largest change of a posterior mean, in posterior standard deviations of the fit before.';
COMMENT ON COLUMN drift_summary.shift_parameter IS 'The parameter concerned.';
COMMENT ON COLUMN drift_summary.shift_rms IS 'Root mean square of these changes over parameters.';
COMMENT ON COLUMN drift_summary.shift_z IS 'Largest change of a posterior mean over the sum of both Monte Carlo standard errors, the largest error that it can have: both fits share their random numbers.';
COMMENT ON COLUMN drift_summary.sd_ratio IS 'Largest ratio of posterior standard deviations, the larger over the smaller.';
COMMENT ON COLUMN drift_summary.sd_ratio_parameter IS 'The parameter concerned.';
COMMENT ON COLUMN drift_summary.parameters_compared IS 'Parameters that both fits have.';
COMMENT ON COLUMN drift_summary.rows_now IS 'Rows of the design matrix.';
COMMENT ON COLUMN drift_summary.rows_before IS 'Those of the fit before.';
COMMENT ON COLUMN drift_summary.rows IS 'Relative change of the number of rows.';
COMMENT ON COLUMN drift_summary.columns_now IS 'Columns of the design matrix.';
COMMENT ON COLUMN drift_summary.columns_before IS 'Those of the fit before.';
COMMENT ON COLUMN drift_summary.columns IS 'Columns, by name, that came or went.';
COMMENT ON COLUMN drift_summary.missing_now IS 'Share of rows that were left out for missing cells.';
COMMENT ON COLUMN drift_summary.missing_before IS 'That of the fit before.';
COMMENT ON COLUMN drift_summary.missing IS 'Change of that share.';
COMMENT ON COLUMN drift_summary.response_now IS 'Mean response; of binomial and bernoulli the rate of success.';
COMMENT ON COLUMN drift_summary.response_before IS 'That of the fit before.';
COMMENT ON COLUMN drift_summary.response_shift IS 'Change of the mean response in standard deviations of the response before.';
COMMENT ON COLUMN drift_summary.centre_shift IS 'Largest change of the mean of a design column, in its standard deviations of the fit before; constant columns are passed over.';
COMMENT ON COLUMN drift_summary.centre_shift_column IS 'The column concerned.';
COMMENT ON COLUMN drift_summary.scale_ratio IS 'Largest ratio of the standard deviations of a design column, the larger over the smaller.';
COMMENT ON COLUMN drift_summary.scale_ratio_column IS 'The column concerned.';
COMMENT ON COLUMN drift_summary.data_changed IS 'Whether a used cell changed, a row or a column.';
COMMENT ON COLUMN drift_summary.model_changed IS 'Whether formula, family or link changed.';
COMMENT ON COLUMN drift_summary.verdict IS 'Verdict of the fit.';

CREATE OR REPLACE VIEW coefficient_nights AS
SELECT n.dataset, n.key, n.model, n.sampler, s.name AS parameter, n.created, s.mean, s.sd, s.q025, s.q25, s.median, s.q75, s.q975, s.kind,
       n.fit_id, n.pipeline, row_number() OVER (PARTITION BY n.pipeline, n.dataset, n.key, n.model, n.sampler, s.name
                                                ORDER BY n.nth DESC) AS night, n.since
FROM predecessor n
JOIN summary s ON s.fit_id = n.fit_id
WHERE s.kind IN ('coefficient', 'derived', 'group_sd')
ORDER BY n.dataset, n.key, n.model, n.sampler, parameter, night;
COMMENT ON VIEW coefficient_nights IS 'Coefficients of the results of each name, run after run: a forest of one of them is WHERE parameter = … .';
-- As in effects: mean, sd, pipeline.
COMMENT ON COLUMN coefficient_nights.q025 IS '2.5 % quantile of the draws.';
COMMENT ON COLUMN coefficient_nights.q25 IS '25 % quantile of the draws.';
COMMENT ON COLUMN coefficient_nights.q75 IS '75 % quantile of the draws.';
COMMENT ON COLUMN coefficient_nights.q975 IS '97.5 % quantile of the draws.';
COMMENT ON COLUMN coefficient_nights.kind IS 'coefficient, derived or group_sd.';
COMMENT ON COLUMN coefficient_nights.night IS '1 for the newest result of a name, 2 for the one before, ….';
COMMENT ON COLUMN coefficient_nights.since IS 'When the fit became the result, UTC.';
