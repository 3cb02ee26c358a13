package glm

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
)

// fitted is a fit of R's glm() or MASS::glm.nb(), see testdata/classic/README.md.
type fitted struct {
	Family, Link, Formula, Response, Trials, Offset string

	File, Frequency, Precision string // of a fit with weights, see make_weights.R

	Coefficients []struct {
		Name     string
		Estimate float64
		StdError float64 `json:"std_error"`
	}
	Dispersion struct {
		Kind     string
		Estimate float64
		Pearson  float64 `json:"pearson_dispersion"`
	}
	Used          int     `json:"n_used"`
	LogLikelihood float64 `json:"log_likelihood"`
}

// frame is a CSV file by column.
type frame map[string][]string

func readFrame(t *testing.T, path string) frame {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer func() { _ = file.Close() }()
	lines, err := csv.NewReader(file).ReadAll()
	must(t, err)
	f := frame{}
	for j, name := range lines[0] {
		for _, line := range lines[1:] {
			f[name] = append(f[name], line[j])
		}
	}
	return f
}

// number returns an entry of a column, or of the log of one.
func (f frame) number(t *testing.T, name string, i int) float64 {
	t.Helper()
	if inner, ok := strings.CutPrefix(name, "log("); ok {
		return math.Log(f.number(t, strings.TrimSuffix(inner, ")"), i))
	}
	v, err := strconv.ParseFloat(f[name][i], 64)
	if err != nil {
		t.Fatalf("%s, row %d: %v", name, i+1, err)
	}
	return v
}

// coefficient returns an entry of the column of R's coefficient: a product of
// numeric columns and factor levels.
func (f frame) coefficient(t *testing.T, name string, i int) float64 {
	t.Helper()
	if name == "(Intercept)" {
		return 1
	}
	product := 1.0
	for _, part := range strings.Split(name, ":") {
		if _, numeric := f[part]; numeric || strings.HasPrefix(part, "log(") {
			product *= f.number(t, part, i)
			continue
		}
		factor := ""
		for column := range f {
			if strings.HasPrefix(part, column) && len(column) > len(factor) {
				factor = column
			}
		}
		if factor == "" {
			t.Fatalf("no column of %q", name)
		}
		if f[factor][i] != strings.TrimPrefix(part, factor) {
			product = 0
		}
	}
	return product
}

// code writes the numbers 0 and 1 over a column of two texts: the later one is
// the success.
func (f frame) code(name string) {
	levels := slices.Compact(slices.Sorted(slices.Values(f[name])))
	if _, err := strconv.ParseFloat(levels[0], 64); err != nil && levels[0] != "NA" && len(levels) == 2 {
		for i, text := range f[name] {
			f[name][i] = strconv.Itoa(slices.Index(levels, text))
		}
	}
}

// rowsOf lists the rows without missing values in the columns of a formula.
func (f frame) rowsOf(formula string) (rows []int) {
	var used []string
	for name := range f {
		if slices.ContainsFunc(strings.FieldsFunc(formula, func(r rune) bool { return strings.ContainsRune(" ~+*:(),-", r) }),
			func(word string) bool { return word == name }) {
			used = append(used, name)
		}
	}
	for i := range f[used[0]] {
		if !slices.ContainsFunc(used, func(name string) bool { return f[name][i] == "NA" }) {
			rows = append(rows, i)
		}
	}
	return rows
}

// target builds the posterior of a fit under flat priors, its dispersion fixed
// at the reference's.
func (r *fitted) target(t *testing.T, f frame) *Target {
	t.Helper()
	rows := f.rowsOf(r.Formula)
	if len(rows) != r.Used {
		t.Fatalf("%d rows, want %d", len(rows), r.Used)
	}
	f.code(r.Response)
	d := len(r.Coefficients)
	data := &Data{X: design.NewDense(len(rows), d), Y: make([]float64, len(rows)), Intercept: 0}
	if r.Trials != "" {
		data.Trials = make([]float64, len(rows))
	}
	if r.Offset != "" {
		data.Offset = make([]float64, len(rows))
	}
	for k, i := range rows {
		data.Y[k] = f.number(t, r.Response, i)
		for j, c := range r.Coefficients {
			data.X.Col(j)[k] = f.coefficient(t, c.Name, i)
		}
		for _, part := range strings.FieldsFunc(r.Trials, func(c rune) bool { return c == '+' || c == ' ' }) {
			data.Trials[k] += f.number(t, part, i)
		}
		if r.Offset != "" {
			data.Offset[k] = f.number(t, r.Offset, i)
		}
	}
	for name, weights := range map[string]*[]float64{r.Frequency: &data.Frequency, r.Precision: &data.Precision} {
		for _, i := range rows {
			if name != "" {
				*weights = append(*weights, f.number(t, name, i))
			}
		}
	}
	m := Model{Family: Family{Name: r.Family, Link: r.Link}, Coefficients: make([]prior.Prior, d), Dispersion: prior.Prior{Kind: prior.Constant, Location: r.Dispersion.Estimate}}
	if r.Dispersion.Kind == "shape" {
		m.Dispersion.Location = 1 / r.Dispersion.Pearson
	}
	for j := range m.Coefficients {
		m.Coefficients[j].Kind = prior.Flat
		if r.Family == "gaussian" && r.Link != "identity" || r.Family == "inverse_gaussian" && r.Link == "log" { // refused; mode looks at no prior
			m.Coefficients[j] = prior.Prior{Kind: prior.Normal, Scale: 1000}
		}
	}
	target, err := NewTarget(data, m)
	must(t, err)
	return target
}

// mode climbs to the flat-prior mode by Fisher scoring, and returns it with the
// standard errors that the information gives there.
func mode(t *testing.T, target *Target) (beta, se []float64) {
	t.Helper()
	n, d := target.Rows(), target.Cols()
	beta = append([]float64(nil), target.Penalised()...)
	p := NewPoint(target)
	h, scratch, rows, info, step := make([]float64, d*d), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, d)
	for range 60 {
		p.SetUnconstrained(beta)
		target.RowGradient(p.Eta(), p.disp.at[:], rows)
		target.RowInformation(p.Eta(), p.disp.at[:], info)
		if !newtonStep(target.data.X, rows, info, scratch, h, step) {
			t.Fatal("singular")
		}
		for j := range beta {
			beta[j] += step[j]
		}
	}
	design.WeightedGram(target.data.X, info, scratch, h)
	c, err := linalg.Cholesky(h, d)
	must(t, err)
	for j := range d {
		e := make([]float64, d)
		e[j] = 1
		c.Solve(e)
		se = append(se, math.Sqrt(e[j]))
	}
	return beta, se
}

// The flat-prior mode of every fit in testdata/classic equals R's estimate, the
// information at the reference's dispersion its standard errors, to 1e-6
// relative, and the log likelihood R's, where R evaluates it at that dispersion.
func TestClassicFits(t *testing.T) {
	eachClassic(t, func(t *testing.T, _ string, r *fitted, f frame) { r.check(t, f) })
}

// eachClassic calls check with every fit and its data.
func eachClassic(t *testing.T, check func(t *testing.T, file string, r *fitted, f frame)) {
	t.Helper()
	files, _ := filepath.Glob("../../testdata/classic/*.reference.json")
	if len(files) == 0 {
		t.Fatal("no reference fits under testdata/classic")
	}
	fits := 0
	for _, path := range files {
		var reference struct {
			File string
			Fits []fitted
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &reference)
		}
		must(t, err)
		f := readFrame(t, strings.TrimSuffix(path, ".reference.json")+".csv")
		for _, r := range reference.Fits {
			fits++
			t.Run(filepath.Base(path)+"/"+r.Family+"("+r.Link+")/"+r.Formula, func(t *testing.T) {
				check(t, strings.TrimSuffix(filepath.Base(path), ".reference.json"), &r, f)
			})
		}
	}
	if fits < 20 {
		t.Errorf("only %d fits", fits)
	}
}

// check compares one fit, and returns the largest relative differences of
// estimates and of standard errors.
func (r *fitted) check(t *testing.T, f frame) (estimate, stdError float64) {
	target := r.target(t, f)
	beta, se := mode(t, target)
	for j, c := range r.Coefficients {
		a, b := math.Abs(beta[j]-c.Estimate)/(c.StdError+math.Abs(c.Estimate)), math.Abs(se[j]/c.StdError-1)
		estimate, stdError = max(estimate, a), max(stdError, b)
		if !(a <= 1e-6) || !(b <= 1e-6) {
			t.Errorf("%s: %v ± %v, R has %v ± %v", c.Name, beta[j], se[j], c.Estimate, c.StdError)
		}
	}
	if k := r.Dispersion.Kind; k == "" || k == "theta" {
		if got := target.LogLik(beta); !near(got, r.LogLikelihood, 1e-8) {
			t.Errorf("log likelihood %v, R has %v", got, r.LogLikelihood)
		}
	}
	t.Logf("%d coefficients, largest relative difference %.1e", len(beta), max(estimate, stdError))
	return estimate, stdError
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
