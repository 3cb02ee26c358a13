package pipelines_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"glmbatch/pipelines"
)

// Every line of the log names its run; those of fits and chains name their fit,
// as the ledger does, and chains count from 1. docs/nightly.md lists the fields.
func TestLogNamesRunFitAndChain(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}"))
	var b bytes.Buffer
	out := f.run(pipelines.RunOptions{Log: slog.New(slog.NewJSONHandler(&b, nil))})
	fields := map[string][]string{
		"run started": {"run", "pipeline", "database", "seed", "workers", "build"},
		"chain":       {"run", "fit", "fingerprint", "chain", "from", "iterations"},
		"fit":         {"run", "fit", "fingerprint", "action"},
		"run ended":   {"run", "pipeline", "exit_code", "counts", "unrecorded"},
	}
	seen := map[string]int{}
	var chains []string
	for line := range bytes.Lines(b.Bytes()) {
		var v map[string]any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		msg := v["msg"].(string)
		seen[msg]++
		for _, key := range append(fields[msg], "time", "level") {
			if _, ok := v[key]; !ok || fields[msg] == nil {
				t.Errorf("%q is new, or lacks %q: %s", msg, key, line)
			}
		}
		if v["run"] != out.RunID {
			t.Errorf("run %v, want %s", v["run"], out.RunID)
		}
		if msg == "chain" {
			chains = append(chains, fmt.Sprint(v["fit"], " ", v["chain"], " ", v["from"], " ", v["iterations"]))
		}
		if id, has := v["fit_id"]; msg == "fit" && has != (v["action"] == "computed") {
			t.Errorf("fit_id %v of a fit that is %v", id, v["action"])
		}
	}
	slices.Sort(chains)
	want := []string{}
	for _, key := range []string{"north", "west"} {
		for c := range 3 {
			want = append(want, fmt.Sprintf("claims/%s × m × gibbs %d 0 80", key, c+1))
		}
	}
	if !slices.Equal(chains, want) || seen["run started"] != 1 || seen["fit"] != 3 || seen["run ended"] != 1 {
		t.Errorf("%v\n%q, want %q", seen, chains, want)
	}
}
