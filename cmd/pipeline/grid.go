package main

import (
	"slices"

	"glmbatch/internal/words"
)

// grid is a table on a screen.
type grid struct {
	words.Table
	// flow says that the last column holds words, which are broken over as many
	// lines as the screen asks for.
	flow bool
	// colour, if not nil, is that of a cell.
	colour func(row, col int) string
}

// head begins a grid.
func head(cells ...string) *grid { return &grid{Table: words.Table{Rows: [][]string{cells}}} }

// left aligns every column to the left, for intervals as text.
func left(int) bool { return false }

// gradesIn colours the verdicts of a column.
func (g *grid) gradesIn(column int) func(row, col int) string {
	return func(row, col int) string {
		if col != column || row == 0 || len(g.Rows[row]) <= column {
			return ""
		}
		return gradeColour(g.Rows[row][column])
	}
}

// print writes the table.
func (g *grid) print(s *screen) {
	if g.flow {
		g.Flow = s.width
	} else {
		g.fold(s.width)
	}
	if g.colour != nil {
		g.Paint = func(row, col int, text string) string { return s.paint(g.colour(row, col), text) }
	}
	_ = g.Write(s) // the screen is standard output
}

// fold has a table that is too wide printed in blocks of columns, whose first column
// takes at most half of the width and leaves room for the widest other one.
func (g *grid) fold(width int) {
	g.Fold = width
	widths := g.Widths()
	if g.Total() <= width || len(widths) < 2 {
		return
	}
	g.atMost(0, min(width/2, width-2-slices.Max(widths[1:])), width)
}

// dropEmpty leaves out columns, but the first and the last, that have a head and nothing else.
func (g *grid) dropEmpty() {
	for c := len(g.Rows[0]) - 2; c > 0; c-- {
		if !slices.ContainsFunc(g.Rows[1:], func(row []string) bool { return len(row) > c && row[c] != "" }) {
			for i, row := range g.Rows {
				if len(row) > c {
					g.Rows[i] = slices.Delete(row, c, c+1)
				}
			}
		}
	}
}

// shorten narrows the column of names so that the table fits: longer names get a line of their own. Words that flow
// need no room.
func (g *grid) shorten(column, width int) {
	if g.flow {
		g.Flow = width
	}
	if g.Narrow(column, width); g.NameWidth > 0 {
		g.atMost(column, g.NameWidth, width)
	}
}

// atMost leaves names of a column so much room, and cuts those in their middle that are longer than a line.
func (g *grid) atMost(column, room, width int) {
	g.Names, g.NameWidth = column, max(room, words.MinMemory)
	for _, w := range g.Widths()[:column] {
		width -= w + 2
	}
	for _, row := range g.Rows[1:] {
		if len(row) > column {
			row[column] = middle(row[column], width)
		}
	}
}
