package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The Python client works with the program: by the system's Python, with pandas if it is installed, and by the first
// one in the PATH.
func TestPythonClient(t *testing.T) {
	t.Setenv(asProgram, "1")
	t.Setenv("GLMBATCH_PIPELINE", os.Args[0])
	page, err := os.ReadFile("../../docs/notebooks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "<!-- file: fit.py -->\n```python\n")
	example, rest, _ := strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "```text\n")
	want, _, _ := strings.Cut(rest, "```")
	tried := map[string]bool{}
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		path, err := exec.LookPath(name)
		if err != nil || tried[path] {
			continue
		}
		tried[path] = true
		cmd := exec.Command(path, "-B", "-m", "unittest", "test_glmbatch")
		cmd.Dir = "../../clients/python"
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
		cmd = exec.Command(path, "-B", "-c", example)
		cmd.Dir = "../../clients/python"
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s: the example of docs/notebooks.md prints %s (%v), and the page has %s", path, out, err, want)
		}
	}
	if len(tried) == 0 {
		t.Skip("Python is not installed")
	}
}
