package spec

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"
)

// variables parses a spec with one variable of the given YAML and returns it.
func variables(t *testing.T, yaml string, opts Options) (string, error) {
	t.Helper()
	p, err := Parse("spec.yaml", []byte("pipeline: p\nvars: {a: A, v: "+yaml+"}\ndatasets: {a: a.csv}\n"+
		"models: {m: {formula: y ~ x, family: poisson, standardize: center_scale}}\nsamplers: {s: {}}\n"), opts)
	if err != nil {
		return "", err
	}
	return p.Vars["v"], nil
}

func TestTemplates(t *testing.T) {
	for yaml, want := range map[string]string{
		`"{{ env.NIGHT }}"`:                                         "2026-01-01",
		`"{{env.NIGHT}}/{{ vars.a }}"`:                              "2026-01-01/A",
		`"{{ today }}"`:                                             "2026-01-02",
		`"{{ env.NOT_SET_HERE | default(today) }}"`:                 "2026-01-02",
		`"{{ env.EMPTY | default('x y') }}"`:                        "x y",
		`"[{{ env.EMPTY }}]"`:                                       "[]",
		`"{{ env.NOT_SET_HERE|default(vars.a) }}"`:                  "A",
		`"{{ env.NOT_SET_HERE | default(0.5) }}"`:                   "0.5",
		`'{{ env.NOT_SET_HERE | default("q") }}'`:                   "q",
		`"{{ '{{' }} and }}"`:                                       "{{ and }}",
		`"no } template { here"`:                                    "no } template { here",
		`"{{ '}}' }}"`:                                              "}}",
		`"a{{ 'b' }}c{{ 'd' }}"`:                                    "abcd",
		`"{{ env.NOT_SET_HERE | default(env.NIGHT) }}-{{ today }}"`: "2026-01-01-2026-01-02",
	} {
		got, err := variables(t, yaml, testOptions())
		if err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", yaml, got, err, want)
		}
	}
}

// TestOverride gives variables from outside: they are text, not templates.
func TestOverride(t *testing.T) {
	opts := testOptions()
	opts.Vars = map[string]string{"v": "{{ env.NOT_SET_HERE }}"}
	if got, err := variables(t, `"{{ env.NOT_SET_HERE }}"`, opts); err != nil || got != "{{ env.NOT_SET_HERE }}" {
		t.Errorf("got %q, %v", got, err)
	}
	opts.Vars = map[string]string{"nigth": "x"}
	_, err := variables(t, `"b"`, opts)
	if err == nil || !strings.Contains(err.Error(), `spec.yaml:2:1: variable "nigth" was given by the caller`) {
		t.Errorf("unknown variable: %v", err)
	}
	opts = testOptions()
	opts.Today, opts.Env = time.Time{}, nil
	for _, yaml := range []string{`"{{ today }}"`, `"{{ env.NIGHT }}"`} {
		if got, err := variables(t, yaml, opts); err == nil {
			t.Errorf("%s without surroundings is %q", yaml, got)
		}
	}
}

// TestSQLBinding checks that a value never becomes text of the query, and that
// templates where nothing can be bound are refused.
func TestSQLBinding(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT {{ vars.q }}`:                             `SELECT $p1`,
		`SELECT '''' || {{ vars.q }}`:                     `SELECT '''' || $p1`,
		`SELECT "a""b" FROM t WHERE x={{ vars.q }}`:       `SELECT "a""b" FROM t WHERE x=$p1`,
		"SELECT 1 -- it's\n, {{ vars.q }}":                "SELECT 1 -- it's\n, $p1",
		`SELECT /* it's */ {{ vars.q }}`:                  `SELECT /* it's */ $p1`,
		`SELECT $$it's$$, {{ vars.q }}, $a$ $$ ' $a$`:     `SELECT $$it's$$, $p1, $a$ $$ ' $a$`,
		`SELECT a$1 + {{ vars.q }} + {{ vars.q }} FROM t`: `SELECT a$1 + $p1 + $p2 FROM t`,
		`SELECT '{{ vars.q }}'`:                           "",
		`SELECT "{{ vars.q }}"`:                           "",
		"SELECT 1 -- {{ vars.q }}":                        "",
		`SELECT /* {{ vars.q }} */ 1`:                     "",
		`SELECT $x$ {{ vars.q }} $x$`:                     "",
		`SELECT $1, {{ vars.q }}`:                         "",
		`SELECT $p1`:                                      "",
		`SELECT {{ vars.q`:                                "",
	} {
		src := "pipeline: p\nvars: {q: \"'; DROP TABLE t; --\"}\ndatasets:\n  a:\n    sql: |-\n      " + strings.ReplaceAll(query, "\n", "\n      ") +
			"\nmodels: {m: {formula: y ~ x, family: poisson, standardize: center_scale}}\nsamplers: {s: {}}\n"
		p, err := Parse("spec.yaml", []byte(src), testOptions())
		if want == "" {
			if err == nil {
				t.Errorf("%s was accepted as %s", query, p.Datasets[0].SQL)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		params := map[string]string{}
		for i := range strings.Count(query, "{{") {
			params["p"+string(rune('1'+i))] = "'; DROP TABLE t; --"
		}
		if got := p.Datasets[0]; got.SQL != want || !maps.Equal(got.Params, params) {
			t.Errorf("%s: got %s with %v", query, got.SQL, got.Params)
		}
	}
}

// TestTemplateValues replaces templates in values of every type.
func TestTemplateValues(t *testing.T) {
	env := map[string]string{"N": "7", "X": "1.05", "B": "true", "E": "summary", "F": "poisson", "P": "normal(0, 1)", "U": "gates", "OFF": "off"}
	opts := Options{Env: func(n string) (string, bool) { v, ok := env[n]; return v, ok }}
	src := `pipeline: p
seed: "{{ env.N }}"
datasets: {a: a.csv}
models: {m: {formula: y ~ x, family: "{{ env.F }}", prior: {coefficients: "{{ env.P }}"}}}
samplers: {s: {method: cggibbs, uncached: "{{ env.B }}", refresh_every: "{{ env.N }}"}}
run: {chains: "{{ env.N }}", keep: "{{ env.E }}", until: "{{ env.U }}"}
gates: {rhat: "{{ env.X }}", ess_tail: "{{ env.OFF }}"}
`
	p, err := Parse("spec.yaml", []byte(src), opts)
	must(t, err)
	if p.Seed != 7 || p.Run.Chains != 7 || p.Run.Keep.All != "summary" || p.Gates.RHat.Fail.At != 1.05 || p.Gates.ESSTail.Fail.On ||
		!p.Samplers[0].Uncached || p.Samplers[0].RefreshEvery != 7 || p.Models[0].Family.Name != "poisson" || p.Models[0].Prior.Coefficients.Scale != 1 {
		t.Errorf("got %+v", p)
	}
	env["N"], env["X"] = "7.5", "high"
	_, err = Parse("spec.yaml", []byte(src), opts)
	var problems *Problems
	if !errors.As(err, &problems) || len(problems.List) != 4 {
		t.Errorf("want problems of seed, refresh_every, chains and rhat, got:\n%v", err)
	}
}
