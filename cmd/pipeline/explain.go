package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

func (a *app) explainCommand() *cobra.Command {
	var f common
	var only []string
	var format string
	c := &cobra.Command{
		Use:   "explain SPEC|NAME",
		Short: "Describe what a spec fits: model, priors, sampler",
		Long: `explain reads the data of a spec and describes each fit before anything is drawn. It
prints the model in mathematics, and each prior as sampled, in the units of the data
and for one standard deviation of its column. Then come the mean response that the
priors together imply, and the sampler with its reason. If a data set has several
files or groups, it describes the first.`,
		Example: `  pipeline explain quickstart
  pipeline explain nightly.yaml --only model=claims
  pipeline explain nightly.yaml --format latex > models.tex`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkFormat(format, pipelines.ExplainFormats()); err != nil {
				return err
			}
			o, err := f.overrides()
			if err != nil {
				return err
			}
			texts, err := pipelines.Explain(c.Context(), args[0], o, only, format)
			if err != nil {
				return work(err)
			}
			if format != "text" {
				_, err := fmt.Fprint(a.stdout, strings.Join(texts, "\n"))
				return work(err)
			}
			s := a.screen()
			for i, text := range texts {
				if i > 0 {
					fmt.Fprintln(s)
				}
				for line := range strings.SplitSeq(strings.TrimSuffix(clean(text), "\n"), "\n") {
					s.sentence("    ", line)
				}
			}
			return nil
		},
	}
	f.register(c)
	onlyFlag(c, &only, "narrows the fits")
	c.Flags().StringVar(&format, "format", "text", strings.Join(pipelines.ExplainFormats(), ", "))
	return c
}
