-- Views of the newest fits, a row of which belongs to a pipeline.

CREATE OR REPLACE VIEW coefficients AS
SELECT l.fit_id, l.dataset, l.key, l.model, l.sampler, s.name AS parameter,
       s.mean, s.sd, s.q025, s.median, s.q975, s.rhat, s.ess_bulk, s.ess_tail, l.verdict, l.state, l.created, l.run_id, l.pipeline
FROM latest l
JOIN summary s ON s.fit_id = l.fit_id
WHERE s.kind NOT IN ('statistic', 'group_effect', 'smooth_effect', 'imputed')
ORDER BY l.dataset, l.key, l.model, l.sampler, s.parameter_id;
COMMENT ON VIEW coefficients IS 'Summaries of the parameters of the latest fits; those of levels of a grouping are in group_effects, the curves of smooths in smooths, missing cells in imputed.';
-- As in summary: q025, q975.
-- As in draws: pipeline.
COMMENT ON COLUMN coefficients.mean IS 'Posterior mean; NULL where it may not exist.';
COMMENT ON COLUMN coefficients.sd IS 'Posterior standard deviation; NULL where it may not exist.';
COMMENT ON COLUMN coefficients.state IS 'current, or what became of a newer attempt at the fit: error, uncommitted or gone.';

CREATE OR REPLACE VIEW effects AS
SELECT l.fit_id, l.dataset, l.key, l.model, l.sampler, e.effect, e.kind, e.variable, e.level, e.x, e.given,
       e.mean, e.sd, e.q025, e.median, e.q975, e.p_direction, l.verdict, l.state, l.created, l.pipeline
FROM latest l
JOIN effect e USING (fit_id)
ORDER BY l.dataset, l.key, l.model, l.sampler, e.effect_id, e.rowid;
COMMENT ON VIEW effects IS 'Effects of variables on the scale of the response in the latest fits: what their models ask for by the key effects.';
-- As in effect: x, sd, q025, median, q975.
-- As in draws: created, pipeline.
-- As in coefficients: state.
COMMENT ON COLUMN effects.effect IS 'The effect as the spec asks for it.';
COMMENT ON COLUMN effects.kind IS 'prediction, difference, ratio or odds_ratio.';
COMMENT ON COLUMN effects.variable IS 'The first variable of the effect.';
COMMENT ON COLUMN effects.level IS 'Its value, or what is compared.';
COMMENT ON COLUMN effects.given IS 'Values of the other variables that vary, and of the groups of rows.';
COMMENT ON COLUMN effects.mean IS 'Posterior mean.';
COMMENT ON COLUMN effects.p_direction IS 'Of differences and ratios: the share of draws on the side where most are.';

CREATE OR REPLACE VIEW group_effects AS
SELECT f.dataset, f.key, f.model, f.sampler, p.grouping, p.level, p.term, s.mean, s.sd, s.q025, s.q25, s.median, s.q75, s.q975,
       s.rhat, s.ess_bulk, s.ess_tail, s.name AS parameter, f.state, f.fit_id, p.parameter_id, f.pipeline
FROM latest f
JOIN parameter p ON p.fit_id = f.fit_id AND p.kind = 'group_effect'
JOIN summary s ON s.fit_id = p.fit_id AND s.parameter_id = p.parameter_id
ORDER BY f.dataset, f.key, f.model, f.sampler, p.parameter_id;
COMMENT ON VIEW group_effects IS 'Group-level effects of the newest fits, a row for each level and term of a grouping: how far the level lies from the population.';
-- As in summary: q025, q25, median, q75, q975, rhat, ess_bulk, ess_tail, fit_id.
-- As in effects: sd, state, pipeline.
COMMENT ON COLUMN group_effects.dataset IS 'Data set.';
COMMENT ON COLUMN group_effects.key IS 'File or group of the data set.';
COMMENT ON COLUMN group_effects.model IS 'Model.';
COMMENT ON COLUMN group_effects.sampler IS 'Sampler.';
COMMENT ON COLUMN group_effects.grouping IS 'The grouping: g of (1 | g), or g:h.';
COMMENT ON COLUMN group_effects.level IS 'Its level.';
COMMENT ON COLUMN group_effects.term IS 'Intercept, or the column whose slope differs by level.';
COMMENT ON COLUMN group_effects.mean IS 'Posterior mean of the effect, to be added to the coefficient of the term, in the units of the data.';
COMMENT ON COLUMN group_effects.parameter IS 'Name of the parameter: r_g[level,term].';
COMMENT ON COLUMN group_effects.parameter_id IS 'Number of the parameter in its fit.';

-- The intraclass correlation of a grouping is its share of the variance of a response on the scale of the linear
-- predictor, computed in each draw. With slopes it depends on their columns, so there is none. What is not of a
-- grouping is sigma² of gaussian(identity), and the variance of the latent variable of a binary response:
-- Nakagawa, Johnson and Schielzeth (2017), doi:10.1098/rsif.2017.0213.
CREATE OR REPLACE VIEW variance_components AS
WITH component AS (
    SELECT f.fit_id, p.parameter_id, p.name, p.kind, p.grouping, p.term,
           CASE WHEN f.family IN ('bernoulli', 'binomial') AND f.link = 'logit' THEN pi() * pi() / 3
                WHEN f.family IN ('bernoulli', 'binomial') AND f.link = 'probit' THEN 1
                WHEN f.family IN ('bernoulli', 'binomial') AND f.link = 'cloglog' THEN pi() * pi() / 6
                WHEN f.family = 'gaussian' AND f.link = 'identity' THEN 0 END AS latent,
           f.family = 'gaussian' AS with_sigma,
           bool_and(p.kind <> 'group_sd' OR p.term = 'Intercept') OVER (PARTITION BY f.fit_id) AS intercepts
    FROM (SELECT DISTINCT fit_id, family, link FROM latest) f
    JOIN parameter p ON p.fit_id = f.fit_id AND (p.kind = 'group_sd' OR p.kind = 'dispersion' AND p.name = 'sigma')
), share AS (
    SELECT fit_id, parameter_id, avg(part) AS icc, quantile_cont(part, 0.025) AS icc_q025, quantile_cont(part, 0.975) AS icc_q975
    FROM (
        SELECT c.fit_id, c.parameter_id, c.kind,
               d.value * d.value / (c.latent + sum(d.value * d.value) OVER draw_of) AS part,
               c.with_sigma AND NOT bool_or(c.kind = 'dispersion') OVER draw_of AS sigma_is_fixed
        FROM component c
        JOIN draw d ON d.fit_id = c.fit_id AND d.parameter_id = c.parameter_id
        WHERE c.intercepts AND c.latent IS NOT NULL
        WINDOW draw_of AS (PARTITION BY d.fit_id, d.chain, d.iteration)
    )
    WHERE kind = 'group_sd' AND NOT sigma_is_fixed
    GROUP BY fit_id, parameter_id
), level_count AS (
    SELECT fit_id, grouping, count(DISTINCT level) AS levels
    FROM parameter
    WHERE kind = 'group_effect'
    GROUP BY fit_id, grouping
)
SELECT f.dataset, f.key, f.model, f.sampler, c.grouping, c.term, n.levels, s.mean AS sd, s.sd AS sd_sd, s.q025 AS sd_q025,
       s.median AS sd_median, s.q975 AS sd_q975, s.mean * s.mean + s.sd * s.sd AS variance,
       h.icc, h.icc_q025, h.icc_q975, s.rhat, s.ess_bulk, s.ess_tail, c.name AS parameter, f.state, c.fit_id, f.pipeline
FROM component c
JOIN latest f ON f.fit_id = c.fit_id
JOIN summary s ON s.fit_id = c.fit_id AND s.parameter_id = c.parameter_id
LEFT JOIN level_count n ON n.fit_id = c.fit_id AND n.grouping = c.grouping
LEFT JOIN share h ON h.fit_id = c.fit_id AND h.parameter_id = c.parameter_id
WHERE c.kind = 'group_sd'
ORDER BY f.dataset, f.key, f.model, f.sampler, c.parameter_id;
COMMENT ON VIEW variance_components IS 'Standard deviations of group-level effects in the newest fits, a row for each grouping and term, with variances and intraclass correlations.';
-- As in parameter: fit_id.
-- As in group_effects: dataset, key, model, sampler, grouping, term, state, pipeline.
COMMENT ON COLUMN variance_components.levels IS 'Levels of the grouping.';
COMMENT ON COLUMN variance_components.sd IS 'Posterior mean of the standard deviation, in the units of the data.';
COMMENT ON COLUMN variance_components.sd_sd IS 'Its posterior standard deviation.';
COMMENT ON COLUMN variance_components.sd_q025 IS 'Its 2.5 % quantile.';
COMMENT ON COLUMN variance_components.sd_median IS 'Its median.';
COMMENT ON COLUMN variance_components.sd_q975 IS 'Its 97.5 % quantile.';
COMMENT ON COLUMN variance_components.variance IS 'Posterior mean of its square.';
COMMENT ON COLUMN variance_components.icc IS 'Intraclass correlation, the posterior mean of the grouping''s share of the variance: of all groupings and sigma² of gaussian(identity), or of the latent variable under logit (pi²/3), probit (1) and cloglog (pi²/6). NULL with slopes, other families and links, a fixed sigma, or without draws. With precision weights it is that of rows of weight 1.';
COMMENT ON COLUMN variance_components.icc_q025 IS 'Its 2.5 % quantile.';
COMMENT ON COLUMN variance_components.icc_q975 IS 'Its 97.5 % quantile.';
COMMENT ON COLUMN variance_components.rhat IS 'Rank-normalised split R-hat of the standard deviation.';
COMMENT ON COLUMN variance_components.ess_bulk IS 'Its bulk effective sample size.';
COMMENT ON COLUMN variance_components.ess_tail IS 'Its tail effective sample size.';
COMMENT ON COLUMN variance_components.parameter IS 'Name of the parameter: sd_g__term.';

CREATE OR REPLACE VIEW smooths AS
SELECT f.dataset, f.key, f.model, f.sampler, c.smooth, c.level, c.x, c.mean, c.sd, c.q025, c.q25, c.median, c.q75, c.q975, c.name,
       f.state, f.fit_id, f.pipeline
FROM latest f
JOIN smooth_curve c USING (fit_id)
ORDER BY f.dataset, f.key, f.model, f.sampler, c.rowid;
COMMENT ON VIEW smooths IS 'The curves of smooths of the newest fits, with their bands: a row for each of 100 points.';
-- As in smooth_curve: smooth, level, sd, q025, q25, median, q75, q975, name, fit_id.
-- As in group_effects: dataset, key, model, sampler, state, pipeline.
COMMENT ON COLUMN smooths.x IS 'The number that is smoothed.';
COMMENT ON COLUMN smooths.mean IS 'Posterior mean of f(x), on the scale of the linear predictor.';

CREATE OR REPLACE VIEW imputed AS
SELECT f.dataset, f.key, f.model, f.sampler, p.grouping AS variable, CAST(p.level AS BIGINT) AS row, p.term AS level, s.mean, s.sd, s.q025, s.q25,
       s.median, s.q75, s.q975, s.rhat, s.ess_bulk, s.ess_tail, p.name AS parameter, f.state, f.fit_id, f.pipeline
FROM latest f
JOIN parameter p ON p.fit_id = f.fit_id AND p.kind = 'imputed'
JOIN summary s ON s.fit_id = p.fit_id AND s.parameter_id = p.parameter_id
ORDER BY f.dataset, f.key, f.model, f.sampler, p.parameter_id;
COMMENT ON VIEW imputed IS 'Missing cells of the newest fits of models with missing: impute: a row for each, of predictors and of the response; of columns of several levels one for each level.';
-- As in summary: q025, q25, median, q75, q975, ess_bulk, ess_tail, fit_id.
-- As in group_effects: dataset, key, model, sampler, sd, state, pipeline.
COMMENT ON COLUMN imputed.variable IS 'The column of the cell.';
COMMENT ON COLUMN imputed.row IS 'The row of the cell, counted from 1.';
COMMENT ON COLUMN imputed.level IS 'A level of a column of text of more than two values, which has a row for each; NULL of other columns.';
COMMENT ON COLUMN imputed.mean IS 'Posterior mean of its value; of a column of two values the probability of the second one, or of true; of a level its probability.';
COMMENT ON COLUMN imputed.rhat IS 'R-hat of its draws.';
COMMENT ON COLUMN imputed.parameter IS 'Its name among the draws: Ymi_bmi[3].';

CREATE OR REPLACE VIEW incomplete_columns AS
SELECT l.dataset, l.key, l.model, l.sampler, c.variable, c.formula, c.family, c.response, c.observed, c.missing, l.state, l.fit_id, l.pipeline
FROM latest l
JOIN incomplete_column c USING (fit_id)
ORDER BY l.dataset, l.key, l.model, l.sampler, c.rowid;
COMMENT ON VIEW incomplete_columns IS 'Columns whose missing cells were drawn, with their models: newest fits of models with missing: impute.';
-- As in incomplete_column: variable, formula, family, response, observed, missing.
-- As in draws: pipeline.

CREATE OR REPLACE VIEW imputations AS
SELECT l.dataset, l.key, l.model, l.sampler, i.name AS parameter, i.imputation, i.source, i.mean, i.sd, i.q025, i.median, i.q975,
       i.rhat, i.ess_bulk, i.ess_tail, l.state, l.fit_id, l.pipeline
FROM latest l
JOIN pooling p USING (fit_id)
JOIN imputation i ON i.fit_id = p.fit_id AND i.name = p.name
ORDER BY l.dataset, l.key, l.model, l.sampler, p.place, i.imputation;
COMMENT ON VIEW imputations IS 'Summaries of each parameter from each imputation, of the newest fits of data sets with each: imputation.';
-- As in imputation: q025, q975.
-- As in draws: pipeline.
COMMENT ON COLUMN imputations.parameter IS 'Its name.';
COMMENT ON COLUMN imputations.source IS 'File of the imputation, or its value in the column that identifies the imputation.';
COMMENT ON COLUMN imputations.mean IS 'Posterior mean given the imputation.';
COMMENT ON COLUMN imputations.sd IS 'Posterior standard deviation given it.';

CREATE OR REPLACE VIEW pooled AS
SELECT l.dataset, l.key, l.model, l.sampler, p.name AS parameter, s.mean, s.sd, sqrt(p.total) AS sd_rubin, p.within, p.between, p.riv,
       p.missing_share, p.df, p.fmi, s.rhat, p.rhat_across, s.ess_bulk, s.ess_tail,
       (SELECT count(*) FROM imputation i WHERE i.fit_id = p.fit_id AND i.name = p.name) AS imputations, l.state, l.fit_id, l.pipeline
FROM latest l
JOIN pooling p USING (fit_id)
JOIN summary s ON s.fit_id = p.fit_id AND s.name = p.name AND s.kind <> 'statistic'
ORDER BY l.dataset, l.key, l.model, l.sampler, p.place;
COMMENT ON VIEW pooled IS 'Pooled draws of the newest fits of data sets with each: imputation, and the estimates of Rubin''s rules for each parameter.';
-- As in imputations: parameter, pipeline.
COMMENT ON COLUMN pooled.mean IS 'Mean of all draws.';
COMMENT ON COLUMN pooled.sd IS 'Standard deviation of all draws.';
COMMENT ON COLUMN pooled.sd_rubin IS 'Square root of the total variance by Rubin''s rules, larger than sd: few imputations show less than all of their variance.';
COMMENT ON COLUMN pooled.rhat IS 'Largest R-hat of an imputation: gates look at it.';
COMMENT ON COLUMN pooled.imputations IS 'How many there are.';

CREATE OR REPLACE VIEW prior_sensitivity AS
SELECT l.dataset, l.key, l.model, l.sampler, s.name AS parameter, s.prior, s.likelihood,
       CASE WHEN s.prior >= 0.05 AND s.likelihood >= 0.05 THEN 'the prior and the data may disagree'
            WHEN s.prior >= 0.05 THEN 'the prior rules, the data say little' END AS diagnosis, l.fit_id, l.pipeline
FROM latest l
JOIN sensitivity s USING (fit_id)
ORDER BY l.dataset, l.key, l.model, l.sampler, s.place;
COMMENT ON VIEW prior_sensitivity IS 'Sensitivities of the newest fits to their priors and data.';
-- As in imputations: parameter, pipeline.
COMMENT ON COLUMN prior_sensitivity.prior IS 'Sensitivity to the prior; from 0.05 on it matters.';
COMMENT ON COLUMN prior_sensitivity.likelihood IS 'Sensitivity to the likelihood; below 0.05 the data contain little information.';
COMMENT ON COLUMN prior_sensitivity.diagnosis IS 'Meaning of a sensitivity to the prior of 0.05 or more; NULL below.';

CREATE OR REPLACE VIEW allocations AS
SELECT f.dataset, f.key, f.model, f.sampler, a.row, a.component, a.posterior AS probability, a.observation,
       coalesce(s.value, 0) = 0 AS meaningful, f.state, f.fit_id, f.pipeline
FROM latest f
JOIN allocation a USING (fit_id)
LEFT JOIN diagnostic s ON s.fit_id = f.fit_id AND s.name = 'label_switches' AND s.chain IS NULL
ORDER BY f.dataset, f.key, f.model, f.sampler, a.rowid;
COMMENT ON VIEW allocations IS 'Of which component of a mixture each row is, of the newest fits: a row for each of them and each component.';
-- As in allocation: row, component, observation, fit_id.
-- As in group_effects: dataset, key, model, sampler, state, pipeline.
COMMENT ON COLUMN allocations.probability IS 'Posterior probability that the row is of it, the label integrated out in each draw.';
COMMENT ON COLUMN allocations.meaningful IS 'Whether a number stands for one group of rows: the order of the components, as they were sampled, never changed within a chain. Where it did, components overlap in what they are numbered by, and a number stands for one group in some draws and for another one in others.';

CREATE OR REPLACE VIEW forecasts AS
SELECT f.dataset, f.key, f.model, f.sampler, f.method, f.n_rows, f.n_columns, substr(p.name, 10) AS quantity,
       p.value AS predicted, m.value AS measured,
       CASE WHEN quantity LIKE 'rate%' THEN (1 - m.value) / nullif(1 - p.value, 0) ELSE m.value / nullif(p.value, 0) END AS ratio,
       p.note, f.state, f.fit_id, f.pipeline
FROM latest f
JOIN diagnostic p USING (fit_id)
LEFT JOIN diagnostic m ON m.fit_id = p.fit_id AND m.name = p.name || '_measured'
WHERE starts_with(p.name, 'forecast_') AND NOT ends_with(p.name, '_measured')
ORDER BY f.dataset, f.key, f.model, f.sampler, quantity;
COMMENT ON VIEW forecasts IS 'Mixing rates of the newest fits: predicted before sampling, and measured from the draws.';
-- As in diagnostic: fit_id.
-- As in group_effects: dataset, key, model, sampler, state, pipeline.
COMMENT ON COLUMN forecasts.method IS 'Its method.';
COMMENT ON COLUMN forecasts.n_rows IS 'Rows of the design.';
COMMENT ON COLUMN forecasts.n_columns IS 'Its columns.';
COMMENT ON COLUMN forecasts.quantity IS 'rate (share of the distance along the slowest direction that an iteration keeps), rate_bound (a bound of it by a theorem), rate_bound_residual (the same by the residual condition number), ess_slowest, ess_least (effective draws an iteration of the slowest combination of coefficients, and of the slowest coefficient), gradients (to an effective draw, of nuts and hmc), cost_ratio (sweeps to an effective draw over the gradients that hmc would take).';
COMMENT ON COLUMN forecasts.predicted IS 'From the normal approximation at the penalised point.';
COMMENT ON COLUMN forecasts.measured IS 'Measured from the draws: autocorrelation at lag 1 along the direction, bulk effective sample size over draws, gradients over the least of these.';
COMMENT ON COLUMN forecasts.ratio IS 'Measured over predicted; for a rate, of 1 - rate: at least 1 if a bound holds.';
COMMENT ON COLUMN forecasts.note IS 'Basis of the forecast, or the reason why there is none.';

CREATE OR REPLACE VIEW conditions AS
SELECT f.fit_id, f.dataset, f.key, f.model, f.sampler, f.n_rows, f.n_columns, split_part(d.name, '_', 3) AS place,
       max(d.value) FILTER (d.name LIKE 'condition_raw_%') AS raw,
       max(d.value) FILTER (d.name LIKE 'condition_correlation_%') AS correlation,
       max(d.value) FILTER (d.name LIKE 'condition_residual_%') AS residual,
       max(TRY_CAST(replace(d.note, 'at least ', '') AS DOUBLE)) FILTER (d.name LIKE 'condition_residual_%') AS residual_low,
       max(d.note) FILTER (d.value IS NULL) AS reason, f.pipeline
FROM latest f
JOIN diagnostic d USING (fit_id)
WHERE d.name SIMILAR TO 'condition_(raw|correlation|residual)_(mode|draws)'
GROUP BY ALL
ORDER BY f.dataset, f.key, f.model, f.sampler, place DESC;
COMMENT ON VIEW conditions IS 'Condition numbers of the newest fits: of the curvature at the penalised point (mode) and of the covariance of the draws, design as sampled.';
-- As in draws: pipeline.
COMMENT ON COLUMN conditions.place IS 'mode or draws.';
COMMENT ON COLUMN conditions.raw IS 'Largest over smallest eigenvalue.';
COMMENT ON COLUMN conditions.correlation IS 'The same with all diagonal entries scaled to 1.';
COMMENT ON COLUMN conditions.residual IS 'The least found under any diagonal scaling.';
COMMENT ON COLUMN conditions.residual_low IS 'Lower bound for every diagonal scaling.';
COMMENT ON COLUMN conditions.reason IS 'Why a number is NULL.';

CREATE OR REPLACE VIEW ppc_misfit AS
SELECT f.dataset, f.key, f.model, f.sampler, c.variable, c.statistic, count(*) AS levels,
       count(*) FILTER (c.observed < c.q05 OR c.observed > c.q95) AS outside, sum(c.expected) AS expected,
       arg_max(c.level, abs(c.observed - c.mean) / nullif(c.q95 - c.q05, 0)) AS worst, c.fit_id, f.pipeline
FROM latest f JOIN ppc_group c ON c.fit_id = f.fit_id
GROUP BY ALL
ORDER BY outside DESC, f.dataset, f.key, f.model, f.sampler, c.variable, c.statistic;
COMMENT ON VIEW ppc_misfit IS 'Predictive checks by group, summed up: in how many levels the data lie outside the 90 % interval of replicated data, and in how many they are expected to.';
-- As in ppc_group: variable, statistic.
-- As in draws: pipeline.
COMMENT ON COLUMN ppc_misfit.levels IS 'Levels with rows.';
COMMENT ON COLUMN ppc_misfit.outside IS 'Levels whose statistic lies outside 5 to 95 % of the replicates.';
COMMENT ON COLUMN ppc_misfit.expected IS 'How many chance alone puts there.';
COMMENT ON COLUMN ppc_misfit.worst IS 'The level farthest out, in widths of its interval.';
