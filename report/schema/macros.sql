CREATE OR REPLACE MACRO latest_on(day) AS TABLE
SELECT f.* REPLACE (n.pipeline AS pipeline)
FROM (
    SELECT pipeline, dataset, key, model, sampler, arg_max(fit_id, (place, noted, rowid)) AS fit_id
    FROM run_fit
    WHERE action IN ('computed', 'skipped') AND replicate = 1 AND fit_id IN (SELECT fit_id FROM fit)
      AND noted < day::TIMESTAMP + CASE WHEN day::TIMESTAMP = date_trunc('day', day::TIMESTAMP) THEN INTERVAL 1 DAY ELSE INTERVAL 0 DAY END
    GROUP BY pipeline, dataset, key, model, sampler
) n
JOIN fit f USING (fit_id)
ORDER BY n.pipeline, f.dataset, f.key, f.model, f.sampler;
COMMENT ON MACRO TABLE latest_on IS 'The fits that were the newest complete ones at the end of a day, or at a TIMESTAMP, UTC; those that pipeline prune removed are not there.';

CREATE OR REPLACE MACRO coefficients_on(day) AS TABLE
SELECT f.fit_id, f.dataset, f.key, f.model, f.sampler, s.name AS parameter,
       s.mean, s.sd, s.q025, s.median, s.q975, s.rhat, s.ess_bulk, s.ess_tail, f.verdict, f.created, f.run_id, f.pipeline
FROM latest_on(day) f
JOIN summary s ON s.fit_id = f.fit_id
WHERE s.kind NOT IN ('statistic', 'group_effect', 'smooth_effect')
ORDER BY f.pipeline, f.dataset, f.key, f.model, f.sampler, s.parameter_id;
COMMENT ON MACRO TABLE coefficients_on IS 'Summaries of their parameters, as in coefficients.';

-- Questions that analysts ask, as table functions over the draws of the newest fits. Names are patterns of LIKE: '%' is
-- any; of_pipeline, of_dataset, of_model and of_sampler narrow the fits. A name that no fit has is an error that lists the names.
-- Each table function adds the rows of this one, of which there are none. It is a part of a union, since an engine that
-- joins with no fits need not look at the other side; and an aggregate, whose input no outer filter takes away.
CREATE OR REPLACE MACRO check_names(asked, exactly, of_dataset, of_model, of_sampler, of_pipeline) AS TABLE
WITH candidate AS (
    SELECT fit_id, pipeline, dataset, model, sampler FROM newest_fit WHERE replicate = 1
), chosen AS (
    SELECT fit_id FROM candidate WHERE dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
), known AS (
    SELECT p.name AS label, min(p.parameter_id) AS nth FROM chosen JOIN parameter p USING (fit_id) WHERE p.checksum IS NOT NULL GROUP BY p.name
), absent AS (
    SELECT text FROM (SELECT unnest(asked)::VARCHAR AS text)
    WHERE NOT EXISTS (SELECT 1 FROM known WHERE CASE WHEN exactly THEN label = text ELSE label LIKE text END) LIMIT 1
), term AS (
    SELECT 1 AS nth, 'data set' AS what, any_value(of_dataset::VARCHAR) AS text, bool_or(dataset LIKE of_dataset) AS found, list(DISTINCT dataset ORDER BY dataset) AS have FROM candidate
    UNION ALL SELECT 2, 'model', any_value(of_model::VARCHAR), bool_or(model LIKE of_model), list(DISTINCT model ORDER BY model) FROM candidate
    UNION ALL SELECT 3, 'sampler', any_value(of_sampler::VARCHAR), bool_or(sampler LIKE of_sampler), list(DISTINCT sampler ORDER BY sampler) FROM candidate
    UNION ALL SELECT 4, 'pipeline', any_value(of_pipeline::VARCHAR), bool_or(pipeline LIKE of_pipeline), list(DISTINCT pipeline ORDER BY pipeline) FROM candidate
    UNION ALL SELECT 5, 'parameter', (SELECT text FROM absent), (SELECT count(*) FROM absent) = 0, list(label ORDER BY nth, label) FROM known
), fault AS (
    SELECT nth, concat('no fit has the ', what, ' "', text, '": the ', what, 's are ', array_to_string(have[:20], ', '), CASE WHEN len(have) > 20 THEN ', …' ELSE '' END) AS why
    FROM term WHERE found IS DISTINCT FROM true AND len(have) > 0
    UNION ALL
    SELECT 6, concat('no fit has the data set "', of_dataset, '", the model "', of_model, '", the sampler "', of_sampler, '" and the pipeline "', of_pipeline, '" together: the view latest lists the fits')
    WHERE (SELECT count(*) FROM chosen) = 0
    UNION ALL
    SELECT 7, 'these fits keep no draws: run: {keep: draws} does'
    WHERE (SELECT count(*) FROM known) = 0
)
SELECT max(why) AS nothing
FROM (SELECT CASE WHEN (SELECT count(*) FROM candidate) > 0 AND (SELECT count(*) FROM fault) > 0
                  THEN error((SELECT arg_min(why, nth) FROM fault))::VARCHAR END AS why)
HAVING max(why) IS NOT NULL;
COMMENT ON MACRO TABLE check_names IS 'No rows; an error, for the other table functions, if no newest fit has a name.';

CREATE OR REPLACE MACRO posterior(name, of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%') AS TABLE
SELECT dataset, key, model, sampler, parameter, count(*) AS draws, avg(value) AS mean, stddev_samp(value) AS sd,
       quantile_cont(value, 0.025) AS q025, quantile_cont(value, 0.5) AS median, quantile_cont(value, 0.975) AS q975,
       avg((value > 0)::DOUBLE) AS p_positive, pipeline
FROM draws
WHERE parameter LIKE name AND dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
  AND state <> 'older'
GROUP BY pipeline, fit_id, dataset, key, model, sampler, parameter
UNION ALL SELECT nothing, nothing, nothing, nothing, nothing, nothing::BIGINT, nothing::DOUBLE, nothing::DOUBLE, nothing::DOUBLE, nothing::DOUBLE, nothing::DOUBLE, nothing::DOUBLE, nothing FROM check_names([name], false, of_dataset, of_model, of_sampler, of_pipeline)
ORDER BY pipeline, dataset, key, model, sampler, parameter;
COMMENT ON MACRO TABLE posterior IS 'Mean, sd, quantiles and P(> 0) of every parameter whose name is like the pattern.';

CREATE OR REPLACE MACRO probability(name, above, of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%') AS TABLE
SELECT dataset, key, model, sampler, parameter, avg((value > above)::DOUBLE) AS probability, pipeline
FROM draws
WHERE parameter LIKE name AND dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
  AND state <> 'older'
GROUP BY pipeline, fit_id, dataset, key, model, sampler, parameter
UNION ALL SELECT nothing, nothing, nothing, nothing, nothing, nothing::DOUBLE, nothing FROM check_names([name], false, of_dataset, of_model, of_sampler, of_pipeline)
ORDER BY pipeline, dataset, key, model, sampler, parameter;
COMMENT ON MACRO TABLE probability IS 'Probability that a parameter is above a number.';

CREATE OR REPLACE MACRO odds_ratios(of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%', step := 1) AS TABLE
WITH ratios AS (
    SELECT pipeline, fit_id, dataset, key, model, sampler, parameter, quantile_cont(exp(step * value), 0.5) AS ratio,
           quantile_cont(exp(step * value), 0.025) AS q025, quantile_cont(exp(step * value), 0.975) AS q975
    FROM draws
    WHERE dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
      AND state <> 'older'
    GROUP BY pipeline, fit_id, dataset, key, model, sampler, parameter
), ordered AS (
    SELECT dataset, key, model, sampler, parameter, ratio, q025, q975, pipeline, p.parameter_id
    FROM ratios JOIN parameter p ON p.fit_id = ratios.fit_id AND p.name = ratios.parameter
    WHERE p.kind = 'coefficient'
    UNION ALL SELECT nothing, nothing, nothing, nothing, nothing, nothing::DOUBLE, nothing::DOUBLE, nothing::DOUBLE, nothing, nothing::INTEGER FROM check_names([]::VARCHAR[], false, of_dataset, of_model, of_sampler, of_pipeline)
)
SELECT dataset, key, model, sampler, parameter, ratio, q025, q975, pipeline FROM ordered
ORDER BY pipeline, dataset, key, model, sampler, parameter_id;
COMMENT ON MACRO TABLE odds_ratios IS 'exp(step * coefficient): odds ratios under logit, rate ratios under log; median and 95 % interval.';

CREATE OR REPLACE MACRO contrast(plus, minus, of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%') AS TABLE
SELECT a.dataset, a.key, a.model, a.sampler, avg(a.value - b.value) AS mean, stddev_samp(a.value - b.value) AS sd,
       quantile_cont(a.value - b.value, 0.025) AS q025, quantile_cont(a.value - b.value, 0.5) AS median, quantile_cont(a.value - b.value, 0.975) AS q975,
       avg((a.value > b.value)::DOUBLE) AS p_positive, a.pipeline
FROM draws a JOIN draws b ON a.pipeline = b.pipeline AND a.fit_id = b.fit_id AND a.chain = b.chain AND a.iteration = b.iteration
WHERE a.parameter = plus AND b.parameter = minus AND a.dataset LIKE of_dataset AND a.model LIKE of_model AND a.sampler LIKE of_sampler AND a.pipeline LIKE of_pipeline
  AND a.state <> 'older'
  AND b.dataset LIKE of_dataset AND b.model LIKE of_model AND b.sampler LIKE of_sampler AND b.pipeline LIKE of_pipeline -- the engine does not conclude it
GROUP BY a.pipeline, a.fit_id, a.dataset, a.key, a.model, a.sampler
UNION ALL SELECT nothing, nothing, nothing, nothing, nothing::DOUBLE, nothing::DOUBLE, nothing::DOUBLE, nothing::DOUBLE, nothing::DOUBLE, nothing::DOUBLE, nothing FROM check_names([plus, minus], true, of_dataset, of_model, of_sampler, of_pipeline)
ORDER BY pipeline, dataset, key, model, sampler;
COMMENT ON MACRO TABLE contrast IS 'The difference of two parameters of one fit, from joint draws.';

CREATE OR REPLACE MACRO ranking(names, of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%') AS TABLE
WITH ranked AS (
    SELECT pipeline, fit_id, dataset, key, model, sampler, parameter,
           rank() OVER (PARTITION BY pipeline, fit_id, chain, iteration ORDER BY value DESC) AS place
    FROM draws
    WHERE (len(names) = 0 OR list_contains(names, parameter)) AND dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
      AND state <> 'older'
)
SELECT dataset, key, model, sampler, parameter, avg(place) AS mean_rank, avg((place = 1)::DOUBLE) AS p_first,
       quantile_disc(place, 0.05) AS q05, quantile_disc(place, 0.95) AS q95, pipeline
FROM ranked
GROUP BY pipeline, fit_id, dataset, key, model, sampler, parameter
UNION ALL SELECT nothing, nothing, nothing, nothing, nothing, nothing::DOUBLE, nothing::DOUBLE, nothing::BIGINT, nothing::BIGINT, nothing FROM check_names(names::VARCHAR[], true, of_dataset, of_model, of_sampler, of_pipeline)
ORDER BY pipeline, dataset, key, model, sampler, mean_rank, parameter;
COMMENT ON MACRO TABLE ranking IS 'Rank of each parameter among those of a list of names (an empty one: all), 1 being the largest: mean rank, P(first), 90 % interval.';

CREATE OR REPLACE MACRO scenario(given, of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%') AS TABLE
SELECT fit_id, dataset, key, model, sampler, chain, iteration,
       sum(value * CASE WHEN parameter = '(Intercept)' THEN 1 ELSE coalesce(map_extract(given, parameter)[1], 0) END) AS linear, pipeline
FROM draws
WHERE (parameter = '(Intercept)' OR list_contains(map_keys(given), parameter))
  AND dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
  AND state <> 'older'
GROUP BY pipeline, fit_id, dataset, key, model, sampler, chain, iteration
UNION ALL SELECT nothing::BIGINT, nothing, nothing, nothing, nothing, nothing::INTEGER, nothing::INTEGER, nothing::DOUBLE, nothing FROM check_names(map_keys(given)::VARCHAR[], true, of_dataset, of_model, of_sampler, of_pipeline);
COMMENT ON MACRO TABLE scenario IS 'The linear predictor at a MAP from coefficient to value, a row a draw; the intercept counts, coefficients that are not named do not, nor do offsets.';
