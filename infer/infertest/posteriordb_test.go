package infertest_test

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/references"
)

// known is a posterior with its reference.
type known struct {
	name   string
	data   *glm.Data
	model  glm.Model
	mean   []float64 // in the order of the target's parameters
	sd     []float64
	mcse   []float64 // of mean; 0 if it was computed without Monte Carlo
	quoted bool      // the reference has exact_* values
}

// entry is a posterior in index.json.
type entry struct {
	folder        string // of the database
	Name          string
	Family        string
	Link          string
	Intercept     bool
	Response      string
	Columns       []string          `json:"design_columns"`
	Map           map[string]string `json:"parameter_map"`
	Priors        map[string]written
	DesignFile    string `json:"design_file"`
	ReferenceFile string `json:"reference_file"`
}

// written is a prior in posteriordb's form.
type written struct {
	Dist     string
	Mean, Sd float64
	Location float64
	Scale    float64
	DF       float64
	Lower    float64
	Upper    float64
}

// glm returns the prior, or an error if this version has none of its kind.
func (p written) glm() (prior.Prior, error) {
	switch p.Dist {
	case "flat":
		return prior.Prior{Kind: prior.Flat}, nil
	case "normal":
		return prior.Prior{Kind: prior.Normal, Location: p.Mean, Scale: p.Sd}, nil
	case "half_normal":
		return prior.Prior{Kind: prior.HalfNormal, Scale: p.Sd}, nil
	case "half_cauchy":
		return prior.Prior{Kind: prior.HalfCauchy, Scale: p.Scale}, nil
	case "student_t":
		return prior.Prior{Kind: prior.StudentT, DF: p.DF, Location: p.Location, Scale: p.Scale}, nil
	case "half_student_t":
		return prior.Prior{Kind: prior.HalfStudentT, DF: p.DF, Scale: p.Scale}, nil
	case "uniform":
		return prior.Prior{Kind: prior.Uniform, Low: p.Lower, High: p.Upper}, nil
	}
	return prior.Prior{}, fmt.Errorf("no prior %s", p.Dist)
}

// posteriors reads the database of posteriors whose answers others computed (see its
// README.md), or skips the test where it is absent. The reasons of the posteriors that
// are left out come back by name.
func posteriors(t *testing.T) (covered []known, left map[string]string) {
	t.Helper()
	var index struct{ Posteriors []entry }
	folder := references.Folder(t, "posteriordb")
	must(t, readJSON(filepath.Join(folder, "index.json"), &index))
	left = map[string]string{}
	for _, e := range index.Posteriors {
		e.folder = folder
		model, why := e.model()
		if why != nil {
			left[e.Name] = why.Error()
			continue
		}
		k := known{name: e.Name, model: model}
		var err error
		if k.data, err = e.design(); err == nil {
			err = e.reference(&k)
		}
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		covered = append(covered, k)
	}
	return covered, left
}

// names returns the columns with the intercept in front.
func (e entry) names() []string {
	if e.Intercept {
		return append([]string{"(Intercept)"}, e.Columns...)
	}
	return e.Columns
}

// key returns the reference's name of a parameter.
func (e entry) key(column string) string {
	for key, c := range e.Map {
		if c == column {
			return key
		}
	}
	return column // sigma
}

func (e entry) model() (glm.Model, error) {
	m := glm.Model{Family: glm.Family{Name: e.Family, Link: e.Link}}
	for _, name := range e.names() {
		p, err := e.Priors[e.key(name)].glm()
		if err != nil {
			return m, err
		}
		m.Coefficients = append(m.Coefficients, p)
	}
	if e.Family == "gaussian" {
		p, err := e.Priors["sigma"].glm()
		if err != nil {
			return m, err
		}
		m.Dispersion = p
	}
	return m, nil
}

// rows reads the design file. Of one that is Parquet, which tests of infer do
// not read, it takes the copy that package ingest holds equal to it.
func (e entry) rows() ([][]string, error) {
	path := filepath.Join(e.folder, e.DesignFile)
	stem, parquet := strings.CutSuffix(filepath.Base(path), ".parquet")
	if parquet {
		path = filepath.Join("testdata", stem+".csv.gz")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var text io.Reader = file
	if parquet {
		if text, err = gzip.NewReader(file); err != nil {
			return nil, err
		}
	}
	return csv.NewReader(text).ReadAll()
}

// design reads the response and the columns of the design file.
func (e entry) design() (*glm.Data, error) {
	rows, err := e.rows()
	if err != nil {
		return nil, err
	}
	place := map[string]int{}
	for i, name := range rows[0] {
		place[name] = i
	}
	rows = rows[1:]
	column := func(name string, dst []float64) error {
		at, ok := place[name]
		if !ok {
			return fmt.Errorf("no column %q in %s", name, e.DesignFile)
		}
		for i, row := range rows {
			if dst[i], err = strconv.ParseFloat(row[at], 64); err != nil {
				return err
			}
		}
		return nil
	}
	data := &glm.Data{X: design.NewDense(len(rows), len(e.names())), Names: e.names(), Intercept: -1, Y: make([]float64, len(rows))}
	if err := column(e.Response, data.Y); err != nil {
		return nil, err
	}
	if _, ok := place["N"]; ok && e.Family == "binomial" {
		data.Trials = make([]float64, len(rows))
		if err := column("N", data.Trials); err != nil {
			return nil, err
		}
	}
	for j, name := range data.Names {
		if name == "(Intercept)" {
			data.Intercept = j
			for i := range rows {
				data.X.Col(j)[i] = 1
			}
		} else if err := column(name, data.X.Col(j)); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// reference reads means and standard deviations, the exact ones if present.
func (e entry) reference(k *known) error {
	var ref struct{ Parameters map[string]map[string]any }
	if err := readJSON(filepath.Join(e.folder, e.ReferenceFile), &ref); err != nil {
		return err
	}
	names := k.data.Names
	if e.Family == "gaussian" {
		names = append(names[:len(names):len(names)], "sigma")
	}
	for _, name := range names {
		values := ref.Parameters[e.key(name)]
		number := func(key string) float64 { v, _ := values[key].(float64); return v }
		_, k.quoted = values["exact_mean"]
		if k.quoted {
			k.mean, k.sd, k.mcse = append(k.mean, number("exact_mean")), append(k.sd, number("exact_sd")), append(k.mcse, 0)
		} else {
			k.mean, k.sd, k.mcse = append(k.mean, number("mean")), append(k.sd, number("sd")), append(k.mcse, number("mcse_mean"))
		}
		if k.sd[len(k.sd)-1] == 0 {
			return fmt.Errorf("no reference of %s", name)
		}
	}
	return nil
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
