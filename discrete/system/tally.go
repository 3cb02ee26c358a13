package system

import (
	"encoding/binary"
	"fmt"
	"math"

	"glmbatch/discrete/mrf"
)

// Plan says when a chain counts states. Segments[0] is the first iteration that is
// counted; at each later entry counting restarts, so that any window between two of
// them has its counts. Batch is the number of iterations whose means are compared for a
// Monte Carlo error; 0 for none.
type Plan struct {
	Segments []int
	Batch    int
	// Conditionals says that full conditional probabilities are averaged in addition to the counts: see conditionals.
	Conditionals bool
}

// NewPlan is for windows of [from, to) iterations whose ends are given in ascending order. A
// window may also begin at an end.
func NewPlan(from int, ends []int) Plan {
	return Plan{Segments: append([]int{from}, ends[:len(ends)-1]...), Batch: max(1, int(math.Sqrt(float64(ends[0]-from))))}
}

// segment counts states over some iterations. Counts of variable i begin at
// i·(q−1), of states 1 … q−1.
type segment struct {
	iterations int
	count      []uint32
	// batches is the number of whole batches, square the sum of their squared counts
	// and inner the count over them.
	batches int
	batch   []uint16 // counts of the batch under way
	inner   []uint32
	square  []uint64
	mean    *conditionals // nil if none are averaged
}

func newSegment(size int, p *Plan) *segment {
	s := &segment{count: make([]uint32, size)}
	if p.Conditionals {
		s.mean = newConditionals(size)
	}
	if p.Batch > 0 {
		s.batch, s.inner, s.square = make([]uint16, size), make([]uint32, size), make([]uint64, size)
	}
	return s
}

// tally counts how often each variable was in each state but the first.
type tally struct {
	Plan
	q        int
	variable int   // number of variables
	only     []int // those that are counted; nil: all
	segments []*segment
	of       mrf.Model // whose conditionals are averaged
	lw, p    []float64 // scratch
}

// bytes is the memory of one segment of a tally.
func (p *Plan) bytes(variables, q int) int64 {
	each := int64(4)
	if p.Batch > 0 {
		each += 2 + 4 + 8
	}
	if p.Conditionals {
		each += 4 * 8
	}
	return each * int64(variables) * int64(q-1)
}

// add counts the state after iteration t, from 0.
func (c *tally) add(t int, x []uint8) {
	k := len(c.segments)
	if k == 0 && t < c.Segments[0] {
		return
	}
	if k < len(c.Segments) && t >= c.Segments[k] {
		c.segments = append(c.segments, newSegment(c.variable*(c.q-1), &c.Plan))
		k++
	}
	s := c.segments[k-1]
	s.iterations++
	switch {
	case c.only != nil:
		for _, i := range c.only {
			c.count(s, i, x[i])
		}
	case c.q == 2:
		for i, a := range x {
			s.count[i] += uint32(a)
		}
		if s.batch != nil {
			for i, a := range x {
				s.batch[i] += uint16(a)
			}
		}
	default:
		for i, a := range x {
			c.count(s, i, a)
		}
	}
	if s.mean != nil {
		c.average(s.mean, x)
	}
	if c.Batch > 0 && s.iterations%c.Batch == 0 {
		s.endBatch()
	}
}

// count counts variable i in state a.
func (c *tally) count(s *segment, i int, a uint8) {
	if a == 0 {
		return
	}
	at := i*(c.q-1) + int(a) - 1
	s.count[at]++
	if s.batch != nil {
		s.batch[at]++
	}
}

// endBatch adds the batch under way to the whole ones.
func (s *segment) endBatch() {
	s.batches++
	for i, b := range s.batch {
		s.inner[i] += uint32(b)
		s.square[i] += uint64(b) * uint64(b)
	}
	clear(s.batch)
	if s.mean != nil {
		s.mean.endBatch()
	}
}

// maxBatch is the largest count of a batch.
const maxBatch = math.MaxUint16

// append writes the tally's state.
func (c *tally) append(out []byte) []byte {
	out = binary.LittleEndian.AppendUint32(out, uint32(len(c.segments)))
	for _, s := range c.segments {
		out = binary.LittleEndian.AppendUint64(out, uint64(s.iterations))
		for _, v := range s.count {
			out = binary.LittleEndian.AppendUint32(out, v)
		}
		if s.mean != nil {
			out = s.mean.append(out)
		}
		if s.batch == nil {
			continue
		}
		out = binary.LittleEndian.AppendUint64(out, uint64(s.batches))
		for _, v := range s.batch {
			out = binary.LittleEndian.AppendUint16(out, v)
		}
		for _, v := range s.inner {
			out = binary.LittleEndian.AppendUint32(out, v)
		}
		for _, v := range s.square {
			out = binary.LittleEndian.AppendUint64(out, v)
		}
	}
	return out
}

// read is the inverse of append. It returns what is left of data.
func (c *tally) read(data []byte) ([]byte, error) {
	size := c.variable * (c.q - 1)
	fail := fmt.Errorf("discrete: the counts of a chain's state are cut short")
	if len(data) < 4 {
		return nil, fail
	}
	n := int(binary.LittleEndian.Uint32(data))
	data = data[4:]
	if n > len(c.Segments) {
		return nil, fmt.Errorf("discrete: a chain's state has %d counts, and its plan %d", n, len(c.Segments))
	}
	need := 8 + 4*size
	if c.Batch > 0 {
		need += 8 + (2+4+8)*size
	}
	if c.Conditionals {
		need += 4 * 8 * size
	}
	if len(data) < n*need {
		return nil, fail
	}
	segments := make([]*segment, n)
	for k := range segments {
		s := newSegment(size, &c.Plan)
		segments[k] = s
		s.iterations, data = int(binary.LittleEndian.Uint64(data)), data[8:]
		for i := range s.count {
			s.count[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		data = data[4*size:]
		if s.mean != nil {
			data = s.mean.read(data)
		}
		if c.Batch == 0 {
			continue
		}
		s.batches, data = int(binary.LittleEndian.Uint64(data)), data[8:]
		for i := range s.batch {
			s.batch[i] = binary.LittleEndian.Uint16(data[2*i:])
		}
		data = data[2*size:]
		for i := range s.inner {
			s.inner[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		data = data[4*size:]
		for i := range s.square {
			s.square[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
		data = data[8*size:]
	}
	c.segments = segments
	return data, nil
}
