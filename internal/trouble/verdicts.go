package trouble

// ByAuto is the part of a remedy that does not apply to a fit whose sampler method: auto chose.
const ByAuto = ", or let method: auto choose the sampler"

// longer is how a run gets more draws.
const longer = "Draw longer (run: max_iterations, or warmup and draws)"

var verdicts = []Entry{
	{"stale: a newer attempt failed", []string{"the attempt of "},
		"The last attempt at this fit failed, so its draws are older.",
		"Read the reason of that attempt with pipeline runs and pipeline show. Do not use these draws as current ones."},
	{"stale: the newest fit is gone", []string{"the fit of the run of "},
		"The fit of the newest run was removed from the ledger.", "Run the pipeline again."},
	{"an older fit is shown", []string{"this is the newest attempt; "},
		"The newest attempt failed. Views and predictions use the older fit until an attempt succeeds.",
		"Remove the cause of the error, then run pipeline retry."},
	{"not the newest of its name", []string{"the newest complete fit of this name is "},
		"The ledger has a newer fit of this name.", "Look at the newer one (pipeline report --latest)."},
	{"a diagnostic cannot be computed", []string{"R-hat of ", "bulk ESS of ", "tail ESS of "},
		"The draws of this quantity do not vary, or are not finite.",
		"Look at the trace, and at the data of that column."},
	{"R-hat beyond its gate", []string{"R-hat "},
		"The chains do not agree: they still approach each other, or one stays apart.",
		longer + " if the traces approach each other. If one stays apart, the posterior may have several modes or be " +
			"improper: give it a tighter prior."},
	{"too few effective draws", []string{"bulk ESS "}, "There are too few effective draws for stable means.",
		longer + ByAuto + ". If ESS over draws bends down in the report, draw much longer."},
	{"too few effective draws in the tails", []string{"tail ESS "},
		"There are too few effective draws for stable 5 % and 95 % quantiles.", longer + "."},
	{"divergent transitions", []string{"divergent ", "of … trajectories diverged"},
		"Trajectories broke off, so parts of the posterior may be missing.",
		"Raise target_accept of the sampler toward 0.99, or use tighter priors" + ByAuto + "."},
	{"moved since the previous run", []string{"drift: "},
		"The fit or its data moved further from the previous fit than gates: {drift: …} allows.",
		"Check whether the data changed on purpose. A change that stays is reported once. Widen the limit if the change is " +
			"harmless."},
	{"prior sensitivity beyond its gate", []string{"prior sensitivity "},
		"The data have little information about a parameter, or disagree with its prior.",
		"Compare prior and posterior in the report. Use a prior that you can defend, or collect data about this parameter."},
	{"too few draws to judge", []string{"there are no diagnostics"}, "The fit has too few draws for diagnostics.",
		"Draw at least 20 iterations a chain."},
	{"nothing was checked", []string{"every gate is off"}, "The spec switches every gate off.",
		"Switch on gates, or read R-hat and effective sample sizes yourself."},
}

var checks = []Entry{
	{"misfit: spread", []string{"predictive check: the standard deviation of the response"},
		"Replicated data are less or more spread out than the observed ones, so intervals are too narrow or too wide.",
		"For counts that spread more, try family negative_binomial, or an effect of each row, (1 | row). For gaussian, try " +
			"student_t or a transformed response."},
	{"misfit: zeros", []string{"predictive check: the share of zeros of the response"},
		"Replicated data have fewer or more zeros.",
		"Try family negative_binomial, a grouping, or a column that predicts zeros."},
	{"misfit: mean", []string{"predictive check: the mean of the response"},
		"A prior, an offset or a missing intercept keeps the model from the mean.",
		"Compare the priors with the posterior in the report."},
	{"misfit: a statistic of the spec", []string{"predictive check: the statistic "},
		"Replicated data do not have this statistic, which the spec names.",
		"Add what the statistic measures to the model: a column, a curve, an effect of a group, or another family."},
	{"misfit: extremes", []string{"predictive check: the m"},
		"The smallest or largest values of replicated data are far from those of the data.",
		"Look for outliers, and for bounds that the family does not have (counts and scores under gaussian). For heavy " +
			"tails, try student_t or negative_binomial."},
	{"misfit: levels", []string{"predictive check by "},
		"The response differs among the levels of this column more than the model allows.",
		"If means differ, add the column or (1 | column). If standard deviations differ, add a column that predicts the " +
			"spread, or slopes by level, (1 + x | column)."},
	{"misfit: along a number", []string{"predictive check over "},
		"The response changes with this number in a way that the model lacks.",
		"Add the column, a curve of it (s(x) or poly(x, 2)), or its product with another column."},
	{"a column cannot be checked", []string{"predictive checks: "},
		"A column that run: {ppc: …} names is not in these data, or has another type.",
		"Correct the name, or give this data set its own spec."},
	{"Pareto k too high", []string{"leave-one-out: …the Pareto k"},
		"Single rows have much influence, so their elpd_loo is unreliable. This is expected if a row has its own effect.",
		"Look at the rows with the largest k, ask for moment matching or kfold, or use student_t."},
	{"leave-one-out cannot be computed", []string{"leave-one-out cannot"},
		"A row has no finite log density in some draw.", "Look at that row and at its response."},
	{"k-fold is unreliable", []string{"k-fold: "},
		"Some fits without a fold did not converge, or give a row no density.",
		longer + ", or use fewer folds, so that each fit has more rows."},
	{"moment matching failed", []string{"moment matching cannot move the draws"},
		"The draws of this model cannot be transformed.", "Use kfold instead."},
}

var exits = []Entry{
	{"exit code 0", nil, "The work was done, and every fit passes its gates. Warnings do not change the code.", ""},
	{"exit code 1", nil, "Some fit failed its gates or ended in an error, or the work failed.",
		"Run pipeline show --attention. It lists each such fit with its reason and remedy."},
	{"exit code 2", nil,
		"The spec or the call is wrong, or a file is missing or damaged. Nothing was drawn.",
		"Correct what the message names. A scheduler must not retry the call unchanged."},
	{"exit code 3", nil,
		"Another process has the ledger open, or data of a shard are incomplete. Finished draws are kept.",
		"Run pipeline commit once the ledger is free, or let the scheduler retry."},
	{"exit code 130", nil, "The run was interrupted. Finished fits are stored.", "Run it again: it resumes."},
	{"exit code 134", nil, "The program ended by a fault of its own, or the machine had no memory left.",
		"Run it again: it resumes. Report the message if the fault repeats. See run: {memory: …} for a limit."},
}
