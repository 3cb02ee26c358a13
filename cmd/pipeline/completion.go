package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// ledgerSuffixes are how ledgers are called, for a shell that completes their names.
var ledgerSuffixes = []string{"duckdb", "db"}

// complete gives the shell its completions: built-in pipelines and files, fits, data sets, models and samplers of
// the ledger that the call names, ledgers, values of flags.
func complete(root *cobra.Command) {
	for _, c := range root.Commands() {
		if strings.Contains(c.Use, "NAME") {
			c.ValidArgsFunction = shippedNames
		}
		if c.Name() == "show" {
			c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				if len(args) > 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return ledgerNames(c).Fits, cobra.ShellCompDirectiveNoFileComp
			}
		}
		for flag, f := range map[string]cobra.CompletionFunc{
			"database": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return ledgerSuffixes, cobra.ShellCompDirectiveFilterFileExt
			},
			"only": onlyTerms,
			"dataset": func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
				return these(ledgerNames(c).Datasets)
			},
			"model": func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
				return these(ledgerNames(c).Models)
			},
			"sort": cobra.FixedCompletions([]string{"position", "name", "effect", "mean", "sd", "rhat", "ess"},
				cobra.ShellCompDirectiveNoFileComp),
			"select": cobra.FixedCompletions([]string{"state:error", "state:fail", "state:warn"},
				cobra.ShellCompDirectiveNoFileComp),
		} {
			if c.Flags().Lookup(flag) != nil {
				_ = c.RegisterFlagCompletionFunc(flag, f) // the flag exists
			}
		}
	}
	_ = root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colours, cobra.ShellCompDirectiveNoFileComp))
}

func these(names []string) ([]string, cobra.ShellCompDirective) {
	return names, cobra.ShellCompDirectiveNoFileComp
}

// shippedNames are the built-in pipelines; files are completed too.
func shippedNames(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	list, err := pipelines.List()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, s := range list {
		if strings.HasPrefix(s.Name, typed) {
			names = append(names, s.Name)
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// onlyTerms completes FIELD=NAME.
func onlyTerms(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if !strings.Contains(typed, "=") {
		return []string{"dataset=", "model=", "sampler="},
			cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	names := ledgerNames(c)
	var out []string
	for field, list := range map[string][]string{"dataset=": names.Datasets, "model=": names.Models,
		"sampler=": names.Samplers} {
		if strings.HasPrefix(typed, field) {
			for _, name := range list {
				out = append(out, field+name)
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// ledgerNames are the names in the ledger of a call; nil if it cannot be read now.
func ledgerNames(c *cobra.Command) *pipelines.Names {
	database := defaultLedger
	if f := c.Flags().Lookup("database"); f != nil && f.Value.String() != "" {
		database = f.Value.String()
	}
	ctx := c.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	names, err := pipelines.NamesOf(ctx, database)
	if err != nil {
		return &pipelines.Names{}
	}
	return names
}

// plainCompletion has a call that names no shell refused.
func plainCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Args = cobra.ArbitraryArgs
		c.RunE = func(c *cobra.Command, args []string) error {
			var shells []string
			for _, shell := range c.Commands() {
				shells = append(shells, shell.Name())
			}
			return words.Hint(fmt.Errorf("completion: name a shell, not %q", strings.Join(args, " ")),
				"it is "+strings.Join(shells, ", "))
		}
	}
}
