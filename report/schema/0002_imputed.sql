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

CREATE TABLE incomplete_column (
    fit_id   BIGINT NOT NULL,
    variable VARCHAR NOT NULL,
    formula  VARCHAR NOT NULL,
    family   VARCHAR NOT NULL,
    response BOOLEAN NOT NULL,
    observed BIGINT NOT NULL,
    missing  BIGINT NOT NULL
);
COMMENT ON TABLE incomplete_column IS 'Columns of which missing cells were drawn with the coefficients, in the order of their models; the response last, where some of its are predicted.';
COMMENT ON COLUMN incomplete_column.fit_id IS 'The fit.';
COMMENT ON COLUMN incomplete_column.variable IS 'The column.';
COMMENT ON COLUMN incomplete_column.formula IS 'Formula of its model; of the response that of the regression.';
COMMENT ON COLUMN incomplete_column.family IS 'Family of its model: multinomial of a column of more than two levels.';
COMMENT ON COLUMN incomplete_column.response IS 'Whether it is the response.';
COMMENT ON COLUMN incomplete_column.observed IS 'Cells that are there.';
COMMENT ON COLUMN incomplete_column.missing IS 'Missing cells.';

CREATE TABLE imputed_bin (
    fit_id   BIGINT NOT NULL,
    variable VARCHAR NOT NULL,
    bin      INTEGER NOT NULL,
    level    VARCHAR,
    low      DOUBLE,
    high     DOUBLE,
    observed BIGINT NOT NULL,
    mean     DOUBLE,
    q025     DOUBLE,
    q25      DOUBLE,
    median   DOUBLE,
    q75      DOUBLE,
    q975     DOUBLE
);
COMMENT ON TABLE imputed_bin IS 'Values of incomplete columns by class: how many observed cells are in it, and how many missing ones over the draws.';
COMMENT ON COLUMN imputed_bin.fit_id IS 'The fit.';
COMMENT ON COLUMN imputed_bin.variable IS 'The column.';
COMMENT ON COLUMN imputed_bin.bin IS '1, 2, … in increasing order.';
COMMENT ON COLUMN imputed_bin.level IS 'The value, of columns of levels or of two values; else NULL.';
COMMENT ON COLUMN imputed_bin.low IS 'Lower end of the class; NULL: what lies below the observed values, or a level.';
COMMENT ON COLUMN imputed_bin.high IS 'Upper end; NULL: what lies above them, or a level.';
COMMENT ON COLUMN imputed_bin.observed IS 'Observed cells in it.';
COMMENT ON COLUMN imputed_bin.mean IS 'Mean number of missing cells in it over the draws.';
COMMENT ON COLUMN imputed_bin.q025 IS '2.5 % quantile of that number.';
COMMENT ON COLUMN imputed_bin.q25 IS '25 % quantile.';
COMMENT ON COLUMN imputed_bin.median IS 'Median.';
COMMENT ON COLUMN imputed_bin.q75 IS '75 % quantile.';
COMMENT ON COLUMN imputed_bin.q975 IS '97.5 % quantile.';

CREATE VIEW incomplete_columns AS
SELECT l.dataset, l.key, l.model, l.sampler, c.variable, c.formula, c.family, c.response, c.observed, c.missing, l.state, l.fit_id
FROM latest l
JOIN incomplete_column c USING (fit_id)
ORDER BY l.dataset, l.key, l.model, l.sampler, c.rowid;
COMMENT ON VIEW incomplete_columns IS 'Columns of the newest fits of models with missing: impute of which missing cells were drawn, with their models.';
COMMENT ON COLUMN incomplete_columns.variable IS 'The column.';
COMMENT ON COLUMN incomplete_columns.formula IS 'Formula of its model; of the response that of the regression.';
COMMENT ON COLUMN incomplete_columns.family IS 'Family of its model: multinomial of a column of more than two levels.';
COMMENT ON COLUMN incomplete_columns.response IS 'Whether it is the response.';
COMMENT ON COLUMN incomplete_columns.observed IS 'Cells that are there.';
COMMENT ON COLUMN incomplete_columns.missing IS 'Missing cells.';
