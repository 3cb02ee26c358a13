package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// outcome is the result of the tests of a fault.
type outcome string

const (
	found    outcome = "found"
	survived outcome = "SURVIVED"
	broken   outcome = "BROKEN" // it does not compile, or the tests fail without it
)

// try plants a fault in the module at root and runs its tests. By says which test
// found it, or what the go command printed of a broken one.
func try(ctx context.Context, root string, f *fault) (o outcome, by string, err error) {
	text, err := os.ReadFile(filepath.Join(root, f.file))
	if err != nil {
		return broken, "", err
	}
	planted, err := f.plant(string(text))
	if err != nil {
		return broken, "", err
	}
	folder, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return broken, "", err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, filepath.Base(f.file))
	if err := os.WriteFile(file, []byte(planted), 0o600); err != nil {
		return broken, "", err
	}
	replaced := map[string]string{filepath.Join(root, f.file): file}
	at := filepath.Join(folder, "overlay.json")
	if err := writeOverlay(at, replaced); err != nil {
		return broken, "", err
	}
	if f.isSchema() {
		if out, err := makeSchema(ctx, root, folder, at, replaced); out != "" || err != nil {
			return broken, out, errors.Join(ctx.Err(), err)
		}
	}
	out, passed := test(ctx, root, f.tests, at)
	if err := ctx.Err(); err != nil {
		return broken, "", err
	}
	o, by = judge(out, passed)
	return o, by, nil
}

// writeOverlay writes the files that the go command reads instead of others.
func writeOverlay(at string, replaced map[string]string) error {
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err != nil {
		return err
	}
	return os.WriteFile(at, overlay, 0o600)
}

// schema has the SQL of ledgers, and the files that are made of it.
const schema = "report/schema"

// checksSchema are the tests that hold these files to the SQL. They write them, too.
const checksSchema = "^Test(OwnParts|OwnPartsOutside|EmptyLedger)$"

// isSchema reports whether a fault is one of SQL that tests see in a ledger only. A new ledger is a copy of
// schema/empty.duckdb.gz, not made by SQL.
func (f *fault) isSchema() bool {
	return strings.HasPrefix(f.file, schema+"/") && !slices.Contains(f.tests, "^TestEmptyLedger$")
}

// makeSchema makes in folder the files of schema that follow from SQL with the fault, and adds them to the overlay: a
// ledger has the fault then, in whatever package, and the program takes its views for its own.
func makeSchema(ctx context.Context, root, folder, overlay string, replaced map[string]string) (out string, err error) {
	into := filepath.Join(folder, "schema")
	if err := os.Mkdir(into, 0o700); err != nil {
		return "", err
	}
	args := []string{"./report", "-count=1", "-run", checksSchema, "-update", "-schema", into}
	if out, passed := test(ctx, root, args, overlay); !passed {
		return "its SQL makes no ledger:\n" + out, nil
	}
	if _, err := os.Stat(filepath.Join(into, "empty.duckdb.gz")); errors.Is(err, fs.ErrNotExist) {
		return "the ledger is the same", nil
	}
	made, err := os.ReadDir(into)
	for _, file := range made {
		replaced[filepath.Join(root, schema, file.Name())] = filepath.Join(into, file.Name())
	}
	return "", errors.Join(err, writeOverlay(overlay, replaced))
}

// pins leaves out tests that say only that bits have changed.
const pins = "-skip=^TestPinned|^TestBits$"

// linkFlags are the flags by which tests are linked: without tables of a debugger, and by gold if it is installed. It
// links a test binary with the engine in 2 seconds; ld takes 7.
func linkFlags() string {
	if _, err := exec.LookPath("ld.gold"); err != nil {
		return "-s -w"
	}
	return "-s -w -extldflags=-fuse-ld=gold"
}

// test runs go test; overlay is "" for the code as it is. It is set in GOFLAGS, so that tests which build the
// program build it with the fault.
func test(ctx context.Context, root string, args []string, overlay string) (out string, passed bool) {
	flags := []string{"test", "-vet=off", "-ldflags=" + linkFlags(), "-failfast", "-timeout=15m", pins}
	c := exec.CommandContext(ctx, "go", slices.Concat(flags, args)...)
	c.Dir = root
	c.Env = append(os.Environ(), "GLMBATCH_STUDIES=1") // tests of studies find faults, too
	if overlay != "" {
		c.Env = append(c.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	text, err := c.CombinedOutput()
	return string(text), err == nil
}

var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)

// judge reads the output of tests that ran with a fault. A test that is stopped
// after its time or that panics has found it; a build that fails has not.
func judge(out string, passed bool) (outcome, string) {
	switch {
	case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		return broken, out
	case passed && strings.Contains(out, "no tests to run"):
		return broken, "its tests do not exist"
	case passed:
		return survived, ""
	}
	if m := failed.FindAllStringSubmatch(out, -1); m != nil {
		return found, m[len(m)-1][1]
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.Contains(line, "panic:") || strings.Contains(line, "fatal error:") {
			return found, strings.TrimSpace(line)
		}
	}
	return broken, fmt.Sprintf("no test failed, and go test did:\n%s", out)
}
