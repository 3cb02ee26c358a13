package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/internal/netcdf/netcdftest"
)

// grouped are hostile names, effects of a grouping term by term, and of one that lacks a level's.
func grouped() []infer.Parameter {
	out := slices.Clone(hostile)
	effect := func(grouping, level, term string) {
		out = append(out, infer.Parameter{Name: fmt.Sprintf("r_%s[%s,%s]", grouping, level, term), Kind: infer.GroupEffect, Grouping: grouping, Level: level, Term: term})
	}
	for _, term := range []string{"Intercept", "x"} {
		for _, level := range []string{"", "b/ü", "c"} {
			effect("g:h", level, term)
		}
	}
	effect("k", "a", "Intercept")
	effect("k", "b", "x")
	for _, name := range []string{"sd_g:h__x", "sd_g_h__x"} {
		out = append(out, infer.Parameter{Name: name, Kind: infer.GroupSD})
	}
	return append(out, infer.Parameter{Name: "chain", Kind: "derived"})
}

func inferenceData(t *testing.T, d *Draws) (string, *netcdftest.File) {
	t.Helper()
	files, err := Write(NetCDF, t.TempDir(), []string{"a", "b"}, d)
	must(t, err)
	b, err := os.ReadFile(files[0])
	must(t, err)
	return files[0], netcdftest.Read(b)
}

// Every draw of every parameter is in the file once, to the bit, at the place that the coordinates name.
func TestInferenceData(t *testing.T) {
	d := sample(grouped())
	d.Facts = []Fact{{Name: "seed", Value: "18446744073709551615"}}
	_, f := inferenceData(t, d)
	if f.Groups["posterior"]["seed"] != "18446744073709551615" || len(f.Groups) != 2 {
		t.Errorf("groups are %v", f.Groups)
	}
	shapes := map[string]string{
		"beta": "[3 40 4] [chain draw coefficient]", "r_g_h": "[3 40 3 2] [chain draw g_h_level g_h_term]", "r_k": "[3 40 2] [chain draw k_effect]",
		"beta_2": "[3 40] [chain draw]", "___DROP_TABLE_fit____": "[3 40] [chain draw]", "sd_g_h__x": "[3 40] [chain draw]",
		"sd_g_h__x_2": "[3 40] [chain draw]", "chain_2": "[3 40] [chain draw]",
	}
	for name, want := range shapes {
		a := f.Arrays["posterior/"+name]
		if a == nil {
			a = &netcdftest.Array{}
		}
		if got := fmt.Sprint(a.Shape, " ", a.Dimensions); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	// The place of each parameter, as its file describes it.
	place := map[string]func(c, i int) float64{}
	at := func(a *netcdftest.Array, k, of int) func(c, i int) float64 {
		return func(c, i int) float64 { return a.Values[(c*40+i)*of+k] }
	}
	for name, a := range f.Arrays {
		group, name, _ := strings.Cut(name, "/")
		if group != "posterior" || len(a.Shape) == 1 {
			continue
		}
		switch last := "posterior/" + a.Dimensions[len(a.Dimensions)-1]; len(a.Shape) {
		case 2:
			place[a.Attributes["parameter"].(string)] = at(a, 0, 1)
		case 3:
			for k, label := range f.Arrays[last].Labels {
				place[label] = at(a, k, a.Shape[2])
			}
		case 4:
			for l, level := range f.Arrays["posterior/"+a.Dimensions[2]].Labels {
				for k, term := range f.Arrays[last].Labels {
					place[fmt.Sprintf("r_g:h[%s,%s]", level, term)] = at(a, l*a.Shape[3]+k, a.Shape[2]*a.Shape[3])
				}
			}
		default:
			t.Errorf("%s has the shape %v", name, a.Shape)
		}
	}
	if len(place) != len(d.Parameters) {
		t.Fatalf("%d parameters in the file, want %d", len(place), len(d.Parameters))
	}
	want := make([]float64, len(d.Parameters)*d.Count)
	for c := range d.Chains {
		_ = d.Chain(c, want)
		for k, x := range want {
			p := d.Parameters[k/40]
			if got := place[p.Name](c, k%40); math.Float64bits(got) != math.Float64bits(x) {
				t.Fatalf("%s, chain %d, draw %d: %v in the file, want %v", p.Name, c, k%40, got, x)
			}
		}
	}
}

// Pieces in which draws are turned around do not show.
func TestInferenceDataInPieces(t *testing.T) {
	var many []infer.Parameter
	for i := range piece / 7 {
		many = append(many, infer.Parameter{Name: fmt.Sprint("x", i), Kind: infer.Coefficient})
	}
	d := sample(many)
	_, f := inferenceData(t, d)
	want := make([]float64, len(many)*40)
	_ = d.Chain(2, want)
	got := f.Arrays["posterior/beta"].Values[2*len(want):]
	for k, x := range want {
		if y := got[k%40*len(many)+k/40]; y != x {
			t.Fatalf("parameter %d, draw %d: %v, want %v", k/40, k%40, y, x)
		}
	}
}

// Statistics have the names of ArviZ's schema. A sampler without trajectories has no divergences, draws of the prior
// are in the groups for these, and what is not known is no group.
func TestInferenceDataStatistics(t *testing.T) {
	_, f := inferenceData(t, sample(hostile))
	for name, want := range map[string]float64{"lp": -5.0/3 + 1.0/7, "acceptance_rate": 0.9, "step_size": 0.25, "tree_depth": 3, "n_steps": 7, "diverging": 1, "energy": 12.5} {
		if a := f.Arrays["sample_stats/"+name]; a == nil || math.Abs(a.Values[45]-want) > 1e-15 {
			t.Errorf("%s of draw 6 of chain 2 is not %v", name, want)
		}
	}
	d := sample(hostile)
	d.Method, d.Stats = "prior", func(int) ([]infer.Info, error) { return make([]infer.Info, 40), nil }
	_, f = inferenceData(t, d)
	if f.Arrays["prior/beta"] == nil || f.Arrays["sample_stats_prior/lp"] == nil || f.Arrays["sample_stats_prior/diverging"] != nil || len(f.Groups) != 2 {
		t.Errorf("groups of draws of the prior are %v", f.Groups)
	}
	d.Method, d.Stats = "imported", func(int) ([]infer.Info, error) { return nil, nil }
	if _, f = inferenceData(t, d); len(f.Groups) != 1 {
		t.Errorf("groups without statistics are %v", f.Groups)
	}
}

// observations are seven rows that come in blocks; each number is its index in the file.
func observations(draws, block int) *Observations {
	const n = 7
	return &Observations{
		Places: []int{1, 2, 4, 5, 6, 9, 10}, Y: []float64{1, 0, 2, 0, 0, 1, 3}, Trials: []float64{3, 3, 3, 3, 3, 3, 4},
		Each: func(use func(first, rows int, logLik, responses []float64) error) error {
			for first := 0; first < n; first += block {
				rows := min(block, n-first)
				logLik, responses := make([]float64, rows*draws), make([]float64, rows*draws)
				for s := range draws {
					for i := range rows {
						logLik[s*rows+i], responses[s*rows+i] = float64(s*n+first+i), -float64(s*n+first+i)
					}
				}
				if err := use(first, rows, logLik, responses); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// Observations come in blocks of rows at every draw, and each is at its place.
func TestInferenceDataOfRows(t *testing.T) {
	d := sample(hostile)
	for _, block := range []int{1, 3, 7} {
		d.Observations = observations(120, block)
		_, f := inferenceData(t, d)
		logLik, responses := f.Arrays["log_likelihood/y"], f.Arrays["posterior_predictive/y"]
		if !slices.Equal(logLik.Dimensions, []string{"chain", "draw", "row"}) || !slices.Equal(logLik.Shape, []int{3, 40, 7}) {
			t.Fatalf("log_likelihood is %v over %q", logLik.Shape, logLik.Dimensions)
		}
		for k, x := range logLik.Values {
			if x != float64(k) || responses.Values[k] != -x {
				t.Fatalf("blocks of %d: value %d is %v and %v", block, k, x, responses.Values[k])
			}
		}
		if !slices.Equal(f.Arrays["observed_data/y"].Values, d.Observations.Y) || !slices.Equal(f.Arrays["constant_data/trials"].Values, d.Observations.Trials) ||
			!slices.Equal(f.Arrays["log_likelihood/row"].Values, []float64{1, 2, 4, 5, 6, 9, 10}) {
			t.Errorf("observed are %v of %v in rows %v", f.Arrays["observed_data/y"], f.Arrays["constant_data/trials"], f.Arrays["log_likelihood/row"])
		}
	}
	d.Method = "prior"
	_, f := inferenceData(t, d)
	if len(f.Groups) != 5 || f.Arrays["prior_predictive/y"] == nil || f.Groups["log_likelihood"] != nil {
		t.Errorf("draws of the prior are in the groups %v", f.Groups)
	}
}

// readInPython reads groups as arviz.from_netcdf does: names by netCDF4, each group by xarray.
const readInPython = `
import sys
try:
    import netCDF4, xarray
except ImportError:
    sys.exit(77)
for name in netCDF4.Dataset(sys.argv[1]).groups:
    d = xarray.open_dataset(sys.argv[1], group=name, engine="netcdf4").load()
    for v in d.data_vars:
        print(name, v, d[v].dtype, *("%s=%d" % x for x in zip(d[v].dims, d[v].shape)), "%.12g" % float(d[v].astype(float).sum()))
    for c in d.coords:
        print(name, c, *(repr(x) for x in d[c].values.tolist()), sep="|") if d[c].size < 9 else None
print(d.attrs["seed"], d.attrs["seconds"])
`

// The netCDF library and xarray read what Write writes, as ArviZ does.
func TestPythonReads(t *testing.T) {
	missing := "Python with xarray and netCDF4 is not installed (Debian: python3-xarray, python3-netcdf4)"
	unread := t.Skip
	if os.Getenv("GLMBATCH_PYTHON") == "required" {
		unread = t.Fatal
	}
	python := "/usr/bin/python3" // Debian's, which has Debian's packages
	if _, err := exec.LookPath(python); err != nil {
		unread(missing)
	}
	d := sample(grouped())
	d.Facts = []Fact{{Name: "seed", Value: "7"}, {Name: "seconds", Value: 1.5}}
	d.Observations = observations(120, 3)
	path, f := inferenceData(t, d)
	out, err := exec.Command(python, "-c", readInPython, path).CombinedOutput()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() == 77 {
		unread(missing)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	read := string(out)
	for name, a := range f.Arrays {
		group, variable, _ := strings.Cut(name, "/")
		if len(a.Shape) == 1 {
			continue
		}
		kind := cmp.Or(map[string]string{"diverging": "bool", "tree_depth": "int64", "n_steps": "int64"}[variable], "float64")
		line := group + " " + variable + " " + kind
		sum := 0.0
		for i, dim := range a.Dimensions {
			line += fmt.Sprintf(" %s=%d", dim, a.Shape[i])
		}
		for _, x := range a.Values {
			if !math.IsNaN(x) {
				sum += x
			}
		}
		at := strings.Index(read, line+" ")
		if at < 0 {
			t.Errorf("Python does not read %q", line)
			continue
		}
		got, _, _ := strings.Cut(read[at+len(line)+1:], "\n")
		if !close(got, fmt.Sprintf("%.12g", sum)) {
			t.Errorf("the sum of %s is %s, want %.12g", name, got, sum)
		}
	}
	for _, want := range []string{"posterior|g_h_level|''|'b/ü'|'c'\n", "posterior|g_h_term|'Intercept'|'x'\n", "posterior|coefficient|'(Intercept)'|'poly(x, 2)\"1'|'größe\\nzwei'|' padded '\n", "posterior|chain|0|1|2\n", "7 1.5\n"} {
		if !strings.Contains(read, want) {
			t.Errorf("Python does not read %q", want)
		}
	}
	if t.Failed() {
		t.Log(read)
	}
}
