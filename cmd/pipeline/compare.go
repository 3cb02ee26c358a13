package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

func (a *app) compareCommand() *cobra.Command {
	var database, dataset, model, format string
	c := &cobra.Command{
		Use:   "compare",
		Short: "Compare samplers on the same posteriors: do they agree, and which is faster",
		Long: `compare sets samplers side by side that have drawn from one posterior: the same
data and model in one ledger. It says first where they disagree, then what each
took: effective draws per second, seconds to an effective sample size of 100
(set-up and warm-up included), gradients and evaluations, and the ratio of
times. With replicates (run: {replicates: 30}) medians and 95 % intervals over
them are printed.

The exit code is 1 if two samplers disagree: one of them is wrong.`,
		Example: `  pipeline compare
  pipeline compare --dataset colon --format csv > colon.csv`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			write, ok := map[string]func(io.Writer, []pipelines.Comparison) error{
				"table": printComparisons, "csv": csvComparisons, "json": jsonComparisons,
			}[format]
			if !ok {
				return fmt.Errorf("--format %q: it is table, csv or json", format)
			}
			pairs, err := pipelines.Compare(c.Context(), database, dataset, model)
			if err != nil {
				return work(err)
			}
			for _, p := range pairs {
				if p.Agreement == "differ" {
					a.code = pipelines.ExitFail
				}
			}
			return write(a.stdout, pairs)
		},
	}
	c.Flags().StringVar(&database, "database", "posteriors.duckdb", "the ledger")
	c.Flags().StringVar(&dataset, "dataset", "", "glob of data sets, or of DATASET/KEY")
	c.Flags().StringVar(&model, "model", "", "glob of models")
	c.Flags().StringVar(&format, "format", "table", "table, csv or json")
	return c
}

// posterior is the name of a pair's posterior.
func posterior(p *pipelines.Comparison) string {
	name := p.Dataset
	if p.Group != "" {
		name += "/" + p.Group
	}
	return clean(name + " × " + p.Model)
}

// printComparisons prints disagreements first, then the pairs, then what each
// sampler took.
func printComparisons(w io.Writer, pairs []pipelines.Comparison) error {
	if len(pairs) == 0 {
		fmt.Fprintln(w, "no two samplers have a complete fit of one posterior here: give fits two samplers, and run")
		return nil
	}
	printAgreement(w, pairs)
	ratios := [][]string{{"posterior", "sooner", "than", "agreement", "times as fast: median", "minimum", "log_lik", "by"}}
	costs := [][]string{{"posterior", "sampler", "fits", "ESS/s median", "minimum", "s to ESS 100: median", "minimum", "log_lik", "gradients", "evaluations"}}
	seen := map[string]bool{}
	few := false
	for i := range pairs {
		p := &pairs[i]
		few = few || math.IsNaN(float64(p.RatioMedian.Low))
		ratios = append(ratios, ratioRow(p))
		for _, c := range []*pipelines.Cost{&p.A, &p.B} {
			if name := posterior(p); !seen[name+"\x00"+c.Sampler] {
				seen[name+"\x00"+c.Sampler] = true
				costs = append(costs, []string{name, clean(c.Sampler), strconv.Itoa(c.Fits), interval(c.ESSPerSecond), interval(c.MinESSPerSecond),
					interval(c.ToMedian), interval(c.ToMin), interval(c.ToLogLik), strconv.FormatInt(c.Gradients, 10), strconv.FormatInt(c.Evaluations, 10)})
			}
		}
	}
	printTable(w, ratios)
	fmt.Fprintln(w)
	printTable(w, costs)
	fmt.Fprintln(w, "\nSeconds are those of one core, set-up and warm-up included; median and minimum are over coefficients.")
	if few {
		fmt.Fprintln(w, "A figure without an interval rests on fewer than 6 replicates: give run: {replicates: 30}.")
	} else {
		fmt.Fprintln(w, "Figures are medians over replicates with 95 % intervals.")
	}
	return nil
}

// printAgreement says which pairs disagree, and which could not be compared.
func printAgreement(w io.Writer, pairs []pipelines.Comparison) {
	agree := 0
	for i := range pairs {
		p := &pairs[i]
		worst := ""
		if p.Worst != nil {
			worst = clean(*p.Worst)
		}
		switch p.Agreement {
		case "differ":
			fmt.Fprintf(w, "DISAGREE: %s: %s and %s: %s lies %s Monte Carlo standard errors apart; over %s quantities %s is exceeded by chance once in 1000. "+
				"One of the two is wrong, or has not converged: look at the verdicts (%s, %s) first.\n",
				posterior(p), clean(p.A.Sampler), clean(p.B.Sampler), worst, number(float64(p.ZMax)), strconv.Itoa(p.Compared), number(float64(p.ZLimit)), p.A.Verdict, p.B.Verdict)
		case "agree":
			agree++
		default:
			fmt.Fprintf(w, "unknown: %s: %s and %s: %s could not be compared\n", posterior(p), clean(p.A.Sampler), clean(p.B.Sampler), plural(p.NotCompared, "quantity"))
		}
	}
	if agree == len(pairs) {
		fmt.Fprintf(w, "%s of samplers: all agree\n", plural(len(pairs), "pair"))
	} else {
		fmt.Fprintf(w, "%s of samplers, of which %d agree\n", plural(len(pairs), "pair"), agree)
	}
	fmt.Fprintln(w)
}

// ratioRow puts the sooner sampler of a pair first.
func ratioRow(p *pipelines.Comparison) []string {
	first, second := p.A.Sampler, p.B.Sampler
	r := [3]pipelines.Interval{p.RatioMedian, p.RatioMin, p.RatioLogLik}
	if r[0].Value < 1 {
		first, second = second, first
		for i, v := range r {
			r[i] = pipelines.Interval{Value: 1 / v.Value, Low: 1 / v.High, High: 1 / v.Low}
		}
	}
	return []string{posterior(p), clean(first), clean(second), p.Agreement, interval(r[0]), interval(r[1]), interval(r[2]), plural(p.Pairs, "pair")}
}

// interval prints a median and its interval.
func interval(v pipelines.Interval) string {
	value := figure(float64(v.Value))
	if math.IsNaN(float64(v.Low)) {
		return value
	}
	return fmt.Sprintf("%s [%s, %s]", value, figure(float64(v.Low)), figure(float64(v.High)))
}

// figure prints three significant digits; a dash stands for what no run has
// shown.
func figure(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "—"
	}
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

func jsonComparisons(w io.Writer, pairs []pipelines.Comparison) error {
	if pairs == nil {
		pairs = []pipelines.Comparison{}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(pairs)
}

// csvComparisons writes a row for each pair; what is not known is empty.
func csvComparisons(w io.Writer, pairs []pipelines.Comparison) error {
	out := csv.NewWriter(w)
	head := []string{"dataset", "key", "model", "sampler_a", "sampler_b", "agreement", "compared", "not_compared", "z_max", "z_limit", "pairs"}
	for _, name := range []string{"ratio_median", "ratio_min", "ratio_log_lik"} {
		head = append(head, name, name+"_low", name+"_high")
	}
	for _, side := range []string{"_a", "_b"} {
		for _, name := range []string{"ess_per_second_median", "ess_per_second_min", "to_ess100_median", "to_ess100_min", "to_ess100_log_lik"} {
			head = append(head, name+side, name+"_low"+side, name+"_high"+side)
		}
		head = append(head, "fits"+side, "gradients"+side, "evaluations"+side)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for i := range pairs {
		p := &pairs[i]
		row := []string{p.Dataset, p.Group, p.Model, p.A.Sampler, p.B.Sampler, p.Agreement, strconv.Itoa(p.Compared), strconv.Itoa(p.NotCompared),
			exact(float64(p.ZMax)), exact(float64(p.ZLimit)), strconv.Itoa(p.Pairs)}
		row = append(row, cells(p.RatioMedian, p.RatioMin, p.RatioLogLik)...)
		for _, c := range []*pipelines.Cost{&p.A, &p.B} {
			row = append(row, cells(c.ESSPerSecond, c.MinESSPerSecond, c.ToMedian, c.ToMin, c.ToLogLik)...)
			row = append(row, strconv.Itoa(c.Fits), strconv.FormatInt(c.Gradients, 10), strconv.FormatInt(c.Evaluations, 10))
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
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
