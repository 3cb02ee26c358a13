-- Leave-one-out cross-validation and predictive checks.

CREATE TABLE pointwise (
    fit_id      BIGINT NOT NULL,
    observation BIGINT NOT NULL,
    elpd_loo    DOUBLE,
    p_loo       DOUBLE,
    pareto_k    DOUBLE,
    elpd_waic   DOUBLE,
    p_waic      DOUBLE,
    r_eff       DOUBLE,
    reason      VARCHAR,
    frequency   DOUBLE NOT NULL
);

COMMENT ON TABLE pointwise IS 'Leave-one-out results by observation.';
COMMENT ON COLUMN pointwise.fit_id IS 'The fit.';
COMMENT ON COLUMN pointwise.observation IS '1, 2, … in the order of the used rows.';
COMMENT ON COLUMN pointwise.elpd_loo IS 'Expected log pointwise predictive density.';
COMMENT ON COLUMN pointwise.p_loo IS 'Effective number of parameters.';
COMMENT ON COLUMN pointwise.pareto_k IS 'Shape of the Pareto fit to the importance weights.';
COMMENT ON COLUMN pointwise.elpd_waic IS 'The same as elpd_loo by the widely applicable information criterion.';
COMMENT ON COLUMN pointwise.p_waic IS 'Effective number of parameters of that: variance of the log likelihood.';
COMMENT ON COLUMN pointwise.r_eff IS 'Effective over actual number of draws for the mean of the likelihood.';
COMMENT ON COLUMN pointwise.reason IS 'Why the numbers are NULL.';
COMMENT ON COLUMN pointwise.frequency IS 'Equal observations that the row stands for; the numbers are those of one.';

CREATE TABLE loo (
    fit_id       BIGINT NOT NULL,
    observations BIGINT NOT NULL,
    elpd_loo     DOUBLE,
    se_elpd_loo  DOUBLE,
    p_loo        DOUBLE,
    se_p_loo     DOUBLE,
    looic        DOUBLE,
    se_looic     DOUBLE,
    elpd_waic    DOUBLE,
    se_elpd_waic DOUBLE,
    p_waic       DOUBLE,
    se_p_waic    DOUBLE,
    waic         DOUBLE,
    k_threshold  DOUBLE,
    k_high       BIGINT,
    k_max        DOUBLE,
    outcomes     VARCHAR NOT NULL,
    version      VARCHAR NOT NULL
);

COMMENT ON TABLE loo IS 'Leave-one-out by Pareto-smoothed importance sampling, and WAIC: sums over the rows of pointwise (Vehtari, Gelman and Gabry 2017).';
COMMENT ON COLUMN loo.fit_id IS 'The fit.';
COMMENT ON COLUMN loo.observations IS 'Observations that are summed: rows, as often as they count.';
COMMENT ON COLUMN loo.elpd_loo IS 'Expected log predictive density of as many new observations; higher is better.';
COMMENT ON COLUMN loo.se_elpd_loo IS 'Its standard error, as if the rows were a sample.';
COMMENT ON COLUMN loo.p_loo IS 'Effective number of parameters.';
COMMENT ON COLUMN loo.se_p_loo IS 'Its standard error.';
COMMENT ON COLUMN loo.looic IS 'elpd_loo on the scale of a deviance: times -2.';
COMMENT ON COLUMN loo.se_looic IS 'Its standard error.';
COMMENT ON COLUMN loo.elpd_waic IS 'The same as elpd_loo by the widely applicable information criterion.';
COMMENT ON COLUMN loo.se_elpd_waic IS 'Its standard error.';
COMMENT ON COLUMN loo.p_waic IS 'Effective number of parameters by WAIC.';
COMMENT ON COLUMN loo.se_p_waic IS 'Its standard error.';
COMMENT ON COLUMN loo.waic IS 'elpd_waic on the scale of a deviance: times -2.';
COMMENT ON COLUMN loo.k_threshold IS 'Pareto k from which a row cannot be relied on: min(1 - 1/log10(draws), 0.7).';
COMMENT ON COLUMN loo.k_high IS 'Rows whose k is above it.';
COMMENT ON COLUMN loo.k_max IS 'Largest k; infinite where no Pareto law could be fitted.';
COMMENT ON COLUMN loo.outcomes IS 'Hash of the responses in order: only fits that share it can be compared.';
COMMENT ON COLUMN loo.version IS 'Version of the algorithm.';

-- As loo::loo_compare: each fit against the best one on the same responses.
CREATE VIEW loo_compare AS
WITH ranked AS (
    SELECT f.dataset, f.key, f.model, f.sampler, f.fit_id, l.* EXCLUDE (fit_id),
           count(*) OVER responses AS same,
           count(*) OVER (PARTITION BY f.dataset, f.key) AS all_fits,
           first_value(f.fit_id) OVER best AS best_fit,
           first_value(f.model) OVER best AS best_model,
           first_value(f.sampler) OVER best AS best_sampler
    FROM latest f
    JOIN loo l ON l.fit_id = f.fit_id
    WINDOW responses AS (PARTITION BY f.dataset, f.key, l.outcomes),
           best AS (PARTITION BY f.dataset, f.key, l.outcomes ORDER BY l.elpd_loo DESC NULLS LAST, f.fit_id)
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
       concat_ws('; ', CASE WHEN r.same < r.all_fits THEN format('not compared with {} fits of other responses or rows', r.all_fits - r.same) END,
                       CASE WHEN r.k_high > 0 THEN format('{} rows have a Pareto k above {:.2f}', r.k_high, r.k_threshold) END) AS note,
       r.outcomes, r.fit_id
FROM ranked r
LEFT JOIN difference d ON d.fit_id = r.fit_id
ORDER BY r.dataset, r.key, r.outcomes, d.elpd_diff DESC, r.fit_id;
COMMENT ON VIEW loo_compare IS 'Models of one data set by leave-one-out: the difference to the best one of the same responses, with its standard error.';
COMMENT ON COLUMN loo_compare.elpd_diff IS 'elpd_loo less that of the best fit: 0 for the best, negative for the others.';
COMMENT ON COLUMN loo_compare.se_diff IS 'Standard error of elpd_diff from the rows'' differences.';
COMMENT ON COLUMN loo_compare.best_model IS 'Model of the fit that is compared with.';
COMMENT ON COLUMN loo_compare.best_sampler IS 'Its sampler.';
COMMENT ON COLUMN loo_compare.note IS 'What to know before reading the difference.';
COMMENT ON COLUMN loo_compare.outcomes IS 'Hash of the responses: fits with another one are never subtracted.';
COMMENT ON COLUMN loo_compare.elpd_loo IS 'Expected log pointwise predictive density of the model.';

CREATE TABLE ppc (
    fit_id     BIGINT NOT NULL,
    statistic  VARCHAR NOT NULL,
    observed   DOUBLE,
    mean       DOUBLE,
    sd         DOUBLE,
    q025       DOUBLE,
    q975       DOUBLE,
    p_value    DOUBLE,
    replicates INTEGER NOT NULL,
    note       VARCHAR
);

COMMENT ON TABLE ppc IS 'Posterior predictive checks, and prior predictive ones where fit.method is prior: a statistic of the response beside those of replicated data.';
COMMENT ON COLUMN ppc.fit_id IS 'The fit.';
COMMENT ON COLUMN ppc.statistic IS 'mean, sd, min, max, or zeros: the share of zeros.';
COMMENT ON COLUMN ppc.observed IS 'Of the data.';
COMMENT ON COLUMN ppc.mean IS 'Mean over the replicated data sets.';
COMMENT ON COLUMN ppc.sd IS 'Standard deviation over them.';
COMMENT ON COLUMN ppc.q025 IS '2.5 % quantile over them.';
COMMENT ON COLUMN ppc.q975 IS '97.5 % quantile over them.';
COMMENT ON COLUMN ppc.p_value IS 'Share of replicated data sets whose statistic is larger than the observed one, equal ones by half.';
COMMENT ON COLUMN ppc.replicates IS 'Replicated data sets that have the statistic.';
COMMENT ON COLUMN ppc.note IS 'Why some do not have it.';
