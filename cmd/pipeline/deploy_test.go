package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The script of a night calls the program and passes its exit code on: it is
// run with a program that answers each call with the next code of a list.
func TestNightlyScript(t *testing.T) {
	script, err := filepath.Abs("../../deploy/nightly.sh")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(script); err != nil { // so that go test sees it change
		t.Fatal(err)
	}
	const run, commit, prune = "run s.yaml --quiet --seed 3\n", "commit s.yaml --lock-wait 30m\n", "prune s.yaml --keep 30\n"
	for _, c := range []struct {
		codes, calls string
		code         int
		says         string
	}{
		{"0 0", run + prune, 0, ""},
		{"1 0", run + prune, 1, "failed or erred"},
		{"2", run, 2, "exit code 2"},
		{"3 0 0 0", run + commit + run + prune, 0, ""},
		{"3 0 1 0", run + commit + run + prune, 1, "failed or erred"},
		{"3 1 1 0", run + commit + run + prune, 1, "failed or erred"},
		{"3 3", run + commit, 3, "the fake's reason\ns.yaml: something is not where it was to be, for the reason above"},
		{"130", run, 130, "130"},
		{"0 3", run + prune, 0, "not pruned"},
	} {
		dir := t.TempDir()
		write(t, dir, "codes", strings.ReplaceAll(c.codes, " ", "\n")+"\n")
		fake := write(t, dir, "fake", "#!/bin/sh\necho \"$@\" >> calls\ncode=$(head -n 1 codes)\nsed -i 1d codes\n"+
			"case $1$code in run3) echo \"the fake's reason\" >&2 ;; esac\nexit $code\n")
		if err := os.Chmod(fake, 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", script, "s.yaml", "--seed", "3")
		cmd.Env = append(os.Environ(), "PIPELINE="+fake, "PIPELINE_DIR="+dir)
		out, _ := cmd.CombinedOutput() // its code is looked at below
		if got := cmd.ProcessState.ExitCode(); got != c.code {
			t.Errorf("codes %s: exit %d, want %d\n%s", c.codes, got, c.code, out)
		}
		calls, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil || string(calls) != c.calls {
			t.Errorf("codes %s: calls\n%swant\n%s(%v)", c.codes, calls, c.calls, err)
		}
		if c.says == "" && len(out) > 0 || !strings.Contains(string(out), c.says) {
			t.Errorf("codes %s: it says %q, want %q", c.codes, out, c.says)
		}
	}
}
