package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// grid is a table for people: the first row is its head, and a row of one cell is a
// heading over those below it, so that long names cost no width. Columns that hold
// words are aligned to the left, numbers to the right.
type grid struct {
	rows [][]string
	// left aligns every column to the left, as intervals in words need it.
	left bool
	// flow says that the last column holds words, which are broken over as many
	// lines as the screen asks for.
	flow bool
	// colour, if not nil, is that of a cell.
	colour func(row, col int) string
}

// gradesIn colours the verdicts that stand in a column.
func (g *grid) gradesIn(column int) func(row, col int) string {
	return func(row, col int) string {
		if col != column || row == 0 || len(g.rows[row]) <= column {
			return ""
		}
		return gradeColour(g.rows[row][column])
	}
}

// flowLeast is the width that a flowing column has at least.
const flowLeast = 24

// add puts a row into the table.
func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// under puts a row below a heading, which is that of the rows before it or new.
func (g *grid) under(heading string, cells ...string) {
	last := ""
	for _, row := range g.rows {
		if len(row) == 1 {
			last = row[0]
		}
	}
	if last != heading || len(g.rows) == 1 {
		g.add(heading)
	}
	cells[0] = "  " + cells[0]
	g.add(cells...)
}

// print writes the table.
func (g *grid) print(s *screen) {
	if len(g.rows) == 0 {
		return
	}
	widths, left := g.measure()
	last := len(widths) - 1
	before := 0
	for _, w := range widths[:last] {
		before += w + 2
	}
	room := max(flowLeast, s.width-before)
	if !g.flow {
		room = widths[last]
	}
	for i, row := range g.rows {
		if len(row) == 1 && len(widths) > 1 {
			fmt.Fprintln(s, row[0])
			continue
		}
		parts := []string{row[last]}
		if g.flow {
			parts = flowing(row[last], room)
		}
		for k, part := range parts {
			var b strings.Builder
			for c := range widths {
				cell := part
				if c < last {
					cell = row[c]
					if k > 0 {
						cell = ""
					}
				}
				g.cell(&b, s, i, c, cell, widths[c], left[c])
			}
			fmt.Fprintln(s, strings.TrimRight(b.String(), " "))
		}
	}
}

// flowing breaks a cell of words, of which line breaks stay.
func flowing(cell string, room int) (parts []string) {
	for line := range strings.SplitSeq(cell, "\n") {
		parts = append(parts, breakWords(line, room, room)...)
	}
	return parts
}

// measure returns how wide columns are, and which are aligned to the left.
func (g *grid) measure() (widths []int, left []bool) {
	widths, left = make([]int, len(g.rows[0])), make([]bool, len(g.rows[0]))
	for i, row := range g.rows {
		if len(row) == 1 && len(widths) > 1 {
			continue
		}
		for c, cell := range row {
			widths[c] = max(widths[c], utf8.RuneCountInString(cell))
			left[c] = left[c] || g.left || i > 0 && cell != "" && !looksNumeric(cell)
		}
	}
	return widths, left
}

// cell writes one cell with its padding, which stands outside of its colour. What
// follows the last column's words is cut off, colour or not.
func (g *grid) cell(b *strings.Builder, s *screen, row, col int, text string, width int, left bool) {
	pad := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
	if g.colour != nil {
		text = s.paint(g.colour(row, col), text)
	}
	if col > 0 {
		b.WriteString("  ")
	}
	if left {
		b.WriteString(text + pad)
	} else {
		b.WriteString(pad + text)
	}
}

func looksNumeric(s string) bool {
	if s == "—" {
		return true
	}
	_, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return err == nil
}
