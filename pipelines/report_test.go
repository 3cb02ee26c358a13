package pipelines_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// A run that has finished writes its page, also when a fit failed; one that left a fit uncommitted or had nothing
// to do leaves the old one, and commit writes it when all is loaded. A page that cannot be written is reported, and
// costs the exit code.
func TestReportAfterRun(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "seed: 7", "report: night.html\nseed: 7", 1)
	f := folder{t, memory(t)}
	f.write("spec.yaml", text)
	f.write("claims.csv", strings.Replace(claims, "-3", "3", 1))
	page := func() string {
		b, err := os.ReadFile(f.path("night.html"))
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	out := f.run(pipelines.RunOptions{})
	if out.ExitCode != 0 || out.Reported != f.path("night.html") || !strings.Contains(page(), out.RunID) {
		t.Errorf("a good run: exit code %d, reported %q, %s", out.ExitCode, out.Reported, out.Unreported)
	}
	first := page()
	if out := f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: f.path("other.duckdb")}}); out.Reported != "" || page() != first {
		t.Errorf("another ledger than the spec's was reported to %s", out.Reported)
	}
	if out := f.run(pipelines.RunOptions{Retry: true}); out.Reported != "" || page() != first {
		t.Errorf("nothing to retry, reported to %q", out.Reported)
	}
	f.write("spec.yaml", strings.Replace(text, "seed: 7", "seed: 8", 1))
	release := holdOpen(t, f.path("t.duckdb"))
	if out := f.run(pipelines.RunOptions{LockWait: -1}); out.ExitCode != pipelines.ExitUncommitted || out.Reported != "" || page() != first {
		t.Errorf("with an uncommitted fit: exit code %d, reported %q", out.ExitCode, out.Reported)
	}
	release()
	out, err := pipelines.Commit(t.Context(), f.path("t.duckdb"), pipelines.CommitOptions{Report: f.path("night.html")})
	if err != nil || out.ExitCode != 0 || page() == first {
		t.Errorf("commit: %v, exit code %d, reported %q", err, out.ExitCode, out.Reported)
	}
	f.write("spec.yaml", strings.Replace(text, "night.html", "no/night.html", 1))
	if out := f.run(pipelines.RunOptions{}); out.ExitCode != pipelines.ExitUncommitted || !strings.Contains(out.Unreported, "hint: make the folder") {
		t.Errorf("where it cannot be: exit code %d, %q", out.ExitCode, out.Unreported)
	}
}

// A stranger's spec writes no page outside the folders that its caller allows.
func TestReportStaysWithin(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "seed: 7", "report: ../away.html\nseed: 7", 1))
	o := pipelines.RunOptions{Overrides: pipelines.Overrides{Trust: &pipelines.Trust{Folders: []string{f.dir}}}}
	_, err := pipelines.Run(t.Context(), f.path("spec.yaml"), o)
	if err == nil || !strings.Contains(err.Error(), "outside the folders") {
		t.Errorf("report outside: %v", err)
	}
}
