package report

import (
	"time"

	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// The rows of what is computed of a fit besides its draws and summaries, and of calibrations.

type dataRow struct {
	_ struct{} `table:"data_summary" doc:"The rows and the response of each complete fit: what drift_summary compares."`
	ofFit
	Rows int64 `db:"rows_used BIGINT NOT NULL" doc:"Rows of the design matrix."`
	record.DataSummary
}

type columnRow struct {
	_ struct{} `table:"column_summary" doc:"Mean and spread of each column of the design matrix, in the units of the data."`
	ofFit
	ColumnID int `db:"column_id INTEGER NOT NULL" from:"1" doc:"Number of the column, from 1; that of its coefficient."`
	record.ColumnSummary
}

type pointwiseRow struct {
	_ struct{} `table:"pointwise" doc:"Leave-one-out results by observation."`
	ofFit
	Observation int `db:"observation BIGINT NOT NULL" from:"1" doc:"1, 2, … in the order of the used rows."`
	record.Pointwise
}

type looRow struct {
	_ struct{} `table:"loo" doc:"Leave-one-out by Pareto-smoothed importance sampling, and WAIC: sums over the rows of pointwise (Vehtari, Gelman and Gabry 2017)."`
	ofFit
	Observations float64 `db:"observations BIGINT NOT NULL" doc:"Observations that are summed: rows, as often as they count."`
	looSums
	Outcomes string  `db:"outcomes VARCHAR NOT NULL" doc:"Hash of the responses in order: only fits that share it can be compared."`
	Version  string  `db:"version VARCHAR NOT NULL" doc:"Version of the algorithm."`
	MCSE     float64 `db:"mcse_elpd_loo DOUBLE" since:"2" doc:"Monte Carlo standard error of elpd_loo, by rows that are independent; NULL where a Pareto k is above the threshold."`
}

// looSums are sums over rows with their standard errors, and what they rest on.
type looSums struct {
	ELPD       float64 `db:"elpd_loo DOUBLE" doc:"Expected log predictive density of as many new observations; higher is better."`
	SEELPD     float64 `db:"se_elpd_loo DOUBLE" doc:"Its standard error, as if the rows were a sample."`
	P          float64 `db:"p_loo DOUBLE" doc:"Effective number of parameters."`
	SEP        float64 `db:"se_p_loo DOUBLE" doc:"Its standard error."`
	LOOIC      float64 `db:"looic DOUBLE" doc:"elpd_loo on the scale of a deviance: times -2."`
	SELOOIC    float64 `db:"se_looic DOUBLE" doc:"Its standard error."`
	ELPDWAIC   float64 `db:"elpd_waic DOUBLE" doc:"The same as elpd_loo by the widely applicable information criterion."`
	SEELPDWAIC float64 `db:"se_elpd_waic DOUBLE" doc:"Its standard error."`
	PWAIC      float64 `db:"p_waic DOUBLE" doc:"Effective number of parameters by WAIC."`
	SEPWAIC    float64 `db:"se_p_waic DOUBLE" doc:"Its standard error."`
	WAIC       float64 `db:"waic DOUBLE" doc:"elpd_waic on the scale of a deviance: times -2."`
	KThreshold float64 `db:"k_threshold DOUBLE" doc:"Pareto k from which a row cannot be relied on: min(1 - 1/log10(draws), 0.7)."`
	KHigh      int     `db:"k_high BIGINT" doc:"Rows whose k is above it."`
	KMax       float64 `db:"k_max DOUBLE" doc:"Largest k; infinite where no Pareto distribution could be fitted."`
}

type pitRow struct {
	_ struct{} `table:"loo_pit" since:"2" doc:"Shares of pointwise.pit up to evenly spaced places, with a simultaneous band (Säilynoja, Bürkner and Vehtari 2022). Where the model is right they are about uniform."`
	ofFit
	record.PITPoint
}

type checkRow struct {
	_ struct{} `table:"ppc" doc:"Posterior predictive checks, and prior predictive ones where fit.method is prior: a statistic of the response with those of replicated data."`
	ofFit
	record.Check
}

type groupCheckRow struct {
	_ struct{} `table:"ppc_group" since:"2" doc:"Predictive checks by group: a statistic of the response in each level of a column, among those of replicated data (run: {ppc: {by: …}})."`
	ofFit
	record.GroupCheck
}

type overRow struct {
	_ struct{} `table:"ppc_over" since:"2" doc:"Predictive checks over a number: the response in classes of it, among replicated ones (run: {ppc: {over: …}})."`
	ofFit
	Variable string  `db:"variable VARCHAR NOT NULL" doc:"The column of numbers."`
	Bin      int     `db:"bin INTEGER NOT NULL" doc:"1, 2, … by the number."`
	Low      float64 `db:"low DOUBLE NOT NULL" doc:"Smallest number of the class."`
	High     float64 `db:"high DOUBLE NOT NULL" doc:"Largest number of the class."`
	X        float64 `db:"x DOUBLE NOT NULL" doc:"Mean number of the class."`
	overMeans
	record.Single
	Replicates int `db:"replicates INTEGER NOT NULL" doc:"Replicated data sets."`
}

// overMeans holds the GroupCheck of a class.
type overMeans struct {
	Rows     float64 `db:"rows BIGINT NOT NULL" doc:"Observations of the class."`
	Observed float64 `db:"observed DOUBLE" doc:"Mean response of the class."`
	Q05      float64 `db:"q05 DOUBLE" doc:"5 % quantile of the mean response over replicated data sets."`
	Q25      float64 `db:"q25 DOUBLE" doc:"25 % quantile of it."`
	Median   float64 `db:"median DOUBLE" doc:"Median."`
	Q75      float64 `db:"q75 DOUBLE" doc:"75 % quantile of it."`
	Q95      float64 `db:"q95 DOUBLE" doc:"95 % quantile of it."`
	Expected float64 `db:"expected DOUBLE" doc:"Share of the replicates outside q05 to q95."`
}

type binRow struct {
	_ struct{} `table:"ppc_bin" since:"2" doc:"Histograms of the response and of replicated data: how many observations fall into each class (run: {ppc: true})."`
	ofFit
	Number int `db:"bin INTEGER NOT NULL" from:"1" doc:"1, 2, … from below."`
	record.Bin
}

type kfoldRow struct {
	_ struct{} `table:"kfold" since:"2" doc:"K-fold cross-validation: sums over the rows of kfold_pointwise, each predicted by the model fitted without its fold."`
	ofFit
	Asked        string  `db:"asked VARCHAR NOT NULL" doc:"Request of the spec: a number of folds or a grouping, and its version."`
	Folds        int     `db:"folds INTEGER NOT NULL" doc:"Folds that there were."`
	Observations float64 `db:"observations BIGINT NOT NULL" doc:"Observations that are summed: rows, as often as they count."`
	ELPD         float64 `db:"elpd_kfold DOUBLE" doc:"Expected log predictive density of as many new observations; higher is better."`
	SE           float64 `db:"se_elpd_kfold DOUBLE" doc:"Its standard error, as if the rows were a sample."`
	RHat         float64 `db:"rhat_max DOUBLE" doc:"Largest R-hat over folds, of the log likelihood."`
	Outcomes     string  `db:"outcomes VARCHAR NOT NULL" doc:"Hash of the responses in order: only fits that share it can be compared."`
}

type foldRow struct {
	_ struct{} `table:"kfold_pointwise" since:"2" doc:"K-fold results by observation."`
	ofFit
	Observation int `db:"observation BIGINT NOT NULL" from:"1" doc:"1, 2, … in the order of the used rows."`
	record.FoldRow
}

type sensitivityRow struct {
	_ struct{} `table:"sensitivity" since:"2" doc:"How far each marginal posterior moves for a doubling of the power of its prior, or of its likelihood (Kallioinen et al. 2024)."`
	ofFit
	Place      int     `db:"place INTEGER NOT NULL" from:"1" doc:"1, 2, … in the order of the parameters."`
	Name       string  `db:"name VARCHAR NOT NULL" doc:"Name of the parameter."`
	Prior      float64 `db:"prior DOUBLE" doc:"Sensitivity to the prior: a cumulative Jensen-Shannon distance; NULL where draws do not vary."`
	Likelihood float64 `db:"likelihood DOUBLE" doc:"Sensitivity to the likelihood."`
}

type effectRow struct {
	_ struct{} `table:"effect" since:"2" doc:"Effects that a model asks for by its key effects, a row for each value or contrast."`
	ofFit
	Effect
}

type curveRow struct {
	_ struct{} `table:"smooth_curve" since:"2" doc:"The curves of smooths, s(x) of a formula, on a grid of 100 points: summaries of f(x) over the draws."`
	ofFit
	Smooth string  `db:"smooth VARCHAR NOT NULL" doc:"The term as written: s(x, by = f)."`
	Level  string  `db:"level VARCHAR" doc:"The level of the factor that the curve is of; else NULL."`
	Name   string  `db:"name VARCHAR NOT NULL" doc:"How names of parameters call the smooth: sx_1 of sds_sx_1."`
	X      float64 `db:"x DOUBLE NOT NULL" doc:"The number that is smoothed, from the least to the largest of the rows that were used; of s(log(x)) its logarithm."`
	record.CurvePoint
}

type incompleteRow struct {
	_ struct{} `table:"incomplete_column" since:"2" doc:"Columns whose missing cells were drawn with the coefficients, in the order of their models; the response is last if cells of it are predicted."`
	ofFit
	record.IncompleteColumn
}

type cellBinRow struct {
	_ struct{} `table:"imputed_bin" since:"2" doc:"Values of incomplete columns by class: how many observed cells are in it, and how many missing ones over the draws."`
	ofFit
	Variable string `db:"variable VARCHAR NOT NULL" doc:"The column."`
	Bin      int    `db:"bin INTEGER NOT NULL" from:"1" doc:"1, 2, … in increasing order."`
	record.CellBin
}

type allocationRow struct {
	_ struct{} `table:"allocation" since:"2" doc:"Component of a mixture that each row belongs to: a line for each row and component."`
	ofFit
	Observation int     `db:"observation BIGINT NOT NULL" from:"1" doc:"1, 2, … in the order of the used rows."`
	Row         int     `db:"row BIGINT NOT NULL" doc:"The row of the data, counted from 1; where equal rows count once, the first of them among the rows that differ."`
	Component   int     `db:"component INTEGER NOT NULL" from:"1" doc:"The component, numbered in each draw as its parameters are: 1 is that of theta1."`
	Posterior   float64 `db:"posterior DOUBLE" doc:"Posterior probability that the row is of it: the mean over the draws of its weight times its density of the row, over the sum of these. NULL where a draw has no density."`
}

type imputationRow struct {
	_ struct{} `table:"imputation" since:"2" doc:"Summaries of a parameter from the chains of each imputation, in fits of data sets with each: imputation. The imputation of a chain is in diagnostic, under the name imputation."`
	ofFit
	Name       string  `db:"name VARCHAR NOT NULL" doc:"Name of the parameter."`
	Imputation int     `db:"imputation INTEGER NOT NULL" doc:"1, 2, …."`
	Source     string  `db:"source VARCHAR NOT NULL" doc:"Its file, or its value in the column that identifies the imputation."`
	Mean       float64 `db:"mean DOUBLE" doc:"Posterior mean."`
	SD         float64 `db:"sd DOUBLE" doc:"Posterior standard deviation."`
	Q025       float64 `db:"q025 DOUBLE" doc:"2.5 % quantile."`
	Median     float64 `db:"median DOUBLE" doc:"Median."`
	Q975       float64 `db:"q975 DOUBLE" doc:"97.5 % quantile."`
	RHat       float64 `db:"rhat DOUBLE" doc:"Rank-normalised split R-hat."`
	ESSBulk    float64 `db:"ess_bulk DOUBLE" doc:"Bulk effective sample size."`
	ESSTail    float64 `db:"ess_tail DOUBLE" doc:"Tail effective sample size."`
}

type poolingRow struct {
	_ struct{} `table:"pooling" since:"2" doc:"Estimates of a parameter from all imputations by the rules of Rubin (1987)."`
	ofFit
	Place    int     `db:"place INTEGER NOT NULL" from:"1" doc:"1, 2, … in the order of the parameters."`
	Name     string  `db:"name VARCHAR NOT NULL" doc:"Name of the parameter."`
	Within   float64 `db:"within DOUBLE" doc:"Mean of the posterior variances given an imputation."`
	Between  float64 `db:"between DOUBLE" doc:"Variance of the posterior means over imputations."`
	Total    float64 `db:"total DOUBLE" doc:"within + (1 + 1/M)·between, of M imputations."`
	Increase float64 `db:"riv DOUBLE" doc:"Relative increase of the variance by what is missing: (1 + 1/M)·between/within."`
	Lambda   float64 `db:"missing_share DOUBLE" doc:"Share of total that is due to what is missing: lambda of mice."`
	DF       float64 `db:"df DOUBLE" doc:"Degrees of freedom of Barnard and Rubin (1999), complete data having rows less columns of the design."`
	FMI      float64 `db:"fmi DOUBLE" doc:"Fraction of missing information: (riv + 2/(df + 3))/(riv + 1)."`
	Across   float64 `db:"rhat_across DOUBLE" doc:"R-hat over the chains of all imputations: far from 1 where imputations differ, even if the chains mix well."`
}

type calibrationRow struct {
	_             struct{} `table:"calibration" doc:"One row for each model, data and sampler that pipeline check has calibrated."`
	CalibrationID string   `db:"calibration_id VARCHAR NOT NULL" doc:"Hash of what decides the ranks: data, model, sampler, seed, versions; not their number."`
	Pipeline      string   `db:"pipeline VARCHAR" doc:"Name in the spec."`
	Dataset       string   `db:"dataset VARCHAR NOT NULL" doc:"Name of the data set whose design is used."`
	Key           string   `db:"key VARCHAR NOT NULL" doc:"File or group of the data set; empty if it is not divided."`
	Model         string   `db:"model VARCHAR NOT NULL" doc:"Name of the model."`
	Sampler       string   `db:"sampler VARCHAR NOT NULL" doc:"Name of the sampler."`
	Method        string   `db:"method VARCHAR" doc:"Method that the sampler ran."`
	Given         string   `db:"given VARCHAR NOT NULL" doc:"Where parameters are drawn from: prior, or posterior (given the data, which are doubled)."`
	Seed          uint64   `db:"seed UBIGINT" doc:"Seed of every random stream."`
	calibrated
}

// calibrated holds the state of a calibration.
type calibrated struct {
	Wanted      int         `db:"wanted INTEGER NOT NULL" doc:"Data sets that were asked for."`
	Simulations int         `db:"simulations INTEGER NOT NULL" doc:"Data sets that were simulated; fewer than wanted if the check was stopped."`
	Ranked      int         `db:"ranked INTEGER NOT NULL" doc:"Data sets among them that were fitted."`
	Draws       int         `db:"draws INTEGER NOT NULL" doc:"Draws that each truth was ranked among: ranks are 0 to draws."`
	FalseAlarms float64     `db:"false_alarms DOUBLE" doc:"Probability that a right sampler fails this check."`
	Verdict     judge.Grade `db:"verdict VARCHAR" doc:"pass, warn, fail or error; NULL while it runs."`
	Words       []string    `db:"words VARCHAR[]" doc:"Findings, a sentence each."`
	Program     string      `db:"program VARCHAR" doc:"Build of the program."`
	Updated     time.Time   `db:"updated TIMESTAMP NOT NULL" doc:"When the row was last written, UTC."`
}

type simulationRow struct {
	_             struct{} `table:"calibration_simulation" doc:"One row for each simulated data set of a calibration."`
	CalibrationID string   `db:"calibration_id VARCHAR NOT NULL" doc:"The calibration."`
	Simulation
}

type rankRow struct {
	_             struct{} `table:"calibration_rank" doc:"Ranks of the true values among the posterior draws: uniform on 0 to calibration.draws if the sampler is right."`
	CalibrationID string   `db:"calibration_id VARCHAR NOT NULL" doc:"The calibration."`
	Simulation    int      `db:"simulation INTEGER NOT NULL" from:"1" doc:"The simulated data set."`
	Parameter     string   `db:"parameter VARCHAR NOT NULL" doc:"A parameter, or log_lik."`
	Rank          int      `db:"rank INTEGER NOT NULL" doc:"Number of draws below the truth."`
}

type rankTestRow struct {
	_             struct{} `table:"calibration_test" doc:"Whether the ranks of a parameter are uniform."`
	CalibrationID string   `db:"calibration_id VARCHAR NOT NULL" doc:"The calibration."`
	RankTest
}

type systemRow struct {
	_ struct{} `table:"discrete" doc:"Fits of models of kind mrf: one row each, in addition to the one in fit."`
	ofFit
	record.System
}

type variableRow struct {
	_ struct{} `table:"variable" doc:"Variables of fits of kind mrf, in the order of the data."`
	ofFit
	VariableID  int     `db:"variable_id INTEGER NOT NULL" from:"1" doc:"1, 2, … in the order of the data."`
	ID          string  `db:"id VARCHAR NOT NULL" doc:"Its id in the data; of an image ROW,COLUMN."`
	ImageRow    int     `db:"image_row INTEGER" null:"zero" doc:"Row of the pixel, from 1."`
	ImageColumn int     `db:"image_column INTEGER" null:"zero" doc:"Column of the pixel, from 1."`
	Observation float64 `db:"observation DOUBLE" doc:"Observed value; NULL if the variable was not observed."`
	Truth       int16   `db:"truth SMALLINT" null:"negative" doc:"Number of the true state, from 0; NULL where it is unknown. No fit looks at it."`
	Best        int16   `db:"best SMALLINT" null:"negative" doc:"Its state in the most probable state of all variables that the fit saw or found."`
}

type marginalRow struct {
	_ struct{} `table:"marginal" doc:"Marginal distributions of the variables of fits of kind mrf. Fits that sample another distribution than the model's, or look for the most probable states only, have none."`
	ofFit
	VariableID  int     `db:"variable_id INTEGER NOT NULL" from:"1" doc:"The variable."`
	State       int     `db:"state SMALLINT NOT NULL" doc:"Number of the state, from 0."`
	Probability float64 `db:"probability DOUBLE NOT NULL" doc:"Its probability: the share of the kept sweeps of all chains, an exact sum, or the approximation of mean field."`
	MCSE        float64 `db:"mcse DOUBLE" doc:"Monte Carlo standard error, by batch means over all chains; 0 where it is exact; NULL of deterministic samplers and approximations."`
}

type certificateRow struct {
	_ struct{} `table:"certificate" doc:"Proved bounds of the error of fits of kind mrf, and of scans for some coefficients, or the reason why there is no bound."`
	ofFit
	record.Certificate
}

type scanRow struct {
	_ struct{} `table:"scan_update" since:"4" doc:"Updates of a certified scan of fits of kind mrf, with the certificate of the scan up to each. Scans of more than 1,000,000 updates have none."`
	ofFit
	Update     int     `db:"update_id INTEGER NOT NULL" from:"1" doc:"1, 2, … in the order of the scan."`
	VariableID int     `db:"variable_id INTEGER" from:"1" doc:"The variable that it draws; NULL of a random scan."`
	Bound      float64 `db:"bound DOUBLE NOT NULL" doc:"The error after this update is proved to be at most this: certificate.bounded has of what."`
}

type influenceRow struct {
	_ struct{} `table:"influence" since:"4" doc:"Bounds of Dobrushin influences of neighbours, by which a scan of a fit of kind mrf is certified. Systems with more than 1,000,000 have none."`
	ofFit
	record.Influence
}

type fileRow struct {
	_        struct{} `table:"draw_file" since:"2" doc:"Parquet files with draws, in the folder next to the ledger that has its name and .draws; written by gather --draws parquet."`
	FileID   int64    `db:"file_id BIGINT NOT NULL" doc:"Number of the file, drawn at random; each row of the file has it."`
	Path     string   `db:"path VARCHAR NOT NULL" doc:"Where it is in the folder: RUN/SHARD.parquet."`
	Bytes    int64    `db:"bytes BIGINT NOT NULL" doc:"Its size."`
	Checksum uint32   `db:"checksum UINTEGER NOT NULL" doc:"CRC-32C of its bytes."`
	Fits     int      `db:"fits INTEGER NOT NULL" doc:"How many fits' draws were written to it; those that still count are in draw_outside."`
}

type outsideRow struct {
	_ struct{} `table:"draw_outside" since:"2" doc:"Which fits have their draws in which file; those of the others are in draw_piece."`
	ofFit
	FileID     int64 `db:"file_id BIGINT NOT NULL" doc:"The file."`
	Parameters int   `db:"parameters INTEGER NOT NULL" doc:"Draws of parameters up to this number count; those of later ones were replaced, and are in draw_piece."`
}
