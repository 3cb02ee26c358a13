package plan

import (
	matrix "glmbatch/infer/design"
	"glmbatch/internal/words"
)

// work adds to what a regression needs the memory that its method takes beyond the design and one copy of it, where
// the data decide it.
func (s *sampler) work(x matrix.Matrix, out Need, parameters, chains int) Need {
	rows, columns := x.Size()
	n, d := int64(rows), int64(columns)
	_, sparse := x.(*matrix.Sparse)
	beyond := func(numbers int64) { out.Bytes += max(0, 8*numbers-2*8*x.Entries()) }
	gibbs, trajectories := s.Gibbs, s.Trajectories
	switch {
	case trajectories != nil && !trajectories.Reduced && trajectories.Metric == "dense":
		// The covariance, its factor, and both of the next window.
		out.Bytes += 8 * 4 * int64(chains) * int64(parameters) * int64(parameters)
		out.Remedy = "take metric: diagonal or low_rank"
	case gibbs != nil && sparse && gibbs.Basis == "rotated": // a dense copy, its products
		beyond(2 * n * d)
		out.Remedy = "name another basis, which keeps the design sparse"
	case s.Independent:
		if n > d { // triangular factors of d columns, its singular vectors
			beyond(5 * d * d)
		} else { // a dense copy, its factors, its singular vectors
			beyond(3*n*d + 3*n*n)
		}
		if sparse {
			out.Remedy = "name method: cggibbs, which keeps the design sparse"
		}
	}
	return out
}

// limitDense bounds the dense copy that a set-up may make of a sparse design: its products take as much again.
func (m Memory) limitDense(x matrix.Matrix) {
	if sparse, ok := x.(*matrix.Sparse); ok {
		sparse.MostDense = m.reading()
	}
}

// withinMemory turns the panic of a set-up that would make too large a dense copy into its error.
func withinMemory(setup func() error) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *matrix.PlaceError:
			err = words.Hint(p, "make room on the disk of the ledger, or give the run more: --memory")
		case *matrix.DenseError:
			err = words.Hint(p, "name method: cggibbs, which keeps the design sparse, or give it more: --memory, or "+
				"run: {memory: …}")
		default:
			panic(p)
		}
	}()
	return setup()
}
