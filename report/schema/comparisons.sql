-- Two samplers on one posterior of a pipeline: same data, same model. Two fits agree when no mean and no sd differs by
-- more than chance: each difference is divided by its Monte Carlo error, and the largest of the m = 2 × parameters
-- z-scores must stay under sqrt(2 ln(m / 0.001)), which m standard normal numbers exceed with probability at most 0.001
-- (P(|Z| > t) ≤ exp(−t²/2), union bound). Derived quantities are left out: they follow from the parameters, and one that
-- is the same in every draw cannot be compared.
CREATE OR REPLACE VIEW comparison AS
WITH pair AS (
    SELECT a.dataset, a.key, a.model, a.pipeline, a.sampler AS sampler_a, b.sampler AS sampler_b,
           a.fit_id AS fit_a, b.fit_id AS fit_b,
           a.setup_seconds + a.warmup_seconds + a.sampling_seconds AS seconds_a,
           b.setup_seconds + b.warmup_seconds + b.sampling_seconds AS seconds_b
    FROM latest a
    JOIN latest b ON a.pipeline = b.pipeline AND a.dataset = b.dataset AND a.key = b.key AND a.model = b.model AND a.sampler < b.sampler
     AND a.data_hash IS NOT DISTINCT FROM b.data_hash AND a.model_hash IS NOT DISTINCT FROM b.model_hash
), side_a AS (
    SELECT q.fit_a, q.fit_b, s.* FROM (SELECT DISTINCT fit_a, fit_b FROM pair) q JOIN summary s ON s.fit_id = q.fit_a AND s.kind NOT IN ('derived', 'unsorted')
), side_b AS (
    SELECT q.fit_a, q.fit_b, s.* FROM (SELECT DISTINCT fit_a, fit_b FROM pair) q JOIN summary s ON s.fit_id = q.fit_b AND s.kind NOT IN ('derived', 'unsorted')
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
       q.fit_a, q.fit_b, q.pipeline
FROM pair q
JOIN measured m USING (fit_a, fit_b)
ORDER BY q.dataset, q.key, q.model, q.sampler_a, q.sampler_b;
COMMENT ON VIEW comparison IS 'Pairs of samplers on one posterior: ESS per second, standardised differences and whether they agree.';
-- As in marginal_comparison: sampler_a, sampler_b, fit_a, fit_b, pipeline.
COMMENT ON COLUMN comparison.agreement IS 'agree, differ (z_max exceeds z_limit) or unknown (something could not be compared).';
COMMENT ON COLUMN comparison.compared IS 'Quantities that both samplers have.';
COMMENT ON COLUMN comparison.not_compared IS 'Parameters that one lacks, or quantities without Monte Carlo errors.';
COMMENT ON COLUMN comparison.difference_max IS 'Largest difference of means in posterior standard deviations.';
COMMENT ON COLUMN comparison.difference_rms IS 'Root mean square of these differences.';
COMMENT ON COLUMN comparison.z_max IS 'Largest difference of means or sds, or of medians where neither sampler has a mean, in Monte Carlo standard errors.';
COMMENT ON COLUMN comparison.z_rms IS 'Root mean square of the differences of means (or medians) in Monte Carlo standard errors.';
COMMENT ON COLUMN comparison.z_limit IS 'Limit that z_max exceeds by chance with probability at most 0.001.';
COMMENT ON COLUMN comparison.worst IS 'Quantity with the largest z.';
COMMENT ON COLUMN comparison.sd_ratio_min IS 'Smallest ratio of posterior standard deviations, that of sampler_a over that of sampler_b.';
COMMENT ON COLUMN comparison.sd_ratio_max IS 'Largest ratio of posterior standard deviations.';
COMMENT ON COLUMN comparison.seconds_a IS 'Set-up, warm-up and sampling of sampler_a.';
COMMENT ON COLUMN comparison.seconds_b IS 'Set-up, warm-up and sampling of sampler_b.';
COMMENT ON COLUMN comparison.ess_per_second_a IS 'Median bulk ESS over parameters per second of sampler_a.';
COMMENT ON COLUMN comparison.ess_per_second_b IS 'Median bulk ESS over parameters per second of sampler_b.';
COMMENT ON COLUMN comparison.ess_per_second_ratio IS 'That of sampler_a over that of sampler_b.';
COMMENT ON COLUMN comparison.min_ess_per_second_ratio IS 'The same for the smallest bulk ESS.';

-- The newest fit of each name and those of its replicates that differ from it in nothing but the seed.
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
       f.to_ess100_median, f.to_ess100_min, f.to_ess100_log_lik, l.pipeline
FROM fit f
JOIN latest l USING (dataset, key, model, sampler)
LEFT JOIN setting i ON i.fit_id = f.fit_id
LEFT JOIN setting j ON j.fit_id = l.fit_id
WHERE f.fit_id = l.fit_id
   OR f.status = 'complete' AND f.replicate > 1 AND (l.pipeline, f.fit_id) IN (SELECT (pipeline, fit_id) FROM run_fit) AND i.text = j.text AND f.data_hash = l.data_hash AND f.model_hash = l.model_hash
QUALIFY row_number() OVER (PARTITION BY l.pipeline, f.dataset, f.key, f.model, f.sampler, f.replicate ORDER BY f.place DESC, f.created DESC, f.fit_id DESC) = 1
ORDER BY f.dataset, f.key, f.model, f.sampler, f.replicate;
COMMENT ON VIEW replicates IS 'The newest fit of each name and its replicates, with times and effective sample sizes: what pipeline compare rests on.';
-- As in draws: pipeline.
COMMENT ON COLUMN replicates.seconds IS 'Set-up, warm-up and sampling, as one core would need.';
COMMENT ON COLUMN replicates.ess_median IS 'Median bulk ESS over parameters, dispersions included, local scales not.';
COMMENT ON COLUMN replicates.ess_min IS 'Least bulk ESS over these parameters.';
COMMENT ON COLUMN replicates.ess_log_lik IS 'Bulk ESS of log_lik.';

-- As loo::loo_compare, of models: of the samplers of one posterior the one with the least Monte Carlo error stands for all.
CREATE OR REPLACE VIEW loo_compare AS
WITH sampled AS (
    SELECT f.pipeline, f.dataset, f.key, f.model, f.sampler, f.model_hash, f.fit_id, l.* EXCLUDE (fit_id),
           count(*) OVER posterior AS samplers,
           row_number() OVER (posterior ORDER BY l.elpd_loo IS NULL, l.k_high, l.mcse_elpd_loo NULLS LAST, f.sampler) AS place,
           max(l.elpd_loo) OVER posterior - min(l.elpd_loo) OVER posterior AS spread,
           sqrt(sum(l.mcse_elpd_loo * l.mcse_elpd_loo) OVER posterior) AS spread_mcse
    FROM latest f
    JOIN loo l ON l.fit_id = f.fit_id
    WINDOW posterior AS (PARTITION BY f.pipeline, f.dataset, f.key, f.model, f.model_hash, l.outcomes)
), ranked AS (
    SELECT *, count(*) OVER responses AS same,
           count(*) OVER (PARTITION BY pipeline, dataset, key) AS all_models,
           first_value(fit_id) OVER best AS best_fit,
           first_value(model) OVER best AS best_model,
           first_value(sampler) OVER best AS best_sampler,
           first_value(mcse_elpd_loo) OVER best AS best_mcse
    FROM sampled
    WHERE place = 1
    WINDOW responses AS (PARTITION BY pipeline, dataset, key, outcomes),
           best AS (PARTITION BY pipeline, dataset, key, outcomes ORDER BY elpd_loo DESC NULLS LAST, fit_id)
), paired AS (
    SELECT r.pipeline, r.fit_id, p.elpd_loo - b.elpd_loo AS d, p.frequency AS w
    FROM ranked r
    JOIN pointwise p ON p.fit_id = r.fit_id
    JOIN pointwise b ON b.fit_id = r.best_fit AND b.observation = p.observation
), difference AS ( -- the error is sqrt(n * variance) of the n observations' differences
    SELECT pipeline, fit_id,
           CASE WHEN count(*) = count(d) THEN sum(w * d) END AS elpd_diff,
           CASE WHEN count(*) = count(d)
                THEN sqrt(sum(w) / nullif(sum(w) - 1, 0) * greatest(0, sum(w * d * d) - sum(w * d) * sum(w * d) / sum(w))) END AS se_diff
    FROM paired
    GROUP BY pipeline, fit_id
)
SELECT r.dataset, r.key, r.model, r.sampler, d.elpd_diff, d.se_diff, r.elpd_loo, r.se_elpd_loo, r.p_loo, r.looic, r.k_high,
       r.best_model, r.best_sampler, r.observations,
       concat_ws('; ', CASE WHEN r.same < r.all_models THEN format('not compared with {} models of other responses or rows', r.all_models - r.same) END,
                       CASE WHEN r.k_high > 0 THEN format('{} rows have a Pareto k above {:.2f}', r.k_high, r.k_threshold) END,
                       CASE WHEN r.samplers > 1 THEN format('its {} samplers lie {:.2f} apart{}', r.samplers, r.spread,
                            CASE WHEN r.spread > 4 * r.spread_mcse THEN ', more than Monte Carlo errors explain' ELSE '' END) END) AS note,
       r.outcomes, r.fit_id, r.mcse_elpd_loo,
       CASE WHEN r.fit_id = r.best_fit THEN 0 ELSE sqrt(r.mcse_elpd_loo * r.mcse_elpd_loo + r.best_mcse * r.best_mcse) END AS mcse_diff,
       r.samplers, r.pipeline
FROM ranked r
LEFT JOIN difference d ON d.pipeline = r.pipeline AND d.fit_id = r.fit_id
ORDER BY r.dataset, r.key, r.outcomes, d.elpd_diff DESC, r.fit_id;
COMMENT ON VIEW loo_compare IS 'Models of one data set by leave-one-out: the difference to the best one of the same responses, with its standard error.';
-- As in draws: pipeline.
COMMENT ON COLUMN loo_compare.sampler IS 'The sampler whose draws stand for the model: the one with the fewest rows of a high Pareto k, then the least Monte Carlo error.';
COMMENT ON COLUMN loo_compare.elpd_diff IS 'elpd_loo less that of the best model: 0 for the best, negative for the others.';
COMMENT ON COLUMN loo_compare.se_diff IS 'Standard error of elpd_diff from the rows'' differences.';
COMMENT ON COLUMN loo_compare.elpd_loo IS 'Expected log pointwise predictive density of the model.';
COMMENT ON COLUMN loo_compare.best_model IS 'The model that is compared with.';
COMMENT ON COLUMN loo_compare.best_sampler IS 'The sampler that stands for it.';
COMMENT ON COLUMN loo_compare.note IS 'Caution about the difference, if any.';
COMMENT ON COLUMN loo_compare.outcomes IS 'Hash of the responses: fits with another one are never subtracted.';
COMMENT ON COLUMN loo_compare.mcse_elpd_loo IS 'Its Monte Carlo standard error.';
COMMENT ON COLUMN loo_compare.mcse_diff IS 'Monte Carlo standard error of elpd_diff: more draws make it smaller, and not se_diff.';
COMMENT ON COLUMN loo_compare.samplers IS 'Fits of the same posterior by other samplers, this one included.';

CREATE OR REPLACE VIEW kfold_compare AS
WITH known AS (
    SELECT f.pipeline, f.dataset, f.key, f.model, f.sampler, k.*,
           first_value(f.fit_id) OVER best AS best_fit, first_value(f.model) OVER best AS best_model
    FROM latest f
    JOIN kfold k ON k.fit_id = f.fit_id
    WINDOW best AS (PARTITION BY f.pipeline, f.dataset, f.key, k.outcomes, k.asked ORDER BY k.elpd_kfold DESC NULLS LAST, f.fit_id)
), difference AS ( -- the error is sqrt(n * variance) of the n observations' differences
    SELECT pipeline, fit_id, sum(w * d) AS elpd_diff,
           sqrt(sum(w) / nullif(sum(w) - 1, 0) * greatest(0, sum(w * d * d) - sum(w * d) * sum(w * d) / sum(w))) AS se_diff
    FROM (SELECT k.pipeline, k.fit_id, p.elpd_kfold - b.elpd_kfold AS d, p.frequency AS w
          FROM known k
          JOIN kfold_pointwise p ON p.fit_id = k.fit_id
          JOIN kfold_pointwise b ON b.fit_id = k.best_fit AND b.observation = p.observation)
    GROUP BY pipeline, fit_id
    HAVING count(*) = count(d)
)
SELECT k.dataset, k.key, k.model, k.sampler, d.elpd_diff, d.se_diff, k.elpd_kfold, k.se_elpd_kfold, k.folds, k.asked,
       k.best_model, k.observations, k.rhat_max, concat_ws(', ', k.outcomes, k.asked) AS outcomes, k.fit_id, k.pipeline
FROM known k
LEFT JOIN difference d ON d.pipeline = k.pipeline AND d.fit_id = k.fit_id
ORDER BY k.dataset, k.key, k.outcomes, k.asked, d.elpd_diff DESC, k.fit_id;
COMMENT ON VIEW kfold_compare IS 'Models of one data set by k-fold cross-validation: the difference to the best one of the same responses and folds, with its standard error.';
-- As in kfold: se_elpd_kfold, folds, rhat_max.
-- As in loo_compare: se_diff, best_model, pipeline.
COMMENT ON COLUMN kfold_compare.elpd_diff IS 'elpd_kfold less that of the best model: 0 for the best, negative for the others.';
COMMENT ON COLUMN kfold_compare.elpd_kfold IS 'Expected log predictive density of the model.';
COMMENT ON COLUMN kfold_compare.asked IS 'Request of the spec, and its version.';
COMMENT ON COLUMN kfold_compare.observations IS 'Observations that are summed.';
COMMENT ON COLUMN kfold_compare.outcomes IS 'Hash of the responses, and the folds: fits with others are never subtracted.';
