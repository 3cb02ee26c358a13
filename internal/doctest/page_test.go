package doctest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Block is one fenced block of a page, or a setup comment.
type Block struct {
	Lang string // word behind the fence; "setup" for a setup comment
	Text string
	Line int // 1-based line of the fence or comment
	// Skip is the reason of a "not executed" comment; empty when the block runs.
	Skip string
	// File is where a "file" comment wants the text; empty for nowhere.
	File string
	// Follows reports whether only blank lines separate it from the block before.
	Follows bool
}

// runs reports whether the block is more than text: a command, a query, a spec, or a file.
func (b Block) runs() bool {
	return b.File != "" || b.Lang != "" && !slices.Contains(inert, b.Lang)
}

var directive = regexp.MustCompile(`^<!--\s*(not executed|file|setup):\s*(.*?)\s*-->$`)

// Parse returns the blocks of a Markdown page in order. It fails on a fence
// that is not closed and on a comment that no block follows or that gives no
// reason, name or command.
func Parse(page string) ([]Block, error) {
	var blocks []Block
	var open *Block
	fence, skip, file, pending := "", "", "", 0
	follows := false
	for i, line := range strings.Split(page, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case open != nil && isFence(trimmed, fence):
			blocks = append(blocks, *open)
			open, follows = nil, true
		case open != nil:
			open.Text += strings.TrimPrefix(line, indent(page, open.Line)) + "\n"
		case strings.HasPrefix(trimmed, "```"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
			lang, _, _ := strings.Cut(strings.TrimSpace(strings.TrimLeft(trimmed, "`")), " ")
			open = &Block{Lang: lang, Line: i + 1, Skip: skip, File: file, Follows: follows}
			skip, file, pending = "", "", 0
		case trimmed == "":
		default:
			follows = false
			if pending > 0 && !strings.HasPrefix(trimmed, "<!--") {
				return nil, fmt.Errorf("line %d: no block follows this comment", pending)
			}
			m := directive.FindStringSubmatch(trimmed)
			if m == nil {
				continue
			}
			if m[2] == "" {
				return nil, fmt.Errorf("line %d: %q gives nothing behind the colon", i+1, m[1])
			}
			switch m[1] {
			case "not executed":
				skip, pending = m[2], i+1
			case "file":
				file, pending = m[2], i+1
			case "setup":
				blocks = append(blocks, Block{Lang: "setup", Text: m[2] + "\n", Line: i + 1})
			}
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: this block is not closed", open.Line)
	}
	if pending > 0 {
		return nil, fmt.Errorf("line %d: no block follows this comment", pending)
	}
	return blocks, nil
}

// isFence reports whether a line closes a block that fence opened.
func isFence(line, fence string) bool {
	return strings.HasPrefix(line, fence) && strings.Trim(line, "`") == ""
}

// indent returns the white space before the fence of a line: blocks inside
// lists are indented as a whole.
func indent(page string, line int) string {
	text := strings.Split(page, "\n")[line-1]
	return text[:len(text)-len(strings.TrimLeft(text, " \t"))]
}

// Command is one line to type and the output below it.
type Command struct {
	Text string // continuation lines joined
	Line int    // 1-based line in the page
	// Want is the expected output; nil when none is shown.
	Want []string
}

// Commands splits a shell block. In a block with "$ " lines everything else is
// output; in one without, every line that is not a comment is a command.
func (b Block) Commands() []Command {
	lines := strings.Split(strings.TrimRight(b.Text, "\n"), "\n")
	prompts := strings.HasPrefix(b.Text, "$ ") || strings.Contains(b.Text, "\n$ ")
	var out []Command
	continued := false
	for i, line := range lines {
		text, prompt := strings.CutPrefix(line, "$ ")
		last := len(out) - 1
		switch {
		case continued:
			out[last].Text += "\n" + strings.TrimPrefix(line, "> ")
		case prompt || !prompts && strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "#"):
			out = append(out, Command{Text: text, Line: b.Line + 1 + i})
		case last >= 0 && prompts:
			out[last].Want = append(out[last].Want, line)
			continue
		}
		continued = len(out) > 0 && strings.HasSuffix(line, `\`)
	}
	return out
}
