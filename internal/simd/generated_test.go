package simd

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The committed assembly and the sources of its generator are those that were
// together when it last ran: kernels.sum has their hashes.
func TestGenerated(t *testing.T) {
	list, err := os.ReadFile("kernels.sum")
	must(t, err)
	listed := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = true
		if text, err := os.ReadFile(name); err != nil || fmt.Sprintf("%x", sha256.Sum256(text)) != sum {
			t.Errorf("%s is not that of the last go generate ./internal/simd (%v)", name, err)
		}
	}
	sources, err := filepath.Glob("gen/*.go")
	if err != nil || len(sources) < 5 || len(listed) < 10 {
		t.Fatalf("%d sources, %d hashes: %v", len(sources), len(listed), err)
	}
	for _, name := range sources {
		if !listed[name] {
			t.Errorf("%s is new: run go generate ./internal/simd", name)
		}
	}
}

// No kernel is in AVX-512 alone: a processor without it has them all.
func TestNoKernelIsWideAlone(t *testing.T) {
	text, err := os.ReadFile("dispatch_amd64.go")
	must(t, err)
	for _, m := range regexp.MustCompile(`(?m)^func (\w+)AVX512\(`).FindAllSubmatch(text, -1) {
		t.Errorf("%s has no form for AVX2", m[1])
	}
	if both := regexp.MustCompile(`(?m)^func \w+Vector\(`).FindAll(text, -1); len(both) < 30 {
		t.Errorf("%d kernels have both forms", len(both))
	}
}

// The generator writes the committed files again: assembly and dispatch. To build and run
// it takes longer than all other tests here, so make lint does, and make stat; TestGenerated
// compares hashes. Where its modules cannot be had, make stat fails.
func TestRegenerate(t *testing.T) {
	if os.Getenv("GLMBATCH_REGENERATE") == "" && os.Getenv("GLMBATCH_STAT") == "" {
		t.Skip("builds the generator; make lint runs it")
	}
	run := func(args ...string) ([]byte, error) {
		return exec.Command("go", append([]string{"-C", "gen"}, args...)...).CombinedOutput()
	}
	if out, err := run("mod", "download"); err != nil {
		if os.Getenv("GLMBATCH_STAT") == "1" {
			t.Errorf("the generator's modules are needed here")
		}
		t.Skipf("the generator's modules cannot be had here: %v\n%s", err, out)
	}
	dir := t.TempDir()
	if out, err := run("run", ".", "-dir", dir); err != nil {
		t.Fatalf("generator: %v\n%s", err, out)
	}
	for _, name := range []string{"kernels_amd64.s", "dispatch_amd64.go", "dispatch_other.go", "kernels.sum"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what gen writes (%v): run go generate ./internal/simd", name, err)
		}
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
