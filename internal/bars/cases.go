package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"glmbatch/internal/words"
)

// sample is one posterior of the table: bernoulli(logit) unless it says
// otherwise, normal(0, 10) on every coefficient, the literal intercept included.
type sample struct {
	name, size  string
	file        string // in the panel's folder; empty: synthetic
	family      string // of synthetic data
	standardize string
	triplets    string // file of the columns' non-zeros, next to file; the reference is dense all the same
	// draws that each sampler keeps, after its warm-up: enough for an effective sample size of 100 or nearly so.
	auto, reference, nuts length
	peers                 length // of Stan, as its users leave it
	// of grouped data, in the folder multilevel next to the panel's; empty: y ~ . and so on
	model   string
	peer    string   // the case of peers.R, for grouped data that Stan is asked to sample too
	reduced length   // of nuts in the reduced coordinates; none if it has no draws
	metrics []string // of nuts: the best ones that were found
	bars    figures  // ratios to the reference
}

// length is the iterations of one chain.
type length struct{ warmup, draws int }

// figures are numbers for the median coefficient, for log_lik, and for the
// least effective coefficient.
type figures struct{ median, logLik, least float64 }

const (
	syntheticRows, syntheticColumns = 1_000_000, 20
	// syntheticEffect is the standard deviation of the true coefficients.
	syntheticEffect = 0.2
)

// samples are the posteriors of the table, in its order.
var samples = []sample{
	wide("colon", "62 × 2001", 500, 300, figures{200, 100, 50}),
	wide("leukemia", "72 × 7071", 250, 300, figures{200, 100, 100}),
	wide("ALLAML", "72 × 7130", 250, 300, figures{200, 100, 100}),
	wide("Prostate_GE", "102 × 5967", 250, 300, figures{200, 100, 100}),
	{
		name: "madelon", size: "2600 × 501", file: "madelon.parquet", standardize: "center_scale",
		auto: length{50, 1000}, reference: length{50, 500}, nuts: length{300, 300}, metrics: []string{"dense"},
		bars: figures{30, 30, 200},
	},
	counted("PCMAC", "1943 × 3290 sparse"),
	counted("RELATHE", "1427 × 4323 sparse"),
	counted("BASEHOCK", "1993 × 4863 sparse"),
	tall("logistic", "bernoulli"),
	tall("poisson", "poisson"),
	grouped("sleepstudy", "180 rows, 18 levels × 2", "sleepstudy.csv",
		"{formula: Reaction ~ Days + (Days | Subject), family: gaussian}", "sleepstudy", 200),
	grouped("radon", "919 rows, 85 levels × 2", "radon_mn.csv", `{family: gaussian,
      formula: log_radon ~ floor + (1 + floor || county), prior: {coefficients: "normal(0, 10)",
      intercept: {prior: "normal(0, 10)", at: zero}, sd: half_normal(1), sigma: half_normal(1)}}`,
		"radon_mn-slopes", 100),
	grouped("cbpp", "56 rows, 15 levels", "cbpp.csv",
		"{formula: incidence | trials(size) ~ factor(period) + (1 | herd), family: binomial}", "cbpp", 20),
	grouped("grouseticks", "403 rows, 584 levels", "grouseticks.csv", `{family: poisson,
      formula: TICKS ~ factor(YEAR) + cHEIGHT + (1 | BROOD) + (1 | INDEX) + (1 | LOCATION)}`, "grouseticks", 200),
	grouped("VerbAgg", "7584 rows, 340 levels", "VerbAgg.csv",
		"{formula: r2 ~ Anger + Gender + btype + situ + (1 | id) + (1 | item), family: bernoulli}", "VerbAgg",
		300),
	grouped("InstEval", "73,421 rows, 4128 levels", "InstEval.csv.gz",
		`{formula: "y ~ service + (1 | s) + (1 | d) + (1 | dept:service)", family: gaussian}`, "", 0),
}

// wide is a set of few rows.
func wide(name, size string, reference, nuts int, bars figures) sample {
	return sample{
		name: name, size: size, file: name + ".parquet", standardize: "center_scale",
		auto: length{50, 2000}, reference: length{50, reference}, nuts: length{nuts, nuts}, metrics: []string{"diagonal"},
		bars:    bars,
		reduced: length{300, 1000},
	}
}

// counted is a set of word counts.
func counted(name, size string) sample {
	return sample{
		name: name, size: size, file: name + ".y.parquet", triplets: name + ".coo.parquet", standardize: "max_abs",
		auto: length{50, 500}, reference: length{50, 150}, nuts: length{100, 50}, metrics: []string{"diagonal"},
		bars: figures{100, 100, 50},
	}
}

// tall is made data of a million rows.
func tall(name, family string) sample {
	return sample{
		name: name, size: "1,000,000 × 21 synthetic", family: family, standardize: "none",
		auto: length{20, 200}, reference: length{10, 50}, nuts: length{150, 100}, metrics: []string{"dense"},
		bars: figures{30, 30, 30},
	}
}

// grouped is a set with group-level effects. Its bar is of the least parameter, coefficients, sds, correlations and
// effects, to rstanarm.
func grouped(name, size, file, model, peer string, bar float64) sample {
	return sample{
		name: name, size: size, file: filepath.Join("..", "multilevel", file), model: model, peer: peer,
		auto: length{100, 2000}, peers: length{1000, 1000}, bars: figures{least: bar},
	}
}

// sampler is one way to draw a sample.
type sampler struct {
	name   string // of the table
	method string // its mapping in a spec
	length
}

// samplers lists the ways to draw s, lengths multiplied by scale.
func (s sample) samplers(scale float64, metrics []string) []sampler {
	out := []sampler{
		{"auto", "{method: auto}", s.auto},
	}
	if s.model != "" {
		if s.peer != "" {
			out = append(out, sampler{"rstanarm", "", s.peers}, sampler{"rstan", "", s.peers})
			if s.peer != "sleepstudy" { // JAGS has no lkj prior of correlations
				out = append(out, sampler{"jags", "", s.peers})
			}
		}
		return scaled(out, scale)
	}
	out = append(out, sampler{"reference", "{method: cggibbs, basis: coordinate, kernels: scalar}", s.reference})
	if len(metrics) == 0 {
		metrics = s.metrics
	}
	for _, m := range metrics {
		out = append(out, sampler{"nuts " + m, "{method: nuts, metric: " + m + "}", s.nuts})
	}
	if s.reduced.draws > 0 {
		out = append(out, sampler{"nuts reduced", "{method: nuts, basis: reduced}", s.reduced})
	}
	return scaled(out, scale)
}

// scaled multiplies draws.
func scaled(out []sampler, scale float64) []sampler {
	for i := range out {
		out[i].draws = max(10, int(scale*float64(out[i].draws)))
	}
	return out
}

// spec is the pipeline that draws s once. Draws are kept, as a user's are.
func (s sample) spec(w sampler, panel string, rows int) string {
	data, family := fmt.Sprintf("{path: %q}", filepath.Join(panel, s.file)), "bernoulli"
	if s.triplets != "" {
		data = fmt.Sprintf("{path: %q, triplets: {path: %q}}", filepath.Join(panel, s.file), filepath.Join(panel, s.triplets))
	}
	if s.file == "" {
		data = fmt.Sprintf("{synthetic: {rows: %d, columns: %d, seed: 1, family: %s, effect: %g}}", rows, syntheticColumns,
			s.family, syntheticEffect)
		family = s.family
	}
	model := s.model
	if model == "" {
		model = fmt.Sprintf(`{formula: y ~ ., family: %s, standardize: %s, sparse: %t,
      prior: {coefficients: "normal(0, 10)", intercept: {prior: "normal(0, 10)", at: zero}}}`, family,
			s.standardize, s.triplets != "" && w.name != "reference")
	}
	return strings.Join([]string{
		"pipeline: bars",
		"datasets: {" + s.name + ": " + data + "}",
		"models:",
		"  m: " + model,
		"samplers: {s: " + w.method + "}",
		fmt.Sprintf("run: {chains: 1, warmup: %d, draws: %d}", w.warmup, w.draws),
		"gates: {rhat: off, ess_bulk: off, ess_tail: off, divergences: off}", "",
	}, "\n")
}

// chosen are the samples and the nights whose names match one of the patterns.
func chosen(patterns []string) (out []sample, nightly []nightKind, err error) {
	used := make([]bool, len(patterns))
	matches := func(name string) bool {
		take := len(patterns) == 0
		for i, p := range patterns {
			ok := words.Match(strings.ToLower(p), strings.ToLower(name))
			used[i], take = used[i] || ok, take || ok
		}
		return take
	}
	for _, s := range samples {
		if matches(s.name) {
			out = append(out, s)
		}
	}
	for _, k := range nightKinds {
		if matches(k.name) {
			nightly = append(nightly, k)
		}
	}
	for i, p := range patterns {
		if !used[i] {
			return nil, nil, words.Hint(fmt.Errorf("there is no data set %q", p), names())
		}
	}
	return out, nightly, nil
}

// names lists the data sets and the nights.
func names() string {
	var all []string
	for _, s := range samples {
		all = append(all, s.name)
	}
	for _, k := range nightKinds {
		all = append(all, k.name)
	}
	return strings.Join(all, ", ")
}
