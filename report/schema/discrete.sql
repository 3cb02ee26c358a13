CREATE OR REPLACE VIEW marginals AS
SELECT m.fit_id, f.dataset, f.key, f.model, f.sampler, v.variable_id, v.id, v.image_row, v.image_column, v.observation,
       d.labels[m.state + 1] AS state, m.probability, m.mcse, v.truth = m.state AS true_state, v.best = m.state AS best_state
FROM marginal m
JOIN discrete d USING (fit_id)
JOIN variable v USING (fit_id, variable_id)
JOIN fit f USING (fit_id);
COMMENT ON VIEW marginals IS 'Marginals with the names of fits, variables and states.';
-- As in variable: variable_id.
COMMENT ON COLUMN marginals.observation IS 'Observed value of the variable; NULL if it was not observed.';
COMMENT ON COLUMN marginals.state IS 'Label of the state.';
COMMENT ON COLUMN marginals.true_state IS 'Whether it is the true one; NULL where that is unknown.';
COMMENT ON COLUMN marginals.best_state IS 'Whether the variable is in it in the most probable state seen.';

CREATE OR REPLACE VIEW sweeps AS
SELECT c.fit_id, f.dataset, f.key, f.model, f.sampler, c.chain, c.iteration, c.warmup, c.log_lik, -c.log_lik AS energy,
       max(c.log_lik) OVER (PARTITION BY c.fit_id, c.chain ORDER BY c.iteration) AS best_log_lik,
       c.accept AS changed, c.evaluations AS updates
FROM chain c
JOIN discrete d USING (fit_id)
JOIN fit f USING (fit_id);
COMMENT ON VIEW sweeps IS 'Statistics of every sweep of fits of kind mrf, warm-up included.';
COMMENT ON COLUMN sweeps.chain IS 'Number of the chain, from 1.';
COMMENT ON COLUMN sweeps.iteration IS 'Number of the sweep, as in draw; 0, −1, … go back through the warm-up.';
COMMENT ON COLUMN sweeps.log_lik IS 'Log density of the state after the sweep, without its constant.';
COMMENT ON COLUMN sweeps.energy IS 'Its negative.';
COMMENT ON COLUMN sweeps.best_log_lik IS 'The largest one up to this sweep of the chain.';
COMMENT ON COLUMN sweeps.changed IS 'Share of variables that are in another state than before the sweep.';
COMMENT ON COLUMN sweeps.updates IS 'Updates of single variables.';

CREATE OR REPLACE VIEW reconstruction AS
WITH law AS (
    SELECT m.fit_id, m.variable_id, arg_max(m.state, m.probability) AS likely,
           sum((m.probability - CASE WHEN m.state = v.truth THEN 1 ELSE 0 END) ** 2) / 2 AS squared
    FROM marginal m JOIN variable v USING (fit_id, variable_id)
    WHERE v.truth IS NOT NULL
    GROUP BY m.fit_id, m.variable_id
)
SELECT f.fit_id, f.dataset, f.key, f.model, f.sampler, f.method, count(*) AS known,
       avg(CASE WHEN l.likely = v.truth THEN 0 WHEN l.likely IS NOT NULL THEN 1 END) AS wrong_marginal,
       avg(CASE WHEN v.best = v.truth THEN 0 WHEN v.best IS NOT NULL THEN 1 END) AS wrong_best,
       avg(l.squared) AS squared_error, f.pipeline
FROM latest f
JOIN variable v USING (fit_id)
LEFT JOIN law l USING (fit_id, variable_id)
WHERE v.truth IS NOT NULL
GROUP BY ALL
ORDER BY f.dataset, f.key, f.model, f.sampler;
COMMENT ON VIEW reconstruction IS 'How far the newest fits of kind mrf are from the true states, where these are known.';
-- As in draws: pipeline.
COMMENT ON COLUMN reconstruction.known IS 'Variables whose true state is known.';
COMMENT ON COLUMN reconstruction.wrong_marginal IS 'Share of them whose most probable state by its marginal is not the true one; NULL without marginals.';
COMMENT ON COLUMN reconstruction.wrong_best IS 'Share of them whose state in the most probable state seen is not the true one.';
COMMENT ON COLUMN reconstruction.squared_error IS 'Mean over variables of half the squared distance between marginal and truth: of two states (p − truth)².';

-- Two samplers on one model: their marginals, state by state. Each difference is divided by its Monte Carlo error, to
-- which the resolution of counts is added; the largest of m must stay under sqrt(2 ln(m / 0.001)), as in the view
-- comparison.
CREATE OR REPLACE VIEW marginal_comparison AS
WITH pair AS (
    SELECT a.dataset, a.key, a.model, a.pipeline, a.sampler AS sampler_a, b.sampler AS sampler_b, a.fit_id AS fit_a, b.fit_id AS fit_b,
           1.0 / greatest(1, a.chains * a.draws) AS grain_a, 1.0 / greatest(1, b.chains * b.draws) AS grain_b
    FROM latest a
    JOIN latest b ON a.pipeline = b.pipeline AND a.dataset = b.dataset AND a.key = b.key AND a.model = b.model AND a.sampler < b.sampler
     AND a.data_hash IS NOT DISTINCT FROM b.data_hash AND a.model_hash IS NOT DISTINCT FROM b.model_hash
    WHERE a.fit_id IN (SELECT fit_id FROM discrete)
), matched AS (
    SELECT p.*, abs(x.probability - y.probability) AS difference,
           CASE WHEN x.mcse IS NULL OR y.mcse IS NULL THEN NULL ELSE
               sqrt(x.mcse ** 2 + y.mcse ** 2 + CASE WHEN x.mcse > 0 OR y.mcse > 0 OR x.probability <> y.probability THEN
                   greatest(CASE WHEN grain_a < 1 THEN grain_a ELSE 0 END, CASE WHEN grain_b < 1 THEN grain_b ELSE 0 END) ** 2 ELSE 0 END) END AS error
    FROM pair p
    JOIN marginal x ON x.fit_id = p.fit_a
    JOIN marginal y ON y.fit_id = p.fit_b AND y.variable_id = x.variable_id AND y.state = x.state
)
SELECT dataset, key, model, sampler_a, sampler_b,
       CASE WHEN max(difference / nullif(error, 0)) > sqrt(2 * ln(count(*) / 0.001)) THEN 'differ'
            WHEN count(error) < count(*) THEN 'unknown'
            ELSE 'agree' END AS agreement,
       count(*) AS compared, max(difference) AS difference_max, sqrt(avg(difference ** 2)) AS difference_rms,
       max(difference / nullif(error, 0)) AS z_max, sqrt(2 * ln(count(*) / 0.001)) AS z_limit, fit_a, fit_b, pipeline
FROM matched
GROUP BY ALL
ORDER BY dataset, key, model, sampler_a, sampler_b;
COMMENT ON VIEW marginal_comparison IS 'Pairs of samplers on one model of kind mrf: how far their marginals lie apart, and whether by more than chance.';
-- As in draws: pipeline.
COMMENT ON COLUMN marginal_comparison.sampler_a IS 'The sampler whose name comes first.';
COMMENT ON COLUMN marginal_comparison.sampler_b IS 'The other one.';
COMMENT ON COLUMN marginal_comparison.agreement IS 'agree, differ, or unknown where one of the two has no Monte Carlo errors.';
COMMENT ON COLUMN marginal_comparison.compared IS 'Probabilities that both have.';
COMMENT ON COLUMN marginal_comparison.difference_max IS 'Largest difference of two probabilities.';
COMMENT ON COLUMN marginal_comparison.difference_rms IS 'Root mean square of the differences.';
COMMENT ON COLUMN marginal_comparison.z_max IS 'Largest difference over its Monte Carlo error.';
COMMENT ON COLUMN marginal_comparison.z_limit IS 'Limit that as many independent differences of nothing but chance exceed with probability at most 0.001.';
COMMENT ON COLUMN marginal_comparison.fit_a IS 'The fit of sampler_a.';
COMMENT ON COLUMN marginal_comparison.fit_b IS 'The fit of sampler_b.';
