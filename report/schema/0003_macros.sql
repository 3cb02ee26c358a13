-- Questions that analysts ask, as table functions over the draws of the newest fits. Names are patterns of LIKE: '%' is
-- any; of_pipeline, of_dataset, of_model and of_sampler narrow the fits.

CREATE OR REPLACE MACRO posterior(name, of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%') AS TABLE
SELECT dataset, key, model, sampler, parameter, count(*) AS draws, avg(value) AS mean, stddev_samp(value) AS sd,
       quantile_cont(value, 0.025) AS q025, quantile_cont(value, 0.5) AS median, quantile_cont(value, 0.975) AS q975,
       avg((value > 0)::DOUBLE) AS p_positive, pipeline
FROM draws
WHERE parameter LIKE name AND dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
  AND state <> 'older'
GROUP BY pipeline, fit_id, dataset, key, model, sampler, parameter
ORDER BY pipeline, dataset, key, model, sampler, parameter;

CREATE OR REPLACE MACRO probability(name, above, of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%') AS TABLE
SELECT dataset, key, model, sampler, parameter, avg((value > above)::DOUBLE) AS probability, pipeline
FROM draws
WHERE parameter LIKE name AND dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
  AND state <> 'older'
GROUP BY pipeline, fit_id, dataset, key, model, sampler, parameter
ORDER BY pipeline, dataset, key, model, sampler, parameter;

CREATE OR REPLACE MACRO odds_ratios(of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%', step := 1) AS TABLE
WITH ratios AS (
    SELECT pipeline, fit_id, dataset, key, model, sampler, parameter, quantile_cont(exp(step * value), 0.5) AS ratio,
           quantile_cont(exp(step * value), 0.025) AS q025, quantile_cont(exp(step * value), 0.975) AS q975
    FROM draws
    WHERE dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
      AND state <> 'older'
    GROUP BY pipeline, fit_id, dataset, key, model, sampler, parameter
)
SELECT dataset, key, model, sampler, parameter, ratio, q025, q975, pipeline
FROM ratios JOIN parameter p ON p.fit_id = ratios.fit_id AND p.name = ratios.parameter
WHERE p.kind = 'coefficient'
ORDER BY pipeline, dataset, key, model, sampler, p.parameter_id;

CREATE OR REPLACE MACRO contrast(plus, minus, of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%') AS TABLE
SELECT a.dataset, a.key, a.model, a.sampler, avg(a.value - b.value) AS mean, stddev_samp(a.value - b.value) AS sd,
       quantile_cont(a.value - b.value, 0.025) AS q025, quantile_cont(a.value - b.value, 0.5) AS median, quantile_cont(a.value - b.value, 0.975) AS q975,
       avg((a.value > b.value)::DOUBLE) AS p_positive, a.pipeline
FROM draws a JOIN draws b ON a.pipeline = b.pipeline AND a.fit_id = b.fit_id AND a.chain = b.chain AND a.iteration = b.iteration
WHERE a.parameter = plus AND b.parameter = minus AND a.dataset LIKE of_dataset AND a.model LIKE of_model AND a.sampler LIKE of_sampler AND a.pipeline LIKE of_pipeline
  AND a.state <> 'older'
  AND b.dataset LIKE of_dataset AND b.model LIKE of_model AND b.sampler LIKE of_sampler AND b.pipeline LIKE of_pipeline -- the engine does not conclude it
GROUP BY a.pipeline, a.fit_id, a.dataset, a.key, a.model, a.sampler
ORDER BY a.pipeline, a.dataset, a.key, a.model, a.sampler;

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
ORDER BY pipeline, dataset, key, model, sampler, mean_rank, parameter;

CREATE OR REPLACE MACRO scenario(given, of_dataset := '%', of_model := '%', of_sampler := '%', of_pipeline := '%') AS TABLE
SELECT fit_id, dataset, key, model, sampler, chain, iteration,
       sum(value * CASE WHEN parameter = '(Intercept)' THEN 1 ELSE coalesce(map_extract(given, parameter)[1], 0) END) AS linear, pipeline
FROM draws
WHERE (parameter = '(Intercept)' OR list_contains(map_keys(given), parameter))
  AND dataset LIKE of_dataset AND model LIKE of_model AND sampler LIKE of_sampler AND pipeline LIKE of_pipeline
  AND state <> 'older'
GROUP BY pipeline, fit_id, dataset, key, model, sampler, chain, iteration;

COMMENT ON MACRO TABLE posterior IS 'Mean, sd, quantiles and P(> 0) of every parameter whose name is like the pattern.';
COMMENT ON MACRO TABLE probability IS 'Probability that a parameter is above a number.';
COMMENT ON MACRO TABLE odds_ratios IS 'exp(step * coefficient): odds ratios under logit, rate ratios under log; median and 95 % interval.';
COMMENT ON MACRO TABLE contrast IS 'The difference of two parameters of one fit, from joint draws.';
COMMENT ON MACRO TABLE ranking IS 'Where each parameter stands among those of a list of names (an empty one: all), 1 being the largest: mean rank, P(first), 90 % interval.';
COMMENT ON MACRO TABLE scenario IS 'The linear predictor at a MAP from coefficient to value, a row a draw; the intercept counts, coefficients that are not named do not, nor do offsets.';
