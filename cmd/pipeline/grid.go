package main

import "glmbatch/internal/words"

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

// left has every column at the left, as intervals in words need it.
func left(int) bool { return false }

// gradesIn colours the verdicts that stand in a column.
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
	}
	if g.colour != nil {
		g.Paint = func(row, col int, text string) string { return s.paint(g.colour(row, col), text) }
	}
	_ = g.Write(s) // the screen is standard output
}
