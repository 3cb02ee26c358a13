package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// deriving is the quick spec with derived quantities in its model.
func deriving(text string) string {
	return strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "    standardize: center_scale\n",
		"    standardize: center_scale\n    derive: {"+text+"}\n", 1)
}

// newDeriving is a folder whose data every poisson model allows.
func newDeriving(t *testing.T, text string) folder {
	f := newFolder(t, deriving(text))
	f.write("claims.csv", strings.Replace(claims, "-3", "3", 1))
	return f
}

// byHand compares a derived quantity with the same in SQL, draw by draw.
func (f folder) byHand(name, sql string) {
	f.t.Helper()
	query := fmt.Sprintf(`WITH wide AS (SELECT chain, iteration, any_value(value) FILTER (parameter = 'age') AS age,
			any_value(value) FILTER (parameter = '(Intercept)') AS b0, any_value(value) FILTER (parameter = '%s') AS derived
			FROM draws GROUP BY ALL)
		SELECT count(derived), count(*) FILTER (abs(derived - (%s)) > 1e-12 * abs(derived)) FROM wide`, name, sql)
	if got := f.ask("t.duckdb", query); got != "180,0" {
		f.t.Errorf("%s: %s draws and mismatches, want 180,0", name, got)
	}
}

const twoDerived = `slope: 10 * age, old: "mean(age = 60)"`

// Each draw of a derived quantity is the expression of that draw's parameters, in the units of the data; its
// summary is stored with theirs; and the draws of the parameters are those of a model that derives nothing.
func TestDerive(t *testing.T) {
	f := newDeriving(t, twoDerived)
	out := f.run(pipelines.RunOptions{})
	if got := actions(out); got != "claims/ computed pass" || len(out.Fits[0].Parameters) != 4 || out.Fits[0].Parameters[3].Name != "old" {
		t.Fatalf("%s, %v", got, out.Fits[0].Parameters)
	}
	f.byHand("slope", "10 * age")
	f.byHand("old", "exp(b0 + 60 * age)")
	if got := f.ask("t.duckdb", `SELECT count(*) FROM summary s JOIN (SELECT parameter, avg(value) AS mean, stddev(value) AS sd FROM draws GROUP BY ALL) d
		ON d.parameter = s.name WHERE s.kind = 'derived' AND abs(s.mean - d.mean) < 1e-12 AND abs(s.sd - d.sd) < 1e-12 AND s.ess_bulk > 5 AND s.rhat < 1.5`); got != "2" {
		t.Errorf("%s summaries of derived quantities agree with their draws, want 2", got)
	}
	plain := newDeriving(t, "")
	plain.run(pipelines.RunOptions{})
	const digest = "SELECT md5(string_agg(value, ';' ORDER BY parameter_id, chain, iteration)) FROM draw WHERE parameter_id < 3"
	if f.ask("t.duckdb", digest) != plain.ask("t.duckdb", digest) {
		t.Error("derived quantities change the draws of parameters")
	}
}

// A changed derive is computed from the stored draws, and judged; nothing is
// drawn. The result is what a fit with it from the start has.
func TestDeriveAgain(t *testing.T) {
	f := newDeriving(t, "")
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", deriving(twoDerived))
	if got := plans(f.run(pipelines.RunOptions{DryRun: true})); got != "claims/ skipped changed derive: computed again from the stored draws" {
		t.Errorf("dry run: %s", got)
	}
	if got := actions(f.run(pipelines.RunOptions{})); got != "claims/ skipped pass" {
		t.Errorf("after a change of derive: %s", got)
	}
	fresh := newDeriving(t, twoDerived)
	fresh.run(pipelines.RunOptions{})
	const all = `SELECT md5(string_agg(concat_ws(',', parameter_id, chain, iteration, value), ';' ORDER BY parameter_id, chain, iteration)) FROM draw
		UNION ALL SELECT string_agg(concat_ws(',', name, kind, mean, rhat, ess_tail), ';' ORDER BY kind, name) FROM summary
		UNION ALL SELECT string_agg(concat_ws(',', parameter_id, name, expression, nan_draws), ';' ORDER BY name) FROM derived
		UNION ALL SELECT concat_ws(',', n_parameters, verdict, fingerprint) FROM fit`
	if got, want := f.ask("t.duckdb", all), fresh.ask("t.duckdb", all); got != want {
		t.Errorf("computed later:\n%s\nfrom the start:\n%s", got, want)
	}
	if got := plans(f.run(pipelines.RunOptions{DryRun: true})); got != "claims/ skipped" {
		t.Errorf("dry run without a change: %s", got)
	}
	f.write("spec.yaml", deriving("worse: log(-exp(age))"))
	out := f.run(pipelines.RunOptions{})
	if got := actions(out); got != "claims/ skipped fail" || !strings.Contains(strings.Join(out.Fits[0].Reasons, ";"), "180 of 180 draws have no value, first in log(-exp(age))") {
		t.Errorf("a quantity without values: %s %q", got, out.Fits[0].Reasons)
	}
	if got := f.ask("t.duckdb", "SELECT (SELECT count(*) FROM draw), (SELECT nan_draws FROM derived), (SELECT verdict FROM fit)"); got != "540,180,fail" {
		t.Errorf("draws, undefined, verdict: %s", got)
	}
	f.write("spec.yaml", deriving(""))
	if got := actions(f.run(pipelines.RunOptions{})); got != "claims/ skipped pass" {
		t.Errorf("without derive: %s", got)
	}
}

// Where no draws are kept, derived quantities are computed while they are at
// hand, and a changed derive draws the fit again, to the same bits.
func TestDeriveWithoutDraws(t *testing.T) {
	f := newDeriving(t, "")
	summaryOnly := func(text string) {
		f.write("spec.yaml", strings.Replace(text, "chains: 3", "chains: 3, keep: summary", 1))
	}
	summaryOnly(deriving(""))
	f.run(pipelines.RunOptions{})
	const mean = "SELECT mean FROM summary WHERE name = 'age'"
	before := f.ask("t.duckdb", mean)
	summaryOnly(deriving(twoDerived))
	if got := plans(f.run(pipelines.RunOptions{DryRun: true})); got != "claims/ planned changed derive, and the ledger has no draws to compute it from" {
		t.Errorf("dry run: %s", got)
	}
	if got := actions(f.run(pipelines.RunOptions{})); got != "claims/ computed pass" {
		t.Errorf("after a change of derive: %s", got)
	}
	if got := f.ask("t.duckdb", mean); got != before {
		t.Errorf("mean %s, before %s", got, before)
	}
	if got := f.ask("t.duckdb", "SELECT (SELECT count(*) FROM draw), (SELECT count(*) FROM summary WHERE kind = 'derived' AND rhat < 1.5), (SELECT count(*) FROM fit)"); got != "0,2,1" {
		t.Errorf("draws, derived summaries, fits: %s", got)
	}
}

// A fit that was drawn while another process held the ledger is committed later with its derived quantities,
// without spec and data.
func TestDeriveCommittedLater(t *testing.T) {
	f := newDeriving(t, "")
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", strings.Replace(deriving(twoDerived), "seed: 7", "seed: 8", 1))
	release := holdOpen(t, f.path("t.duckdb"))
	if got := actions(f.run(pipelines.RunOptions{LockWait: -1})); got != "claims/ uncommitted" {
		t.Fatalf("under a held ledger: %s", got)
	}
	release()
	out, err := pipelines.Commit(t.Context(), f.path("t.duckdb"), pipelines.CommitOptions{})
	if err != nil || actions(out) != "claims/ committed pass" {
		t.Fatalf("%v %v", actions(out), err)
	}
	alter(t, f.path("t.duckdb"), "DELETE FROM draw_piece WHERE fit_id <> (SELECT max(fit_id) FROM fit)")
	f.byHand("old", "exp(b0 + 60 * age)")
}

// A wrong name that only the data show is refused before anything is drawn, with its position in the spec.
func TestDeriveUnknownName(t *testing.T) {
	f := newDeriving(t, "a: 2 * agee")
	out := f.run(pipelines.RunOptions{})
	if got := actions(out); got != "claims/ error error" {
		t.Fatal(got)
	}
	want := "spec.yaml:12:21: derive \"a\": there is no parameter \"agee\"\n  hint: did you mean age? the parameters are `(Intercept)`, age"
	if got := out.Fits[0].Reasons[0]; !strings.HasSuffix(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	f.write("spec.yaml", deriving("age: 2 * age"))
	if out := f.run(pipelines.RunOptions{}); !strings.HasSuffix(out.Fits[0].Reasons[0], `derive "age": it has the name of a parameter`) {
		t.Errorf("a quantity with the name of a parameter: %q", out.Fits[0].Reasons)
	}
	f.write("spec.yaml", deriving(`a: "mean(agee = 3)"`))
	if _, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{}); err == nil || !strings.Contains(err.Error(), `spec.yaml:12:30: derive "a": mean() is given "agee"`) {
		t.Errorf("a variable that the formula does not have: %v", err)
	}
}

// A quantity that is derived later from a parameter without a posterior mean has none either.
func TestDeriveAgainWithoutMeans(t *testing.T) {
	const spec = `pipeline: t
database: t.duckdb
datasets: {d: {sql: "SELECT range %% 3 AS y, sin(range) AS x FROM range(30)"}}
models: {m: {formula: y ~ x, family: negative_binomial, prior: {shape: "inverse_gamma(0.4, 0.3)"}%s}}
samplers: {s: {method: cggibbs}}
run: {chains: 2, warmup: 100, draws: 200}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`
	f := newFolder(t, fmt.Sprintf(spec, ""))
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", fmt.Sprintf(spec, ", derive: {twice: 2 * shape, thrice: 3 * x}"))
	if got := actions(f.run(pipelines.RunOptions{})); !strings.Contains(got, "skipped") {
		t.Errorf("a changed derive: %s", got)
	}
	const without = "SELECT string_agg(parameter, ' ' ORDER BY parameter) FROM coefficients WHERE mean IS NULL"
	if got := f.ask("t.duckdb", without); got != "shape twice" {
		t.Errorf("parameters without a mean: %s", got)
	}
}
