package words

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Table is a table for people: the first row is its head, and a row of one cell is a
// heading over those below it, so that long names cost no width.
type Table struct {
	Rows [][]string
	// Right reports whether the cells of a column are aligned right. Nil means:
	// if they hold no words.
	Right func(col int) bool
	// Rule draws a line under the head.
	Rule bool
	// Indent precedes each row.
	Indent string
	// Flow breaks the words of the last column over as many lines as a line of this
	// width asks for: in their row, or below it if less than half of the width
	// is left for them and they are longer. Zero means that they are on one line.
	Flow int
	// Below puts words that flow below their rows if one line in the row is too short.
	Below bool
	// Room is the most columns of names in the column Names: a longer name is whole on a line of its own, the
	// rest of its row below it. Zero means that the column is as wide as its widest name.
	Names, NameWidth int
	// Fold writes a table that is wider than this in blocks of columns, one below the
	// other, each with the first column in front. Zero means never.
	Fold int
	// Paint, if not nil, puts colours around the text of a cell.
	Paint func(row, col int, text string) string
}

// belowIndent is where words below their row begin.
const belowIndent = "    "

// Add puts a row into the table.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Under puts a row below a heading, which is that of the rows before it or new.
func (t *Table) Under(heading string, cells ...string) {
	last := ""
	for _, row := range t.Rows {
		if len(row) == 1 {
			last = row[0]
		}
	}
	if last != heading || len(t.Rows) == 1 {
		t.Add(heading)
	}
	cells[0] = "  " + cells[0]
	t.Add(cells...)
}

// Write writes the table, a line at a time; nothing if it has no rows.
func (t *Table) Write(w io.Writer) error {
	if len(t.Rows) == 0 {
		return nil
	}
	widths, right := t.measure()
	if blocks := t.blocks(widths); len(blocks) > 1 {
		return t.writeBlocks(w, blocks, right)
	}
	lines := t.lines
	enough := t.Flow / 2
	if t.Below {
		enough = t.Flow
	}
	if t.Flow > 0 && t.nameWidth(widths) < min(enough, widths[len(widths)-1]) {
		lines = t.linesBelow
	}
	for i, row := range t.Rows {
		above, row := t.hang(i, row, widths, right)
		for _, line := range append(above, lines(i, row, widths, right)...) {
			if _, err := fmt.Fprintln(w, strings.TrimRight(t.Indent+line, " ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// hang takes a name that is too long out of a row: above are the lines for the cells up to the name, and the row has
// the cells behind it.
func (t *Table) hang(i int, row []string, widths []int, right []bool) (above, rest []string) {
	if t.NameWidth == 0 || t.heading(row) || utf8.RuneCountInString(row[t.Names]) <= widths[t.Names] {
		return nil, row
	}
	var b strings.Builder
	for c := range t.Names + 1 {
		t.cell(&b, i, c, row[c], widths[c], right[c])
	}
	rest = slices.Clone(row)
	clear(rest[:t.Names+1])
	return []string{b.String()}, rest
}

// lines are those of a row: more than one if its last cell flows, or if a
// rule is under it.
func (t *Table) lines(i int, row []string, widths []int, right []bool) (lines []string) {
	last := len(widths) - 1
	if t.heading(row) {
		return []string{row[0]}
	}
	parts := []string{row[last]}
	if t.Flow > 0 {
		parts = flowing(row[last], t.nameWidth(widths))
	}
	cells := append([]string{}, row...)
	for k, part := range parts {
		if k > 0 {
			clear(cells)
		}
		cells[last] = part
		var b strings.Builder
		for c := range cells {
			t.cell(&b, i, c, cells[c], widths[c], right[c])
		}
		lines = append(lines, b.String())
	}
	if t.Rule && i == 0 {
		for c := range cells {
			cells[c] = strings.Repeat("─", widths[c])
		}
		lines = append(lines, strings.Join(cells, "  "))
	}
	return lines
}

// blocks are the columns of each block of a folded table; nil if it is not folded.
func (t *Table) blocks(widths []int) (blocks [][]int) {
	if t.Fold == 0 {
		return nil
	}
	var block []int
	room := 0
	for c := 1; c < len(widths); c++ {
		if room -= widths[c] + 2; block == nil || room < 0 && len(block) > 1 {
			blocks = append(blocks, nil)
			block, room = []int{0}, t.Fold-len(t.Indent)-widths[0]-widths[c]-2
		}
		block = append(block, c)
		blocks[len(blocks)-1] = block
	}
	return blocks
}

// writeBlocks writes each block as a table, with a blank line between them.
func (t *Table) writeBlocks(w io.Writer, blocks [][]int, right []bool) error {
	for k, block := range blocks {
		part := *t
		part.Rows, part.Fold = nil, 0
		if part.Names = slices.Index(block, t.Names); part.Names < 0 {
			part.NameWidth = 0
		}
		part.Right = func(col int) bool { return right[block[col]] }
		if t.Paint != nil {
			part.Paint = func(row, col int, text string) string { return t.Paint(row, block[col], text) }
		}
		for _, row := range t.Rows {
			if t.heading(row) {
				part.Add(row[0])
				continue
			}
			var cells []string
			for _, c := range block {
				cells = append(cells, row[c])
			}
			part.Add(cells...)
		}
		if k > 0 {
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		if err := part.Write(w); err != nil {
			return err
		}
	}
	return nil
}

// MinMemory is the least width of a column of names.
const MinMemory = 8

// Total is the width of the table, without words that flow.
func (t *Table) Total() int {
	widths := t.Widths()
	if t.Flow > 0 {
		widths = widths[:len(widths)-1]
	}
	total := utf8.RuneCountInString(t.Indent) - 2
	for _, w := range widths {
		total += w + 2
	}
	return total
}

// Narrow leaves a column of names so much room that the table has a width, if it has more.
func (t *Table) Narrow(column, width int) {
	if over := t.Total() - width; over > 0 {
		t.Names, t.NameWidth = column, max(MinMemory, t.Widths()[column]-over)
	}
}

// nameWidth is the width that the other columns leave of Flow for the last one.
func (t *Table) nameWidth(widths []int) int {
	room := t.Flow
	for _, w := range widths[:len(widths)-1] {
		room -= w + 2
	}
	return room
}

// linesBelow are those of a row whose last cell is below it, on lines of its own. The
// head of the last column is left out.
func (t *Table) linesBelow(i int, row []string, widths []int, right []bool) (lines []string) {
	if t.heading(row) {
		return []string{row[0]}
	}
	last := len(widths) - 1
	var b strings.Builder
	for c := range row[:last] {
		t.cell(&b, i, c, row[c], widths[c], right[c])
	}
	lines = append(lines, b.String())
	if i > 0 && row[last] != "" {
		for _, part := range flowing(row[last], t.Flow-len(belowIndent)) {
			lines = append(lines, belowIndent+part)
		}
	}
	return lines
}

// heading reports whether a row is a heading of those below it.
func (t *Table) heading(row []string) bool { return len(row) == 1 && len(t.Rows[0]) > 1 }

// flowing breaks a cell of words, of which line breaks stay.
func flowing(cell string, room int) (parts []string) {
	for line := range strings.SplitSeq(cell, "\n") {
		parts = append(parts, Break(line, room, room)...)
	}
	return parts
}

// Widths returns how wide the columns are.
func (t *Table) Widths() []int {
	widths, _ := t.measure()
	return widths
}

// measure returns how wide columns are, and which are aligned right.
func (t *Table) measure() (widths []int, right []bool) {
	widths, right = make([]int, len(t.Rows[0])), make([]bool, len(t.Rows[0]))
	for c := range right {
		right[c] = t.Right == nil || t.Right(c)
	}
	for i, row := range t.Rows {
		if t.heading(row) {
			continue
		}
		for c, cell := range row {
			if n := utf8.RuneCountInString(cell); t.NameWidth == 0 || c != t.Names || n <= t.NameWidth || i == 0 {
				widths[c] = max(widths[c], n)
			}
			if t.Right == nil && i > 0 && cell != "" && !numeric(cell) {
				right[c] = false
			}
		}
	}
	return widths, right
}

// cell writes one cell with its padding, which is outside of its colour. Blanks
// after the last column's words are cut off.
func (t *Table) cell(b *strings.Builder, row, col int, text string, width int, right bool) {
	pad := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if t.Paint != nil {
		text = t.Paint(row, col, text)
	}
	if col > 0 {
		b.WriteString("  ")
	}
	if right {
		b.WriteString(pad + text)
	} else {
		b.WriteString(text + pad)
	}
}

// numeric reports whether a cell reads as a number.
func numeric(s string) bool {
	if s == "—" {
		return true
	}
	_, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return err == nil
}

// Break breaks a line at its spaces into parts of at most first and then
// width columns; a longer word has a line of its own. Spaces at the front stay.
func Break(line string, first, width int) (parts []string) {
	if utf8.RuneCountInString(line) <= first {
		return []string{line}
	}
	front := line[:len(line)-len(strings.TrimLeft(line, " "))]
	current := front
	for i, word := range strings.Fields(line) {
		switch {
		case i == 0:
			current += word
		case utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) > first:
			parts = append(parts, current)
			current, first = word, width
		default:
			current += " " + word
		}
	}
	return append(parts, current)
}
