package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func (a *app) exportCommand() *cobra.Command {
	var f common
	var o pipelines.ExportOptions
	var layout, output string
	c := &cobra.Command{
		Use:   "export [SPEC|NAME]",
		Short: "Write draws as files for R, ArviZ, Stan's tools and Arrow",
		Long: `export writes the draws of the newest fits, in the units of the data: one file per
fit, named after data set, key, model and sampler.

Layouts: parquet, arrow (IPC file) and csv have a row per draw. Their columns are
the parameters, log_lik, log_prior, .chain, .iteration and .draw, as in draws_df of
R's posterior. cmdstan is Stan's CSV, one file per chain: coefficients are beta.1,
beta.2, …, and comments list their names. netcdf is ArviZ's InferenceData for
arviz.from_netcdf, with the groups posterior and sample_stats. If a spec is named,
its data are read again, and the file also has log_likelihood, posterior_predictive
and observed_data.`,
		Example: `  pipeline export --to draws
  pipeline export --only sampler=nuts --layout cmdstan --to draws
  pipeline export nightly.yaml --layout netcdf --to draws`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if !slices.Contains(pipelines.Layouts(), layout) {
				return fmt.Errorf("--layout %q: it is one of %s", layout, strings.Join(pipelines.Layouts(), ", "))
			}
			if err := checkOutput(output); err != nil {
				return err
			}
			f.fallBack(args)
			o.Pipeline = f.pipeline
			if o.Overrides, err = f.reads(args); err != nil {
				return err
			}
			o.Layout = pipelines.Layout(layout)
			out, err := pipelines.Export(c.Context(), strings.Join(args, ""), o)
			if err != nil {
				return work(err)
			}
			if output == "json" {
				return json.NewEncoder(visibleJSON{a.stdout}).Encode(out)
			}
			printExported(a.stdout, out)
			return nil
		},
	}
	f.asks(c)
	c.Flags().StringVar(&layout, "layout", "parquet", strings.Join(pipelines.Layouts(), ", "))
	c.Flags().StringVar(&o.Dir, "to", ".", "folder for the files; it is created if needed")
	onlyFlag(c, &o.Only, "narrows the fits")
	outputFlag(c, &output)
	return c
}

func printExported(w io.Writer, out []pipelines.Exported) {
	for _, e := range out {
		for _, f := range e.Files {
			fmt.Fprintf(w, "%s: %s\n", words.Visible(e.Fit), words.Visible(relative(f)))
		}
		if e.Why != "" {
			fmt.Fprintf(w, "%s: left out, %s\n", words.Visible(e.Fit), clean(e.Why))
		}
		if e.Note != "" {
			fmt.Fprintf(w, "%s: without observations, %s\n", words.Visible(e.Fit), clean(e.Note))
		}
	}
}

func (a *app) importCommand() *cobra.Command {
	var database, output string
	var o pipelines.ImportOptions
	var rename []string
	c := &cobra.Command{
		Use:   "import FILE…",
		Short: "Store draws that Stan or R made, to compare them",
		Long: `import stores draws that another program made of a posterior, as one more sampler
next to the ledger's own fit of it. The draws get diagnostics, a verdict, and rows in
the views comparison and draws. Files are Stan's CSV, one per chain, with times and
divergences. Or they are one Parquet or CSV file with a row per draw and the columns
.chain and .iteration, as posterior::as_draws_df makes it.

Draws must be in the units of the data and have every coefficient and dispersion.
--rename gives a column the name of a parameter; other columns are left out. import
stores all draws or none.`,
		Example: `  pipeline import --only dataset=pima --rename beta.1=glu chain-1.csv
  pipeline compare`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			o.Rename = map[string]string{}
			for _, r := range rename {
				from, to, ok := strings.Cut(r, "=")
				if !ok {
					return fmt.Errorf("--rename %q: write COLUMN=PARAMETER", r)
				}
				o.Rename[from] = to
			}
			out, err := pipelines.Import(c.Context(), database, args, o)
			if err != nil {
				return work(err)
			}
			if output == "json" {
				return json.NewEncoder(visibleJSON{a.stdout}).Encode(out)
			}
			printImported(a.stdout, out)
			return nil
		},
	}
	databaseFlag(c, &database)
	pipelineFlag(c, &o.Pipeline)
	onlyFlag(c, &o.Only, "names the posterior")
	c.Flags().StringVar(&o.Sampler, "sampler", "", "name of the fit (default stan or draws_df)")
	c.Flags().StringArrayVar(&rename, "rename", nil, "COLUMN=PARAMETER; may be repeated")
	outputFlag(c, &output)
	return c
}

func printImported(w io.Writer, out *pipelines.Imported) {
	fmt.Fprintf(w, "%s: %d chains of %d draws, verdict %s\n", words.Visible(out.Fit), out.Chains, out.Draws, out.Verdict)
	for _, r := range out.Reasons {
		fmt.Fprintf(w, "  %s\n", words.Indent(clean(r)))
	}
	if len(out.Left) > 0 {
		fmt.Fprintf(w, "left out, no parameters of the fit: %s\n", words.Visible(strings.Join(out.Left, ", ")))
	}
}
