package run

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report/record"
)

// startSpec is a fit that starts from the night before; %s is the ledger, the seed of
// its data are another night.
const startSpec = `
pipeline: start
database: %s
datasets: {d: {synthetic: {rows: 60, columns: 2, seed: 1}}}
models: {m: {formula: y ~ ., family: bernoulli, standardize: center_scale, prior: {coefficients: "normal(0, 1)"}}}
samplers: {s: {method: nuts}}
run: {chains: 2, until: {ess: 30, over: all}, first: 200, max_iterations: 400, start: previous}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}
`

// night runs startSpec with replacements, and returns its only fit.
func night(t *testing.T, database string, change func(*Config), pairs ...string) *outcome.Result {
	t.Helper()
	config := configOf(t, database, strings.NewReplacer(pairs...).Replace(startSpec))
	if change != nil {
		change(&config)
	}
	out, err := Run(t.Context(), config)
	must(t, err)
	if len(out.Fits) != 1 || out.Fits[0].Action == outcome.Errored {
		t.Fatalf("%+v", out.Fits[0])
	}
	return out.Fits[0]
}

// startOf is how the newest fit of a ledger began.
func startOf(t *testing.T, database string) string {
	t.Helper()
	text := ask(t, database, "SELECT coalesce(from_fit_id::VARCHAR, '-') || ': ' || note AS note FROM start ORDER BY fit_id DESC LIMIT 1")
	return strings.Trim(strings.TrimPrefix(text, "note\n"), "\"\n")
}

// bits are the digests of the newest fit of a ledger.
func bits(t *testing.T, database string) string {
	t.Helper()
	return ask(t, database, `SELECT md5(string_agg(concat_ws(',', parameter_id, chain, iteration, value), ';' ORDER BY parameter_id, chain, iteration)) AS draws
		FROM draw WHERE fit_id = (SELECT max(fit_id) FROM fit WHERE status = 'complete')`)
}

// Runs that start from the previous one: the first as usual, the second from the first with a quarter of the
// warm-up. A run with an equal request is skipped, whatever came in between. A forced fit, and one that was stopped
// and resumed, has the same start and the same bits.
func TestNightsStartFromTheOneBefore(t *testing.T) {
	const first, second = "seed: 1}", "seed: 2}"
	dir := volatile(t)
	database := filepath.Join(dir, "d.duckdb")
	one := night(t, database, nil)
	if got := startOf(t, database); !strings.HasPrefix(got, "-: as usual: there is no complete fit before it") || one.Warmup != 100 {
		t.Errorf("the first night: %s, warm-up %d", got, one.Warmup)
	}
	anew := filepath.Join(dir, "anew.duckdb")
	if cold := night(t, anew, nil, ", start: previous", ""); cold.Fingerprint != one.Fingerprint || bits(t, anew) != bits(t, database) {
		t.Error("a first night has another fingerprint, or other bits, than one without the key")
	}
	if again := night(t, database, nil); again.Action != outcome.Skipped {
		t.Errorf("the first night again: %s", again.Action)
	}
	copied := filepath.Join(dir, "copy.duckdb")
	copyFile(t, database, copied)

	two := night(t, database, nil, first, second)
	if got := startOf(t, database); two.Action != outcome.Computed || got != "1: from the posterior of fit 1, which knows 3 of 3 parameters" || two.Warmup != 25 {
		t.Errorf("the second night: %s, %s, warm-up %d", two.Action, got, two.Warmup)
	}
	want := bits(t, database)
	for what, pairs := range map[string][]string{"the second night again": {first, second}, "back to the first night's data": nil} {
		if again := night(t, database, nil, pairs...); again.Action != outcome.Skipped {
			t.Errorf("%s: %s", what, again.Action)
		}
	}
	forced := night(t, database, func(c *Config) { c.Force = true }, first, second)
	if forced.Fingerprint != two.Fingerprint || bits(t, database) != want {
		t.Errorf("--force drew other bits, or gave another fingerprint: %s, want %s; %s", forced.Fingerprint, two.Fingerprint, startOf(t, database))
	}
	if cold := night(t, database, func(c *Config) { c.DryRun = true }, first, second, ", start: previous", ""); cold.Action != outcome.Planned || cold.Reasons[0] != "changed start" {
		t.Errorf("without the key: %s, %q", cold.Action, cold.Reasons)
	}
	goesOn(t, copied, want, first, second)
}

// goesOn stops the second night in the middle, and lets the next run end it.
func goesOn(t *testing.T, database, want string, pairs ...string) {
	t.Helper()
	free := make(chan struct{})
	defer close(free)
	ctx, stop := context.WithCancel(t.Context())
	config := configOf(t, database, strings.NewReplacer(pairs...).Replace(startSpec))
	config.Now = ticking(100 * time.Millisecond * 2)
	config.Tamper = func(s infer.Setup) infer.Setup { return stuck{s, 40, stop, free} }
	if out, err := Run(ctx, config); err != nil || out.ExitCode != exit.Interrupted || longest(t, database) != 39 {
		t.Fatalf("%v %+v", err, out)
	}
	if files, _ := filepath.Glob(filepath.Join(spool.Root(database), "*")); len(files) != 1 {
		t.Fatalf("the spool holds %q", files)
	}
	if res := night(t, database, nil, pairs...); res.Action != outcome.Computed || bits(t, database) != want {
		t.Errorf("a stopped night that goes on: %s, with bits %s, want %s", res.Action, bits(t, database), want)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	must(t, err)
}

// A fit that an earlier one cannot serve starts as usual, and the ledger has the reason. Those that need nights of
// their own are part of make stat.
func TestStartsAsUsual(t *testing.T) {
	dir := volatile(t)
	shared := filepath.Join(dir, "first.duckdb")
	night(t, shared, nil)
	for name, c := range map[string]struct {
		first []string // changes of both nights
		now   []string // of the second
		want  string
	}{
		"other columns":   {now: []string{"columns: 2", "columns: 8"}, want: "it knows 3 of 9 coefficients"},
		"another family":  {now: []string{"bernoulli, standardize", "bernoulli(probit), standardize"}, want: "it is bernoulli(logit)"},
		"known in part":   {now: []string{"columns: 2", "columns: 4"}, want: "from the posterior of fit 1, which knows 3 of 5 parameters"},
		"many more rows":  {now: []string{"rows: 60", "rows: 300"}, want: "it has 60 rows, and this fit 300"},
		"had not mixed":   {first: []string{"method: nuts", "method: cggibbs", "first: 200, max_iterations: 400", "first: 20, max_iterations: 20"}, want: "had not mixed"},
		"another sampler": {first: []string{"method: nuts", "method: cggibbs"}, now: []string{"method: cggibbs", "method: nuts"}, want: "from the posterior of fit 1, which knows 3 of 3 parameters"},
		"fixed warm-up": {now: []string{"until: {ess: 30, over: all}, first: 200, max_iterations: 400", "warmup: 60, draws: 40"},
			want: "from the posterior of fit 1, which knows 3 of 3 parameters; the spec gives warmup: 60, which is not shortened"},
	} {
		t.Run(name, func(t *testing.T) {
			database := filepath.Join(dir, name+".duckdb")
			if c.first == nil {
				copyFile(t, shared, database)
			} else if os.Getenv("GLMBATCH_STAT") == "" {
				t.Skip("nights of its own")
			} else {
				night(t, database, nil, c.first...)
			}
			pairs := append(append([]string{"seed: 1}", "seed: 2}"}, c.now...), c.first...)
			res := night(t, database, nil, pairs...)
			if got := startOf(t, database); !strings.Contains(got, c.want) {
				t.Errorf("%s; want %s", got, c.want)
			}
			if warm := strings.HasPrefix(c.want, "from the"); warm != (res.Warmup < 100) && c.first == nil {
				t.Errorf("a warm-up of %d", res.Warmup)
			}
		})
	}
}

// The fits of a run are read in groups, in the order of their numbers, and a fit beyond the bound is alone.
func TestByParameters(t *testing.T) {
	fits := []record.Stored{{ID: 5, RunID: "b"}, {ID: 1, RunID: "a"}, {ID: 2, RunID: "b"}, {ID: 4, RunID: "b"}, {ID: 3, RunID: "a"}}
	for i, parameters := range []int{3, 5, 6, 20, 5} {
		fits[i].Parameters = parameters
	}
	got := byParameters(fits, 10)
	want := map[int64][]int64{1: {1, 3}, 3: {1, 3}, 2: {2}, 4: {4}, 5: {5}}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}
