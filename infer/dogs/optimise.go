package dogs

import "math"

// Certificate holds what is proved about a scan: after its updates, from any start, Variation bounds dᵀb of the
// target. If the target has no weights, this bounds the total variation distance of its variables' joint
// distribution from π's.
type Certificate struct {
	Target    Target
	Scan      []int32
	Variation float64
	// Input is the variation of the scan that Optimise was given, in full length.
	Input float64
	// Rounds is the number of passes of algorithm 2.
	Rounds int
}

// Options configures Optimise and Search. The zero value is ready to use.
type Options struct {
	// Below ends a scan as soon as its variation is not above it. Zero means never
	// for Optimise; Search needs it.
	Below float64
	// Rounds bounds the passes of algorithm 2, each on the scan of the one before;
	// they end when one gains less than a millionth. Zero means 1.
	Rounds int
	// MaxLength bounds the scans that Search tries. Zero means 2^22.
	MaxLength int
}

// Optimise runs algorithm 2 of the paper: coordinate descent on dᵀb over the
// updates of a scan, the first one first. Each update becomes the variable that
// makes the variation smallest while those after it stay as in the input. The
// result is never worse than the input, nor longer; updates that no variable makes
// useful are left out. With Below it ends where its variation is not above that, and
// then may have more than the whole input.
//
// With D the row vector dᵀB_T⋯B_{t+1} of the updates to come, and r = b − C·b, a
// choice i gains D_i·r_i. One pass backwards makes D and remembers one number an
// update, by which it is unmade on the way forwards; the gains are kept in an
// indexed heap.
//
// Memory: O(n + length). Cost: O(n) once and O(‖d‖₀ + length·m·(m + log n)) a round,
// for degrees up to m.
// It returns a *NormError where no norm of C is below one.
func (c *Influence) Optimise(scan []int32, d Target, o Options) (*Certificate, error) {
	if err := d.check(c.Variables()); err != nil {
		return nil, err
	}
	if err := c.checkScan(scan); err != nil {
		return nil, err
	}
	if err := c.contracts(); err != nil {
		return nil, err
	}
	return newDescent(c, d).optimise(scan, o), nil
}

// descent is algorithm 2 for one target. Between its methods b is 1, ahead is d
// and the heap is empty: each puts back what it touched, so that a round costs
// what its scan does, however many variables there are.
type descent struct {
	*Influence
	d      Target
	weight []float64 // d, of all variables
	ahead  []float64 // D
	undo   []float64 // what each update of the input took from D
	b      []float64
	gains  *heap
}

func newDescent(c *Influence, d Target) *descent {
	n := c.Variables()
	return &descent{Influence: c, d: d, weight: d.dense(n), ahead: d.dense(n), b: ones(n), gains: newHeap(n)}
}

func (p *descent) optimise(scan []int32, o Options) *Certificate {
	input := p.measure(scan)
	best := &Certificate{Target: p.d, Scan: scan, Variation: input, Input: input}
	for best.Rounds < max(o.Rounds, 1) {
		next := p.round(best.Scan, o.Below)
		v := p.measure(next)
		best.Rounds++
		gained := best.Variation - v
		if v <= o.Below && len(next) < len(best.Scan) {
			best.Scan, best.Variation = next, v
			break
		}
		if gained < 0 || gained == 0 && len(next) >= len(best.Scan) {
			break // rounding of D: keep what is certified
		}
		best.Scan, best.Variation = next, v
		if v <= o.Below || gained < 1e-6*v {
			break
		}
	}
	if best.Variation <= o.Below {
		best.Scan = p.until(best.Scan, o.Below)
		best.Variation = p.measure(best.Scan)
	}
	return best
}

// measure returns the variation of a scan.
func (p *descent) measure(scan []int32) float64 {
	for _, i := range scan {
		p.b[i] = p.pull(int(i), p.b)
	}
	v := p.d.sum(p.b)
	p.restore(scan)
	return v
}

// restore makes b that of the worst start again.
func (p *descent) restore(scan []int32) {
	for _, i := range scan {
		p.b[i] = 1
	}
}

// until returns the beginning of a scan after which its variation is not above
// below.
func (p *descent) until(scan []int32, below float64) []int32 {
	end, variation := 0, p.d.sum(p.b)
	for end < len(scan) && variation > below {
		variation = p.update(scan[end], variation, below)
		end++
	}
	p.restore(scan[:end])
	return scan[:end]
}

// update updates variable i, and returns dᵀb: by increments, and recomputed if these are not above below.
func (p *descent) update(i int32, variation, below float64) float64 {
	old := p.b[i]
	p.b[i] = p.pull(int(i), p.b)
	if w := p.weight[i]; w > 0 {
		variation = math.FMA(w, p.b[i]-old, variation)
		if variation <= below {
			variation = p.d.sum(p.b)
		}
	}
	return variation
}

// round chooses the updates once, and stops when the variation is not above
// below.
func (p *descent) round(input []int32, below float64) []int32 {
	p.look(input)
	scan := make([]int32, 0, len(input))
	variation := p.d.sum(p.b)
	for t := range input {
		p.unmake(input[t], p.undo[t])
		i, ok := p.gains.top()
		if !ok {
			continue
		}
		scan = append(scan, i)
		variation = p.update(i, variation, below)
		p.refresh(i)
		near, _ := p.Row(int(i))
		for _, j := range near {
			p.refresh(j)
		}
		if variation <= below {
			break
		}
	}
	p.restore(scan)
	p.gains.clear()
	p.reset(input)
	return scan
}

// look makes D of a whole scan, from its end: an update of i hands what i has to
// its neighbours. It fills the heap.
func (p *descent) look(input []int32) {
	p.undo = append(p.undo[:0], make([]float64, len(input))...)
	for t := len(input) - 1; t >= 0; t-- {
		i := input[t]
		v := p.ahead[i]
		p.undo[t], p.ahead[i] = v, 0
		near, value := p.Row(int(i))
		for k, j := range near {
			p.ahead[j] = math.FMA(v, value[k], p.ahead[j])
		}
	}
	for _, i := range p.d.Variables {
		p.refresh(i)
	}
	for _, i := range input {
		near, _ := p.Row(int(i))
		for _, j := range near {
			p.refresh(j)
		}
	}
}

// reset sets D to that of an empty scan.
func (p *descent) reset(input []int32) {
	for _, i := range input {
		near, _ := p.Row(int(i))
		for _, j := range near {
			p.ahead[j] = p.weight[j]
		}
		p.ahead[i] = p.weight[i]
	}
}

// refresh recomputes the gain of variable i.
func (p *descent) refresh(i int32) {
	key := 0.0
	if p.ahead[i] > 0 {
		key = p.ahead[i] * (p.b[i] - p.pull(int(i), p.b))
	}
	p.gains.set(i, key)
}

// unmake takes an update of i out of D, which took v from it.
func (p *descent) unmake(i int32, v float64) {
	near, value := p.Row(int(i))
	for k, j := range near {
		p.ahead[j] = max(0, math.FMA(-v, value[k], p.ahead[j]))
		p.refresh(j)
	}
	p.ahead[i] = v
	p.refresh(i)
}

// heap keeps variables by a key, the largest first, and finds the place of each:
// a binary heap with an index.
type heap struct {
	key   []float64 // of every variable; 0 if it is not in the heap
	order []int32
	place []int32 // index in order plus one; 0 if it is not in the heap
}

func newHeap(n int) *heap {
	return &heap{key: make([]float64, n), place: make([]int32, n)}
}

// set gives variable i a key. Only positive keys stay in the heap. Cost: O(log n).
func (h *heap) set(i int32, key float64) {
	at := int(h.place[i]) - 1
	switch {
	case at < 0 && !(key > 0):
		return
	case at < 0:
		h.key[i] = key
		h.order = append(h.order, i)
		h.place[i] = int32(len(h.order))
		h.up(len(h.order) - 1)
	case key > 0:
		h.key[i] = key
		h.down(h.up(at))
	default:
		last := len(h.order) - 1
		h.swap(at, last)
		h.order = h.order[:last]
		h.place[i], h.key[i] = 0, 0
		if at < last {
			h.down(h.up(at))
		}
	}
}

// top returns the variable of the largest key, of equal ones the one with the
// smallest number; false when no key is positive.
func (h *heap) top() (int32, bool) {
	if len(h.order) == 0 {
		return 0, false
	}
	return h.order[0], true
}

// before reports whether the variable at place a goes above that at b.
func (h *heap) before(a, b int) bool {
	i, j := h.order[a], h.order[b]
	return h.key[i] > h.key[j] || h.key[i] == h.key[j] && i < j
}

func (h *heap) swap(a, b int) {
	h.order[a], h.order[b] = h.order[b], h.order[a]
	h.place[h.order[a]], h.place[h.order[b]] = int32(a+1), int32(b+1)
}

func (h *heap) up(at int) int {
	for at > 0 && h.before(at, (at-1)/2) {
		h.swap(at, (at-1)/2)
		at = (at - 1) / 2
	}
	return at
}

func (h *heap) down(at int) {
	for {
		least := at
		for child := 2*at + 1; child <= 2*at+2 && child < len(h.order); child++ {
			if h.before(child, least) {
				least = child
			}
		}
		if least == at {
			return
		}
		h.swap(at, least)
		at = least
	}
}

// clear empties the heap. Cost: O(what is in it).
func (h *heap) clear() {
	for _, i := range h.order {
		h.place[i], h.key[i] = 0, 0
	}
	h.order = h.order[:0]
}
