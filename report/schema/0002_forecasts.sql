-- Forecasts of how fast chains forget, beside what the draws have.

CREATE VIEW forecasts AS
SELECT f.dataset, f.key, f.model, f.sampler, f.method, f.n_rows, f.n_columns, substr(p.name, 10) AS quantity,
       p.value AS predicted, m.value AS measured,
       CASE WHEN quantity LIKE 'rate%' THEN (1 - m.value) / nullif(1 - p.value, 0) ELSE m.value / nullif(p.value, 0) END AS ratio,
       p.note, f.state, f.fit_id
FROM latest f
JOIN diagnostic p USING (fit_id)
LEFT JOIN diagnostic m ON m.fit_id = p.fit_id AND m.name = p.name || '_measured'
WHERE starts_with(p.name, 'forecast_') AND NOT ends_with(p.name, '_measured')
ORDER BY f.dataset, f.key, f.model, f.sampler, quantity;
COMMENT ON VIEW forecasts IS 'How fast the chains of the newest fits were expected to forget, before they were drawn, beside what the draws have.';
COMMENT ON COLUMN forecasts.dataset IS 'Data set.';
COMMENT ON COLUMN forecasts.key IS 'File or group of the data set.';
COMMENT ON COLUMN forecasts.model IS 'Model.';
COMMENT ON COLUMN forecasts.sampler IS 'Sampler.';
COMMENT ON COLUMN forecasts.method IS 'Its method.';
COMMENT ON COLUMN forecasts.n_rows IS 'Rows of the design.';
COMMENT ON COLUMN forecasts.n_columns IS 'Its columns.';
COMMENT ON COLUMN forecasts.quantity IS 'rate (share of the distance along the slowest direction that an iteration keeps), rate_bound (what a theorem says of it), rate_bound_residual (the same by the residual condition number), ess_slowest, ess_least (effective draws an iteration of the slowest combination of coefficients, and of the slowest coefficient), gradients (to an effective draw, of nuts and hmc), cost_ratio (sweeps to an effective draw over the gradients that hmc would take).';
COMMENT ON COLUMN forecasts.predicted IS 'From the normal approximation at the penalised point.';
COMMENT ON COLUMN forecasts.measured IS 'Of the draws: autocorrelation at lag 1 along the direction, bulk effective sample size over draws, gradients over the least of these.';
COMMENT ON COLUMN forecasts.ratio IS 'Measured over predicted; of a rate the same of 1 - rate, what an iteration forgets: no less than 1 where a bound holds.';
COMMENT ON COLUMN forecasts.note IS 'What the forecast rests on, or why there is none.';
COMMENT ON COLUMN forecasts.state IS 'current, or what became of a newer attempt.';
COMMENT ON COLUMN forecasts.fit_id IS 'The fit.';
