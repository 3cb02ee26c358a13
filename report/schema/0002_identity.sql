-- What decides a fit's draws, part by part, so that a later run can say what changed.

CREATE TABLE identity (
    fit_id BIGINT NOT NULL,
    record JSON NOT NULL
);

COMMENT ON TABLE identity IS 'What decides the draws of a complete fit: its fingerprint is the hash of it.';
COMMENT ON COLUMN identity.fit_id IS 'The fit.';
COMMENT ON COLUMN identity.record IS 'JSON: data, dataset, key, model, sampler, length, chains, keep, seed, versions.';
