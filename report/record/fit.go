package record

import (
	"iter"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// Key names one fit of a pipeline: a data set, a group or file of it (Group is empty if the data set has neither
// each: nor by:), a model and a sampler.
type Key struct {
	Dataset string `json:"dataset"`
	Group   string `json:"key,omitempty"`
	Model   string `json:"model"`
	Sampler string `json:"sampler"`
}

// String is dataset/group/model/sampler without empty parts.
func (k Key) String() string {
	s := k.Dataset
	for _, part := range []string{k.Group, k.Model, k.Sampler} {
		if part != "" {
			s += "/" + part
		}
	}
	return s
}

// Status reports whether a fit was computed to its end.
type Status string

// A complete fit has draws or summaries and a verdict; an erred one has Error.
const (
	Complete Status = "complete"
	Erred    Status = "error"
)

// Fit is one finished fit, or one that ended in an error, with all that is
// stored about it. Slices and iterators that a fit does not have stay nil.
type Fit struct {
	Key
	// Replicate is 1, also where it is 0, for the fit itself; 2, 3, … for repetitions with other seeds.
	Replicate                     int
	Fingerprint                   string // identity; a complete fit with the same one is replaced
	RunID, Pipeline               string
	Method, Family, Link, Formula string
	Rows                          int64 // of the design matrix
	Columns                       int   // of the design matrix
	Chains, Warmup, Draws         int   // Warmup and Draws are per chain
	Iterations                    int   // per chain, warm-up and discarded ones counted
	DataHash                      string
	ModelHash                     string            // equal for all samplers of one posterior
	AlgorithmVersions             map[string]string // algorithm → version
	Starts                        []string          // per chain, how its start was drawn

	Status   Status
	Verdict  judge.Verdict
	Gates    judge.Gates
	Warnings []string
	Error    string // Erred only
	Times    Times
	Created  time.Time
	Place    int // of the run that drew it, see Ledger.NextPlace; 0: the next one

	Parameters []Parameter
	DrawsOf    iter.Seq2[*infer.Columns, error]    // all parameters in order; nil: draws are not kept
	StatsOf    iter.Seq2[*infer.Iterations, error] // per-iteration statistics; nil: none
	Summaries  []diag.Summary                      // one a parameter, in order
	// Undrawn are further parameters that have summaries and no draws: effects of levels, of which there may be many.
	Undrawn          []Parameter
	UndrawnSummaries []diag.Summary
	Statistics       []judge.Statistic // log_lik and other scalars of a draw
	Diagnostics      []Diagnostic
	Metrics          []Metric     // of nuts and hmc, by chain and iterations
	Design           []byte       // JSON record from which new data are coded alike
	Description      *Description // how rows follow from its draws
	Identity         []byte       // JSON object whose hash the fingerprint is
	Events           []Event
	Data             *DataSummary       // nil: unknown
	Start            *Start             // where chains began; nil: no earlier posterior was asked for
	Curves           []Curve            // of smooths; nil: none
	Allocations      []Allocation       // of the rows of a mixture; nil: none
	Incomplete       []IncompleteColumn // of which missing cells were drawn; nil: none
	Assessment                          // what else was computed from the draws
	// Imputations holds the estimates of each parameter from each of several imputations, and Pooling the joint
	// estimates; nil for data sets with one imputation.
	Imputations []Imputation
	Pooling     []Pooling
	// Certificates are the proved bounds for the sampler; those of discrete systems are in Discrete.
	Certificates []Certificate
	Discrete     *Discrete // of models of kind mrf; nil for others
	Action       Action    // what the run did; empty means Computed, or Failed for Erred
}

// Times are seconds: the first three summed over chains as one core would
// need, Wall as a clock on the wall showed. NaN means unknown.
type Times struct {
	Setup, Warmup, Sampling, Wall float64
	// ToESS100 is Setup plus the part of Warmup and Sampling until the median
	// or minimum bulk ESS over parameters, or that of log_lik, was 100.
	ToESS100Median, ToESS100Min, ToESS100LogLik float64
}

// Parameter describes one column of the draws.
type Parameter struct {
	Name          string
	Kind          infer.ParameterKind
	Prior         string
	Center, Scale float64   // of its design column under standardize; 0 and 1 without
	Starts        []float64 // per chain, on the scale of the design as sampled
	// Facts of infer.Parameter.
	Grouping, Level, Term, Term2, Predictor, Response string
	// Derivation says how a parameter of kind Derived is computed; nil for others.
	// Derived parameters come last.
	Derivation *Derivation
}

// ParameterOf returns the parameter without what describes its draws.
func ParameterOf(p infer.Parameter) Parameter {
	return Parameter{Name: p.Name, Kind: p.Kind, Scale: 1, Grouping: p.Grouping, Level: p.Level, Term: p.Term,
		Term2: p.Term2, Predictor: p.Predictor, Response: p.Response}
}

// Facts is the inverse of ParameterOf.
func (p *Parameter) Facts() infer.Parameter {
	return infer.Parameter{Name: p.Name, Kind: p.Kind, Grouping: p.Grouping, Level: p.Level, Term: p.Term,
		Term2: p.Term2, Predictor: p.Predictor, Response: p.Response}
}

// Derived is the kind of a parameter that is computed from others.
const Derived infer.ParameterKind = "derived"

// Derivation is how a derived parameter is computed, and how often it has no
// finite value.
type Derivation struct {
	Expression string `db:"expression VARCHAR NOT NULL" doc:"The expression that it is computed by."`
	NaN        int    `db:"nan_draws BIGINT NOT NULL" doc:"Draws for which it has no value, such as the logarithm of a negative number; NaN in draw."`
	Infinite   int    `db:"inf_draws BIGINT NOT NULL" doc:"Draws for which it is infinite."`
	At         string `db:"first_at VARCHAR" doc:"The part of the expression that was the first without a finite value; NULL if all draws have one."`
}

// Expression is a derived quantity as it was asked for.
type Expression struct {
	Name string `json:"name"`
	Text string `json:"expression"`
}

// ParameterSummary is a stored summary with the name of its parameter.
type ParameterSummary struct {
	Name    string
	Kind    infer.ParameterKind
	Summary diag.Summary
	// Grouping and Term are those of infer.Parameter; empty but where a ledger's summaries are read.
	Grouping, Term string
}

// Family is that of the parameter for gates; see Family.
func (p *ParameterSummary) Family() string {
	return Family(infer.Parameter{Kind: p.Kind, Grouping: p.Grouping, Term: p.Term})
}

// Family is that of the parameter for gates; see Family.
func (p *Parameter) Family() string {
	return Family(infer.Parameter{Kind: p.Kind, Grouping: p.Grouping, Term: p.Term})
}

// Family names the quantities alike that gates judge together with a parameter: the effects of one term of a grouping,
// the cells of an incomplete column. It is empty for other parameters.
func Family(p infer.Parameter) string {
	switch p.Kind {
	case infer.GroupEffect:
		return "effects of " + p.Grouping + ", " + p.Term
	case infer.Imputed:
		return "cells of " + p.Grouping
	}
	return ""
}

// Diagnostic is one number about a fit or one of its chains. Chain is 0-based; −1: the whole fit.
type Diagnostic struct {
	Name  string  `db:"name VARCHAR NOT NULL" doc:"Name of the measure."`
	Chain int     `db:"chain SMALLINT" from:"1" doc:"The chain; NULL for the whole fit."`
	Value float64 `db:"value DOUBLE" doc:"The number."`
	Note  string  `db:"note VARCHAR" doc:"Words about it."`
}

// Metric measures a chain's metric after a window of its warm-up. Chain is 0-based.
type Metric struct {
	Chain      int     `db:"chain SMALLINT NOT NULL" from:"1" doc:"The chain: 1, 2, …."`
	Iterations int     `db:"after_iterations INTEGER NOT NULL" doc:"Iterations of warm-up before the chain took this metric; 0 for the one it began with."`
	Condition  float64 `db:"condition DOUBLE" doc:"Effective condition number: that of the curvature over the coefficients at the penalised point after preconditioning by the metric."`
	Note       string  `db:"note VARCHAR" doc:"Why condition is NULL."`
}

// Event is a remarkable event of a run.
type Event struct {
	At      time.Time `db:"noted TIMESTAMP NOT NULL" doc:"When, UTC."`
	Level   string    `db:"level VARCHAR NOT NULL" doc:"info, warn or error."`
	Message string    `db:"message VARCHAR NOT NULL" doc:"Text of the event."`
}

// Action is the action of a run for a fit.
type Action string

// The actions of a run.
const (
	Computed    Action = "computed"
	Skipped     Action = "skipped"
	Failed      Action = "error"
	Uncommitted Action = "uncommitted"
)

// Allocation is of which component a row of a mixture is, with which probabilities.
type Allocation struct {
	Row int // of the data, from 1
	// Of has the probability of each component, in their order.
	Of []float64
}

// Curve is a smooth on a grid of the number that is smoothed: mean, sd and quantiles of f(x).
type Curve struct {
	Smooth, Level, Name string // the term as written, the level of a factor, and how parameters call it
	X                   []float64
	Points              []CurvePoint
}

// CurvePoint sums up draws of the curve at a point.
type CurvePoint struct {
	Mean   float64 `db:"mean DOUBLE" doc:"Posterior mean of f(x), on the scale of the linear predictor; its sum over the rows is 0, unless it is multiplied by a number."`
	SD     float64 `db:"sd DOUBLE" doc:"Posterior standard deviation."`
	Q025   float64 `db:"q025 DOUBLE" doc:"2.5 % quantile."`
	Q25    float64 `db:"q25 DOUBLE" doc:"25 % quantile."`
	Median float64 `db:"median DOUBLE" doc:"Median."`
	Q75    float64 `db:"q75 DOUBLE" doc:"75 % quantile."`
	Q975   float64 `db:"q975 DOUBLE" doc:"97.5 % quantile."`
}

// Assessment holds results from the draws of a fit other than its summaries, computed with the fit or later.
type Assessment struct {
	LOO    *LOO         // nil: none
	KFold  *KFold       // nil: none
	Checks []Check      // predictive checks; nil: none
	Bins   []Bin        // the response and its replicates by class, with Checks
	Groups []GroupCheck // the same by level, with Checks
	Over   []OverBin    // and over numbers, with Checks
	// Sensitivity is that of parameters to the powers of prior and likelihood; nil: none was asked for.
	Sensitivity []judge.Sensitivity
}

// LOO is the leave-one-out result of a fit.
type LOO struct {
	Rows                 []Pointwise
	ELPD, P, WAIC, PWAIC Estimate
	MCSE                 float64 // Monte Carlo standard error of ELPD; NaN with a row above Threshold
	Threshold            float64 // of Pareto k
	Observations         float64 // rows, as often as they count
	High                 int     // rows above it
	Worst                int     // 0-based row with the largest k
	WorstK               float64
	// Outcomes is a hash of the responses, equal for fits that may be compared.
	Outcomes string
	Version  string // of the algorithm
	PIT      []PITPoint
}

// Unreliable lists the rows whose Pareto k is above the threshold.
func (l *LOO) Unreliable() (rows []int) {
	for i := range l.Rows {
		if l.Rows[i].K > l.Threshold {
			rows = append(rows, i)
		}
	}
	return rows
}

// PITPoint is the share of leave-one-out probability integral transforms up to Z, and the band that holds all such
// shares of uniform ones in 95 % of data sets.
type PITPoint struct {
	Z    float64 `db:"z DOUBLE NOT NULL" doc:"Place between 0 and 1."`
	ECDF float64 `db:"ecdf DOUBLE NOT NULL" doc:"Share of the observations whose transform is at most z; z where they are uniform."`
	Low  float64 `db:"low DOUBLE NOT NULL" doc:"Lower end of the band, which holds the shares of uniform values at all places in 95 % of data sets."`
	High float64 `db:"high DOUBLE NOT NULL" doc:"Upper end of it."`
}

// Pointwise holds the leave-one-out results of one row, as package loo defines them.
type Pointwise struct {
	ELPD       float64 `db:"elpd_loo DOUBLE" doc:"Expected log pointwise predictive density."`
	P          float64 `db:"p_loo DOUBLE" doc:"Effective number of parameters."`
	K          float64 `db:"pareto_k DOUBLE" doc:"Shape of the Pareto fit to the importance weights."`
	WAIC       float64 `db:"elpd_waic DOUBLE" doc:"The same as elpd_loo by the widely applicable information criterion."`
	PWAIC      float64 `db:"p_waic DOUBLE" doc:"Effective number of parameters of that: variance of the log likelihood."`
	Efficiency float64 `db:"r_eff DOUBLE" doc:"Effective over actual number of draws for the mean of the likelihood."`
	Reason     string  `db:"reason VARCHAR" doc:"Why the numbers are NULL."`
	Frequency  float64 `db:"frequency DOUBLE NOT NULL" doc:"Equal observations that the row stands for; the numbers are those of one."`
	MCSE       float64 `db:"mcse_elpd_loo DOUBLE" since:"2" doc:"Monte Carlo standard error of elpd_loo: what other draws of the same posterior would change about it."`
	Before     float64 `db:"pareto_k_before DOUBLE" null:"zero" since:"2" doc:"Pareto k of the draws as they are, where moment matching has moved them for this row; else NULL."`
	PIT        float64 `db:"pit DOUBLE" since:"2" doc:"LOO-PIT: probability of a response up to the observation's, given the others; of whole numbers a random place from that of smaller ones on."`
}

// KFold is the result of k-fold cross-validation.
type KFold struct {
	Asked    string // 10, or by county
	Count    int    // folds
	Rows     []FoldRow
	ELPD     Estimate
	RHat     float64 // the largest over folds, of the log likelihood; NaN if it cannot be computed
	Outcomes string  // as that of LOO
}

// FoldRow holds the results of the fit without its fold for one row. Fold is 0-based.
type FoldRow struct {
	Fold      int     `db:"fold INTEGER NOT NULL" from:"1" doc:"1, 2, …: the fold that it is in."`
	ELPD      float64 `db:"elpd_kfold DOUBLE" doc:"Log predictive density by the model fitted without its fold."`
	Frequency float64 `db:"frequency DOUBLE NOT NULL" doc:"Equal observations that the row stands for; the number is that of one."`
}

// Estimate is a sum over rows with its standard error.
type Estimate struct{ Value, SE float64 }

// Check places a statistic of the response among those of replicated data.
type Check struct {
	Statistic  string  `db:"statistic VARCHAR NOT NULL" doc:"mean, sd, min, max, or zeros: the share of zeros."`
	Words      string  // Statistic as people say it
	Observed   float64 `db:"observed DOUBLE" doc:"Value in the data."`
	Mean       float64 `db:"mean DOUBLE" doc:"Mean over the replicated data sets."`
	SD         float64 `db:"sd DOUBLE" doc:"Standard deviation over them."`
	Q025       float64 `db:"q025 DOUBLE" doc:"2.5 % quantile over them."`
	Q975       float64 `db:"q975 DOUBLE" doc:"97.5 % quantile over them."`
	P          float64 `db:"p_value DOUBLE" doc:"Share of replicated data sets whose statistic is larger than the observed one, equal ones by half."`
	Replicates int     `db:"replicates INTEGER NOT NULL" doc:"Replicated data sets that have the statistic."`
	Note       string  `db:"note VARCHAR" doc:"Why some do not have it."`
	Expression string  `db:"expression VARCHAR" since:"2" doc:"Expression over the responses y, of a statistic that the spec names (run: {ppc: {statistics: …}})."`
}

// GroupCheck places a statistic of the response in a level among those of replicated data.
type GroupCheck struct {
	Variable   string  `db:"variable VARCHAR NOT NULL" doc:"The column."`
	Level      string  `db:"level VARCHAR NOT NULL" doc:"Its level."`
	Statistic  string  `db:"statistic VARCHAR NOT NULL" doc:"mean, sd or zeros (share of zeros)."`
	Rows       float64 `db:"rows BIGINT NOT NULL" doc:"Observations of the level."`
	Observed   float64 `db:"observed DOUBLE" doc:"The statistic of the data."`
	Mean       float64 `db:"mean DOUBLE" doc:"Its mean over the replicated data sets."`
	Q05        float64 `db:"q05 DOUBLE" doc:"5 % quantile over them."`
	Q25        float64 `db:"q25 DOUBLE" doc:"25 % quantile."`
	Median     float64 `db:"median DOUBLE" doc:"Median."`
	Q75        float64 `db:"q75 DOUBLE" doc:"75 % quantile."`
	Q95        float64 `db:"q95 DOUBLE" doc:"95 % quantile."`
	P          float64 `db:"p_value DOUBLE" doc:"Share of the replicates above the observed value, those equal to it by half."`
	Expected   float64 `db:"expected DOUBLE" doc:"Share of the replicates outside their own 5 to 95 %: 0.1, or less where values are equal."`
	Replicates int     `db:"replicates INTEGER NOT NULL" doc:"Replicated data sets."`
}

// OverBin is a class of a number: its GroupCheck of the mean, and statistics of single replicated responses.
type OverBin struct {
	GroupCheck
	Low, High, X float64 // range of the number, and its mean
	Single
}

// Single holds the statistics of single replicated responses of a class.
type Single struct {
	Y05     float64 `db:"y05 DOUBLE" doc:"5 % quantile of single replicated responses."`
	Y25     float64 `db:"y25 DOUBLE" doc:"25 % quantile of them."`
	Y50     float64 `db:"y50 DOUBLE" doc:"Their median."`
	Y75     float64 `db:"y75 DOUBLE" doc:"75 % quantile of them."`
	Y95     float64 `db:"y95 DOUBLE" doc:"95 % quantile of them."`
	Outside float64 `db:"outside BIGINT NOT NULL" doc:"Observations outside y05 to y95; a tenth of rows, or fewer where responses are whole numbers, where the model is right."`
}

// Bin is a class of a histogram: how many observations have it, and quantiles of that number over replicated data.
type Bin struct {
	Low      float64 `db:"low DOUBLE" doc:"The class has values from here; NULL for the first, which has all below high."`
	High     float64 `db:"high DOUBLE" doc:"The class has values below this; NULL for the last."`
	Observed float64 `db:"observed DOUBLE NOT NULL" doc:"Observations of the data in the class."`
	Q025     float64 `db:"q025 DOUBLE" doc:"2.5 % quantile of their number over the replicated data sets."`
	Q25      float64 `db:"q25 DOUBLE" doc:"25 % quantile."`
	Median   float64 `db:"median DOUBLE" doc:"Median."`
	Q75      float64 `db:"q75 DOUBLE" doc:"75 % quantile."`
	Q975     float64 `db:"q975 DOUBLE" doc:"97.5 % quantile."`
}

// DiscreteFamily is the family of fits of discrete systems: models of kind mrf.
const DiscreteFamily = "mrf"

// MixtureFamily is the family of fits of mixtures of a family.
func MixtureFamily(of string) string { return "mixture of " + of }

// Items describes the several responses in a row of latent classes.
const Items = "items"

// Discrete holds the results of a fit of discrete variables other than functionals of their states, which are its
// parameters. Slices that a fit does not have stay nil.
type Discrete struct {
	System
	IDs          []string
	Observation  []float64 // NaN: none
	Truth        []int16   // −1: unknown
	Best         []uint8
	Probability  []float64 // of variable i in state a at i·len(Labels) + a; NaN: unknown
	MCSE         []float64 // NaN: unknown
	Certificates []Certificate
	// ScanBounds are the certificates of a certified scan up to each update, and Scan its variables; nil of a random scan.
	Scan       []int32
	ScanBounds []float64
	Influences []Influence // by which scans are certified
}

// Influence bounds how far the distribution of a variable given all others moves if one of them changes.
type Influence struct {
	Variable int     `db:"variable_id INTEGER NOT NULL" from:"1" doc:"The variable."`
	Other    int     `db:"other_id INTEGER NOT NULL" from:"1" doc:"The other variable, which changes."`
	Bound    float64 `db:"bound DOUBLE NOT NULL" doc:"The distribution of the variable given all others moves by at most this, in total variation."`
}

// System is stored once for a fit of discrete variables. Rows and Columns are 0 if the data are not an image,
// ChainBytes is 0 if there are no chains, and BestChain is 0-based; −1: none.
type System struct {
	Variables   int      `db:"variables BIGINT NOT NULL" doc:"Number of variables."`
	Edges       int      `db:"edges BIGINT NOT NULL" doc:"Number of edges."`
	Labels      []string `db:"labels VARCHAR[] NOT NULL" doc:"Names of the states: labels[1] is that of state 0."`
	Rows        int      `db:"image_rows INTEGER" null:"zero" doc:"Rows of an image or grid, whose variables are numbered row by row; NULL of other data."`
	Columns     int      `db:"image_columns INTEGER" null:"zero" doc:"Columns of an image or grid."`
	Interaction string   `db:"interaction VARCHAR NOT NULL" doc:"Interaction of neighbours: ising, potts, or tables of the data."`
	LogZ        float64  `db:"log_z DOUBLE" doc:"Logarithm of the sum of exp(log_lik) over all states, where an exact method knows it."`
	BestLogLik  float64  `db:"best_log_lik DOUBLE" doc:"The largest log_lik of a state that the fit saw or found: that of variable.best."`
	BestChain   int      `db:"best_chain SMALLINT" from:"1" doc:"Chain that saw it; NULL where it was found without chains."`
	Gated       bool     `db:"gated BOOLEAN NOT NULL" doc:"Whether the chains are Markov chains of the model, to which R-hat and ESS apply: not those of herded Gibbs, nor annealed ones, nor methods without chains."`
	ModelBytes  int64    `db:"model_bytes BIGINT" doc:"Memory of the model."`
	ChainBytes  int64    `db:"chain_bytes BIGINT" null:"zero" doc:"Memory of a chain, counts included; NULL without chains."`
}

// Certificate is an error that is proved, or why there is none. IDs is nil for all variables, Bound NaN if nothing is
// proved.
type Certificate struct {
	Method    string   `db:"method VARCHAR NOT NULL" doc:"Theorem or method of the proof."`
	Bounded   string   `db:"bounded VARCHAR NOT NULL" doc:"Quantity that is bounded."`
	Variables int      `db:"variables BIGINT NOT NULL" doc:"Number of variables, or coefficients, that it applies to."`
	IDs       []string `db:"ids VARCHAR[]" null:"zero" doc:"Their ids, or names, where they were chosen; NULL: all."`
	Updates   int64    `db:"after_updates BIGINT" null:"zero" doc:"Updates of single variables after which it holds; NULL where there are none."`
	Bound     float64  `db:"bound DOUBLE" doc:"The error is proved to be at most this; NULL where nothing is proved."`
	Note      string   `db:"note VARCHAR" doc:"Assumptions of the bound, or the reason why there is none."`
}

// Start says where the chains of a fit began that was asked to start from an
// earlier one.
type Start struct {
	Question        string  `db:"question VARCHAR NOT NULL" doc:"Fingerprint that the fit would have without an earlier one: fits with the same question are of the same data, model, sampler and seed, and a later run with that question uses any of them."`
	From            int64   `db:"from_fit_id BIGINT" null:"zero" doc:"The fit that it started from, which may have been pruned since; NULL where it started as usual."`
	FromFingerprint string  `db:"from_fingerprint VARCHAR" doc:"Fingerprint of that fit."`
	Known           int     `db:"parameters_known INTEGER" null:"negative" doc:"How many of its parameters that fit knew, by name."`
	StepSize        float64 `db:"step_size DOUBLE" null:"zero" doc:"Step size that warm-up of nuts and hmc began with; NULL where they looked for one, and of other methods."`
	Note            string  `db:"note VARCHAR NOT NULL" doc:"In words: where the chains started, or why as usual."`
}

// Recalled holds the facts of a stored fit's posterior and of its data.
type Recalled struct {
	Parameters []ParameterSummary // without local scales
	StepSizes  []float64          // of nuts and hmc, by chain
	Data       *DataSummary       // nil: not known
}

// Mixed reports whether the chains of all parameters found each other: no R-hat above limit. A parameter without
// R-hat, since it does not move, counts as mixed.
func (p *Recalled) Mixed(limit float64) (worst string, ok bool) {
	for _, s := range p.Parameters {
		if s.Summary.RHat > limit {
			return s.Name, false
		}
	}
	return "", true
}

// DataSummary describes the data of a fit, for comparison with the next fit of its name.
type DataSummary struct {
	Missing      int64           `db:"rows_missing BIGINT NOT NULL" doc:"Rows that were left out, since a used cell was missing (missing: drop)."`
	ResponseMean float64         `db:"response_mean DOUBLE" doc:"Mean of the response; of binomial and bernoulli the rate of success. Rows count by frequency."`
	ResponseSD   float64         `db:"response_sd DOUBLE" doc:"Standard deviation of the response (of the proportions, for binomial) with divisor n."`
	Columns      []ColumnSummary // of the design, in order
}

// ColumnSummary is a column of the design in the units of the data.
type ColumnSummary struct {
	Name string  `db:"name VARCHAR NOT NULL" doc:"Name of the column, as R spells it."`
	Mean float64 `db:"mean DOUBLE" doc:"Mean over the rows."`
	SD   float64 `db:"sd DOUBLE" doc:"Standard deviation with divisor n; 0 for a constant column."`
}

// Assessed lists the parts of an assessment that a stored fit has.
type Assessed struct {
	LOO                 string // version of its algorithm; empty if it was not computed
	KFold               string // its request; empty if it was not computed
	Checks, Sensitivity bool
	Columns             []string     // that predictive checks were made by or over, as "by g", "over x"
	Statistics          []Expression // of predictive checks, that the spec named
}
