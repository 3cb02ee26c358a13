package pipelines_test

import (
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// The timeout of its fits limits the reading of a data set, whatever it is read for, and the other data sets are
// fitted.
func TestTimeoutOfReading(t *testing.T) {
	t.Parallel()
	const endless = `"WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) AS y, 1 AS x FROM t"`
	f := newFolder(t, `
pipeline: test
database: l.duckdb
datasets:
  rows: {sql: `+endless+`}
  factor: {sql: `+endless+`, rows: factored}
  edges: {path: people.csv, edges: {sql: `+endless+`}}
  good: {path: claims.csv}
models:
  m: {formula: cost ~ age, family: gaussian}
  bad: {formula: y ~ x, family: gaussian}
  opinion: {kind: mrf}
samplers:
  s: {method: conjugate}
  gibbs: {method: gibbs}
fits:
  - {datasets: [rows, factor], models: bad, samplers: s, timeout: 300ms}
  - {datasets: edges, models: opinion, samplers: gibbs, timeout: 300ms}
  - {datasets: good, models: m, samplers: s}
`)
	f.write("people.csv", people)
	out := f.run(pipelines.RunOptions{})
	if len(out.Fits) != 4 || out.ExitCode != 1 {
		t.Fatalf("%d fits, exit code %d", len(out.Fits), out.ExitCode)
	}
	for _, fit := range out.Fits {
		late := strings.Contains(strings.Join(fit.Reasons, "\n"), "timeout: reading the data took longer than 300ms")
		if late != (fit.Dataset != "good") {
			t.Errorf("%s: %v", fit.Dataset, fit.Reasons)
		}
	}
}
