package pipelines_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// pooledSpec is a spec of imputations: the data set, and the model's priors.
const pooledSpec = `
pipeline: test
database: t.duckdb
seed: 7
datasets:
  d: {%s, each: imputation%s}
models:
  m: {formula: chl ~ age + bmi, family: gaussian, prior: {%s}}
samplers:
  s: {method: auto}
run: {chains: 2, until: gates}
`

// nhanes writes the five imputations of testdata to the folder: in one file as mice does, and in a file for each.
func (f folder) nhanes() {
	f.t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "imputations", "nhanes.csv"))
	must(f.t, err)
	f.write("long.csv", string(text))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i := range 5 {
		own := []string{strings.TrimPrefix(lines[0], `".imp",".id",`)}
		for _, line := range lines[1:] {
			cells := strings.SplitN(line, ",", 3)
			if cells[0] == strconv.Itoa(i+1) {
				own = append(own, cells[2])
			}
		}
		f.write(fmt.Sprintf("imp%d.csv", i+1), strings.Join(own, "\n")+"\n")
	}
}

// numbers asks for one row of numbers.
func (f folder) numbers(query string) (out []float64) {
	f.t.Helper()
	for _, s := range strings.Split(f.ask("t.duckdb", query), ",") {
		v, err := strconv.ParseFloat(s, 64)
		must(f.t, err)
		out = append(out, v)
	}
	return out
}

// Flat priors have closed posteriors: given an imputation the coefficients have their least squares estimate as mean, and
// with 25 rows, 3 columns and a flat sigma 22/19 of its squared standard error as variance. So what is pooled equals what
// pool() of mice 3.15.0 prints, whose within variance is the mean squared standard error.
// False alarms: below 1e-6, 6 Monte Carlo standard errors. Power: 0.05 posterior sd in a mean, a tenth in a variance.
func TestPooledAgainstMice(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(pooledSpec, "path: imp*.csv", "", "coefficients: flat, intercept: flat, sigma: flat"))
	f.write("spec.yaml", strings.Replace(f.read("spec.yaml"), "until: gates", "warmup: 0, draws: 4000", 1))
	f.nhanes()
	f.run(pipelines.RunOptions{})
	for _, want := range []struct {
		name                  string
		mean, within, between float64
	}{
		{"age", 30.87372661949364, 74.12820821359215, 69.08046011973936},
		{"bmi", 5.93729663604141, 3.06708751458857, 3.08234802483976},
	} {
		got := f.numbers("SELECT p.mean, p.within, p.between, p.sd, s.mcse_mean, p.rhat, p.rhat_across, p.riv, p.imputations " +
			"FROM pooled p JOIN summary s ON s.fit_id = p.fit_id AND s.name = p.parameter WHERE p.parameter = '" + want.name + "'")
		within := want.within * 22 / 19
		error6 := 6 * math.Sqrt(within/40_000)
		if math.Abs(got[4]-error6/6) > 0.1*error6/6 {
			t.Errorf("%s: MCSE %v, want %v", want.name, got[4], error6/6)
		}
		if math.Abs(got[0]-want.mean) > error6 || math.Abs(got[1]/within-1) > 6*math.Sqrt(2.5/40_000)*1.3 {
			t.Errorf("%s: mean %v ± %v within %v, mice has %v, %v", want.name, got[0], got[4], got[1], want.mean, within)
		}
		// A mean of 8000 draws moves by sqrt(within/8000); with it the between variance of five by twice that of its root.
		if slack := 12 * math.Sqrt(want.between*within/8000); math.Abs(got[2]-want.between) > slack {
			t.Errorf("%s: between %v, mice has %v ± %v", want.name, got[2], want.between, slack)
		}
		// All draws: the mean variance, and 4/5 of the variance between five.
		if sd := math.Sqrt(got[1] + 0.8*got[2]); math.Abs(got[3]/sd-1) > 0.001 {
			t.Errorf("%s: sd of all draws %v, want %v", want.name, got[3], sd)
		}
		if got[5] > 1.01 || got[6] < 1.2 || math.Abs(got[7]-1.2*got[2]/got[1]) > 1e-9 || got[8] != 5 {
			t.Errorf("%s: R-hat %v and %v, riv %v of %v imputations", want.name, got[5], got[6], got[7], got[8])
		}
	}
}

// Imputations that differ are no alarm; files and mice's long form make the same bits, in any number of workers; a
// second run finds the fit.
func TestImputations(t *testing.T) {
	var sums []string
	for i, data := range [][2]string{{"path: imp*.csv", ""}, {"path: long.csv", ", by: .imp"}} {
		f := newFolder(t, fmt.Sprintf(pooledSpec, data[0], data[1], ""))
		f.nhanes()
		out := f.run(pipelines.RunOptions{Workers: 1 + 2*i})
		if len(out.Fits) != 1 || out.Fits[0].Verdict != "pass" {
			t.Fatalf("fits: %+v", out.Fits)
		}
		sums = append(sums, f.ask("t.duckdb", "SELECT count(*), sum(hash(chain, iteration, value)) FROM draws"))
		if got := actions(f.run(pipelines.RunOptions{})); strings.Contains(got, "computed") {
			t.Errorf("a second run has %s", got)
		}
		if got := f.numbers("SELECT max(rhat_across), max(rhat), count(*) FROM pooled"); got[0] < 1.2 || got[1] > 1.01 ||
			got[2] != 4 {
			t.Errorf("R-hat across and within, parameters: %v", got)
		}
		const each = "SELECT count(*), count(DISTINCT imputation), count(DISTINCT source) FROM imputations"
		if got := f.ask("t.duckdb", each); got != "20,5,5" {
			t.Errorf("imputations has %s", got)
		}
		if got := f.ask("t.duckdb", "SELECT string_agg(DISTINCT imputation, ' ' ORDER BY imputation) FROM imputations"); got !=
			"1 2 3 4 5" {
			t.Errorf("imputations are %s", got)
		}
		const worst = "SELECT count(*) FROM diagnostic, (SELECT arg_max(parameter, rhat_across) AS apart, arg_max(parameter, fmi) AS " +
			"worst FROM pooled) WHERE name = 'imputations' AND note LIKE '%, at ' || apart || ', because%, of ' || worst"
		if got := f.ask("t.duckdb", worst); got != "1" {
			t.Errorf("%s notes name the parameters with the largest R-hat and the largest fraction", got)
		}
		const words = "SELECT value FROM diagnostic WHERE name = 'imputations' AND note LIKE 'R-hat and effective sample sizes are taken within each " +
			"of the 5 imputations; over all draws R-hat is 1.%, at %, because imputations differ%missing information is 0.%'"
		if got := f.ask("t.duckdb", words); got != "5.0" && got != "5" {
			t.Errorf("%q imputations are said to differ", got)
		}
		const chains = "SELECT string_agg(value::INT, ' ' ORDER BY chain) FROM diagnostic WHERE name = 'imputation'"
		if got := f.ask("t.duckdb", chains); got != "1 1 2 2 3 3 4 4 5 5" {
			t.Errorf("chains are of imputations %s", got)
		}
		o := pipelines.EffectsOptions{Effect: "bmi", Average: true}
		_, _, predicted := f.predict("spec.yaml", pipelines.PredictOptions{})
		f.refusesOwnRows("has several imputations", map[string]error{"predict": predicted,
			"effects": pipelines.Effects(t.Context(), &strings.Builder{}, f.path("spec.yaml"), o)})
		f.write("new.csv", "age,bmi\n2,25\n")
		if _, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Data: f.path("new.csv")}); err != nil {
			t.Errorf("predict of other rows: %v", err)
		}
	}
	if sums[0] != sums[1] || sums[0] == "" {
		t.Errorf("draws of files %s, of the long form %s", sums[0], sums[1])
	}
}

// A parameter without a posterior mean has none in each imputation either.
func TestImputationsWithoutMeans(t *testing.T) {
	f := newFolder(t, strings.NewReplacer("chl ~ age", "hyp ~ age", "family: gaussian", "family: negative_binomial").Replace(
		fmt.Sprintf(pooledSpec, "path: long.csv", ", by: .imp", "shape: 'inverse_gamma(0.4, 0.3)'")))
	f.write("spec.yaml", strings.NewReplacer("until: gates", "warmup: 100, draws: 200", "0.3)'}}", "0.3)'}, derive: {twice: 2 * shape}}").
		Replace(f.read("spec.yaml")))
	f.nhanes()
	f.run(pipelines.RunOptions{})
	if got := f.ask("t.duckdb", "SELECT string_agg(parameter, ' ' ORDER BY parameter) FROM coefficients WHERE mean IS NULL"); got != "shape twice" {
		t.Errorf("parameters without a mean: %s", got)
	}
	const means = "SELECT parameter IN ('shape', 'twice') AS without, count(*), count(mean), count(sd), count(median) FROM imputations GROUP BY 1 ORDER BY 1"
	if got := f.ask("t.duckdb", means); got != "false,15,15,15,15\ntrue,10,0,0,10" {
		t.Errorf("means of imputations:\n%s", got)
	}
}

// A fault of imputations is reported with its file or column, and the remedy.
func TestImputationFaults(t *testing.T) {
	for _, c := range []struct{ data, by, change, want string }{
		{"path: imp*.csv", "", "imp3.csv: drop", "imputation imp1.csv has 25 rows, and imputation imp3.csv has 24"},
		{"path: imp1.csv", "", "", "each: imputation wants several imputations, and there is 1"},
		{"path: imp*.csv", "", "imp4.csv: age,bmi\n1,2\n", `column "chl", imp4.csv: imp1.csv has this column and imp4.csv has not`},
		{"path: imp*.csv", "", "imp2.csv: missing", `column "bmi", row 2 (line 3 of imp2.csv)`},
		{"path: long.csv", ", by: imp", "", `there is no column "imp"`},
	} {
		f := newFolder(t, fmt.Sprintf(pooledSpec, c.data, c.by, ""))
		f.nhanes()
		if name, text, ok := strings.Cut(c.change, ": "); ok {
			switch own := f.read(name); text {
			case "drop":
				text = own[:strings.LastIndex(strings.TrimSpace(own), "\n")+1]
			case "missing":
				text = strings.Replace(own, "22.7", "NA", 1)
			}
			f.write(name, text)
		}
		out := f.run(pipelines.RunOptions{})
		if err := out.Fits[0].Err; err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.change, err, c.want)
		}
	}
}

// read is the text of a file of the folder.
func (f folder) read(name string) string {
	f.t.Helper()
	text, err := os.ReadFile(f.path(name))
	must(f.t, err)
	return string(text)
}
