-- From which earlier fit a fit was started (run: {start: previous}).

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
