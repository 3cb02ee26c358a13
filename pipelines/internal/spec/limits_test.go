package spec

import (
	"strings"
	"testing"
	"time"
)

// limited is a spec with limits at all places that take them.
const limited = `
pipeline: limits
database: a.duckdb
publish: %s
datasets: {d: d.csv}
models: {m: {formula: y ~ x, family: poisson}}
samplers: {s: {method: cggibbs}, n: {method: nuts}}
run: {timeout: 90m, workers: 3, memory: 1.5GB}
fits:
  - {datasets: d, models: m, samplers: s, timeout: 10s}
  - {datasets: d, models: m, samplers: n}
profiles:
  dev: {database: dev.duckdb, run: {memory: 256MiB, timeout: 5s}}
  pub: {database: dev.duckdb, publish: dev-copy.duckdb}
`

func TestRunLimits(t *testing.T) {
	text := strings.Replace(limited, "%s", "copy/a.duckdb", 1)
	load := func(profile string) *Pipeline {
		t.Helper()
		p, err := Parse("spec.yaml", []byte(text), Options{Dir: "/srv", Profile: profile})
		must(t, err)
		return p
	}
	p := load("")
	if p.Publish != "/srv/copy/a.duckdb" || p.Run.Workers != 3 || p.Run.Memory != 1.5e9 {
		t.Errorf("publish %s, workers %d, memory %s", p.Publish, p.Run.Workers, p.Run.Memory)
	}
	if f := p.Fits(); f[0].Timeout != 10*time.Second || f[1].Timeout != 90*time.Minute {
		t.Errorf("timeouts %v and %v, want 10s and 1h30m", f[0].Timeout, f[1].Timeout)
	}
	if dev := load("dev"); dev.Publish != "" || dev.Run.Memory != 256<<20 || dev.Run.Workers != 3 || dev.Fits()[1].Timeout != 5*time.Second {
		t.Errorf("profile dev: publish %q, %+v", dev.Publish, dev.Run)
	}
	if pub := load("pub"); pub.Publish != "/srv/dev-copy.duckdb" {
		t.Errorf("profile pub: publish %q", pub.Publish)
	}
	for old, c := range map[string]struct{ new, want string }{
		"timeout: 90m":  {"timeout: 90", `timeout must be a span of time such as 90s, 30m or 1h30m, but is an integer (90)`},
		"timeout: 10s":  {"timeout: -10s", `timeout must be longer than nothing, but is -10s`},
		"timeout: 5s":   {"timeout: soon", `timeout must be a span of time, but is "soon"`},
		"memory: 1.5GB": {"memory: 2 apples", `memory: "2 apples" is not an amount of memory`},
		"memory: 256Mi": {"memory: 64Mi", `memory: "64MiB" is less than a run needs without any data`},
		"copy/a.duckdb": {"./a.duckdb", `publish is the database itself`},
		"publish:":      {"report: ./a.duckdb\npublish:", `report is the database itself, or its published copy`},
	} {
		if !strings.Contains(text, old) {
			t.Fatalf("the spec has no %q", old)
		}
		_, err := Parse("spec.yaml", []byte(strings.Replace(text, old, c.new, 1)), Options{Dir: "/srv"})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}
