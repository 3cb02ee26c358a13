-- Views of fits, their draws and summaries.

-- Names are joined to pieces, not to each draw.
CREATE VIEW draws AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain,
       d.first + unnest(CASE WHEN d.n = 250 THEN range(250)::INTEGER[] ELSE range(d.n)::INTEGER[] END) AS iteration,
       p.name AS parameter, unnest(CASE WHEN d.n = 250 THEN d.v::DOUBLE[] ELSE d.v[:d.n] END) AS value
FROM draw_piece d
JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id
JOIN fit f ON f.fit_id = d.fit_id;
COMMENT ON VIEW draws IS 'Draws of all fits with names: filter by dataset, model, sampler, parameter.';
COMMENT ON COLUMN draws.chain IS '1, 2, …';
COMMENT ON COLUMN draws.iteration IS '1, 2, … over the kept draws of the chain.';
COMMENT ON COLUMN draws.value IS 'The draw, in the units of the data.';

CREATE VIEW draws_standardized AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain,
       d.first + unnest(CASE WHEN d.n = 250 THEN range(250)::INTEGER[] ELSE range(d.n)::INTEGER[] END) AS iteration,
       p.name AS parameter, p.scale * unnest(CASE WHEN d.n = 250 THEN d.v::DOUBLE[] ELSE d.v[:d.n] END) AS value
FROM draw_piece d
JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id
JOIN fit f ON f.fit_id = d.fit_id
WHERE p.kind = 'coefficient';
COMMENT ON VIEW draws_standardized IS 'Draws of coefficients times the scale of their column: effects of one unit of the standardised design.';
COMMENT ON COLUMN draws_standardized.chain IS '1, 2, …';
COMMENT ON COLUMN draws_standardized.iteration IS '1, 2, … over the kept draws of the chain.';
COMMENT ON COLUMN draws_standardized.value IS 'The draw, for one unit of the standardised column.';

-- What the newest run that tried for a name did about it: stored says that what it took is in the ledger. Aggregates
-- find the newest in a quarter of the time of windows.
CREATE VIEW attempt AS
WITH tried AS (
    SELECT n.dataset, n.key, n.model, n.sampler, arg_max(n.run_id, (coalesce(r.place, -1), n.noted, n.rowid)) AS run_id
    FROM run_fit n
    LEFT JOIN run r USING (run_id)
    GROUP BY ALL
)
SELECT t.dataset, t.key, t.model, t.sampler, t.run_id, max(coalesce(r.started, n.noted)) AS attempted,
       CASE WHEN bool_and(n.action IN ('computed', 'skipped')) THEN 'stored'
            ELSE arg_min(n.action, CASE n.action WHEN 'error' THEN 0 WHEN 'uncommitted' THEN 1 WHEN 'computed' THEN 3 WHEN 'skipped' THEN 3 ELSE 2 END) END AS outcome,
       list(n.fit_id) FILTER (n.action IN ('computed', 'skipped')) AS fits, first(n.reasons[1]) FILTER (n.action NOT IN ('computed', 'skipped')) AS reason
FROM tried t
JOIN run_fit n USING (dataset, key, model, sampler, run_id)
LEFT JOIN run r USING (run_id)
GROUP BY ALL;
COMMENT ON VIEW attempt IS 'What the newest run that tried for each data set, key, model and sampler did about it.';
COMMENT ON COLUMN attempt.attempted IS 'When that run began, UTC.';
COMMENT ON COLUMN attempt.outcome IS 'stored (drawn, or found unchanged), error or uncommitted; the worst one where there are replicates.';
COMMENT ON COLUMN attempt.fits IS 'The fits that it drew or found unchanged.';
COMMENT ON COLUMN attempt.reason IS 'The first reason of an outcome that is not stored.';

CREATE VIEW newest AS
SELECT arg_max(fit_id, (place, created, fit_id)) AS fit_id FROM fit
WHERE status = 'complete' AND replicate = 1
GROUP BY dataset, key, model, sampler;
COMMENT ON VIEW newest IS 'Numbers of the newest complete fits: those of latest.';

CREATE VIEW latest AS
SELECT f.*, coalesce(a.attempted, f.created) AS attempted,
       CASE WHEN a.outcome IS NULL OR list_contains(a.fits, f.fit_id) OR a.run_id = f.run_id THEN 'current' ELSE a.outcome END AS state
FROM newest
JOIN fit f USING (fit_id)
LEFT JOIN attempt a USING (dataset, key, model, sampler);
COMMENT ON VIEW latest IS 'The newest complete fit of each data set, key, model and sampler, replicates left out: look at state, for a newer attempt may have failed.';
COMMENT ON COLUMN latest.attempted IS 'When the newest run that tried for this fit began, UTC.';
COMMENT ON COLUMN latest.state IS 'current where that run drew the fit or found it unchanged; else what became of that attempt, error or uncommitted: the fit is older than the last try.';

CREATE VIEW coefficients AS
SELECT l.fit_id, l.dataset, l.key, l.model, l.sampler, s.name AS parameter,
       s.mean, s.sd, s.q025, s.median, s.q975, s.rhat, s.ess_bulk, s.ess_tail, l.verdict, l.state, l.created, l.run_id
FROM latest l
JOIN summary s ON s.fit_id = l.fit_id
WHERE s.kind NOT IN ('statistic', 'group_effect')
ORDER BY l.dataset, l.key, l.model, l.sampler, s.parameter_id;
COMMENT ON VIEW coefficients IS 'Summaries of the parameters of the latest fits; those of levels of a grouping stand in group_effects.';
COMMENT ON COLUMN coefficients.mean IS 'Posterior mean; NULL where it may not exist.';
COMMENT ON COLUMN coefficients.sd IS 'Posterior standard deviation; NULL where it may not exist.';
COMMENT ON COLUMN coefficients.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN coefficients.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN coefficients.state IS 'current, or what became of a newer attempt at the fit: error or uncommitted.';
COMMENT ON COLUMN coefficients.created IS 'When the fit was drawn, UTC.';
COMMENT ON COLUMN coefficients.run_id IS 'The run that drew it.';

-- Two samplers on one posterior: same data, same model. Two fits agree when no
-- mean and no sd differs by more than chance: each difference is divided by its
-- Monte Carlo error, and the largest of the m = 2 × parameters z-scores must
-- stay under sqrt(2 ln(m / 0.001)), which m standard normal numbers exceed with
-- probability at most 0.001 (P(|Z| > t) ≤ exp(−t²/2), union bound). Derived
-- quantities are left out: they follow from the parameters, and one that is the
-- same in every draw cannot be compared.
CREATE VIEW comparison AS
WITH pair AS (
    SELECT a.dataset, a.key, a.model, a.sampler AS sampler_a, b.sampler AS sampler_b,
           a.fit_id AS fit_a, b.fit_id AS fit_b,
           a.setup_seconds + a.warmup_seconds + a.sampling_seconds AS seconds_a,
           b.setup_seconds + b.warmup_seconds + b.sampling_seconds AS seconds_b
    FROM latest a
    JOIN latest b ON a.dataset = b.dataset AND a.key = b.key AND a.model = b.model AND a.sampler < b.sampler
     AND a.data_hash IS NOT DISTINCT FROM b.data_hash AND a.model_hash IS NOT DISTINCT FROM b.model_hash
), side_a AS (
    SELECT q.fit_a, q.fit_b, s.* FROM pair q JOIN summary s ON s.fit_id = q.fit_a AND s.kind <> 'derived'
), side_b AS (
    SELECT q.fit_a, q.fit_b, s.* FROM pair q JOIN summary s ON s.fit_id = q.fit_b AND s.kind <> 'derived'
), matched AS (
    SELECT fit_a, fit_b, kind, name,
           (a.mean - b.mean) / nullif(sqrt((a.sd * a.sd + b.sd * b.sd) / 2), 0) AS difference,
           -- where neither has a mean, which may not exist, the medians tell
           a.median IS NOT NULL AND b.median IS NOT NULL AND a.mean IS NULL AND b.mean IS NULL AS by_median,
           CASE WHEN by_median THEN (a.median - b.median) / nullif(sqrt(a.mcse_median * a.mcse_median + b.mcse_median * b.mcse_median), 0)
                ELSE (a.mean - b.mean) / nullif(sqrt(a.mcse_mean * a.mcse_mean + b.mcse_mean * b.mcse_mean), 0) END AS z_mean,
           (a.sd - b.sd) / nullif(sqrt(a.mcse_sd * a.mcse_sd + b.mcse_sd * b.mcse_sd), 0) AS z_sd,
           a.sd / nullif(b.sd, 0) AS sd_ratio,
           a.ess_bulk AS ess_a, b.ess_bulk AS ess_b,
           a.fit_id IS NOT NULL AND b.fit_id IS NOT NULL AS in_both
    FROM side_a a
    FULL JOIN side_b b USING (fit_a, fit_b, kind, name)
    -- statistics that one sampler has alone are no disagreement
    WHERE kind <> 'statistic' OR in_both
), measured AS (
    SELECT fit_a, fit_b,
           count(*) FILTER (in_both) AS compared,
           count(*) FILTER (NOT in_both OR z_mean IS NULL OR z_sd IS NULL AND NOT by_median) AS not_compared,
           max(abs(difference)) AS difference_max,
           sqrt(avg(difference * difference)) AS difference_rms,
           max(greatest(abs(z_mean), abs(z_sd))) AS z_max,
           sqrt(avg(z_mean * z_mean)) AS z_rms,
           sqrt(2 * ln(2 * count(*) / 0.001)) AS z_limit,
           arg_max(name, greatest(abs(z_mean), abs(z_sd))) AS worst,
           min(sd_ratio) AS sd_ratio_min,
           max(sd_ratio) AS sd_ratio_max,
           median(ess_a) FILTER (kind <> 'statistic') AS ess_median_a,
           median(ess_b) FILTER (kind <> 'statistic') AS ess_median_b,
           min(ess_a) AS ess_min_a,
           min(ess_b) AS ess_min_b
    FROM matched
    GROUP BY fit_a, fit_b
)
SELECT q.dataset, q.key, q.model, q.sampler_a, q.sampler_b,
       CASE WHEN m.z_max > m.z_limit THEN 'differ'
            WHEN m.not_compared > 0 OR m.compared = 0 THEN 'unknown'
            ELSE 'agree' END AS agreement,
       m.compared, m.not_compared, m.difference_max, m.difference_rms, m.z_max, m.z_rms, m.z_limit, m.worst,
       m.sd_ratio_min, m.sd_ratio_max,
       q.seconds_a, q.seconds_b,
       m.ess_median_a / nullif(q.seconds_a, 0) AS ess_per_second_a,
       m.ess_median_b / nullif(q.seconds_b, 0) AS ess_per_second_b,
       (m.ess_median_a / nullif(q.seconds_a, 0)) / nullif(m.ess_median_b / nullif(q.seconds_b, 0), 0) AS ess_per_second_ratio,
       (m.ess_min_a / nullif(q.seconds_a, 0)) / nullif(m.ess_min_b / nullif(q.seconds_b, 0), 0) AS min_ess_per_second_ratio,
       q.fit_a, q.fit_b
FROM pair q
JOIN measured m USING (fit_a, fit_b)
ORDER BY q.dataset, q.key, q.model, q.sampler_a, q.sampler_b;
COMMENT ON VIEW comparison IS 'Pairs of samplers on one posterior: ESS per second, standardised differences and whether they agree.';
COMMENT ON COLUMN comparison.agreement IS 'agree, differ (z_max exceeds z_limit) or unknown (something could not be compared).';
COMMENT ON COLUMN comparison.compared IS 'Quantities that both samplers have.';
COMMENT ON COLUMN comparison.not_compared IS 'Parameters that one lacks, or quantities without Monte Carlo errors.';
COMMENT ON COLUMN comparison.difference_max IS 'Largest difference of means in posterior standard deviations.';
COMMENT ON COLUMN comparison.difference_rms IS 'Root mean square of these differences.';
COMMENT ON COLUMN comparison.z_max IS 'Largest difference of means or sds, or of medians where neither sampler tells a mean, in Monte Carlo standard errors.';
COMMENT ON COLUMN comparison.z_rms IS 'Root mean square of the differences of means (or medians) in Monte Carlo standard errors.';
COMMENT ON COLUMN comparison.z_limit IS 'What z_max exceeds by chance with probability at most 0.001.';
COMMENT ON COLUMN comparison.worst IS 'Quantity with the largest z.';
COMMENT ON COLUMN comparison.seconds_a IS 'Set-up, warm-up and sampling of sampler_a.';
COMMENT ON COLUMN comparison.ess_per_second_a IS 'Median bulk ESS over parameters per second of sampler_a.';
COMMENT ON COLUMN comparison.ess_per_second_ratio IS 'That of sampler_a over that of sampler_b.';
COMMENT ON COLUMN comparison.min_ess_per_second_ratio IS 'The same for the smallest bulk ESS.';
COMMENT ON COLUMN comparison.sampler_a IS 'The sampler whose name comes first.';
COMMENT ON COLUMN comparison.sampler_b IS 'The other one.';
COMMENT ON COLUMN comparison.sd_ratio_min IS 'Smallest ratio of posterior standard deviations, that of sampler_a over that of sampler_b.';
COMMENT ON COLUMN comparison.sd_ratio_max IS 'Largest ratio of posterior standard deviations.';
COMMENT ON COLUMN comparison.seconds_b IS 'Set-up, warm-up and sampling of sampler_b.';
COMMENT ON COLUMN comparison.ess_per_second_b IS 'Median bulk ESS over parameters per second of sampler_b.';
COMMENT ON COLUMN comparison.fit_a IS 'The fit of sampler_a.';
COMMENT ON COLUMN comparison.fit_b IS 'The fit of sampler_b.';

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
QUALIFY row_number() OVER (PARTITION BY f.dataset, f.key, f.model, f.sampler, f.replicate ORDER BY f.place DESC, f.created DESC, f.fit_id DESC) = 1
ORDER BY f.dataset, f.key, f.model, f.sampler, f.replicate;
COMMENT ON VIEW replicates IS 'The newest fit of each name and its replicates, with times and effective sample sizes: what pipeline compare rests on.';
COMMENT ON COLUMN replicates.seconds IS 'Set-up, warm-up and sampling, as one core would need.';
COMMENT ON COLUMN replicates.ess_median IS 'Median bulk ESS over parameters, dispersions included, local scales not.';
COMMENT ON COLUMN replicates.ess_min IS 'Least bulk ESS over these parameters.';
COMMENT ON COLUMN replicates.ess_log_lik IS 'Bulk ESS of log_lik.';

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
