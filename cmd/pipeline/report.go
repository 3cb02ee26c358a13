package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func (a *app) reportCommand() *cobra.Command {
	var f common
	var o pipelines.ReportOptions
	var to string
	c := &cobra.Command{
		Use:   "report [SPEC|NAME]",
		Short: "Write one HTML page about a run: verdicts, intervals, plots",
		Long: `report reads a ledger and writes one HTML file for a browser or a mail, without a
network. It lists the fits of the newest run, failures first. Each fit has its
verdict and remedy, coefficients with intervals, trace and rank plots, effective
sample sizes over draws, autocorrelations, predictive checks and leave-one-out. The
page also compares samplers, and each fit with the run before.

The same ledger gives the same bytes. The plots show log_lik and the parameters that
mixed worst; --parameter chooses others.`,
		Example: `  pipeline report nightly.yaml --output night.html
  pipeline report --latest --only 'dataset=claims/*'
  pipeline report --fit 12 --parameter 'age*' --output - > fit.html`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if chosen := btoi(o.Run != "") + btoi(o.Latest) + btoi(len(o.Fits) > 0); chosen > 1 {
				return errors.New("--run, --latest and --fit exclude each other")
			}
			if to == "" {
				return errors.New("--output FILE: name the file of the page; - is standard output")
			}
			database, pipeline, err := f.asked(args)
			if err != nil {
				return err
			}
			o.Pipeline = pipeline
			if err := pipelines.Report(c.Context(), database, to, a.stdout, o); err != nil {
				return work(err)
			}
			if to != "-" {
				fmt.Fprintf(a.stdout, "wrote %s\n", words.Visible(to))
			}
			return nil
		},
	}
	f.asks(c)
	c.Flags().StringVarP(&to, "output", "o", "report.html", "the file that is written; - for standard output")
	c.Flags().StringVar(&o.Run, "run", "", "a run by its name, instead of the newest one")
	c.Flags().BoolVar(&o.Latest, "latest", false, "the newest fit of each name, over all runs")
	c.Flags().Int64SliceVar(&o.Fits, "fit", nil, "a fit by its number in the ledger; may be repeated")
	onlyFlag(c, &o.Only, "narrows the fits")
	c.Flags().StringArrayVar(&o.Parameters, "parameter", nil,
		"glob of the parameters whose draws are plotted; may be repeated (default: those that mixed worst)")
	return c
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
