-- Simulation-based calibration of a fit's sampler (pipeline check).

CREATE TABLE calibration (
    calibration_id VARCHAR NOT NULL,
    pipeline       VARCHAR,
    dataset        VARCHAR NOT NULL,
    key            VARCHAR NOT NULL,
    model          VARCHAR NOT NULL,
    sampler        VARCHAR NOT NULL,
    method         VARCHAR,
    given          VARCHAR NOT NULL,
    seed           UBIGINT,
    wanted         INTEGER NOT NULL,
    simulations    INTEGER NOT NULL,
    ranked         INTEGER NOT NULL,
    draws          INTEGER NOT NULL,
    false_alarms   DOUBLE,
    verdict        VARCHAR,
    words          VARCHAR[],
    program        VARCHAR,
    updated        TIMESTAMP NOT NULL
);

COMMENT ON TABLE calibration IS 'One row for each model, data and sampler that pipeline check has calibrated.';
COMMENT ON COLUMN calibration.calibration_id IS 'Hash of what decides the ranks: data, model, sampler, seed, versions; not their number.';
COMMENT ON COLUMN calibration.pipeline IS 'Name in the spec.';
COMMENT ON COLUMN calibration.dataset IS 'Name of the data set whose design is used.';
COMMENT ON COLUMN calibration.key IS 'File or group of the data set; empty if it is not divided.';
COMMENT ON COLUMN calibration.model IS 'Name of the model.';
COMMENT ON COLUMN calibration.sampler IS 'Name of the sampler.';
COMMENT ON COLUMN calibration.method IS 'What the sampler stood for.';
COMMENT ON COLUMN calibration.given IS 'Where parameters are drawn from: prior, or posterior (given the data, which are doubled).';
COMMENT ON COLUMN calibration.seed IS 'Seed of every random stream.';
COMMENT ON COLUMN calibration.wanted IS 'Data sets that were asked for.';
COMMENT ON COLUMN calibration.simulations IS 'Data sets that were simulated; fewer than wanted if the check was stopped.';
COMMENT ON COLUMN calibration.ranked IS 'Data sets among them that were fitted.';
COMMENT ON COLUMN calibration.draws IS 'Draws that each truth was ranked among: ranks are 0 to draws.';
COMMENT ON COLUMN calibration.false_alarms IS 'Probability that a right sampler fails this check.';
COMMENT ON COLUMN calibration.verdict IS 'pass, warn, fail or error; NULL while it goes on.';
COMMENT ON COLUMN calibration.words IS 'What was found.';
COMMENT ON COLUMN calibration.program IS 'Build of the program.';
COMMENT ON COLUMN calibration.updated IS 'When the row was last written, UTC.';

CREATE TABLE calibration_simulation (
    calibration_id VARCHAR NOT NULL,
    simulation     INTEGER NOT NULL,
    outcome        VARCHAR NOT NULL,
    all_equal      BOOLEAN NOT NULL,
    redrawn        INTEGER NOT NULL,
    iterations     INTEGER NOT NULL,
    mixed          BOOLEAN NOT NULL,
    note           VARCHAR
);

COMMENT ON TABLE calibration_simulation IS 'One row for each simulated data set of a calibration.';
COMMENT ON COLUMN calibration_simulation.calibration_id IS 'The calibration.';
COMMENT ON COLUMN calibration_simulation.simulation IS '1, 2, …: names its random stream, so that any one can be made again.';
COMMENT ON COLUMN calibration_simulation.outcome IS 'ranked; overflow (responses that no data set has); refused (no posterior that could be fitted); error (the sampler stopped).';
COMMENT ON COLUMN calibration_simulation.all_equal IS 'All responses were the same.';
COMMENT ON COLUMN calibration_simulation.redrawn IS 'Draws of the parameters before this one that lay beyond the wall of the link.';
COMMENT ON COLUMN calibration_simulation.iterations IS 'Length of the chain, warm-up included.';
COMMENT ON COLUMN calibration_simulation.mixed IS 'The chain had enough effective draws to be thinned to independent ones.';
COMMENT ON COLUMN calibration_simulation.note IS 'Why it was not ranked.';

CREATE TABLE calibration_rank (
    calibration_id VARCHAR NOT NULL,
    simulation     INTEGER NOT NULL,
    parameter      VARCHAR NOT NULL,
    rank           INTEGER NOT NULL
);

COMMENT ON TABLE calibration_rank IS 'Ranks of the true values among the posterior draws: uniform on 0 to calibration.draws if the sampler is right.';
COMMENT ON COLUMN calibration_rank.calibration_id IS 'The calibration.';
COMMENT ON COLUMN calibration_rank.simulation IS 'The simulated data set.';
COMMENT ON COLUMN calibration_rank.parameter IS 'A parameter, or log_lik.';
COMMENT ON COLUMN calibration_rank.rank IS 'Number of draws below the truth.';

CREATE TABLE calibration_test (
    calibration_id VARCHAR NOT NULL,
    parameter      VARCHAR NOT NULL,
    p              DOUBLE,
    rejected       BOOLEAN NOT NULL,
    rank_mean      DOUBLE,
    rank_sd        DOUBLE
);

COMMENT ON TABLE calibration_test IS 'Whether the ranks of a parameter are uniform.';
COMMENT ON COLUMN calibration_test.calibration_id IS 'The calibration.';
COMMENT ON COLUMN calibration_test.parameter IS 'A parameter, or log_lik.';
COMMENT ON COLUMN calibration_test.p IS 'Exact p-value of the largest deviation of the distribution of ranks, as a simultaneous envelope.';
COMMENT ON COLUMN calibration_test.rejected IS 'Rejected at calibration.false_alarms over all parameters (Holm).';
COMMENT ON COLUMN calibration_test.rank_mean IS 'Mean of rank/draws: 0.5 if uniform; below, the draws are too large.';
COMMENT ON COLUMN calibration_test.rank_sd IS 'Standard deviation of rank/draws: near 0.289 if uniform; above, the draws are too narrow.';
