-- Leave-one-out with its Monte Carlo error, and models compared in place of samplers.

ALTER TABLE pointwise ADD COLUMN mcse_elpd_loo DOUBLE;
COMMENT ON COLUMN pointwise.mcse_elpd_loo IS 'Monte Carlo standard error of elpd_loo: what other draws of the same posterior would change about it.';
ALTER TABLE pointwise ADD COLUMN pareto_k_before DOUBLE;
COMMENT ON COLUMN pointwise.pareto_k_before IS 'Pareto k of the draws as they are, where moment matching has moved them for this row; else NULL.';
ALTER TABLE loo ADD COLUMN mcse_elpd_loo DOUBLE;
COMMENT ON COLUMN loo.mcse_elpd_loo IS 'Monte Carlo standard error of elpd_loo, by rows that are independent; NULL where a Pareto k is above the threshold.';

-- As loo::loo_compare, of models: of the samplers of one posterior the one with the least Monte Carlo error stands for all.
CREATE OR REPLACE VIEW loo_compare AS
WITH sampled AS (
    SELECT f.dataset, f.key, f.model, f.sampler, f.model_hash, f.fit_id, l.* EXCLUDE (fit_id),
           count(*) OVER posterior AS samplers,
           row_number() OVER (posterior ORDER BY l.elpd_loo IS NULL, l.k_high, l.mcse_elpd_loo NULLS LAST, f.sampler) AS place,
           max(l.elpd_loo) OVER posterior - min(l.elpd_loo) OVER posterior AS spread,
           sqrt(sum(l.mcse_elpd_loo * l.mcse_elpd_loo) OVER posterior) AS spread_mcse
    FROM latest f
    JOIN loo l ON l.fit_id = f.fit_id
    WINDOW posterior AS (PARTITION BY f.dataset, f.key, f.model, f.model_hash, l.outcomes)
), ranked AS (
    SELECT *, count(*) OVER responses AS same,
           count(*) OVER (PARTITION BY dataset, key) AS all_models,
           first_value(fit_id) OVER best AS best_fit,
           first_value(model) OVER best AS best_model,
           first_value(sampler) OVER best AS best_sampler,
           first_value(mcse_elpd_loo) OVER best AS best_mcse
    FROM sampled
    WHERE place = 1
    WINDOW responses AS (PARTITION BY dataset, key, outcomes),
           best AS (PARTITION BY dataset, key, outcomes ORDER BY elpd_loo DESC NULLS LAST, fit_id)
), paired AS (
    SELECT r.fit_id, p.elpd_loo - b.elpd_loo AS d, p.frequency AS w
    FROM ranked r
    JOIN pointwise p ON p.fit_id = r.fit_id
    JOIN pointwise b ON b.fit_id = r.best_fit AND b.observation = p.observation
), difference AS ( -- the error is sqrt(n * variance) of the n observations' differences
    SELECT fit_id,
           CASE WHEN count(*) = count(d) THEN sum(w * d) END AS elpd_diff,
           CASE WHEN count(*) = count(d)
                THEN sqrt(sum(w) / nullif(sum(w) - 1, 0) * greatest(0, sum(w * d * d) - sum(w * d) * sum(w * d) / sum(w))) END AS se_diff
    FROM paired
    GROUP BY fit_id
)
SELECT r.dataset, r.key, r.model, r.sampler, d.elpd_diff, d.se_diff, r.elpd_loo, r.se_elpd_loo, r.p_loo, r.looic, r.k_high,
       r.best_model, r.best_sampler, r.observations,
       concat_ws('; ', CASE WHEN r.same < r.all_models THEN format('not compared with {} models of other responses or rows', r.all_models - r.same) END,
                       CASE WHEN r.k_high > 0 THEN format('{} rows have a Pareto k above {:.2f}', r.k_high, r.k_threshold) END,
                       CASE WHEN r.samplers > 1 THEN format('its {} samplers lie {:.2f} apart{}', r.samplers, r.spread,
                            CASE WHEN r.spread > 4 * r.spread_mcse THEN ', more than Monte Carlo errors explain' ELSE '' END) END) AS note,
       r.outcomes, r.fit_id, r.mcse_elpd_loo,
       CASE WHEN r.fit_id = r.best_fit THEN 0 ELSE sqrt(r.mcse_elpd_loo * r.mcse_elpd_loo + r.best_mcse * r.best_mcse) END AS mcse_diff,
       r.samplers
FROM ranked r
LEFT JOIN difference d ON d.fit_id = r.fit_id
ORDER BY r.dataset, r.key, r.outcomes, d.elpd_diff DESC, r.fit_id;
COMMENT ON VIEW loo_compare IS 'Models of one data set by leave-one-out: the difference to the best one of the same responses, with its standard error.';
COMMENT ON COLUMN loo_compare.sampler IS 'The sampler whose draws stand for the model: the one with the fewest rows of a high Pareto k, then the least Monte Carlo error.';
COMMENT ON COLUMN loo_compare.elpd_diff IS 'elpd_loo less that of the best model: 0 for the best, negative for the others.';
COMMENT ON COLUMN loo_compare.se_diff IS 'Standard error of elpd_diff from the rows'' differences.';
COMMENT ON COLUMN loo_compare.best_model IS 'The model that is compared with.';
COMMENT ON COLUMN loo_compare.best_sampler IS 'The sampler that stands for it.';
COMMENT ON COLUMN loo_compare.note IS 'What to know before reading the difference.';
COMMENT ON COLUMN loo_compare.outcomes IS 'Hash of the responses: fits with another one are never subtracted.';
COMMENT ON COLUMN loo_compare.elpd_loo IS 'Expected log pointwise predictive density of the model.';
COMMENT ON COLUMN loo_compare.mcse_elpd_loo IS 'Its Monte Carlo standard error.';
COMMENT ON COLUMN loo_compare.mcse_diff IS 'Monte Carlo standard error of elpd_diff: more draws make it smaller, and not se_diff.';
COMMENT ON COLUMN loo_compare.samplers IS 'Fits of the same posterior by other samplers, this one included.';
