package impute

import (
	"math"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/internal/vec"
)

// moveCounts moves the coefficients of the regression with the missing cells of a column of counts summed out, then
// draws these, for each column of counts whose cells follow. The counts of a window are summed, which the column's
// model and the rest of the row decide; a cell outside its window stays.
func (k *kernel) moveCounts() {
	main := k.readers[k.main]
	for _, c := range k.sums {
		if !c.follows || !k.problem.Columns[c.column].whole() || main.moved[c.column] == nil {
			continue
		}
		w := k.newWindows(c)
		w.move()
		w.draw()
		k.rewriteAll()
		k.refresh()
	}
}

// windows are the regression with the counts of a column summed out.
type windows struct {
	*summedChain
	counted *summedChain
	low     []int // of each missing cell the first count of its window
}

// newWindows lays them out. Cost: some 100 ns for each count of a window.
func (k *kernel) newWindows(counted *summedChain) *windows {
	main := k.sums[len(k.sums)-1]
	w := &windows{counted: counted}
	c := &summedChain{summedModel: &summedModel{column: -1, readers: main.readers, linear: -1,
		summedCases: summedCases{first: make([]int32, k.problem.Rows+1)}, firstFit: main.firstFit}, k: k,
		reader: main.reader, d: main.d, sets: 1,
		summedRows: summedRows{place: main.place}, summedWork: summedWork{disp: slices.Clone(main.reader.disp)}}
	c.start = c.first
	w.summedChain = c
	cells := k.cells[counted.column]
	w.low = make([]int, len(cells))
	next := 0
	for row := range c.place {
		points := 1
		if next < len(cells) && k.rows[cells[next]] == row {
			w.low[next], points = k.window(counted, int(cells[next]))
			next++
		}
		c.first[row+1] = c.first[row] + int32(points)
	}
	n := int(c.first[k.problem.Rows])
	c.x, c.others, c.value = design.NewDense(n, c.d), make([]float64, n), make([]float64, n)
	at := make([]int, n)
	for row, j := range c.place {
		for p := c.first[row]; p < c.first[row+1] && j >= 0; p++ {
			at[p] = j
			for m := range c.d {
				c.x.Values[m*n+int(p)] = c.reader.x.Values[m*c.reader.x.Rows+j]
			}
		}
	}
	c.part = c.reader.chain.Target().RowsOf(at)
	for i, q := range cells {
		w.fillWindow(int(q), w.low[i])
	}
	c.here.theta = c.coefficients(nil)
	c.readOffset(true)
	return w
}

// windowSpread is how many standard deviations of its model a window is wide on either side of the mean.
const windowSpread = 7

// window returns the counts that are summed of the cell in row q: the first one and how many; of a cell outside them
// its own count.
func (k *kernel) window(counted *summedChain, q int) (low, points int) {
	y := k.system
	state := int(math.Round(k.z[q*y.width+y.first+counted.column] + y.centre[counted.column]))
	mean := vec.Exp(min(counted.reader.linearAt(q), maxWindow))
	variance := counted.reader.cell.Variance(mean, counted.reader.dispersions())
	wide := math.FMA(windowSpread, math.Sqrt(variance), windowSpread)
	from, to := math.Floor(max(mean-wide, 0)), math.Ceil(mean+wide)
	if to-from > maxCounts || float64(state) < from || float64(state) > to {
		return state, 1
	}
	return int(from), int(to-from) + 1
}

// maxWindow bounds the logarithm of a mean whose window is asked for, and maxCounts the counts of a window.
const maxWindow, maxCounts = 20, 200

// fillWindow writes the entries of the counts of the cell in row q, and what all models but the regression say of them.
func (w *windows) fillWindow(q, low int) {
	c, k := w.summedChain, w.k
	column, row := w.counted.column, w.k.rows[q]
	first, points, n := int(c.first[row]), int(c.first[row+1]-c.first[row]), c.x.Rows
	if points == 1 {
		return
	}
	k.statesOf(q)
	here := math.Round(k.states[column])
	along, own := k.along(q, column), w.counted.reader
	for p := range points {
		count := float64(low + p)
		delta := count - here
		sum := own.density(q, count) + along.at(delta)
		sum += k.likelihoodsBut(k.readers[k.main], q, column, delta)
		c.others[first+p] = sum
		if c.place[row] < 0 {
			continue
		}
		old := k.states[column]
		k.states[column] = count
		c.reader.encode(k.setup, q, column, k.states, c.reader.entries)
		k.states[column] = old
		for m, j := range c.reader.moved[column] {
			c.x.Values[j*n+first+p] = c.reader.entries[m]
		}
	}
	own.density(q, here)
}

// draw draws the cells given the coefficients.
func (w *windows) draw() {
	k, y := w.k, w.k.system
	w.densities(&w.here)
	for i, q := range k.cells[w.counted.column] {
		row := k.rows[q]
		first, last := w.first[row], w.first[row+1]
		if last == first+1 {
			continue
		}
		chances := slices.Clone(w.others[first:last])
		for p, v := range w.here.value[first:last] {
			chances[p] += v
		}
		z := k.z[int(q)*y.width : int(q+1)*y.width]
		z[y.first+w.counted.column] = float64(w.low[i]+pick(k.Stream, chances)) - y.centre[w.counted.column]
	}
}
