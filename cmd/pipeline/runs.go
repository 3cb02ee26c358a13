package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func (a *app) runsCommand() *cobra.Command {
	var f common
	var since, format string
	var o pipelines.RunsOptions
	c := &cobra.Command{
		Use:   "runs [SPEC|NAME]",
		Short: "List the runs: start, duration, fits, exit code",
		Long: `runs lists the runs of a ledger, the newest first: start (UTC), duration, exit code,
and the numbers of fits that were drawn, were unchanged, failed their gates,
erred, or are not committed. A run is killed if its process or its machine stopped
before it ended. A star marks a run whose spec differs from that of the pipeline's
run before. With a SPEC it lists the runs of that pipeline, in its ledger.`,
		Example: `  pipeline runs
  pipeline runs nightly.yaml
  pipeline runs --since 7d --database nightly.duckdb
  pipeline runs --limit 1 --format json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkFormat(format, showFormats); err != nil {
				return err
			}
			if o.Limit < 0 {
				return fmt.Errorf("--limit %d: it is at least 1, or 0 for all", o.Limit)
			}
			var err error
			if o.Since, err = sinceTime(since, time.Now()); err != nil {
				return err
			}
			var database string
			if database, o.Pipeline, err = f.asked(args); err != nil {
				return err
			}
			runs, err := pipelines.Runs(c.Context(), database, o)
			if err != nil {
				return work(err)
			}
			switch format {
			case "json":
				return indented(a.stdout, append([]pipelines.RunInfo{}, runs...))
			case "csv":
				return csvRuns(a.machine(), runs)
			}
			printRuns(a.screen(), runs)
			return nil
		},
	}
	f.asks(c)
	c.Flags().StringVar(&since, "since", "",
		"runs that started then or later: 2026-11-01, 2026-11-01T18:00 (UTC), 36h, 7d")
	c.Flags().IntVar(&o.Limit, "limit", 20, "how many, the newest ones; 0 for all")
	c.Flags().StringVar(&format, "format", "table", strings.Join(showFormats, ", "))
	return c
}

// sinceTime reads a moment, UTC, or a time back from now.
func sinceTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04",
		"2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n >= 0 && n < 1e5 {
			return now.Add(-time.Duration(n * 24 * float64(time.Hour))), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, errors.New("--since " + text +
		": write a day (2026-11-01), a moment (2026-11-01T18:00, UTC) or a time back from now (36h, 7d)")
}

// printRuns prints a line for each run.
func printRuns(s *screen, runs []pipelines.RunInfo) {
	if len(runs) == 0 {
		s.sentence("  ", "no run here: --since and --pipeline leave none")
		return
	}
	g := head("started (UTC)", "pipeline", "took", "new", "same", "fail", "err", "exit", "run")
	for i := range runs {
		n := &runs[i]
		name := words.Visible(n.Pipeline)
		if n.SpecChanged {
			name += " *"
		}
		g.Add(n.Started.UTC().Format("2006-01-02 15:04"), name, tookWords(n), count(n.New), count(n.Skipped), count(n.Failed),
			count(n.Erred), endOf(n), lastOf(n.ID))
	}
	g.colour = func(row, col int) string {
		if row == 0 || col < 5 || col > 7 || g.Rows[row][col] == "" {
			return ""
		}
		return runColour(&runs[row-1], col)
	}
	g.shorten(1, s.width)
	g.print(s)
}

// runColour is that of a run's numbers and its end.
func runColour(n *pipelines.RunInfo, col int) string {
	switch {
	case col < 7, n.State == pipelines.RunKilled, n.ExitCode != nil && *n.ExitCode == pipelines.ExitFail:
		return red
	case n.ExitCode != nil && *n.ExitCode == pipelines.ExitPass:
		return green
	}
	return yellow
}

// endOf is the exit code, or the state of a run without one.
func endOf(n *pipelines.RunInfo) string {
	if n.ExitCode != nil && n.Uncommitted > 0 {
		return fmt.Sprintf("%d (%d open)", *n.ExitCode, n.Uncommitted)
	}
	if n.ExitCode != nil {
		return strconv.Itoa(*n.ExitCode)
	}
	return n.State
}

// lastOf is the part of a run's name that no other run has.
func lastOf(id string) string { return id[strings.LastIndex(id, "-")+1:] }

// tookWords is how long a run took, as people say it.
func tookWords(n *pipelines.RunInfo) string {
	s := float64(n.Took)
	switch {
	case math.IsNaN(s):
		return "—"
	case s < 60:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	}
	d := time.Duration(s * float64(time.Second)).Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// nightWords says of one run how it went.
func nightWords(n *pipelines.RunInfo) string {
	head := fmt.Sprintf("run %s of pipeline %s, %s UTC: ", n.ID, words.Visible(n.Pipeline),
		n.Started.UTC().Format("2006-01-02 15:04"))
	switch {
	case n.State == pipelines.RunRunning:
		return head + "it has been running for " + tookWords(n) + "; fits are listed here once they are committed"
	case n.State == pipelines.RunKilled:
		return head + "it was killed, or lost its machine; the next run of the pipeline resumes it"
	}
	return head + fmt.Sprintf("took %s, exit code %s (%s)", tookWords(n), endOf(n), exitWords(*n.ExitCode))
}

// exitWords says what an exit code means.
func exitWords(code int) string {
	switch code {
	case pipelines.ExitPass:
		return "every fit passes its gates"
	case pipelines.ExitFail:
		return "a fit failed its gates, or erred"
	case pipelines.ExitUncommitted:
		return "something is drawn and not committed, or not published: pipeline commit"
	case pipelines.ExitInterrupted:
		return "it was stopped; the next run resumes it"
	}
	return "the call was wrong"
}

// csvRuns writes a row for each run, with every field.
func csvRuns(w io.Writer, runs []pipelines.RunInfo) error {
	rows := [][]string{{"run", "pipeline", "state", "started", "finished", "took_seconds", "exit_code", "fits", "new",
		"skipped", "erred", "uncommitted",
		"passed", "warned", "failed", "seconds", "seed", "spec_hash", "spec_changed", "program", "host"}}
	for i := range runs {
		n := &runs[i]
		finished, exit := "", ""
		if n.Finished != nil {
			finished, exit = n.Finished.UTC().Format(time.RFC3339Nano), strconv.Itoa(*n.ExitCode)
		}
		row := []string{n.ID, n.Pipeline, n.State, n.Started.UTC().Format(time.RFC3339Nano), finished,
			exact(float64(n.Took)), exit}
		for _, v := range []int{n.Fits, n.New, n.Skipped, n.Erred, n.Uncommitted, n.Passed, n.Warned, n.Failed} {
			row = append(row, strconv.Itoa(v))
		}
		rows = append(rows, append(row, exact(float64(n.Seconds)), n.Seed, n.SpecHash, strconv.FormatBool(n.SpecChanged),
			n.Program, n.Host))
	}
	return csv.NewWriter(w).WriteAll(rows)
}
