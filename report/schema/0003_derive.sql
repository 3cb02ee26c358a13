-- Quantities that are computed from the parameters of each draw. Their draws
-- and summaries stand beside those of parameters, with kind 'derived'.

CREATE TABLE derived (
    fit_id       BIGINT NOT NULL,
    parameter_id INTEGER NOT NULL,
    name         VARCHAR NOT NULL,
    expression   VARCHAR NOT NULL,
    nan_draws    BIGINT NOT NULL,
    inf_draws    BIGINT NOT NULL,
    first_at     VARCHAR
);

COMMENT ON TABLE derived IS 'Derived quantities of each fit: parameters of kind derived.';
COMMENT ON COLUMN derived.fit_id IS 'The fit.';
COMMENT ON COLUMN derived.parameter_id IS 'Its number among the parameters of the fit; they come last.';
COMMENT ON COLUMN derived.name IS 'Name under derive.';
COMMENT ON COLUMN derived.expression IS 'The expression that it is computed by.';
COMMENT ON COLUMN derived.nan_draws IS 'Draws for which it has no value, such as the logarithm of a negative number; NaN in the table draw.';
COMMENT ON COLUMN derived.inf_draws IS 'Draws for which it is infinite.';
COMMENT ON COLUMN derived.first_at IS 'The part of the expression that was the first without a finite value; NULL if all draws have one.';

-- The comparison of samplers leaves derived quantities out: they follow from the
-- parameters, and one that is the same in every draw cannot be compared.
CREATE OR REPLACE VIEW comparison AS
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
