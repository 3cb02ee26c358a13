-- What the data of a fit look like, and how far each fit lies from the one before it.

CREATE TABLE data_summary (
    fit_id        BIGINT NOT NULL,
    rows_used     BIGINT NOT NULL,
    rows_missing  BIGINT NOT NULL,
    response_mean DOUBLE,
    response_sd   DOUBLE
);

COMMENT ON TABLE data_summary IS 'The rows and the response of each complete fit: what drift_summary compares.';
COMMENT ON COLUMN data_summary.fit_id IS 'The fit.';
COMMENT ON COLUMN data_summary.rows_used IS 'Rows of the design matrix.';
COMMENT ON COLUMN data_summary.rows_missing IS 'Rows that were left out, since a used cell was missing (missing: drop).';
COMMENT ON COLUMN data_summary.response_mean IS 'Mean of the response; of binomial and bernoulli the rate of success. Rows count by frequency.';
COMMENT ON COLUMN data_summary.response_sd IS 'Standard deviation of the response (of the proportions, for binomial) with divisor n.';

CREATE TABLE column_summary (
    fit_id    BIGINT NOT NULL,
    column_id INTEGER NOT NULL,
    name      VARCHAR NOT NULL,
    mean      DOUBLE,
    sd        DOUBLE
);

COMMENT ON TABLE column_summary IS 'Mean and spread of each column of the design matrix, in the units of the data.';
COMMENT ON COLUMN column_summary.fit_id IS 'The fit.';
COMMENT ON COLUMN column_summary.column_id IS 'Number of the column, from 1; that of its coefficient.';
COMMENT ON COLUMN column_summary.name IS 'Name of the column, as R spells it.';
COMMENT ON COLUMN column_summary.mean IS 'Mean over the rows.';
COMMENT ON COLUMN column_summary.sd IS 'Standard deviation with divisor n; 0 for a constant column.';

CREATE VIEW predecessor AS
SELECT fit_id, pipeline, dataset, key, model, sampler, created,
       lag(fit_id) OVER night AS previous_fit_id,
       lag(created) OVER night AS previous_created
FROM fit
WHERE status = 'complete' AND replicate = 1
WINDOW night AS (PARTITION BY pipeline, dataset, key, model, sampler ORDER BY place, created, fit_id);
COMMENT ON VIEW predecessor IS 'Each complete fit with the complete fit before it of the same pipeline, data set, key, model and sampler; replicates left out.';
COMMENT ON COLUMN predecessor.fit_id IS 'The fit.';
COMMENT ON COLUMN predecessor.pipeline IS 'Its pipeline.';
COMMENT ON COLUMN predecessor.dataset IS 'Its data set.';
COMMENT ON COLUMN predecessor.key IS 'Its file or group of the data set.';
COMMENT ON COLUMN predecessor.model IS 'Its model.';
COMMENT ON COLUMN predecessor.sampler IS 'Its sampler.';
COMMENT ON COLUMN predecessor.created IS 'When it was finished.';
COMMENT ON COLUMN predecessor.previous_fit_id IS 'The fit before; NULL for the first one.';
COMMENT ON COLUMN predecessor.previous_created IS 'When that was finished.';

CREATE VIEW drift AS
SELECT n.dataset, n.key, n.model, n.sampler, n.created, n.previous_created, s.name AS parameter,
       s.mean, p.mean AS previous_mean, s.sd, p.sd AS previous_sd,
       (s.mean - p.mean) / nullif(p.sd, 0) AS shift,
       -- the errors of two nights are dependent: their streams have the same names
       (s.mean - p.mean) / nullif(s.mcse_mean + p.mcse_mean, 0) AS shift_z,
       s.sd / nullif(p.sd, 0) AS sd_ratio,
       n.fit_id, n.previous_fit_id, n.pipeline
FROM predecessor n
JOIN summary s ON s.fit_id = n.fit_id
JOIN summary p ON p.fit_id = n.previous_fit_id AND p.name = s.name AND p.kind = s.kind
WHERE s.kind <> 'statistic' AND s.kind <> 'local_scale'
ORDER BY n.dataset, n.key, n.model, n.sampler, n.created, s.parameter_id;
COMMENT ON VIEW drift IS 'Each fit against the complete fit before it of its pipeline, parameter by parameter: shift of means in posterior standard deviations, ratio of sds.';
COMMENT ON COLUMN drift.shift IS 'Change of the mean in standard deviations of the fit before.';
COMMENT ON COLUMN drift.shift_z IS 'Change of the mean over the sum of both Monte Carlo standard errors, the largest error that it can have: nights share their random numbers.';
COMMENT ON COLUMN drift.sd_ratio IS 'sd over the sd of the fit before.';
COMMENT ON COLUMN drift.dataset IS 'Data set.';
COMMENT ON COLUMN drift.key IS 'File or group of the data set.';
COMMENT ON COLUMN drift.model IS 'Model.';
COMMENT ON COLUMN drift.sampler IS 'Sampler.';
COMMENT ON COLUMN drift.created IS 'When the fit was finished.';
COMMENT ON COLUMN drift.previous_created IS 'When the fit before was finished.';
COMMENT ON COLUMN drift.parameter IS 'Parameter; those that one of the two lacks are left out.';
COMMENT ON COLUMN drift.mean IS 'Posterior mean.';
COMMENT ON COLUMN drift.previous_mean IS 'That of the fit before.';
COMMENT ON COLUMN drift.sd IS 'Posterior standard deviation.';
COMMENT ON COLUMN drift.previous_sd IS 'That of the fit before.';
COMMENT ON COLUMN drift.fit_id IS 'The fit.';
COMMENT ON COLUMN drift.previous_fit_id IS 'The fit before.';
COMMENT ON COLUMN drift.pipeline IS 'Pipeline of both.';

CREATE VIEW drift_summary AS
WITH posterior AS (
    SELECT fit_id, count(*) AS compared,
           max(abs(shift)) AS shift, arg_max(parameter, abs(shift)) AS shift_parameter, sqrt(avg(shift * shift)) AS shift_rms,
           max(abs(shift_z)) AS shift_z,
           max(greatest(sd_ratio, 1 / nullif(sd_ratio, 0))) AS sd_ratio,
           arg_max(parameter, greatest(sd_ratio, 1 / nullif(sd_ratio, 0))) AS sd_ratio_parameter
    FROM drift
    GROUP BY fit_id
), design_column AS (
    SELECT n.fit_id, c.name,
           abs(c.mean - p.mean) / nullif(p.sd, 0) AS moved,
           greatest(c.sd / nullif(p.sd, 0), p.sd / nullif(c.sd, 0)) AS ratio
    FROM predecessor n
    JOIN column_summary c ON c.fit_id = n.fit_id
    JOIN column_summary p ON p.fit_id = n.previous_fit_id AND p.name = c.name
), columns_of AS (
    SELECT fit_id, count(*) AS common,
           max(moved) AS centre_shift, arg_max(name, moved) AS centre_shift_column,
           max(ratio) AS scale_ratio, arg_max(name, ratio) AS scale_ratio_column
    FROM design_column
    GROUP BY fit_id
)
SELECT n.pipeline, n.dataset, n.key, n.model, n.sampler, n.created, n.previous_created,
       q.shift, q.shift_parameter, q.shift_rms, q.shift_z, q.sd_ratio, q.sd_ratio_parameter, coalesce(q.compared, 0) AS parameters_compared,
       f.n_rows AS rows_now, g.n_rows AS rows_before, abs(f.n_rows - g.n_rows) / nullif(g.n_rows, 0)::DOUBLE AS "rows",
       f.n_columns AS columns_now, g.n_columns AS columns_before, f.n_columns + g.n_columns - 2 * k.common AS "columns",
       d.rows_missing / nullif(d.rows_used + d.rows_missing, 0) AS missing_now,
       e.rows_missing / nullif(e.rows_used + e.rows_missing, 0) AS missing_before,
       abs(missing_now - missing_before) AS missing,
       d.response_mean AS response_now, e.response_mean AS response_before,
       abs(d.response_mean - e.response_mean) / nullif(e.response_sd, 0) AS response_shift,
       k.centre_shift, k.centre_shift_column, k.scale_ratio, k.scale_ratio_column,
       f.data_hash IS DISTINCT FROM g.data_hash AS data_changed,
       f.formula IS DISTINCT FROM g.formula OR f.family IS DISTINCT FROM g.family OR f.link IS DISTINCT FROM g.link AS model_changed,
       f.verdict, n.fit_id, n.previous_fit_id
FROM predecessor n
JOIN fit f ON f.fit_id = n.fit_id
JOIN fit g ON g.fit_id = n.previous_fit_id
LEFT JOIN posterior q ON q.fit_id = n.fit_id
LEFT JOIN columns_of k ON k.fit_id = n.fit_id
LEFT JOIN data_summary d ON d.fit_id = n.fit_id
LEFT JOIN data_summary e ON e.fit_id = n.previous_fit_id
ORDER BY n.pipeline, n.dataset, n.key, n.model, n.sampler, n.created, n.fit_id;
COMMENT ON VIEW drift_summary IS 'Each fit against the complete fit before it, one row a fit: the largest shifts of its posterior, and how its data changed. The gates of drift bound the columns of their names.';
COMMENT ON COLUMN drift_summary.pipeline IS 'Pipeline of both fits.';
COMMENT ON COLUMN drift_summary.dataset IS 'Data set.';
COMMENT ON COLUMN drift_summary.key IS 'File or group of the data set.';
COMMENT ON COLUMN drift_summary.model IS 'Model.';
COMMENT ON COLUMN drift_summary.sampler IS 'Sampler.';
COMMENT ON COLUMN drift_summary.created IS 'When the fit was finished.';
COMMENT ON COLUMN drift_summary.previous_created IS 'When the fit before was finished.';
COMMENT ON COLUMN drift_summary.shift IS 'Largest change of a posterior mean, in posterior standard deviations of the fit before.';
COMMENT ON COLUMN drift_summary.shift_parameter IS 'The parameter concerned.';
COMMENT ON COLUMN drift_summary.shift_rms IS 'Root mean square of these changes over parameters.';
COMMENT ON COLUMN drift_summary.shift_z IS 'Largest change of a posterior mean over the sum of both Monte Carlo standard errors, the largest error that it can have: nights share their random numbers.';
COMMENT ON COLUMN drift_summary.sd_ratio IS 'Largest ratio of posterior standard deviations, the larger over the smaller.';
COMMENT ON COLUMN drift_summary.sd_ratio_parameter IS 'The parameter concerned.';
COMMENT ON COLUMN drift_summary.parameters_compared IS 'Parameters that both fits have.';
COMMENT ON COLUMN drift_summary.rows_now IS 'Rows of the design matrix.';
COMMENT ON COLUMN drift_summary.rows_before IS 'Those of the fit before.';
COMMENT ON COLUMN drift_summary."rows" IS 'Relative change of the number of rows.';
COMMENT ON COLUMN drift_summary.columns_now IS 'Columns of the design matrix.';
COMMENT ON COLUMN drift_summary.columns_before IS 'Those of the fit before.';
COMMENT ON COLUMN drift_summary."columns" IS 'Columns, by name, that came or went.';
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
COMMENT ON COLUMN drift_summary.fit_id IS 'The fit.';
COMMENT ON COLUMN drift_summary.previous_fit_id IS 'The fit before.';
