package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

func main() {
	abortOnFaults()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	calledAs = os.Args[0]
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// abortOnFaults has a fault of the program end it by SIGABRT, which a shell shows as 134: a
// panic that nobody recovers from, or a fatal error such as "out of memory". Go's own exit
// code for these is 2, which says of this program that a call was wrong. The memory, with
// the data in it, is not left in a core file unless GOTRACEBACK=crash asks for one.
func abortOnFaults() {
	if os.Getenv("GOTRACEBACK") != "crash" {
		var limit syscall.Rlimit
		if syscall.Getrlimit(syscall.RLIMIT_CORE, &limit) == nil {
			limit.Cur = 0
			_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &limit) // lowering it is always allowed
		}
	}
	debug.SetTraceback("crash")
}

// calledAs is how the caller names the program; hints repeat it, so that they
// can be pasted.
var calledAs = "pipeline"

// app is what the verbs share.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int    // of a verb that ended without an error
	colour         string // --color
}

// run carries out one call of the program and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.root()
	plainCompletion(root)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.code
	}
	a.complain(err)
	if ctx.Err() != nil {
		return pipelines.ExitInterrupted
	}
	return exitOf(err)
}

// complain says on standard error what went wrong, in lines that a terminal can hold.
func (a *app) complain(err error) {
	text := "pipeline: " + clean(heading(err)) + clean(err.Error())
	if s := a.errors(); s.live {
		s.paragraphs("  ", text)
	} else {
		fmt.Fprintln(s, text)
	}
}

// errors is standard error, whose lines are broken where it is a terminal.
func (a *app) errors() *screen {
	live, width := terminal(a.stderr)
	s := &screen{Writer: a.stderr, width: usual, live: live}
	if live {
		s.width = max(width(), narrowest)
	}
	return s
}

// heading introduces the problems of a spec, which take lines of their own.
func heading(err error) string {
	var problems *pipelines.Problems
	if !errors.As(err, &problems) {
		return ""
	}
	return fmt.Sprintf("%s has %s\n", problems.List[0].File, plural(len(problems.List), "problem"))
}

// exitOf is 1 for work that went wrong, 3 where the ledger was held or a shard may be
// tried again, and 2 for a call, a spec or a ledger that is wrong.
func exitOf(err error) int {
	var held *pipelines.LockedError
	var again *pipelines.AgainError
	var failed *workError
	switch {
	case errors.As(err, &held) || errors.As(err, &again):
		return pipelines.ExitUncommitted
	case pipelines.IsUnusable(err):
		return pipelines.ExitUsage
	case errors.As(err, &failed):
		return pipelines.ExitFail
	}
	return pipelines.ExitUsage
}

// workError marks an error of the work, as against one of the call.
type workError struct{ err error }

func (e *workError) Error() string { return e.err.Error() }
func (e *workError) Unwrap() error { return e.err }

// work marks err unless it is the caller's fault.
func work(err error) error {
	var usage *pipelines.UsageError
	if err == nil || errors.As(err, &usage) {
		return err
	}
	return &workError{err}
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "pipeline",
		Short: "Fit many Bayesian generalised linear models, and trust them",
		Long: `pipeline reads data sets from Parquet, CSV or SQL, draws from the posterior of
every generalised linear model that a spec tells it to fit, and leaves draws,
diagnostics and a verdict in a DuckDB file.

pipeline help VERB tells the flags and the exit codes of each.`,
		Example: `  pipeline run quickstart
  pipeline show
  pipeline sql "SELECT * FROM coefficients"`,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.PersistentFlags().StringVar(&a.colour, "color", "auto",
		"auto, always or never: colours on terminals, unless NO_COLOR is set")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		if !slices.Contains(colours, a.colour) {
			return fmt.Errorf("--color %q: it is %s", a.colour, strings.Join(colours, ", "))
		}
		return nil
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.AddCommand(a.runCommand(), a.planCommand(), a.progressCommand(), a.gatherCommand(), a.retryCommand(),
		a.commitCommand(), a.pruneCommand(), a.driftCommand(), a.reportCommand(), a.checkCommand(), a.validateCommand(),
		a.listCommand(), a.initCommand(), a.explainCommand(), a.showCommand(), a.runsCommand(), a.sqlCommand(),
		a.compareCommand(), a.weightsCommand(), a.predictCommand(), a.effectsCommand(), a.exportCommand(),
		a.importCommand(), a.verifyCommand(), a.versionCommand())
	tellExits(root)
	complete(root)
	plainUsage(root, a.screen().width)
	return root
}
