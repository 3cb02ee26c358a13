package doctest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// inert are the languages of blocks that are not executed.
var inert = []string{"text", "json", "csv", "go", "make", "mermaid", "math", "ini", "diff"}

// commandTime bounds one command: a page that hangs must fail, not wait.
const commandTime = 3 * time.Minute

// Session is one reader working through one page in one folder.
type Session struct {
	// Dir is the scratch folder: a clone after "make build".
	Dir string
	// Bin is the folder of the pipeline binary, put before PATH.
	Bin string
	// Makefile is the text that make lines are checked against.
	Makefile string

	cloned bool // the next cd goes to where we are
}

// Walk runs every block of a page and returns what went wrong, each error with its line. It continues after a
// fault: one run shows them all.
func (s *Session) Walk(ctx context.Context, blocks []Block) error {
	var errs []error
	for i, b := range blocks {
		var want *Block
		if i+1 < len(blocks) && blocks[i+1].Lang == "text" && blocks[i+1].Follows {
			want = &blocks[i+1]
		}
		if err := s.block(ctx, b, want); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// block runs one block; want is the text block right below it, if any.
func (s *Session) block(ctx context.Context, b Block, want *Block) error {
	if b.File != "" {
		path := filepath.Join(s.Dir, filepath.FromSlash(b.File))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(b.Text), 0o644)); err != nil {
			return fmt.Errorf("line %d: %w", b.Line, err)
		}
	}
	if b.Skip != "" {
		return nil
	}
	switch b.Lang {
	case "sh", "bash", "console", "setup":
		return s.shell(ctx, b)
	case "sql":
		return s.sql(ctx, b, want)
	case "yaml":
		return s.yaml(ctx, b)
	case "":
		if len(b.Commands()) > 0 && strings.Contains("\n"+b.Text, "\n$ ") {
			return fmt.Errorf("line %d: a block with commands needs a language: console", b.Line)
		}
		return nil
	}
	if b.File == "" && !slices.Contains(inert, b.Lang) {
		return fmt.Errorf("line %d: nobody runs %q blocks: say why with <!-- not executed: reason -->", b.Line, b.Lang)
	}
	return nil
}

func (s *Session) shell(ctx context.Context, b Block) error {
	commands := b.Commands()
	if len(commands) == 0 {
		return fmt.Errorf("line %d: a %s block without a command", b.Line, b.Lang)
	}
	var errs []error
	for i, c := range commands {
		text, err := s.replace(c.Text)
		if err != nil {
			errs = append(errs, fmt.Errorf("line %d: %s: %w", c.Line, c.Text, err))
			continue
		}
		if text == "" {
			continue
		}
		out, err := s.run(ctx, text)
		asked := i+1 < len(commands) && commands[i+1].Text == "echo $?"
		switch {
		case err != nil && !(asked && isExit(err)):
			errs = append(errs, fmt.Errorf("line %d: %s: %w\n%s", c.Line, c.Text, err, out.all))
		case c.Want != nil:
			if err := out.match(c.Want); err != nil {
				errs = append(errs, fmt.Errorf("line %d: %s: %w", c.Line, c.Text, err))
			}
		}
	}
	return errors.Join(errs...)
}

func isExit(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit)
}

var makeRun = regexp.MustCompile(`(?m)^run:.*\n\t\$\(BIN\) (.+)$`)

// replace returns the command that is run instead of a command and of those that "&&" chains to it; empty for
// nothing.
func (s *Session) replace(command string) (string, error) {
	var kept []string
	for part := range strings.SplitSeq(command, " && ") {
		text, err := s.replaceOne(part)
		if err != nil {
			return "", err
		}
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, " && "), nil
}

// replaceOne returns nothing for a clone, the cd after it and make targets that
// tests or people run, the target's own command for "make run", and the command
// itself for all others.
func (s *Session) replaceOne(command string) (string, error) {
	code, _, _ := strings.Cut(command, " #")
	words := strings.Fields(code)
	switch {
	case len(words) > 1 && words[0] == "git" && words[1] == "clone":
		s.cloned = true
		return "", nil
	case len(words) == 2 && words[0] == "cd" && s.cloned:
		s.cloned = false
		return "", nil
	case len(words) == 0 || words[0] != "make":
		return command, nil
	}
	replaced := ""
	for _, w := range words[1:] {
		if strings.Contains(w, "=") {
			continue
		}
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(w) + `:`).MatchString(s.Makefile) {
			return "", fmt.Errorf("the Makefile has no target %q", w)
		}
		if w == "run" {
			m := makeRun.FindStringSubmatch(s.Makefile)
			if m == nil {
				return "", errors.New("the Makefile's run target no longer reads $(BIN) …")
			}
			replaced = "bin/pipeline " + m[1]
		}
	}
	return replaced, nil
}

func (s *Session) sql(ctx context.Context, b Block, want *Block) error {
	ledger, err := s.ledger()
	if err != nil {
		return fmt.Errorf("line %d: %w", b.Line, err)
	}
	query := "'" + strings.ReplaceAll(strings.TrimSpace(b.Text), "'", `'\''`) + "'"
	out, err := s.run(ctx, "pipeline sql --database '"+ledger+"' "+query)
	if err != nil {
		return fmt.Errorf("line %d: %w\n%s", b.Line, err, out.all)
	}
	if want == nil {
		return nil
	}
	if err := out.match(strings.Split(strings.TrimRight(want.Text, "\n"), "\n")); err != nil {
		return fmt.Errorf("line %d: %w", b.Line, err)
	}
	return nil
}

// ledger returns the newest database below the session's folder.
func (s *Session) ledger() (string, error) {
	newest, when := "", time.Time{}
	err := filepath.WalkDir(s.Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(p) != ".duckdb" {
			return err
		}
		info, err := d.Info()
		if err == nil && (newest == "" || info.ModTime().After(when)) {
			newest, when = p, info.ModTime()
		}
		return err
	})
	if err == nil && newest == "" {
		err = errors.New("no command above has made a ledger that this query could run on")
	}
	return newest, err
}

func (s *Session) yaml(ctx context.Context, b Block) error {
	if !regexp.MustCompile(`(?m)^pipeline:`).MatchString(b.Text) {
		return nil
	}
	name := b.File
	if name == "" {
		name = fmt.Sprintf("spec-line-%d.yaml", b.Line)
		if err := os.WriteFile(filepath.Join(s.Dir, name), []byte(b.Text), 0o644); err != nil {
			return fmt.Errorf("line %d: %w", b.Line, err)
		}
	}
	if out, err := s.run(ctx, "pipeline validate --spec-only '"+filepath.Join(s.Dir, name)+"'"); err != nil {
		return fmt.Errorf("line %d: this spec is not valid: %w\n%s", b.Line, err, out.all)
	}
	return nil
}

// output is the output of a command: on standard output, and on both streams as a terminal would show them.
type output struct{ stdout, all string }

// match accepts either view: a page may or may not show progress and logs.
func (o output) match(want []string) error {
	if Match(want, strings.Split(o.stdout, "\n")) == nil {
		return nil
	}
	return Match(want, strings.Split(o.all, "\n"))
}

// wrapper carries folder, variables and exit code from one command to the next,
// as an interactive shell would, in the file $DOCTEST_STATE.
const wrapper = `
doctest_keep() {
	doctest_code=$?
	{ export -p; printf 'cd %q\n(exit %d)\n' "$PWD" "$doctest_code"; } > "$DOCTEST_STATE"
	exit "$doctest_code"
}
trap doctest_keep EXIT
if [ -f "$DOCTEST_STATE" ]; then . "$DOCTEST_STATE"; fi
eval "$1"
`

// run types one command and returns what it printed.
func (s *Session) run(ctx context.Context, command string) (output, error) {
	ctx, cancel := context.WithTimeout(ctx, commandTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", wrapper, "bash", command)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(),
		"DOCTEST_STATE="+filepath.Join(s.Dir, ".doctest-state"),
		"PATH="+s.Bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"HOME="+s.Dir, "NO_COLOR=1", "TERM=dumb", "COLUMNS=100", "LC_ALL=C.UTF-8")
	var rec recorder
	cmd.Stdout, cmd.Stderr = recordStdout{&rec}, &rec
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("stopped after %v: %w", commandTime, ctx.Err())
	}
	clean := strings.NewReplacer(s.Dir+string(filepath.Separator), "", s.Dir, ".")
	return output{clean.Replace(rec.stdout.String()), clean.Replace(rec.all.String())}, err
}

// recorder keeps both streams of a command in the order of their arrival.
type recorder struct {
	mu          sync.Mutex
	stdout, all bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all.Write(p)
}

type recordStdout struct{ *recorder }

func (r recordStdout) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stdout.Write(p)
	return r.all.Write(p)
}
