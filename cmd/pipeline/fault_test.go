package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A fault of the program ends it by SIGABRT, 134 for a shell, with Go's account of it, and
// leaves no core: 2 would say that the call was wrong.
func TestFaultsAreNoUsage(t *testing.T) {
	dir := t.TempDir()
	t.Run("out of memory", func(t *testing.T) {
		if raceDetector() {
			t.Skip("the race detector needs more room than the limit leaves, and fails with words of its own")
		}
		cmd := exec.Command("sh", "-c", `ulimit -c unlimited; ulimit -v 2000000; exec "$0" sql - </dev/zero`, os.Args[0])
		mustAbort(t, cmd, dir, "out of memory", func() {})
	})
	t.Run("nightly.sh", func(t *testing.T) {
		write(t, dir, "program", "#!/bin/sh\nulimit -v 2000000\nexec '"+os.Args[0]+"' sql - </dev/zero\n")
		must(t, os.Chmod(filepath.Join(dir, "program"), 0o755))
		script, err := filepath.Abs("../../deploy/nightly.sh")
		must(t, err)
		cmd := exec.Command("sh", script, "spec.yaml")
		cmd.Env = append(os.Environ(), asProgram+"=1", "PIPELINE="+filepath.Join(dir, "program"), "PIPELINE_DIR="+dir)
		out, _ := cmd.CombinedOutput() // its code has the result
		if code := cmd.ProcessState.ExitCode(); code != 134 || !strings.Contains(string(out), "spec.yaml: the program has a fault") {
			t.Errorf("nightly.sh: exit code %d, want 134 and that the program has a fault\n%s", code, tail(out))
		}
	})
	t.Run("a signal of the processor", func(t *testing.T) {
		cmd := exec.Command(os.Args[0], "sql", "-")
		text, in, err := os.Pipe() // which never ends
		must(t, err)
		defer in.Close()
		cmd.Stdin = text
		if _, err := in.WriteString("SELECT"); err != nil {
			t.Fatal(err)
		}
		mustAbort(t, cmd, dir, "SIGSEGV", func() {
			for unread := 1; unread > 0 && t.Context().Err() == nil; time.Sleep(time.Millisecond) { // until it has read
				if unread, err = unix.IoctlGetInt(int(text.Fd()), unix.TIOCINQ); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Process.Signal(syscall.SIGSEGV)
		})
	})
}

// raceDetector reports whether the test was built with it.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// mustAbort starts the program in dir and calls then; it must end by SIGABRT, having said a word.
func mustAbort(t *testing.T, cmd *exec.Cmd, dir, word string, then func()) {
	t.Helper()
	var out bytes.Buffer
	cmd.Dir, cmd.Stderr, cmd.Env = dir, &out, append(os.Environ(), asProgram+"=1")
	must(t, cmd.Start())
	then()
	_ = cmd.Wait() // its status has the result
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGABRT || status.CoreDump() || !strings.Contains(out.String(), word) {
		t.Errorf("ended with %v, want SIGABRT without a core and %q\n%s", cmd.ProcessState, word, tail(out.Bytes()))
	}
}

// tail is the end of what a process said.
func tail(out []byte) []byte { return out[max(0, len(out)-2000):] }
