package spec

// modelKind is a kind of models or of data, with what it does not have.
type modelKind struct {
	model func(*Model) bool   // nil: data are of the kind
	data  func(*Dataset) bool // nil: models are
	draws func(Method) bool   // nil: methods do not matter
	lacks []lack              // faults of a spec
	fits  []lack              // faults of a fit, without which the run continues
}

// lack is the message and the remedy of a spec with one of some features, which are separated by commas. $key is the
// name of the feature, $methods are those for the kind, and $model, $data, $family, $law (its name), $sampler, $method,
// $options, $effects and $shrinkage (a prior) are the fit's.
type lack struct{ features, message, remedy string }

// kinds has a line for each kind, and a sentence for each feature that it lacks.
var kinds = []modelKind{
	{model: (*Model).Discrete, draws: func(of Method) bool { return of.Discrete },
		lacks: []lack{
			{"rows", "model $model is of kind mrf, but data set $data has no variables with neighbours",
				"give the data set edges, or take an image, grid or sequences" + orFits},
			{"method", "sampler $sampler is $method, which is for generalised linear models, but model $model is of kind mrf",
				"take method: $methods or auto for this model" + orFits},
			{"loo, kfold, ppc, condition, sample, start",
				"$key is for generalised linear models, but model $model is of kind mrf", ownSpec},
		}},
	{model: rowsOf,
		lacks: []lack{
			{"variables", "data set $data has discrete variables with neighbours, but model $model is a " + regression,
				"write kind: mrf in the model" + orFits},
		}},
	{model: apartFrom(rowsOf, (*Model).Selects), draws: func(of Method) bool { return !of.Selects },
		lacks: []lack{
			{"method", "sampler $sampler is $method, which is for models of kind mrf and for those with the prior spike_slab, " +
				"but model $model is another generalised linear model", methodsOfRows},
		}},
	{model: rowsOf, draws: func(of Method) bool { return !of.Discrete || of.Selects },
		lacks: []lack{
			{"method", "sampler $sampler is $method, which is for models of kind mrf, but model $model is a " + regression,
				methodsOfRows},
		}},
	{model: apartFrom(rowsOf, (*Model).Mixed), draws: func(of Method) bool { return !of.Collapses },
		lacks: []lack{
			{"method", "sampler $sampler is $method, which is for mixtures, but model $model is not one",
				"give the model mixture: {components: 2, conjugate: …}, or take method: auto" + orFits},
		}},
	{model: otherFamily, draws: func(of Method) bool { return !of.Independent },
		lacks: []lack{
			{"method", "sampler $sampler is $method, which serves gaussian(identity) only, but model $model is $law",
				"take method: auto or cggibbs for this model, or name the pairs under fits"},
		}},
	{model: (*Model).Mixed, draws: func(of Method) bool { return of.Mixes },
		lacks: []lack{
			{"method", "sampler $sampler is $method, which does not draw mixtures, but model $model is one",
				"take method: auto, $methods for this model" + orFits},
			{"options", "sampler $sampler has $options, which mixtures do not have, but model $model is one", leaveOptions},
			{"kernels", "sampler $sampler has kernels, which mixtures do not have, but model $model is one", leaveOptions},
			{"group-level effects, smooths, known standard errors, censored rows, monotonic effects",
				"components of a mixture have no $key yet",
				"leave them out of the formula, or leave mixture out"},
			{"sparse: true", "a mixture needs a dense design", "leave sparse out"},
			{"spike_slab", "components of a mixture have no prior spike_slab yet", "give coefficients another prior"},
			{"scale: link", "a mixture has a linear predictor for each of its components, and none of its own",
				"leave scale: link out: the mean of the response is that of the components by their weights"},
			{"loo: moment_match, condition, sample", "$key does not support mixtures yet, and model $model is one", ownSpec},
		},
		fits: []lack{
			{"prior_sensitivity", "model $model is a mixture, and gates: prior_sensitivity is not measured of these", gateOff},
		}},
	{model: apartFrom((*Model).Mixed, (*Model).Conjugate), draws: func(of Method) bool { return !of.Collapses },
		lacks: []lack{
			{"method", "sampler $sampler integrates the parameters of components out, which needs a conjugate prior, " +
				"but model $model has none",
				"give mixture: {conjugate: gamma(2, 0.1)}, of its family's kind, to y ~ 1; or take method: auto" + orFits},
		}},
	{model: apartFrom((*Model).Conjugate, (*Model).Classes),
		lacks: []lack{
			{"prior", "a mixture has either conjugate or prior", "leave one of them out"},
			{"frequency_weights, precision_weights", "a mixture with a conjugate prior takes no weights",
				"leave the weights out, or conjugate"},
		}},
	{model: (*Model).Classes,
		lacks: []lack{
			{"standardize, contrasts, prior, precision_weights, imputation, effects", "latent classes have no $key",
				"leave it out; priors of items are under mixture: items"},
			{"missing: impute", "missing: impute is for predictors, and latent classes have items alone",
				"leave missing out: a missing item is not seen, and its row is judged by its others"},
			{"joint prior", "conjugate is of one response, and each item has a prior of its own",
				"write mixture: {items: {item: {conjugate: …}}}"},
			{"ppc", "predictive checks are of one response, and model $model has several",
				"leave ppc out, or give the model a spec of its own; loo takes the items of a row together"},
		}},
	{model: apartFrom((*Model).Imputes, (*Model).Classes),
		lacks: []lack{
			{"smooths", "missing: impute does not go with smooths", notImpute},
			{"monotonic effects", "missing: impute does not go with monotonic effects", notImpute},
			{"components", "missing: impute does not go with mixtures", notImpute},
			{"spike_slab", "missing: impute does not go with the prior spike_slab", notImpute},
			{"known standard errors", "missing: impute does not go with known standard errors of the response", notImpute},
			{"censored rows", "missing: impute does not go with censored or truncated rows", notImpute},
			{"frequency_weights", "missing: impute does not go with rows that count several times", notImpute},
		}},
	{model: apartFrom((*Model).Imputes, several),
		draws: func(of Method) bool { return of.Coordinates },
		fits: []lack{
			{"method", drawnCells + "sampler $sampler is $method, which does not draw them",
				"take method: auto or cggibbs for it, and " + orDrop},
			{"options", drawnCells + "sampler $sampler has $options, which its updates do not have", orDrop},
			{"loo: moment_match", drawnCells + "run: loo: moment_match is for complete data",
				"take kfold: 10, which evaluates rows by fits without them, or missing: drop"},
			{"condition", drawnCells + "run: condition is for complete data", "leave it out, or take missing: drop"},
			{"prior_sensitivity", drawnCells + "gates: prior_sensitivity is for complete data",
				"leave it out, or take missing: drop"},
		}},
	{model: apartFrom((*Model).Grouped, several),
		draws: func(of Method) bool { return of.Coordinates || of.Prior || of.Hamiltonian },
		fits: []lack{
			{"selection", grouped + "no sampler draws them with coefficients whose prior is spike_slab",
				"give the coefficients regularised_horseshoe(tau0, slab_df, slab_scale), or leave the effects out" + orUnderFits},
			{"method", grouped + "sampler $sampler is $method, which does not draw them", trajectoriesToo},
			{"options", grouped + "sampler $sampler has $options, which updates of such effects do not have", leaveThem},
			{"basis: reduced", grouped + "sampler $sampler has basis: reduced, which is of models without them", leaveIt},
		}},
	{model: func(m *Model) bool { return !m.Grouped() && !several(m) },
		fits: []lack{
			{"sampler: effects", "sampler $sampler has effects: $effects, and model $model has no group-level effects", leaveIt},
		}},
	{model: apartFrom((*Model).Selects, (*Model).Grouped),
		draws: func(of Method) bool { return of.MaySelect() || of.Coordinates || of.Prior },
		fits: []lack{
			{"method", "model $model has the prior spike_slab, under which coefficients may be exactly 0: sampler $sampler is " +
				"$method, which does not draw such coefficients", "take method: cggibbs for this model" + orUnderFits +
				"; regularised_horseshoe(tau0, slab_df, slab_scale) is a prior like it for nuts"},
			{"marginals: conditionals", "sampler $sampler has marginals: conditionals, and model $model is a regression: its " +
				"inclusion probabilities are means of draws", "leave marginals out for this model" + orUnderFits},
			{"keep_weights", "sampler $sampler has keep_weights, and the weights of a regression are not stored",
				"leave keep_weights out for this model" + orUnderFits},
			{"scans of systems", "sampler $sampler has options of discrete systems, and model $model is a regression with the " +
				"prior spike_slab: its indicators are drawn in turn, at temperature 1, from states drawn uniformly",
				"leave scan, anneal and states out for this model" + orUnderFits},
		}},
	{model: (*Model).joined,
		lacks: []lack{
			{"components", "model $model has several responses, and a mixture has one",
				"leave mixture out, or write cbind(a, b) ~ 1 without family for latent classes"},
			{"missing: impute", "model $model has several responses, and missing cells are not drawn with these",
				"write missing: drop, or impute before"},
		}},
	{model: several,
		draws: func(of Method) bool { return of.Coordinates || of.Prior || of.Hamiltonian },
		fits: []lack{
			{"components", predictors + "a mixture has one in each component",
				"leave mixture out, or take a family of one linear predictor"},
			{"missing: impute", predictors + "missing cells are not drawn with these",
				"write missing: drop, or impute before"},
			{"imputations", predictors + "several imputations are not pooled for these",
				"run each imputation as a data set of its own"},
			{"shrinkage", predictors + "no sampler draws them with a prior $shrinkage", "take normal, student_t or laplace"},
			{"flat", predictors + "a flat prior of one of them is not known to give a proper posterior",
				"give normal(0, 2.5), or leave it to the default"},
			{"prior_sensitivity", predictors + "gates: prior_sensitivity is not measured of these", gateOff},
			{"options", severalHas + "sampler $sampler has $options, which updates of several predictors do not have",
				leaveThem},
			{"method", severalHas + "sampler $sampler is $method, which does not draw them", trajectoriesToo},
		}},
	{model: (*Model).predicted,
		fits: []lack{
			{"known standard errors, precision_weights",
				predictors + "known errors and precision weights are not combined with them", "leave the errors or weights out"},
		}},
	{model: func(m *Model) bool { return m.Family.Support().CountsClasses() },
		fits: []lack{
			{"ppc: by, ppc: statistics", "model $model has counts of classes, and run: $key is of responses of one column",
				"write ppc: true for it in a spec of its own"},
		}},
	{model: (*Model).drawless,
		fits: []lack{
			{"ppc", "model $model has a custom family without draw, and predictive checks draw responses",
				"write draw: an expression such as normal(mu, sigma), or leave ppc out"},
		}},
	{data: (*Dataset).Imputed, draws: func(of Method) bool { return !of.Prior },
		lacks: []lack{
			{"missing: impute, effects", "model $model has $key" + notPooled, apartOrFits},
			{"components", "model $model has a mixture" + notPooled, apartOrFits},
			{"spike_slab", "model $model has the prior spike_slab" + notPooled, apartOrFits},
		},
		fits: []lack{
			{"method", pooled + "sampler $sampler draws from the prior", "name under fits what goes together"},
			{"loo, ppc, kfold, condition", pooled + "run: $key is for one table of rows", apart},
			{"prior_sensitivity", pooled + "gates: prior_sensitivity is for one table of rows", apart},
		}},
	{data: func(d *Dataset) bool { return d.Rows == Factored },
		lacks: []lack{
			{"components", factored + "keeps no rows, and model $model is a mixture", "leave rows out" + orFits},
			{"other families", factored + "keeps all that gaussian(identity) models need of rows, but model $model is $family",
				"name the pairs under fits" + orRows},
			{"precision_weights", factored + "does not go with precision_weights of model $model",
				"multiply response and columns, and the 1 of the intercept, by the roots of the weights in sql:" + orRows},
			{"group-level effects, known standard errors",
				factored + "keeps no rows of levels and no standard errors, but model $model has them",
				"name the pairs under fits" + orRows},
			{"monotonic effects", factored + "keeps no rows, and model $model has monotonic effects",
				"name the pairs under fits" + orRows},
			{"sparse: true", factored + "is dense, but model $model has sparse: true", "leave sparse out" + orRows},
			{"loo, kfold, ppc", "$key needs rows, and data set $data keeps their triangular factor alone",
				"leave $key out, or rows: factored"},
		}},
}

// Parts of several sentences.
const (
	drawnCells = "model $model has missing cells that are drawn (missing: impute), and "
	predictors = "model $model has $several, and "
	severalHas = "model $model has $several: "
	grouped    = "model $model has group-level effects: "
	pooled     = "data set $data has several imputations (each: imputation), and "
	notPooled  = ", which does not go with data set $data, each: imputation"
	factored   = "data set $data has rows: factored, which "

	regression = "generalised linear model"

	orUnderFits     = ", or name under fits what goes together"
	leaveIt         = "leave it out for this model" + orUnderFits
	leaveThem       = "leave them out for this model" + orUnderFits
	trajectoriesToo = "take method: auto, cggibbs or nuts for this model" + orUnderFits

	orFits        = "; or name what goes together under fits"
	orRows        = ", or leave rows: factored out"
	orDrop        = "name under fits what goes together, or take missing: drop"
	notImpute     = "take missing: drop, or leave these out"
	apart         = "leave it out, or fit the imputations apart: each: file"
	apartOrFits   = "leave it out, or name under fits what goes together"
	leaveOptions  = "leave them out for this model" + orFits
	ownSpec       = "leave it out, or give the model a spec of its own"
	gateOff       = "switch the gate off for it under fits: gates: {prior_sensitivity: off}"
	methodsOfRows = "take method: auto, cggibbs, nuts or hmc for this model" + orFits
)

// rowsOf reports whether a model is of rows, as all are that are not of kind mrf.
func rowsOf(m *Model) bool { return !m.Discrete() }

// several reports whether a model has several linear predictors, or monotonic effects, which move apart from it.
func several(m *Model) bool { return m.joined() || m.predicted() || m.Monotonic() }

// apartFrom is the kind of those models of a kind that are not of another.
func apartFrom(is, isNot func(*Model) bool) func(*Model) bool {
	return func(m *Model) bool { return is(m) && !isNot(m) }
}
