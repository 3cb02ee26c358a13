-- What the powers of prior and likelihood move.

CREATE TABLE sensitivity (
    fit_id     BIGINT NOT NULL,
    place      INTEGER NOT NULL,
    name       VARCHAR NOT NULL,
    prior      DOUBLE,
    likelihood DOUBLE
);
COMMENT ON TABLE sensitivity IS 'How far each marginal posterior moves for a doubling of the power of its prior, or of its likelihood (Kallioinen et al. 2024).';
COMMENT ON COLUMN sensitivity.fit_id IS 'The fit.';
COMMENT ON COLUMN sensitivity.place IS '1, 2, … in the order of the parameters.';
COMMENT ON COLUMN sensitivity.name IS 'Name of the parameter.';
COMMENT ON COLUMN sensitivity.prior IS 'Sensitivity to the prior: a cumulative Jensen-Shannon distance; NULL where draws do not vary.';
COMMENT ON COLUMN sensitivity.likelihood IS 'Sensitivity to the likelihood.';

CREATE VIEW prior_sensitivity AS
SELECT l.dataset, l.key, l.model, l.sampler, s.name AS parameter, s.prior, s.likelihood,
       CASE WHEN s.prior >= 0.05 AND s.likelihood >= 0.05 THEN 'the prior and the data may disagree'
            WHEN s.prior >= 0.05 THEN 'the prior rules, the data say little' END AS diagnosis, l.fit_id
FROM latest l
JOIN sensitivity s USING (fit_id)
ORDER BY l.dataset, l.key, l.model, l.sampler, s.place;
COMMENT ON VIEW prior_sensitivity IS 'Sensitivities of the newest fits to their priors and data.';
COMMENT ON COLUMN prior_sensitivity.parameter IS 'Its name.';
COMMENT ON COLUMN prior_sensitivity.prior IS 'Sensitivity to the prior; from 0.05 on it matters.';
COMMENT ON COLUMN prior_sensitivity.likelihood IS 'Sensitivity to the likelihood; below 0.05 the data say little.';
COMMENT ON COLUMN prior_sensitivity.diagnosis IS 'What a sensitivity to the prior from 0.05 on means; NULL below.';
