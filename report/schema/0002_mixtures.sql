-- Mixtures: what a component is called as it was sampled is not compared, between nights or samplers.

CREATE OR REPLACE VIEW drift AS
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
WHERE s.kind NOT IN ('statistic', 'local_scale', 'unsorted')
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
    SELECT q.fit_a, q.fit_b, s.* FROM pair q JOIN summary s ON s.fit_id = q.fit_a AND s.kind NOT IN ('derived', 'unsorted')
), side_b AS (
    SELECT q.fit_a, q.fit_b, s.* FROM pair q JOIN summary s ON s.fit_id = q.fit_b AND s.kind NOT IN ('derived', 'unsorted')
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

-- Of which component each row is.

CREATE TABLE allocation (
    fit_id      BIGINT NOT NULL,
    observation BIGINT NOT NULL,
    row         BIGINT NOT NULL,
    component   INTEGER NOT NULL,
    posterior   DOUBLE
);

COMMENT ON TABLE allocation IS 'Of which component of a mixture each row is: a row for each of them and each component.';
COMMENT ON COLUMN allocation.fit_id IS 'The fit.';
COMMENT ON COLUMN allocation.observation IS '1, 2, … in the order of the used rows.';
COMMENT ON COLUMN allocation.row IS 'The row of the data, counted from 1; where equal rows count once, the first of them among the rows that differ.';
COMMENT ON COLUMN allocation.component IS 'The component, numbered in each draw as its parameters are: 1 is that of theta1.';
COMMENT ON COLUMN allocation.posterior IS 'Posterior probability that the row is of it: the mean over the draws of its weight times its density of the row, over the sum of these. NULL where a draw has no density.';

CREATE VIEW allocations AS
SELECT f.dataset, f.key, f.model, f.sampler, a.row, a.component, a.posterior AS probability, a.observation,
       coalesce(s.value, 0) = 0 AS meaningful, f.state, f.fit_id
FROM latest f
JOIN allocation a USING (fit_id)
LEFT JOIN diagnostic s ON s.fit_id = f.fit_id AND s.name = 'label_switches' AND s.chain IS NULL
ORDER BY f.dataset, f.key, f.model, f.sampler, a.rowid;

COMMENT ON VIEW allocations IS 'Of which component of a mixture each row is, of the newest fits: a row for each of them and each component.';
COMMENT ON COLUMN allocations.dataset IS 'Data set.';
COMMENT ON COLUMN allocations.key IS 'File or group of the data set.';
COMMENT ON COLUMN allocations.model IS 'Model.';
COMMENT ON COLUMN allocations.sampler IS 'Sampler.';
COMMENT ON COLUMN allocations.row IS 'The row of the data, counted from 1; where equal rows count once, the first of them among the rows that differ.';
COMMENT ON COLUMN allocations.component IS 'The component, numbered in each draw as its parameters are: 1 is that of theta1.';
COMMENT ON COLUMN allocations.probability IS 'Posterior probability that the row is of it, the label integrated out in each draw.';
COMMENT ON COLUMN allocations.observation IS '1, 2, … in the order of the used rows.';
COMMENT ON COLUMN allocations.meaningful IS 'Whether a number stands for one group of rows: the order of the components, as they were sampled, never changed within a chain. Where it did, components overlap in what they are numbered by, and a number stands for one group in some draws and for another one in others.';
COMMENT ON COLUMN allocations.state IS 'current, or what became of a newer attempt at the fit: error or uncommitted.';
COMMENT ON COLUMN allocations.fit_id IS 'The fit.';

COMMENT ON COLUMN parameter.kind IS 'intercept, coefficient, dispersion, scale (of a horseshoe prior: tau, c), local_scale (lambda, one a coefficient; there with keep: scales only, and seen by no gate), group_sd, group_correlation, group_effect (of group-level effects), smooth_sd, smooth_effect (of a smooth: the standard deviation of its penalised coefficients, and one of these), inclusion (1 where a coefficient of a prior spike_slab is in the model), imputation (of the model of an incomplete column), imputed (a missing cell or response), mixture_weight, probability, unsorted (of a mixture: the weight of a component; the probability of a category of an item in a component; a parameter of one as it was sampled, whose number means nothing and which no gate sees) or derived.';
COMMENT ON COLUMN parameter.term IS 'The term that a group_effect or group_sd is of, Intercept or a column; the second of the two of a group_correlation; the smooth of a smooth_sd or smooth_effect, s(x) or s(x):level; the column of a coefficient of a mixture''s component, or the item of a parameter of latent classes.';
COMMENT ON COLUMN parameter.level IS 'The level of the grouping that a group_effect is of; else NULL; of a mixture the number of the component.';
COMMENT ON COLUMN parameter.beside IS 'The other term of a group_correlation; the category of a probability of latent classes; else NULL.';
