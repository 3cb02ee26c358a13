package impute

import "slices"

// summed lays out the data for moves that sum cells of columns of two states and of several out: a row has a
// combination for each set of states that its missing cells among these columns may have.
//
// Where most cells of a column are missing, coefficients that are drawn given the cells hardly move, and cells that are
// drawn given the coefficients neither. Coefficients that move with the cells summed out move as far as what is seen
// lets them; then the cells are drawn.
type summed struct {
	columns []int   // in the order of their models
	states  []int   // how many each has
	lacks   []uint8 // of each row of the data: which of columns it misses
	// by the missing columns of a row: combinations, each a state of every column, −1 for an observed one
	combos [][][]int
	first  []int32 // of each row its first combination, and how many there are
	models []*summedModel
}

// summedModel says how the combinations bear on one model.
type summedModel struct {
	column  int   // that it explains, or −1
	readers []int // of the model, one for each linear predictor; none of a gaussian model of a column
	follows bool  // cells of its column keep their quantiles where its coefficients move
	linear  int   // place among the gaussian models of columns, or −1
	own     int   // place of its column among the summed ones, or −1
	reads   uint8 // summed columns that its linear predictors read
	of      []int // row of its data for each row, or −1; nil: the same
	summedCases
	firstFit
}

// summedCases are the combinations of states of cells, at which the rows of a model have densities.
type summedCases struct {
	points   [][][]int // by what a row lacks: combinations of the columns that are read
	outcomes []int     // by what a row lacks: how many states of the model's own column
	cases    [][]int   // by what a row lacks: the case of each combination, point·outcomes + state
	first    []int32   // of each row its first point, and how many there are
	start    []int32   // of each row its first case, and how many there are
}

// Cells of a column move with the coefficients where at least a share of minTogether is missing; they are summed out
// as long as a row has at most maxCombinations and the data maxSummed.
const minTogether, maxCombinations, maxSummed = 0.2, 64, 1 << 18

// together reports whether cells of column k move with the coefficients: a fact of the data. Measured cells do
// not.
func (s *setup) together(k int) bool {
	c := &s.problem.Columns[k]
	return c.Noise == nil && float64(len(c.Missing)) >= minTogether*float64(s.problem.Rows)
}

// togetherNames lists the columns whose cells move with the coefficients.
func (s *setup) togetherNames() (out []string) {
	for k := range s.problem.Columns {
		own := func(m *summedModel) bool { return m.column == k && (m.own >= 0 || m.follows) }
		if s.summed != nil && slices.ContainsFunc(s.summed.models, own) {
			out = append(out, s.problem.Columns[k].Name)
		}
	}
	return out
}

// findSummed lays the data out; nil if no column pays.
func (s *setup) findSummed() *summed {
	t := s.layColumns(true)
	if t.first[s.problem.Rows] > maxSummed {
		t = s.layColumns(false)
	}
	t.findModels(s)
	if len(t.models) == 0 {
		return nil
	}
	return t
}

// layColumns finds the columns that are summed out, or takes none, and lays the combinations out.
func (s *setup) layColumns(some bool) *summed {
	p := s.problem
	t := &summed{lacks: make([]uint8, p.Rows)}
	product := 1
	for k := range p.Columns {
		c := &p.Columns[k]
		states := len(c.Levels)
		if c.binary() {
			states = 2
		}
		if !some || states == 0 || !s.together(k) || product*states > maxCombinations {
			continue
		}
		for _, i := range c.Missing {
			t.lacks[i] |= 1 << len(t.columns)
		}
		product *= states
		t.columns, t.states = append(t.columns, k), append(t.states, states)
	}
	t.combine()
	return t
}

// combine lists the combinations, in which the state of the first column changes slowest.
func (t *summed) combine() {
	t.combos = make([][][]int, 1<<len(t.columns))
	for mask := range t.combos {
		t.combos[mask] = combinations(t.states, uint8(mask))
	}
	t.first = starts(t.lacks, func(mask uint8) int { return len(t.combos[mask]) })
}

// starts returns where each row begins, of rows as long as what they lack says.
func starts(lacks []uint8, length func(mask uint8) int) []int32 {
	out := make([]int32, len(lacks)+1)
	for i, mask := range lacks {
		out[i+1] = out[i] + int32(length(mask))
	}
	return out
}

// combinations lists those of the columns in mask.
func combinations(states []int, mask uint8) [][]int {
	out := [][]int{nil}
	for c, n := range states {
		var next [][]int
		for _, head := range out {
			if mask>>c&1 == 0 {
				next = append(next, append(head[:c:c], -1))
				continue
			}
			for state := range n {
				next = append(next, append(head[:c:c], state))
			}
		}
		out = next
	}
	return out
}

// findModels lists the models that read summed columns or explain one.
func (t *summed) findModels(s *setup) {
	follow := false
	for _, m := range s.modelsOf() {
		m.own = -1
		for j, c := range t.columns {
			if s.readsColumn(m, c) {
				m.reads |= 1 << j
			}
			if m.column == c {
				m.own = j
			}
		}
		if m.column >= 0 {
			column := &s.problem.Columns[m.column]
			m.follows = s.together(m.column) && !column.binary() && column.Levels == nil
		}
		follow = follow || m.follows
		if m.reads != 0 || m.own >= 0 || m.follows || m.column < 0 && follow {
			m.lay(t)
			t.models = append(t.models, m)
		}
	}
}

// modelsOf lists all models, the regression's last.
func (s *setup) modelsOf() (out []*summedModel) {
	linear := 0
	for k := range s.problem.Columns {
		m := &summedModel{column: k, readers: s.models[k], linear: -1}
		if s.problem.Columns[k].linear() {
			m.linear = linear
			linear++
		}
		out = append(out, m)
	}
	main := &summedModel{column: -1, readers: []int{s.main}, linear: -1}
	if s.problem.Of != nil {
		main.of = make([]int, s.problem.Rows)
		for i := range main.of {
			main.of[i] = -1
		}
		for j, i := range s.problem.Of {
			main.of[i] = j
		}
	}
	return append(out, main)
}

// readsColumn reports whether a model's linear predictors read a column.
func (s *setup) readsColumn(m *summedModel, column int) bool {
	if m.linear >= 0 {
		return s.problem.Columns[m.column].Coder.Moved(column) != nil
	}
	return s.readers[m.readers[0]].moved[column] != nil
}

// lay finds points and cases.
func (m *summedModel) lay(t *summed) {
	for mask := range t.combos {
		points := combinations(t.states, uint8(mask)&m.reads)
		outcomes := 1
		if m.own >= 0 && mask>>m.own&1 == 1 {
			outcomes = t.states[m.own]
		}
		cases := make([]int, len(t.combos[mask]))
		for i, combo := range t.combos[mask] {
			point := 0
			for j, state := range combo {
				if state >= 0 && m.reads>>j&1 == 1 {
					point = point*t.states[j] + state
				}
			}
			cases[i] = point * outcomes
			if outcomes > 1 {
				cases[i] += combo[m.own]
			}
		}
		m.points, m.outcomes, m.cases = append(m.points, points), append(m.outcomes, outcomes), append(m.cases, cases)
	}
	m.first = starts(t.lacks, func(mask uint8) int { return len(m.points[mask]) })
	m.start = starts(t.lacks, func(mask uint8) int { return len(m.points[mask]) * m.outcomes[mask] })
}
