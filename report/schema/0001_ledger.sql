-- The first version of the ledger. Never edit a file that was released: add
-- the next one.

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
    host      JSON
);

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
    judged             TIMESTAMP NOT NULL
);

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

CREATE TABLE parameter (
    fit_id       BIGINT NOT NULL,
    parameter_id INTEGER NOT NULL,
    name         VARCHAR NOT NULL,
    kind         VARCHAR NOT NULL,
    prior        VARCHAR,
    center       DOUBLE,
    scale        DOUBLE,
    starts       DOUBLE[]
);

CREATE TABLE draw (
    fit_id       BIGINT NOT NULL,
    parameter_id INTEGER NOT NULL,
    chain        SMALLINT NOT NULL,
    iteration    INTEGER NOT NULL,
    value        DOUBLE NOT NULL
);

CREATE TABLE chain (
    fit_id      BIGINT NOT NULL,
    chain       SMALLINT NOT NULL,
    iteration   INTEGER NOT NULL,
    warmup      BOOLEAN NOT NULL,
    log_lik     DOUBLE,
    log_prior   DOUBLE,
    evaluations BIGINT,
    touched     BIGINT,
    gradients   BIGINT,
    accept      DOUBLE,
    step_size   DOUBLE,
    energy      DOUBLE,
    depth       INTEGER,
    leapfrogs   INTEGER,
    divergent   BOOLEAN
);

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

CREATE TABLE diagnostic (
    fit_id BIGINT NOT NULL,
    name   VARCHAR NOT NULL,
    chain  SMALLINT,
    value  DOUBLE,
    note   VARCHAR
);

CREATE TABLE design (
    fit_id BIGINT NOT NULL,
    record JSON NOT NULL
);

CREATE TABLE pointwise (
    fit_id      BIGINT NOT NULL,
    observation BIGINT NOT NULL,
    elpd_loo    DOUBLE,
    p_loo       DOUBLE,
    pareto_k    DOUBLE
);

CREATE TABLE event (
    run_id  VARCHAR NOT NULL,
    fit_id  BIGINT,
    noted   TIMESTAMP NOT NULL,
    level   VARCHAR NOT NULL,
    message VARCHAR NOT NULL
);

-- Views.

CREATE VIEW draws AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain, d.iteration, p.name AS parameter, d.value
FROM draw d
JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id
JOIN fit f ON f.fit_id = d.fit_id;

CREATE VIEW draws_standardized AS
SELECT d.fit_id, f.dataset, f.key, f.model, f.sampler, d.chain, d.iteration, p.name AS parameter, d.value * p.scale AS value
FROM draw d
JOIN parameter p ON p.fit_id = d.fit_id AND p.parameter_id = d.parameter_id
JOIN fit f ON f.fit_id = d.fit_id
WHERE p.kind = 'coefficient';

CREATE VIEW latest AS
SELECT * FROM fit
WHERE status = 'complete'
QUALIFY row_number() OVER (PARTITION BY dataset, key, model, sampler ORDER BY created DESC, fit_id DESC) = 1;

CREATE VIEW coefficients AS
SELECT l.fit_id, l.dataset, l.key, l.model, l.sampler, s.name AS parameter,
       s.mean, s.sd, s.q025, s.median, s.q975, s.rhat, s.ess_bulk, s.ess_tail, l.verdict
FROM latest l
JOIN summary s ON s.fit_id = l.fit_id
WHERE s.kind <> 'statistic'
ORDER BY l.dataset, l.key, l.model, l.sampler, s.parameter_id;

-- Two samplers on one posterior: same data, same model. Two fits agree when no
-- mean and no sd differs by more than chance: each difference is divided by its
-- Monte Carlo error, and the largest of the m = 2 × parameters z-scores must
-- stay under sqrt(2 ln(m / 0.001)), which m standard normal numbers exceed with
-- probability at most 0.001 (P(|Z| > t) ≤ exp(−t²/2), union bound).
CREATE VIEW comparison AS
WITH pair AS (
    SELECT a.dataset, a.key, a.model, a.sampler AS sampler_a, b.sampler AS sampler_b,
           a.fit_id AS fit_a, b.fit_id AS fit_b,
           a.setup_seconds + a.warmup_seconds + a.sampling_seconds AS seconds_a,
           b.setup_seconds + b.warmup_seconds + b.sampling_seconds AS seconds_b
    FROM latest a
    JOIN latest b ON a.dataset = b.dataset AND a.key = b.key AND a.model = b.model AND a.sampler < b.sampler
     AND a.data_hash IS NOT DISTINCT FROM b.data_hash AND a.model_hash IS NOT DISTINCT FROM b.model_hash
), side_a AS (
    SELECT q.fit_a, q.fit_b, s.* FROM pair q JOIN summary s ON s.fit_id = q.fit_a
), side_b AS (
    SELECT q.fit_a, q.fit_b, s.* FROM pair q JOIN summary s ON s.fit_id = q.fit_b
), matched AS (
    SELECT fit_a, fit_b, kind, name,
           (a.mean - b.mean) / nullif(sqrt((a.sd * a.sd + b.sd * b.sd) / 2), 0) AS difference,
           (a.mean - b.mean) / nullif(sqrt(a.mcse_mean * a.mcse_mean + b.mcse_mean * b.mcse_mean), 0) AS z_mean,
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
           count(*) FILTER (NOT in_both OR z_mean IS NULL OR z_sd IS NULL) AS not_compared,
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
       q.fit_a, q.fit_b
FROM pair q
JOIN measured m USING (fit_a, fit_b)
ORDER BY q.dataset, q.key, q.model, q.sampler_a, q.sampler_b;

CREATE VIEW drift AS
WITH nights AS (
    SELECT fit_id, dataset, key, model, sampler, created,
           lag(fit_id) OVER night AS previous_fit_id,
           lag(created) OVER night AS previous_created
    FROM fit
    WHERE status = 'complete'
    WINDOW night AS (PARTITION BY dataset, key, model, sampler ORDER BY created, fit_id)
)
SELECT n.dataset, n.key, n.model, n.sampler, n.created, n.previous_created, s.name AS parameter,
       s.mean, p.mean AS previous_mean, s.sd, p.sd AS previous_sd,
       (s.mean - p.mean) / nullif(p.sd, 0) AS shift,
       (s.mean - p.mean) / nullif(sqrt(s.mcse_mean * s.mcse_mean + p.mcse_mean * p.mcse_mean), 0) AS shift_z,
       s.sd / nullif(p.sd, 0) AS sd_ratio,
       n.fit_id, n.previous_fit_id
FROM nights n
JOIN summary s ON s.fit_id = n.fit_id
JOIN summary p ON p.fit_id = n.previous_fit_id AND p.name = s.name AND p.kind = s.kind
WHERE s.kind <> 'statistic'
ORDER BY n.dataset, n.key, n.model, n.sampler, n.created, s.parameter_id;
