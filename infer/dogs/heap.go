package dogs

// heap keeps variables by a key, the largest first, and finds the place of each:
// a binary heap with an index.
type heap struct {
	key   []float64 // of every variable; 0 where it is not in the heap
	order []int32
	place []int32 // place in order plus one; 0 where it is not in the heap
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
