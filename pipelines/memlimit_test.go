package pipelines_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// Data that ask for more memory than there is cost their own fits, by name and with the way out, and not the night:
// 100,000 rows with a text column of as many levels, and compressed files whose text or cells are far more than the
// ceiling. A healthy fit of the same run is stored.
//
// Before there was a ceiling the first of them ended the process (out of memory: cannot allocate 80002154496-byte
// block), with a limit too.
func TestOneFileCostsItsOwnFits(t *testing.T) {
	dir := t.TempDir()
	var levels strings.Builder
	levels.WriteString("y,g\n")
	for i := range 100_000 {
		fmt.Fprintf(&levels, "%d,L%d\n", i%7, i)
	}
	inDir(t, dir, "levels.csv", levels.String())
	inDir(t, dir, "ok.csv", "y,x\n1,1\n2,3\n2,2\n4,5\n3,4\n5,4\n")
	zipped(t, filepath.Join(dir, "cells.csv.gz"), "y,x\n", strings.Repeat("1.5,2.5\n", 1<<16), 160)               // 84 MB of text
	zipped(t, filepath.Join(dir, "text.csv.gz"), "y,x,note\n", "1,2,"+strings.Repeat("n", 1<<20)+"\n3,4,\n", 256) // 268 MB
	const spec = `
pipeline: ceiling
database: %s
datasets: {ok: {path: ok.csv}, levels: {path: levels.csv}, cells: {path: cells.csv.gz}, text: {path: text.csv.gz}}
models: {g: {formula: y ~ g, family: gaussian}, x: {formula: y ~ x, family: gaussian}}
samplers: {s: {method: conjugate}}
run: {warmup: 50, draws: 250}
fits:
  - {datasets: [levels], models: [g], samplers: [s]}
  - {datasets: [cells, text, ok], models: [x], samplers: [s]}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}
`
	for _, c := range []struct {
		name string
		o    pipelines.RunOptions
		want map[string][]string // of the fits of a data set, in their reasons
	}{
		{"default", pipelines.RunOptions{Only: []string{"dataset=levels", "dataset=ok"}}, map[string][]string{
			"levels": {`dataset "levels", levels.csv, column "g": its 100000 levels make 99999 of the 100000 columns`,
				"need about 240 GB, and the run may take ", "hint: write sparse: true", "by: fits groups apart"}}},
		{"given", pipelines.RunOptions{Memory: "256MB", Workers: 2}, map[string][]string{
			"levels": {`column "g": its 100000 levels make 99999`, "and the run may take 256 MB, of which fits get 125 MB"},
			"cells": {`dataset "cells", `, "cells.csv.gz: the data need ", " of memory, and reading may take 62 MB",
				"hint: name fewer columns"},
			"text": {`dataset "text", `, "text.csv.gz: the compressed data hold more than 256 MB of text", "hint: decompress it"}}},
	} {
		inDir(t, dir, "spec.yaml", fmt.Sprintf(spec, c.name+".duckdb"))
		out, err := pipelines.Run(t.Context(), filepath.Join(dir, "spec.yaml"), c.o)
		must(t, err)
		if out.ExitCode != pipelines.ExitFail || len(out.Fits) != len(c.want)+1 {
			t.Errorf("%s: exit code %d, %d fits", c.name, out.ExitCode, len(out.Fits))
		}
		for _, f := range out.Fits {
			said := strings.Join(f.Reasons, "\n")
			if f.Dataset == "ok" && (f.Verdict != "pass" || f.ID == 0) {
				t.Errorf("%s: the healthy fit: %s, stored as %d: %s", c.name, f.Verdict, f.ID, said)
			}
			for _, want := range c.want[f.Dataset] {
				if f.Verdict != "error" || !strings.Contains(said, want) {
					t.Errorf("%s: data set %s: %s %s, want %q", c.name, f.Dataset, f.Verdict, said, want)
				}
			}
		}
	}
}

func inDir(t *testing.T, dir, name, text string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// zipped writes a head once and a text many times, compressed.
func zipped(t *testing.T, path, head, text string, times int) {
	t.Helper()
	file, err := os.Create(path)
	must(t, err)
	z, _ := gzip.NewWriterLevel(file, gzip.BestSpeed)
	_, err = io.WriteString(z, head)
	for range times {
		if err == nil {
			_, err = io.WriteString(z, text)
		}
	}
	if err != nil || z.Close() != nil || file.Close() != nil {
		t.Fatal("the file cannot be written:", err)
	}
}
