-- Effects in place of parameters: means of the response at values of variables, and how they differ.

CREATE TABLE effect (
    fit_id      BIGINT NOT NULL,
    effect_id   INTEGER NOT NULL,
    effect      VARCHAR NOT NULL,
    kind        VARCHAR NOT NULL,
    variable    VARCHAR,
    level       VARCHAR,
    x           DOUBLE,
    given       VARCHAR,
    mean        DOUBLE,
    sd          DOUBLE,
    q025        DOUBLE,
    median      DOUBLE,
    q975        DOUBLE,
    p_direction DOUBLE
);

COMMENT ON TABLE effect IS 'Effects that a model asks for by its key effects, a row for each value or contrast.';
COMMENT ON COLUMN effect.fit_id IS 'The fit.';
COMMENT ON COLUMN effect.effect_id IS '1, 2, … in the order of the spec.';
COMMENT ON COLUMN effect.effect IS 'The effect as the spec asks for it: age, or treatment:sex, average, pairwise.';
COMMENT ON COLUMN effect.kind IS 'prediction (the mean of the response), difference, ratio or odds_ratio.';
COMMENT ON COLUMN effect.variable IS 'The first variable of the effect; NULL where the rows are averaged as they are.';
COMMENT ON COLUMN effect.level IS 'Its value, or what is compared: B - A, or +1 of a number.';
COMMENT ON COLUMN effect.x IS 'Its value where that is a number.';
COMMENT ON COLUMN effect.given IS 'Values of the other variables that vary, and of the groups of rows: sex = female.';
COMMENT ON COLUMN effect.mean IS 'Posterior mean; NULL, like all numbers, where a draw has no value.';
COMMENT ON COLUMN effect.sd IS 'Posterior standard deviation.';
COMMENT ON COLUMN effect.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN effect.median IS 'Median.';
COMMENT ON COLUMN effect.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN effect.p_direction IS 'Of differences and ratios: the share of draws on the side of no difference where most are.';

CREATE VIEW effects AS
SELECT l.fit_id, l.dataset, l.key, l.model, l.sampler, e.effect, e.kind, e.variable, e.level, e.x, e.given,
       e.mean, e.sd, e.q025, e.median, e.q975, e.p_direction, l.verdict, l.state, l.created
FROM latest l
JOIN effect e USING (fit_id)
ORDER BY l.dataset, l.key, l.model, l.sampler, e.effect_id, e.rowid;
COMMENT ON VIEW effects IS 'Effects of variables on the scale of the response in the latest fits: what their models ask for by the key effects.';
COMMENT ON COLUMN effects.effect IS 'The effect as the spec asks for it.';
COMMENT ON COLUMN effects.kind IS 'prediction, difference, ratio or odds_ratio.';
COMMENT ON COLUMN effects.variable IS 'The first variable of the effect.';
COMMENT ON COLUMN effects.level IS 'Its value, or what is compared.';
COMMENT ON COLUMN effects.x IS 'Its value where that is a number.';
COMMENT ON COLUMN effects.given IS 'Values of the other variables that vary, and of the groups of rows.';
COMMENT ON COLUMN effects.mean IS 'Posterior mean.';
COMMENT ON COLUMN effects.sd IS 'Posterior standard deviation.';
COMMENT ON COLUMN effects.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN effects.median IS 'Median.';
COMMENT ON COLUMN effects.q975 IS '97.5 % quantile.';
COMMENT ON COLUMN effects.p_direction IS 'Of differences and ratios: the share of draws on the side where most are.';
COMMENT ON COLUMN effects.state IS 'current, or what became of a newer attempt at the fit: error or uncommitted.';
COMMENT ON COLUMN effects.created IS 'When the fit was drawn, UTC.';
