-- Condition numbers: of each fit in a row, and of NUTS's metric over warm-up.

CREATE TABLE metric (
    fit_id     BIGINT NOT NULL,
    chain      SMALLINT NOT NULL,
    after_iterations INTEGER NOT NULL,
    condition  DOUBLE,
    note       VARCHAR
);
COMMENT ON TABLE metric IS 'The metric of a nuts or hmc chain after each window of its warm-up (run: condition).';
COMMENT ON COLUMN metric.fit_id IS 'The fit.';
COMMENT ON COLUMN metric.chain IS 'The chain: 1, 2, ….';
COMMENT ON COLUMN metric.after_iterations IS 'Iterations of warm-up that the chain had behind it when it took this metric; 0 for the one it began with.';
COMMENT ON COLUMN metric.condition IS 'Effective condition number: that of the curvature over the coefficients at the penalised point after preconditioning by the metric.';
COMMENT ON COLUMN metric.note IS 'Why condition is NULL.';

CREATE VIEW conditions AS
SELECT f.fit_id, f.dataset, f.key, f.model, f.sampler, f.n_rows, f.n_columns, split_part(d.name, '_', 3) AS place,
       max(d.value) FILTER (d.name LIKE 'condition_raw_%') AS raw,
       max(d.value) FILTER (d.name LIKE 'condition_correlation_%') AS correlation,
       max(d.value) FILTER (d.name LIKE 'condition_residual_%') AS residual,
       max(TRY_CAST(replace(d.note, 'at least ', '') AS DOUBLE)) FILTER (d.name LIKE 'condition_residual_%') AS residual_low,
       max(d.note) FILTER (d.value IS NULL) AS reason
FROM latest f
JOIN diagnostic d USING (fit_id)
WHERE d.name SIMILAR TO 'condition_(raw|correlation|residual)_(mode|draws)'
GROUP BY ALL
ORDER BY f.dataset, f.key, f.model, f.sampler, place DESC;
COMMENT ON VIEW conditions IS 'Condition numbers of the newest fits: of the curvature at the penalised point (mode) and of the covariance of the draws, design as sampled.';
COMMENT ON COLUMN conditions.place IS 'mode or draws.';
COMMENT ON COLUMN conditions.raw IS 'Largest over smallest eigenvalue.';
COMMENT ON COLUMN conditions.correlation IS 'The same with all diagonal entries scaled to 1.';
COMMENT ON COLUMN conditions.residual IS 'The least found under any diagonal scaling.';
COMMENT ON COLUMN conditions.residual_low IS 'What no diagonal scaling can go below.';
COMMENT ON COLUMN conditions.reason IS 'Why a number is NULL.';
