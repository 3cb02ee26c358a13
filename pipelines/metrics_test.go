package pipelines_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"glmbatch/pipelines"
)

var (
	metricName  = regexp.MustCompile(`^glmbatch_[a-z]+(_[a-z]+)*$`)
	metricLabel = regexp.MustCompile(`^([a-z_]+)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"([,}])`)
)

// lint holds a file against the text format of Prometheus and what promtool
// check metrics asks of names: a HELP and a TYPE before the samples of a family,
// families whole, series once, values that are numbers, base units, no name of a
// type or a label in a name, help that ends the line.
func lint(text string) (faults []string, series map[string]float64) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	series = map[string]float64{}
	helped, family := map[string]bool{}, ""
	if !strings.HasSuffix(text, "\n") {
		fault("the last line does not end")
	}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if name, ok := strings.CutPrefix(line, "# HELP "); ok {
			name, help, _ := strings.Cut(name, " ")
			if helped[name] || help == "" || !metricName.MatchString(name) {
				fault("line %d: HELP of %q", i+1, name)
			}
			if regexp.MustCompile(`gauge|counter|_total$|_count$|milliseconds|minutes|_bytes$`).MatchString(name) {
				fault("line %d: %q names a type, or no base unit", i+1, name)
			}
			helped[name], family = true, name
			continue
		}
		if strings.HasPrefix(line, "# TYPE ") {
			if line != "# TYPE "+family+" gauge" {
				fault("line %d: %q after HELP of %s", i+1, line, family)
			}
			continue
		}
		rest, ok := strings.CutPrefix(line, family)
		if !ok {
			fault("line %d: %q in the family %s", i+1, line, family)
			continue
		}
		if open, ok := strings.CutPrefix(rest, "{"); ok {
			for end := ","; end == ","; {
				m := metricLabel.FindStringSubmatch(open)
				if m == nil {
					fault("line %d: labels %q", i+1, open)
					break
				}
				open, end = open[len(m[0]):], m[3]
			}
			rest = open
		}
		value, err := strconv.ParseFloat(strings.TrimPrefix(rest, " "), 64)
		key := strings.TrimSuffix(line, rest)
		if _, twice := series[key]; err != nil || twice {
			fault("line %d: %q: value %v, there already: %v", i+1, line, err, twice)
		}
		series[key] = value
	}
	return faults, series
}

// The file passes the lint whatever the names hold, and says what the runs left.
func TestMetrics(t *testing.T) {
	at := time.Unix(1_700_000_000, 500_000_000)
	hostile := "q\"uo\\te\n'; DROP TABLE fit; -- {} \xff ünïcode, x=\"1\""
	out := &pipelines.Outcome{Pipeline: "p " + hostile, Started: at, Finished: at.Add(time.Minute), ExitCode: 1, Fits: []*pipelines.Result{
		{Dataset: "d", Key: hostile, Model: hostile, Sampler: "s", Action: "computed", Verdict: "fail", Chains: 4, Draws: 500, Seconds: 1.5, RHatMax: 1.25, ESSBulkMin: 7},
		{Dataset: "d", Key: hostile, Model: hostile, Sampler: "s", Replicate: 2, Action: "computed", Verdict: "pass"},
		{Dataset: "d", Model: "m", Sampler: "s", Action: "interrupted"},
		{Dataset: "e", Model: "m", Sampler: "s", Action: "computed", Verdict: "warn", RHatMax: pipelines.Number(math.NaN()), ESSBulkMin: pipelines.Number(math.Inf(1))},
	}}
	path := filepath.Join(t.TempDir(), "m.prom")
	older := *out
	older.ExitCode = 130
	dry := pipelines.Outcome{Pipeline: "dry", DryRun: true}
	must(t, pipelines.WriteMetrics(path, []*pipelines.Outcome{&older, &dry, out}))
	text, err := os.ReadFile(path)
	must(t, err)
	faults, series := lint(string(text))
	if len(faults) > 0 {
		t.Errorf("%s\n%s", strings.Join(faults, "\n"), text)
	}
	name := func(s string) string {
		return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`, "\xff", "�").Replace(s)
	}
	p, h := name(out.Pipeline), name(hostile)
	for key, want := range map[string]float64{
		`glmbatch_run_exit_code{pipeline="` + p + `"}`:                                                          1,
		`glmbatch_run_start_timestamp_seconds{pipeline="` + p + `"}`:                                            1_700_000_000.5,
		`glmbatch_run_fits{pipeline="` + p + `",verdict="pass"}`:                                                1,
		`glmbatch_run_fits{pipeline="` + p + `",verdict="none"}`:                                                1,
		`glmbatch_run_fits{pipeline="` + p + `",verdict="error"}`:                                               0,
		`glmbatch_fit_draws{pipeline="` + p + `",dataset="d",key="` + h + `",model="` + h + `",sampler="s"}`:    2000,
		`glmbatch_fit_rhat_max{pipeline="` + p + `",dataset="d",key="` + h + `",model="` + h + `",sampler="s"}`: 1.25,
		`glmbatch_fit_verdict{pipeline="` + p + `",dataset="d",key="",model="m",sampler="s",verdict="none"}`:    1,
		`glmbatch_fit_ess_bulk_min{pipeline="` + p + `",dataset="e",key="",model="m",sampler="s"}`:              math.Inf(1),
	} {
		if got, ok := series[key]; !ok || got != want {
			t.Errorf("%s is %v (%v), want %v", key, got, ok, want)
		}
	}
	if len(series) != 26 {
		t.Errorf("%d series, want 26:\n%s", len(series), text)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".pipeline*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The lint detects the fault that it is for.
func TestMetricsLintCatches(t *testing.T) {
	const good = "# HELP glmbatch_a_seconds A.\n# TYPE glmbatch_a_seconds gauge\nglmbatch_a_seconds{x=\"1\"} 2\n"
	if faults, _ := lint(good); len(faults) > 0 {
		t.Errorf("a good file: %v", faults)
	}
	for _, bad := range []string{
		strings.TrimSuffix(good, "\n"), strings.Replace(good, "2", "two", 1), good + "glmbatch_a_seconds{x=\"1\"} 3\n", good + good,
		strings.ReplaceAll(good, "glmbatch_a_seconds", "glmbatch_aSeconds"), strings.ReplaceAll(good, "a_seconds", "a_total"),
		strings.Replace(good, `"1"`, `"1\q"`, 1), strings.Replace(good, "gauge", "counter", 1), strings.Replace(good, " A.", "", 1), good + "other 3\n",
	} {
		if faults, _ := lint(bad); len(faults) == 0 {
			t.Errorf("nothing found in\n%s", bad)
		}
	}
}

// A link to where the collector looks stays a link.
func TestMetricsThroughALink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link.prom")
	must(t, os.Symlink("real.prom", link))
	for range 2 { // made, then replaced
		must(t, pipelines.WriteMetrics(link, nil))
	}
	if to, err := os.Readlink(link); err != nil || to != "real.prom" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "real.prom")); err != nil || !strings.Contains(string(text), "build_info") {
		t.Errorf("%q, %v", text, err)
	}
}
