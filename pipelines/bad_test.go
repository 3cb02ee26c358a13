package pipelines_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// badEntry is a file of testdata/bad with the outcome that its index.json states.
type badEntry struct {
	File, Family, Response, Action, Column, Trials, Prior string
	Line, Row                                             int
	MustName                                              []string `json:"message_must_name"`
}

// formula is the model of a file as the index has it.
func (e *badEntry) formula() string {
	response := e.Response
	if response == "" {
		response = "y" // of the rows next to triplets
	}
	if e.Trials != "" {
		response += " | trials(" + e.Trials + ")"
	}
	return response + " ~ ."
}

// named are the words that a message about the file has to contain.
func (e *badEntry) named() []string {
	var out []string
	for _, what := range e.MustName {
		switch what {
		case "file":
			out = append(out, e.File)
		case "column":
			if e.Column != "" {
				out = append(out, e.Column)
			}
		case "line":
			out = append(out, fmt.Sprintf("line %d", e.Line))
		case "row":
			out = append(out, fmt.Sprintf("row %d", e.Row))
		}
	}
	return out
}

// badSpec writes a spec with a data set and a model for each file, and a second
// model with flat priors where the index asks for one. It returns the files by data
// set, and the number of fits.
func (f folder) badSpec(dir string, files []*badEntry) (entries map[string]*badEntry, fits int) {
	f.write("four.csv", "y\n0\n1\n1\n0\n")
	entries = map[string]*badEntry{}
	datasets, models, chosen := "", "", ""
	for i, e := range files {
		name := fmt.Sprintf("d%d", i)
		entries[name] = e
		source := fmt.Sprintf("{path: '%s'}", filepath.Join(dir, e.File))
		if strings.HasPrefix(e.File, "coo_") {
			source = fmt.Sprintf("{path: four.csv, triplets: {path: '%s'}}", filepath.Join(dir, e.File))
		}
		datasets += fmt.Sprintf("  %s: %s\n", name, source)
		for _, prior := range []string{"normal(0, 10)", "flat"} {
			if prior == "flat" && !strings.Contains(e.Prior, "flat") {
				continue
			}
			model := name + prior[:4]
			models += fmt.Sprintf("  %s: {formula: '%s', family: %s, standardize: center_scale, prior: {coefficients: '%s', intercept: '%s'}}\n", model, e.formula(), e.Family, prior, prior)
			chosen += fmt.Sprintf("  - {datasets: [%s], models: [%s], samplers: [s]}\n", name, model)
		}
	}
	f.write("spec.yaml", "pipeline: bad\ndatabase: t.duckdb\ndatasets:\n"+datasets+"models:\n"+models+
		"samplers: {s: {method: cggibbs}}\nrun: {chains: 2, warmup: 50, draws: 100}\ngates: {rhat: 10, ess_bulk: 1, ess_tail: 1}\nfits:\n"+chosen)
	return entries, strings.Count(chosen, "\n")
}

// Every file of testdata/bad goes through the whole program, in one run: each
// comes to the outcome that the index states, by itself, with a message that names
// what it must, and what cannot be fitted under a flat prior is refused or warned of.
func TestBadFiles(t *testing.T) {
	dir, err := filepath.Abs("../testdata/bad")
	must(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	must(t, err)
	var index struct{ Files []*badEntry }
	must(t, json.Unmarshal(text, &index))
	f := folder{t, memory(t)}
	entries, fits := f.badSpec(dir, index.Files)
	out := f.run(pipelines.RunOptions{Workers: 2})
	if out.ExitCode != pipelines.ExitFail || len(out.Fits) != fits {
		t.Errorf("exit code %d, %d fits of %d", out.ExitCode, len(out.Fits), fits)
	}
	for _, fit := range out.Fits {
		e, said := entries[fit.Dataset], strings.Join(slices.Concat(fit.Reasons, fit.Warnings), "\n")
		erred := fit.Verdict == "error"
		silent := false
		switch {
		case strings.HasSuffix(fit.Model, "flat"):
			silent = said == ""
		case e.Action == "error" || e.Action == "policy":
			silent = !erred
		case e.Action == "accept" || e.Action == "accept_with_warning":
			silent = erred || (e.Action == "accept_with_warning" && e.File != "separated.csv" && said == "")
		}
		if silent {
			t.Errorf("%s, %s: %s, and it says %q", e.File, e.Action, fit.Verdict, said)
		}
		for _, word := range e.named() {
			if (erred || e.Action == "accept_with_warning") && !strings.Contains(said, word) {
				t.Errorf("%s: %q does not say %q", e.File, said, word)
			}
		}
		if erred && !strings.Contains(said, fmt.Sprintf("dataset %q", fit.Dataset)) {
			t.Errorf("%s: %q does not name the data set", e.File, said)
		}
	}
}
