package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"glmbatch/internal/words"
)

// otherWords are what people type for a verb, by verb.
var otherWords = map[string][]string{
	"sql":     {"query", "select", "ask"},
	"show":    {"summary", "summarize", "status", "result", "results", "fits", "view", "print"},
	"run":     {"fit", "sample", "start", "execute"},
	"runs":    {"history", "log", "nights"},
	"check":   {"calibrate", "sbc", "test"},
	"compare": {"diff"},
	"init":    {"new", "create", "propose"},
	"list":    {"ls", "pipelines"},
	"predict": {"prediction", "forecast", "score"},
	"prune":   {"clean", "vacuum", "delete"},
	"explain": {"describe", "plan", "priors"},
	"help":    {"usage", "man"},
}

// plainUsage has wrong calls told in the program's own words: what is missing or too much,
// with an example, and the nearest right name.
func plainUsage(root *cobra.Command, width int) {
	for _, c := range root.Commands() {
		c.SuggestFor = otherWords[c.Name()]
		c.Long = filled(c.Long, width)
		allowed := c.Args
		c.Args = func(c *cobra.Command, args []string) error {
			if allowed == nil || allowed(c, args) == nil {
				return nil
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
	root.SetHelpCommand(helpCommand())
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages ",
		fmt.Sprintf("Flags.FlagUsagesWrapped %d ", width)))
}

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

// countError says of a call which argument it lacks, or has too much.
func countError(c *cobra.Command, args []string) error {
	takes := strings.TrimPrefix(c.Use, c.Name()+" ")
	switch {
	case takes == c.Name():
		return fmt.Errorf("%s takes no argument, and %q is one", c.Name(), args[0])
	case len(args) == 0:
		return fmt.Errorf("%s: %s is missing", c.Name(), takes)
	}
	return fmt.Errorf("%s takes one argument, %s, and these are %d: %q", c.Name(), strings.Trim(takes, "[]"), len(args),
		args)
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
	if near := root.SuggestionsFor(name); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q? %s", near[0], hint)
	}
	return words.Hint(fmt.Errorf("there is no verb %q", name), hint)
}

// flagError says what is wrong with a flag, and which one is near.
func flagError(c *cobra.Command, err error) error {
	help := fmt.Sprintf("pipeline help %s lists the flags", c.Name())
	if c == c.Root() {
		help = "flags stand behind the verb: pipeline help lists the verbs"
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

// kindWords says what a flag's type takes.
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

// helpCommand tells of a verb, or of all.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB]",
		Short: "Tell what a verb does, its flags and its exit codes",
		RunE: func(c *cobra.Command, args []string) error {
			verb, _, err := c.Root().Find(args)
			if err != nil || verb == c.Root() && len(args) > 0 {
				return unknownVerb(c.Root(), args[0])
			}
			verb.InitDefaultHelpFlag()
			return verb.Help()
		},
	}
}
