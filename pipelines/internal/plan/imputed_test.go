package plan

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// nhanes2 of R's mice 3.15.
const nhanes2 = "age,bmi,hyp,chl 20-39,NA,NA,NA 40-59,22.7,no,187 20-39,NA,no,187 60-99,NA,NA,NA 20-39,20.4,no,113 " +
	"60-99,NA,NA,184 20-39,22.5,no,118 20-39,30.1,no,187 40-59,22,no,238 40-59,NA,NA,NA 20-39,NA,NA,NA 40-59,NA,NA,NA " +
	"60-99,21.7,no,206 40-59,28.7,yes,204 20-39,29.6,no,NA 20-39,NA,NA,NA 60-99,27.2,yes,284 40-59,26.3,yes,199 " +
	"20-39,35.3,no,218 60-99,25.5,yes,NA 20-39,NA,NA,NA 20-39,33.2,no,229 20-39,27.5,no,131 60-99,24.9,no,NA 40-59,27.4,no,186"

// imputedProblem codes nhanes2 for one model, with the entries of run and the sampler.
func imputedProblem(t *testing.T, model, run, sampler string) (Problem, error) {
	t.Helper()
	return problemOf(t, strings.ReplaceAll(nhanes2, " ", "\n")+"\n", model, run, sampler)
}

// problemOf codes lines of a CSV file.
func problemOf(t *testing.T, lines, model, run, sampler string) (Problem, error) {
	t.Helper()
	return modelProblem(t, lines, "missing: impute, "+model, run, sampler)
}

// modelProblem is the problem of a gaussian model of a table.
func modelProblem(t *testing.T, lines, model, run, sampler string) (Problem, error) {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "d.csv"), []byte(lines), 0o600))
	p, err := spec.Parse("s.yaml", []byte("pipeline: p\ndatabase: none.duckdb\ndatasets: {d: d.csv}\n"+
		"models: {m: {family: gaussian, "+model+"}}\nsamplers: {s: {"+sampler+"}}\nrun: {"+run+"}\n"),
		spec.Options{Dir: dir, Today: time.Now(), Env: os.LookupEnv})
	if err != nil {
		return nil, err
	}
	var problem Problem
	err = (&Reader{Pipeline: p}).Units(t.Context(), func(u *Unit) (err error) {
		problem, err = NewProblem(Fits(p, Choice{}, u)[0])
		return err
	})
	return problem, err
}

// JAGS 4.3.1 drew 4 × 20,000 of the same model with the same priors, thinned by 10: means and Monte Carlo standard errors.
// False alarms: below 1e-6, 6 standard errors of both. Power: 0.1 of a standard deviation.
func TestImputedAgainstJAGS(t *testing.T) {
	problem, err := imputedProblem(t, "formula: chl ~ age + bmi + hyp", "chains: 4", "method: auto")
	must(t, err)
	params, means := batchMeans(t, problem, 2, 20_000, 1000)
	want := map[string][2]float64{
		"age40-59": {55.150, 0.091}, "age60-99": {92.605, 0.117}, "bmi": {6.790, 0.009}, "hypyes": {-4.724, 0.1},
		"sigma": {33.455, 0.033}, "hyp_age40-59": {3.430, 0.008}, "hyp_age60-99": {3.810, 0.008}, "bmi_age40-59": {-4.313, 0.01},
		"bmi_hypyes": {3.205, 0.01}, "sigma_bmi": {4.294, 0.003}, "Ymi_bmi[3]": {29.511, 0.012}, "Ymi_bmi[4]": {24.089, 0.019},
		"Ymi_bmi[6]": {21.126, 0.015}, "Ymi_hyp[1]": {0.049, 0.001}, "Ymi_hyp[4]": {0.470, 0.002}, "Ymi_hyp[6]": {0.397, 0.002},
		"Ymi_chl[1]": {171.054, 0.177}, "Ymi_chl[15]": {177.564, 0.131}, "Ymi_chl[20]": {237.728, 0.153},
	}
	found := 0
	for j, p := range params {
		w, ok := want[p.Name]
		if !ok {
			continue
		}
		found++
		mean, second := moments(means[j], nil)
		se := math.Hypot(second/math.Sqrt(float64(len(means[j])-1)), w[1])
		if z := (mean - w[0]) / se; !(math.Abs(z) < 6) {
			t.Errorf("%s: %.4f, JAGS %.4f (z = %.1f)", p.Name, mean, w[0], z)
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d parameters are there", found, len(want))
	}
}

// A model that incomplete data do not support is refused with a sentence.
func TestImputedRefusals(t *testing.T) {
	const plain = "formula: chl ~ age + bmi + hyp"
	for _, c := range []struct{ model, run, sampler, want string }{
		{plain, "loo: {moment_match: true}", "method: auto", "run: loo: moment_match is for complete data"},
		{plain, "chains: 2}\ngates: {prior_sensitivity: 0.05", "method: auto", "gates: prior_sensitivity is for complete data"},
		{"formula: bmi ~ age, mixture: {components: 2}", "chains: 2", "method: auto", "mixture"},
		{plain, "chains: 2", "method: nuts", `sampler "s" is nuts, which does not draw them`},
		{plain, "chains: 2", "method: cggibbs, basis: rotated", "has basis, which its updates do not have"},
		{"formula: chl ~ log(bmi)", "chains: 2", "method: auto", "log(bmi) has no value for some numbers"},
		{"formula: 'chl ~ cut(bmi, c(0, 25, 99))'", "chains: 2", "method: auto", "missing cells are not carried through it"},
		{"formula: chl ~ bmi + hyp, imputation: {bmi: {formula: bmi ~ hyp}, hyp: {formula: hyp ~ bmi}}", "chains: 2",
			"method: auto", "read each other"},
		{"formula: chl ~ bmi, imputation: {bmi: {formula: bmi ~ chl}}", "chains: 2", "method: auto", "stands among the predictors"},
		{"formula: chl ~ bmi, imputation: {bmi: {formula: age ~ hyp}}", "chains: 2", "method: auto", "explains something else"},
		{"formula: chl ~ bmi + offset(hyp)", "chains: 2", "method: auto", "draws cells of predictors alone"},
		{"formula: chl ~ bmi + (1 | hyp)", "chains: 2", "method: auto", `column "hyp", row 1 (line 2 of d.csv): the value is ` +
			"missing, and hyp in (1 | hyp) is a grouping"},
		{"formula: chl ~ hyp + (1 | hyp:age)", "chains: 2", "method: auto", "hyp:age in (1 | hyp:age) is a grouping"},
		{"formula: chl ~ bmi + (1 + log(bmi) | age)", "chains: 2", "method: auto", `column "bmi", row 1 (line 2 of d.csv): the ` +
			"value is missing, and (1 + log(bmi) | age) lets its slope vary by age"},
		{"formula: chl ~ bmi + (1 | age), imputation: {bmi: {formula: bmi ~ (1 | age)}}", "chains: 2", "method: auto",
			`the model of column "bmi" has group-level effects`},
		{"formula: chl ~ bmi + (1 | age), prior: {sd: flat}", "chains: 2", "method: auto", "flat"},
		{"formula: chl ~ bmi, imputation: {bmi: {formula: bmi ~ age, family: poisson}}", "chains: 2", "method: auto",
			"poisson is of a whole number, 0 or more, and it has others"},
		{"formula: chl ~ hyp, imputation: {hyp: {formula: hyp ~ age, family: gamma}}", "chains: 2", "method: auto",
			"gamma is not of text"},
		{"formula: chl ~ bmi, imputation: {bmi: {formula: bmi ~ age, family: bernoulli}}", "chains: 2", "method: auto",
			"bernoulli is of two values"},
		{"formula: chl ~ bmi, imputation: {bmi: {formula: log(bmi) ~ age, family: gamma}}", "chains: 2", "method: auto",
			"the logarithm of a column is gaussian"},
		{"formula: chl ~ bmi, imputation: {bmi: {formula: bmi ~ age, prior: {coefficients: 'cauchy(0, 1)'}}}", "chains: 2",
			"method: auto", "a coefficient of a gaussian column is not cauchy"},
		{"formula: chl ~ bmi, imputation: {bmi: {formula: bmi ~ age, prior: {shape: 'gamma(1, 1)'}}}", "chains: 2",
			"method: auto", "gaussian has no shape"},
		{plain + ", prior: {coefficients: flat}", "chains: 2", "method: auto", "flat"},
	} {
		problem, err := imputedProblem(t, c.model, c.run, c.sampler)
		if err == nil {
			_, err = problem.Setup(nil, Schedule{}, nil)
		}
		if err == nil || !strings.Contains(words.Line(err), c.want) {
			t.Errorf("%s; %s; %s: %v, want %q", c.model, c.run, c.sampler, err, c.want)
		}
	}
}

// Models of columns are ordered from the fewest missing cells to the most, if given formulas allow that.
func TestImputedModels(t *testing.T) {
	for model, want := range map[string]string{
		"formula: chl ~ age + bmi + hyp": "imputation: hyp ~ age, bernoulli: 8 missing cells are drawn; " +
			"imputation: bmi ~ age + hyp, gaussian: 9 missing cells are drawn",
		"formula: chl ~ hyp, imputation: {hyp: {formula: hyp ~ bmi}}": "imputation: bmi ~ 1, gaussian: 9 missing cells are drawn; " +
			"imputation: hyp ~ bmi, bernoulli: 8 missing cells are drawn",
		"formula: chl ~ log(bmi), imputation: {bmi: {formula: log(bmi) ~ age}}": "imputation: log(bmi) ~ age, gaussian: " +
			"9 missing cells are drawn",
		"formula: chl ~ log(bmi), imputation: {bmi: {formula: bmi ~ age, family: gamma}}": "imputation: bmi ~ age, gamma: " +
			"9 missing cells are drawn",
	} {
		problem, err := imputedProblem(t, model, "chains: 2", "method: auto")
		must(t, err)
		if got := strings.Join(problem.(*Imputed).models(), "; "); got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
}

// A column without a model in the spec has the family that pipeline init takes for a response of its kind.
func TestImputedFamilies(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,x,few,many,skewed,share,two,level,state\n")
	for i := range 60 {
		u := float64(i*37%60) / 60
		cells := []string{fmt.Sprint(i % 7), fmt.Sprint(3*u - 1), fmt.Sprint(i % 4), fmt.Sprint(i % 3 * (i % 29)),
			fmt.Sprint(math.Exp(4 * u)), fmt.Sprint(0.1 + 0.8*u), fmt.Sprint(4 + i%2), []string{"a", "b", "c"}[i%3],
			[]string{"yes", "no"}[i%2]}
		cells[1+i%8] = "NA"
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	problem, err := problemOf(t, b.String(), "formula: y ~ x + few + many + skewed + share + two + level + state", "chains: 2",
		"method: auto")
	must(t, err)
	got := map[string]string{}
	for _, c := range problem.(*Imputed).columns {
		words := strings.Split(strings.SplitN(c.words(), ":", 2)[0], ", ")
		got[c.gap.Column] = words[len(words)-1]
	}
	for column, want := range map[string]string{"x": "gaussian", "few": "poisson", "many": "negative_binomial",
		"skewed": "gamma", "share": "beta", "two": "bernoulli", "level": "multinomial", "state": "bernoulli"} {
		if got[column] != want {
			t.Errorf("%s is %s, want %s", column, got[column], want)
		}
	}
	if _, err := problem.Setup(nil, Schedule{}, nil); err != nil {
		t.Error(err)
	}
}

// The default shape of a negative_binomial column has its version in the fingerprint, a given one does not.
func TestImputedDefaultShape(t *testing.T) {
	var b strings.Builder
	b.WriteString("y,many\n0,NA\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%d\n", i%7, i%3*(i%29))
	}
	for given, want := range map[string]string{
		"": "shape/2", ", prior: {coefficients: 'normal(0, 1)'}": "shape/2", ", prior: {shape: exponential(1)}": "",
	} {
		problem, err := problemOf(t, b.String(), "formula: y ~ many, imputation: {many: {formula: many ~ 1, "+
			"family: negative_binomial"+given+"}}", "chains: 2", "method: auto")
		must(t, err)
		id := Identity{Versions: map[string]string{}}
		if problem.Identify(&id); id.Versions["defaults"] != want {
			t.Errorf("%s: version %q, want %q", given, id.Versions["defaults"], want)
		}
	}
}

// Priors of the spec are those of the model of a column; the others are the defaults.
func TestImputedPriors(t *testing.T) {
	problem, err := imputedProblem(t, "formula: chl ~ bmi + hyp, imputation: {bmi: {formula: bmi ~ age, prior: {coefficients: "+
		"'normal(0, 7)', by_name: {'age60*': 'normal(1, 3)'}, sigma: 'exponential(2)'}}, hyp: {formula: hyp ~ age, prior: "+
		"{intercept: 'student_t(4, 0, 1)'}}}", "chains: 2", "method: auto")
	must(t, err)
	columns := problem.(*Imputed).problem.Columns // hyp, then bmi
	bmi, hyp := columns[1].Model, columns[0].Model
	if a, b := bmi.Coefficients[1].String(), bmi.Coefficients[2].String(); a != "normal(0, 7)" || b != "normal(1, 3)" {
		t.Errorf("coefficients of bmi have %s and %s", a, b)
	}
	if a, b := bmi.Dispersion.String(), hyp.Coefficients[0].String(); a != "exponential(2)" || b != "student_t(4, 0, 1)" {
		t.Errorf("sigma of bmi has %s, the intercept of hyp %s", a, b)
	}
	if bmi.Coefficients[0].Kind != "normal" || hyp.Coefficients[1].Scale == 0 {
		t.Error("defaults are not there")
	}
	if _, err := problem.Setup(nil, Schedule{}, nil); err != nil {
		t.Error(err)
	}
}
