package record

import (
	"iter"
	"strings"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// Key names one fit of a pipeline: a data set, a group or file of it (Group is
// empty without each: or by:), a model and a sampler.
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
	Metrics          []Metric // of nuts and hmc, by chain and iterations
	Design           []byte   // JSON record from which new data are coded alike
	Identity         []byte   // JSON object whose hash the fingerprint is
	Events           []Event
	Data             *DataSummary       // nil: unknown
	Start            *Start             // where chains began; nil: no earlier posterior was asked for
	Curves           []Curve            // of smooths; nil: none
	Allocations      []Allocation       // of the rows of a mixture; nil: none
	Incomplete       []IncompleteColumn // of which missing cells were drawn; nil: none
	Assessment                          // what else was computed from the draws
	// Imputations is what each of several imputations says of each parameter, and Pooling what they say together; nil
	// of data sets that have no others.
	Imputations []Imputation
	Pooling     []Pooling
	// Certificates are what is proved of the sampler; those of Discrete stand there.
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
	// Grouping, Level, Term and Beside are those of infer.Parameter.
	Grouping, Level, Term, Beside string
	// Derivation says how a parameter of kind Derived is computed; nil for others.
	// Derived parameters come last.
	Derivation *Derivation
}

// Derived is the kind of a parameter that is computed from others.
const Derived infer.ParameterKind = "derived"

// Derivation is how a derived parameter is computed, and how often it has no
// finite value.
type Derivation struct {
	Expression    string
	NaN, Infinite int    // draws
	At            string // the first part of Expression without a finite value; empty if there is none
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

// Diagnostic is one number about a fit or one of its chains.
type Diagnostic struct {
	Name  string
	Chain int // 0-based; −1: the whole fit
	Value float64
	Note  string // the reason when Value is NaN, or words in its stead
}

// Metric is what a chain's metric was worth after a window of its warm-up.
type Metric struct {
	Chain      int     // 0-based
	Iterations int     // of warm-up before it was taken
	Condition  float64 // effective condition number
	Note       string  // the reason when Condition is NaN
}

// Event is something worth telling that happened in a run.
type Event struct {
	At             time.Time
	Level, Message string
}

// Action is what a run did about a fit.
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
type CurvePoint struct{ Mean, SD, Q025, Q25, Median, Q75, Q975 float64 }

// Assessment is what is computed from the draws of a fit besides its summaries,
// at fit time or later.
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
type PITPoint struct{ Z, ECDF, Low, High float64 }

// Pointwise is what leave-one-out says about one row, as package loo defines it.
type Pointwise struct {
	ELPD, P, K, WAIC, PWAIC, Efficiency, MCSE float64
	Before                                    float64 // K before the draws were moved; 0 where they were not
	Frequency                                 float64 // equal observations that the row stands for
	PIT                                       float64 // probability of responses up to the row's, given the others
	Reason                                    string  // why the numbers are NaN
}

// KFold is the result of k-fold cross-validation.
type KFold struct {
	Asked    string // 10, or by county
	Count    int    // folds
	Rows     []FoldRow
	ELPD     Estimate
	RHat     float64 // the largest over folds, of the log likelihood; NaN where it cannot be computed
	Outcomes string  // as that of LOO
}

// FoldRow is what the fit without its fold says about one row.
type FoldRow struct {
	Fold            int // from 0
	ELPD, Frequency float64
}

// Estimate is a sum over rows with its standard error.
type Estimate struct{ Value, SE float64 }

// Check places a statistic of the response among those of replicated data.
type Check struct {
	Statistic, Words     string // short, and as people say it
	Observed             float64
	Mean, SD, Q025, Q975 float64 // of the replicates
	// P is the share of replicates above the observed value, those equal to it by
	// half; NaN if it cannot be computed.
	P          float64
	Replicates int
	Note       string
	Expression string // of a statistic that the spec names
}

// GroupCheck places a statistic of the response in a level among those of replicated data.
type GroupCheck struct {
	Variable, Level, Statistic string
	Rows                       float64 // observations
	Observed                   float64
	Mean                       float64 // of the replicates, like the quantiles
	Q05, Q25, Median, Q75, Q95 float64
	P                          float64 // as in Check
	Expected                   float64 // share of replicates outside their own 5 to 95 %
	Replicates                 int
}

// OverBin is a class of a number: its GroupCheck of the mean, and what single replicated responses are there.
type OverBin struct {
	GroupCheck
	Low, High, X            float64 // range of the number, and its mean
	Y05, Y25, Y50, Y75, Y95 float64
	Outside                 float64 // observations outside Y05 to Y95
}

// Bin is a class of a histogram: how many observations have it, and quantiles of that number over replicated data.
type Bin struct {
	Low, High                    float64 // NaN: unbounded
	Observed                     float64
	Q025, Q25, Median, Q75, Q975 float64
}

// DiscreteFamily is the family of fits of discrete systems: models of kind mrf.
const DiscreteFamily = "mrf"

// MixtureFamily is the family of fits of mixtures of a family.
func MixtureFamily(of string) string { return mixtureFamily + of }

// MixtureOf returns the family of which fits of a family are mixtures, and whether they are; else the family itself.
func MixtureOf(family string) (of string, mixed bool) {
	return strings.CutPrefix(family, mixtureFamily)
}

// Items is what latent classes are a mixture of: several responses in a row.
const Items = "items"

const mixtureFamily = "mixture of "

// Discrete is what is stored of a fit of discrete variables besides functionals of their
// states, which are its parameters. Slices that a fit does not have stay nil.
type Discrete struct {
	Variables, Edges int
	Labels           []string // of states
	Rows, Columns    int      // of an image or grid; 0 of other data
	Interaction      string
	LogZ             float64 // NaN: unknown
	BestLogLik       float64
	BestChain        int // 0-based; −1: none
	Gated            bool
	ModelBytes       int64
	ChainBytes       int64 // 0: no chains

	IDs          []string
	Observation  []float64 // NaN: none
	Truth        []int16   // −1: unknown
	Best         []uint8
	Probability  []float64 // of variable i in state a at i·len(Labels) + a; NaN: unknown
	MCSE         []float64 // NaN: unknown
	Certificates []Certificate
}

// Certificate is an error that is proved, or why there is none.
type Certificate struct {
	Method, Bounded string
	IDs             []string // of the variables it speaks of; nil: all
	Variables       int
	Updates         int64   // 0: none
	Bound           float64 // NaN: nothing is proved
	Note            string
}

// Start says where the chains of a fit began that was asked to start from an
// earlier one.
type Start struct {
	Question        string // the fingerprint without an earlier fit
	From            int64  // the fit that it started from; 0: it started as usual
	FromFingerprint string
	Known           int     // parameters that From knew, by name
	StepSize        float64 // that warm-up began with; 0: none
	Note            string  // in words
}

// Recalled is what a stored fit says of its posterior and of its data.
type Recalled struct {
	Parameters []ParameterSummary // without local scales
	StepSizes  []float64          // of nuts and hmc, by chain
	Data       *DataSummary       // nil: not known
}

// Mixed reports whether the chains of all parameters found each other: no R-hat
// above limit. What has none, since it does not move, counts as mixed.
func (p *Recalled) Mixed(limit float64) (worst string, ok bool) {
	for _, s := range p.Parameters {
		if s.Summary.RHat > limit {
			return s.Name, false
		}
	}
	return "", true
}

// DataSummary is what the data of a fit look like, for the next fit of its name
// to be compared with.
type DataSummary struct {
	Missing int64 // rows that were left out for missing cells
	// ResponseMean and ResponseSD are of the response, rows counted by
	// frequency; of proportions, weighted by their trials, for binomial.
	ResponseMean, ResponseSD float64
	Columns                  []ColumnSummary // of the design, in order
}

// ColumnSummary is a column of the design in the units of the data.
type ColumnSummary struct {
	Name     string
	Mean, SD float64
}

// Assessed is what of an assessment a stored fit has.
type Assessed struct {
	LOO                 string // version of its algorithm; empty without
	KFold               string // what it was asked for; empty without
	Checks, Sensitivity bool
	Columns             []string     // that predictive checks were made by or over, as "by g", "over x"
	Statistics          []Expression // of predictive checks, that the spec named
}
