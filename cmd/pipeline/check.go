package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// defaultSimulations see draws that are half a posterior standard deviation
// off, or a third too narrow, and take a small model seconds.
const defaultSimulations = 200

func (a *app) checkCommand() *cobra.Command {
	var f common
	var o pipelines.CheckOptions
	var quiet bool
	var output string
	c := &cobra.Command{
		Use:   "check SPEC|NAME",
		Short: "Calibrate a spec's models and samplers by simulation",
		Long: `check calibrates a spec by simulation. It draws parameters from the prior and
simulates responses on the design of the data. It fits them with the spec's sampler
and ranks the parameters among the draws. If model and sampler are right, the ranks
are uniform.

It prints what it finds on standard output and stores the ranks in the ledger.
Default priors whose scale comes from the data keep that scale. A stopped check
resumes where it was, and a larger --simulations adds to those in the ledger.`,
		Example: `  pipeline check quickstart
  pipeline check nightly.yaml --only model=claims --simulations 1000`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			var err error
			if o.Overrides, err = f.overrides(); err != nil {
				return err
			}
			if !quiet && output == "text" {
				o.Say = func(line string) { fmt.Fprintln(a.stderr, clean(line)) }
			}
			out, err := pipelines.Check(c.Context(), args[0], o)
			if err != nil {
				return work(err)
			}
			a.code = out.ExitCode
			if output == "json" {
				return indented(a.stdout, out)
			}
			if !quiet {
				printCheck(a.screen(), out)
			}
			return nil
		},
	}
	f.register(c)
	c.Flags().IntVar(&o.Simulations, "simulations", defaultSimulations, "simulated data sets for each fit")
	c.Flags().BoolVar(&o.Posterior, "posterior", false,
		"draw parameters from the posterior of the data, and fit simulated and real data together")
	c.Flags().IntVar(&o.Workers, "workers", 0, "simulations at once; 0 means one per processor (it never changes a rank)")
	onlyFlag(c, &o.Only, "narrows the fits")
	c.Flags().BoolVar(&quiet, "quiet", false, "print nothing but errors")
	outputFlag(c, &output)
	lockWaitFlag(c, &o.LockWait)
	return c
}

// printCheck prints the findings about each fit.
func printCheck(w *screen, out *pipelines.CheckOutcome) {
	for i, r := range out.Fits {
		if i > 0 {
			fmt.Fprintln(w)
		}
		verdict := string(r.Verdict)
		if verdict == "" {
			verdict = "interrupted; pipeline check resumes where it stopped"
		}
		w.sentence("  ", fmt.Sprintf("%s: %s", words.Visible(r.Name()), verdict))
		for _, word := range r.Words {
			w.sentence("    ", "  "+clean(word))
		}
	}
	if out.Unrecorded != "" {
		w.sentence("  ", "\nthe ledger does not have the last ranks: "+clean(out.Unrecorded))
	}
}
