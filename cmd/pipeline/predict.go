package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

func (a *app) predictCommand() *cobra.Command {
	var f common
	var o pipelines.PredictOptions
	var format string
	c := &cobra.Command{
		Use:   "predict [SPEC|NAME]",
		Short: "Predict new data, or the data of a fit, from its draws",
		Long: `predict computes, for every row and each kept draw of the newest fit, the mean of
the response and random responses (posterior predictive draws). It prints their
summaries, or all of them with --draws. The rows are those of --data, coded like the
fit's own data, or those that the spec's data set has now.

The same row, seed and fit give the same numbers, whatever other rows are predicted.`,
		Example: `  pipeline predict quickstart
  pipeline predict --only model=diabetes --data new.csv
  pipeline predict nightly.yaml --data new.csv --draws --format csv > draws.csv`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if o.Output.Width, err = a.answerWidth(format); err != nil {
				return err
			}
			if o.Workers < 0 {
				return fmt.Errorf("--workers %d: there must be at least 1", o.Workers)
			}
			f.fallBack(args)
			o.Pipeline = f.pipeline
			if o.Overrides, err = f.reads(args); err != nil {
				return err
			}
			o.Output.Format, o.Notes = pipelines.Format(format), a.stderr
			return work(pipelines.Predict(c.Context(), a.answers(format), strings.Join(args, ""), o))
		},
	}
	f.asks(c)
	c.Flags().StringVar(&o.Data, "data", "", "CSV or Parquet file of new data")
	onlyFlag(c, &o.Only, "names the fit")
	c.Flags().StringSliceVar(&o.Of, "quantity", nil, "linear, mean, response, zero (the probability of 0), "+
		"median, survival(T), hazard(T), or a parameter such as zi; several with commas (default mean,response)")
	c.Flags().BoolVar(&o.Draws, "draws", false, "every draw in long form, instead of summaries")
	c.Flags().StringVar(&o.Response, "response", "", "of a model with several responses, the one that is meant")
	c.Flags().StringVar(&o.NewLevels, "new-levels", "error",
		"new levels of groupings: error, sample (draw their effects), zero (no effects)")
	c.Flags().StringSliceVar(&o.Groups, "groups", nil,
		"groupings whose effects are included; several with commas, none for the population (default all)")
	c.Flags().IntVar(&o.Workers, "workers", 0,
		"rows that are predicted at once; 0 means one per processor (it never changes a bit)")
	c.Flags().StringVar(&format, "format", "table", strings.Join(pipelines.Formats(), ", "))
	c.Flags().IntVar(&o.Output.MaxRows, "rows", 100,
		"rows in a table; -1 for all (the other formats always have all)")
	return c
}
