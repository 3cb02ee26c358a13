-- Which of two fits, or runs, is the newer one does not depend on a clock: every
-- run takes a place behind all runs that the ledger has when it begins. Fits and
-- runs of older programs have place 0, and among equal places the clock decides.

ALTER TABLE run ADD COLUMN place INTEGER DEFAULT 0;
COMMENT ON COLUMN run.place IS 'Order of runs: one more than that of every run which the ledger had when this one began; 0 for runs of older programs. It orders runs whatever the clock says; runs side by side share one.';

ALTER TABLE fit ADD COLUMN place INTEGER DEFAULT 0;
COMMENT ON COLUMN fit.place IS 'Place of the run that drew the fit. What is newest, or the fit before, goes by place, then created, then fit_id.';

CREATE OR REPLACE VIEW latest AS
SELECT * FROM fit
WHERE status = 'complete' AND replicate = 1
QUALIFY row_number() OVER (PARTITION BY dataset, key, model, sampler ORDER BY place DESC, created DESC, fit_id DESC) = 1;
COMMENT ON VIEW latest IS 'The newest complete fit of each data set, key, model and sampler, replicates left out.';

CREATE OR REPLACE VIEW predecessor AS
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

-- The newest fit of each name and those of its replicates that differ from it
-- in nothing but the seed.
CREATE OR REPLACE VIEW replicates AS
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
QUALIFY row_number() OVER (PARTITION BY f.dataset, f.key, f.model, f.sampler, f.replicate ORDER BY f.place DESC, f.created DESC, f.fit_id DESC) = 1
ORDER BY f.dataset, f.key, f.model, f.sampler, f.replicate;
COMMENT ON VIEW replicates IS 'The newest fit of each name and its replicates, with times and effective sample sizes: what pipeline compare rests on.';
COMMENT ON COLUMN replicates.seconds IS 'Set-up, warm-up and sampling, as one core would need.';
COMMENT ON COLUMN replicates.ess_median IS 'Median bulk ESS over coefficients.';
COMMENT ON COLUMN replicates.ess_min IS 'Least bulk ESS over coefficients.';
COMMENT ON COLUMN replicates.ess_log_lik IS 'Bulk ESS of log_lik.';
