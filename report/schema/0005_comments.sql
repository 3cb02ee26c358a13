-- Columns whose names alone do not say what they are. Other columns of views are
-- columns of tables, and explained there.

COMMENT ON COLUMN coefficients.mean IS 'Posterior mean; NULL where it may not exist.';
COMMENT ON COLUMN coefficients.sd IS 'Posterior standard deviation; NULL where it may not exist.';
COMMENT ON COLUMN coefficients.q025 IS '2.5 % quantile.';
COMMENT ON COLUMN coefficients.q975 IS '97.5 % quantile.';

COMMENT ON COLUMN comparison.sampler_a IS 'The sampler whose name comes first.';
COMMENT ON COLUMN comparison.sampler_b IS 'The other one.';
COMMENT ON COLUMN comparison.sd_ratio_min IS 'Smallest ratio of posterior standard deviations, that of sampler_a over that of sampler_b.';
COMMENT ON COLUMN comparison.sd_ratio_max IS 'Largest ratio of posterior standard deviations.';
COMMENT ON COLUMN comparison.seconds_b IS 'Set-up, warm-up and sampling of sampler_b.';
COMMENT ON COLUMN comparison.ess_per_second_b IS 'Median bulk ESS over parameters per second of sampler_b.';
COMMENT ON COLUMN comparison.fit_a IS 'The fit of sampler_a.';
COMMENT ON COLUMN comparison.fit_b IS 'The fit of sampler_b.';

COMMENT ON COLUMN draws.chain IS '1, 2, …';
COMMENT ON COLUMN draws.iteration IS '1, 2, … over the kept draws of the chain.';
COMMENT ON COLUMN draws.value IS 'The draw, in the units of the data.';
COMMENT ON COLUMN draws_standardized.chain IS '1, 2, …';
COMMENT ON COLUMN draws_standardized.iteration IS '1, 2, … over the kept draws of the chain.';
COMMENT ON COLUMN draws_standardized.value IS 'The draw, for one unit of the standardised column.';

COMMENT ON COLUMN loo_compare.elpd_loo IS 'Expected log pointwise predictive density of the model.';

COMMENT ON COLUMN schema_version.version IS '1, 2, … in the order in which they were applied.';
COMMENT ON COLUMN schema_version.name IS 'What the version brought, in a word.';
COMMENT ON COLUMN schema_version.applied IS 'When this ledger went through it, UTC.';
