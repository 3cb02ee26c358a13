package impute

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/update"
	"glmbatch/internal/state"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// kernel is one chain.
type kernel struct {
	*setup
	update.Stepper
	readers   []*reader
	choices   []*choice // models of columns of several levels
	fits      []fitted  // of the system's models
	slice     *cggibbs.Slicer
	z         []float64      // of each row with missing cells, width numbers
	unseenX   []float64      // entries of rows without a response, by column
	predicted []float64      // missing responses
	sums      []*summedChain // models whose coefficients move together with cells
	cellWork
}

// cellWork is the memory of moves of cells, which leave nothing in it to each other.
type cellWork struct {
	q, h, scratch, combined []float64
	laws                    []cellDensity
	batch                   batch
	cursor                  []int
	states, zeros           []float64
	easy                    []bool
}

// Kernel returns one chain: coefficients of the regression start around the penalised point of the completed data, in
// the last of several chains at a draw from their priors; each missing cell at the value of a random row; models of
// gaussian columns at a draw given these, of others around their penalised points. Where cells move together with
// coefficients, see startTogether.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, fmt.Errorf("impute: chain %d has no random stream", c.Index)
	}
	k, err := s.bare(c)
	if err != nil {
		return nil, err
	}
	k.startCells(func(column, _ int) float64 {
		donors := k.donors[column]
		return donors[variate.Index(k.Stream, len(donors))]
	})
	k.rewriteAll()
	k.refresh()
	k.drawModels()
	k.startTogether()
	k.predict()
	return k, nil
}

// bare returns a chain whose cells are to start.
func (s *setup) bare(c infer.Chain) (*kernel, error) {
	k := &kernel{setup: s}
	k.Stream, k.slice = c.Stream, cggibbs.NewSlicer(c.Stream, &k.Looks)
	k.Saver = state.NewSaver("impute", stateVersion, k.list)
	k.slice.Stepping = true
	for i, r := range s.readers {
		at := c
		if i != s.main { // no draw from a prior: cells would follow it, to counts of e^70, which then hold it there
			at.Count = 1
		}
		own, err := newChainReader(r, at)
		if err != nil {
			return nil, err
		}
		k.readers = append(k.readers, own)
	}
	k.Updates, k.Words = k.schedule(), k.readers[s.main].chain.Start()+", missing cells from random rows"
	if err := k.findLatent(); err != nil {
		return nil, err
	}
	for _, r := range k.readers {
		r.point.HasCells(r.all, r.own >= 0 && len(k.cells[r.own]) > 0)
	}
	k.reserve()
	for i, m := range s.system.models {
		k.fits[i].logSigma = vec.Log(max(spread(s.donors[m.column]), 1e-300))
	}
	return k, nil
}

// refresh recomputes all that depends on coefficients of readers and on cells.
func (k *kernel) refresh() {
	for _, r := range k.readers {
		r.point.PutBack()
		r.revalue()
		r.arrive()
	}
}

// spread is the standard deviation of numbers.
func spread(v []float64) float64 {
	_, second := vec.Deviations(v, vec.Sum(v)/float64(len(v)))
	return math.Sqrt(second / float64(len(v)))
}

func (k *kernel) reserve() {
	s := k.setup
	w, n := s.system.width, len(s.rows)
	k.z, k.scratch = make([]float64, n*w), make([]float64, n*w)
	k.q, k.h = make([]float64, w*w), make([]float64, w*w)
	k.states, k.zeros = make([]float64, len(s.problem.Columns)), make([]float64, len(s.problem.Columns))
	k.easy, k.cursor = make([]bool, batchRows), make([]int, len(k.readers))
	k.batch.passes = make([]passes, len(k.readers))
	for _, m := range s.system.models {
		k.fits = append(k.fits, fitted{alpha: make([]float64, len(m.at))})
	}
	for _, t := range s.sets {
		m := len(t.columns)
		l := cellDensity{factor: make([]float64, m*m), spread: make([]float64, len(k.readers))}
		for range k.readers {
			l.tilts = append(l.tilts, make([]float64, m))
		}
		k.laws = append(k.laws, l)
	}
	if u := s.problem.Unseen; u != nil {
		rows, cols := u.X.Size()
		k.unseenX = make([]float64, rows*cols)
		for j := range cols {
			u.X.Read(j, 0, k.unseenX[j*rows:(j+1)*rows])
		}
		k.predicted = make([]float64, rows)
	}
}

// startCells gives each missing cell a state of its column.
func (k *kernel) startCells(state func(column, row int) float64) {
	y := k.system
	for q, i := range k.rows {
		z := k.z[q*y.width : (q+1)*y.width]
		for j, column := range y.columns {
			z[j] = column[i]
		}
		for c := range k.problem.Columns {
			u := k.problem.Columns[c].Data.Y[i]
			if k.mask[q]>>c&1 == 1 && k.problem.Columns[c].Noise == nil {
				u = state(c, i)
				if !k.problem.Columns[c].inside(u - y.centre[c] + y.centre[c]) { // lost to rounding
					u = y.centre[c]
				}
			}
			z[y.first+c] = u - y.centre[c]
		}
		y.spell(z)
	}
}

// rewriteAll writes the entries and responses that the cells give.
func (k *kernel) rewriteAll() {
	for q := range k.rows {
		k.statesOf(q)
		for _, r := range k.readers {
			r.write(k.setup, q, k.states)
			if r.own >= 0 && k.mask[q]>>r.own&1 == 1 {
				r.respond(q, k.states[r.own])
			}
		}
	}
}

// schedule lists the moves of an iteration: the coefficients of all models given the cells, then the cells given these.
// Of tall data models of columns are drawn in every fourth iteration, and the cells of half of the rows in each.
//
// Cost: O(n·d) for the regression, O(n·width²/2) for the models of columns, and O(width) for each missing cell.
func (k *kernel) schedule() update.Schedule {
	var moves update.Moves
	for _, r := range k.readers {
		moves = append(moves, func() bool { return k.moveReader(r) })
	}
	moves = append(moves, k.drawModelsWhenDue, k.moveGaussian, k.moveStates)
	if k.summed != nil {
		for _, move := range []func(){k.moveFollowed, k.moveCounts, k.moveSummed} {
			moves = append(moves, func() bool {
				if k.due() {
					move()
				}
				return true
			})
		}
	}
	return update.Schedule{First: moves, Last: update.Moves{k.arrive}}
}

// moveReader moves the coefficients of a model given the cells.
func (k *kernel) moveReader(r *reader) bool {
	if r.choice != nil {
		r.choice.before(r)
	}
	info, err := r.chain.Step()
	if !k.Take(info, err) {
		return false
	}
	if r.choice != nil {
		r.point.PutBack()
	}
	r.arrive()
	if r.own < 0 {
		k.Accept = info.Accept
	}
	return true
}

// drawModelsWhenDue draws the gaussian models of columns in the iterations that do.
func (k *kernel) drawModelsWhenDue() bool {
	k.Failing = "a missing cell, or the sigma of its model"
	return !k.due() || k.drawModels()
}

// arrive computes the log likelihoods that cells have left behind, and draws the missing responses.
func (k *kernel) arrive() bool {
	logPrior := 0.0
	for _, r := range k.readers {
		r.revalue()
		logPrior += r.chain.LogPrior()
	}
	k.predict()
	return k.Arrive(k.readers[k.main].point.Value().LogLik, logPrior+k.system.logPrior(k.fits))
}

// modelsEvery is the number of iterations from one draw of the models of columns of tall data to the next, after the
// first modelsFirst.
const modelsEvery, modelsFirst = 4, 8

func (k *kernel) due() bool {
	return !k.tall || k.Iteration < modelsFirst || k.Iteration%modelsEvery == 0
}

// drawModels draws the gaussian models of columns given all cells.
func (k *kernel) drawModels() bool {
	y := k.system
	if len(y.models) > 0 {
		y.gram(k.z, k.scratch, k.h)
		for i, m := range y.models {
			if !y.draw(m, &k.fits[i], k.h, k) {
				return false
			}
		}
	}
	y.precision(k.fits, k.q)
	return true
}

// cellsEvery is the number of iterations in which each cell of tall data moves once, after the first modelsFirst:
// blocks of batchRows rows take turns.
const cellsEvery = 2

// resting reports whether the cells of row q stay as they are in this iteration.
func (k *kernel) resting(q int) bool {
	return k.tall && k.Iteration >= modelsFirst && (int64(q/batchRows)+k.Iteration)%cellsEvery != 0
}

// predict draws the missing responses.
func (k *kernel) predict() {
	p := k.problem
	if p.Unseen == nil {
		return
	}
	main := k.readers[k.main]
	point, rows := main.point, len(p.UnseenOf)
	columns := make([]int, 0, 8)
	beside := make([]float64, rows)
	copy(beside, p.Unseen.Offset)
	point.AddTerms(p.Unseen.Effects, beside)
	for i, row := range p.UnseenOf {
		if q := k.place[row]; q >= 0 {
			k.statesOf(int(q))
			columns = columns[:0]
			for c, moved := range main.moved {
				if k.mask[q]>>c&1 == 1 {
					columns = append(columns, moved...)
				}
			}
			to := make([]float64, len(columns))
			main.coder.Code(row, k.states, columns, to)
			for m, j := range columns {
				k.unseenX[j*rows+i] = to[m]
			}
		}
		eta := beside[i]
		for j := range main.data.Cols() {
			eta = math.FMA(point.Beta(j), k.unseenX[j*rows+i], eta)
		}
		k.predicted[i] = k.unseen.Draw(k.Stream, i, eta, main.disp)
	}
}

// Position writes the parameters in their order. Cells are in the units of the data.
func (k *kernel) Position(dst []float64) {
	p := k.problem
	main := k.readers[k.main]
	at := main.First()
	main.Read(main.chain, dst[:at], dst[len(dst)-main.Effects:])
	linear := 0
	for c := range p.Columns {
		for _, i := range k.setup.models[c] {
			r := k.readers[i]
			r.Read(r.chain, dst[at:at+r.First()], nil)
			at += r.First()
		}
		if !p.Columns[c].linear() {
			continue
		}
		f := &k.fits[linear]
		linear++
		copy(dst[at:], f.alpha)
		dst[at] += k.system.centre[c]
		at += len(f.alpha)
		dst[at] = vec.Exp(f.logSigma)
		at++
	}
	y := k.system
	for c := range p.Columns {
		for _, q := range k.cells[c] {
			at += p.Columns[c].write(k.z[int(q)*y.width+y.first+c]+y.centre[c], dst[at:])
		}
	}
	copy(dst[at:], k.predicted)
}

// SetPosition moves the chain to a position, as Position writes it, its caches fresh and its stream and iteration as
// they are.
func (k *kernel) SetPosition(theta []float64) error {
	if len(theta) != len(k.params) {
		return fmt.Errorf("impute: a position of %d numbers for %d parameters", len(theta), len(k.params))
	}
	p, y := k.problem, k.system
	take := func(n int) (out []float64) {
		out, theta = theta[:n], theta[n:]
		return out
	}
	points := make([][]float64, len(k.readers))
	points[k.main] = take(k.readers[k.main].First())
	linear := 0
	for c := range p.Columns {
		for _, i := range k.setup.models[c] {
			points[i] = take(k.readers[i].First())
		}
		if !p.Columns[c].linear() {
			continue
		}
		f := &k.fits[linear]
		linear++
		copy(f.alpha, take(len(f.alpha)))
		f.alpha[0] -= y.centre[c]
		f.logSigma = vec.Log(take(1)[0])
	}
	for c := range p.Columns {
		own := &p.Columns[c]
		for _, q := range k.cells[c] {
			u := take(own.cellNumbers())
			switch {
			case own.Log:
				u = []float64{vec.Log(u[0])}
			case own.Levels != nil:
				u = []float64{float64(slices.Index(u, 1))}
			}
			z := k.z[int(q)*y.width : (int(q)+1)*y.width]
			z[y.first+c] = u[0] - y.centre[c]
			y.spell(z)
		}
	}
	copy(k.predicted, take(len(k.predicted)))
	points[k.main] = slices.Concat(points[k.main], theta)
	k.rewriteAll()
	y.precision(k.fits, k.q)
	for i, r := range k.readers {
		if err := r.chain.SetPosition(points[i]); err != nil {
			return err
		}
		r.arrive()
	}
	return nil
}
