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
	Name     string     `yaml:"pipeline" required:"true" example:"quickstart" doc:"Name of the pipeline, in the ledger with every run."`
	Database string     `yaml:"database" default:"posteriors.duckdb" doc:"DuckDB file that receives draws, diagnostics and verdicts."`
	Publish  string     `yaml:"publish" json:",omitzero" doc:"Path of a copy of the ledger, replaced atomically after every finished run, for readers."`
	Report   string     `yaml:"report" json:",omitzero" example:"night.html" doc:"Path of an HTML page about the run, replaced atomically after every finished run."`
	Seed     uint64     `yaml:"seed" default:"1" doc:"Seed of every random stream: the same spec and seed give the same bits."`
	Vars     Vars       `yaml:"vars" doc:"Variables for {{ vars.NAME }} in values."`
	Datasets []*Dataset `yaml:"datasets" keyed:"Name" required:"true" example:"{claims: claims.parquet}" doc:"Data sets by name: a path, or a mapping with path or sql."`
	Matrices []*Matrix  `yaml:"matrices" keyed:"Name" json:",omitempty" example:"{W: neighbours.csv}" doc:"Symmetric matrices over levels of groupings by name, for formulas, car(W, gr = area): tables with a row for each entry. A path, or a mapping with path or sql."`
	Models   []*Model   `yaml:"models" keyed:"Name" required:"true" example:"{main: {formula: y ~ ., family: bernoulli, standardize: center_scale}}" doc:"Models by name."`
	Samplers []*Sampler `yaml:"samplers" keyed:"Name" required:"true" example:"{gibbs: {method: cggibbs}}" doc:"Samplers by name."`
	Run      Run        `yaml:"run" doc:"Chains, and when to stop."`
	Gates    Gates      `yaml:"gates" doc:"Limits that a fit must keep to pass; 'off' switches a gate off."`
	Entries  []*Entry   `yaml:"fits" doc:"Fits: each entry is every combination of its data sets, models and samplers. Left out: every combination of all."`
	Profiles []*Profile `yaml:"profiles" keyed:"Name" doc:"Overrides by name, chosen by --profile: dev, prod."`

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
	Path    string `yaml:"path" doc:"Parquet or CSV file (.parquet .csv .csv.gz .tsv), or a glob, whose files are concatenated in byte order."`
	Written string `yaml:"-"`
	Each    string `yaml:"each" enum:"file imputation" doc:"'file': one fit for each file of the glob. 'imputation': the files, or with by: .imp the rows of each value but 0, are completed versions of one data set, whose draws are pooled."`
	By      Names  `yaml:"by" doc:"Columns whose distinct combinations make one fit each; with each: imputation the column that identifies imputations."`
	Rows    string `yaml:"rows" json:",omitempty" enum:"all grouped factored" doc:"grouped: keeps each distinct row of the used columns once, with its count. factored: keeps the triangular factor, for gaussian(identity). Left out: all, the table is kept in memory."`
	// SQL holds named parameters ($p1 …) instead of templates; Params has their values.
	SQL        string            `yaml:"sql" doc:"Query on a DuckDB database, instead of path. Templates become bound parameters: do not quote them. Rows are sorted by all columns."`
	Params     map[string]string `yaml:"-"`
	Database   string            `yaml:"database" doc:"DuckDB file that sql reads. Left out: an empty database in memory, from which sql may read files."`
	Separator  Separator         `yaml:"separator" doc:"CSV field separator: one character, or 'tab'. Left out: detected."`
	Decimal    string            `yaml:"decimal" enum:". ," doc:"CSV decimal mark. Left out: '.'."`
	NullValues []Text            `yaml:"null_values" doc:"Values that mean missing, besides those built in for CSV files; a list with \"\" replaces these."`
	Types      map[string]string `yaml:"types" enum:"number text bool date" doc:"Types of CSV columns, by name."`
	// Triplets has no path where it is left out.
	Triplets Triplets `yaml:"triplets" json:",omitzero" doc:"Non-zeros of further columns: a file with a row of row, column and value for each, counted from 1."`
	// Synthetic has no rows where it is left out.
	Synthetic Synthetic `yaml:"synthetic" json:",omitzero" doc:"Generated data, instead of path: a response y and independent columns x1, x2 …"`

	// The fields below are for models of kind mrf; each is zero if it is left out.
	Edges     Edges      `yaml:"edges" json:",omitzero" doc:"For kind mrf, with path or sql: which rows are neighbours."`
	Tables    Potentials `yaml:"tables" json:",omitzero" doc:"For kind mrf: tables of log potentials of pairs of states, instead of a coupling."`
	Image     Image      `yaml:"image" json:",omitzero" doc:"For kind mrf, instead of path: an image, or a grid in a Parquet or CSV file, whose pixels are the variables."`
	Grid      Grid       `yaml:"grid" json:",omitzero" doc:"For kind mrf, instead of path: a generated rectangle of variables, with a noisy picture if wanted."`
	Sequences Sequences  `yaml:"sequences" json:",omitzero" doc:"For kind mrf, instead of path: generated labelling problems."`
}

func (Dataset) shorthand() string { return "path" }

// Model is a family, a formula, a scaling and priors; or, of kind mrf, what decides the
// states of discrete variables.
type Model struct {
	Name        string            `yaml:"-"`
	Kind        string            `yaml:"kind" json:",omitempty" enum:"glm mrf" doc:"glm: a regression. mrf: a discrete Markov random field, for data sets with edges, image, grid or sequences. Left out: glm."`
	Formula     string            `yaml:"formula" required:"true" example:"y ~ ." doc:"R's formula: y ~ x1 + x2, y ~ . for all other columns, a*b, log(x), offset(log(e)), y | trials(n), bf(y ~ x, sigma ~ z). mvbind(a, b) ~ x and bf(a ~ x) + bf(b ~ z) have several responses, with correlated residuals by + set_rescor(TRUE). cbind(a, b, c) ~ x has counts of classes, or with mixture items of latent classes."`
	Family      Family            `yaml:"family" required:"true" example:"bernoulli" doc:"Distribution of the response, with the canonical link unless another is named: bernoulli or bernoulli(logit)."`
	Families    []*ResponseFamily `yaml:"families" keyed:"Name" json:",omitempty" doc:"Families of single responses: {b: poisson}. Others have family."`
	Formulas    map[string]string `yaml:"formulas" json:",omitempty" doc:"Formulas of further parameters of the response: {sigma: ~ x, zi: ~ 1}, as in bf(); {mu: y ~ x} replaces formula."`
	Standardize string            `yaml:"standardize" enum:"none center_scale max_abs" default:"none" doc:"Scaling of design columns: center_scale is (x - mean)/sd; max_abs divides by the largest magnitude and keeps zeros. Priors apply to scaled columns."`
	Sparse      Sparse            `yaml:"sparse" default:"auto" doc:"Whether the design stores its non-zeros only. auto: with triplets, or 100,000 cells and more with at most 15 % non-zeros, and no centring. true needs standardize: max_abs, or none with the intercept's prior at: zero."`
	Missing     string            `yaml:"missing" enum:"error drop impute by_response" default:"error" doc:"Rows that miss a used value. by_response: a row counts in the responses whose formulas it has all values for. impute: missing cells are drawn with the coefficients."`
	// Marked says that the formula marks by mi() which columns have cells to be drawn, and that others may have no
	// missing ones.
	Marked bool `yaml:"-" json:",omitempty"`
	// Responses are the models of several responses, each with its Response; nil of one.
	Responses  []*Model          `yaml:"-" json:"-"`
	Response   Response          `yaml:"-" json:"-"`
	Imputation []*Imputation     `yaml:"imputation" keyed:"Name" json:",omitempty" doc:"With missing: impute, models of incomplete columns: {bmi: {formula: bmi ~ age + sex}}. Left out: each on all complete predictors, and on those with fewer missing cells."`
	Levels     map[string][]Text `yaml:"levels" doc:"Order of a factor's levels, by column; the first is the reference."`
	Contrasts  map[string]string `yaml:"contrasts" enum:"treatment sum helmert" doc:"Coding of factors, by column: treatment (differences from the reference), sum (from the mean of the levels), helmert (from the mean of the levels before)."`
	Prior      Priors            `yaml:"prior" doc:"Prior distributions."`
	// Columns of weights; empty for none.
	FrequencyWeights string `yaml:"frequency_weights" doc:"Column of whole numbers: how many equal observations a row stands for. Rows of 0 are left out."`
	PrecisionWeights string `yaml:"precision_weights" doc:"Column of numbers above 0 that multiply the precision of a row's response: variance sigma²/w for gaussian, scale sigma/√w for student_t, shape·w for gamma and inverse_gaussian, as in R's glm(weights =). Other families take none."`
	// Mixture has no components where it is left out.
	Mixture Mixture       `yaml:"mixture" json:",omitzero" doc:"Several components, each with coefficients and dispersions of its own: {components: 3}. Each row is of one of them."`
	Derive  []*Derivation `yaml:"derive" keyed:"Name" doc:"Quantities computed from each draw, by name: exp(10 * glu), a > b, or mean(age = 40, race = 'white'), the mean of a response at a point."`
	Effects []Effect      `yaml:"effects" json:",omitempty" doc:"Effects on the scale of the response that are computed and kept with each fit: a variable, variables crossed by ':', or a mapping. The table effect has them."`

	// The fields below are for kind mrf.
	States      int      `yaml:"states" json:",omitzero" min:"2" max:"256" doc:"mrf: states of each variable. Left out: as many as labels, or 2."`
	Labels      []Text   `yaml:"labels" json:",omitzero" doc:"mrf: names of the states. Left out: -1 and 1 of ising, else 0, 1, 2 …"`
	Interaction string   `yaml:"interaction" json:",omitzero" enum:"ising potts" doc:"mrf: what an edge adds to the log density. ising: its coupling times the product of two states, -1 or 1; potts: its coupling if the two are equal. Left out: ising of two states, else potts."`
	Coupling    *float64 `yaml:"coupling" json:",omitzero" doc:"mrf: strength of an edge of weight 1; below 0 neighbours repel each other. Left out: 1."`
	Field       Text     `yaml:"field" json:",omitzero" doc:"mrf: what is added to the log density times a state of -1 or 1 (ising), or in the last state (potts): a number, or a column. Left out: 0."`
	Fields      Names    `yaml:"fields" json:",omitzero" doc:"mrf: columns of log potentials of single variables, one for each state. Left out: those of sequences, else none."`
	Observation string   `yaml:"observation" json:",omitzero" doc:"mrf: column of noisy observations of the states; needs noise. Left out: observation, if the model has noise."`
	Noise       Noise    `yaml:"noise" json:",omitzero" doc:"mrf: normal distribution of an observation given its state."`
	Truth       string   `yaml:"truth" json:",omitzero" doc:"mrf: column of true states, for reconstruction errors. Left out: truth, if there is one."`
	Watch       Names    `yaml:"watch" json:",omitzero" doc:"mrf: ids of variables whose states are stored, at most 1000, or '*' for all. All marginals are stored."`
}

// ImputationPriors are the prior distributions of the model of a column.
type ImputationPriors struct {
	Coefficients CoefficientPrior `yaml:"coefficients" doc:"Prior of every coefficient but the intercept: normal where the column is gaussian."`
	Intercept    CoefficientPrior `yaml:"intercept" doc:"Prior of the intercept at the means of the columns: normal where the column is gaussian."`
	ByName       []*NamedPrior    `yaml:"by_name" keyed:"Pattern" json:",omitempty" doc:"Priors of single coefficients, by name or glob: {age: \"normal(0, 1)\"}."`
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
	Effect   string      `yaml:"effect" doc:"A variable, or several: treatment:sex. Numbers take 20 values from least to largest, further ones mean - sd, mean and mean + sd; factors take all levels. Left out, with average: the rows as they are."`
	Response string      `yaml:"response" json:",omitempty" doc:"Response, if the model has several. Left out: all whose formulas have the variables."`
	At       []*EffectAt `yaml:"at" keyed:"Name" doc:"Values of variables: {age: [30, 50], smoke: 1}. Others are at their mean or reference."`
	Average  bool        `yaml:"average" doc:"Average over the rows of the data, each with every value in turn."`
	By       Names       `yaml:"by" doc:"With average: columns by whose values the rows are averaged."`
	Contrast string      `yaml:"contrast" enum:"pairwise reference" doc:"Compare the values of the first variable, all pairs or each with the first; of a number, one step from its mean."`
	As       string      `yaml:"as" enum:"difference ratio odds_ratio" doc:"How values are compared. Left out: difference."`
	Scale    string      `yaml:"scale" enum:"response link" doc:"response: means. link: the linear predictor. Left out: response."`
	Step     float64     `yaml:"step" above:"0" doc:"Step of a number in a contrast. Left out: 1."`
	Points   int         `yaml:"points" min:"2" max:"1000" doc:"Points of a number's grid. Left out: 20."`
	Offsets  bool        `yaml:"offsets" doc:"Include the offsets, of rows their own, else their means. Left out: per unit of exposure."`
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
	Coefficients CoefficientPrior `yaml:"coefficients" doc:"Prior of every coefficient but the intercept. Left out: normal(0, 2.5/sd(x)), times the scale of the response for links with its unit."`
	Intercept    InterceptPrior   `yaml:"intercept" doc:"Prior of the intercept. Left out: normal(0, 2.5) at the means of the columns; for links with the unit of the response, around its mean and times its scale."`
	ByName       []*NamedPrior    `yaml:"by_name" keyed:"Pattern" doc:"Priors by name or glob; the more exact pattern wins. Also those of groups, \"sd_g__*\": half_normal(1), cor_g: lkj(2); of smooths and Gaussian processes, sds_, sdgp_ and lscale_; of monotonic effects, mo(x), simo_x: dirichlet(2)."`
	Sigma        DispersionPrior  `yaml:"sigma" doc:"Prior of the residual standard deviation of gaussian, or the scale of student_t. Left out: exponential(1/sd(y))."`
	Shape        DispersionPrior  `yaml:"shape" doc:"Prior of the shape of gamma (left out: inverse_gamma(0.5, 0.08)), inverse_gaussian (the same, times the mean response) or negative_binomial (gamma(0.3, 0.003))."`
	Phi          DispersionPrior  `yaml:"phi" doc:"Prior of the precision of beta (left out: inverse_gamma(0.5, 0.08)) or beta_binomial (gamma(0.3, 0.003))."`
	Nu           DispersionPrior  `yaml:"nu" doc:"Prior of the degrees of freedom of student_t, above 1; constant(4) fixes them. Left out: gamma(2, 0.1)."`
	SD           DispersionPrior  `yaml:"sd" json:",omitzero" doc:"Prior of every standard deviation of group-level effects. Left out: half_student_t(3, 2.5), times the scale of the response for links with its unit."`
	SDS          DispersionPrior  `yaml:"sds" json:",omitzero" doc:"Prior of every standard deviation of smooths and Gaussian processes. Left out: as sd."`
	LScale       DispersionPrior  `yaml:"lscale" json:",omitzero" doc:"Prior of every length scale of Gaussian processes, in largest distances of two points unless scale = FALSE. Left out: the inverse_gamma with 1 % below the least distance and 1 % above the largest."`
	Cor          LKJPrior         `yaml:"cor" json:",omitzero" doc:"Prior of the correlations of group-level effects. Left out: lkj(1), uniform."`
	Rescor       LKJPrior         `yaml:"rescor" json:",omitzero" doc:"Prior of the correlations of residuals, set_rescor(TRUE). Left out: lkj(1), uniform."`
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
	At    string           `yaml:"at" enum:"means zero" doc:"Where the prior applies: at the means of the columns, or at zero (the literal intercept). Left out: means, but zero under max_abs."`
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
	Method string `yaml:"method" enum:"auto cggibbs conjugate nuts hmc collapsed gibbs herded meanfield exact viterbi" default:"auto" doc:"auto: the cheapest exact method. cggibbs: coordinate Gibbs with a cached linear predictor. conjugate: independent draws, gaussian(identity) only. nuts, hmc: Hamiltonian Monte Carlo. collapsed: mixtures with a conjugate prior, rows given all others. For kind mrf: gibbs draws each variable given its neighbours; herded is deterministic (both also for spike_slab). meanfield is an approximation by independent variables. exact sums over all states, or along a chain or strip. viterbi finds the most probable states of a chain."`
	Basis  string `yaml:"basis" enum:"auto coordinate rotated reduced mixture" doc:"cggibbs: the basis in which single coordinates move. coordinate: the coefficients. rotated: nearly uncorrelated combinations. reduced: the directions that the likelihood depends on, at most one a row. mixture: the same for student_t, cauchy, laplace and horseshoe priors. auto: the one of fewest operations. nuts, hmc: coordinate or reduced. Left out: coordinate; with method auto, auto."`
	Update string `yaml:"update" enum:"doubling stepping_out tangent matched rows" doc:"cggibbs: how a single coordinate moves: by a slice that doubles, that is stepped out, or that a tangent encloses; by Metropolis steps matched to slope and curvature. rows, in the basis reduced, moves one row's linear predictor after the other. Left out: doubling in the basis coordinate, else rows or matched if they apply, or stepping_out."`
	Joint  string `yaml:"joint" enum:"auto on off swept" doc:"cggibbs, basis rotated or auto: whether all coordinates are proposed at once. swept: with a sweep after the proposals. auto: if a pilot needs fewer operations. Left out: auto with basis auto, else off."`
	// Moves 0 leaves it to cggibbs.
	Moves  int     `yaml:"moves" min:"1" max:"64" doc:"cggibbs: sweeps or joint proposals between stored draws. Left out: 1; with basis auto the number that makes effective draws cheapest."`
	Slow   string  `yaml:"slow" enum:"on nuts off" doc:"cggibbs, basis coordinate or auto: updates after each sweep along the directions in which sweeps move slowly. on: slices along some of them. nuts: a trajectory along up to 32. Left out: off in the basis coordinate; auto chooses for sparse designs."`
	Blocks []Names `yaml:"blocks" json:",omitempty" doc:"cggibbs, basis coordinate: coefficients or terms that are drawn jointly given all others, [[x1, x2], …]; normal, flat, student_t, cauchy and laplace priors. Left out: none."`
	// Kernels scalar is the plain reference that all speed is measured against.
	Kernels string `yaml:"kernels" enum:"scalar vector" planned:"auto" doc:"cggibbs: scalar is the reference for speed; vector uses vector instructions, with the same draws. Left out: vector."`
	Scan    Scan   `yaml:"scan" json:",omitzero" doc:"cggibbs, gibbs: order of updates: systematic, random, or {for: [names]}, more often those that matter. Left out: systematic."`
	// Width is in units of the coordinate's prior standard deviation; 0 leaves it to cggibbs.
	Width float64 `yaml:"width" above:"0" doc:"cggibbs: initial slice width, in prior standard deviations. Left out: 1."`
	// MaxDoublings 0 leaves it to cggibbs.
	MaxDoublings int `yaml:"max_doublings" min:"1" max:"60" doc:"cggibbs: how often a slice may double. Left out: 20."`
	// RefreshEvery 0 leaves it to cggibbs; Never is -1.
	RefreshEvery Refresh `yaml:"refresh_every" doc:"cggibbs: sweeps between recomputations of the cached predictor, or 'never'. Left out: 128."`
	Uncached     bool    `yaml:"uncached" default:"false" doc:"cggibbs: recompute the linear predictor for every evaluation, for comparison."`
	Metric       string  `yaml:"metric" enum:"diagonal dense low_rank" doc:"nuts, hmc: what warm-up estimates: variances, the covariance matrix, or variances and a few directions. Left out: diagonal."`
	// MaxDepth, TargetAccept and Length 0 leave it to nuts.
	MaxDepth     int     `yaml:"max_depth" min:"1" max:"20" doc:"nuts: how often a trajectory may double. Left out: 10."`
	TargetAccept float64 `yaml:"target_accept" above:"0" max:"0.999999" doc:"nuts, hmc: mean acceptance that warm-up adapts the step size to. Left out: 0.8."`
	Effects      string  `yaml:"effects" json:",omitzero" enum:"auto centred non_centred" doc:"nuts, hmc: group-level effects as they are, or in units of their standard deviations. auto: a pilot decides for each grouping. Left out: auto."`
	Length       float64 `yaml:"length" above:"0" max:"1000000" doc:"hmc: length of a trajectory, in posterior scales. Left out: pi/2."`
	Jitter       float64 `yaml:"jitter" min:"0" max:"0.999999" doc:"hmc: length is multiplied by a uniform draw from 1 - jitter to 1 + jitter. Left out: 0."`

	Anneal      Anneal  `yaml:"anneal" json:",omitzero" doc:"gibbs: inverse temperatures over the sweeps, to find the most probable states. Unless they end at 1 in the warm-up, there are no marginals."`
	Sharing     string  `yaml:"sharing" json:",omitzero" enum:"none sums all" doc:"herded: which states of a variable's neighbours share a weight: none, those of equal sums of potentials, or all. Left out: none."`
	Updates     string  `yaml:"updates" json:",omitzero" enum:"in_turn parallel" doc:"herded: whether variables are updated one after the other, or all at once, which has another stationary distribution. Left out: in_turn."`
	Start       string  `yaml:"start" json:",omitzero" enum:"mode offset zero" doc:"herded: weights at the start: the more probable state first, random, or 0. Left out: mode."`
	KeepWeights bool    `yaml:"keep_weights" json:",omitzero" default:"false" doc:"herded, for kind mrf: store the weights of watched variables, as weight[u]."`
	States      string  `yaml:"states" json:",omitzero" enum:"anywhere own first last" doc:"gibbs, herded, meanfield: states at the start: uniform; the most probable ones without neighbours; the first or the last of every variable. Left out: anywhere."`
	Marginals   string  `yaml:"marginals" json:",omitzero" enum:"states conditionals" doc:"gibbs, herded, for kind mrf: probabilities of states are averages of states, or of conditional probabilities (Rao-Blackwell), for twice the work. Left out: states."`
	Damping     float64 `yaml:"damping" json:",omitzero" above:"0" max:"1" doc:"meanfield: share of the new distribution in an update. Left out: 1."`
	Tolerance   float64 `yaml:"tolerance" json:",omitzero" above:"0" max:"1" doc:"meanfield: largest change of a probability in a sweep at convergence. Left out: 1e-10."`
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
	Until         Until `yaml:"until" default:"gates" doc:"When a fit is finished: 'gates', if every gate holds, or an effective sample size, {ess: 100, over: median}. Checked at first, 2*first, 4*first … iterations, and confirmed at half as many again."`
	First         int   `yaml:"first" min:"20" max:"1000000000" default:"500" doc:"Iterations per chain at the first check; the older half is warm-up."`
	MaxIterations int   `yaml:"max_iterations" min:"20" max:"1000000000" default:"20000" doc:"Most iterations per chain, warm-up included."`
	Warmup        int   `yaml:"warmup" min:"0" max:"1000000000" doc:"Fixed length: iterations of warm-up per chain. Needs draws. Left out: as many as draws."`
	Draws         int   `yaml:"draws" min:"10" max:"1000000000" doc:"Fixed length: draws per chain, instead of until, first and max_iterations."`
	// Start does not move what a fit is drawn from, only where and how chains begin.
	Start string `yaml:"start" enum:"anew previous" default:"anew" doc:"Where chains begin. previous: around the posterior of the previous complete fit of the same name, with its scales and a quarter of the warm-up."`
	// WarmupGiven reports whether the spec has Warmup.
	WarmupGiven bool `yaml:"-" json:"-"`
	// Replicates counts the fit itself.
	Replicates int    `yaml:"replicates" min:"1" max:"1000" default:"1" doc:"How often each fit is drawn, after the first time with other seeds and summaries only; pipeline compare prints intervals, from 6 on."`
	Keep       Keep   `yaml:"keep" doc:"Draws that the ledger keeps; {groups: …} for group-level effects."`
	PPC        Checks `yaml:"ppc" default:"false" doc:"Posterior predictive checks: mean, sd, extremes and share of zeros of the response, and its histogram. A mapping adds groups, numbers and statistics."`
	Sample     string `yaml:"sample" enum:"posterior prior" default:"posterior" doc:"posterior, or prior: independent draws from the prior, with predictive checks, under the sampler name 'prior'."`
	LOO        LOO    `yaml:"loo" default:"false" doc:"Leave-one-out cross-validation (PSIS-LOO) and WAIC, by row; compare models with the view loo_compare."`
	KFold      KFold  `yaml:"kfold" json:",omitzero" doc:"K-fold cross-validation: a number of folds, or {by: column} for the levels of a column; compare models with the view kfold_compare."`
	Condition  bool   `yaml:"condition" default:"false" doc:"Condition numbers of every fit, in the view conditions and the table metric."`
	// Timeout, Workers and Memory bound the run and never change a bit; 0 is no bound, and of Memory what loading the
	// spec puts in its place.
	Timeout Duration `yaml:"timeout" json:",omitzero" doc:"How long a fit may take in one run, waiting not included: 90s, 30m, 1h30m. Then it is an error, and the next run resumes. Left out: no limit."`
	Workers int      `yaml:"workers" json:",omitzero" min:"1" max:"1024" doc:"Chains that are drawn at once. Left out: one per processor."`
	Memory  Bytes    `yaml:"memory" json:",omitzero" doc:"Memory of the run: 500MB, 2GB. A fit that needs more is refused. Left out: three quarters of the available memory."`
}

func (Run) planned() string { return "thin" }

// Keep says what a ledger keeps of draws.
type Keep struct {
	All    string `yaml:"all" enum:"draws summary scales" default:"draws" doc:"Every draw, or summaries only. scales: also draws of the local scales of horseshoe priors."`
	Groups string `yaml:"groups" json:",omitempty" enum:"draws summary" doc:"Draws of group-level effects, or summaries only. Left out: draws, and summaries of more than 10,000 effects."`
}

func (Keep) shorthand() string { return "all" }

// KFold says how rows are left out; nothing asks for none.
type KFold struct {
	Folds int    `yaml:"folds" json:",omitzero" min:"2" max:"10000" doc:"Number of random folds, the same for all models of a data set."`
	By    string `yaml:"by" json:",omitzero" doc:"Column whose levels are the folds, each predicted as a new level."`
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
	MomentMatch bool `yaml:"moment_match" default:"true" doc:"Move the draws toward the posterior without a row whose Pareto k is too high."`
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
	By         Names             `yaml:"by" json:",omitempty" doc:"Columns of the data: mean, sd and share of zeros in each level, in the table ppc_group."`
	Over       Names             `yaml:"over" json:",omitempty" doc:"Columns of numbers: the response in classes of the number, in the table ppc_over."`
	Statistics []*CheckStatistic `yaml:"statistics" keyed:"Name" json:",omitempty" doc:"Statistics by name, of the responses y: mean(y == 0), quantile(y, 0.99), var(y) / mean(y)."`
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
	Over string  `yaml:"over" enum:"median min all" default:"median" doc:"median or min over the parameters that gates apply to; all: the least over these and log_lik."`
}

// Gates are the limits of a verdict.
type Gates struct {
	RHat        Gate       `yaml:"rhat" above:"1" default:"1.01" doc:"Largest rank-normalised split R-hat allowed."`
	ESSBulk     Gate       `yaml:"ess_bulk" above:"0" default:"400" floor:"true" doc:"Least bulk effective sample size, over all chains."`
	ESSTail     Gate       `yaml:"ess_tail" above:"0" default:"400" floor:"true" doc:"Least tail effective sample size, over all chains."`
	Divergences Gate       `yaml:"divergences" min:"0" default:"0" doc:"Most divergent transitions allowed."`
	Drift       DriftGates `yaml:"drift" doc:"Largest distance from the previous complete fit of the same name. Changes of the data warn by default."`
	// PriorSensitivity is measured where it is on.
	PriorSensitivity Gate     `yaml:"prior_sensitivity" above:"0" default:"off" doc:"Largest sensitivity of a marginal posterior to the power of the prior (Kallioinen et al. 2024), such as 0.05; not for models whose priors have scales as parameters."`
	Age              Duration `yaml:"age" json:",omitzero" doc:"How old unchanged draws may be, such as 36h; older ones fail. Left out: any age."`
}

// DriftGates are limits on the columns of the ledger's view drift_summary.
type DriftGates struct {
	Shift         Gate `yaml:"shift" above:"0" default:"off" doc:"Largest change of a posterior mean, in posterior standard deviations of the fit before."`
	SDRatio       Gate `yaml:"sd_ratio" min:"1" default:"off" doc:"Largest ratio of posterior standard deviations, the larger over the smaller."`
	Rows          Gate `yaml:"rows" min:"0" default:"{warn: 0.5}" doc:"Largest relative change of the number of rows: 0.1 is a tenth more or fewer."`
	Columns       Gate `yaml:"columns" min:"0" default:"{warn: 0}" doc:"Most columns of the design that may be added or removed while the model stays the same."`
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
	Publish  string `yaml:"publish" json:",omitzero" doc:"Overrides the pipeline's publish, which does not apply to another database."`
	Report   string `yaml:"report" json:",omitzero" doc:"Overrides the pipeline's report, which does not apply to another database."`
	// Run is the pipeline's run with this profile's overrides.
	Run Run `yaml:"run" doc:"Overrides of single keys of run. draws replaces until, first and max_iterations, and the reverse."`
}

// Names is a list of names; a single string is a list of one.
type Names []string

// Text is a scalar taken as it is written: 007 stays 007.
type Text string

// Separator is a CSV field separator; 0 means to find it out.
type Separator rune
