-- Runs and fits: the tables that every fit has rows in. Once a version is released its
-- files are never edited: what comes later is the next version.

CREATE TABLE run (
    run_id    VARCHAR NOT NULL,
    pipeline  VARCHAR NOT NULL,
    spec_hash VARCHAR,
    spec      VARCHAR,
    vars      JSON,
    seed      UBIGINT,
    started   TIMESTAMP NOT NULL,
    finished  TIMESTAMP,
    exit_code INTEGER,
    program   VARCHAR,
    engine    VARCHAR,
    host      JSON,
    place     INTEGER NOT NULL
);

COMMENT ON TABLE run IS 'Calls of the program: one row for each pipeline that was run.';
COMMENT ON COLUMN run.run_id IS 'Name of the run, unique.';
COMMENT ON COLUMN run.pipeline IS 'Name of the pipeline.';
COMMENT ON COLUMN run.spec_hash IS 'Hash of the spec''s text.';
COMMENT ON COLUMN run.spec IS 'The whole spec as it was read.';
COMMENT ON COLUMN run.vars IS 'Resolved variables of the spec, a JSON object.';
COMMENT ON COLUMN run.seed IS 'Seed that all randomness of the run derives from.';
COMMENT ON COLUMN run.started IS 'Start, UTC.';
COMMENT ON COLUMN run.finished IS 'End, UTC; NULL while running or after a kill.';
COMMENT ON COLUMN run.exit_code IS '0 all passed, 1 some failed, 2 bad call, 3 something uncommitted, 130 interrupted.';
COMMENT ON COLUMN run.program IS 'Version and build of the program.';
COMMENT ON COLUMN run.engine IS 'Version of DuckDB that wrote the row.';
COMMENT ON COLUMN run.host IS 'Facts about the machine, a JSON object.';
COMMENT ON COLUMN run.place IS 'Order of runs: one more than that of every run which the ledger had when this one began. It orders runs whatever the clock says; runs side by side share one.';

CREATE SEQUENCE fit_number;

CREATE TABLE fit (
    fit_id             BIGINT NOT NULL,
    fingerprint        VARCHAR NOT NULL,
    run_id             VARCHAR NOT NULL,
    pipeline           VARCHAR,
    dataset            VARCHAR NOT NULL,
    key                VARCHAR NOT NULL,
    model              VARCHAR NOT NULL,
    sampler            VARCHAR NOT NULL,
    method             VARCHAR,
    family             VARCHAR,
    link               VARCHAR,
    formula            VARCHAR,
    n_rows             BIGINT,
    n_columns          INTEGER,
    n_parameters       INTEGER,
    chains             INTEGER,
    warmup             INTEGER,
    draws              INTEGER,
    iterations         INTEGER,
    kept               VARCHAR,
    data_hash          VARCHAR,
    model_hash         VARCHAR,
    algorithm_versions JSON,
    starts             VARCHAR[],
    status             VARCHAR NOT NULL,
    verdict            VARCHAR NOT NULL,
    reasons            VARCHAR[],
    gates              JSON,
    warnings           VARCHAR[],
    error              VARCHAR,
    setup_seconds      DOUBLE,
    warmup_seconds     DOUBLE,
    sampling_seconds   DOUBLE,
    wall_seconds       DOUBLE,
    to_ess100_median   DOUBLE,
    to_ess100_min      DOUBLE,
    to_ess100_log_lik  DOUBLE,
    created            TIMESTAMP NOT NULL,
    judged             TIMESTAMP NOT NULL,
    replicate          INTEGER NOT NULL,
    place              INTEGER NOT NULL
);

COMMENT ON TABLE fit IS 'Finished fits: one data set (or group of it) under one model by one sampler. See the view latest.';
COMMENT ON COLUMN fit.fit_id IS 'Number of the fit in this ledger; joins all tables.';
COMMENT ON COLUMN fit.fingerprint IS 'Identity: hash of data, model, sampler, lengths, seed and algorithm versions.';
COMMENT ON COLUMN fit.run_id IS 'Run that computed the fit.';
COMMENT ON COLUMN fit.pipeline IS 'Pipeline of that run.';
COMMENT ON COLUMN fit.dataset IS 'Name of the data set in the spec.';
COMMENT ON COLUMN fit.key IS 'Group or file within the data set; empty if the data set is one fit.';
COMMENT ON COLUMN fit.model IS 'Name of the model in the spec.';
COMMENT ON COLUMN fit.sampler IS 'Name of the sampler in the spec.';
COMMENT ON COLUMN fit.method IS 'Sampling method that was used: cggibbs, conjugate, …';
COMMENT ON COLUMN fit.family IS 'Family of the response.';
COMMENT ON COLUMN fit.link IS 'Link function.';
COMMENT ON COLUMN fit.formula IS 'Model formula.';
COMMENT ON COLUMN fit.n_rows IS 'Rows of the design matrix.';
COMMENT ON COLUMN fit.n_columns IS 'Columns of the design matrix, intercept included.';
COMMENT ON COLUMN fit.n_parameters IS 'Parameters with draws.';
COMMENT ON COLUMN fit.chains IS 'Number of chains.';
COMMENT ON COLUMN fit.warmup IS 'Warm-up iterations per chain, not stored as draws.';
COMMENT ON COLUMN fit.draws IS 'Draws per chain after warm-up.';
COMMENT ON COLUMN fit.iterations IS 'Iterations per chain, warm-up and discarded ones included.';
COMMENT ON COLUMN fit.kept IS 'draws, or summary if no draws were kept.';
COMMENT ON COLUMN fit.data_hash IS 'Hash of the canonical typed values of the used columns.';
COMMENT ON COLUMN fit.model_hash IS 'Hash of the model; equal for all samplers of one posterior.';
COMMENT ON COLUMN fit.algorithm_versions IS 'Version of each algorithm, a JSON object.';
COMMENT ON COLUMN fit.starts IS 'For each chain, how its starting point was drawn.';
COMMENT ON COLUMN fit.status IS 'complete, or error for a fit that could not be computed.';
COMMENT ON COLUMN fit.verdict IS 'pass, warn, fail or error.';
COMMENT ON COLUMN fit.reasons IS 'Why the verdict is what it is, in words.';
COMMENT ON COLUMN fit.gates IS 'Gates that the verdict was judged by, a JSON object; negative: off.';
COMMENT ON COLUMN fit.warnings IS 'Warnings of ingest, set-up and sampling.';
COMMENT ON COLUMN fit.error IS 'What went wrong; NULL for complete fits.';
COMMENT ON COLUMN fit.setup_seconds IS 'Seconds to prepare data and sampler, on one core.';
COMMENT ON COLUMN fit.warmup_seconds IS 'Seconds of warm-up, summed over chains.';
COMMENT ON COLUMN fit.sampling_seconds IS 'Seconds of sampling after warm-up, summed over chains.';
COMMENT ON COLUMN fit.wall_seconds IS 'Seconds on the clock for the whole fit.';
COMMENT ON COLUMN fit.to_ess100_median IS 'Seconds of set-up, warm-up and sampling until the median bulk ESS over parameters is 100, dispersions included, local scales not.';
COMMENT ON COLUMN fit.to_ess100_min IS 'The same for the smallest bulk ESS over these parameters.';
COMMENT ON COLUMN fit.to_ess100_log_lik IS 'The same for the bulk ESS of log_lik.';
COMMENT ON COLUMN fit.created IS 'When the fit was computed, UTC.';
COMMENT ON COLUMN fit.judged IS 'When the verdict was made; later than created if gates changed, UTC.';
COMMENT ON COLUMN fit.replicate IS '1 for the fit itself, 2, 3, … for its repetitions with other seeds (run: replicates).';
COMMENT ON COLUMN fit.place IS 'Place of the run that drew the fit. What is newest, or the fit before, goes by place, then created, then fit_id.';

CREATE TABLE run_fit (
    run_id  VARCHAR NOT NULL,
    fit_id  BIGINT,
    dataset VARCHAR NOT NULL,
    key     VARCHAR NOT NULL,
    model   VARCHAR NOT NULL,
    sampler VARCHAR NOT NULL,
    action  VARCHAR NOT NULL,
    verdict VARCHAR NOT NULL,
    reasons VARCHAR[],
    noted   TIMESTAMP NOT NULL
);

COMMENT ON TABLE run_fit IS 'What each run did about each fit, also fits that it skipped or could not commit.';
COMMENT ON COLUMN run_fit.run_id IS 'The run.';
COMMENT ON COLUMN run_fit.fit_id IS 'The fit; NULL if none was stored, or if a later one replaced it.';
COMMENT ON COLUMN run_fit.dataset IS 'Name of the data set.';
COMMENT ON COLUMN run_fit.key IS 'Group or file within it.';
COMMENT ON COLUMN run_fit.model IS 'Name of the model.';
COMMENT ON COLUMN run_fit.sampler IS 'Name of the sampler.';
COMMENT ON COLUMN run_fit.action IS 'computed, skipped (an equal fit was there), error or uncommitted.';
COMMENT ON COLUMN run_fit.verdict IS 'Verdict that the run took for the fit.';
COMMENT ON COLUMN run_fit.reasons IS 'Reasons of that verdict.';
COMMENT ON COLUMN run_fit.noted IS 'When, UTC.';

CREATE TABLE parameter (
    fit_id       BIGINT NOT NULL,
    parameter_id INTEGER NOT NULL,
    name         VARCHAR NOT NULL,
    kind         VARCHAR NOT NULL,
    prior        VARCHAR,
    center       DOUBLE,
    scale        DOUBLE,
    starts       DOUBLE[],
    checksum     UINTEGER,
    grouping     VARCHAR,
    level        VARCHAR,
    term         VARCHAR,
    beside       VARCHAR
);

COMMENT ON TABLE parameter IS 'Parameters of each fit.';
COMMENT ON COLUMN parameter.fit_id IS 'The fit.';
COMMENT ON COLUMN parameter.parameter_id IS '1, 2, … within the fit; below 0 for effects of levels that have summaries and no draws (keep: groups).';
COMMENT ON COLUMN parameter.name IS 'Name as in R: (Intercept), age, racewhite, a:b, sigma.';
COMMENT ON COLUMN parameter.kind IS 'intercept, coefficient, dispersion, scale (of a horseshoe prior: tau, c), local_scale (lambda, one a coefficient; there with keep: scales only, and seen by no gate), group_sd, group_correlation, group_effect (of group-level effects) or derived.';
COMMENT ON COLUMN parameter.prior IS 'Prior on the scale of the design as sampled.';
COMMENT ON COLUMN parameter.center IS 'What was subtracted from the design column before sampling.';
COMMENT ON COLUMN parameter.scale IS 'What the design column was divided by before sampling.';
COMMENT ON COLUMN parameter.starts IS 'Starting point of each chain, on the scale of the design as sampled.';
COMMENT ON COLUMN parameter.checksum IS 'CRC-32C of the draws as little-endian doubles, by chain and iteration; NULL where they were not kept.';
COMMENT ON COLUMN parameter.grouping IS 'Of group-level effects, the grouping: g of (1 + x | g), or g:h; NULL of other parameters.';
COMMENT ON COLUMN parameter.level IS 'The level of the grouping that a group_effect is of; else NULL.';
COMMENT ON COLUMN parameter.term IS 'The term that a group_effect or group_sd is of, Intercept or a column; the second of the two of a group_correlation.';
COMMENT ON COLUMN parameter.beside IS 'The other term of a group_correlation; else NULL.';

CREATE TABLE draw_piece (
    fit_id       BIGINT NOT NULL,
    parameter_id INTEGER NOT NULL,
    chain        SMALLINT NOT NULL,
    first        INTEGER NOT NULL,
    n            SMALLINT NOT NULL,
    v            DOUBLE[250] NOT NULL
);

COMMENT ON TABLE draw_piece IS 'Posterior draws as they are stored, up to 250 successive ones of a chain in a row; the view draw has a row for each.';
COMMENT ON COLUMN draw_piece.fit_id IS 'The fit.';
COMMENT ON COLUMN draw_piece.parameter_id IS 'The parameter.';
COMMENT ON COLUMN draw_piece.chain IS '1, 2, …';
COMMENT ON COLUMN draw_piece.first IS 'Iteration of v[1]: 1, 251, …';
COMMENT ON COLUMN draw_piece.n IS 'How many draws v holds: 250, or fewer at the end of a chain.';
COMMENT ON COLUMN draw_piece.v IS 'The draws; zeros behind the first n.';

-- Filters on fit_id, parameter_id and chain reach the pieces, so that only those are read. Numbers of the draws are made
-- once for all full pieces.
CREATE VIEW draw AS
SELECT fit_id, parameter_id, chain,
       first + unnest(CASE WHEN n = 250 THEN range(250)::INTEGER[] ELSE range(n)::INTEGER[] END) AS iteration,
       unnest(CASE WHEN n = 250 THEN v::DOUBLE[] ELSE v[:n] END) AS value
FROM draw_piece;
COMMENT ON VIEW draw IS 'Posterior draws in the units of the data; the view draws adds the names.';
COMMENT ON COLUMN draw.fit_id IS 'The fit.';
COMMENT ON COLUMN draw.parameter_id IS 'The parameter.';
COMMENT ON COLUMN draw.chain IS '1, 2, …';
COMMENT ON COLUMN draw.iteration IS '1, 2, … over the kept draws.';
COMMENT ON COLUMN draw.value IS 'The draw.';

CREATE TABLE chain_piece (
    fit_id      BIGINT NOT NULL,
    chain       SMALLINT NOT NULL,
    first       INTEGER NOT NULL,
    n           INTEGER NOT NULL,
    log_lik     DOUBLE[] NOT NULL,
    log_prior   DOUBLE[] NOT NULL,
    evaluations BIGINT[] NOT NULL,
    touched     BIGINT[] NOT NULL,
    gradients   BIGINT[] NOT NULL,
    accept      DOUBLE[] NOT NULL,
    step_size   DOUBLE[] NOT NULL,
    energy      DOUBLE[] NOT NULL,
    depth       INTEGER[] NOT NULL,
    leapfrogs   INTEGER[] NOT NULL,
    divergent   BOOLEAN[] NOT NULL
);

COMMENT ON TABLE chain_piece IS 'Statistics of chains as they are stored, up to 1024 successive iterations of warm-up or of kept draws in a row; the view chain has a row for each.';
COMMENT ON COLUMN chain_piece.fit_id IS 'The fit.';
COMMENT ON COLUMN chain_piece.chain IS '1, 2, …';
COMMENT ON COLUMN chain_piece.first IS 'The first iteration, counted as in chain.';
COMMENT ON COLUMN chain_piece.n IS 'How many iterations: each list has n values, or one that all n share.';
COMMENT ON COLUMN chain_piece.log_lik IS 'As in chain.';
COMMENT ON COLUMN chain_piece.log_prior IS 'As in chain.';
COMMENT ON COLUMN chain_piece.evaluations IS 'As in chain.';
COMMENT ON COLUMN chain_piece.touched IS 'As in chain.';
COMMENT ON COLUMN chain_piece.gradients IS 'As in chain.';
COMMENT ON COLUMN chain_piece.accept IS 'As in chain.';
COMMENT ON COLUMN chain_piece.step_size IS 'As in chain.';
COMMENT ON COLUMN chain_piece.energy IS 'As in chain.';
COMMENT ON COLUMN chain_piece.depth IS 'As in chain.';
COMMENT ON COLUMN chain_piece.leapfrogs IS 'As in chain.';
COMMENT ON COLUMN chain_piece.divergent IS 'As in chain.';

-- Lists that are not asked for are not read: each is indexed, where one that is taken apart is read by any query.
CREATE VIEW chain AS
SELECT fit_id, chain, (first + i - 1)::INTEGER AS iteration, first < 1 AS warmup,
       log_lik[least(i, len(log_lik))] AS log_lik,
       log_prior[least(i, len(log_prior))] AS log_prior,
       evaluations[least(i, len(evaluations))] AS evaluations,
       touched[least(i, len(touched))] AS touched,
       gradients[least(i, len(gradients))] AS gradients,
       accept[least(i, len(accept))] AS accept,
       step_size[least(i, len(step_size))] AS step_size,
       energy[least(i, len(energy))] AS energy,
       depth[least(i, len(depth))] AS depth,
       leapfrogs[least(i, len(leapfrogs))] AS leapfrogs,
       divergent[least(i, len(divergent))] AS divergent
FROM (SELECT *, unnest(range(1, n + 1)) AS i FROM chain_piece);
COMMENT ON VIEW chain IS 'Statistics of each iteration of each chain.';
COMMENT ON COLUMN chain.fit_id IS 'The fit.';
COMMENT ON COLUMN chain.chain IS '1, 2, …';
COMMENT ON COLUMN chain.iteration IS 'Same count as in draw; 0, −1, … go back through the warm-up.';
COMMENT ON COLUMN chain.warmup IS 'Whether the iteration belongs to the warm-up.';
COMMENT ON COLUMN chain.log_lik IS 'Log likelihood with its constants.';
COMMENT ON COLUMN chain.log_prior IS 'Log prior density with its constants, design as sampled.';
COMMENT ON COLUMN chain.evaluations IS 'Evaluations of log densities.';
COMMENT ON COLUMN chain.touched IS 'Rows or entries of the design that likelihood work read.';
COMMENT ON COLUMN chain.gradients IS 'Full gradients.';
COMMENT ON COLUMN chain.accept IS 'Mean acceptance probability of Metropolis decisions; of models of kind mrf the share of variables whose state the sweep changed.';
COMMENT ON COLUMN chain.step_size IS 'Step size (Hamiltonian samplers).';
COMMENT ON COLUMN chain.energy IS 'Energy (Hamiltonian samplers).';
COMMENT ON COLUMN chain.depth IS 'Depth of the trajectory tree (NUTS).';
COMMENT ON COLUMN chain.leapfrogs IS 'Leapfrog steps (Hamiltonian samplers).';
COMMENT ON COLUMN chain.divergent IS 'Whether the trajectory diverged.';

CREATE TABLE summary (
    fit_id       BIGINT NOT NULL,
    parameter_id INTEGER,
    name         VARCHAR NOT NULL,
    kind         VARCHAR NOT NULL,
    mean         DOUBLE,
    sd           DOUBLE,
    mcse_mean    DOUBLE,
    mcse_sd      DOUBLE,
    q025         DOUBLE,
    q05          DOUBLE,
    q25          DOUBLE,
    median       DOUBLE,
    q75          DOUBLE,
    q95          DOUBLE,
    q975         DOUBLE,
    mcse_median  DOUBLE,
    mcse_q05     DOUBLE,
    mcse_q95     DOUBLE,
    rhat         DOUBLE,
    ess_bulk     DOUBLE,
    ess_tail     DOUBLE,
    reason       VARCHAR
);

COMMENT ON TABLE summary IS 'Posterior summaries with diagnostics after Vehtari et al. (2021). NULL: cannot be computed, see reason.';
COMMENT ON COLUMN summary.fit_id IS 'The fit.';
COMMENT ON COLUMN summary.parameter_id IS 'The parameter; NULL for statistics of a draw such as log_lik.';
COMMENT ON COLUMN summary.name IS 'Name of parameter or statistic.';
COMMENT ON COLUMN summary.kind IS 'Kind of the parameter, or statistic.';
COMMENT ON COLUMN summary.mean IS 'Mean.';
COMMENT ON COLUMN summary.sd IS 'Standard deviation.';
COMMENT ON COLUMN summary.mcse_mean IS 'Monte Carlo standard error of mean.';
COMMENT ON COLUMN summary.mcse_sd IS 'Monte Carlo standard error of sd.';
COMMENT ON COLUMN summary.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN summary.q05 IS '5 % quantile.';
COMMENT ON COLUMN summary.q25 IS '25 % quantile.';
COMMENT ON COLUMN summary.median IS 'Median.';
COMMENT ON COLUMN summary.q75 IS '75 % quantile.';
COMMENT ON COLUMN summary.q95 IS '95 % quantile.';
COMMENT ON COLUMN summary.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN summary.mcse_median IS 'Monte Carlo standard error of median.';
COMMENT ON COLUMN summary.mcse_q05 IS 'Monte Carlo standard error of q05.';
COMMENT ON COLUMN summary.mcse_q95 IS 'Monte Carlo standard error of q95.';
COMMENT ON COLUMN summary.rhat IS 'Rank-normalised split R-hat.';
COMMENT ON COLUMN summary.ess_bulk IS 'Bulk effective sample size.';
COMMENT ON COLUMN summary.ess_tail IS 'Tail effective sample size.';
COMMENT ON COLUMN summary.reason IS 'Why some of the numbers are NULL.';

CREATE TABLE diagnostic (
    fit_id BIGINT NOT NULL,
    name   VARCHAR NOT NULL,
    chain  SMALLINT,
    value  DOUBLE,
    note   VARCHAR
);

COMMENT ON TABLE diagnostic IS 'Further numbers about a fit or one of its chains.';
COMMENT ON COLUMN diagnostic.fit_id IS 'The fit.';
COMMENT ON COLUMN diagnostic.name IS 'What is measured.';
COMMENT ON COLUMN diagnostic.chain IS 'The chain; NULL for the whole fit.';
COMMENT ON COLUMN diagnostic.value IS 'The number.';
COMMENT ON COLUMN diagnostic.note IS 'Words about it.';

CREATE TABLE metric (
    fit_id     BIGINT NOT NULL,
    chain      SMALLINT NOT NULL,
    after_iterations INTEGER NOT NULL,
    condition  DOUBLE,
    note       VARCHAR
);

COMMENT ON TABLE metric IS 'The metric of a nuts or hmc chain after each window of its warm-up (run: condition).';
COMMENT ON COLUMN metric.fit_id IS 'The fit.';
COMMENT ON COLUMN metric.chain IS 'The chain: 1, 2, ….';
COMMENT ON COLUMN metric.after_iterations IS 'Iterations of warm-up that the chain had behind it when it took this metric; 0 for the one it began with.';
COMMENT ON COLUMN metric.condition IS 'Effective condition number: that of the curvature over the coefficients at the penalised point after preconditioning by the metric.';
COMMENT ON COLUMN metric.note IS 'Why condition is NULL.';

CREATE TABLE design (
    fit_id BIGINT NOT NULL,
    record JSON NOT NULL
);

COMMENT ON TABLE design IS 'How the design matrix was made, so that new data can be coded alike.';
COMMENT ON COLUMN design.fit_id IS 'The fit.';
COMMENT ON COLUMN design.record IS 'Versioned JSON record: terms, levels, contrasts, centers, scales, missing rule.';

CREATE TABLE identity (
    fit_id BIGINT NOT NULL,
    record JSON NOT NULL
);

COMMENT ON TABLE identity IS 'What decides the draws of a complete fit: its fingerprint is the hash of it.';
COMMENT ON COLUMN identity.fit_id IS 'The fit.';
COMMENT ON COLUMN identity.record IS 'JSON: data, dataset, key, model, sampler, length, chains, keep, seed, versions.';

CREATE TABLE derived (
    fit_id       BIGINT NOT NULL,
    parameter_id INTEGER NOT NULL,
    name         VARCHAR NOT NULL,
    expression   VARCHAR NOT NULL,
    nan_draws    BIGINT NOT NULL,
    inf_draws    BIGINT NOT NULL,
    first_at     VARCHAR
);

COMMENT ON TABLE derived IS 'Derived quantities of each fit: parameters of kind derived.';
COMMENT ON COLUMN derived.fit_id IS 'The fit.';
COMMENT ON COLUMN derived.parameter_id IS 'Its number among the parameters of the fit; they come last.';
COMMENT ON COLUMN derived.name IS 'Name under derive.';
COMMENT ON COLUMN derived.expression IS 'The expression that it is computed by.';
COMMENT ON COLUMN derived.nan_draws IS 'Draws for which it has no value, such as the logarithm of a negative number; NaN in draw.';
COMMENT ON COLUMN derived.inf_draws IS 'Draws for which it is infinite.';
COMMENT ON COLUMN derived.first_at IS 'The part of the expression that was the first without a finite value; NULL if all draws have one.';

CREATE TABLE start (
    fit_id           BIGINT NOT NULL,
    question         VARCHAR NOT NULL,
    from_fit_id      BIGINT,
    from_fingerprint VARCHAR,
    parameters_known INTEGER,
    step_size        DOUBLE,
    note             VARCHAR NOT NULL
);

COMMENT ON TABLE start IS 'Where the chains of a fit began that was asked to start from the posterior of an earlier one (run: {start: previous}).';
COMMENT ON COLUMN start.fit_id IS 'The fit.';
COMMENT ON COLUMN start.question IS 'Fingerprint that the fit would have without an earlier one: fits with the same question are of the same data, model, sampler and seed, and the night that asks it again is answered by any of them.';
COMMENT ON COLUMN start.from_fit_id IS 'The fit that it started from, which may have been pruned since; NULL where it started as usual.';
COMMENT ON COLUMN start.from_fingerprint IS 'Fingerprint of that fit.';
COMMENT ON COLUMN start.parameters_known IS 'How many of its parameters that fit knew, by name.';
COMMENT ON COLUMN start.step_size IS 'Step size that warm-up of nuts and hmc began with; NULL where they looked for one, and of other methods.';
COMMENT ON COLUMN start.note IS 'In words: where the chains started, or why as usual.';

CREATE TABLE event (
    run_id  VARCHAR NOT NULL,
    fit_id  BIGINT,
    noted   TIMESTAMP NOT NULL,
    level   VARCHAR NOT NULL,
    message VARCHAR NOT NULL
);

COMMENT ON TABLE event IS 'What happened in a run that someone may want to know.';
COMMENT ON COLUMN event.run_id IS 'The run.';
COMMENT ON COLUMN event.fit_id IS 'The fit, if it is about one.';
COMMENT ON COLUMN event.noted IS 'When, UTC.';
COMMENT ON COLUMN event.level IS 'info, warn or error.';
COMMENT ON COLUMN event.message IS 'What happened.';
