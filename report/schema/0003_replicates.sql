-- Replicates: a fit repeated with seeds of its own, to learn how much a time varies.

ALTER TABLE fit ADD COLUMN replicate INTEGER DEFAULT 1;
COMMENT ON COLUMN fit.replicate IS '1 for the fit itself, 2, 3, … for its repetitions with other seeds (run: replicates).';

CREATE OR REPLACE VIEW latest AS
SELECT * FROM fit
WHERE status = 'complete' AND replicate = 1
QUALIFY row_number() OVER (PARTITION BY dataset, key, model, sampler ORDER BY created DESC, fit_id DESC) = 1;
COMMENT ON VIEW latest IS 'The newest complete fit of each data set, key, model and sampler, replicates left out.';

CREATE OR REPLACE VIEW drift AS
WITH nights AS (
    SELECT fit_id, dataset, key, model, sampler, created,
           lag(fit_id) OVER night AS previous_fit_id,
           lag(created) OVER night AS previous_created
    FROM fit
    WHERE status = 'complete' AND replicate = 1
    WINDOW night AS (PARTITION BY dataset, key, model, sampler ORDER BY created, fit_id)
)
SELECT n.dataset, n.key, n.model, n.sampler, n.created, n.previous_created, s.name AS parameter,
       s.mean, p.mean AS previous_mean, s.sd, p.sd AS previous_sd,
       (s.mean - p.mean) / nullif(p.sd, 0) AS shift,
       (s.mean - p.mean) / nullif(sqrt(s.mcse_mean * s.mcse_mean + p.mcse_mean * p.mcse_mean), 0) AS shift_z,
       s.sd / nullif(p.sd, 0) AS sd_ratio,
       n.fit_id, n.previous_fit_id
FROM nights n
JOIN summary s ON s.fit_id = n.fit_id
JOIN summary p ON p.fit_id = n.previous_fit_id AND p.name = s.name AND p.kind = s.kind
WHERE s.kind <> 'statistic'
ORDER BY n.dataset, n.key, n.model, n.sampler, n.created, s.parameter_id;
COMMENT ON VIEW drift IS 'Each fit against the complete fit before it, replicates left out: shift of means in posterior standard deviations, ratio of sds.';
COMMENT ON COLUMN drift.shift IS 'Change of the mean in standard deviations of the fit before.';
COMMENT ON COLUMN drift.shift_z IS 'Change of the mean in Monte Carlo standard errors.';
COMMENT ON COLUMN drift.sd_ratio IS 'sd over the sd of the fit before.';

-- The newest fit of each name and those of its replicates that differ from it
-- in nothing but the seed.
CREATE VIEW replicates AS
WITH setting AS (
    SELECT fit_id, concat_ws(' ', record->>'$.sampler', record->>'$.length', record->>'$.chains', record->>'$.seed', record->>'$.versions') AS text
    FROM identity
)
SELECT f.dataset, f.key, f.model, f.sampler, f.replicate, f.fit_id, f.method, f.verdict, f.chains, f.warmup, f.draws,
       f.setup_seconds, f.warmup_seconds, f.sampling_seconds,
       f.setup_seconds + f.warmup_seconds + f.sampling_seconds AS seconds,
       (SELECT max(value) FROM diagnostic d WHERE d.fit_id = f.fit_id AND d.name = 'ess_bulk_median') AS ess_median,
       (SELECT max(value) FROM diagnostic d WHERE d.fit_id = f.fit_id AND d.name = 'ess_bulk_min') AS ess_min,
       (SELECT max(ess_bulk) FROM summary s WHERE s.fit_id = f.fit_id AND s.name = 'log_lik' AND s.kind = 'statistic') AS ess_log_lik,
       f.to_ess100_median, f.to_ess100_min, f.to_ess100_log_lik
FROM fit f
JOIN latest l USING (dataset, key, model, sampler)
LEFT JOIN setting i ON i.fit_id = f.fit_id
LEFT JOIN setting j ON j.fit_id = l.fit_id
WHERE f.fit_id = l.fit_id
   OR f.status = 'complete' AND f.replicate > 1 AND i.text = j.text AND f.data_hash = l.data_hash AND f.model_hash = l.model_hash
QUALIFY row_number() OVER (PARTITION BY f.dataset, f.key, f.model, f.sampler, f.replicate ORDER BY f.created DESC, f.fit_id DESC) = 1
ORDER BY f.dataset, f.key, f.model, f.sampler, f.replicate;
COMMENT ON VIEW replicates IS 'The newest fit of each name and its replicates, with times and effective sample sizes: what pipeline compare rests on.';
COMMENT ON COLUMN replicates.seconds IS 'Set-up, warm-up and sampling, as one core would need.';
COMMENT ON COLUMN replicates.ess_median IS 'Median bulk ESS over coefficients.';
COMMENT ON COLUMN replicates.ess_min IS 'Least bulk ESS over coefficients.';
COMMENT ON COLUMN replicates.ess_log_lik IS 'Bulk ESS of log_lik.';
