-- Quantities that are computed from the parameters of each draw. Their draws
-- and summaries stand beside those of parameters, with kind 'derived'.

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
COMMENT ON COLUMN derived.nan_draws IS 'Draws for which it has no value, such as the logarithm of a negative number; NaN in the table draw.';
COMMENT ON COLUMN derived.inf_draws IS 'Draws for which it is infinite.';
COMMENT ON COLUMN derived.first_at IS 'The part of the expression that was the first without a finite value; NULL if all draws have one.';
