package pipelines_test

import (
	"database/sql"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// people and ties are a small graph with a field and a truth.
const (
	people = "id,lean,party\nann,0.4,1\nbob,0.1,1\ncid,-0.3,-1\ndee,-0.2,-1\neve,0.0,1\nfay,-0.5,-1\n"
	ties   = "i,j,weight\nann,bob,1\nbob,cid,0.5\ncid,dee,1\ndee,fay,2\neve,ann,1\neve,bob,1\neve,cid,-0.5\n"
)

const friends = `
pipeline: test
database: t.duckdb
seed: 11
datasets:
  friends: {path: people.csv, edges: {path: ties.csv}}
models:
  ising: {kind: mrf, coupling: 0.6, field: lean, truth: party, watch: [ann, eve]}
samplers:
  %s
run: {chains: 3, %s}
gates: {rhat: 1.05, ess_bulk: 100, ess_tail: 100}
`

func newFriends(t *testing.T, samplers, run string) folder {
	f := newFolder(t, fmt.Sprintf(friends, samplers, run))
	f.write("people.csv", people)
	f.write("ties.csv", ties)
	return f
}

// marginalBits is a digest of what fits of discrete variables have besides draws.
const marginalBits = `
	WITH m AS (SELECT md5(string_agg(concat_ws(',', sampler, variable_id, state, probability, mcse), ';' ORDER BY sampler, variable_id, state)) AS d, count(*) AS n FROM marginals),
	b AS (SELECT md5(string_agg(concat_ws(',', sampler, variable_id, best, truth), ';' ORDER BY sampler, variable_id)) AS d FROM variable JOIN fit USING (fit_id)),
	f AS (SELECT md5(string_agg(concat_ws(',', sampler, best_log_lik, best_chain), ';' ORDER BY sampler)) AS d FROM discrete JOIN fit USING (fit_id))
	SELECT m.d, m.n, b.d, f.d FROM m, b, f`

// The marginals of Gibbs are those of enumeration within chance; the deterministic methods have their verdicts;
// unchanged fits are skipped, and changed gates judge again.
//
// False alarms: the seed is fixed.
func TestDiscreteFits(t *testing.T) {
	f := newFriends(t, `gibbs: {method: gibbs}
  random: {method: gibbs, scan: random}
  herded: {method: herded}
  exact: {method: exact}
  mean: {method: meanfield, damping: 0.5}
  auto: {}
  cold: {method: gibbs, anneal: {}}
  warm: {method: gibbs, anneal: {from: 0.1, to: 1, sweeps: 200}}`, "warmup: 500, draws: 2000")
	verdicts := func(out *pipelines.Outcome) string {
		var b strings.Builder
		for _, r := range out.Fits {
			fmt.Fprintf(&b, "%s %s %s, ", r.Sampler, r.Action, r.Verdict)
		}
		return b.String()
	}
	want := "gibbs computed pass, random computed pass, herded computed warn, exact computed pass, mean computed warn, auto computed pass, cold computed pass, warm computed pass, "
	if got := verdicts(f.run(pipelines.RunOptions{})); got != want {
		t.Errorf("verdicts\n%s\nwant\n%s", got, want)
	}
	if got := f.ask("t.duckdb", "SELECT count(*) FROM summary WHERE name = 'log_prior'"); got != "0" {
		t.Errorf("%s summaries of a log prior, which discrete systems do not have", got)
	}
	const warned = "SELECT sampler FROM latest WHERE contains(array_to_string(warnings, '; '), 'convergence of herded Gibbs is open')"
	if got := f.ask("t.duckdb", warned); got != "herded" {
		t.Errorf("fits with the warning of herded chains: %s", got)
	}
	got := f.ask("t.duckdb", "SELECT sampler_a, sampler_b, agreement FROM marginal_comparison WHERE 'exact' IN (sampler_a, sampler_b) ORDER BY ALL")
	want = "auto,exact,agree\nexact,gibbs,agree\nexact,herded,unknown\nexact,mean,unknown\nexact,random,agree\nexact,warm,agree"
	if got != want {
		t.Errorf("marginals\n%s\nwant\n%s", got, want)
	}
	if got := f.ask("t.duckdb", "SELECT DISTINCT agreement FROM comparison WHERE sampler_a = 'exact' AND sampler_b IN ('gibbs', 'random')"); got != "agree" {
		t.Errorf("functionals of gibbs and exact: %s", got)
	}
	if got := f.ask("t.duckdb", "SELECT count(*) FROM marginals WHERE sampler = 'cold'"); got != "0" {
		t.Errorf("annealed chains have %s marginals", got)
	}
	if got := f.ask("t.duckdb", "SELECT count(DISTINCT round(best_log_lik, 9)) FROM discrete"); got != "1" {
		t.Errorf("%s values of the best log density", got)
	}
	got = f.ask("t.duckdb", `SELECT count(*) FROM (SELECT avg(d.value) AS mean, any_value(m.probability) AS p FROM draws d
		JOIN marginals m ON m.fit_id = d.fit_id AND m.id = d.parameter AND m.state = '1' GROUP BY d.fit_id, m.id) WHERE abs(mean - p) < 1e-12`)
	if got != "8" { // two watched variables of four samplers with marginals and draws
		t.Errorf("%s marginals are the means of their kept states, not 8", got)
	}
	f.write("spec.yaml", strings.Replace(fmt.Sprintf(friends, "gibbs: {method: gibbs}\n  herded: {method: herded}", "warmup: 500, draws: 2000"), "ess_bulk: 100", "ess_bulk: 1e6", 1))
	if got, want := verdicts(f.run(pipelines.RunOptions{})), "gibbs skipped fail, herded skipped warn, "; got != want {
		t.Errorf("changed gates: %s, want %s", got, want)
	}
}

// Edges of a table join rows of the same group: each group has the marginals of a data set of its own.
func TestEdgesJoinRowsOfEachGroup(t *testing.T) {
	f := newFolder(t, `
pipeline: test
database: t.duckdb
datasets:
  all: {path: all.csv, by: town, edges: {path: ties.csv}}
  friends: {path: people.csv, edges: {path: ties.csv}}
models: {ising: {kind: mrf, coupling: 0.6, field: lean}}
samplers: {exact: {method: exact}}
`)
	f.write("people.csv", people)
	f.write("ties.csv", ties)
	town, all := "town x,"+strings.ReplaceAll(strings.TrimSpace(people), "\n", "\ntown x,"), "town y,ann,1,1\n"
	town = strings.Replace(town, "town x,id", "town,id", 1)
	for _, id := range []string{"eve", "bob", "fay", "dee", "cid"} {
		all += "town y," + id + ",0,1\n"
	}
	f.write("all.csv", town+"\n"+all)
	f.run(pipelines.RunOptions{})
	const same = `SELECT count(*), count(*) FILTER (abs(a.probability - b.probability) < 1e-12) FROM marginals a
		JOIN marginals b USING (id, state) WHERE a.dataset = 'all' AND b.dataset = 'friends' AND a.key = '%s'`
	if x, y := f.ask("t.duckdb", fmt.Sprintf(same, "town x")), f.ask("t.duckdb", fmt.Sprintf(same, "town y")); x != "12,12" || y != "12,0" {
		t.Errorf("marginals, and those that are the same: town x %s, town y %s", x, y)
	}
}

// A row of edges with a third member is a term: the product of three signs. Marginals equal sums over all states, and
// another weight of a term is another fit.
func TestTermsOfThreeVariables(t *testing.T) {
	f := newFolder(t, `
pipeline: test
database: t.duckdb
datasets: {d: {path: rows.csv, edges: {path: terms.csv, more: [k]}}}
models: {m: {kind: mrf, coupling: 0.5, field: lean}}
samplers: {exact: {method: exact}, scan: {method: gibbs, scan: {for: [a], within: 0.1}}}
run: {chains: 1, warmup: 0, draws: 10}
`)
	f.write("rows.csv", "id,lean\na,0.3\nb,-0.2\nc,0.1\n")
	rows := "i,j,k,weight\nb,c,,-0.4\na,c,b,%v\n"
	for _, w := range []float64{0.6, -0.2} {
		f.write("terms.csv", fmt.Sprintf(rows, w))
		f.run(pipelines.RunOptions{})
		var ones, all float64
		for x := range 8 {
			a, b, c := float64(2*(x&1)-1), float64(x&2-1), float64(x>>1&2-1)
			p := math.Exp(0.3*a - 0.2*b + 0.1*c - 0.2*b*c + 0.5*w*a*b*c)
			all += p
			ones += p * (a + 1) / 2
		}
		got := f.ask("t.duckdb", fmt.Sprintf("SELECT abs(probability - %v) < 1e-12 FROM marginals m SEMI JOIN latest USING (fit_id) WHERE m.sampler = 'exact' AND id = 'a' AND m.state = '1'", ones/all))
		if bound := f.ask("t.duckdb", "SELECT bound <= 0.1 FROM certificate JOIN latest USING (fit_id) WHERE sampler = 'scan'"); got != "true" || bound != "true" {
			t.Errorf("weight %v: the marginal is right: %s, the scan is certified: %s", w, got, bound)
		}
	}
}

// The ledger has each update of a certified scan with the certificate up to it, and the influences by which it is
// certified: the last certificate is that of the fit, and the last updates are near the target.
func TestScansInTheLedger(t *testing.T) {
	f := newFolder(t, `
pipeline: test
database: t.duckdb
datasets: {d: {grid: {rows: 6, columns: 6}}}
models: {m: {kind: mrf, coupling: 0.2}}
samplers:
  chosen: {method: gibbs, scan: {for: ["1,1"], updates: 60}}
  given: {method: gibbs, scan: {for: ["1,1"], list: ["1,2", "2,1", "1,1"]}}
  random: {method: gibbs, scan: {for: ["1,1"], order: random, updates: 500}}
  plain: {method: gibbs}
run: {chains: 1, warmup: 0, draws: 10}
`)
	f.run(pipelines.RunOptions{})
	for _, c := range [][2]string{
		{`SELECT sampler, count(update_id), count(u.variable_id), bool_and(update_id < n OR u.bound = c.bound),
			sum(CASE WHEN u.bound > before THEN 1 ELSE 0 END)
			FROM latest JOIN certificate c USING (fit_id) JOIN (SELECT *, count(*) OVER (PARTITION BY fit_id) AS n,
				lag(bound) OVER (PARTITION BY fit_id ORDER BY update_id) AS before FROM scan_update) u USING (fit_id)
			GROUP BY sampler ORDER BY sampler`, "chosen,60,60,true,0\ngiven,3,3,true,0\nrandom,500,0,true,0"},
		{`SELECT update_id, id FROM scan_update JOIN variable USING (fit_id, variable_id) JOIN latest USING (fit_id)
			WHERE sampler = 'given' ORDER BY update_id`, "1,\"1,2\"\n2,\"2,1\"\n3,\"1,1\""},
		{`SELECT sampler, count(*), min(bound) > 0, max(bound) < 0.25 FROM influence JOIN latest USING (fit_id)
			GROUP BY ALL ORDER BY ALL`, "chosen,120,true,true\ngiven,120,true,true\nrandom,120,true,true"},
		{`SELECT avg(distance) FILTER (update_id > 50) < avg(distance) FILTER (update_id <= 50) FROM
			(SELECT update_id, image_row + image_column AS distance FROM scan_update JOIN variable USING (fit_id, variable_id)
			JOIN latest USING (fit_id) WHERE sampler = 'chosen')`, "true"},
	} {
		if got := f.ask("t.duckdb", c[0]); got != c[1] {
			t.Errorf("%s\n%s\nwant\n%s", c[0], got, c[1])
		}
	}
}

// Chains of growing windows have the same bits, marginals and errors, for 1 worker and
// 16, and after any number of stops.
func TestDiscreteRunGoesOn(t *testing.T) {
	f := newFriends(t, `gibbs: {method: gibbs}
  herded: {method: herded, start: offset}`, "first: 100, max_iterations: 1600, until: {ess: 1e6}")
	want := ""
	for _, workers := range []int{1, 16} {
		db := fmt.Sprintf("w%d.duckdb", workers)
		f.run(pipelines.RunOptions{Workers: workers, Overrides: pipelines.Overrides{Database: f.path(db)}})
		got := f.ask(db, bits) + " " + f.ask(db, marginalBits)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers: %s, want %s", workers, got, want)
		}
	}
	stopped := f.stopAndGoOn(700)
	if got := f.ask("t.duckdb", bits) + " " + f.ask("t.duckdb", marginalBits); got != want {
		t.Errorf("after %d stops: %s, want %s", stopped, got, want)
	}
}

// savePNG writes a grey image.
func (f folder) savePNG(name string, w, h int, grey func(x, y int) uint8) {
	f.t.Helper()
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetGray(x, y, color.Gray{Y: grey(x, y)})
		}
	}
	file, err := os.Create(f.path(name))
	if err == nil {
		err = png.Encode(file, img)
	}
	if err == nil {
		err = file.Close()
	}
	must(f.t, err)
}

// A grid in Parquet or CSV has the fit of the PNG image with the same numbers, bit by
// bit, which is therefore not computed again; another number is another fit.
func TestGridHasTheFitOfItsImage(t *testing.T) {
	const text = `
pipeline: test
database: t.duckdb
seed: 11
datasets: {photo: {image: %s}}
models: {m: {kind: mrf, noise: {sd: 1}}}
samplers: {gibbs: {method: gibbs}}
run: {chains: 2, warmup: 20, draws: 100}
`
	f := newFolder(t, fmt.Sprintf(text, "{path: seen.png, truth: true.png}"))
	grey, truth := func(x, y int) uint8 { return uint8(51 * (x + y) % 256) }, func(x, y int) uint8 { return uint8(255 * (x / 3)) }
	f.savePNG("seen.png", 6, 5, grey)
	f.savePNG("true.png", 6, 5, truth)
	seen, states := "col,row,value\n", "col,row,value\n"
	for pixel := 29; pixel >= 0; pixel-- {
		x, y := pixel%6, pixel/6
		seen += fmt.Sprintf("%d,%d,%v\n", x+1, y+1, math.FMA(float64(grey(x, y))/255, 2, -1))
		states += fmt.Sprintf("%d,%d,%d\n", x+1, y+1, x/3)
	}
	f.write("seen.csv", seen)
	f.write("true.csv", states)
	f.write("other.csv", strings.Replace(seen, "\n1,1,-1\n", "\n1,1,-1.25\n", 1))
	t.Chdir(f.dir)
	db, err := sql.Open("duckdb", "")
	if err == nil {
		_, err = db.ExecContext(t.Context(), "COPY (FROM 'seen.csv') TO 'seen.parquet' (FORMAT parquet); COPY (FROM 'true.csv') TO 'true.parquet' (FORMAT parquet)")
		_ = db.Close()
	}
	must(t, err)
	run := func(image, database string) string {
		f.write("spec.yaml", fmt.Sprintf(text, image))
		return f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: f.path(database)}}).Fits[0].Action
	}
	run("{path: seen.png, truth: true.png}", "png.duckdb")
	want := f.ask("png.duckdb", bits) + " " + f.ask("png.duckdb", marginalBits)
	for ending, image := range map[string]string{"csv": "{path: seen.csv, truth: true.csv}", "parquet": "{path: seen.parquet, truth: true.parquet}"} {
		if action := run(image, "png.duckdb"); action != "skipped" {
			t.Errorf("%s: the fit of the PNG image is %s", ending, action)
		}
		run(image, ending+".duckdb")
		if got := f.ask(ending+".duckdb", bits) + " " + f.ask(ending+".duckdb", marginalBits); got != want {
			t.Errorf("%s: %s, want %s", ending, got, want)
		}
	}
	if action := run("{path: other.csv, truth: true.csv}", "csv.duckdb"); action != "computed" {
		t.Errorf("another number: the fit is %s", action)
	}
}

// Data that cannot be are errors of their own fits, which name place and remedy.
func TestBadDiscreteDataIsNamed(t *testing.T) {
	cases := []struct {
		name, dataset, model string
		words                []string
	}{
		{"unknown id", "{path: people.csv, edges: {path: unknown.csv}}", "{kind: mrf}", []string{`column "j"`, "line 3", `"zoe"`, "hint", "ann"}},
		{"near id", "{path: people.csv, edges: {path: near.csv}}", "{kind: mrf}", []string{`"bobb"`, `did you mean "bob"?`}},
		{"edge twice", "{path: people.csv, edges: {path: twice.csv}}", "{kind: mrf}", []string{`"bob" and "ann" are joined already`, "line 4", "line 2"}},
		{"loop", "{path: people.csv, edges: {path: loop.csv}}", "{kind: mrf}", []string{`"ann" is joined with itself`, "line 2"}},
		{"no weight", "{path: people.csv, edges: {path: unweighted.csv}}", "{kind: mrf}", []string{`column "weight"`, "line 3", "no weight"}},
		{"infinite weight", "{path: people.csv, edges: {path: infinite.csv}}", "{kind: mrf}", []string{`"weight"`, "line 2", "nf"}},
		{"member twice", "{path: people.csv, edges: {path: triple.csv, more: [k]}}", "{kind: mrf}", []string{`"bob" is named twice`, `column "k"`, "line 2"}},
		{"terms of potts", "{path: people.csv, edges: {path: triples.csv, more: [k]}}", "{kind: mrf, interaction: potts}", []string{"is not ising", "leave more out"}},
		{"text weight", "{path: people.csv, edges: {path: ties.csv, weight: i}}", "{kind: mrf}", []string{`"ann" is not a number`}},
		{"no column", "{path: people.csv, edges: {path: ties.csv, from: source}}", "{kind: mrf}", []string{`column "source"`, "columns: i, j, weight"}},
		{"id twice", "{path: same.csv, edges: {steps: [1]}}", "{kind: mrf}", []string{`"ann" is also the id of`, "line 3"}},
		{"no such field", "{path: people.csv, edges: {path: ties.csv}}", "{kind: mrf, field: laen}", []string{`column "laen"`, `did you mean "lean"?`}},
		{"missing field", "{path: gap.csv, edges: {steps: [1]}}", "{kind: mrf, field: lean}", []string{`column "lean"`, "line 3", "no number"}},
		{"stray field", "{path: stray.csv, edges: {steps: [1]}}", "{kind: mrf, field: lean}", []string{`column "lean"`, "line 3", `"oops" is not a number`}},
		{"unknown truth", "{path: people.csv, edges: {path: ties.csv}}", "{kind: mrf, labels: [left, right], truth: party}", []string{`column "party"`, "line 2", `"1" is no state`, "left, right"}},
		{"unknown watch", "{path: people.csv, edges: {path: ties.csv}}", "{kind: mrf, watch: [annn]}", []string{`"annn"`, `did you mean "ann"?`}},
		{"no edges file", "{path: people.csv, edges: {path: none.csv}}", "{kind: mrf}", []string{"edges", "none.csv"}},
		{"no such state", "{path: people.csv, edges: {path: ties.csv}, tables: {path: tables.csv}}", "{kind: mrf, states: 2}", []string{`column "b"`, "line 3", `"2" is no state`, "0, 1"}},
		{"no grid", "{image: people.csv}", "{kind: mrf, noise: {sd: 1}}", []string{"people.csv", `no column "row"`, "hint"}},
		{"cell twice", "{image: again.csv}", "{kind: mrf, noise: {sd: 1}}", []string{`column "value"`, "line 3", "stands here", "line 2"}},
		{"no PNG", "{image: people.txt}", "{kind: mrf, noise: {sd: 1}}", []string{"people.txt", "not a PNG image", "hint", ".parquet or .csv"}},
		{"no image", "{image: none.png}", "{kind: mrf, noise: {sd: 1}}", []string{"none.png"}},
		{"damaged PNG", "{image: cut.png}", "{kind: mrf, noise: {sd: 1}}", []string{"cut.png", "damaged"}},
		{"other size", "{image: {path: noisy.png, truth: small.png}}", "{kind: mrf, noise: {sd: 1}}", []string{"small.png", "3 × 4", "6 × 5", "same size"}},
		{"other states", "{sequences: {length: 5, states: 4}}", "{kind: mrf, states: 3}", []string{"sequences of other states", "3"}},
		{"degree", "{path: star.csv, edges: {path: rays.csv}}", "{kind: mrf}", []string{"herded", "40 neighbours", `variable 0 is "v0"`}},
	}
	var text strings.Builder
	text.WriteString("pipeline: test\ndatabase: t.duckdb\nrun: {chains: 1, warmup: 0, draws: 10}\nsamplers: {s: {method: herded}}\ndatasets:\n  good: {path: people.csv, edges: {path: ties.csv}}\n  unread: {path: stray.csv, edges: {steps: [1]}}\n")
	for i, c := range cases {
		fmt.Fprintf(&text, "  d%d: %s\n", i, c.dataset)
	}
	text.WriteString("models:\n  good: {kind: mrf}\n")
	for i, c := range cases {
		fmt.Fprintf(&text, "  m%d: %s\n", i, c.model)
	}
	text.WriteString("fits:\n  - {datasets: [good, unread], models: good}\n")
	for i := range cases {
		fmt.Fprintf(&text, "  - {datasets: d%d, models: m%d}\n", i, i)
	}
	f := newFriends(t, "", "")
	f.write("spec.yaml", text.String())
	for name, rows := range map[string]string{
		"unknown.csv": "i,j\nann,bob\nbob,zoe\n", "near.csv": "i,j\nann,bobb\n", "twice.csv": "i,j\nann,bob\nbob,cid\nbob,ann\n", "loop.csv": "i,j\nann,ann\n",
		"triple.csv": "i,j,k\nann,bob,bob\n", "triples.csv": "i,j,k\nann,bob,cid\n", "unweighted.csv": "i,j,weight\nann,bob,1\nbob,cid,\n", "infinite.csv": "i,j,weight\nann,bob,inf\nbob,cid,1\n", "same.csv": "id\nann\nann\n", "gap.csv": "id,lean\nann,1\nbob,\ncid,2\n",
		"stray.csv":  "id,lean\nann,1\nbob,oops\ncid,2\n",
		"people.txt": people, "again.csv": "row,col,value\n1,1,0\n1,1,1\n",
		"tables.csv": "a,b,value\n0,0,1\n1,2,1\n", "star.csv": "id\nv0\n" + linesOf(40, "v%d\n"), "rays.csv": "i,j\n" + linesOf(40, "v0,v%d\n"),
	} {
		f.write(name, rows)
	}
	f.savePNG("noisy.png", 6, 5, func(x, y int) uint8 { return uint8(40 * x) })
	f.savePNG("small.png", 3, 4, func(x, y int) uint8 { return 0 })
	whole, err := os.ReadFile(f.path("noisy.png"))
	must(t, err)
	f.write("cut.png", string(whole[:len(whole)-20]))
	out := f.run(pipelines.RunOptions{})
	if len(out.Fits) != len(cases)+2 || out.Fits[0].Verdict != "warn" || out.Fits[1].Verdict != "warn" {
		t.Fatalf("%d fits, the good ones %q and %q", len(out.Fits), out.Fits[0].Verdict, out.Fits[1].Verdict)
	}
	for i, c := range cases {
		r := out.Fits[i+2]
		if r.Action != "error" || r.Err == nil {
			t.Errorf("%s: %s %s", c.name, r.Action, r.Verdict)
			continue
		}
		for _, word := range c.words {
			if !strings.Contains(r.Err.Error(), word) {
				t.Errorf("%s: the error does not have %q: %v", c.name, word, r.Err)
			}
		}
	}
}

// linesOf are the numbers from 1 to n, each in a line of a format.
func linesOf(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i+1)
	}
	return b.String()
}
