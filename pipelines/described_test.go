package pipelines_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"glmbatch/pipelines"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// ofEachKind has a model of each kind of term and parameter that descriptions have.
const ofEachKind = `pipeline: kinds
database: t.duckdb
datasets: {d: data.csv, holes: holes.csv}
models:
  fixed: {formula: z ~ x1 + f, family: student_t, prior: {nu: constant(4)}, precision_weights: w}
  shares: {formula: s | trials(m) ~ x1 + offset(log(e)), family: binomial, frequency_weights: w}
  slopes: {formula: n ~ x1 + (1 + x1 | g) + (1 | h), family: negative_binomial, prior: {by_name: {"sd_h__*": constant(0.5)}}}
  apart: {formula: "y ~ 0 + s(x3, k = 5) + (x1 || g:h)", family: gaussian, prior: {sigma: constant(1.5), sd: constant(2)}}
  skewed: {formula: z ~ x1, family: exgaussian, prior: {beta: constant(0.7)}}
  shoe: {formula: y ~ x1 + x2, family: gaussian, standardize: center_scale, prior: {coefficients: "regularised_horseshoe(0.3, 4, 2)"}}
  mixed: {formula: y ~ x1, family: gaussian, mixture: {components: 2}, prior: {sigma: "inverse_gamma(2, 1)"}}
  items: {formula: "cbind(f, u, n, x1) ~ 1", mixture: {components: 3}}
  cells: {formula: y | mi() ~ x3 + mi(x1) + mi(t) + (1 | g), family: gaussian, imputation: {x1: {formula: "x1 | mi() ~ x3"}, t: {formula: "t | mi() ~ x3"}}}
samplers: {auto: {}}
run: {chains: 1, warmup: 10, draws: 20}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
fits:
  - {datasets: d, models: [fixed, shares, slopes, apart, skewed, shoe, mixed, items]}
  - {datasets: holes, models: cells}
`

// describedParts are parts of the descriptions of these models.
var describedParts = map[string][]string{
	"fixed": {`"precision":"w"`, `"scalars":[{"name":"sigma","parameter":5},{"name":"nu","value":4}]`},
	"shares": {`"trials":"m"`, `"predictors":[{"name":"mu","link":"logit","offsets":["log(e)"],` +
		`"terms":[{"columns":["(Intercept)","x1"],"first":1}]}]`},
	"slopes": {`{"columns":["Intercept","x1"],"first":7,"group":1}`, `{"grouping":"h","levels":`,
		`"sd":[{"name":"Intercept","value":0.5}]`, `"cor":[6]`},
	"apart": {`"sd":[{"name":"Intercept","value":2}]`, `"scalars":[{"name":"sigma","value":1.5}]`, `"group":2`},
	"mixed": {`"weights":[{"name":"theta1","parameter":1},{"name":"theta2","parameter":2}]`,
		`"first":3}]}],"scalars":[{"name":"sigma","parameter":5}]}`,
		`"first":6}]}],"scalars":[{"name":"sigma","parameter":8}]}`},
	"items": {`"kind":"classes"`, `{"column":"u","family":"bernoulli","components":[{"scalars":[{"name":"mu","parameter":`},
	"cells": {`"imputed":true`, `{"column":"x1","first":`, `"each":3,"rows":[`},
}

// The description that follows from what earlier programs stored of a fit is the one that is stored with it.
func TestConvertedDescriptions(t *testing.T) {
	f := newFolder(t, ofEachKind)
	for _, name := range []string{"data.csv", "holes.csv"} {
		text, err := os.ReadFile(filepath.Join("..", "cmd", "pipeline", "testdata", "draws", name))
		must(t, err)
		f.write(name, string(text))
	}
	f.run(pipelines.RunOptions{})
	ledger, err := report.Open(f.path("t.duckdb"), report.Options{})
	must(t, err)
	fits, err := ledger.Newest(t.Context(), "", func(report.Key) bool { return true })
	if err != nil || len(fits) != 9 {
		t.Fatalf("%d fits, %v", len(fits), err)
	}
	texts := map[string]string{}
	for i := range fits {
		fit := &fits[i]
		design, err := transform.UnmarshalRecord(fit.Design)
		must(t, err)
		stored, err := record.ParseDescription(fit.Description, len(fit.Names))
		if err != nil {
			t.Fatal(fit.Key, err)
		}
		converted, err := plan.StoredDescription(&fit.Stored, nil, design, fit.Names)
		if err != nil || !reflect.DeepEqual(stored, converted) {
			t.Errorf("%s: converted %+v, %v, and stored is %+v", fit.Key, converted, err, stored)
		}
		text, err := json.Marshal(stored)
		must(t, err)
		texts[fit.Model] = string(text)
		if fit.Identity = nil; fit.Model == "fixed" { // a ledger without the value that the model fixes
			_, err := plan.StoredDescription(&fit.Stored, nil, design, fit.Names)
			if err == nil || !strings.Contains(err.Error(), "the ledger does not have the value of nu") {
				t.Errorf("without the value of nu: %v", err)
			}
		}
	}
	for model, parts := range describedParts {
		for _, part := range parts {
			if !strings.Contains(texts[model], part) {
				t.Errorf("the description of %s has no %s:\n%s", model, part, texts[model])
			}
		}
	}
}
