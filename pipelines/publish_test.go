package pipelines_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// A run that has finished publishes its ledger, one that was stopped or left a fit uncommitted does not; commit
// does when all is loaded. Failures to publish are reported, and cost the exit code.
func TestPublishedWhenFinished(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "seed: 7", "publish: copy.duckdb\nseed: 7", 1)
	f := folder{t, memory(t)}
	f.write("spec.yaml", text)
	f.write("claims.csv", strings.Replace(claims, "-3", "3", 1))
	count := func() string { return f.ask("copy.duckdb", "SELECT count(*) FROM fit") }
	if out := f.run(pipelines.RunOptions{}); out.ExitCode != 0 || out.Published != f.path("copy.duckdb") || count() != "1" {
		t.Errorf("a good run: exit code %d, published %q, %s fits", out.ExitCode, out.Published, count())
	}
	other := f.path("other.duckdb")
	if out := f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: other}}); out.Published != "" {
		t.Errorf("another ledger than the spec's was published to %s", out.Published)
	}
	f.write("spec.yaml", strings.Replace(text, "seed: 7", "seed: 8", 1))
	release := holdOpen(t, f.path("t.duckdb"))
	if out := f.run(pipelines.RunOptions{LockWait: -1}); out.ExitCode != pipelines.ExitUncommitted || out.Published != "" || count() != "1" {
		t.Errorf("with an uncommitted fit: exit code %d, published %q", out.ExitCode, out.Published)
	}
	release()
	out, err := pipelines.Commit(t.Context(), f.path("t.duckdb"), pipelines.CommitOptions{Publish: f.path("copy.duckdb")})
	if err != nil || out.ExitCode != 0 || count() != "2" {
		t.Errorf("commit: %v, exit code %d, %s fits are published", err, out.ExitCode, count())
	}
	must(t, os.Mkdir(f.path("folder"), 0o700))
	f.write("spec.yaml", strings.Replace(text, "copy.duckdb", "folder", 1))
	if out := f.run(pipelines.RunOptions{}); out.ExitCode != pipelines.ExitUncommitted || !strings.Contains(out.Unpublished, "it is a folder") {
		t.Errorf("where it cannot be: exit code %d, %q", out.ExitCode, out.Unpublished)
	}
}

// A stranger's spec publishes nothing outside the folders that its caller allows.
func TestPublishStaysWithin(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "seed: 7", "publish: ../away.duckdb\nseed: 7", 1))
	o := pipelines.RunOptions{Overrides: pipelines.Overrides{Trust: &pipelines.Trust{Folders: []string{f.dir}}}}
	_, err := pipelines.Run(t.Context(), f.path("spec.yaml"), o)
	if err == nil || !strings.Contains(err.Error(), "outside the folders") {
		t.Errorf("publish outside: %v", err)
	}
}
