package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
)

// The Python client works with the program: its tests by the system's Python, with pandas if it is installed, and the
// example also by the first one in the PATH.
func TestPythonClient(t *testing.T) {
	t.Setenv(asProgram, "1")
	t.Setenv("GLMBATCH_PIPELINE", os.Args[0])
	page, err := os.ReadFile("../../docs/notebooks.md")
	must(t, err)
	example, want := exampleOf(string(page), "fit.py", "python")
	tried := map[string]bool{}
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		path, err := exec.LookPath(name)
		if err != nil || tried[path] {
			continue
		}
		tried[path] = true
		if len(tried) == 1 {
			cmd := exec.Command(path, "-B", "-m", "unittest", "test_glmbatch")
			cmd.Dir = "../../clients/python"
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", path, err, out)
			}
		}
		cmd := exec.Command(path, "-B", "-c", example)
		cmd.Dir = "../../clients/python"
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("%s: the example of docs/notebooks.md prints %s (%v), and the page has %s", path, out, err, want)
		}
	}
	if len(tried) == 0 {
		t.Skip("Python is not installed")
	}
}

// exampleOf returns an example of a client in docs/notebooks.md, and the output that follows it.
func exampleOf(page, file, language string) (example, output string) {
	_, rest, _ := strings.Cut(page, "<!-- file: "+file+" -->\n```"+language+"\n")
	example, rest, _ = strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "```text\n")
	output, _, _ = strings.Cut(rest, "```")
	return example, output
}

// The R client works with the program, by R alone, or with posterior if it is installed.
func TestRClient(t *testing.T) {
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("R is not installed")
	}
	t.Setenv(asProgram, "1")
	t.Setenv("GLMBATCH_PIPELINE", os.Args[0])
	page, err := os.ReadFile("../../docs/notebooks.md")
	must(t, err)
	run := func(args ...string) string {
		cmd := exec.Command("Rscript", append([]string{"--vanilla"}, args...)...)
		cmd.Dir = "../../clients/r"
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("Rscript %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := run("test_glmbatch.R"); out != "client: ok\n" {
		t.Errorf("the tests of the client print %s", out)
	}
	example, want := exampleOf(string(page), "fit.R", "r")
	if out := run("-e", example); out != want || want == "" {
		t.Errorf("the example of docs/notebooks.md prints %q, and the page has %q", out, want)
	}
}

// A wheel of make dist, installed in a clean virtual environment without a network, brings the program and a client that
// finds it. The program of this wheel is a script that calls the test's own.
func TestWheel(t *testing.T) {
	infertest.Study(t)
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	command := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH=/usr/bin:/bin", asProgram+"=1", "GLMBATCH_PIPELINE=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	python, err := exec.LookPath("python3")
	if err != nil || runtime.GOOS != "linux" || exec.Command(python, "-m", "venv", at("venv")).Run() != nil {
		t.Skip("Python with venv is not installed")
	}
	program := fmt.Sprintf("#!/bin/sh\nexec '%s' \"$@\"\n", os.Args[0])
	must(t, os.WriteFile(at("program"), []byte(program), 0o755))
	builder, err := filepath.Abs("../../clients/python/wheel.py")
	must(t, err)
	wheel := command(python, "-B", builder, at("program"), "1.2.3+v1.2.0-4-gabc-dirty", runtime.GOARCH, "1700000000", dir)
	if !strings.HasPrefix(wheel, "glmbatch-1.2.3+v1.2.0.4.gabc.dirty-py3-none-manylinux_2_34_") {
		t.Errorf("the wheel is named %s", wheel)
	}
	first, err := os.ReadFile(at(wheel))
	must(t, err)
	command(python, "-B", builder, at("program"), "1.2.3+v1.2.0-4-gabc-dirty", runtime.GOARCH, "1700000000", dir)
	if second, err := os.ReadFile(at(wheel)); err != nil || string(first) != string(second) {
		t.Errorf("the same content gives another wheel (%v)", err)
	}
	command(at("venv/bin/pip"), "install", "--no-index", "--disable-pip-version-check", at(wheel))
	out := command(at("venv/bin/python"), "-c", `import glmbatch
fit = glmbatch.fit({"y": [2, 3, 6, 7, 8, 9, 10, 12, 15, 22], "x": list(range(10))}, "y ~ x", family="poisson")
print(glmbatch.__file__.endswith("site-packages/glmbatch.py"), list(fit.draws()))`)
	if want := "True ['(Intercept)', 'x']"; out != want {
		t.Errorf("the installed client prints %q, want %q", out, want)
	}
	if out := command(at("venv/bin/pipeline"), "version"); !strings.HasPrefix(out, "pipeline ") {
		t.Errorf("the installed program prints %q", out)
	}
}
