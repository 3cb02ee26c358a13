package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A fault of the program ends it by SIGABRT, 134 for a shell, with Go's account of it, and
// leaves no core: 2 would say that the call was wrong.
func TestFaultsAreNoUsage(t *testing.T) {
	dir := t.TempDir()
	t.Run("out of memory", func(t *testing.T) {
		cmd := exec.Command("sh", "-c", `ulimit -c unlimited; ulimit -v 2000000; exec "$0" sql - </dev/zero`, os.Args[0])
		mustAbort(t, cmd, dir, "out of memory")
	})
	t.Run("nightly.sh", func(t *testing.T) {
		write(t, dir, "program", "#!/bin/sh\nulimit -v 2000000\nexec '"+os.Args[0]+"' sql - </dev/zero\n")
		if err := os.Chmod(filepath.Join(dir, "program"), 0o755); err != nil {
			t.Fatal(err)
		}
		script, err := filepath.Abs("../../deploy/nightly.sh")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", script, "spec.yaml")
		cmd.Env = append(os.Environ(), asProgram+"=1", "PIPELINE="+filepath.Join(dir, "program"), "PIPELINE_DIR="+dir)
		out, _ := cmd.CombinedOutput() // its code tells
		if code := cmd.ProcessState.ExitCode(); code != 134 || !strings.Contains(string(out), "spec.yaml: the program has a fault") {
			t.Errorf("nightly.sh: exit code %d, want 134 and that the program has a fault\n%s", code, tail(out))
		}
	})
	t.Run("a signal of the processor", func(t *testing.T) {
		cmd := exec.Command(os.Args[0], "sql", "-")
		in, err := cmd.StdinPipe() // which never says a word
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		time.AfterFunc(time.Second, func() { _ = cmd.Process.Signal(syscall.SIGSEGV) })
		mustAbort(t, cmd, dir, "SIGSEGV")
	})
}

// mustAbort runs the program in dir until it ends by SIGABRT, having said a word.
func mustAbort(t *testing.T, cmd *exec.Cmd, dir, word string) {
	t.Helper()
	var out bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Env = dir, &out, append(os.Environ(), asProgram+"=1")
	_ = cmd.Run() // its status tells
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGABRT || status.CoreDump() || !strings.Contains(out.String(), word) {
		t.Errorf("ended with %v, want SIGABRT without a core and %q\n%s", cmd.ProcessState, word, tail(out.Bytes()))
	}
}

// tail is the end of what a process said.
func tail(out []byte) []byte { return out[max(0, len(out)-2000):] }
