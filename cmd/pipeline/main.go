package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func main() {
	abortOnFaults()
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	calledAs = os.Args[0]
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// abortOnFaults lets a fault of the program end it by SIGABRT, which a shell shows as 134: a panic that is not
// recovered, or a fatal error such as "out of memory". Go's own exit code for these is 2, which says of this
// program that a call was wrong. The memory, with the data in it, is not left in a core file unless
// GOTRACEBACK=crash asks for one.
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

// app holds the common state of the commands.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int    // of a verb that ended without an error
	colour         string // --color
}

// run carries out one call of the program and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out := &output{Writer: stdout}
	a := &app{stdin: stdin, stdout: out, stderr: stderr}
	root := a.root()
	plainCompletion(root)
	root.SetArgs(args)
	verb, err := root.ExecuteContextC(ctx)
	werr := out.failed()
	if err != nil && (werr == nil || !errors.Is(err, werr)) {
		a.complain(forLedger(verb, err))
	}
	switch {
	case werr != nil:
		a.complain(fmt.Errorf("standard output: %w", werr))
		return max(a.code, pipelines.ExitFail)
	case err == nil:
		return a.code
	}
	if ctx.Err() != nil {
		return pipelines.ExitInterrupted
	}
	return exitOf(err)
}

// output is standard output, and keeps the first error of writing to it.
type output struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = cmp.Or(o.err, err)
	return n, err
}

func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// machine is standard output for formats that programs read. On a terminal nothing in them steers it.
func (a *app) machine() io.Writer {
	if live, _ := terminal(a.stdout); live {
		return visibleLines{a.stdout}
	}
	return a.stdout
}

// answers is standard output for rows in one of pipelines.Formats, which may hold names of a stranger.
func (a *app) answers(format string) io.Writer {
	switch format {
	case "json":
		return visibleJSON{a.stdout}
	case "csv":
		return a.machine()
	}
	return a.stdout
}

// visibleLines writes what does not print as escapes.
type visibleLines struct{ io.Writer }

func (v visibleLines) Write(p []byte) (int, error) {
	_, err := io.WriteString(v.Writer, words.VisibleLines(string(p)))
	return len(p), err
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
every generalised linear model in a spec, and stores draws, diagnostics and a
verdict in a DuckDB file.

pipeline help VERB prints the flags and the exit codes of a verb.`,
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
	addExits(root)
	complete(root)
	plainUsage(root, a.screen().width)
	return root
}
