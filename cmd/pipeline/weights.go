package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

func (a *app) weightsCommand() *cobra.Command {
	var f common
	var only []string
	var folds bool
	var output string
	c := &cobra.Command{
		Use:   "weights [SPEC|NAME]",
		Short: "Weigh models by how they predict left-out rows",
		Long: `weights reads the leave-one-out results that run: {loo: true} has stored, or with
--kfold those of run: {kfold: …}. For the models of each data set it prints two
kinds of weights that sum to 1.

stacking: the weights of the mixture of predictive distributions that predicts best;
of two models that predict alike, one may get all the weight. pseudo_bma: each model
by itself, e^elpd averaged over the Bayesian bootstrap of rows (pseudo-BMA+).`,
		Example: `  pipeline weights nightly.yaml
  pipeline weights --database nightly.duckdb --only model=risk*`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			database, pipeline, err := f.asked(args)
			if err != nil {
				return err
			}
			list, err := pipelines.Weights(c.Context(), database, pipeline, folds, only)
			if err != nil {
				return work(err)
			}
			if output == "json" {
				return indented(a.stdout, list)
			}
			printWeights(a.screen(), list)
			return nil
		},
	}
	f.asks(c)
	onlyFlag(c, &only, "narrows the models")
	c.Flags().BoolVar(&folds, "kfold", false, "weigh by the results of run: {kfold: …}")
	outputFlag(c, &output)
	return c
}

// printWeights prints a line per model.
func printWeights(w *screen, list []pipelines.Weight) {
	if len(list) == 0 {
		fmt.Fprintln(w, "no fit here has such results: write run: {loo: true}, or with --kfold {kfold: 10}, and run the spec")
		return
	}
	of := pipelineOf(list, func(m *pipelines.Weight) string { return m.Pipeline })
	g := head("model", "stacking", "pseudo_bma", "elpd")
	share := func(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
	for _, m := range list {
		g.Add(of(m.Pipeline)+nameOf(m.Dataset, m.Group, m.Model, m.Sampler), share(m.Stacking),
			share(m.PseudoBMA), number(m.ELPD))
	}
	g.print(w)
}
