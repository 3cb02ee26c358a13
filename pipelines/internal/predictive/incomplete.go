package predictive

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/report/record"
)

// The classes of missing cells are counted at all draws, or at those that are evenly spaced over them where these would
// be more than binnedDraws, or more than binnedValues values.
const (
	binnedDraws  = 10_000
	binnedValues = 200_000_000
)

// Incomplete is a column with missing cells that were drawn.
type Incomplete struct {
	// Params are the indices of the draws of its cells. A cell of several levels has one number each, 1 of its own
	// level and 0 of the others, in their order.
	Params  []int
	Levels  []string   // names of its states 0, 1, …; nil of numbers
	Numbers glm.Family // whose responses its numbers are like
	Seen    []float64  // the observed cells; of levels their states
}

// CellBins compares the missing cells of columns with the observed ones: by level, or in classes. At a draw the
// missing cells of a column are as many values as it misses. Cost: a pass over the draws of the cells.
func (f *Fit) CellBins(columns []Incomplete) ([][]record.CellBin, error) {
	every := f.binnedEvery(columns)
	tallies, of := make([]cellTally, len(columns)), make(map[int]cellPlace)
	for k := range columns {
		tallies[k] = newCellTally(&columns[k], (f.Size()+every-1)/every)
		for i, p := range columns[k].Params {
			of[p] = cellPlace{&tallies[k], i % max(1, len(columns[k].Levels))}
		}
	}
	for block, err := range f.Open() {
		if err != nil {
			return nil, err
		}
		for p := range block.Params {
			at, wanted := of[block.First+p]
			if !wanted {
				continue
			}
			draws := block.Values[p*f.Size() : (p+1)*f.Size()]
			for s := 0; s < len(draws); s += every {
				at.add(draws[s], at.level, s/every)
			}
		}
	}
	out := make([][]record.CellBin, len(columns))
	for k := range columns {
		out[k] = tallies[k].bins()
	}
	return out, nil
}

// binnedEvery is the distance of the draws that are counted.
func (f *Fit) binnedEvery(columns []Incomplete) int {
	cells := 0
	for _, c := range columns {
		cells += len(c.Params)
	}
	most := max(1, min(binnedDraws, binnedValues/max(1, cells)))
	return (f.Size() + most - 1) / most
}

// cellPlace is the tally of a number of a position, and the level that it is of where a cell has one for each.
type cellPlace struct {
	*cellTally
	level int
}

// A cellTally counts the missing cells of a column by class at each draw. Numbers have the classes of observed
// ones, half as many more on either side, and one for the values beyond.
type cellTally struct {
	of       *Incomplete
	in       classes
	beside   int // classes on either side of those of in
	observed []int
	counts   [][]float64 // by class and draw
}

func newCellTally(of *Incomplete, draws int) cellTally {
	t := cellTally{of: of}
	classes := len(of.Levels)
	if of.Levels == nil {
		t.in = classesOf(of.Numbers, of.Seen)
		t.beside = (t.in.n + 1) / 2
		classes = t.in.n + 2*t.beside + 2
	}
	t.observed, t.counts = make([]int, classes), make([][]float64, classes)
	for k := range t.counts {
		t.counts[k] = make([]float64, draws)
	}
	for _, v := range of.Seen {
		t.observed[t.class(v)]++
	}
	return t
}

// class is that of a value, or of a state.
func (t *cellTally) class(v float64) int {
	if t.of.Levels != nil {
		return int(v)
	}
	last := len(t.counts) - 1
	switch k := t.in.of(v); k {
	case 0:
		return int(math.Max(0, float64(t.beside+1)-math.Ceil((t.in.low-v)/t.in.width)))
	case t.in.n + 1:
		end := t.in.low + float64(t.in.width*float64(t.in.n))
		return int(math.Min(float64(last), float64(t.beside+k)+math.Max(0, math.Floor((v-end)/t.in.width))))
	default:
		return t.beside + k
	}
}

// add counts a number of a cell at a draw.
func (t *cellTally) add(v float64, level, draw int) {
	if len(t.of.Levels) > 2 {
		t.counts[level][draw] += v
		return
	}
	t.counts[t.class(v)][draw]++
}

// bins sums the counts up. Classes beyond the values that are there are left out from where on no draw has any.
func (t *cellTally) bins() (out []record.CellBin) {
	all := make([]Summary, len(t.counts))
	most := make([]float64, len(t.counts))
	for k, counts := range t.counts {
		all[k] = Summarize(counts) // in increasing order from here on
		most[k] = counts[len(counts)-1]
	}
	first, last := 0, len(t.counts)-1
	for t.of.Levels == nil && first <= t.beside && most[first] == 0 {
		first++
	}
	for t.of.Levels == nil && last > t.beside+t.in.n && most[last] == 0 {
		last--
	}
	for k := first; k <= last; k++ {
		b := record.CellBin{Low: math.NaN(), High: math.NaN(), Observed: t.observed[k]}
		if t.of.Levels != nil {
			b.Level = t.of.Levels[k]
		}
		if t.of.Levels == nil && k > 0 {
			b.Low = t.in.low + float64(t.in.width*float64(k-1-t.beside))
		}
		if t.of.Levels == nil && k < len(t.counts)-1 {
			b.High = t.in.low + float64(t.in.width*float64(k-t.beside))
		}
		s := all[k]
		b.Mean, b.Q025, b.Q25, b.Median, b.Q75, b.Q975 = s.Mean, s.Q025, s.Q25, s.Median, s.Q75, s.Q975
		out = append(out, b)
	}
	return out
}
