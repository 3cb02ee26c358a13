-- What each table and column means, for those who come by SQL.

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
COMMENT ON COLUMN fit.kept IS 'draws, or summary if draws were not kept.';
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
COMMENT ON COLUMN fit.to_ess100_median IS 'Seconds of set-up, warm-up and sampling until the median bulk ESS over coefficients is 100.';
COMMENT ON COLUMN fit.to_ess100_min IS 'The same for the smallest bulk ESS over coefficients.';
COMMENT ON COLUMN fit.to_ess100_log_lik IS 'The same for the bulk ESS of log_lik.';
COMMENT ON COLUMN fit.created IS 'When the fit was computed, UTC.';
COMMENT ON COLUMN fit.judged IS 'When the verdict was made; later than created if gates changed, UTC.';

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

COMMENT ON TABLE parameter IS 'Parameters of each fit.';
COMMENT ON COLUMN parameter.fit_id IS 'The fit.';
COMMENT ON COLUMN parameter.parameter_id IS '1, 2, … within the fit.';
COMMENT ON COLUMN parameter.name IS 'Name as in R: (Intercept), age, racewhite, a:b, sigma.';
COMMENT ON COLUMN parameter.kind IS 'intercept, coefficient, dispersion or derived.';
COMMENT ON COLUMN parameter.prior IS 'Prior on the scale of the design as sampled.';
COMMENT ON COLUMN parameter.center IS 'What was subtracted from the design column before sampling.';
COMMENT ON COLUMN parameter.scale IS 'What the design column was divided by before sampling.';
COMMENT ON COLUMN parameter.starts IS 'Starting point of each chain, on the scale of the design as sampled.';

COMMENT ON TABLE draw IS 'Posterior draws in the units of the data; the view draws adds the names.';
COMMENT ON COLUMN draw.fit_id IS 'The fit.';
COMMENT ON COLUMN draw.parameter_id IS 'The parameter.';
COMMENT ON COLUMN draw.chain IS '1, 2, …';
COMMENT ON COLUMN draw.iteration IS '1, 2, … over the kept draws.';
COMMENT ON COLUMN draw.value IS 'The draw.';

COMMENT ON TABLE chain IS 'Statistics of each iteration of each chain.';
COMMENT ON COLUMN chain.fit_id IS 'The fit.';
COMMENT ON COLUMN chain.chain IS '1, 2, …';
COMMENT ON COLUMN chain.iteration IS 'Same count as in draw; 0, −1, … go back through the warm-up.';
COMMENT ON COLUMN chain.warmup IS 'Whether the iteration belongs to the warm-up.';
COMMENT ON COLUMN chain.log_lik IS 'Log likelihood with its constants.';
COMMENT ON COLUMN chain.log_prior IS 'Log prior density with its constants, design as sampled.';
COMMENT ON COLUMN chain.evaluations IS 'Evaluations of log densities.';
COMMENT ON COLUMN chain.touched IS 'Rows or entries of the design that likelihood work read.';
COMMENT ON COLUMN chain.gradients IS 'Full gradients.';
COMMENT ON COLUMN chain.accept IS 'Mean acceptance probability of Metropolis decisions.';
COMMENT ON COLUMN chain.step_size IS 'Step size (Hamiltonian samplers).';
COMMENT ON COLUMN chain.energy IS 'Energy (Hamiltonian samplers).';
COMMENT ON COLUMN chain.depth IS 'Depth of the trajectory tree (NUTS).';
COMMENT ON COLUMN chain.leapfrogs IS 'Leapfrog steps (Hamiltonian samplers).';
COMMENT ON COLUMN chain.divergent IS 'Whether the trajectory diverged.';

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

COMMENT ON TABLE diagnostic IS 'Further numbers about a fit or one of its chains.';
COMMENT ON COLUMN diagnostic.fit_id IS 'The fit.';
COMMENT ON COLUMN diagnostic.name IS 'What is measured.';
COMMENT ON COLUMN diagnostic.chain IS 'The chain; NULL for the whole fit.';
COMMENT ON COLUMN diagnostic.value IS 'The number.';
COMMENT ON COLUMN diagnostic.note IS 'Words about it.';

COMMENT ON TABLE design IS 'How the design matrix was made, so that new data can be coded alike.';
COMMENT ON COLUMN design.fit_id IS 'The fit.';
COMMENT ON COLUMN design.record IS 'Versioned JSON record: terms, levels, contrasts, centers, scales, missing rule.';

COMMENT ON TABLE pointwise IS 'Leave-one-out results by observation.';
COMMENT ON COLUMN pointwise.fit_id IS 'The fit.';
COMMENT ON COLUMN pointwise.observation IS '1, 2, … in the order of the used rows.';
COMMENT ON COLUMN pointwise.elpd_loo IS 'Expected log pointwise predictive density.';
COMMENT ON COLUMN pointwise.p_loo IS 'Effective number of parameters.';
COMMENT ON COLUMN pointwise.pareto_k IS 'Shape of the Pareto fit to the importance weights.';

COMMENT ON TABLE event IS 'What happened in a run that someone may want to know.';
COMMENT ON COLUMN event.run_id IS 'The run.';
COMMENT ON COLUMN event.fit_id IS 'The fit, if it is about one.';
COMMENT ON COLUMN event.noted IS 'When, UTC.';
COMMENT ON COLUMN event.level IS 'info, warn or error.';
COMMENT ON COLUMN event.message IS 'What happened.';

COMMENT ON VIEW draws IS 'Draws of all fits with names: filter by dataset, model, sampler, parameter.';

COMMENT ON VIEW draws_standardized IS 'Draws of coefficients times the scale of their column: effects of one unit of the standardised design.';

COMMENT ON VIEW latest IS 'The newest complete fit of each data set, key, model and sampler.';

COMMENT ON VIEW coefficients IS 'Summaries of the parameters of the latest fits.';

COMMENT ON VIEW comparison IS 'Pairs of samplers on one posterior: ESS per second, standardised differences and whether they agree.';
COMMENT ON COLUMN comparison.agreement IS 'agree, differ (z_max exceeds z_limit) or unknown (something could not be compared).';
COMMENT ON COLUMN comparison.compared IS 'Quantities that both samplers have.';
COMMENT ON COLUMN comparison.not_compared IS 'Parameters that one lacks, or quantities without Monte Carlo errors.';
COMMENT ON COLUMN comparison.difference_max IS 'Largest difference of means in posterior standard deviations.';
COMMENT ON COLUMN comparison.difference_rms IS 'Root mean square of these differences.';
COMMENT ON COLUMN comparison.z_max IS 'Largest difference of means or sds in Monte Carlo standard errors.';
COMMENT ON COLUMN comparison.z_rms IS 'Root mean square of the differences of means in Monte Carlo standard errors.';
COMMENT ON COLUMN comparison.z_limit IS 'What z_max exceeds by chance with probability at most 0.001.';
COMMENT ON COLUMN comparison.worst IS 'Quantity with the largest z.';
COMMENT ON COLUMN comparison.seconds_a IS 'Set-up, warm-up and sampling of sampler_a.';
COMMENT ON COLUMN comparison.ess_per_second_a IS 'Median bulk ESS over parameters per second of sampler_a.';
COMMENT ON COLUMN comparison.ess_per_second_ratio IS 'That of sampler_a over that of sampler_b.';
COMMENT ON COLUMN comparison.min_ess_per_second_ratio IS 'The same for the smallest bulk ESS.';

COMMENT ON VIEW drift IS 'Each fit against the complete fit before it: shift of means in posterior standard deviations, ratio of sds.';
COMMENT ON COLUMN drift.shift IS 'Change of the mean in standard deviations of the fit before.';
COMMENT ON COLUMN drift.shift_z IS 'Change of the mean in Monte Carlo standard errors.';
COMMENT ON COLUMN drift.sd_ratio IS 'sd over the sd of the fit before.';
