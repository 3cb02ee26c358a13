package pipelines_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
	"glmbatch/pipelines"
)

// Two latent classes of the people on the Titanic, read from a table of counts, have the posterior means that JAGS has
// (testdata/mixtures/classes.R), by both samplers.
//
// False alarms: |z| ≤ 5.5 of 44 means, with a fixed seed; no mean may be 0.01 away, whatever its error.
func TestClassesLikeJAGS(t *testing.T) {
	infertest.Study(t)
	table, err := os.ReadFile("../testdata/mixtures/titanic.csv")
	must(t, err)
	f := newFolder(t, `pipeline: titanic
database: t.duckdb
datasets: {titanic: titanic.csv}
models:
  two:
    formula: cbind(Class, Sex, Age, Survived) ~ 1
    frequency_weights: Freq
    mixture: {components: 2, order: Class_Crew}
samplers: {auto: {}, plain: {method: cggibbs}}
run: {chains: 4, warmup: 150, draws: 350}
`)
	f.write("titanic.csv", string(table))
	f.run(pipelines.RunOptions{})
	if got := f.ask("t.duckdb", "SELECT sampler, method, family, n_rows FROM latest ORDER BY ALL"); got !=
		"auto,collapsed,mixture of items,24\nplain,mixture,mixture of items,24" {
		t.Errorf("fits\n%s", got)
	}
	if got := f.ask("t.duckdb", "SELECT agreement, compared, not_compared FROM comparison"); got != "agree,23,0" {
		t.Errorf("comparison %s", got) // 22 parameters and log_lik: the log prior is constant
	}
	file, err := os.Open("../testdata/mixtures/classes.csv")
	must(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) != 23 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	for _, sampler := range []string{"auto", "plain"} {
		found := map[string][]string{}
		for _, row := range f.asked("SELECT parameter, mean, sd / sqrt(ess_bulk) FROM coefficients WHERE sampler = '" + sampler + "'") {
			found[row[0]] = row[1:]
		}
		for _, row := range rows[1:] {
			mean, se := number(t, found[row[0]][0]), number(t, found[row[0]][1])
			jags, err := strconv.ParseFloat(row[1], 64)
			mcse, err2 := strconv.ParseFloat(row[3], 64)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			if z := (mean - jags) / math.Hypot(se, mcse); !(math.Abs(z) < 5.5 && math.Abs(mean-jags) < 0.01) {
				t.Errorf("%s: %s is %.4f ± %.4f, that of JAGS %.4f ± %.4f", sampler, row[0], mean, se, jags, mcse)
			}
		}
	}
}

// items are rows of five items of all families, some of them missing. The first has no x, the last nothing.
func items() string {
	var b strings.Builder
	b.WriteString("q,x,n,s,t,y,id\n")
	for i := range 40 {
		k := i % 2
		cells := []string{[]string{"a", "b", "c"}[(i/2+k)%(3-k)], fmt.Sprint(float64(10*k) + float64(i%7)/3), fmt.Sprint(2 + 6*k + i%3),
			fmt.Sprint(1 + 3*k), "5", fmt.Sprint((k + i/9) % 2)}
		switch {
		case i == 0:
			cells = []string{"b", "NA", "3", "2", "5", "1"}
		case i == 39:
			cells = strings.Split("NA,NA,NA,NA,NA,NA", ",")
		case i%11 == 5:
			cells[i%6] = "NA"
		}
		b.WriteString(strings.Join(cells, ",") + "," + strconv.Itoa(i+1) + "\n")
	}
	return b.String()
}

const itemsSpec = `pipeline: items
database: t.duckdb
datasets: {rows: rows.csv}
models:
  two:
    formula: mvbind(q, x, n, s | trials(t), y) ~ 1
    mixture:
      components: 2
      items: {x: {conjugate: "normal_inverse_gamma(5, 0.1, 3, 20)"}, y: bernoulli}
    derive: {gap: mu2_x - mu1_x}
samplers: {auto: {}, plain: {method: cggibbs}}
run: {chains: 2, warmup: 30, draws: 60, loo: true}
`

func itemsFolder(t *testing.T, spec string) folder {
	t.Helper()
	f := newFolder(t, spec)
	f.write("rows.csv", items())
	return f
}

// densities are those of the first two rows and of the last in each component, by definition, from the draws.
const densities = `WITH d AS (PIVOT (SELECT chain, iteration, parameter, value FROM draws WHERE sampler = 'auto') ON parameter
	USING first(value)),
	f AS (SELECT row, theta1 * a1 AS a, theta2 * a2 AS b FROM (
		SELECT 1 AS row, theta1, theta2,
			p1_q_b * exp(3 * mu1_n - exp(mu1_n)) / 6 * 10 * exp(2 * mu1_s) / pow(1 + exp(mu1_s), 5) / (1 + exp(-mu1_y)) AS a1,
			p2_q_b * exp(3 * mu2_n - exp(mu2_n)) / 6 * 10 * exp(2 * mu2_s) / pow(1 + exp(mu2_s), 5) / (1 + exp(-mu2_y)) AS a2 FROM d
		UNION ALL SELECT 2, theta1, theta2,
			p1_q_b * exp(-pow((10 + 1 / 3 - mu1_x) / sigma_x1, 2) / 2) / sigma_x1 / sqrt(2 * pi()) * exp(9 * mu1_n - exp(mu1_n)) / 362880
				* 5 * exp(4 * mu1_s) / pow(1 + exp(mu1_s), 5) / (1 + exp(-mu1_y)),
			p2_q_b * exp(-pow((10 + 1 / 3 - mu2_x) / sigma_x2, 2) / 2) / sigma_x2 / sqrt(2 * pi()) * exp(9 * mu2_n - exp(mu2_n)) / 362880
				* 5 * exp(4 * mu2_s) / pow(1 + exp(mu2_s), 5) / (1 + exp(-mu2_y)) FROM d
		UNION ALL SELECT 40, theta1, theta2, 1, 1 FROM d)) `

// Allocations, leave-one-out and predictions of rows of all families are what the densities of each draw make of them, a
// missing item being left out of its row; what is asked for later, by shards or by other numbers of workers has the same
// bits.
func TestClassesAssessed(t *testing.T) {
	f := itemsFolder(t, itemsSpec)
	f.run(pipelines.RunOptions{Workers: 1})
	for _, q := range []struct{ sql, want string }{
		{densities + `SELECT row, abs(avg(a / (a + b)) - any_value(probability)) < 1e-9 FROM f JOIN allocations USING (row)
			WHERE component = 1 AND sampler = 'auto' GROUP BY row ORDER BY row`, "1,true\n2,true\n40,true"},
		{densities + `SELECT row, abs(ln(avg(a + b)) - any_value(elpd_loo + p_loo)) < 1e-9 FROM f JOIN pointwise p ON
			p.observation = f.row JOIN latest USING (fit_id) WHERE sampler = 'auto' GROUP BY row ORDER BY row`,
			"1,true\n2,true\n40,true"},
		{"SELECT max(abs(elpd_loo)) < 1e-12, count(*) FROM pointwise WHERE observation = 40", "true,2"},
		{"SELECT name, kind, level, term, beside, prior FROM parameter JOIN latest USING (fit_id) WHERE sampler = 'auto' AND " +
			"name IN ('p2_q_b', 'mu1_x', 'sigma_x1', 'mu2_s', 'unsorted_mu1_n') ORDER BY name",
			"mu1_x,intercept,1,x,,\"normal_inverse_gamma(5, 0.1, 3, 20)\"\nmu2_s,intercept,2,s,,\"beta(1, 1)\"\n" +
				"p2_q_b,probability,2,q,b,dirichlet(1)\nsigma_x1,dispersion,1,x,,\"normal_inverse_gamma(5, 0.1, 3, 20)\"\n" +
				"unsorted_mu1_n,unsorted,1,n,,\"gamma(1, 0.167)\""},
		{"SELECT count(DISTINCT agreement), min(not_compared), max(not_compared) FROM comparison", "1,0,0"},
	} {
		if got := f.ask("t.duckdb", q.sql); got != q.want {
			t.Errorf("%s\n%s\nwant\n%s", q.sql, got, q.want)
		}
	}
	f.classesPredicted(t)
	if got := actions(f.run(pipelines.RunOptions{})); strings.Contains(got, "computed") {
		t.Errorf("a second run has %s", got)
	}
	others := []folder{itemsFolder(t, strings.Replace(itemsSpec, ", loo: true", "", 1)), itemsFolder(t, itemsSpec)}
	others[0].run(pipelines.RunOptions{Workers: 3})
	others[0].write("spec.yaml", itemsSpec)
	others[0].run(pipelines.RunOptions{})
	dir := others[1].plan(2, "t.duckdb")
	for i := range 2 {
		others[1].shard(dir, i)
	}
	others[1].gather(dir, pipelines.GatherOptions{})
	for _, sql := range []string{"SELECT sampler, sum(hash(value)) FROM draws GROUP BY ALL ORDER BY ALL",
		"SELECT sampler, sum(hash(probability)) FROM allocations GROUP BY ALL ORDER BY ALL",
		"SELECT sampler, sum(hash(p.elpd_loo)) FROM pointwise p JOIN latest USING (fit_id) GROUP BY ALL ORDER BY ALL"} {
		want := f.ask("t.duckdb", sql)
		for i, other := range others {
			if got := other.ask("t.duckdb", sql); got != want || want == "" {
				t.Errorf("%s: %s has\n%s\nat once:\n%s", sql, []string{"later", "by shards"}[i], got, want)
			}
		}
	}
}

// classesPredicted compares predictions of the rows of the fit with its allocations, and predicts new rows.
func (f folder) classesPredicted(t *testing.T) {
	t.Helper()
	only := []string{"sampler=auto"}
	rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: only})
	if err != nil || len(rows) != 81 || rows[3][1] != "component1" {
		t.Fatalf("%d rows of predictions, %v", len(rows), err)
	}
	for i, want := range f.asked("SELECT row, 'component' || component, probability FROM allocations WHERE sampler = 'auto' ORDER BY ALL") {
		row := rows[1+i]
		if row[0] != want[0] || row[1] != want[1] || !(math.Abs(number(t, row[2])-number(t, want[2])) < 1e-9) {
			t.Fatalf("the row of predictions %s is of the fit's allocations %s", row, want)
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"new.csv":      {"q,x,n,s,t,y\nd,1,1,1,5,1\n", `column "q", row 1`},
		"few.csv":      {"q,x,n,s,t\na,1,1,1,5\n", `column "y": the model reads it`},
		"negative.csv": {"q,x,n,s,t,y\na,1,-1,1,5,1\n", `column "n", row 1`},
		"kind.csv":     {"q,x,n,s,t,y\na,much,1,1,5,1\n", `column "x"`},
	} {
		f.write(name, c.text)
		_, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: only, Data: f.path(name)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	f.write("none.csv", "q,x,n,s,t,y\nNA,NA,NA,NA,NA,NA\n")
	rows, _, err = f.predict("spec.yaml", pipelines.PredictOptions{Only: only, Data: f.path("none.csv")})
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows of predictions, %v", len(rows), err)
	}
	theta := number(t, f.ask("t.duckdb", "SELECT mean FROM coefficients WHERE sampler = 'auto' AND parameter = 'theta1'"))
	if got := number(t, rows[1][2]); !(math.Abs(got-theta) < 1e-9) {
		t.Errorf("a row of nothing is of the first component with probability %v, which weighs %v", got, theta)
	}
	if _, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: only, Of: []string{"mean"}}); err == nil ||
		!strings.Contains(err.Error(), "several responses") {
		t.Errorf("a mean of latent classes: %v", err)
	}
}

// An error of reading names data set, column and row, and the remedy.
func TestClassesRefused(t *testing.T) {
	for name, c := range map[string]struct{ model, want string }{
		"one category":     {"formula: 'cbind(q, one) ~ 1'", `column "one": the item has one category, "k"`},
		"one number":       {"formula: 'cbind(q, seven) ~ 1'", `column "seven": the item is 7 in all 4 rows`},
		"text as counts":   {"formula: 'cbind(q, w) ~ 1', mixture: {components: 2, items: {w: poisson}}", `column "w", row 3 (line 4 of rows.csv): "oops" is text`},
		"below 0":          {"formula: 'cbind(q, u) ~ 1', mixture: {components: 2, items: {u: poisson}}", `column "u", row 3 (line 4 of rows.csv): -1 is not allowed`},
		"more than trials": {"formula: 'cbind(q, seven | trials(3)) ~ 1'", `column "seven", row 1 (line 2 of rows.csv): 7 is not allowed`},
		"not there":        {"formula: 'cbind(q, zz) ~ 1'", `did you mean "z"?`},
		"levels":           {"formula: 'cbind(q, z) ~ 1', levels: {q: [a, c]}", `column "q", row 2 (line 3 of rows.csv): "b" is not among`},
		"levels of none":   {"formula: 'cbind(q, z) ~ 1', levels: {w: [a, c]}", `column "w": levels are given for it, but it is not an item`},
		"missing":          {"formula: 'cbind(q, z) ~ 1', missing: error", `column "q", row 4 (line 5 of rows.csv): the value is missing`},
		"order":            {"formula: 'cbind(q, z) ~ 1', mixture: {components: 2, order: q_c}", `did you mean "q_a"?`},
		"numbers of prior": {`formula: 'cbind(q, z) ~ 1', mixture: {components: 2, items: {q: {conjugate: "dirichlet(1, 2, 3)"}}}`, "3 numbers, and it has 2 categories"},
		"another prior":    {`formula: 'cbind(q, z) ~ 1', mixture: {components: 2, items: {z: {conjugate: "gamma(1, 1)"}}}`, `column "z": gamma is not conjugate to gaussian`},
	} {
		model := c.model
		if !strings.Contains(model, "mixture") {
			model += ", mixture: {components: 2}"
		}
		f := newFolder(t, "pipeline: bad\ndatabase: t.duckdb\ndatasets: {rows: {path: rows.csv, types: {w: text}}}\nmodels: {m: {"+
			model+"}}\nsamplers: {auto: {}}\n")
		f.write("rows.csv", "q,one,seven,w,z,u\na,k,7,1,2.5,3\nb,k,7,2,-1,NA\na,k,7,oops,1.5,-1\nNA,k,7,4,0.5,2\n")
		plan, err := pipelines.Validate(t.Context(), f.path("spec.yaml"), pipelines.Overrides{}, false)
		if err == nil {
			err = plan.Err()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "hint: ") {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// Laws of items of which nothing is said, by what they hold.
func TestClassesLaws(t *testing.T) {
	f := newFolder(t, `pipeline: laws
database: t.duckdb
datasets: {rows: rows.csv}
models:
  m: {formula: "cbind(coded, binary, many, scale, share, truth, likert, factor(likert2)) ~ 1", mixture: {components: 2, items: {likert: categorical}}}
samplers: {auto: {}}
run: {chains: 2, draws: 20}
`)
	f.write("rows.csv", "coded,binary,many,scale,share,truth,likert,likert2\n1,0,3,101,0.5,true,1,3\n2,1,0,250,1.5,false,5,1\n"+
		"2,1,4,180,0.2,true,4,10\n1,NA,9,170,NA,true,4,1\n")
	plan, err := pipelines.Validate(t.Context(), f.path("spec.yaml"), pipelines.Overrides{}, false)
	if err != nil || plan.Err() != nil {
		t.Fatal(err, plan.Err())
	}
	text := strings.Join(strings.Fields(plan.String()), " ")
	for _, want := range []string{"item coded: categorical of 2 (1, 2)", "item binary: bernoulli, prior beta(1, 1)",
		"item many: poisson, prior gamma(1, 0.25)", "item scale: gaussian, prior normal_inverse_gamma(175.2, 0.04, 2, 697)",
		"item share: gaussian", "item truth: categorical of 2 (FALSE, TRUE)", "item likert: categorical of 3 (1, 4, 5)",
		"item likert2: categorical of 3 (1, 3, 10)"} {
		if !strings.Contains(text, want) {
			t.Errorf("validate does not say %q:\n%s", want, plan)
		}
	}
	f.run(pipelines.RunOptions{})
	f.write("new.csv", "coded,binary,many,scale,share,truth,likert,likert2\n2,1,4,180,0.2,true,4,10\nNA,NA,NA,NA,NA,NA,NA,NA\n")
	rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Data: f.path("new.csv")})
	if err != nil || len(rows) != 5 {
		t.Fatalf("%d rows of predictions, %v", len(rows), err)
	}
	same := f.ask("t.duckdb", "SELECT probability FROM allocations WHERE row = 3 AND component = 1")
	if !(math.Abs(number(t, rows[1][2])-number(t, same)) < 1e-9) {
		t.Errorf("a new row that is equal to the third one has %s, that %s", rows[1][2], same)
	}
}

// A category that levels names and no row has is a warning; validate prints the distributions of items, and drop
// drops rows.
func TestClassesTold(t *testing.T) {
	spec := strings.Replace(itemsSpec, "    derive:", "    missing: drop\n    levels: {q: [c, b, a, d]}\n    derive:", 1)
	f := itemsFolder(t, spec)
	plan, err := pipelines.Validate(t.Context(), f.path("spec.yaml"), pipelines.Overrides{}, false)
	must(t, err)
	for _, want := range []string{"rows with a missing item are dropped", "item q: categorical of 4 (c, b, a, d), prior dirichlet(1) by default",
		"item x: gaussian, prior normal_inverse_gamma(5, 0.1, 3, 20)\n", "item n: poisson, prior gamma(1, ", "item s: binomial, prior beta(1, 1) by default"} {
		if !strings.Contains(plan.String(), want) {
			t.Errorf("validate does not say %q:\n%s", want, plan)
		}
	}
	f.run(pipelines.RunOptions{})
	if got := f.ask("t.duckdb", "SELECT n_rows, warning FROM latest, (SELECT unnest(warnings) AS warning) WHERE sampler = 'auto' AND warning LIKE '%category%'"); !strings.Contains(got,
		`no row has the category ""d""`) || !strings.HasPrefix(got, "34,") {
		t.Errorf("warnings %s", got)
	}
}
