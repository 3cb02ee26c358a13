package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func (a *app) retryCommand() *cobra.Command {
	f := runFlags{retry: true}
	c := &cobra.Command{
		Use:   "retry SPEC|NAME…",
		Short: "Run again the fits that failed or erred in the last run",
		Long: `retry runs again the fits of each spec that failed or erred in the last run of its
pipeline. A fit that failed its gates is not drawn again if nothing has changed,
since the draws would be the same: change the spec, the data or the seed. Fits that
a stopped run did not reach are not failures; run continues with them.`,
		Example: `  pipeline retry nightly.yaml`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.runAll(c.Context(), args, &f) },
	}
	f.registerRun(c)
	return c
}

func (a *app) commitCommand() *cobra.Command {
	var f common
	var output string
	var lockWait time.Duration
	c := &cobra.Command{
		Use:   "commit [SPEC|NAME]",
		Short: "Load fits that were drawn while the ledger was open elsewhere",
		Long: `commit loads the fits that a run has drawn and judged but could not commit, because
another process had the ledger open. It draws nothing and reads no data. A spec or
--database names the ledger. Unfinished fits stay for the next run.`,
		Example: `  pipeline commit --database posteriors.duckdb
  pipeline commit nightly.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			database, err := f.ledger(args)
			if err != nil {
				return err
			}
			o := pipelines.CommitOptions{LockWait: lockWait}
			if o.Publish, o.Report, err = f.published(args); err != nil {
				return err
			}
			out, err := pipelines.Commit(c.Context(), database, o)
			if err != nil {
				return work(err)
			}
			a.code = out.ExitCode
			return a.print(out, output, false)
		},
	}
	f.register(c)
	outputFlag(c, &output)
	lockWaitFlag(c, &lockWait)
	return c
}

// ledger is the database of a spec, if one is given, or that of --database.
func (f *common) ledger(args []string) (string, error) {
	switch {
	case len(args) == 1:
		o, err := f.overrides()
		if err != nil {
			return "", err
		}
		return pipelines.Database(args[0], o)
	case f.database != "":
		return f.database, nil
	}
	return "", words.Hint(errors.New("name a spec, or a ledger with --database"),
		"for example: pipeline "+f.verb+" --database "+defaultLedger)
}

// defaultLedger is the one that is asked where none is named.
const defaultLedger = "posteriors.duckdb"

// fallBack makes verbs that only read ask defaultLedger where none is named.
func (f *common) fallBack(args []string) {
	if len(args) == 0 && f.database == "" {
		f.database = defaultLedger
	}
}

// asked is the ledger that a verb that only reads asks, and the pipeline whose fits are meant: that of the spec if one
// is given, or --pipeline; empty for all.
func (f *common) asked(args []string) (database, pipeline string, err error) {
	f.fallBack(args)
	return f.scope(args)
}

// scope is asked for verbs that do not fall back to defaultLedger.
func (f *common) scope(args []string) (database, pipeline string, err error) {
	if err := f.onePipeline(args); err != nil {
		return "", "", err
	}
	if database, err = f.ledger(args); err != nil || len(args) == 0 {
		return database, f.pipeline, err
	}
	o, err := f.overrides()
	if err != nil {
		return "", "", err
	}
	pipeline, err = pipelines.PipelineName(args[0], o)
	return database, pipeline, err
}

// onePipeline returns an error if both a spec and --pipeline are given.
func (f *common) onePipeline(args []string) error {
	if len(args) > 0 && f.pipeline != "" {
		return fmt.Errorf("--pipeline %s: the spec %s has its own; name the one or the other", f.pipeline, args[0])
	}
	return nil
}

// reads is overrides for verbs that take fits of one pipeline.
func (f *common) reads(args []string) (pipelines.Overrides, error) {
	if err := f.onePipeline(args); err != nil {
		return pipelines.Overrides{}, err
	}
	return f.overrides()
}

// pipelineFlag registers the flag that narrows a verb to one pipeline of a ledger.
func pipelineFlag(c *cobra.Command, pipeline *string) {
	c.Flags().StringVar(pipeline, "pipeline", "", "fits of one pipeline of the ledger (with a spec: the spec's)")
}

// asks registers the flags of a verb that reads fits of a ledger.
func (f *common) asks(c *cobra.Command) {
	f.asksLedger(c)
	pipelineFlag(c, &f.pipeline)
}

// asksLedger registers the flags of a verb that reads a ledger.
func (f *common) asksLedger(c *cobra.Command) {
	f.register(c)
	c.Flags().Lookup("database").Usage = "the ledger, instead of the spec's (without either " + defaultLedger + ")"
}

// published is where a spec publishes its ledger and puts its report, if one is
// given.
func (f *common) published(args []string) (copyTo, pageTo string, err error) {
	if len(args) == 0 {
		return "", "", nil
	}
	o, err := f.overrides()
	if err != nil {
		return "", "", err
	}
	return pipelines.Published(args[0], o)
}

func (a *app) pruneCommand() *cobra.Command {
	var f common
	var keep int
	var output string
	var lockWait time.Duration
	c := &cobra.Command{
		Use:   "prune [SPEC|NAME] --keep N",
		Short: "Keep the newest fits of each name, and shrink the ledger",
		Long: `prune keeps the newest N complete fits and the newest N errors of each name, and
deletes what belongs to the others. A name is a pipeline, data set, key, model and
sampler. With a SPEC it deletes fits of that pipeline only. A fit that the newest run found
unchanged is the newest, whenever it was drawn. The rows of run_fit about deleted
fits stay. prune writes a new file and then renames it, so that a crash leaves the
old or the new file, complete. Processes that read the ledger must end first (exit
code 3).`,
		Example: `  pipeline prune nightly.yaml --keep 7
  pipeline prune --database posteriors.duckdb --keep 7`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			if keep < 1 {
				return errors.New("--keep N: give the number of fits of each name to keep, at least 1")
			}
			database, pipeline, err := f.scope(args)
			if err != nil {
				return err
			}
			p, err := pipelines.Prune(c.Context(), database, pipeline, keep, lockWait)
			if err != nil {
				return work(err)
			}
			if output == "json" {
				return json.NewEncoder(visibleJSON{a.stdout}).Encode(map[string]int64{
					"removed": int64(p.Removed), "kept": int64(p.Kept), "bytes_before": p.Before, "bytes_after": p.After})
			}
			_, err = fmt.Fprintf(a.stdout, "removed %s, kept %s; %.1f MB before, %.1f MB after\n",
				plural(p.Removed, "fit"), plural(p.Kept, "fit"), float64(p.Before)/1e6, float64(p.After)/1e6)
			return err
		},
	}
	f.register(c)
	pipelineFlag(c, &f.pipeline)
	c.Flags().IntVar(&keep, "keep", 0, "complete fits of each name to keep")
	outputFlag(c, &output)
	lockWaitFlag(c, &lockWait)
	return c
}
