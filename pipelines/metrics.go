package pipelines

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/outfile"
)

// WriteMetrics writes what runs left to a file in the text format of Prometheus,
// for node_exporter's textfile collector. The file takes the old one's place by
// a rename: a collector never meets half of it. Links are followed, and a pipe or device is
// written to. Of runs of one pipeline the last
// counts; dry runs and replicates have no metrics.
func WriteMetrics(path string, outcomes []*Outcome) error {
	var b bytes.Buffer
	writeMetrics(&b, outcomes)
	// The collector runs as another user.
	err := outfile.Write(path, 0o644, func(f *os.File) error {
		_, err := f.Write(b.Bytes())
		return err
	})
	if err != nil {
		return fmt.Errorf("metrics: %w", err)
	}
	return nil
}

// verdicts are the values of the label verdict, all of which are always written: a series that vanishes raises no
// alarm.
var verdicts = []string{"pass", "warn", "fail", "error", "none"}

// metric is a family of samples.
type metric struct {
	name, help string
	samples    []sample
}

type sample struct {
	labels []string // names and values in turn
	value  float64
}

func writeMetrics(b *bytes.Buffer, outcomes []*Outcome) {
	for _, m := range metricsOf(lastOfEach(outcomes)) {
		if len(m.samples) == 0 {
			continue
		}
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s gauge\n", m.name, m.help, m.name)
		for _, s := range m.samples {
			b.WriteString(m.name)
			for i := 0; i < len(s.labels); i += 2 {
				open := ","
				if i == 0 {
					open = "{"
				}
				fmt.Fprintf(b, `%s%s="%s"`, open, s.labels[i], labelText(s.labels[i+1]))
			}
			if len(s.labels) > 0 {
				b.WriteByte('}')
			}
			fmt.Fprintf(b, " %s\n", metricNumber(s.value))
		}
	}
}

// lastOfEach keeps the last outcome of each pipeline, in order, without dry runs.
func lastOfEach(outcomes []*Outcome) (out []*Outcome) {
	for _, o := range outcomes {
		if o.DryRun {
			continue
		}
		out = slices.DeleteFunc(out, func(p *Outcome) bool { return p.Pipeline == o.Pipeline })
		out = append(out, o)
	}
	return out
}

func metricsOf(outcomes []*Outcome) []metric {
	v := Version()
	info := metric{name: "glmbatch_build_info", help: "Always 1; the labels are those of the build that wrote the file."}
	build := []string{"version", v.Version, "go", v.Go}
	if len(outcomes) == 1 {
		build = append(build, shardLabel(outcomes[0])...)
	}
	info.add(build, 1)
	started := metric{name: "glmbatch_run_start_timestamp_seconds", help: "When the last run of the pipeline started."}
	ended := metric{name: "glmbatch_run_end_timestamp_seconds", help: "When it ended."}
	exit := metric{name: "glmbatch_run_exit_code",
		help: "Its exit code: 0 pass, 1 fail or error, 3 uncommitted, 130 interrupted."}
	fits := metric{name: "glmbatch_run_fits", help: "Its fits by verdict; none: interrupted or not committed."}
	actions := metric{name: "glmbatch_run_fit_actions", help: "Its fits by what it did about them."}
	verdict := metric{name: "glmbatch_fit_verdict", help: "Always 1; the label verdict is that of the fit."}
	cpu := metric{name: "glmbatch_fit_cpu_seconds", help: "Processor time of a fit that was drawn in the run."}
	draws := metric{name: "glmbatch_fit_draws", help: "Kept draws over all chains."}
	rhat := metric{name: "glmbatch_fit_rhat_max", help: "Largest R-hat of a fit that was drawn in the run."}
	ess := metric{name: "glmbatch_fit_ess_bulk_min",
		help: "Least bulk effective sample size over its parameters, dispersions included."}
	missing := metric{name: "glmbatch_run_missing", help: "Its shards and planned fits that are missing."}
	for _, o := range outcomes {
		of := append([]string{"pipeline", o.Pipeline}, shardLabel(o)...)
		started.add(of, unix(o.Started.UnixNano()))
		ended.add(of, unix(o.Finished.UnixNano()))
		exit.add(of, float64(o.ExitCode))
		missing.add(of, float64(len(o.Missing)))
		byVerdict, byAction := map[string]int{}, map[string]int{}
		for _, f := range o.Fits {
			byVerdict[verdictOf(f)]++
			byAction[f.Action]++
			if f.Replicate > 1 {
				continue
			}
			fit := append(slices.Clone(of), "dataset", f.Dataset, "key", f.Key, "model", f.Model, "sampler", f.Sampler)
			verdict.add(append(slices.Clone(fit), "verdict", verdictOf(f)), 1)
			if f.Action == Computed {
				cpu.add(fit, f.Seconds)
				rhat.add(fit, float64(f.RHatMax))
				ess.add(fit, float64(f.ESSBulkMin))
			}
			if f.Draws > 0 {
				draws.add(fit, float64(f.Chains*f.Draws))
			}
		}
		for _, name := range verdicts {
			fits.add(append(slices.Clone(of), "verdict", name), float64(byVerdict[name]))
		}
		for _, name := range []string{Computed, Skipped, "error", Uncommitted, Interrupted, Committed} {
			actions.add(append(slices.Clone(of), "action", name), float64(byAction[name]))
		}
	}
	return []metric{info, started, ended, exit, missing, fits, actions, verdict, cpu, draws, rhat, ess}
}

// shardLabel is the label of the samples of a shard; none for a run that is not divided, and for gather.
func shardLabel(o *Outcome) []string {
	if o.Shard == nil {
		return nil
	}
	return []string{"shard", strconv.Itoa(*o.Shard)}
}

func (m *metric) add(labels []string, value float64) {
	m.samples = append(m.samples, sample{labels, value})
}

func verdictOf(f *Result) string {
	if f.Verdict == "" {
		return "none"
	}
	return f.Verdict
}

func unix(nanos int64) float64 { return float64(nanos) / 1e9 }

// labelText escapes a label's value; names are data and may hold anything.
func labelText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(strings.ToValidUTF8(s, "�"))
}

func metricNumber(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "+Inf"
	case math.IsInf(x, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
