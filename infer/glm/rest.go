package glm

// rest are numbers in eta besides offset, effects and X·beta: what other linear predictors, or other columns, leave to
// this one.
type rest struct {
	numbers []float64
	there   bool
}

// addTo adds the numbers to eta.
func (r *rest) addTo(eta []float64) {
	if !r.there {
		return
	}
	for i, v := range r.numbers {
		eta[i] += v
	}
}

// AddRest adds a number to eta of each row until TakeRest. Refresh keeps to it. Cost: O(n).
func (p *Point) AddRest(numbers []float64) {
	p.rest.numbers, p.rest.there = append(p.rest.numbers[:0], numbers...), true
	p.rest.addTo(p.eta)
	p.stale = true
	p.moved()
}

// Give sets what other linear predictors leave to the rows of this one until TakeRest. Cost: O(n).
func (p *Point) Give(rows [][]float64) {
	if p.given == nil {
		own := *p.t
		p.given, p.whole = &own, p.t
	}
	p.given.rows.Given = rows
	p.t = p.given
	p.stale = true
	p.moved()
}

// TakeRest takes the numbers of AddRest off eta, and those of Give back, and leaves the log likelihood behind.
// Cost: O(n).
func (p *Point) TakeRest() {
	if p.rest.there {
		for i, v := range p.rest.numbers {
			p.eta[i] -= v
		}
	}
	if p.given != nil {
		p.t = p.whole
	}
	p.rest.there, p.stale = false, true
	p.moved()
}

// TakeOff takes a number off eta of each row until PutBack, of a point that HasCells. Refresh keeps to it.
func (p *Point) TakeOff(numbers []float64) {
	p.rest.numbers, p.rest.there = append(p.rest.numbers[:0], numbers...), true
	for i, v := range numbers {
		p.rest.numbers[i] = -v
	}
	p.rest.addTo(p.eta)
	p.Revalue()
}

// PutBack computes eta again, with the numbers of TakeOff.
func (p *Point) PutBack() {
	p.rest.there = false
	p.Refresh()
}

// Translate adds delta·step to eta of each row where coefficients of the same change have been set, and leaves the log
// likelihood behind. Cost: O(n).
func (p *Point) Translate(delta float64, step []float64) {
	p.t.kernels.Axpy(delta, step, p.eta)
	p.stale = true
	p.moved()
}
