package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func (a *app) validateCommand() *cobra.Command {
	var f common
	var specOnly, rhat bool
	c := &cobra.Command{
		Use:   "validate SPEC|NAME…",
		Short: "Check specs and their data without running them",
		Long: `validate reports every problem of a spec at once, each with its file, line and
column. For a good spec it lists the fits that run would make, with the values of
the default priors. It reads the data of every fit and does what run does before the
first draw: it codes the data, sets the sampler up and looks up derived quantities.
An error there is reported in the words of run, with the same exit code. Nothing is
drawn or stored.`,
		Example: `  pipeline validate nightly.yaml`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			o, err := f.overrides()
			if err != nil {
				return err
			}
			for _, target := range args {
				plan, err := pipelines.Validate(c.Context(), target, o, specOnly)
				if err != nil {
					return err
				}
				s := a.screen()
				s.paragraphs("    ", strings.TrimSuffix(clean(plan.String()), "\n"))
				if rhat {
					fmt.Fprint(s, plan.RHat())
				}
				if err := plan.Err(); err != nil {
					return work(err)
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&specOnly, "spec-only", false, "read no data: for a machine that has none")
	c.Flags().BoolVar(&rhat, "rhat", false,
		"print the largest R-hat that perfect mixing would give at the lengths of the run")
	f.register(c)
	return c
}

func (a *app) listCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list [NAME]",
		Short: "List the shipped pipelines, or print one",
		Long: `list prints the names of the shipped pipelines, each with a sentence about it.
With a NAME it prints the spec of that one, to read, or to save and change.`,
		Example: `  pipeline list
  pipeline list quickstart > mine.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				src, err := pipelines.Source(args[0])
				if err != nil {
					return words.Hint(fmt.Errorf("there is no shipped pipeline %q", args[0]), pipelines.NearShipped(args[0]))
				}
				_, err = a.stdout.Write(src)
				return err
			}
			list, err := pipelines.List()
			if err != nil {
				return err
			}
			g := &grid{Table: words.Table{Right: left}, flow: true}
			for _, s := range list {
				g.Add(s.Name, s.About)
			}
			g.print(a.screen())
			return nil
		},
	}
}

func (a *app) versionCommand() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version and build of the program",
		Long: `version prints the version and build of the program: commit, version of Go and
target, as the ledger has them of each run.`,
		Example: `  pipeline version
  pipeline version --output json`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := pipelines.Version()
			if output == "json" {
				return json.NewEncoder(visibleJSON{a.stdout}).Encode(v)
			}
			_, err := fmt.Fprintln(a.stdout, "pipeline", v)
			return err
		},
	}
	outputFlag(c, &output)
	return c
}

func (a *app) verifyCommand() *cobra.Command {
	var f common
	var lockWait time.Duration
	c := &cobra.Command{
		Use:   "verify [SPEC|NAME]",
		Short: "Read all of a ledger, and compare draws with their checksums",
		Long: `verify reads the whole file; other verbs read only what they need. It compares the
draws of every fit with the checksums that were stored with them, and lists the
blocks and the fits that differ. Damage to an empty block does no harm. Files of
draws next to the ledger (gather --draws parquet) are read too.

run and commit read every block before they use a stored verdict, and publish reads
the copy before it replaces the last one. None of them checks draws.`,
		Example: `  pipeline verify --database posteriors.duckdb`,
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			database, err := f.ledger(args)
			if err != nil {
				return err
			}
			v, err := pipelines.Verify(c.Context(), database, lockWait)
			if v != nil {
				for _, damage := range v.Damage {
					fmt.Fprintln(a.stdout, clean(damage))
				}
				for _, block := range v.Unused {
					fmt.Fprintf(a.stdout, "block %d of %d is not what was written, and holds nothing: no harm\n", block, v.Blocks)
				}
			}
			if err != nil {
				return work(err)
			}
			file := "file"
			if v.Files > 0 {
				file += ", " + plural(v.Files, "file") + " of draws next to it,"
			}
			_, err = fmt.Fprintf(a.stdout, "%s of the %s and %s of %s are what was written\n", plural(v.Blocks, "block"), file,
				plural(int(v.Draws), "draw value"), plural(v.Fits, "fit"))
			return err
		},
	}
	f.register(c)
	lockWaitFlag(c, &lockWait)
	return c
}
