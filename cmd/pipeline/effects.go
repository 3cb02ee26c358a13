package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

func (a *app) effectsCommand() *cobra.Command {
	var f common
	var o pipelines.EffectsOptions
	var format, file string
	c := &cobra.Command{
		Use:   "effects SPEC|NAME [VARIABLE[:VARIABLE…]]",
		Short: "Compute means of the response at values of a variable",
		Long: `effects computes the mean of the response at values of a variable, for each draw of
the newest fit. It prints its mean, sd and 95 % interval. Numbers go from their least
to their largest value, factors through their levels. Other numbers are at their mean
and other factors at their reference, unless --at gives a value.

With --average every row of the data gets each value in turn, and the results are
averaged over the rows. With --contrast the values are compared by difference, ratio
or odds ratio. p_direction is the share of draws on the more frequent side of zero.

Group-level effects are 0, offsets too: a mean is per unit of exposure, or the
probability of one trial.`,
		Example: `  pipeline effects quickstart age
  pipeline effects quickstart age:bmi --at age=30,50
  pipeline effects quickstart age --plot age.svg
  pipeline effects nightly.yaml treatment:sex --contrast pairwise
  pipeline effects nightly.yaml treatment --average --contrast reference`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			err := checkPlot(file)
			if err == nil {
				o.Output.Width, err = a.answerWidth(format)
			}
			if err != nil {
				return err
			}
			if o.Workers < 0 {
				return fmt.Errorf("--workers %d: there must be at least 1", o.Workers)
			}
			if o.Overrides, err = f.reads(args); err != nil {
				return err
			}
			o.Effect = strings.Join(args[1:], "")
			o.Output.Format, o.Notes = pipelines.Format(format), a.stderr
			if file != "" {
				return a.plotEffect(c.Context(), file, args[0], o)
			}
			return work(pipelines.Effects(c.Context(), a.answers(format), args[0], o))
		},
	}
	f.asks(c)
	plotFlag(c, &file, "curves of a number, intervals of a factor")
	effectFlags(c, &o)
	onlyFlag(c, &o.Only, "names the fit")
	c.Flags().IntVar(&o.Workers, "workers", 0,
		"draws that are computed at once; 0 means one per processor (it never changes a bit)")
	c.Flags().StringVar(&format, "format", "table", strings.Join(pipelines.Formats(), ", "))
	c.Flags().IntVar(&o.Output.MaxRows, "rows", 100,
		"rows in a table; -1 for all (the other formats always have all)")
	return c
}

// effectFlags registers what an effect is of.
func effectFlags(c *cobra.Command, o *pipelines.EffectsOptions) {
	c.Flags().StringArrayVar(&o.At, "at", nil, "NAME=VALUE[,VALUE…] of a variable; may be repeated")
	c.Flags().BoolVar(&o.Average, "average", false, "average over the rows of the data, each with every value in turn")
	c.Flags().StringSliceVar(&o.By, "by", nil, "with --average: columns by whose values the rows are averaged")
	c.Flags().StringVar(&o.Response, "response", "", "of a model with several responses, the one that is meant")
	c.Flags().StringVar(&o.Contrast, "contrast", "", "compare the first variable's values: pairwise or reference")
	c.Flags().StringVar(&o.As, "as", "", "how they are compared: difference, ratio, odds_ratio (default difference)")
	c.Flags().StringVar(&o.Scale, "scale", "", "response, link for the linear predictor, "+
		"a quantity such as median, survival(365), hazard(365), or a parameter such as zi (default response)")
	c.Flags().Float64Var(&o.Step, "step", 0, "step of a number that is compared (default 1)")
	c.Flags().IntVar(&o.Points, "points", 0, "points of a number's grid (default 20)")
	c.Flags().BoolVar(&o.Offsets, "offsets", false, "include offsets: those of the rows, else their means")
	c.Flags().StringVar(&o.Data, "data", "", "CSV or Parquet file of rows, instead of the fit's own")
}
