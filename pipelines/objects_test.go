package pipelines_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/internal/objects/objectstest"
	"glmbatch/pipelines"
)

// A fit of a file and of the same data in an object store are one fit, a spec reads objects only if that is
// allowed, and the ledger has no credentials.
func TestObjects(t *testing.T) {
	store := objectstest.New(t)
	data := strings.Replace(claims, "-3", "3", 1)
	store.Put("data/night/claims.csv", []byte(data))
	f := folder{t, t.TempDir()}
	f.write("claims.csv", data)
	run := func(path string, trust *pipelines.Trust) (*pipelines.Outcome, error) {
		f.write("spec.yaml", strings.NewReplacer("DATABASE", "ok.duckdb", "DATA", `"`+path+`"`).Replace(stranger))
		return pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{Overrides: pipelines.Overrides{Trust: trust}})
	}
	if _, err := run("s3://data/night/claims.csv", &pipelines.Trust{Folders: []string{f.dir}}); err == nil ||
		!strings.Contains(err.Error(), "--allow s3://data/night") {
		t.Errorf("without leave: %v", err)
	}
	if asked, _ := store.Asked(); len(asked) > 0 {
		t.Errorf("the store was asked %q", asked)
	}
	leave := &pipelines.Trust{Folders: []string{f.dir, "s3://data/night"}}
	for i, path := range []string{"s3://data/night/claims.csv", "claims.csv", "s3://data/night/*.csv", "s3://data/night"} {
		out, err := run(path, leave)
		if err != nil || len(out.Fits) != 1 || out.Fits[0].Verdict == "error" {
			t.Fatalf("%s: %v, %+v", path, err, out)
		}
		if skipped := out.Fits[0].Action == "skipped"; skipped != (i > 0) {
			t.Errorf("%s: %s", path, out.Fits[0].Action)
		}
	}
	out, err := run("s3://data/night/gone.csv", leave)
	if err != nil || len(out.Fits) != 1 || out.Fits[0].Verdict != "error" {
		t.Errorf("an object that is gone: %v, %+v", err, out)
	}
	files, err := filepath.Glob(f.path("ok.duckdb*"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && bytes.Contains(text, []byte("secret-that-nobody")) {
			t.Errorf("%s has the secret", file)
		}
	}
}
