package infer

// Parallel carries out parts of a computation side by side, do(0) to do(parts−1) in any order, and returns when all
// are done. Which parts there are, and in what order their results are put together, must not depend on how many run
// at once: then neither do bits. A nil Parallel carries out one part after the other.
type Parallel func(parts int, do func(part int))

// Each carries out all parts.
func (p Parallel) Each(parts int, do func(part int)) {
	if p != nil && parts > 1 {
		p(parts, do)
		return
	}
	for i := range parts {
		do(i)
	}
}
