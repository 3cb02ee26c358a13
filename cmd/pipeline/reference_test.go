package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"glmbatch/internal/trouble"
)

var update = flag.Bool("update", false, "write docs/reference/cli.md anew; read the diff before you commit it")

const referencePath = "../../docs/reference/cli.md"

// docs/reference/cli.md is what the verbs, their flags, examples and exit codes
// make of it.
func TestReference(t *testing.T) {
	got := reference(commands(t))
	if *update {
		must(t, os.WriteFile(referencePath, got, 0o644))
		return
	}
	want, err := os.ReadFile(referencePath)
	if err != nil {
		t.Fatalf("%v\nrun: make reference, then read the diff", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("docs/reference/cli.md is not what the program says\nrun: make reference, then read the diff\n%s", lineDiff(string(want), string(got)))
	}
}

// Every command lists its exit codes, and every list of exit codes belongs to a command.
func TestEveryVerbHasExits(t *testing.T) {
	verbs := map[string]bool{}
	for _, c := range commands(t) {
		verbs[c.Name()] = true
		if len(exits[c.Name()]) == 0 {
			t.Errorf("%s tells no exit codes: add a line to exits in usage.go, then run: make reference", c.Name())
		}
	}
	for name := range exits {
		for _, e := range exits[name] {
			if trouble.At(fmt.Sprintf("exit-code-%d", e.code)) == nil {
				t.Errorf("exit code %d of %s has no entry in internal/trouble", e.code, name)
			}
		}
		if !verbs[name] {
			t.Errorf("usage.go has exit codes of %s, which is no verb", name)
		}
	}
}

// The examples of the help pass the flags and the count of arguments, as far as that can be checked without data.
func TestExamplesAreCalls(t *testing.T) {
	seen := 0
	for _, c := range commands(t) {
		for _, line := range strings.Split(c.Example, "\n") {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			seen++
			if err := takes(line); err != nil {
				t.Errorf("%s: %s: %v", c.Name(), line, err)
			}
		}
	}
	for _, bad := range []string{"pipeline run --no-such x.yaml", "pipeline run", "pipeline rnu x.yaml", "pipline run x.yaml"} {
		if takes(bad) == nil {
			t.Errorf("%s passes as a call", bad)
		}
	}
	if seen < 12 {
		t.Errorf("only %d examples seen", seen)
	}
}

// So are the commands in the tables of docs/other-tools.md.
func TestOtherToolsAreCalls(t *testing.T) {
	page, err := os.ReadFile("../../docs/other-tools.md")
	must(t, err)
	found := regexp.MustCompile("(?m)^\\|.*`(pipeline [^`]+)`").FindAllSubmatch(page, -1)
	for _, m := range found {
		if err := takes(string(m[1])); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
	if len(found) < 6 {
		t.Errorf("only %d commands found", len(found))
	}
}

// takes reports what the program has against a line of an example: its verb
// must be known, its flags parse and the count of its arguments be right. All
// behind a bar, a semicolon or a > is the shell's.
func takes(line string) error {
	words := shellWords(line)
	for i, w := range words {
		if w == "|" || w == ">" || w == "&&" || w == ";" {
			words = words[:i]
			break
		}
	}
	if len(words) < 2 || words[0] != "pipeline" {
		return fmt.Errorf("it does not begin with pipeline")
	}
	a := &app{stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}}
	root := a.root()
	root.SetContext(context.Background())
	c, rest, err := root.Find(words[1:])
	if err != nil {
		return err
	}
	if c == root {
		return fmt.Errorf("%s is no verb", words[1])
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
}

// shellWords splits a line at spaces outside quotes.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	quote, open := rune(0), false
	for _, r := range line {
		switch {
		case quote == 0 && (r == '"' || r == '\''):
			quote, open = r, true
		case r == quote:
			quote = 0
		case quote == 0 && r == ' ':
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if open {
		words = append(words, word.String())
	}
	return words
}

// commands are the verbs of the program in the order of the alphabet.
func commands(t *testing.T) []*cobra.Command {
	t.Helper()
	root := (&app{}).root()
	list := slices.DeleteFunc(slices.Clone(root.Commands()), func(c *cobra.Command) bool { return c.Hidden })
	if len(list) < 10 {
		t.Fatalf("only %d verbs", len(list))
	}
	return list
}

// reference is the page about the command line.
func reference(list []*cobra.Command) []byte {
	var b bytes.Buffer
	b.WriteString(`<!-- written by make reference from cmd/pipeline; do not edit -->
# Command line

What ` + "`pipeline help VERB`" + ` prints, for all verbs. Flags come before or after the arguments, as ` + "`--flag value` or `--flag=value`" + `.
` + "`pipeline completion bash`" + ` (or ` + "`zsh`, `fish`, `powershell`" + `) prints a completion script, and how to load it.

| verb | what it does |
|---|---|
`)
	for _, c := range list {
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", c.Name(), c.Name(), cell(c.Short))
	}
	flags, codes := shared(list)
	fmt.Fprintf(&b, "\n## Common flags\n\n| flag | meaning |\n|---|---|\n%s", strings.Join(flags, ""))
	fmt.Fprintf(&b, "\n## Exit codes\n\n| code | meaning |\n|---|---|\n%s", strings.Join(codes, ""))
	for _, c := range list {
		verb(&b, c, slices.Concat(flags, codes))
	}
	return b.Bytes()
}

// shared returns the rows of flags that three verbs have, one for each flag, and of each exit code the row that most have.
func shared(list []*cobra.Command) (flags, codes []string) {
	uses, most := map[string]int{}, map[string]string{}
	count := func(row string) {
		name := strings.Fields(row)[1]
		if uses[row]++; uses[row] > uses[most[name]] {
			most[name] = row
		}
	}
	for _, c := range list {
		for _, row := range flagRows(c) {
			count(row)
		}
		for _, e := range exits[c.Name()] {
			count(exitRow(e))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(most)) {
		switch row := most[name]; {
		case !strings.HasPrefix(name, "`"):
			codes = append(codes, row)
		case uses[row] >= 3:
			flags = append(flags, row)
		}
	}
	slices.SortFunc(codes, func(a, b string) int { return len(strings.Fields(a)[1]) - len(strings.Fields(b)[1]) })
	return flags, codes
}

// verb describes a verb; rows that are shared are named only.
func verb(b *bytes.Buffer, c *cobra.Command, shared []string) {
	about, _, _ := strings.Cut(c.Long, "\n\nExit codes: ")
	if about == "" {
		about = c.Short + "."
	}
	fmt.Fprintf(b, "\n## %s\n\n    %s\n\n%s\n", c.Name(), strings.Replace(c.UseLine(), " [flags]", " [FLAG…]", 1), prose(about))
	if c.Example != "" {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", unindent(c.Example))
	}
	usual := func(rows []string) (names, own []string) {
		for _, row := range rows {
			if slices.Contains(shared, row) {
				names = append(names, "`"+strings.Trim(strings.Fields(row)[1], "`")+"`")
			} else {
				own = append(own, row)
			}
		}
		return names, own
	}
	write := func(title, head string, rows []string) {
		names, own := usual(rows)
		if len(names) > 0 {
			fmt.Fprintf(b, "\n%s: %s.\n", title, strings.Join(names, ", "))
		}
		if len(own) > 0 {
			fmt.Fprintf(b, "\n| %s | meaning |\n|---|---|\n%s", head, strings.Join(own, ""))
		}
	}
	write("[Common flags](#common-flags)", "flag", flagRows(c))
	var codes []string
	for _, e := range exits[c.Name()] {
		codes = append(codes, exitRow(e))
	}
	write("[Exit codes](#exit-codes)", "exit code", codes)
}

func exitRow(e exit) string { return fmt.Sprintf("| %d | %s |\n", e.code, cell(e.meaning)) }

// flagName finds the flags in what help prints of them.
var flagName = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z0-9-]+)`)

// flagRows are the rows of the flags of a verb.
func flagRows(c *cobra.Command) (rows []string) {
	for _, m := range flagName.FindAllStringSubmatch(c.LocalFlags().FlagUsages(), -1) {
		if f := c.LocalFlags().Lookup(m[1]); f.Name != "help" {
			rows = append(rows, flagRow(f.Name, f.Shorthand, f.Value.Type(), f.DefValue, f.Usage))
		}
	}
	return rows
}

// flagRow is the line of one flag. A default is shown where it says something.
func flagRow(name, short, takes, def, use string) string {
	name = "--" + name
	if short != "" {
		name = "-" + short + ", " + name
	}
	switch takes {
	case "bool":
	case "int", "uint64", "int64", "float64":
		name += " N"
	case "duration":
		name += " TIME"
	case "stringSlice":
		name += " TEXT,TEXT"
	default:
		name += " TEXT"
	}
	if def != "[]" && def != "" && def != "false" && def != "0" {
		use += " (default " + def + ")"
	}
	return fmt.Sprintf("| `%s` | %s |\n", name, cell(use))
}

// cell is text inside a table.
func cell(s string) string { return strings.ReplaceAll(prose(s), "|", `\|`) }

// prose is text in which nothing is markup.
func prose(s string) string {
	return strings.NewReplacer("*", `\*`, "<", `\<`, "_", `\_`).Replace(s)
}

func unindent(s string) string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}

// lineDiff lists the lines that only one of the texts has.
func lineDiff(want, got string) string {
	only := func(sign, text, other string) string {
		have := strings.Split(other, "\n")
		var b strings.Builder
		for _, line := range strings.Split(text, "\n") {
			if !slices.Contains(have, line) {
				b.WriteString(sign + line + "\n")
			}
		}
		return b.String()
	}
	return only("- ", want, got) + only("+ ", got, want)
}
