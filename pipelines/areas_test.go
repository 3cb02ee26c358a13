package pipelines_test

import (
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const sids = `
pipeline: p
database: t.duckdb
seed: 3
datasets: {sids: {path: sids.csv}}
matrices: {W: sids_pairs.csv}
models:
`

// newSIDS is a folder with the counties, their pairs and a spec of one model.
func newSIDS(t *testing.T, model, run string) folder {
	t.Helper()
	return newClassic(t, sids+"  m: {"+model+", family: poisson}\nsamplers: {s: {method: nuts}}\nrun: {chains: 2, warmup: 150, draws: 200"+
		run+"}\n", "sids.csv", "sids_pairs.csv")
}

const (
	carModel = `formula: 'deaths ~ offset(log(births)) + car(W, gr = county, type = "TYPE")'`
	ofCar    = "SELECT string_agg(name, ' ' ORDER BY parameter_id) FROM parameter WHERE kind = 'smooth_sd'"
)

// Parameters of car() have the names of brms, and each area has an effect.
func TestAreasHaveNames(t *testing.T) {
	for kind, want := range map[string]string{"icar": "sdcar", "bym2": "sdcar rhocar", "escar": "sdcar car"} {
		f := newSIDS(t, strings.Replace(carModel, "TYPE", kind, 1), "")
		f.computes()
		if got := f.ask("t.duckdb", ofCar); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
		if got := f.ask("t.duckdb", "SELECT count(*), count(DISTINCT level) FROM smooths WHERE name = 'rcar'"); !strings.Contains(got, "100") {
			t.Errorf("%s: %s effects, want 100", kind, got)
		}
	}
}

// Counties whose rows k-fold leaves out are predicted by their neighbours.
func TestAreasAreLeftOut(t *testing.T) {
	f := newSIDS(t, strings.Replace(carModel, "TYPE", "bym2", 1), ", kfold: 4, loo: true")
	f.computes()
	if got := f.ask("t.duckdb", "SELECT count(*) FROM kfold_pointwise"); got == "0" {
		t.Errorf("no row is predicted")
	}
}

// Another table of neighbours is another fit, and another order of its rows is not.
func TestMatrixIsIdentified(t *testing.T) {
	f := newSIDS(t, strings.Replace(carModel, "TYPE", "icar", 1), "")
	f.computes()
	pairs := strings.Split(strings.TrimSpace(f.read("sids_pairs.csv")), "\n")
	last := len(pairs) - 1
	pairs[1], pairs[last] = pairs[last], pairs[1]
	f.write("sids_pairs.csv", strings.Join(pairs, "\n")+"\n")
	if out := f.run(pipelines.RunOptions{}); out.Fits[0].Action != pipelines.Skipped {
		t.Errorf("%s after a change of the order", out.Fits[0].Action)
	}
	f.write("sids_pairs.csv", strings.Join(pairs[:last], "\n")+"\n")
	f.computes()
}

func TestAreasAreRefused(t *testing.T) {
	for model, want := range map[string]string{
		`formula: "deaths ~ car(V, gr = county)"`:                                           `there is no matrix "V"`,
		`formula: "deaths ~ car(W)"`:                                                        "gr of car() is the column of areas",
		`formula: 'deaths ~ car(W, gr = county, type = "sar")'`:                             "of car() is not supported",
		`formula: "deaths ~ car(W, gr = births)"`:                                           `has no level`,
		`formula: "deaths ~ rw(births)"`:                                                    "steps",
		`formula: "deaths ~ car(W, gr = county) + car(W, gr = area)"`:                       "have the same parameters",
		`formula: "deaths ~ car(W, gr = county)", prior: {by_name: {car: "uniform(0, 2)"}}`: "a number between 0 and 1",
	} {
		if text := newSIDS(t, model, "").errors(); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", model, text, want)
		}
	}
}
