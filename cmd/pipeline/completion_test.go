package main

import (
	"strings"
	"testing"
)

// A shell completes the names of the ledger and the program.
func TestCompletion(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "run", "quickstart", "--quiet")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"show", ""}, "pima/diabetes/gibbs\n"},
		{[]string{"run", "quick"}, "quickstart\n"},
		{[]string{"explain", "paper/figure4"}, "paper/figure4\n"},
		{[]string{"export", "--only", ""}, "dataset=\nmodel=\nsampler=\n"},
		{[]string{"export", "--only", "model=d"}, "model=diabetes\n"},
		{[]string{"compare", "--dataset", ""}, "pima\n"},
		{[]string{"sql", "--database", ""}, "duckdb\ndb\n"},
		{[]string{"show", "--database", "none.duckdb", ""}, ":4\n"},
		{[]string{"show", "--color", ""}, "auto\nalways\nnever\n"},
	} {
		out := mustCall(t, append([]string{"__complete"}, c.args...)...)
		if !strings.HasPrefix(out, c.want) {
			t.Errorf("%q is completed with %q, want %q", c.args, out, c.want)
		}
	}
}

// Every verb says at length what it does, in lines that fit 80 columns, and shows a call.
func TestEveryVerbHasHelp(t *testing.T) {
	for _, c := range commands(t) {
		if len(c.Long) < 80 || c.Example == "" || c.Short == "" {
			t.Errorf("%s lacks Long (%d letters), Example (%q) or Short (%q)", c.Name(), len(c.Long), c.Example, c.Short)
		}
		if n := widest(c.Short); n > 80 {
			t.Errorf("%s: Short has %d columns", c.Name(), n)
		}
	}
}
