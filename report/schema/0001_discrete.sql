-- Fits of models of kind mrf: discrete variables, their marginals, the most probable
-- states seen, and what is proved. Functionals of the states are parameters of the kind
-- functional; per-sweep statistics stand in the view chain.

CREATE TABLE discrete (
    fit_id        BIGINT NOT NULL,
    variables     BIGINT NOT NULL,
    edges         BIGINT NOT NULL,
    labels        VARCHAR[] NOT NULL,
    image_rows    INTEGER,
    image_columns INTEGER,
    interaction   VARCHAR NOT NULL,
    log_z         DOUBLE,
    best_log_lik  DOUBLE,
    best_chain    SMALLINT,
    gated         BOOLEAN NOT NULL,
    model_bytes   BIGINT,
    chain_bytes   BIGINT
);

COMMENT ON TABLE discrete IS 'Fits of models of kind mrf: one row each, beside the one in fit.';
COMMENT ON COLUMN discrete.fit_id IS 'The fit.';
COMMENT ON COLUMN discrete.variables IS 'Number of variables.';
COMMENT ON COLUMN discrete.edges IS 'Number of edges.';
COMMENT ON COLUMN discrete.labels IS 'Names of the states: labels[1] is that of state 0.';
COMMENT ON COLUMN discrete.image_rows IS 'Rows of an image or grid, whose variables are numbered row by row; NULL of other data.';
COMMENT ON COLUMN discrete.image_columns IS 'Columns of an image or grid.';
COMMENT ON COLUMN discrete.interaction IS 'What joins neighbours: ising, potts, or tables of the data.';
COMMENT ON COLUMN discrete.log_z IS 'Logarithm of the sum of exp(log_lik) over all states, where an exact method knows it.';
COMMENT ON COLUMN discrete.best_log_lik IS 'The largest log_lik of a state that the fit saw or found: that of variable.best.';
COMMENT ON COLUMN discrete.best_chain IS 'Chain that saw it; NULL where it was found without chains.';
COMMENT ON COLUMN discrete.gated IS 'Whether the chains are Markov chains of the model, which R-hat and ESS speak of: not those of herded Gibbs, nor annealed ones, nor methods without chains.';
COMMENT ON COLUMN discrete.model_bytes IS 'Memory of the model.';
COMMENT ON COLUMN discrete.chain_bytes IS 'Memory of a chain, counts included; NULL without chains.';

CREATE TABLE variable (
    fit_id       BIGINT NOT NULL,
    variable_id  INTEGER NOT NULL,
    id           VARCHAR NOT NULL,
    image_row    INTEGER,
    image_column INTEGER,
    observation  DOUBLE,
    truth        SMALLINT,
    best         SMALLINT
);

COMMENT ON TABLE variable IS 'Variables of fits of kind mrf, in the order of the data.';
COMMENT ON COLUMN variable.fit_id IS 'The fit.';
COMMENT ON COLUMN variable.variable_id IS '1, 2, … in the order of the data.';
COMMENT ON COLUMN variable.id IS 'Its id in the data; of an image ROW,COLUMN.';
COMMENT ON COLUMN variable.image_row IS 'Row of the pixel, from 1.';
COMMENT ON COLUMN variable.image_column IS 'Column of the pixel, from 1.';
COMMENT ON COLUMN variable.observation IS 'What was observed; NULL where nothing was.';
COMMENT ON COLUMN variable.truth IS 'Number of the true state, from 0; NULL where it is unknown. No fit looks at it.';
COMMENT ON COLUMN variable.best IS 'Its state in the most probable state of all variables that the fit saw or found.';

CREATE TABLE marginal (
    fit_id      BIGINT NOT NULL,
    variable_id INTEGER NOT NULL,
    state       SMALLINT NOT NULL,
    probability DOUBLE NOT NULL,
    mcse        DOUBLE
);

COMMENT ON TABLE marginal IS 'Marginal distributions of the variables of fits of kind mrf. Fits that sample another law than the model''s, or look for the most probable states only, have none.';
COMMENT ON COLUMN marginal.fit_id IS 'The fit.';
COMMENT ON COLUMN marginal.variable_id IS 'The variable.';
COMMENT ON COLUMN marginal.state IS 'Number of the state, from 0.';
COMMENT ON COLUMN marginal.probability IS 'Its probability: the share of the kept sweeps of all chains, an exact sum, or the approximation of mean field.';
COMMENT ON COLUMN marginal.mcse IS 'Monte Carlo standard error, by batch means over all chains; 0 where it is exact; NULL of deterministic samplers and approximations.';

CREATE TABLE certificate (
    fit_id      BIGINT NOT NULL,
    method      VARCHAR NOT NULL,
    bounded     VARCHAR NOT NULL,
    variables   BIGINT NOT NULL,
    ids         VARCHAR[],
    after_updates BIGINT,
    bound       DOUBLE,
    note        VARCHAR
);

COMMENT ON TABLE certificate IS 'What is proved of the error of fits of kind mrf, and of scans for some coefficients, or why nothing is.';
COMMENT ON COLUMN certificate.fit_id IS 'The fit.';
COMMENT ON COLUMN certificate.method IS 'What proves it.';
COMMENT ON COLUMN certificate.bounded IS 'What the bound is of.';
COMMENT ON COLUMN certificate.variables IS 'How many variables, or coefficients, it speaks of.';
COMMENT ON COLUMN certificate.ids IS 'Their ids, or names, where they were chosen; NULL: all.';
COMMENT ON COLUMN certificate.after_updates IS 'Updates of single variables after which it holds; NULL where there are none.';
COMMENT ON COLUMN certificate.bound IS 'The error is proved to be at most this; NULL where nothing is proved.';
COMMENT ON COLUMN certificate.note IS 'What the bound rests on, or why there is none.';

CREATE VIEW marginals AS
SELECT m.fit_id, f.dataset, f.key, f.model, f.sampler, v.variable_id, v.id, v.image_row, v.image_column, v.observation,
       d.labels[m.state + 1] AS state, m.probability, m.mcse, v.truth = m.state AS true_state, v.best = m.state AS best_state
FROM marginal m
JOIN discrete d USING (fit_id)
JOIN variable v USING (fit_id, variable_id)
JOIN fit f USING (fit_id);
COMMENT ON VIEW marginals IS 'Marginals with the names of fits, variables and states.';
COMMENT ON COLUMN marginals.variable_id IS '1, 2, … in the order of the data.';
COMMENT ON COLUMN marginals.observation IS 'What was observed of the variable; NULL where nothing was.';
COMMENT ON COLUMN marginals.state IS 'Label of the state.';
COMMENT ON COLUMN marginals.true_state IS 'Whether it is the true one; NULL where that is unknown.';
COMMENT ON COLUMN marginals.best_state IS 'Whether the variable is in it in the most probable state seen.';

CREATE VIEW sweeps AS
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

CREATE VIEW reconstruction AS
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
       avg(l.squared) AS squared_error
FROM latest f
JOIN variable v USING (fit_id)
LEFT JOIN law l USING (fit_id, variable_id)
WHERE v.truth IS NOT NULL
GROUP BY ALL
ORDER BY f.dataset, f.key, f.model, f.sampler;
COMMENT ON VIEW reconstruction IS 'How far the newest fits of kind mrf are from the true states, where these are known.';
COMMENT ON COLUMN reconstruction.known IS 'Variables whose true state is known.';
COMMENT ON COLUMN reconstruction.wrong_marginal IS 'Share of them whose most probable state by its marginal is not the true one; NULL without marginals.';
COMMENT ON COLUMN reconstruction.wrong_best IS 'Share of them whose state in the most probable state seen is not the true one.';
COMMENT ON COLUMN reconstruction.squared_error IS 'Mean over variables of half the squared distance between marginal and truth: of two states (p − truth)².';

-- Two samplers on one model: their marginals, state by state. Each difference is divided
-- by its Monte Carlo error, to which the resolution of counts is added; the largest of m
-- must stay under sqrt(2 ln(m / 0.001)), as in the view comparison.
CREATE VIEW marginal_comparison AS
WITH pair AS (
    SELECT a.dataset, a.key, a.model, a.sampler AS sampler_a, b.sampler AS sampler_b, a.fit_id AS fit_a, b.fit_id AS fit_b,
           1.0 / greatest(1, a.chains * a.draws) AS grain_a, 1.0 / greatest(1, b.chains * b.draws) AS grain_b
    FROM latest a
    JOIN latest b ON a.dataset = b.dataset AND a.key = b.key AND a.model = b.model AND a.sampler < b.sampler
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
       max(difference / nullif(error, 0)) AS z_max, sqrt(2 * ln(count(*) / 0.001)) AS z_limit, fit_a, fit_b
FROM matched
GROUP BY ALL
ORDER BY dataset, key, model, sampler_a, sampler_b;
COMMENT ON VIEW marginal_comparison IS 'Pairs of samplers on one model of kind mrf: how far their marginals lie apart, and whether by more than chance.';
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
