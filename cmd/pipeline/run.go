package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"glmbatch/pipelines"
)

// common are the flags that change entries of a spec.
type common struct {
	database, profile, seed string
	pipeline                string // of verbs that only read a ledger
	verb                    string // that has these flags
	vars                    []string
	allow, allowEnv         []string
}

func (f *common) register(c *cobra.Command) {
	f.verb = c.Name()
	c.Flags().StringVar(&f.database, "database", "", "DuckDB file, instead of the spec's")
	c.Flags().StringVar(&f.profile, "profile", "", "profile of the spec to apply")
	c.Flags().StringVar(&f.seed, "seed", "", "seed, instead of the spec's")
	if c.Flags().Lookup("allow") == nil { // of sql it is for the query
		c.Flags().StringArrayVar(&f.allow, "allow", nil,
			"folder that the spec may read and write in, or s3://BUCKET to read from; may be repeated (default: "+
				"$PIPELINE_ALLOW, or the spec's folder and the current one)")
	}
	c.Flags().StringArrayVar(&f.allowEnv, "allow-env", nil,
		"glob of environment variables that the spec may read; may be repeated (default: all)")
	c.Flags().StringArrayVar(&f.vars, "var", nil, "NAME=VALUE of a variable of the spec; may be repeated")
}

func (f *common) overrides() (pipelines.Overrides, error) {
	o := pipelines.Overrides{Database: f.database, Profile: f.profile, Vars: map[string]string{},
		Trust: &pipelines.Trust{Folders: f.allow, Env: f.allowEnv}}
	if given := os.Getenv("PIPELINE_ALLOW"); f.allow == nil && given != "" {
		o.Trust.Folders = filepath.SplitList(given)
	}
	for _, v := range f.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok {
			return o, fmt.Errorf("--var %q: write NAME=VALUE", v)
		}
		o.Vars[name] = value
	}
	if f.seed != "" {
		n, err := strconv.ParseUint(f.seed, 10, 64)
		if err != nil {
			return o, fmt.Errorf("--seed %q: a seed is a whole number from 0 to 2^64 - 1", f.seed)
		}
		o.Seed = &n
	}
	return o, nil
}

type runFlags struct {
	common
	shardFlags
	workers  int
	memory   string
	only     []string
	choose   []string
	dryRun   bool
	retry    bool // narrow to what failed in the last run
	force    bool
	quiet    bool
	output   string
	log      string
	metrics  string
	junit    string
	trace    string
	done     []*pipelines.Outcome // of the targets so far
	lockWait time.Duration
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run SPEC|NAME…",
		Short: "Fit the models of specs, and commit them to their ledgers",
		Long: `run runs specs, each given by path or by the name of a shipped pipeline. Complete
fits are skipped. A killed run resumes where it stopped, with the same bits. With
--plan it runs one shard of a run that several machines share.`,
		Example: `  pipeline run quickstart
  pipeline run nightly.yaml --workers 8 --only 'dataset=claims/*'`,
		Args: f.count,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c, args); err != nil {
				return err
			}
			if f.plan != "" {
				return a.runShard(c.Context(), &f)
			}
			return a.runAll(c.Context(), args, &f)
		},
	}
	f.registerRun(c)
	f.shardFlags.register(c)
	c.Flags().StringArrayVar(&f.choose, "select", nil,
		"state:error, state:fail or state:warn: fits whose newest verdict is that; may be repeated")
	return c
}

// registerRun adds the flags of the verbs that draw.
func (f *runFlags) registerRun(c *cobra.Command) {
	f.common.register(c)
	c.Flags().IntVar(&f.workers, "workers", 0,
		"chains that are drawn at once; 0 means the spec's number, or one per processor (it never changes a bit)")
	c.Flags().StringVar(&f.memory, "memory", "",
		"memory for the run: 500MB, 2GB; a fit that needs more is refused (it never changes a bit); "+
			"default: the spec's, or three quarters of the machine's")
	onlyFlag(c, &f.only, "narrows the fits")
	c.Flags().BoolVar(&f.force, "force", false, "compute complete fits again")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "print what would be drawn and why, and draw nothing")
	c.Flags().BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
	outputFlag(c, &f.output)
	f.registerFiles(c)
	lockWaitFlag(c, &f.lockWait)
}

// registerFiles adds the flags that name files for other programs.
func (f *runFlags) registerFiles(c *cobra.Command) {
	c.Flags().StringVar(&f.log, "log", "", "append structured log lines (JSON) to this file; - for standard error")
	c.Flags().StringVar(&f.metrics, "metrics", "",
		"write the results of the run to this file, for the textfile collector of Prometheus")
	c.Flags().StringVar(&f.junit, "junit", "", "write the fits to this file as tests, in the XML of JUnit")
	c.Flags().StringVar(&f.trace, "trace", "",
		"append when each step was done to this file, as spans of OpenTelemetry (OTLP, JSON lines); $TRACEPARENT is their "+
			"parent")
}

// onlyFlag, outputFlag, lockWaitFlag and databaseFlag are the flags of several verbs.
func onlyFlag(c *cobra.Command, only *[]string, does string) {
	c.Flags().StringArrayVar(only, "only", nil, "FIELD=GLOB "+does+"; FIELD is dataset, model or sampler; may be repeated")
}

func outputFlag(c *cobra.Command, output *string) {
	c.Flags().StringVar(output, "output", "text", "text or json")
}

func lockWaitFlag(c *cobra.Command, wait *time.Duration) {
	c.Flags().DurationVar(wait, "lock-wait", 10*time.Second,
		"how long to wait for another process that has the ledger open")
}

func databaseFlag(c *cobra.Command, database *string) {
	c.Flags().StringVar(database, "database", defaultLedger, "the ledger")
}

// checkFormat refuses values of --format that are not known.
func checkFormat(format string, known []string) error {
	if !slices.Contains(known, format) {
		return fmt.Errorf("--format %q: it is one of %s", format, strings.Join(known, ", "))
	}
	return nil
}

// answerWidth is that of an answer in a format on standard output: 0 if it is not a terminal.
func (a *app) answerWidth(format string) (int, error) {
	if err := checkFormat(format, pipelines.Formats()); err != nil {
		return 0, err
	}
	live, width := terminal(a.stdout)
	switch {
	case live && format == "parquet":
		return 0, errors.New("--format parquet writes a file: send it to one with > FILE")
	case live:
		return max(width(), narrowest), nil
	}
	return 0, nil
}

func checkOutput(output string) error {
	if output != "text" && output != "json" {
		return fmt.Errorf("--output %q: it is text or json", output)
	}
	return nil
}

// runAll carries out targets one after the other.
func (a *app) runAll(ctx context.Context, targets []string, f *runFlags) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	var err error
	for _, target := range targets {
		if err = a.runOne(ctx, target, f); err != nil {
			break
		}
	}
	if f.dryRun || len(f.done) == 0 {
		return err
	}
	return errors.Join(err, work(f.forMachines()))
}

// forMachines writes the files that other programs read.
func (f *runFlags) forMachines() (err error) {
	if f.metrics != "" {
		err = pipelines.WriteMetrics(f.metrics, f.done)
	}
	if f.junit != "" {
		err = errors.Join(err, pipelines.WriteJUnit(f.junit, f.done))
	}
	if f.trace != "" {
		err = errors.Join(err, pipelines.WriteTrace(f.trace, f.done, os.Getenv("TRACEPARENT")))
	}
	return err
}

func (a *app) runOne(ctx context.Context, target string, f *runFlags) error {
	overrides, err := f.overrides()
	if err != nil {
		return err
	}
	o := pipelines.RunOptions{
		Overrides: overrides, Workers: f.workers, Memory: f.memory, Only: f.only, Force: f.force, LockWait: f.lockWait,
		Select: f.choose, Retry: f.retry, DryRun: f.dryRun,
	}
	done, err := a.watch(&o, f)
	if err != nil {
		return err
	}
	defer done()
	out, err := pipelines.Run(ctx, target, o)
	if err != nil {
		return work(err)
	}
	f.done = append(f.done, out)
	a.code = max(a.code, out.ExitCode)
	return a.print(out, f.output, f.quiet)
}

// watch has a run show its progress and write its log as flags say, until done is called.
func (a *app) watch(o *pipelines.RunOptions, f *runFlags) (done func(), err error) {
	if !f.quiet && !f.dryRun && f.output == "text" {
		o.Progress = a.stderr
		o.Live, o.Width = terminal(a.stderr)
	}
	if f.log == "-" {
		o.Progress = nil
	}
	o.Log, done, err = a.openLog(f.log)
	return done, err
}

// openLog opens the log that a flag names, until done is called. The log of an empty name is nil.
func (a *app) openLog(name string) (log *slog.Logger, done func(), err error) {
	switch name {
	case "":
		return nil, func() {}, nil
	case "-":
		return slog.New(slog.NewJSONHandler(visibleJSON{a.stderr}, nil)), func() {}, nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, nil, err
	}
	lines := &logFile{File: file}
	return slog.New(slog.NewJSONHandler(visibleJSON{lines}, nil)), func() { lines.Close(a.stderr) }, nil
}

// print prints an outcome in the form that was asked for.
func (a *app) print(out *pipelines.Outcome, output string, quiet bool) error {
	if output == "json" {
		return indented(a.stdout, out)
	}
	if !quiet {
		printOutcome(a.screen(), out)
		return nil
	}
	printFaults(a.errors(), out)
	return nil
}

// logFile is a log that stores why its first line was lost, which slog does not report.
type logFile struct {
	*os.File
	lost error
}

// Write is called by one goroutine at a time: slog's handler holds a lock.
func (l *logFile) Write(p []byte) (int, error) {
	n, err := l.File.Write(p)
	if l.lost == nil {
		l.lost = err
	}
	return n, err
}

// Close prints to w if lines were lost.
func (l *logFile) Close(w io.Writer) {
	if err := errors.Join(l.lost, l.File.Close()); err != nil {
		fmt.Fprintf(w, "the log is not whole: %s\n", clean(err.Error()))
	}
}

// isTerminal reports whether a file descriptor is a terminal; tests replace it.
var isTerminal = term.IsTerminal

// terminal reports whether w is one, and how to learn its width.
func terminal(w io.Writer) (live bool, width func() int) {
	width = func() int { return 100 }
	if o, is := w.(*output); is {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	if !ok || !isTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return false, width
	}
	return true, func() int {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return n
		}
		return 100
	}
}
