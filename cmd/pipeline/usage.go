package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"glmbatch/internal/trouble"
	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// otherWords are other words for a command, by command.
var otherWords = map[string][]string{
	"sql":     {"query", "select", "ask"},
	"show":    {"summary", "summarize", "status", "result", "results", "fits", "view", "print"},
	"run":     {"fit", "sample", "start", "execute", "brm", "glm", "train"},
	"runs":    {"history", "log", "nights"},
	"check":   {"calibrate", "sbc", "test"},
	"compare": {"diff"},
	"init":    {"new", "create", "propose"},
	"list":    {"ls", "pipelines"},
	"predict": {"prediction", "forecast", "score"},
	"prune":   {"clean", "vacuum", "delete"},
	"explain": {"describe", "priors"},
	"effects": {"effect", "marginal", "contrast", "emmeans"},
	"help":    {"usage", "man"},
}

// plainUsage answers wrong calls with errors of the program: the missing or surplus argument,
// an example, and the nearest right name.
func plainUsage(root *cobra.Command, width int) {
	for _, c := range root.Commands() {
		c.SuggestFor = otherWords[c.Name()]
		c.Long = filled(c.Long, width)
		allowed := c.Args
		c.Args = func(c *cobra.Command, args []string) error {
			if allowed == nil || allowed(c, args) == nil {
				return noSpec(c, args)
			}
			return words.Hint(countError(c, args), "for example: "+firstExample(c))
		}
	}
	root.Args = func(root *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownVerb(root, args[0])
		}
		return nil
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(helpCommand(width))
	cobra.AddTemplateFunc("plainTypes", plainTypes.Replace)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages ",
		fmt.Sprintf("Flags.FlagUsagesWrapped %d | plainTypes ", width)))
}

// plainTypes replaces the names of flags' types by common words, each of the same width.
var plainTypes = strings.NewReplacer(" stringArray ", " TEXT        ", " int64Slice ", " N          ", " string ",
	" TEXT   ", " int ", " N   ", " float ", " N     ", " duration ", " TIME     ", " (default [])", "")

// filled is text whose paragraphs, but those with lines that are indented, have lines of a width.
func filled(text string, width int) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if !strings.Contains(p, "\n ") {
			paragraphs[i] = strings.Join(words.Break(strings.ReplaceAll(p, "\n", " "), width, width), "\n")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}

// noSpec is the error of a call that names a ledger or a fit where the verb takes a spec.
func noSpec(c *cobra.Command, args []string) error {
	if len(args) > 0 && strings.HasPrefix(c.Use, c.Name()+" [SPEC|NAME]") && strings.HasSuffix(args[0], ".duckdb") {
		rest := append([]string{"pipeline", c.Name(), "--database"}, args...)
		for i := range rest {
			rest[i] = shellQuote(rest[i])
		}
		return words.Hint(fmt.Errorf("%s takes a spec, and %s is a ledger", c.Name(), args[0]), strings.Join(rest, " "))
	}
	if len(args) != 1 || c.Flags().Lookup("fit") == nil {
		return nil
	}
	if _, err := strconv.ParseInt(args[0], 10, 64); err != nil {
		return nil
	}
	return words.Hint(fmt.Errorf("%s takes a spec, and %s is a number", c.Name(), args[0]),
		fmt.Sprintf("pipeline %s --fit %s names a fit", c.Name(), args[0]))
}

// ledgerVerb is a call of a verb that reads a ledger, in a hint.
var ledgerVerb = regexp.MustCompile(`pipeline (show|runs|sql|report|verify|commit)\b`)

// forLedger returns err with the ledger of the call in the calls that its hints name.
func forLedger(c *cobra.Command, err error) error {
	flag := c.Flags().Lookup("database")
	message, hint := words.Parts(err)
	if hint == "" || flag == nil || strings.Contains(hint, "--database") {
		return err
	}
	where := ""
	switch args := c.Flags().Args(); {
	case flag.Changed && flag.Value.String() != flag.DefValue:
		where = ledgerFlag(flag.Value.String())
	case len(args) > 0 && isSpec(args[0]):
		where = " " + shellQuote(args[0])
	}
	if where == "" {
		return err
	}
	hint = ledgerVerb.ReplaceAllString(hint, "$0"+strings.ReplaceAll(where, "$", "$$"))
	return &rehinted{err, words.Hint(errors.New(message), hint).Error()}
}

// rehinted is an error with another hint.
type rehinted struct {
	error
	text string
}

func (r *rehinted) Error() string { return r.text }
func (r *rehinted) Unwrap() error { return r.error }

// countError is the error of a call that lacks an argument or has too many.
func countError(c *cobra.Command, args []string) error {
	takes := strings.TrimPrefix(c.Use, c.Name()+" ")
	switch {
	case takes == c.Name():
		return fmt.Errorf("%s takes no argument, and %q is one", c.Name(), args[0])
	case len(args) == 0:
		return fmt.Errorf("%s: %s is missing", c.Name(), takes)
	}
	return fmt.Errorf("%s takes %s, and got %d arguments: %q", c.Name(), takes, len(args), args)
}

// firstExample is a call of the verb that works.
func firstExample(c *cobra.Command) string {
	line, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
	return line
}

// unknownVerb names the verbs that are near to a wrong one, in letters or in meaning.
func unknownVerb(root *cobra.Command, name string) error {
	root.SuggestionsMinimumDistance = 2
	hint := "pipeline help lists the verbs"
	near := root.SuggestionsFor(name)
	for verb, others := range otherWords { // a word of the same meaning comes before one of similar letters
		if slices.Contains(others, strings.ToLower(name)) {
			near = []string{verb}
		}
	}
	if len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q? %s", near[0], hint)
	}
	return words.Hint(fmt.Errorf("there is no verb %q", name), hint)
}

// flagError explains a wrong flag and suggests the nearest one.
func flagError(c *cobra.Command, err error) error {
	help := fmt.Sprintf("pipeline help %s lists the flags", c.Name())
	if c == c.Root() {
		if args := c.Flags().Args(); len(args) > 0 { // which are not a command, and precede the flag
			return unknownVerb(c, args[0])
		}
		help = "flags follow the verb: pipeline help lists the verbs"
	}
	var unknown *pflag.NotExistError
	var missing *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		written := "--" + unknown.GetSpecifiedName()
		if shorts := unknown.GetSpecifiedShortnames(); shorts != "" {
			written = "-" + shorts
		}
		near := words.Nearest(unknown.GetSpecifiedName(), names)
		if near != "" {
			help = fmt.Sprintf("did you mean \"--%s\"? %s", near, help)
		}
		return words.Hint(fmt.Errorf("%s has no flag %s", c.Name(), written), help)
	case errors.As(err, &missing):
		f := missing.GetFlag()
		return words.Hint(fmt.Errorf("--%s needs a value", f.Name), f.Usage)
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		return words.Hint(fmt.Errorf("--%s %q: it is %s", f.Name, invalid.GetValue(), kindWords(f.Value.Type())), f.Usage)
	}
	return err
}

// kindWords describes the values of a flag's type.
func kindWords(kind string) string {
	switch kind {
	case "int", "int64", "uint64", "int64Slice":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 90s, 30m, 1h30m"
	}
	return "a " + kind
}

// helpCommand prints the help of a verb, of a message or of the program, in lines of a width.
func helpCommand(width int) *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB|MESSAGE]",
		Short: "Print what a verb does, its flags and its exit codes",
		Long: `help prints what a verb does, or the cause and remedy of a message. show prints the name
of the message, and docs/troubleshooting.md has all of them. The names of exit codes are
exit-code-1 and so on.`,
		Example: "  pipeline help run\n  pipeline help divergent-transitions\n  pipeline help exit-code-3",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				if e := trouble.At(args[0]); e != nil {
					text := e.Headline + "\n\n" + e.Cause
					if e.Remedy != "" {
						text += "\n\nRemedy: " + e.Remedy
					}
					_, err := fmt.Fprintln(c.OutOrStdout(), filled(text, width))
					return err
				}
			}
			verb, _, err := c.Root().Find(args)
			if err != nil || verb == c.Root() && len(args) > 0 {
				return unknownVerb(c.Root(), args[0])
			}
			verb.InitDefaultHelpFlag()
			return verb.Help()
		},
	}
}

// An exit is one exit code of a verb and its meaning.
type exit struct {
	code    int
	meaning string
}

// Flags of many commands.
var (
	done        = exit{pipelines.ExitPass, "done"}
	broken      = exit{pipelines.ExitFail, "the work failed"}
	usage       = exit{pipelines.ExitUsage, "the call is wrong, or a file or fit that it names is missing or damaged"}
	held        = exit{pipelines.ExitUncommitted, "another process has the ledger open"}
	interrupted = exit{pipelines.ExitInterrupted, "interrupted"}
	badSpec     = exit{pipelines.ExitUsage,
		"the spec or the call is wrong and nothing was done, or the ledger is damaged"}
	drawn = exit{pipelines.ExitUncommitted,
		"some fits are drawn but not committed, or the ledger or its report could not be written out"}
	lacking = exit{pipelines.ExitUncommitted, drawn.meaning + "; of a shard, planned data are missing"}
	kept    = exit{pipelines.ExitInterrupted, "interrupted; what was drawn is kept"}
	asked   = []exit{done, broken, usage, held, interrupted} // of verbs that ask a ledger
)

// exits are the exit codes of each verb: help prints them, and so does
// docs/reference/cli.md.
var exits = map[string][]exit{
	"run": {{pipelines.ExitPass, "every fit passes its gates, warnings included"},
		{pipelines.ExitFail, "some fit failed or erred"}, badSpec, lacking, kept},
	"retry": {{pipelines.ExitPass, "every fit that was retried passes, or there was none"},
		{pipelines.ExitFail, "some fit failed or erred"}, badSpec, drawn, kept},
	"plan": {{pipelines.ExitPass, "the run is planned"}, {pipelines.ExitFail, "the folder cannot be written"},
		{pipelines.ExitUsage, "the spec or the call is wrong, data cannot be read, or the ledger is damaged"}, held,
		interrupted},
	"progress": {{pipelines.ExitPass, "shown, whatever the states"}, {pipelines.ExitUsage,
		"the call is wrong, the folder has no plan, or another program made it"}},
	"gather": {{pipelines.ExitPass, "every fit passes its gates, warnings included"},
		{pipelines.ExitFail, "some fit failed or erred"},
		{pipelines.ExitUsage, "the call is wrong, another program made the plan, or the ledger is damaged"},
		{pipelines.ExitUncommitted,
			"a shard or a planned fit is missing, or the ledger or a file to publish cannot be written"}, interrupted},
	"commit": {{pipelines.ExitPass, "no drawn fit is left uncommitted, and all loaded fits pass"},
		{pipelines.ExitFail, "some loaded fit failed"}, badSpec, drawn, interrupted},
	"check": {{pipelines.ExitPass, "no fit failed"}, {pipelines.ExitFail, "some fit failed or erred"},
		{pipelines.ExitUsage, "the spec or the call is wrong, a prior is flat, or the ledger is damaged"}, held, interrupted},
	"validate": {{pipelines.ExitPass, "every fit of every spec would draw"},
		{pipelines.ExitFail, "some fit would end in an error"},
		{pipelines.ExitUsage, "some spec or the call is wrong"}, interrupted},
	"compare": {{pipelines.ExitPass, "no two samplers disagree"},
		{pipelines.ExitFail, "two samplers disagree: one of them is wrong, or failed its own gates"}, usage, held,
		interrupted},
	"drift":   {{pipelines.ExitPass, "shown, whatever changed"}, broken, usage, held, interrupted},
	"weights": {{pipelines.ExitPass, "shown"}, broken, usage, held, interrupted},
	"init": {{pipelines.ExitPass, "the spec is written"}, broken,
		{pipelines.ExitUsage, "the file cannot be read or has no response, or the spec exists already"}},
	"report": {{pipelines.ExitPass, "the page is written, whatever the verdicts in it"}, broken, usage, held,
		interrupted},
	"explain": {{pipelines.ExitPass, "described"}, broken, {pipelines.ExitUsage, "the spec or the call is wrong"}},
	"show":    {{pipelines.ExitPass, "shown, whatever the verdicts"}, broken, usage, held, interrupted},
	"runs":    {{pipelines.ExitPass, "listed, whatever the runs' exit codes"}, broken, usage, held, interrupted},
	"prune":   asked,
	"verify": {{pipelines.ExitPass, "all blocks in use and all draws are as they were written"}, broken,
		{pipelines.ExitUsage, "the ledger is damaged or missing, or the call is wrong"}, held, interrupted},
	"sql":     asked,
	"predict": asked,
	"effects": asked,
	"export":  asked,
	"import":  {{pipelines.ExitPass, "stored, whatever its verdict"}, broken, usage, held, interrupted},
	"list":    {done, usage},
	"version": {done, usage},
}

// addExits puts the exit codes of each verb below its description.
func addExits(root *cobra.Command) {
	for _, c := range root.Commands() {
		var codes []string
		for _, e := range exits[c.Name()] {
			codes = append(codes, fmt.Sprintf("%d %s", e.code, e.meaning))
		}
		if len(codes) > 0 {
			c.Long = strings.TrimRight(c.Long, "\n") + "\n\n" +
				strings.Join(words.Break("Exit codes: "+strings.Join(codes, ", ")+".", 80, 80), "\n")
		}
	}
}
