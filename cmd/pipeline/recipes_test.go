package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The crontab line of the manual is run as cron runs it, with its short
// environment and /bin/sh, on the program itself: two nights, the second of which
// has nothing to do, and a third that fails.
func TestCronLine(t *testing.T) {
	page, err := os.ReadFile("../../docs/nightly.md")
	must(t, err)
	line := regexp.MustCompile(`(?m)^0 2 \* \* \*  (.*)$`).FindSubmatch(page)
	if line == nil {
		t.Fatal("docs/nightly.md has no crontab line")
	}
	dir := t.TempDir()
	script, err := os.ReadFile("../../deploy/nightly.sh")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "nightly.sh"), script, 0o755))
	const text = "pipeline: nightly\ndatasets: {pima: \"example:pima.csv\"}\nmodels: {m: {formula: type ~ glu, family: bernoulli}}\nsamplers: {s: {}}\nrun: {chains: 2, warmup: 50, draws: 100}\ngates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}\n"
	write(t, dir, "nightly.yaml", text)
	self, err := filepath.Abs(os.Args[0])
	must(t, err)
	command := strings.NewReplacer("/usr/local/bin/pipeline", self, "/srv/glmbatch", dir).Replace(string(line[1]))
	night := func() (int, string) {
		cmd := exec.Command("/bin/sh", "-c", command)
		cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin", "SHELL=/bin/sh", "HOME=" + dir, "LOGNAME=nobody", asProgram + "=1"}
		out, _ := cmd.CombinedOutput() // its code is looked at by the caller
		return cmd.ProcessState.ExitCode(), string(out)
	}
	for i := range 2 {
		if code, out := night(); code != 0 || out != "" {
			t.Fatalf("night %d: exit %d, and it prints %q", i+1, code, out)
		}
	}
	ledger := filepath.Join(dir, "posteriors.duckdb")
	if got := mustCall(t, "sql", "--database", ledger, "--format", "csv", "SELECT action, count(*) FROM run_fit GROUP BY ALL ORDER BY ALL"); got != "action,count_star()\ncomputed,1\nskipped,1\n" {
		t.Errorf("two nights: %s", got)
	}
	write(t, dir, "nightly.yaml", strings.Replace(text, "rhat: 1.5", "rhat: 1.00001", 1))
	if code, out := night(); code != 1 || !strings.Contains(out, "a fit failed or erred") {
		t.Errorf("a night that fails: exit %d, %q", code, out)
	}
}

// systemd finds nothing wrong with the units, once the script that they name exists.
func TestSystemdUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze")
	}
	dir := t.TempDir()
	var files []string
	for _, name := range []string{"glmbatch.service", "glmbatch.timer"} {
		text, err := os.ReadFile("../../deploy/" + name)
		must(t, err)
		unit := strings.ReplaceAll(string(text), "/srv/glmbatch/nightly.sh", "/bin/true")
		files = append(files, write(t, dir, name, unit))
	}
	if out, err := exec.Command(analyze, append([]string{"verify"}, files...)...).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	write(t, dir, "glmbatch.service", "[Service]\nType=oneshot\nExecStart=/bin/nothing-of-this-name\n")
	if out, err := exec.Command(analyze, "verify", files[0]).CombinedOutput(); err == nil {
		t.Errorf("verify finds nothing wrong with a program that is not there: %s", out)
	}
}

// airflowStubs are modules of the names that deploy/airflow_nightly.py imports. They run
// the task at once and print its outcome.
var airflowStubs = map[string]string{
	"pendulum/__init__.py": "datetime = duration = lambda *a, **k: (a, k)\n",
	"airflow/__init__.py":  "",
	"airflow/exceptions.py": "class AirflowException(Exception): pass\n\n" +
		"class AirflowFailException(AirflowException): pass\n",
	"airflow/decorators.py": `
def dag(**settings):
    return lambda f: f

def task(f):
    def run():
        try:
            print(f())
        except Exception as e:
            print(type(e).__name__)
    return run
`,
}

// The Airflow task retries what another attempt can cure, and nothing else. The
// manual shows the task as it is in the file.
func TestAirflow(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	text, err := os.ReadFile("../../deploy/airflow_nightly.py")
	must(t, err)
	page, err := os.ReadFile("../../docs/nightly.md")
	must(t, err)
	_, task, _ := strings.Cut(string(text), "    @task\n")
	task, _, _ = strings.Cut(task, "\n\n    fit()")
	task = strings.TrimSpace(strings.ReplaceAll(task, "\n    ", "\n"))
	if len(task) < 100 || !strings.Contains(string(page), task) {
		t.Errorf("docs/nightly.md does not show the task of deploy/airflow_nightly.py:\n%s", task)
	}
	dir := t.TempDir()
	for name, module := range airflowStubs {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		write(t, dir, name, module)
	}
	program := write(t, dir, "pipeline", "#!/bin/sh\necho '{\"counts\": {\"pass\": 12}}'\nexit $CODE\n")
	must(t, os.Chmod(program, 0o755))
	const again, final = "AirflowException", "AirflowFailException"
	for code, want := range map[string]string{"0": "{'pass': 12}", "1": final, "2": final, "3": again, "130": again, "134": again} {
		cmd := exec.Command(python, "../../deploy/airflow_nightly.py")
		cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "PYTHONPATH=" + dir, "PYTHONDONTWRITEBYTECODE=1", "CODE=" + code}
		out, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("exit code %s: %v, %q, expected %s", code, err, out, want)
		}
	}
}

// The image is small and without rights: the last stage has no shell or compiler,
// copies the binary alone, and its user is not root before the program starts.
func TestDockerfile(t *testing.T) {
	text, err := os.ReadFile("../../deploy/Dockerfile")
	must(t, err)
	if faults := dockerfileFaults(string(text)); len(faults) > 0 {
		t.Error(strings.Join(faults, "\n"))
	}
	for _, change := range [][2]string{
		{"USER nonroot\n", ""}, {"USER nonroot", "USER root"}, {"golang:1.26-bookworm", "golang"}, {"golang:1.26-bookworm", "golang:latest"},
		{"cc-debian12", "static-debian12"}, {"COPY --from=build /pipeline", "COPY . /src\nCOPY --from=build /pipeline"}, {`["/usr/local/bin/pipeline"]`, "pipeline"},
	} {
		if faulty := strings.Replace(string(text), change[0], change[1], 1); len(dockerfileFaults(faulty)) == 0 || faulty == string(text) {
			t.Errorf("%q in place of %q passes", change[1], change[0])
		}
	}
}

func dockerfileFaults(text string) (faults []string) {
	var base, user string
	var last []string // instructions of the last stage
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "FROM":
			base, last, user = rest, nil, ""
			if image, _, _ := strings.Cut(rest, " "); !strings.Contains(image, ":") || strings.HasSuffix(image, ":latest") {
				faults = append(faults, "no version of "+image)
			}
		case "USER":
			user = rest
		case "ENTRYPOINT":
			if user == "" || user == "root" || user == "0" || !strings.HasPrefix(rest, "[") {
				faults = append(faults, "the program starts as "+user+" by "+rest)
			}
		}
		last = append(last, word)
	}
	// The engine needs glibc and libstdc++, which distroless/cc has and static has not.
	if !strings.HasPrefix(base, "gcr.io/distroless/cc-") || slices.Contains(last, "RUN") || strings.Count(strings.Join(last, " "), "COPY") != 1 {
		faults = append(faults, "the last stage, of "+base+", holds more than the program, or less than it needs")
	}
	return faults
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
