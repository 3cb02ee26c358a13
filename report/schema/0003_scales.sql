-- Scales of horseshoe priors are parameters of kinds of their own.

COMMENT ON COLUMN parameter.kind IS 'intercept, coefficient, dispersion, scale (of a horseshoe prior: tau, c), local_scale (lambda, one a coefficient; there with keep: scales only, and seen by no gate) or derived.';
