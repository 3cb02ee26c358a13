package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The script of a night calls the program and passes its exit code on: it is
// run with a program that answers each call with the next code of a list.
func TestNightlyScript(t *testing.T) {
	script, err := filepath.Abs("../../deploy/nightly.sh")
	must(t, err)
	if _, err := os.ReadFile(script); err != nil { // so that go test sees it change
		t.Fatal(err)
	}
	const show = "show s.yaml --attention\n"
	const run, commit, prune = "run s.yaml --quiet --seed 3\n", "commit s.yaml --lock-wait 30m\n", "prune s.yaml --keep 30\n"
	for _, c := range []struct {
		codes, calls string
		code         int
		says         string
	}{
		{"0 0", run + prune, 0, ""},
		{"1 0 0", run + show + prune, 1, "failed or erred"},
		{"2", run, 2, "exit code 2"},
		{"3 0 0 0", run + commit + run + prune, 0, ""},
		{"3 0 1 0 0", run + commit + run + show + prune, 1, "failed or erred"},
		{"3 1 1 0 0", run + commit + run + show + prune, 1, "failed or erred"},
		{"3 3", run + commit, 3, "the fake's reason\ns.yaml: something is not where it was to be, for the reason above"},
		{"130", run, 130, "130"},
		{"0 3", run + prune, 0, "not pruned"},
	} {
		dir := t.TempDir()
		write(t, dir, "codes", strings.ReplaceAll(c.codes, " ", "\n")+"\n")
		fake := write(t, dir, "fake", "#!/bin/sh\necho \"$@\" >> calls\ncode=$(head -n 1 codes)\nsed -i 1d codes\n"+
			"case $1$code in run3) echo \"the fake's reason\" >&2 ;; esac\nexit $code\n")
		must(t, os.Chmod(fake, 0o755))
		cmd := exec.Command("sh", script, "s.yaml", "--seed", "3")
		cmd.Env = append(os.Environ(), "PIPELINE="+fake, "PIPELINE_DIR="+dir)
		out, _ := cmd.CombinedOutput() // its code is looked at below
		if got := cmd.ProcessState.ExitCode(); got != c.code {
			t.Errorf("codes %s: exit %d, want %d\n%s", c.codes, got, c.code, out)
		}
		calls, err := os.ReadFile(filepath.Join(dir, "calls"))
		if err != nil || string(calls) != c.calls {
			t.Errorf("codes %s: calls\n%swant\n%s(%v)", c.codes, calls, c.calls, err)
		}
		if c.says == "" && len(out) > 0 || !strings.Contains(string(out), c.says) {
			t.Errorf("codes %s: it says %q, want %q", c.codes, out, c.says)
		}
	}
}

// fakes writes programs into a folder of the PATH that note how they are called, and answer with the lines of a list in turn.
func fakes(t *testing.T, dir string, answers map[string]string) {
	t.Helper()
	for name, text := range answers {
		write(t, dir, name+".answers", text)
		fake := write(t, dir, name, "#!/bin/sh\necho \""+name+" $@\" >> "+dir+"/calls\nanswer=$(head -n 1 "+dir+"/"+name+".answers)\n"+
			"sed -i 1d "+dir+"/"+name+".answers\n"+answer)
		must(t, os.Chmod(fake, 0o755))
	}
}

// answer exits with a number, is killed, waits for SIGTERM as the program does, or prints.
const answer = `case $answer in
prints*) echo "${answer#prints }" ;;
killed) kill -9 $$ ;;
waits) trap 'exit 130' TERM; kill -TERM $PPID; for i in $(seq 100); do sleep 0.02; done; exit 99 ;;
*) exit "$answer" ;;
esac
`

// A night under Slurm is planned, then an array and a job behind it are submitted; a shard that is not done is queued again until its attempts are used up.
func TestSlurmScript(t *testing.T) {
	script, err := filepath.Abs("../../deploy/slurm.sh")
	must(t, err)
	for _, c := range []struct {
		args, env string
		answers   map[string]string
		code      int
		calls     string
	}{
		{args: "s.yaml 20 NIGHT --seed 3", env: "PIPELINE_SBATCH=--mem=4G PIPELINE_GATHER=--time=1:00", answers: map[string]string{"pipeline": "0", "sbatch": "prints 11;big\nprints 12"},
			calls: "pipeline plan s.yaml --shards 20 --to NIGHT --seed 3\n" +
				"sbatch --parsable --job-name=shards --array=0-19 --requeue --open-mode=append --signal=B:TERM@120 --output=NIGHT/slurm-%a.log --mem=4G SCRIPT --shard NIGHT\n" +
				"sbatch --parsable --job-name=gather --dependency=afterany:11 --requeue --open-mode=append --output=NIGHT/slurm-gather.log --time=1:00 SCRIPT --gather NIGHT\n"},
		{args: "s.yaml 20 NIGHT", answers: map[string]string{"pipeline": "2"}, code: 2, calls: "pipeline plan s.yaml --shards 20 --to NIGHT\n"},
		{args: "s.yaml 20", code: 2},
		{args: "--shard NIGHT", env: "PIPELINE_RUN=--spool=/s", answers: map[string]string{"pipeline": "1"}, calls: "pipeline run --plan NIGHT --workers 1 --quiet --spool=/s\n"},
		{args: "--shard NIGHT", env: "SLURM_CPUS_PER_TASK=8", answers: map[string]string{"pipeline": "2", "scontrol": "1"}, code: 2, calls: "pipeline run --plan NIGHT --workers 8 --quiet\n"},
		{args: "--shard NIGHT", answers: map[string]string{"pipeline": "3", "scontrol": "1"}, code: 3, calls: "pipeline run --plan NIGHT --workers 1 --quiet\nscontrol requeue 11_7\n"},
		{args: "--shard NIGHT", answers: map[string]string{"pipeline": "killed", "scontrol": "1"}, code: 137, calls: "pipeline run --plan NIGHT --workers 1 --quiet\nscontrol requeue 11_7\n"},
		{args: "--shard NIGHT", answers: map[string]string{"pipeline": "waits", "scontrol": "1"}, code: 130, calls: "pipeline run --plan NIGHT --workers 1 --quiet\nscontrol requeue 11_7\n"},
		{args: "--shard NIGHT", env: "SLURM_RESTART_COUNT=4 PIPELINE_ATTEMPTS=5", answers: map[string]string{"pipeline": "3", "scontrol": "1"}, code: 3, calls: "pipeline run --plan NIGHT --workers 1 --quiet\n"},
		{args: "--gather NIGHT", answers: map[string]string{"pipeline": "1"}, code: 1, calls: "pipeline gather NIGHT\n"},
		{args: "--gather NIGHT", answers: map[string]string{"pipeline": "3"}, code: 3, calls: "pipeline gather NIGHT\n"},
	} {
		dir := t.TempDir()
		fakes(t, dir, c.answers)
		here := strings.NewReplacer("NIGHT", dir, "SCRIPT", script)
		cmd := exec.Command("/bin/sh", append([]string{script}, strings.Fields(here.Replace(c.args))...)...)
		cmd.Env = append([]string{"PATH=" + dir + ":/usr/bin:/bin", "SLURM_ARRAY_JOB_ID=11", "SLURM_ARRAY_TASK_ID=7"}, strings.Fields(c.env)...)
		out, _ := cmd.CombinedOutput() // its code is looked at below
		if got := cmd.ProcessState.ExitCode(); got != c.code {
			t.Errorf("%s: exit %d, want %d\n%s", c.args, got, c.code, out)
		}
		if calls, _ := os.ReadFile(filepath.Join(dir, "calls")); string(calls) != here.Replace(c.calls) {
			t.Errorf("%s: calls\n%swant\n%s", c.args, calls, here.Replace(c.calls))
		}
		if strings.HasPrefix(c.args, "s.yaml 20 NIGHT --seed") && string(out) != "11 12\n" {
			t.Errorf("it prints %q", out)
		}
	}
}

// kubernetesJob holds the part of a job that these tests read.
type kubernetesJob struct {
	Spec struct {
		Suspend          bool
		PodFailurePolicy struct {
			Rules []struct {
				Action      string
				OnExitCodes struct {
					ContainerName string `yaml:"containerName"`
					Operator      string
					Values        []int
				} `yaml:"onExitCodes"`
			}
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				Containers []struct {
					Name          string
					Command, Args []string
				}
			}
		}
	}
}

// The file for Kubernetes says what each exit code means: its script makes 1, a shard that is done, into 0 and passes SIGTERM on; 2 fails an index or
// the job at once.
func TestKubernetesScript(t *testing.T) {
	text, err := os.ReadFile("../../deploy/k8s-indexed-job.yaml")
	must(t, err)
	var night struct {
		Data map[string]string
	}
	var jobs [2]kubernetesJob
	parts := strings.Split(string(text), "\n---\n")
	if len(parts) != 3 {
		t.Fatalf("%d parts", len(parts))
	}
	for i, into := range []any{&night, &jobs[0], &jobs[1]} {
		must(t, yaml.Unmarshal([]byte(parts[i]), into))
	}
	for i, want := range []string{"FailIndex shard run --plan /night --spool /night/spool --workers 4 --quiet", "FailJob gather gather /night"} {
		rule, pod := jobs[i].Spec.PodFailurePolicy.Rules[0], jobs[i].Spec.Template.Spec.Containers[0]
		if got := strings.Join(append([]string{rule.Action, pod.Name}, pod.Args...), " "); got != want || rule.OnExitCodes.ContainerName != pod.Name ||
			rule.OnExitCodes.Operator != "In" || !slices.Equal(rule.OnExitCodes.Values, []int{2}) || jobs[i].Spec.Suspend != (i == 1) {
			t.Errorf("job %d: %s, %+v", i, got, rule)
		}
	}
	for answer, want := range map[string]int{"0": 0, "1": 0, "2": 2, "3": 3, "killed": 137, "waits": 130} {
		dir := t.TempDir()
		fakes(t, dir, map[string]string{"pipeline": answer})
		cmd := exec.Command("/bin/sh", write(t, dir, "carry-out.sh", night.Data["carry-out.sh"]), "gather", "/night")
		cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin"}
		out, _ := cmd.CombinedOutput() // its code is looked at below
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: exit %d, want %d\n%s", answer, got, want, out)
		}
		if calls, _ := os.ReadFile(filepath.Join(dir, "calls")); string(calls) != "pipeline gather /night\n" {
			t.Errorf("calls %q", calls)
		}
	}
}
