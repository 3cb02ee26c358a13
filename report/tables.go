package report

import (
	"encoding/json"
	"time"

	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// tables lists the tables of the ledger, in the order in which they are made. The struct of a table is its row, and
// the fields are its columns: see schema.go for the tags.
var tables = []*table{
	versions, newTable[runRow](), newTable[fitRow](), newTable[runFitRow](), newTable[parameterRow](),
	newTable[drawRow](), newTable[chainRow](), newTable[summaryRow](), newTable[diagnosticRow](),
	newTable[metricRow](), newTable[designRow](), newTable[identityRow](), newTable[derivedRow](),
	newTable[startRow](), newTable[eventRow](), newTable[dataRow](), newTable[columnRow](), newTable[pointwiseRow](),
	newTable[looRow](), newTable[checkRow](), newTable[calibrationRow](), newTable[simulationRow](),
	newTable[rankRow](), newTable[rankTestRow](), newTable[systemRow](), newTable[variableRow](),
	newTable[marginalRow](), newTable[certificateRow](), newTable[fileRow](), newTable[outsideRow](),
	newTable[pitRow](), newTable[groupCheckRow](), newTable[overRow](), newTable[binRow](), newTable[kfoldRow](),
	newTable[foldRow](), newTable[sensitivityRow](), newTable[effectRow](), newTable[curveRow](),
	newTable[incompleteRow](), newTable[cellBinRow](), newTable[allocationRow](), newTable[imputationRow](),
	newTable[poolingRow](), newTable[descriptionRow](), newTable[scanRow](),
	newTable[influenceRow](),
}

// versions is the table that identifies a ledger and its schema.
var versions = newTable[versionRow]()

type versionRow struct {
	_       struct{}  `table:"schema_version" doc:"Migrations that this ledger went through; the largest version is its own."`
	Version int       `db:"version INTEGER NOT NULL" doc:"1, 2, … in the order in which they were applied."`
	Name    string    `db:"name VARCHAR NOT NULL" doc:"Name of the version."`
	Applied time.Time `db:"applied TIMESTAMP NOT NULL" doc:"When this ledger went through it, UTC."`
}

type runRow struct {
	_        struct{}          `table:"run" doc:"Calls of the program: one row for each pipeline that was run."`
	RunID    string            `db:"run_id VARCHAR NOT NULL" doc:"Name of the run, unique."`
	Pipeline string            `db:"pipeline VARCHAR NOT NULL" doc:"Name of the pipeline."`
	SpecHash string            `db:"spec_hash VARCHAR" doc:"Hash of the spec's text."`
	Spec     string            `db:"spec VARCHAR" doc:"The whole spec as it was read."`
	Vars     map[string]string `db:"vars JSON" doc:"Resolved variables of the spec, a JSON object."`
	Seed     uint64            `db:"seed UBIGINT" doc:"Seed that all randomness of the run derives from."`
	Started  time.Time         `db:"started TIMESTAMP NOT NULL" doc:"Start, UTC."`
	ended
	Program string            `db:"program VARCHAR" doc:"Version and build of the program."`
	Engine  string            `db:"engine VARCHAR" doc:"Version of DuckDB that wrote the row."`
	Host    map[string]string `db:"host JSON" doc:"Facts about the machine, a JSON object."`
	Place   int               `db:"place INTEGER NOT NULL" doc:"Order of runs: one more than that of every run which the ledger had when this one began. It orders runs independently of the clock; simultaneous runs share one."`
}

// ended is empty of a run that has not ended.
type ended struct {
	Finished time.Time `db:"finished TIMESTAMP" doc:"End, UTC; NULL while running or after a kill."`
	ExitCode *int      `db:"exit_code INTEGER" doc:"0 all passed, 1 some failed, 2 bad call, 3 something uncommitted, 130 interrupted."`
}

// ofFit begins the rows of a fit.
type ofFit struct {
	FitID int64 `db:"fit_id BIGINT NOT NULL" doc:"The fit."`
}

type fitRow struct {
	_           struct{} `table:"fit" doc:"Finished fits: one data set (or group of it) under one model by one sampler. See the view latest."`
	FitID       int64    `db:"fit_id BIGINT NOT NULL" doc:"Number of the fit in this ledger; joins all tables."`
	Fingerprint string   `db:"fingerprint VARCHAR NOT NULL" doc:"Identity: hash of data, model, sampler, lengths, seed and algorithm versions."`
	fitName
	fitModel
	fitCounts
	fitOrigin
	fitVerdict
	fitTimes
	fitPlace
}

type fitName struct {
	RunID    string `db:"run_id VARCHAR NOT NULL" doc:"Run that computed the fit."`
	Pipeline string `db:"pipeline VARCHAR" doc:"Pipeline for which the fit was drawn. Others may share it: run_fit has all."`
	Dataset  string `db:"dataset VARCHAR NOT NULL" doc:"Name of the data set in the spec."`
	Key      string `db:"key VARCHAR NOT NULL" doc:"Group or file within the data set; empty if the data set is one fit."`
	Model    string `db:"model VARCHAR NOT NULL" doc:"Name of the model in the spec."`
	Sampler  string `db:"sampler VARCHAR NOT NULL" doc:"Name of the sampler in the spec."`
}

type fitModel struct {
	Method  string `db:"method VARCHAR" doc:"Sampling method that was used: cggibbs, conjugate, …"`
	Family  string `db:"family VARCHAR" doc:"Family of the response."`
	Link    string `db:"link VARCHAR" doc:"Link function."`
	Formula string `db:"formula VARCHAR" doc:"Model formula."`
}

type fitCounts struct {
	Rows       int64  `db:"n_rows BIGINT" doc:"Rows of the design matrix."`
	Columns    int    `db:"n_columns INTEGER" doc:"Columns of the design matrix, intercept included."`
	Parameters int    `db:"n_parameters INTEGER" doc:"Parameters with draws."`
	Chains     int    `db:"chains INTEGER" doc:"Number of chains."`
	Warmup     int    `db:"warmup INTEGER" doc:"Warm-up iterations per chain, not stored as draws."`
	Draws      int    `db:"draws INTEGER" doc:"Draws per chain after warm-up."`
	Iterations int    `db:"iterations INTEGER" doc:"Iterations per chain, warm-up and discarded ones included."`
	Kept       string `db:"kept VARCHAR" doc:"draws, or summary if no draws were kept."`
}

type fitOrigin struct {
	DataHash  string            `db:"data_hash VARCHAR" doc:"Hash of the canonical typed values of the used columns."`
	ModelHash string            `db:"model_hash VARCHAR" doc:"Hash of the model; equal for all samplers of one posterior."`
	Versions  map[string]string `db:"algorithm_versions JSON" doc:"Version of each algorithm, a JSON object."`
	Starts    []string          `db:"starts VARCHAR[]" doc:"For each chain, how its starting point was drawn."`
}

type fitVerdict struct {
	Status   record.Status `db:"status VARCHAR NOT NULL" doc:"complete, or error for a fit that could not be computed."`
	Verdict  judge.Grade   `db:"verdict VARCHAR NOT NULL" doc:"pass, warn, fail or error."`
	Reasons  []string      `db:"reasons VARCHAR[]" doc:"Reasons of the verdict."`
	Gates    judge.Gates   `db:"gates JSON" doc:"Gates that the verdict was judged by, a JSON object; negative: off."`
	Warnings []string      `db:"warnings VARCHAR[]" doc:"Warnings of ingest, set-up and sampling."`
	Error    string        `db:"error VARCHAR" doc:"Message of the error; NULL for complete fits."`
}

type fitTimes struct {
	Setup          float64 `db:"setup_seconds DOUBLE" doc:"Seconds to prepare data and sampler, on one core."`
	Warmup         float64 `db:"warmup_seconds DOUBLE" doc:"Seconds of warm-up, summed over chains."`
	Sampling       float64 `db:"sampling_seconds DOUBLE" doc:"Seconds of sampling after warm-up, summed over chains."`
	Wall           float64 `db:"wall_seconds DOUBLE" doc:"Seconds on the clock for the whole fit."`
	ToESS100Median float64 `db:"to_ess100_median DOUBLE" doc:"Seconds of set-up, warm-up and sampling until the median bulk ESS over parameters is 100, dispersions included, local scales not."`
	ToESS100Min    float64 `db:"to_ess100_min DOUBLE" doc:"The same for the smallest bulk ESS over these parameters."`
	ToESS100LogLik float64 `db:"to_ess100_log_lik DOUBLE" doc:"The same for the bulk ESS of log_lik."`
}

type fitPlace struct {
	Created   time.Time `db:"created TIMESTAMP NOT NULL" doc:"When the fit was computed, UTC."`
	Judged    time.Time `db:"judged TIMESTAMP NOT NULL" doc:"When the verdict was made; later than created if gates changed, UTC."`
	Replicate int       `db:"replicate INTEGER NOT NULL" doc:"1 for the fit itself, 2, 3, … for its repetitions with other seeds (run: replicates)."`
	Place     int       `db:"place INTEGER NOT NULL" doc:"Order of the run that drew the fit: run.place. The newest fit, and the fit before it, are found by place, then created, then fit_id."`
}

type runFitRow struct {
	_       struct{} `table:"run_fit" doc:"Action of each run for each fit: drawn, skipped because it was unchanged, or not committed. The newest record of a name decides which fit is its result: see the view newest_fit."`
	RunID   string   `db:"run_id VARCHAR NOT NULL" doc:"The run."`
	FitID   int64    `db:"fit_id BIGINT" null:"zero" doc:"The fit; NULL if none was stored, or if prune removed it. A fit that is drawn again with the same fingerprint replaces the earlier one here too."`
	Dataset string   `db:"dataset VARCHAR NOT NULL" doc:"Name of the data set."`
	Key     string   `db:"key VARCHAR NOT NULL" doc:"Group or file within it."`
	Model   string   `db:"model VARCHAR NOT NULL" doc:"Name of the model."`
	Sampler string   `db:"sampler VARCHAR NOT NULL" doc:"Name of the sampler."`
	did
}

// did holds the action of a run on a fit, and its verdict.
type did struct {
	Action    record.Action `db:"action VARCHAR NOT NULL" doc:"computed, skipped (the ledger had an equal fit), error or uncommitted."`
	Verdict   judge.Grade   `db:"verdict VARCHAR NOT NULL" doc:"Verdict that the run took for the fit."`
	Reasons   []string      `db:"reasons VARCHAR[]" doc:"Reasons of that verdict."`
	Noted     time.Time     `db:"noted TIMESTAMP NOT NULL" doc:"When, UTC."`
	Pipeline  string        `db:"pipeline VARCHAR DEFAULT ''" null:"never" since:"3" doc:"Pipeline of the run; of imported draws that of the fit of the same posterior."`
	Replicate int           `db:"replicate INTEGER DEFAULT 1" since:"3" doc:"1 for the fit itself, 2, 3, … for its repetitions with other seeds."`
	Place     int           `db:"place INTEGER DEFAULT 0" since:"3" doc:"Order of the run: run.place. It is the order of the records."`
}

type parameterRow struct {
	_ struct{} `table:"parameter" doc:"Parameters of each fit."`
	ofFit
	ParameterID int       `db:"parameter_id INTEGER NOT NULL" doc:"1, 2, … within the fit; below 0 for effects of levels that have summaries and no draws (keep: groups)."`
	Name        string    `db:"name VARCHAR NOT NULL" doc:"Name as in R: (Intercept), age, racewhite, a:b, sigma."`
	Kind        string    `db:"kind VARCHAR NOT NULL" doc:"intercept, coefficient, dispersion, scale (of a horseshoe prior: tau, c), local_scale (lambda, one a coefficient; kept with keep: scales only, and no gate checks it), group_sd, group_correlation, group_effect (of group-level effects), smooth_sd, smooth_effect (of a smooth: the standard deviation of its penalised coefficients, and one of these), residual_correlation, inclusion (1 where a coefficient of a prior spike_slab is in the model), imputation (of the model of an incomplete column), imputed (a missing cell or response), mixture_weight, probability, unsorted (of a mixture: the weight of a component; the probability of a category of an item in a component; a parameter of one as it was sampled, whose number has no meaning and which no gate checks) or derived."`
	Prior       string    `db:"prior VARCHAR" doc:"Prior on the scale of the design as sampled."`
	Center      float64   `db:"center DOUBLE" doc:"Number subtracted from the design column before sampling."`
	Scale       float64   `db:"scale DOUBLE" doc:"Number that divided the design column before sampling."`
	Starts      []float64 `db:"starts DOUBLE[]" doc:"Starting point of each chain, on the scale of the design as sampled."`
	Checksum    *uint32   `db:"checksum UINTEGER" doc:"CRC-32C of the draws as little-endian doubles, by chain and iteration; NULL where they were not kept."`
	facts
}

// facts holds the facts of an infer.Parameter.
type facts struct {
	Grouping  string  `db:"grouping VARCHAR" doc:"The grouping of group-level effects: g of (1 + x | g), or g:h; NULL for other parameters."`
	Level     *string `db:"level VARCHAR" doc:"The level of the grouping that a group_effect is of; else NULL; of a mixture the number of the component."`
	Term      string  `db:"term VARCHAR" doc:"The term that a group_effect or group_sd is of, Intercept or a column; the second of the two of a group_correlation; the smooth of a smooth_sd or smooth_effect, s(x) or s(x):level; the column of a coefficient of a mixture's component, or the item of a parameter of latent classes."`
	Beside    string  `db:"beside VARCHAR" doc:"The other term of a group_correlation; the category of a probability of latent classes; else NULL."`
	Predictor string  `db:"predictor VARCHAR" since:"4" doc:"The predictor that the parameter belongs to, as mu2 of a categorical response; NULL if the response has only one."`
	Response  string  `db:"response VARCHAR" since:"4" doc:"The response that it belongs to; NULL if the fit has only one."`
}

type drawRow struct {
	_ struct{} `table:"draw_piece" doc:"Posterior draws as they are stored, up to 250 successive ones of a chain in a row; the view draw has a row for each."`
	ofFit
	ParameterID int                 `db:"parameter_id INTEGER NOT NULL" doc:"The parameter."`
	Chain       int                 `db:"chain SMALLINT NOT NULL" from:"1" doc:"1, 2, …"`
	First       int                 `db:"first INTEGER NOT NULL" doc:"Iteration of v[1]: 1, 251, …"`
	N           int                 `db:"n SMALLINT NOT NULL" doc:"How many draws v holds: 250, or fewer at the end of a chain."`
	V           [pieceDraws]float64 `db:"v DOUBLE[250] NOT NULL" doc:"The draws; zeros after the first n."`
}

type chainRow struct {
	_ struct{} `table:"chain_piece" doc:"Statistics of chains as they are stored, up to 1024 successive iterations of warm-up or of kept draws in a row; the view chain has a row for each."`
	ofFit
	Chain int `db:"chain SMALLINT NOT NULL" from:"1" doc:"1, 2, …"`
	First int `db:"first INTEGER NOT NULL" doc:"The first iteration, counted as in chain."`
	N     int `db:"n INTEGER NOT NULL" doc:"How many iterations: each list has n values, or one that all n share."`
	chainLists
}

// chainLists are the statistics of the iterations of a row of chain_piece.
type chainLists struct {
	LogLik      []float64 `db:"log_lik DOUBLE[] NOT NULL" doc:"As in chain."`
	LogPrior    []float64 `db:"log_prior DOUBLE[] NOT NULL" doc:"As in chain."`
	Evaluations []int64   `db:"evaluations BIGINT[] NOT NULL" doc:"As in chain."`
	Touched     []int64   `db:"touched BIGINT[] NOT NULL" doc:"As in chain."`
	Gradients   []int64   `db:"gradients BIGINT[] NOT NULL" doc:"As in chain."`
	Accept      []float64 `db:"accept DOUBLE[] NOT NULL" doc:"As in chain."`
	StepSize    []float64 `db:"step_size DOUBLE[] NOT NULL" doc:"As in chain."`
	Energy      []float64 `db:"energy DOUBLE[] NOT NULL" doc:"As in chain."`
	Depth       []int32   `db:"depth INTEGER[] NOT NULL" doc:"As in chain."`
	Leapfrogs   []int32   `db:"leapfrogs INTEGER[] NOT NULL" doc:"As in chain."`
	Divergent   []bool    `db:"divergent BOOLEAN[] NOT NULL" doc:"As in chain."`
}

type summaryRow struct {
	_ struct{} `table:"summary" doc:"Posterior summaries with diagnostics after Vehtari et al. (2021). NULL: cannot be computed, see reason."`
	ofFit
	ParameterID int    `db:"parameter_id INTEGER" null:"zero" doc:"The parameter; NULL for statistics of a draw such as log_lik."`
	Name        string `db:"name VARCHAR NOT NULL" doc:"Name of parameter or statistic."`
	Kind        string `db:"kind VARCHAR NOT NULL" doc:"Kind of the parameter, or statistic."`
	summaryNumbers
}

// summaryNumbers is diag.Summary.
type summaryNumbers struct {
	Mean       float64 `db:"mean DOUBLE" doc:"Mean."`
	SD         float64 `db:"sd DOUBLE" doc:"Standard deviation."`
	MCSEMean   float64 `db:"mcse_mean DOUBLE" doc:"Monte Carlo standard error of mean."`
	MCSESD     float64 `db:"mcse_sd DOUBLE" doc:"Monte Carlo standard error of sd."`
	Q025       float64 `db:"q025 DOUBLE" doc:"2.5 % quantile."`
	Q05        float64 `db:"q05 DOUBLE" doc:"5 % quantile."`
	Q25        float64 `db:"q25 DOUBLE" doc:"25 % quantile."`
	Median     float64 `db:"median DOUBLE" doc:"Median."`
	Q75        float64 `db:"q75 DOUBLE" doc:"75 % quantile."`
	Q95        float64 `db:"q95 DOUBLE" doc:"95 % quantile."`
	Q975       float64 `db:"q975 DOUBLE" doc:"97.5 % quantile."`
	MCSEMedian float64 `db:"mcse_median DOUBLE" doc:"Monte Carlo standard error of median."`
	MCSEQ05    float64 `db:"mcse_q05 DOUBLE" doc:"Monte Carlo standard error of q05."`
	MCSEQ95    float64 `db:"mcse_q95 DOUBLE" doc:"Monte Carlo standard error of q95."`
	RHat       float64 `db:"rhat DOUBLE" doc:"Rank-normalised split R-hat."`
	ESSBulk    float64 `db:"ess_bulk DOUBLE" doc:"Bulk effective sample size."`
	ESSTail    float64 `db:"ess_tail DOUBLE" doc:"Tail effective sample size."`
	Reason     string  `db:"reason VARCHAR" doc:"Why some of the numbers are NULL."`
}

type diagnosticRow struct {
	_ struct{} `table:"diagnostic" doc:"Further numbers about a fit or one of its chains."`
	ofFit
	record.Diagnostic
}

type metricRow struct {
	_ struct{} `table:"metric" doc:"The metric of a nuts or hmc chain after each window of its warm-up (run: condition)."`
	ofFit
	record.Metric
}

type designRow struct {
	_ struct{} `table:"design" doc:"How the design matrix was made, so that new data can be coded alike."`
	ofFit
	Record json.RawMessage `db:"record JSON NOT NULL" doc:"Versioned JSON record: terms, levels, contrasts, centers, scales, missing rule."`
}

type descriptionRow struct {
	_ struct{} `table:"description" since:"4" doc:"How rows of data follow from the draws of a fit. Fits of earlier programs have none; their readers derive it."`
	ofFit
	Record json.RawMessage `db:"record JSON NOT NULL" doc:"Versioned JSON record: kind, responses with their family, components, predictors with links, terms and their parameters, scalars with their parameter or value, groupings, missing cells. Parameters are numbered by parameter_id; a number that is 0 or left out means no parameter."`
}

type identityRow struct {
	_ struct{} `table:"identity" doc:"Everything that determines the draws of a complete fit; the fingerprint is its hash."`
	ofFit
	Record json.RawMessage `db:"record JSON NOT NULL" doc:"JSON: data, dataset, key, model, sampler, length, chains, keep, seed, versions."`
}

type derivedRow struct {
	_ struct{} `table:"derived" doc:"Derived quantities of each fit: parameters of kind derived."`
	ofFit
	ParameterID int    `db:"parameter_id INTEGER NOT NULL" doc:"Its number among the parameters of the fit; they come last."`
	Name        string `db:"name VARCHAR NOT NULL" doc:"Name under derive."`
	record.Derivation
}

type startRow struct {
	_ struct{} `table:"start" doc:"Where the chains of a fit began that was asked to start from the posterior of an earlier one (run: {start: previous})."`
	ofFit
	record.Start
}

type eventRow struct {
	_     struct{} `table:"event" doc:"Events of runs, such as retries and warnings."`
	RunID string   `db:"run_id VARCHAR NOT NULL" doc:"The run."`
	FitID int64    `db:"fit_id BIGINT" null:"zero" doc:"The fit, if it is about one."`
	record.Event
}
