package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func (a *app) planCommand() *cobra.Command {
	var f common
	var o pipelines.PlanOptions
	var output string
	c := &cobra.Command{
		Use:   "plan SPEC|NAME",
		Short: "Divide a run among machines",
		Long: `plan writes a folder that all machines can read: the spec, its variables and the
environment that it read, profile, seed, the day, the program's build, the fits in
the ledger, and a manifest. The manifest lists the files and groups of the planned
fits, with their sources and sizes. Data that cannot be read are an error, and
nothing is planned. run --plan runs a shard, progress shows how far the shards are,
and gather loads all of them into the ledger. The draws are those of one run. A
repeated call finds the existing plan.`,
		Example: `  pipeline plan nightly.yaml --shards 20 --to night
  pipeline plan nightly.yaml --shards 20 --alone dataset=claims/huge --to night
  pipeline run --plan night --shard 0
  pipeline gather night`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			err := checkOutput(output)
			if err == nil {
				o.Overrides, err = f.overrides()
			}
			if err != nil {
				return err
			}
			out, err := pipelines.PlanNight(c.Context(), args[0], o)
			if err != nil {
				return work(err)
			}
			if output == "json" {
				return indented(a.stdout, out)
			}
			s := a.screen()
			fmt.Fprintf(s, "%s in %s, %d to %d each: %s\n", plural(out.Fits, "fit"), plural(len(out.Shards), "shard"),
				slices.Min(out.Shards), slices.Max(out.Shards), words.Visible(out.Dir))
			if out.Advice != "" {
				s.paragraphs("  ", "note: "+out.Advice)
			}
			return nil
		},
	}
	f.register(c)
	onlyFlag(c, &o.Only, "narrows the fits")
	c.Flags().IntVar(&o.Shards, "shards", 0, "number of shards, one for each machine or job")
	c.Flags().StringArrayVar(&o.Alone, "alone", nil, "FIELD=PATTERN as in --only: these fits get one more shard, of "+
		"their own; may be repeated")
	c.Flags().StringVar(&o.To, "to", "", "folder for the plan; it is created if needed")
	outputFlag(c, &output)
	lockWaitFlag(c, &o.LockWait)
	return c
}

func (a *app) gatherCommand() *cobra.Command {
	var o pipelines.GatherOptions
	var f runFlags
	c := &cobra.Command{
		Use:   "gather DIR",
		Short: "Load the shards of a run into the ledger",
		Long: `gather loads the fragments of all shards into the ledger. It compares their
fits with the plan and the draws with their checksums. It loads some shards in each
transaction, and writes the copy and the report of the spec, as one run would. It
may be killed and called again. If a shard or a planned fit is missing, damaged or of
another run, gather names it and loads nothing. With --partial it loads the others.
The exit code is 3 in both cases.

With --draws parquet the draws go to a folder next to the ledger,
posteriors.duckdb.draws, one Parquet file per shard, and all else to the ledger: for
runs of more than some 100,000 fits. Move, copy and restore the two together.`,
		Example: `  pipeline gather night
  pipeline gather night --draws parquet`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOutput(f.output); err != nil {
				return err
			}
			log, done, err := a.openLog(f.log)
			if err != nil {
				return err
			}
			defer done()
			o.Log, o.Memory, o.LockWait = log, f.memory, f.lockWait
			out, err := pipelines.Gather(c.Context(), args[0], o)
			if err != nil {
				return work(err)
			}
			return a.finish(out, &f)
		},
	}
	c.Flags().BoolVar(&o.Partial, "partial", false, "load the shards that are complete, and name the others")
	c.Flags().StringVar(&o.Draws, "draws", pipelines.DrawsLedger, "where draws go: "+pipelines.DrawsLedger+", or "+
		pipelines.DrawsParquet+", files next to it")
	c.Flags().StringVar(&o.Database, "database", "", "DuckDB file, instead of the plan's; nothing is published then")
	c.Flags().StringVar(&f.memory, "memory", "",
		"memory for gather: 500MB, 2GB; default: the spec's, or three quarters of the machine's")
	c.Flags().BoolVar(&f.quiet, "quiet", false, "print nothing but errors")
	outputFlag(c, &f.output)
	f.registerFiles(c)
	lockWaitFlag(c, &f.lockWait)
	return c
}

// finish prints the outcome of a shard or of gather, and writes the files for other programs.
func (a *app) finish(out *pipelines.Outcome, f *runFlags) error {
	f.done = append(f.done, out)
	a.code = out.ExitCode
	if err := a.print(out, f.output, f.quiet); err != nil {
		return err
	}
	if out.Redone != "" && !f.quiet {
		fmt.Fprintf(a.stderr, "note: %s\n", clean(out.Redone))
	}
	for _, m := range out.Missing {
		fmt.Fprintf(a.stderr, "missing: %s\n", clean(m))
	}
	if n := len(out.Missing); n > 0 {
		fmt.Fprintf(a.stderr, "exit code %d: %d missing\n", out.ExitCode, n) // cluster/temporal reads it
	}
	return work(f.forMachines())
}

// shardFlags are those of run that carry out a shard of a plan.
type shardFlags struct{ plan, shard, spool string }

func (f *shardFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.plan, "plan", "", "run a shard of the plan in this folder")
	c.Flags().StringVar(&f.shard, "shard", "",
		"number of the shard, from 0, as in 3 or 3/20; default: $SLURM_ARRAY_TASK_ID, $JOB_COMPLETION_INDEX or "+
			"$AWS_BATCH_JOB_ARRAY_INDEX")
	c.Flags().StringVar(&f.spool, "spool", "",
		"folder for the unfinished shard, which a later attempt completes (default: the temporary folder)")
}

// withPlan are the flags that a plan leaves to each machine.
var withPlan = strings.Fields("plan shard spool workers memory quiet output log metrics junit trace lock-wait " +
	"color help")

// whyNot has, by flag, the reason why run --plan does not take it, and what to do instead.
var whyNot = map[string][2]string{
	"only": {"the plan lists the fits of each shard", "give it to pipeline plan"},
	"force": {"the plan decides which fits are drawn: those that its ledger did not have",
		"to draw all fits again, plan with another --database; to run a shard again, delete its files in DIR/fragments"},
	"dry-run": {"the plan lists the fits already",
		"the list is the manifest in DIR/plan.json; pipeline run SPEC --dry-run gives the reasons"},
	"select": {"the plan lists the fits of each shard", "run the shard again: it tries only the fits that erred"},
}

// count checks the number of arguments of run.
func (f *shardFlags) count(c *cobra.Command, args []string) error {
	if f.plan != "" || f.shard != "" || f.spool != "" {
		return nil // check explains what is wrong
	}
	return cobra.MinimumNArgs(1)(c, args)
}

// check checks the flags and arguments of run that do not go together.
func (f *shardFlags) check(c *cobra.Command, args []string) (err error) {
	if f.plan == "" {
		if f.shard != "" || f.spool != "" {
			return errors.New("--shard and --spool belong to a plan: name its folder with --plan")
		}
		return nil
	}
	c.Flags().Visit(func(flag *pflag.Flag) {
		if err == nil && !slices.Contains(withPlan, flag.Name) {
			err = words.Hint(fmt.Errorf("run --plan does not take --%s: %s", flag.Name, cmp.Or(whyNot[flag.Name][0],
				"the plan decides it")), cmp.Or(whyNot[flag.Name][1], "give it to pipeline plan"))
		}
	})
	if err == nil && len(args) > 0 {
		err = words.Hint(fmt.Errorf("%s: the plan names the spec", args[0]), "leave it out")
	}
	return err
}

// number is the shard's, of a text such as 3 or 3/20. How many there are is the plan's.
func (f *shardFlags) number() (int, error) {
	text := f.shard
	if text == "" {
		text = pipelines.ShardOf(os.Getenv)
	}
	if text == "" {
		return 0, errors.New("which shard? Give --shard, or set SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or " +
			"AWS_BATCH_JOB_ARRAY_INDEX")
	}
	first, _, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(first)
	if err != nil {
		return 0, fmt.Errorf("shard %q: it is a number from 0, as in 3 or 3/20", text)
	}
	return n, nil
}

// runShard carries out a shard of a plan.
func (a *app) runShard(ctx context.Context, f *runFlags) error {
	if err := checkOutput(f.output); err != nil {
		return err
	}
	i, err := f.number()
	if err != nil {
		return err
	}
	o := pipelines.RunOptions{Workers: f.workers, Memory: f.memory, LockWait: f.lockWait}
	done, err := a.watch(&o, f)
	if err != nil {
		return err
	}
	defer done()
	out, err := pipelines.RunShard(ctx, f.plan, i, f.spool, o)
	if err != nil {
		return work(err)
	}
	return a.finish(out, f)
}
