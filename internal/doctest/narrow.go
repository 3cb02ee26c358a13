package doctest

import "strings"

// Width is the number of columns that a line of a page may have, TextWidth the
// one that Narrow gives to text.
const (
	Width     = 200
	TextWidth = 120
)

// Narrow returns a generated page whose tables keep within Width: a row that is
// too wide ends with the last sentence of its last cell that fits, and what is
// left follows the table as an item of a list under the name in the first cell.
func Narrow(page string) string {
	var out, notes []string
	for _, line := range strings.Split(page, "\n") {
		if !strings.HasPrefix(line, "| ") && len(notes) > 0 {
			out = append(append(out, ""), notes...)
			notes = nil
		}
		if strings.HasPrefix(line, "| ") && columns(line) > Width {
			row, note := narrowRow(strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), " | "))
			line, notes = row, append(notes, note)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// narrowRow returns a row of the cells within Width, and the item of what it
// leaves out.
func narrowRow(cells []string) (row, note string) {
	const below = "see below"
	write := func() string { return "| " + strings.Join(cells, " | ") + " |" }
	last := len(cells) - 1
	text, rest := cells[last], ""
	for at := len(text); at >= 0 && columns(write()) > Width; {
		if at = strings.LastIndex(text[:at], ". "); at >= 0 {
			cells[last], rest = text[:at+1], text[at+2:]
		} else {
			cells[last], rest = below, text
		}
	}
	for i := last - 1; i > 0 && columns(write()) > Width; i-- {
		if cells[i] == "" {
			continue
		}
		rest = cells[i] + ". " + rest
		cells[i] = below
	}
	name := strings.Trim(cells[0], "*")
	return write(), wrap("- " + name + ": " + rest)
}

// wrap breaks an item of a list into lines of TextWidth.
func wrap(item string) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(item) {
		switch {
		case line == "":
			line = word
		case columns(line)+1+columns(word) > TextWidth:
			lines, line = append(lines, line), "  "+word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n")
}

// columns is the width of a line.
func columns(line string) int { return len([]rune(line)) }
