package spec

import (
	"math"
	"slices"
	"strconv"

	"glmbatch/infer/prior"
	"glmbatch/report/judge"
	"glmbatch/transform"
)

// Pipeline is a valid spec: names resolved, templates replaced, defaults and
// the chosen profile filled in. It is read-only once made.
//
// The tags are the single source of decoder and JSON schema: yaml names the
// key; doc describes it; default is YAML and applies where the key is absent;
// required, min, max, above (exclusive), enum bound the value; planned lists
// values, and the planned tag of a type the keys, that a later version brings.
type Pipeline struct {
	Name     string     `yaml:"pipeline" required:"true" example:"quickstart" doc:"Name of the pipeline; it stands in the ledger with every run."`
	Database string     `yaml:"database" default:"posteriors.duckdb" doc:"DuckDB file that receives draws, diagnostics and verdicts. A relative path counts from the spec's folder."`
	Publish  string     `yaml:"publish" json:",omitzero" doc:"Where a copy of the ledger is put after every run that has finished, by an atomic rename: for readers that must never meet a lock. A relative path counts from the spec's folder."`
	Report   string     `yaml:"report" json:",omitzero" example:"night.html" doc:"Where one HTML page about the run is put after every run that has finished, by an atomic rename: verdicts, intervals, plots, comparisons. A relative path counts from the spec's folder."`
	Seed     uint64     `yaml:"seed" default:"1" doc:"Seed of every random stream: the same spec and seed give the same bits."`
	Vars     Vars       `yaml:"vars" doc:"Variables for {{ vars.NAME }} in values; a value may itself use {{ env.NAME | default('…') }} or {{ today }}."`
	Datasets []*Dataset `yaml:"datasets" keyed:"Name" required:"true" example:"{claims: claims.parquet}" doc:"Data sets by name: a path, or a mapping with path or sql."`
	Models   []*Model   `yaml:"models" keyed:"Name" required:"true" example:"{main: {formula: y ~ ., family: bernoulli, standardize: center_scale}}" doc:"Models by name."`
	Samplers []*Sampler `yaml:"samplers" keyed:"Name" required:"true" example:"{gibbs: {method: cggibbs}}" doc:"Samplers by name."`
	Run      Run        `yaml:"run" doc:"Chains, and when to stop."`
	Gates    Gates      `yaml:"gates" doc:"Limits that a fit must keep to pass. A gate is switched off with 'off'."`
	Entries  []*Entry   `yaml:"fits" doc:"What to fit: each entry stands for every combination of its data sets, models and samplers. Left out: every combination of all."`
	Profiles []*Profile `yaml:"profiles" keyed:"Name" doc:"Overrides by name, chosen on the command line: dev, prod."`

	// Dir is the folder from which relative paths count; empty for the working directory.
	Dir string `yaml:"-"`
	// Within are the folders that data may come from; nil for everywhere. The
	// caller sets it, no spec.
	Within []string `yaml:"-" json:",omitempty"`
	// Profile is the name of the profile that was applied; empty if none.
	Profile string `yaml:"-"`

	source *source
	fits   []FitRef
}

func (Pipeline) planned() string { return "kind" }

// Vars holds the final text of each variable, overrides applied.
type Vars map[string]string

// Factored is the key rows of a data set that keeps the triangular factor of its rows.
const Factored = "factored"

// Dataset says where rows come from: exactly one of Path, SQL and Synthetic is set.
type Dataset struct {
	Name string `yaml:"-"`
	// Path is the file or glob, joined to the spec's folder if it was relative; Written is the same as in the spec,
	// templates replaced. Data of the program itself, "example:NAME", stays as it is.
	Path    string `yaml:"path" doc:"Parquet or CSV file (.parquet .csv .csv.gz .tsv), or a glob: its files are concatenated in byte order. A relative path counts from the spec's folder."`
	Written string `yaml:"-"`
	Each    string `yaml:"each" enum:"file imputation" doc:"'file' makes one fit for each file of the glob instead of concatenating them. 'imputation': the files, or with by: .imp the rows with each value of that column but 0, are completed versions of one data set; each is fitted, and their draws are pooled in one fit."`
	By      Names  `yaml:"by" doc:"Columns whose distinct combinations make one fit each; with each: imputation the one column that tells imputations apart."`
	Rows    string `yaml:"rows" json:",omitempty" enum:"all grouped factored" doc:"all: the table stands in memory while designs are made. grouped: each distinct row of the columns in use is kept once, with how often it stands there, while the data are read, for data of few distinct rows. factored: what gaussian(identity) models see of the rows, their triangular factor, is kept while the data are read, twice. Left out: all."`
	// SQL holds named parameters ($p1 …) instead of templates; Params has their values.
	SQL        string            `yaml:"sql" doc:"Query on a DuckDB database, instead of path. Templates become bound parameters, never text: do not put quotes around them. Rows are sorted by all columns, so that their order is defined."`
	Params     map[string]string `yaml:"-"`
	Database   string            `yaml:"database" doc:"DuckDB file that sql reads. Left out: an empty database in memory, from which sql may read files."`
	Separator  Separator         `yaml:"separator" doc:"CSV field separator: one character, or 'tab'. Left out: found out from the file."`
	Decimal    string            `yaml:"decimal" enum:". ," doc:"CSV decimal mark. Left out: '.'."`
	NullValues []Text            `yaml:"null_values" doc:"Values that mean missing, in each format; numbers in any spelling. CSV files have built-in spellings besides; a list with \"\" is complete: it replaces them."`
	Types      map[string]string `yaml:"types" enum:"number text bool date" doc:"Forces the type of CSV columns, by name."`
	// Triplets has no path where it is left out.
	Triplets Triplets `yaml:"triplets" json:",omitzero" doc:"Non-zeros of further columns, beside path or sql: a file with a row of row, column and value for each, both counted from 1. They are never made dense."`
	// Synthetic has no rows where it is left out.
	Synthetic Synthetic `yaml:"synthetic" json:",omitzero" doc:"Data made by the program, instead of path: a response y and independent columns x1, x2 …, the same on every machine."`

	// The fields below are for models of kind mrf; each is zero if it is left out.
	Edges     Edges      `yaml:"edges" json:",omitzero" doc:"For models of kind mrf, beside path or sql: which rows influence each other."`
	Tables    Potentials `yaml:"tables" json:",omitzero" doc:"For models of kind mrf: tables of log potentials of the pairs of states of an edge, in place of a coupling."`
	Image     Image      `yaml:"image" json:",omitzero" doc:"For models of kind mrf, instead of path: a PNG image, or a grid in a Parquet or CSV file, whose pixels are the variables."`
	Grid      Grid       `yaml:"grid" json:",omitzero" doc:"For models of kind mrf, instead of path: a rectangle of variables made by the program, with a noisy picture if wanted."`
	Sequences Sequences  `yaml:"sequences" json:",omitzero" doc:"For models of kind mrf, instead of path: labelling problems made by the program."`
}

func (Dataset) shorthand() string { return "path" }

// Model is a family, a formula, a scaling and priors; or, of kind mrf, what decides the
// states of discrete variables.
type Model struct {
	Name        string            `yaml:"-"`
	Kind        string            `yaml:"kind" json:",omitempty" enum:"glm mrf" doc:"glm: a generalised linear model. mrf: a discrete Markov random field, for data sets with edges, image, grid or sequences. Left out: glm."`
	Formula     string            `yaml:"formula" required:"true" example:"y ~ ." doc:"R's formula: y ~ x1 + x2, y ~ . for all other columns, - 1 for no intercept, a*b, log(x), I(x^2), poly(x, 2), ns(x, 3), offset(log(e)), y | trials(n), y | weights(w) + rate(t), bf(y ~ x, sigma ~ z), of several responses mvbind(a, b) ~ x or bf(a ~ x) + bf(b ~ z). cbind(a, b, c) ~ x has counts of classes, of family multinomial. With mixture and without family cbind(a, b, c) ~ 1 has several responses: latent classes."`
	Family      Family            `yaml:"family" required:"true" example:"bernoulli" doc:"Distribution of the response, with the canonical link unless another is named: bernoulli or bernoulli(logit). Left out of latent classes, each of whose items has its own."`
	Families    []*ResponseFamily `yaml:"families" keyed:"Name" json:",omitempty" doc:"Families of single responses, by name: {b: poisson}. Other responses have family."`
	Formulas    map[string]string `yaml:"formulas" json:",omitempty" doc:"Formulas of further parameters of the response, by name: {sigma: ~ x, zi: ~ 1}. The same as bf(y ~ x, sigma ~ x, zi ~ 1) under formula; {mu: y ~ x} is the formula of the response, in place of formula."`
	Standardize string            `yaml:"standardize" enum:"none center_scale max_abs" default:"none" doc:"Scaling of design columns: center_scale is (x - mean)/sd; max_abs divides by the largest magnitude and keeps zeros. Priors speak of the scaled columns."`
	Sparse      Sparse            `yaml:"sparse" default:"auto" doc:"Whether the design stores its non-zeros only. auto: if it has triplets, or at least 100,000 cells of which at most 15 % are not 0, and nothing is centred. Centred columns have no zeros: true needs standardize: max_abs, or none with the intercept's prior at: zero."`
	Missing     string            `yaml:"missing" enum:"error drop impute by_response" default:"error" doc:"What to do with rows that miss a used value. by_response: of several responses, a row counts in those whose formulas it has all values for. impute: missing cells of predictors are drawn with the coefficients, from models of their own, and missing responses are predicted."`
	// Marked says that the formula marks by mi() which columns have cells to be drawn, and that others may have no
	// missing ones.
	Marked bool `yaml:"-" json:",omitempty"`
	// Responses are the models of several responses, each with its Response; nil of one.
	Responses  []*Model          `yaml:"-" json:"-"`
	Response   Response          `yaml:"-" json:"-"`
	Imputation []*Imputation     `yaml:"imputation" keyed:"Name" json:",omitempty" doc:"With missing: impute, models of incomplete columns, by column: {bmi: {formula: bmi ~ age + sex}}. Left out: each on all complete predictors, and on the incomplete ones that have fewer missing cells."`
	Levels     map[string][]Text `yaml:"levels" doc:"Order of a factor's levels, by column; the first is the reference."`
	Contrasts  map[string]string `yaml:"contrasts" enum:"treatment sum helmert" doc:"Coding of factors, by column: treatment (differences from the reference level), sum (from the mean of the levels), helmert (from the mean of the levels before)."`
	Prior      Priors            `yaml:"prior" doc:"Prior distributions."`
	// Columns of weights; empty for none.
	FrequencyWeights string `yaml:"frequency_weights" doc:"Column of whole numbers: how many equal observations a row stands for. Rows of 0 are left out."`
	PrecisionWeights string `yaml:"precision_weights" doc:"Column of numbers above 0 that multiply the precision of a row's response: variance sigma²/w for gaussian, scale sigma/√w for student_t, shape·w for gamma and inverse_gaussian, as in R's glm(weights =). Other families take none."`
	// Mixture has no components where it is left out.
	Mixture Mixture       `yaml:"mixture" json:",omitzero" doc:"Several components, each with coefficients and dispersions of its own: {components: 3}. Each row is of one of them."`
	Derive  []*Derivation `yaml:"derive" keyed:"Name" doc:"Quantities computed from each draw, by name: expressions over parameters by their R names, such as glu - bmi, exp(10 * glu), a > b, or mean(age = 40, race = 'white'), the mean of a response at a point."`
	Effects []Effect      `yaml:"effects" json:",omitempty" doc:"Effects on the scale of the response that are computed and kept with each fit: a variable, variables crossed by ':', or a mapping. The table effect has them."`

	// The fields below are for kind mrf.
	States      int      `yaml:"states" json:",omitzero" min:"2" max:"256" doc:"mrf: states of each variable. Left out: as many as labels, or 2."`
	Labels      []Text   `yaml:"labels" json:",omitzero" doc:"mrf: names of the states, as truths and tables have them. Left out: -1 and 1 of ising, else 0, 1, 2 …"`
	Interaction string   `yaml:"interaction" json:",omitzero" enum:"ising potts" doc:"mrf: what an edge adds to the log density. ising: its coupling times the product of two states, which are -1 and 1; potts: its coupling if the two are equal. Tables of the data set take the place of both. Left out: ising of two states, else potts."`
	Coupling    *float64 `yaml:"coupling" json:",omitzero" doc:"mrf: strength of an edge of weight 1; below 0 neighbours repel each other. Left out: 1."`
	Field       Text     `yaml:"field" json:",omitzero" doc:"mrf: what is added to the log density times a state of -1 or 1 (ising), or if a variable is in its last state (potts): a number for all variables, or a column. Left out: 0."`
	Fields      Names    `yaml:"fields" json:",omitzero" doc:"mrf: columns of log potentials of single variables, one for each state. Left out: those of sequences, else none."`
	Observation string   `yaml:"observation" json:",omitzero" doc:"mrf: column of noisy observations of the states; needs noise. Left out: observation, if the model has noise."`
	Noise       Noise    `yaml:"noise" json:",omitzero" doc:"mrf: normal law of an observation given its state."`
	Truth       string   `yaml:"truth" json:",omitzero" doc:"mrf: column of true states, for reconstruction errors; no fit looks at it. Left out: truth, if there is one."`
	Watch       Names    `yaml:"watch" json:",omitzero" doc:"mrf: ids of variables whose states are kept draw by draw, at most 1000, or '*' for all. The marginals of all variables are kept in any case."`
}

// ImputationPriors are the prior distributions of the model of a column.
type ImputationPriors struct {
	Coefficients CoefficientPrior `yaml:"coefficients" doc:"Prior of every coefficient but the intercept: normal where the column is gaussian."`
	Intercept    CoefficientPrior `yaml:"intercept" doc:"Prior of the intercept at the means of the columns: normal where the column is gaussian."`
	ByName       []*NamedPrior    `yaml:"by_name" keyed:"Pattern" json:",omitempty" doc:"Priors of single coefficients, by name or glob, without the column before it: {age: \"normal(0, 1)\"}."`
	Sigma        DispersionPrior  `yaml:"sigma" doc:"Prior of the residual standard deviation of gaussian."`
	Shape        DispersionPrior  `yaml:"shape" doc:"Prior of the shape of gamma or negative_binomial."`
	Phi          DispersionPrior  `yaml:"phi" doc:"Prior of the precision of beta."`
}

// Priors are those of a model of the column.
func (p *ImputationPriors) Priors() Priors {
	return Priors{Coefficients: p.Coefficients, Intercept: InterceptPrior{Prior: p.Intercept}, ByName: p.ByName,
		Sigma: p.Sigma, Shape: p.Shape, Phi: p.Phi}
}

// Effect says which means of the response are asked for: the values of variables that they go through, where the others
// are held, and how they are compared.
type Effect struct {
	// Effect is a variable or several, crossed; the first is the one whose values a contrast compares. Empty, with
	// Average: the rows of the data as they are.
	Effect   string      `yaml:"effect" doc:"A variable of the formula, or several that ':' crosses: treatment:sex. Numbers go from their least to their largest value in 20 steps, further ones through mean - sd, mean and mean + sd; factors go through their levels. Left out, with average: the rows as they are."`
	Response string      `yaml:"response" json:",omitempty" doc:"Response whose mean is meant, if the model has several. Left out: all whose formulas have the variables."`
	At       []*EffectAt `yaml:"at" keyed:"Name" doc:"Values of variables: {age: [30, 50], smoke: 1}. Others are held at their mean, factors at their reference."`
	Average  bool        `yaml:"average" doc:"Average over the rows of the data, each with every value in turn, in place of one row of means and references."`
	By       Names       `yaml:"by" doc:"With average: columns by whose values the rows are averaged."`
	Contrast string      `yaml:"contrast" enum:"pairwise reference" doc:"Compare the values of the first variable, all pairs or each with the first, where the others are equal; of a number, one step from its mean."`
	As       string      `yaml:"as" enum:"difference ratio odds_ratio" doc:"How values are compared. Left out: difference."`
	Scale    string      `yaml:"scale" enum:"response link" doc:"response: means. link: the linear predictor. Left out: response."`
	Step     float64     `yaml:"step" above:"0" doc:"Step of a number in a contrast. Left out: 1."`
	Points   int         `yaml:"points" min:"2" max:"1000" doc:"Points of a number's grid. Left out: 20."`
	Offsets  bool        `yaml:"offsets" doc:"Count the offsets, of rows their own, else at the means. Left out: per unit of exposure, offsets 0."`
}

// EffectAt is where an effect has a variable.
type EffectAt struct {
	Name   string
	Values Names
}

func (Model) planned() string {
	return "sample"
}

// waives reports whether a mapping need not have a key that is required of others.
func (Model) waives(n *node, key string) bool {
	kind, formula := n.get("kind"), n.get("formula")
	items := n.get("mixture") != nil && formula != nil && transform.IsOfItems(formula.text)
	if key == "formula" && n.get("formulas").get("mu") != nil {
		return true
	}
	return kind != nil && kind.text != "glm" && (key == "formula" || key == "family") || items && key == "family"
}

// Priors are the prior distributions of a model. Those that the family does not
// have, and those that are left out, have an empty Kind.
type Priors struct {
	Coefficients CoefficientPrior `yaml:"coefficients" doc:"Prior of every coefficient but the intercept. Left out: normal(0, 2.5/sd(x)), times the scale of the response for links with its unit, as in rstanarm; pipeline validate prints the numbers."`
	Intercept    InterceptPrior   `yaml:"intercept" doc:"Prior of the intercept. Left out: normal(0, 2.5) at the means of the columns; for links with the unit of the response, around its mean and times its scale."`
	ByName       []*NamedPrior    `yaml:"by_name" keyed:"Pattern" doc:"Priors of single coefficients, by name or glob; the more exact pattern wins. Patterns that begin with sd_ or cor_ may give priors of standard deviations and correlations of group-level effects: \"sd_g__*\": half_normal(1), cor_g: lkj(2); those that begin with sds_, sdgp_ or lscale_ of the standard deviations of smooths and Gaussian processes, and of the length scales of these: sds_sx_1: half_normal(1). mo(x) is the mean of the steps of a monotonic effect, and simo_x their shares: simo_x: dirichlet(2)."`
	Sigma        DispersionPrior  `yaml:"sigma" doc:"Prior of the residual standard deviation of gaussian, or the scale of student_t, in units of the response. Left out: exponential(1/sd(y))."`
	Shape        DispersionPrior  `yaml:"shape" doc:"Prior of the shape of gamma (left out: inverse_gamma(0.5, 0.08), so that 1/sqrt(shape) is half_normal(2.5)), inverse_gaussian (the same, times the mean response) or negative_binomial (gamma(0.3, 0.003))."`
	Phi          DispersionPrior  `yaml:"phi" doc:"Prior of the precision of beta (left out: inverse_gamma(0.5, 0.08)) or of the probabilities of beta_binomial (gamma(0.3, 0.003))."`
	Nu           DispersionPrior  `yaml:"nu" doc:"Prior of the degrees of freedom of student_t, above 1; constant(4) fixes them. Left out: gamma(2, 0.1)."`
	SD           DispersionPrior  `yaml:"sd" json:",omitzero" doc:"Prior of every standard deviation of group-level effects, (1 + x | g) of the formula. Left out: half_student_t(3, 2.5), times the scale of the response for links with its unit."`
	SDS          DispersionPrior  `yaml:"sds" json:",omitzero" doc:"Prior of every standard deviation of smooths, s(x) of the formula: of the coefficients of the penalised columns; and of the standard deviations of Gaussian processes, gp(x). Left out: half_student_t(3, 2.5), times the scale of the response for links with its unit."`
	LScale       DispersionPrior  `yaml:"lscale" json:",omitzero" doc:"Prior of every length scale of Gaussian processes, gp(x) of the formula, in largest distances of two points unless scale = FALSE. Left out: the inverse_gamma with 1 % of its probability below the least distance and 1 % above the largest."`
	Cor          LKJPrior         `yaml:"cor" json:",omitzero" doc:"Prior of the correlations of the group-level effects of a grouping: lkj(1) is uniform, above 1 they are drawn to 0. Left out: lkj(1)."`
	// Others are the priors of further dispersions by name: a key for each that the families have, with its
	// family.Dispersion.Doc.
	Others map[string]DispersionPrior `yaml:"dispersions" each:"true" json:",omitempty"`
}

// Dispersion returns the prior of a dispersion by its name.
func (p *Priors) Dispersion(name string) DispersionPrior {
	switch name {
	case "sigma":
		return p.Sigma
	case "shape":
		return p.Shape
	case "phi":
		return p.Phi
	case "nu":
		return p.Nu
	}
	return p.Others[name]
}

// CoefficientPrior is a prior on the whole line.
type CoefficientPrior struct{ prior.Prior }

// DispersionPrior is a prior of a dispersion, on the positive half line unless that is Real.
type DispersionPrior struct{ prior.Prior }

// LKJPrior is the shape of a prior of correlations, whose density is |C|^(shape − 1); 0 if it is left out.
type LKJPrior struct{ Shape float64 }

// InterceptPrior is the intercept's prior and the point at which it holds.
type InterceptPrior struct {
	Prior CoefficientPrior `yaml:"prior" doc:"Prior of the intercept."`
	At    string           `yaml:"at" enum:"means zero" doc:"Where the prior speaks of the intercept: at the means of the columns, or at zero (the literal intercept). Left out: means, but zero under max_abs, which never centres."`
}

func (InterceptPrior) shorthand() string { return "prior" }

// NamedPrior is the prior of what has a name that matches Pattern: of coefficients, or, where Prior is one of
// dispersions or Cor is given, of standard deviations or correlations of group-level effects, or, if Share is given, of
// the simplex of a monotonic effect.
type NamedPrior struct {
	Pattern string
	Prior   CoefficientPrior
	Cor     LKJPrior   `json:",omitzero"`
	Share   SharePrior `json:",omitempty"`
}

// Sampler is a method with its options. Options of other methods are zero.
type Sampler struct {
	Name   string `yaml:"-"`
	Method string `yaml:"method" enum:"auto cggibbs conjugate nuts hmc collapsed gibbs herded meanfield exact viterbi" default:"auto" doc:"auto: conjugate for gaussian(identity), otherwise cggibbs with basis: auto; for kind mrf exact where that is cheap, otherwise gibbs. cggibbs: coordinate Gibbs with a cached linear predictor. conjugate: exact independent draws, gaussian(identity) only. nuts: the No-U-Turn sampler. hmc: Hamiltonian Monte Carlo with trajectories of one length. For mixtures: cggibbs draws the component of each row given parameters and these given the rows; collapsed, which auto takes where the prior is conjugate, each row given all others. For kind mrf: gibbs draws each variable given its neighbours; herded is herded Gibbs, which is deterministic (both also for gaussian(identity) with the prior spike_slab, where they sample which coefficients are in the model, and conjugate draws that independently); meanfield the best product of independent variables, an approximation; exact sums over all states, or along a chain or strip; viterbi finds the most probable states of a chain."`
	Basis  string `yaml:"basis" enum:"auto coordinate rotated reduced mixture" doc:"cggibbs: the basis in which single coordinates move. coordinate: the coefficients. rotated: combinations of them that hardly depend on each other. reduced: where there are more coefficients with normal priors than rows, the directions that the likelihood sees. mixture: the same where priors are student_t, cauchy, laplace or horseshoe, normal given scales that are drawn in each iteration. auto: the one of fewest operations, as method auto does. Left out: coordinate. nuts, hmc: the coordinates of trajectories, coordinate or reduced."`
	Update string `yaml:"update" enum:"doubling stepping_out tangent matched rows" doc:"cggibbs: how a single coordinate moves: by a slice that doubles, by one that is stepped out, or, for log-concave models, by one that a tangent encloses, or by Metropolis steps matched to slope and curvature, with slices between them; rows, in the basis reduced, moves one row's linear predictor after the other where the prior lets it. Left out: doubling in the basis coordinate, rows in reduced where they serve, in others matched where it serves and else stepping_out."`
	Joint  string `yaml:"joint" enum:"auto on off swept" doc:"cggibbs, basis rotated or auto: whether all coordinates are proposed at once, for data with many rows to a coefficient. swept: with a sweep over single ones after the proposals of each iteration. auto: where a pilot accepts enough of the proposals, which cover the tails, to need fewer operations. Left out: auto with basis auto, else off."`
	// Moves 0 leaves it to cggibbs.
	Moves  int     `yaml:"moves" min:"1" max:"64" doc:"cggibbs: sweeps in an iteration, or joint proposals: a draw that is stored comes after so many. Left out: 1, and with basis auto as many as make a fit cheapest for its effective draws, after a warm-up with one in each iteration."`
	Slow   string  `yaml:"slow" enum:"on nuts off" doc:"cggibbs, basis coordinate or auto: whether each sweep is followed by updates along the few directions of all coefficients that sweeps over single ones hardly move along; normal and flat priors. on: slices along some of them in turn. nuts: a trajectory along up to 32 of them. off with basis auto: it does not consider them. Left out: off in the basis coordinate; auto takes them on sparse designs where that needs fewer operations."`
	Blocks []Names `yaml:"blocks" json:",omitempty" doc:"cggibbs, basis coordinate: coefficients that are drawn jointly given all others, [[x1, x2], …], by the names of coefficients or of terms of the formula, a factor meaning all its columns; normal, flat, student_t, cauchy and laplace priors. Exactly for gaussian(identity) with normal and flat priors, else along a trajectory. Left out: none."`
	// Kernels scalar is the plain reference that all speed is measured against.
	Kernels string `yaml:"kernels" enum:"scalar vector" planned:"auto" doc:"cggibbs: how passes over rows are computed: scalar, one at a time, the reference for speed, or vector, in the processor's vector instructions, with the same draws. Left out: vector."`
	Scan    Scan   `yaml:"scan" json:",omitzero" doc:"cggibbs, gibbs: which coordinates, or variables, an iteration updates, in which order: systematic, random, or {for: [names]}, more often those that matter. Left out: systematic."`
	// Width is in units of the coordinate's prior standard deviation; 0 leaves it to cggibbs.
	Width float64 `yaml:"width" above:"0" doc:"cggibbs: initial slice width, in prior standard deviations. Left out: 1."`
	// MaxDoublings 0 leaves it to cggibbs.
	MaxDoublings int `yaml:"max_doublings" min:"1" max:"60" doc:"cggibbs: how often a slice may double. Left out: 20."`
	// RefreshEvery 0 leaves it to cggibbs; Never is -1.
	RefreshEvery Refresh `yaml:"refresh_every" doc:"cggibbs: sweeps between recomputations of the cached predictor, or 'never'. Left out: 128."`
	Uncached     bool    `yaml:"uncached" default:"false" doc:"cggibbs: recompute the linear predictor for every evaluation; slow, for comparison with the cache."`
	Metric       string  `yaml:"metric" enum:"diagonal dense low_rank" doc:"nuts, hmc: what warm-up estimates of the posterior: its variances, its covariance matrix, or a diagonal and the directions in which that is not enough. Left out: diagonal."`
	// MaxDepth, TargetAccept and Length 0 leave it to nuts.
	MaxDepth     int     `yaml:"max_depth" min:"1" max:"20" doc:"nuts: how often a trajectory may double. Left out: 10."`
	TargetAccept float64 `yaml:"target_accept" above:"0" max:"0.999999" doc:"nuts, hmc: mean acceptance that warm-up adapts the step size to; higher is slower and diverges less. Left out: 0.8."`
	Effects      string  `yaml:"effects" json:",omitzero" enum:"auto centred non_centred" doc:"nuts, hmc: how the group-level effects of a model stand among the coordinates of trajectories: as they are, or in units of their standard deviations. auto: as a short pilot says for each grouping, centred where the data have more than four fifths of the precision of an effect. Left out: auto."`
	Length       float64 `yaml:"length" above:"0" max:"1000000" doc:"hmc: length of a trajectory in time, in posterior scales once the metric has adapted. Left out: pi/2."`
	Jitter       float64 `yaml:"jitter" min:"0" max:"0.999999" doc:"hmc: length is multiplied by a uniform draw from 1 - jitter to 1 + jitter. Left out: 0."`

	Anneal      Anneal  `yaml:"anneal" json:",omitzero" doc:"gibbs: inverse temperatures over the sweeps, to look for the most probable states. Unless they end at 1 within the warm-up the chain samples another law than the model's, and tells no marginals."`
	Sharing     string  `yaml:"sharing" json:",omitzero" enum:"none sums all" doc:"herded: which states of a variable's neighbours share a weight: none, those of equal sums of potentials, which needs far less memory, or all. Left out: none."`
	Updates     string  `yaml:"updates" json:",omitzero" enum:"in_turn parallel" doc:"herded: whether the variables of a sweep are updated one after the other, or all at once from the states that it began with, which samples another law than the model's where neighbours depend on each other. Left out: in_turn."`
	Start       string  `yaml:"start" json:",omitzero" enum:"mode offset zero" doc:"herded: weights at the start: so that the first visit takes the more probable state, drawn at random, or 0. Left out: mode."`
	KeepWeights bool    `yaml:"keep_weights" json:",omitzero" default:"false" doc:"herded, for kind mrf: whether the weights of watched variables are stored with their states. They are draws of parameters such as weight[u]."`
	States      string  `yaml:"states" json:",omitzero" enum:"anywhere own first last" doc:"gibbs, herded, meanfield: the states that chains begin at: drawn uniformly; each variable's most probable one by its field alone, as if it had no neighbours; or the first or the last state of every variable. Chains that begin alike make R-hat less sensitive. meanfield begins at uniform laws, at those of the fields, or at certain states. Left out: anywhere."`
	Marginals   string  `yaml:"marginals" json:",omitzero" enum:"states conditionals" doc:"gibbs, herded, for kind mrf: what the probabilities of states are averages of: the states that sweeps end in, or the probabilities of each variable's states given the others there (Rao-Blackwell), which have less error for a sweep of twice the work. Left out: states."`
	Damping     float64 `yaml:"damping" json:",omitzero" above:"0" max:"1" doc:"meanfield: share of the new distribution in an update. Left out: 1."`
	Tolerance   float64 `yaml:"tolerance" json:",omitzero" above:"0" max:"1" doc:"meanfield: it has converged when no probability moves further in a sweep. Left out: 1e-10."`
	MaxSweeps   int     `yaml:"max_sweeps" json:",omitzero" min:"1" max:"1000000" doc:"meanfield: most sweeps. Left out: 1000."`
}

// Refresh is a number of sweeps; Never switches the refresh off.
type Refresh int

// Never is the Refresh that is written "never".
const Never Refresh = -1

// Run says how many chains there are and when they stop: at a target (Draws is
// 0) or at a fixed length (Draws > 0). Lengths are iterations per chain.
type Run struct {
	Chains        int   `yaml:"chains" min:"1" max:"1024" default:"4" doc:"Chains per fit, each with its own start and random stream."`
	Until         Until `yaml:"until" default:"gates" doc:"When a fit is finished: 'gates' when every gate holds, or an effective sample size, {ess: 100, over: median}. Checks fall at first, 2*first, 4*first … iterations per chain; where the target holds, at half as many again too, and the fit is finished if it holds there."`
	First         int   `yaml:"first" min:"20" max:"1000000000" default:"500" doc:"Iterations per chain at the first check; the older half is warm-up."`
	MaxIterations int   `yaml:"max_iterations" min:"20" max:"1000000000" default:"20000" doc:"Iterations per chain, warm-up counted, beyond which no fit grows even if the target is not met."`
	Warmup        int   `yaml:"warmup" min:"0" max:"1000000000" doc:"Fixed length: iterations per chain that are thrown away. Needs draws. Left out: as many as draws."`
	Draws         int   `yaml:"draws" min:"10" max:"1000000000" doc:"Fixed length: draws per chain, instead of until, first and max_iterations."`
	// Start does not move what a fit is drawn from, only where and how chains begin.
	Start string `yaml:"start" enum:"anew previous" default:"anew" doc:"Where chains begin. anew: from tonight's data alone. previous: around the posterior of the newest complete fit before of the same pipeline, data set, key, model and sampler, with its scales and a quarter of the warm-up (unless warmup is given). An unchanged fit is skipped as ever."`
	// WarmupGiven reports whether the spec has Warmup.
	WarmupGiven bool `yaml:"-" json:"-"`
	// Replicates counts the fit itself.
	Replicates int    `yaml:"replicates" min:"1" max:"1000" default:"1" doc:"How often each fit is made, the first time as without this key, then with random streams of its own and keeping summaries only: pipeline compare then gives times with intervals, from 6 on."`
	Keep       Keep   `yaml:"keep" doc:"What the ledger keeps of draws: a word, or {groups: …} for those of group-level effects."`
	PPC        Checks `yaml:"ppc" default:"false" doc:"Posterior predictive checks of every fit: mean, standard deviation, extremes and share of zeros of the response among those of replicated data, and its histogram beside theirs. A mapping asks for more: by groups, over a number, and statistics of your own."`
	Sample     string `yaml:"sample" enum:"posterior prior" default:"posterior" doc:"posterior, or prior: independent draws from the prior instead, with predictive checks. They are stored under the sampler name 'prior', once for each data set and model."`
	LOO        LOO    `yaml:"loo" default:"false" doc:"Leave-one-out cross-validation (PSIS-LOO) and WAIC of every fit, row by row, in the ledger: compare models with the view loo_compare. A mapping asks for moment matching too."`
	KFold      KFold  `yaml:"kfold" json:",omitzero" doc:"K-fold cross-validation of every fit: it is fitted again without each fold of its rows, and predicts them; compare models with the view kfold_compare. A number of folds, or {by: column} for the levels of a column or of a grouping of the formula. It takes as long as so many fits."`
	Condition  bool   `yaml:"condition" default:"false" doc:"Condition numbers of every fit, at the penalised point and from draws, and those that the metrics of nuts and hmc leave over warm-up, in the ledger's view conditions and table metric."`
	// Timeout, Workers and Memory bound the run and never change a bit; 0 is no bound, and of Memory what loading the
	// spec puts in its place.
	Timeout Duration `yaml:"timeout" json:",omitzero" doc:"How long a fit may be worked on in one run, waiting for workers or for the ledger not counted: 90s, 30m, 1h30m. After that it is an error; what was drawn is kept, and the next run goes on from there. Left out: no limit."`
	Workers int      `yaml:"workers" json:",omitzero" min:"1" max:"1024" doc:"Chains that are drawn at once, unless --workers says otherwise. Left out: one per processor."`
	Memory  Bytes    `yaml:"memory" json:",omitzero" doc:"Memory that the run may take, unless --memory says otherwise: 500MB, 2GB. Fits wait for each other, work goes by smaller blocks, and a fit that cannot do with it is refused. Left out: three quarters of what the machine has, or its control group may take."`
}

func (Run) planned() string { return "thin" }

// Keep says what a ledger keeps of draws.
type Keep struct {
	All    string `yaml:"all" enum:"draws summary scales" default:"draws" doc:"Every draw, or the summaries only. scales: every draw, those of the local scales of horseshoe priors too."`
	Groups string `yaml:"groups" json:",omitempty" enum:"draws summary" doc:"Of the effects of levels, (1 | g): every draw, or their summaries only. Left out: draws, and summaries of more than 10,000 effects."`
}

func (Keep) shorthand() string { return "all" }

// KFold says how rows are left out; nothing asks for none.
type KFold struct {
	Folds int    `yaml:"folds" json:",omitzero" min:"2" max:"10000" doc:"Folds that rows are dealt to at random, for all models of a data set alike."`
	By    string `yaml:"by" json:",omitzero" doc:"Grouping of group-level effects, as county of (1 | county): each of its levels is a fold, predicted as a level that was never seen."`
}

func (KFold) shorthand() string { return "folds" }

// String is how a ledger keeps what was asked for; empty for nothing.
func (k KFold) String() string {
	switch {
	case k.By != "":
		return "by " + k.By
	case k.Folds > 0:
		return strconv.Itoa(k.Folds)
	}
	return ""
}

// LOO configures leave-one-out cross-validation.
type LOO struct {
	On          bool
	MomentMatch bool `yaml:"moment_match" default:"true" doc:"Move the draws toward the posterior without a row where the row's Pareto k is too high, and estimate it anew: a pass over the data for each draw and move."`
}

// MarshalJSON writes it as a spec may have it.
func (l LOO) MarshalJSON() ([]byte, error) {
	if l.MomentMatch {
		return []byte(`{"moment_match": true}`), nil
	}
	return strconv.AppendBool(nil, l.On), nil
}

// Checks are the predictive checks that a run asks for.
type Checks struct {
	On         bool              `yaml:"on" default:"true" doc:"Whether there are any."`
	By         Names             `yaml:"by" json:",omitempty" doc:"Columns of the data, whether the model reads them or not: mean, standard deviation and share of zeros of the response in each level among those of replicated data, in the table ppc_group."`
	Over       Names             `yaml:"over" json:",omitempty" doc:"Columns of numbers: the response and replicated ones in classes of the number, in the table ppc_over."`
	Statistics []*CheckStatistic `yaml:"statistics" keyed:"Name" json:",omitempty" doc:"Statistics of the response by name, checked like those that every fit has: expressions over the responses y with one value, such as mean(y == 0), quantile(y, 0.99) or var(y) / mean(y)."`
}

func (Checks) shorthand() string { return "on" }

// Columns are those that checks are made by or over, as roles such as "by g", "over x".
func (c *Checks) Columns() (out []string) {
	for _, name := range c.By {
		out = append(out, "by "+name)
	}
	for _, name := range c.Over {
		out = append(out, "over "+name)
	}
	return out
}

// CheckStatistic is a statistic of the response that a spec names.
type CheckStatistic struct {
	Name       string
	Expression *transform.Statistic
}

func (s *CheckStatistic) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind != stringKind {
		d.wrongKind(n, f, `text such as "mean(y == 0)"`)
		return
	}
	if slices.Contains([]string{"mean", "sd", "min", "max", "zeros"}, s.Name) {
		d.add(n.at, "every check has the statistic "+quote(s.Name), "give yours another name")
	}
	var err error
	if s.Expression, err = transform.ParseStatistic(n.text); err != nil {
		d.add(n.fault("statistic", s.Name, err))
	}
}

// Prior says that the prior is drawn from, and no posterior.
func (r Run) Prior() bool { return r.Sample == "prior" } //name:ok a value of sample

// Fixed says that the run has a fixed length.
func (r Run) Fixed() bool { return r.Draws > 0 }

// Until is the target of a growing run: the gates if ESS is 0, otherwise a
// bulk effective sample size, summed over chains.
type Until struct {
	ESS  float64 `yaml:"ess" required:"true" example:"100" above:"0" doc:"Effective sample size over all chains."`
	Over string  `yaml:"over" enum:"median min all" default:"median" doc:"median or min over the parameters that gates look at, dispersions included; all: the least over these and log_lik."`
}

// Gates are the limits of a verdict.
type Gates struct {
	RHat        Gate       `yaml:"rhat" above:"1" default:"1.01" doc:"Largest rank-normalised split R-hat allowed."`
	ESSBulk     Gate       `yaml:"ess_bulk" above:"0" default:"400" floor:"true" doc:"Least bulk effective sample size, over all chains."`
	ESSTail     Gate       `yaml:"ess_tail" above:"0" default:"400" floor:"true" doc:"Least tail effective sample size, over all chains."`
	Divergences Gate       `yaml:"divergences" min:"0" default:"0" doc:"Most divergent transitions allowed."`
	Drift       DriftGates `yaml:"drift" doc:"How far a fit may lie from the complete fit before it of the same pipeline, data set, key, model and sampler. Changes of the data warn by default."`
	// PriorSensitivity is measured where it is on.
	PriorSensitivity Gate     `yaml:"prior_sensitivity" above:"0" default:"off" doc:"Largest sensitivity of a marginal posterior to the power of the prior (Kallioinen et al. 2024), as 0.05: measured where the gate is on, of models whose priors are of coefficients and dispersions alone."`
	Age              Duration `yaml:"age" json:",omitzero" doc:"How old draws may be that a run finds unchanged, as 36h: older ones fail, since the data were the same all that time. Left out: any age."`
}

// DriftGates are limits on the columns of the ledger's view drift_summary.
type DriftGates struct {
	Shift         Gate `yaml:"shift" above:"0" default:"off" doc:"Largest change of a posterior mean, in posterior standard deviations of the fit before."`
	SDRatio       Gate `yaml:"sd_ratio" min:"1" default:"off" doc:"Largest ratio of posterior standard deviations, the larger over the smaller."`
	Rows          Gate `yaml:"rows" min:"0" default:"{warn: 0.5}" doc:"Largest relative change of the number of rows: 0.1 is a tenth more or fewer."`
	Columns       Gate `yaml:"columns" min:"0" default:"{warn: 0}" doc:"Most columns of the design that may come or go while the model stays the same, as those of a new level, or of a number that became text."`
	Missing       Gate `yaml:"missing" min:"0" default:"{warn: 0.1}" doc:"Largest change of the share of rows that are left out for missing cells."`
	ResponseShift Gate `yaml:"response_shift" above:"0" default:"off" doc:"Largest change of the mean response (a rate, for binomial), in its standard deviations of the fit before."`
	CentreShift   Gate `yaml:"centre_shift" above:"0" default:"off" doc:"Largest change of the mean of a design column, in its standard deviations of the fit before."`
	ScaleRatio    Gate `yaml:"scale_ratio" min:"1" default:"off" doc:"Largest ratio of the standard deviations of a design column, the larger over the smaller."`
}

// Gate is one limit that fails a fit and a stricter one that only warns.
type Gate struct{ judge.Limits }

// Judge returns the gates as a verdict is judged by them. Divergences are
// counted: a fraction of a limit on them is rounded down.
func (g Gates) Judge() judge.Gates {
	divergences, d := g.Divergences.Limits, g.Drift
	divergences.Fail.At = math.Floor(divergences.Fail.At)
	return judge.Gates{
		RHat: g.RHat.Limits, ESSBulk: g.ESSBulk.Limits, ESSTail: g.ESSTail.Limits, Divergences: divergences,
		Drift: judge.DriftGates{
			Shift: d.Shift.Limits, SDRatio: d.SDRatio.Limits, Rows: d.Rows.Limits, Columns: d.Columns.Limits,
			Missing:       d.Missing.Limits,
			ResponseShift: d.ResponseShift.Limits, CentreShift: d.CentreShift.Limits, ScaleRatio: d.ScaleRatio.Limits,
		},
		PriorSensitivity: g.PriorSensitivity.Limits,
	}
}

// Entry is one line of fits. Names may be globs and are kept as written;
// Pipeline.Fits has them expanded.
type Entry struct {
	Datasets Names `yaml:"datasets" default:"*" doc:"Names or globs of data sets."`
	Models   Names `yaml:"models" default:"*" doc:"Names or globs of models."`
	Samplers Names `yaml:"samplers" default:"*" doc:"Names or globs of samplers."`
	// Gates are the pipeline's gates with this entry's overrides.
	Gates Gates `yaml:"gates" doc:"Gates of these fits; those left out are the pipeline's."`
	// Timeout is 0 if the run's timeout applies.
	Timeout Duration `yaml:"timeout" json:",omitzero" doc:"Timeout of these fits, instead of the run's."`
}

func (Entry) planned() string { return "run" }

// Profile overrides the database and the lengths of runs.
type Profile struct {
	Name     string `yaml:"-"`
	Database string `yaml:"database" doc:"Overrides the pipeline's database."`
	Publish  string `yaml:"publish" json:",omitzero" doc:"Overrides the pipeline's publish, which does not count for another database."`
	Report   string `yaml:"report" json:",omitzero" doc:"Overrides the pipeline's report, which does not count for another database."`
	// Run is the pipeline's run with this profile's overrides.
	Run Run `yaml:"run" doc:"Overrides of single keys of run. Giving draws replaces until, first and max_iterations, and the other way round."`
}

// Names is a list of names; a single string is a list of one.
type Names []string

// Text is a scalar taken as it is written: 007 stays 007.
type Text string

// Separator is a CSV field separator; 0 means to find it out.
type Separator rune
