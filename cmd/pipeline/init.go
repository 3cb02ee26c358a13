package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/internal/outfile"
	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func (a *app) initCommand() *cobra.Command {
	var o pipelines.ProposeOptions
	var output string
	var force bool
	c := &cobra.Command{
		Use:   "init FILE",
		Short: "Write a first spec for a data file, with its reasons",
		Long: `init reads a CSV or Parquet file, or a folder of part files, and writes a spec:
response, family, formula, scaling and priors, with the reasons as comments. Two
values make bernoulli, counts make poisson or negative_binomial by their dispersion,
shares make beta, and positive skewed numbers make gamma. It leaves out columns that
number rows, groups or strata, that are constant, that hold dates, or that determine
the response, and lists them. It finds trials, exposures, offsets and frequencies by
name and content. If it cannot find the response, it asks for --response and writes
nothing. In a file with an identifier, the only column of 0 and 1 is the response.
Read the spec, and change what you know better.

The spec is written to NAME.yaml in the working directory, where NAME is the name of
the data file. An existing file stays, unless --force is given.`,
		Example: `  pipeline init claims.csv
  pipeline init patients.parquet --response died --output night.yaml
  pipeline init export.csv --decimal , --separator tab
  pipeline init labels.csv --triplets words.parquet --output -`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if isSpec(args[0]) {
				return words.Hint(fmt.Errorf("%s is a spec, and init writes one for a data file", args[0]), firstExample(c))
			}
			file := output
			if file == "" {
				file = pipelines.SpecName(args[0])
			}
			if file != "-" {
				o.Dir = filepath.Dir(file)
				if _, err := os.Stat(file); err == nil && !force {
					return words.Hint(fmt.Errorf("%s exists already, and init does not overwrite it", file),
						"--output names another file, --force replaces it")
				}
			}
			p, err := pipelines.Propose(c.Context(), args[0], o)
			if err != nil {
				return work(err)
			}
			if file == "-" {
				_, err = a.stdout.Write(p.Spec)
				return work(err)
			}
			if err := writeNew(file, p.Spec, force); err != nil {
				return work(err)
			}
			a.printProposal(file, p)
			return nil
		},
	}
	proposeFlags(c, &o)
	c.Flags().StringVar(&output, "output", "", "where to write the spec; - for standard output")
	c.Flags().BoolVar(&force, "force", false, "replace an existing file")
	return c
}

// proposeFlags registers what a proposal starts from.
func proposeFlags(c *cobra.Command, o *pipelines.ProposeOptions) {
	c.Flags().StringVar(&o.Response, "response", "",
		"the response; needed unless a column is called like one, or only one can be it")
	c.Flags().StringVar(&o.Triplets, "triplets", "", "file of the non-zeros (row, col, value) of further columns")
	c.Flags().StringVar(&o.Separator, "separator", "", "separator of the fields of a CSV file: one character, or tab; "+
		"needed unless the file shows it")
	c.Flags().StringVar(&o.Decimal, "decimal", "", `decimal mark of a CSV file: "." or "," (default ".")`)
	c.Flags().StringVar(&o.Name, "name", "", "name of pipeline, data set and model; default: after the file")
}

// printProposal says what was proposed, and why.
func (a *app) printProposal(file string, p *pipelines.Proposal) {
	s := a.screen()
	s.sentence("  ", fmt.Sprintf("%s: %s, family %s", words.Visible(file), words.Visible(p.Formula), p.Family))
	for _, why := range p.Why {
		s.sentence("    ", "  "+words.Visible(why))
	}
	s.sentence("  ", fmt.Sprintf("read it, then: %s explain %s", shellQuote(calledAs), shellQuote(file)))
}

// writeNew writes a new file; only force replaces an existing one.
func writeNew(path string, text []byte, force bool) error {
	write := outfile.New
	if force {
		write = outfile.Write
	}
	err := write(path, 0o644, func(f *os.File) error {
		_, err := f.WriteString(strings.ToValidUTF8(string(text), "�"))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return words.Hint(err, fmt.Sprintf("make the folder %s first", filepath.Dir(path)))
	}
	return err
}
