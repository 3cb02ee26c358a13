package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

func (a *app) compareCommand() *cobra.Command {
	var f common
	var format, file string
	var o pipelines.CompareOptions
	c := &cobra.Command{
		Use:   "compare [SPEC|NAME]",
		Short: "Compare samplers: agreement and speed",
		Long: `compare puts samplers side by side that drew from one posterior: the same data and
model in one ledger. It first lists where they disagree. Then it prints what each
took: effective draws per second, seconds to an effective sample size of 100 (set-up
and warm-up included), gradients and evaluations, and the ratio of times. With
replicates (run: {replicates: 30}) it prints medians and 95 % intervals over them.`,
		Example: `  pipeline compare
  pipeline compare nightly.yaml
  pipeline compare --plot speed.png
  pipeline compare --dataset colon --format csv > colon.csv`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			write, ok := map[string]func(io.Writer, []pipelines.Comparison) error{
				"table": func(_ io.Writer, pairs []pipelines.Comparison) error { return printComparisons(a.screen(), pairs) },
				"csv":   csvComparisons, "json": jsonComparisons,
			}[format]
			if !ok {
				return fmt.Errorf("--format %q: it is table, csv or json", format)
			}
			var database string
			var err error
			if database, o.Pipeline, err = f.asked(args); err != nil {
				return err
			}
			if err := checkPlot(file); err != nil {
				return err
			}
			pairs, err := pipelines.Compare(c.Context(), database, o)
			if err != nil {
				return work(err)
			}
			for _, p := range pairs {
				if p.Agreement == "differ" {
					a.code = pipelines.ExitFail
				}
			}
			if file != "" && len(pairs) > 0 {
				return a.writePlot(file, comparePlot(pairs))
			}
			return write(a.machine(), pairs)
		},
	}
	f.asks(c)
	plotFlag(c, &file, "ratios of times with their intervals")
	c.Flags().StringVar(&o.Dataset, "dataset", "", "glob of data sets, or of DATASET/KEY")
	c.Flags().StringVar(&o.Model, "model", "", "glob of models")
	c.Flags().StringVar(&format, "format", "table", "table, csv or json")
	return c
}

// posteriors returns the name of a pair's posterior, with its pipeline if there are several pipelines.
func posteriors(pairs []pipelines.Comparison) func(*pipelines.Comparison) string {
	of := pipelineOf(pairs, func(p *pipelines.Comparison) string { return p.Pipeline })
	return func(p *pipelines.Comparison) string { return of(p.Pipeline) + nameOf(p.Dataset, p.Group, p.Model) }
}

func jsonComparisons(w io.Writer, pairs []pipelines.Comparison) error {
	if pairs == nil {
		pairs = []pipelines.Comparison{}
	}
	return indented(w, pairs)
}

// csvComparisons writes a row for each pair; what is not known is empty.
func csvComparisons(w io.Writer, pairs []pipelines.Comparison) error {
	head := []string{"dataset", "key", "model", "sampler_a", "sampler_b", "agreement", "compared", "not_compared", "z_max",
		"z_limit", "pairs"}
	for _, name := range []string{"ratio_median", "ratio_min", "ratio_log_lik"} {
		head = append(head, name, name+"_low", name+"_high")
	}
	for _, side := range []string{"_a", "_b"} {
		for _, name := range []string{"ess_per_second_median", "ess_per_second_min", "to_ess100_median", "to_ess100_min",
			"to_ess100_log_lik"} {
			head = append(head, name+side, name+"_low"+side, name+"_high"+side)
		}
		head = append(head, "fits"+side, "gradients"+side, "evaluations"+side)
	}
	rows := [][]string{append(head, "pipeline")}
	for i := range pairs {
		p := &pairs[i]
		row := []string{p.Dataset, p.Group, p.Model, p.A.Sampler, p.B.Sampler, p.Agreement, strconv.Itoa(p.Compared),
			strconv.Itoa(p.NotCompared),
			exact(float64(p.ZMax)), exact(float64(p.ZLimit)), strconv.Itoa(p.Pairs)}
		row = append(row, cells(p.RatioMedian, p.RatioMin, p.RatioLogLik)...)
		for _, c := range []*pipelines.Cost{&p.A, &p.B} {
			row = append(row, cells(c.ESSPerSecond, c.MinESSPerSecond, c.ToMedian, c.ToMin, c.ToLogLik)...)
			row = append(row, strconv.Itoa(c.Fits), strconv.FormatInt(c.Gradients, 10), strconv.FormatInt(c.Evaluations, 10))
		}
		rows = append(rows, append(row, p.Pipeline))
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func cells(list ...pipelines.Interval) (out []string) {
	for _, v := range list {
		out = append(out, exact(float64(v.Value)), exact(float64(v.Low)), exact(float64(v.High)))
	}
	return out
}

func exact(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
