-- Group-level effects: (1 + x | g) of a formula.

CREATE VIEW group_effects AS
SELECT f.dataset, f.key, f.model, f.sampler, p.grouping, p.level, p.term, s.mean, s.sd, s.q025, s.q25, s.median, s.q75, s.q975,
       s.rhat, s.ess_bulk, s.ess_tail, s.name AS parameter, f.state, f.fit_id, p.parameter_id
FROM latest f
JOIN parameter p ON p.fit_id = f.fit_id AND p.kind = 'group_effect'
JOIN summary s ON s.fit_id = p.fit_id AND s.parameter_id = p.parameter_id
ORDER BY f.dataset, f.key, f.model, f.sampler, p.parameter_id;
COMMENT ON VIEW group_effects IS 'Group-level effects of the newest fits, a row for each level and term of a grouping: how far the level lies from the population.';
COMMENT ON COLUMN group_effects.dataset IS 'Data set.';
COMMENT ON COLUMN group_effects.key IS 'File or group of the data set.';
COMMENT ON COLUMN group_effects.model IS 'Model.';
COMMENT ON COLUMN group_effects.sampler IS 'Sampler.';
COMMENT ON COLUMN group_effects.grouping IS 'The grouping: g of (1 | g), or g:h.';
COMMENT ON COLUMN group_effects.level IS 'Its level.';
COMMENT ON COLUMN group_effects.term IS 'Intercept, or the column whose slope differs by level.';
COMMENT ON COLUMN group_effects.mean IS 'Posterior mean of the effect, to be added to the coefficient of the term, in the units of the data.';
COMMENT ON COLUMN group_effects.sd IS 'Posterior standard deviation.';
COMMENT ON COLUMN group_effects.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN group_effects.q25 IS '25 % quantile.';
COMMENT ON COLUMN group_effects.median IS 'Median.';
COMMENT ON COLUMN group_effects.q75 IS '75 % quantile.';
COMMENT ON COLUMN group_effects.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN group_effects.rhat IS 'Rank-normalised split R-hat.';
COMMENT ON COLUMN group_effects.ess_bulk IS 'Bulk effective sample size.';
COMMENT ON COLUMN group_effects.ess_tail IS 'Tail effective sample size.';
COMMENT ON COLUMN group_effects.parameter IS 'Name of the parameter: r_g[level,term].';
COMMENT ON COLUMN group_effects.state IS 'current, or what became of a newer attempt at the fit: error or uncommitted.';
COMMENT ON COLUMN group_effects.fit_id IS 'The fit.';
COMMENT ON COLUMN group_effects.parameter_id IS 'Number of the parameter in its fit.';

-- The intraclass correlation of a grouping is its share of the variance of a response on the scale of the linear
-- predictor, computed in each draw. With slopes it depends on their columns, so there is none. What is not of a
-- grouping is sigma² of gaussian(identity), and the variance of the latent variable of a binary response:
-- Nakagawa, Johnson and Schielzeth (2017), doi:10.1098/rsif.2017.0213.
CREATE VIEW variance_components AS
WITH component AS (
    SELECT f.fit_id, p.parameter_id, p.name, p.kind, p.grouping, p.term,
           CASE WHEN f.family IN ('bernoulli', 'binomial') AND f.link = 'logit' THEN pi() * pi() / 3
                WHEN f.family IN ('bernoulli', 'binomial') AND f.link = 'probit' THEN 1
                WHEN f.family IN ('bernoulli', 'binomial') AND f.link = 'cloglog' THEN pi() * pi() / 6
                WHEN f.family = 'gaussian' AND f.link = 'identity' THEN 0 END AS latent,
           f.family = 'gaussian' AS with_sigma,
           bool_and(p.kind <> 'group_sd' OR p.term = 'Intercept') OVER (PARTITION BY f.fit_id) AS intercepts
    FROM latest f
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
       h.icc, h.icc_q025, h.icc_q975, s.rhat, s.ess_bulk, s.ess_tail, c.name AS parameter, f.state, c.fit_id
FROM component c
JOIN latest f ON f.fit_id = c.fit_id
JOIN summary s ON s.fit_id = c.fit_id AND s.parameter_id = c.parameter_id
LEFT JOIN level_count n ON n.fit_id = c.fit_id AND n.grouping = c.grouping
LEFT JOIN share h ON h.fit_id = c.fit_id AND h.parameter_id = c.parameter_id
WHERE c.kind = 'group_sd'
ORDER BY f.dataset, f.key, f.model, f.sampler, c.parameter_id;
COMMENT ON VIEW variance_components IS 'Standard deviations of group-level effects in the newest fits, a row for each grouping and term, with variances and intraclass correlations.';
COMMENT ON COLUMN variance_components.dataset IS 'Data set.';
COMMENT ON COLUMN variance_components.key IS 'File or group of the data set.';
COMMENT ON COLUMN variance_components.model IS 'Model.';
COMMENT ON COLUMN variance_components.sampler IS 'Sampler.';
COMMENT ON COLUMN variance_components.grouping IS 'The grouping: g of (1 | g), or g:h.';
COMMENT ON COLUMN variance_components.term IS 'Intercept, or the column whose slope differs by level.';
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
COMMENT ON COLUMN variance_components.state IS 'current, or what became of a newer attempt at the fit: error or uncommitted.';
COMMENT ON COLUMN variance_components.fit_id IS 'The fit.';
