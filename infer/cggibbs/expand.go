package cggibbs

import (
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/internal/variate"
)

// reducedSetup is a basisSetup in the reduced basis, whose draws can be told by
// rows.
type reducedSetup struct{ *basisSetup }

// reducedKernel is its kernel.
type reducedKernel struct{ *basisKernel }

// Kernel returns one chain at its dispersed start.
func (s *reducedSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.basisSetup.Kernel(c)
	if err != nil {
		return nil, err
	}
	b := k.(*basisKernel)
	b.warmup = int64(c.Warmup)
	return &reducedKernel{b}, nil
}

// Row describes theta_F, z and the dispersions, the log density of z, and w = z −
// Vᵀε.
func (s *reducedSetup) Row() []infer.RowEntry {
	p, all := s.reduction, s.Parameters()
	var out []infer.RowEntry
	add := func(kind infer.RowKind, name string) { out = append(out, infer.RowEntry{Name: name, Kind: kind}) }
	for _, j := range p.kept {
		add(infer.Shared, all[j].Name)
	}
	for k := range p.space.Rank {
		add(infer.Sampled, fmt.Sprintf("z[%d]", k+1))
	}
	for _, d := range all[s.target.Cols():] {
		add(infer.Shared, d.Name)
	}
	add(infer.Statistic, "log_density_z")
	for k := range p.space.Rank {
		add(infer.Carried, fmt.Sprintf("w[%d]", k+1))
	}
	return out
}

// Expand makes parameters first to last−1 of rows, see infer.Compact. Cost: O(n·r)
// a row, and O(r) or O(n) an entry with one normal draw.
func (s *reducedSetup) Expand(dst []float64, stride int, rows []float64, key uint64, iterations []int64, first, last int) {
	p, m := s.reduction, len(iterations)
	size, d := len(rows)/max(m, 1), s.target.Cols()
	copied := func(j, at int) { // an entry of the row
		for i := range m {
			dst[(j-first)*stride+i] = rows[i*size+at]
		}
	}
	for i, j := range p.kept {
		if first <= j && j < last {
			copied(j, i)
		}
	}
	for j := max(first, d); j < last; j++ {
		copied(j, len(s.frame.Origin)+j-d)
	}
	from, to := place(p.normal, first), place(p.normal, last)
	memory, _ := p.lifts.Get().(*[]float64)
	if memory == nil {
		memory = new([]float64)
	}
	defer p.lifts.Put(memory)
	*memory = slices.Grow((*memory)[:0], m*p.rowLength())
	q := p.liftedRows(rows, size, (*memory)[:m*p.rowLength()])
	for c := from; c < to; c += expandColumns {
		end := min(c+expandColumns, to)
		p.expand(q, key, iterations, c, end, func(entry, i int) []float64 { return dst[(p.normal[entry]-first)*stride+i:] }, stride)
	}
}

// expandColumns is the number of columns that are expanded together: ε and what comes
// of it stay in a core's cache.
const expandColumns = 256

// liftedRows writes lifted(w) of rows, one after the other, to q and returns it.
func (p *reduction) liftedRows(rows []float64, size int, q []float64) []float64 {
	n := p.rowLength()
	for i := range len(q) / max(n, 1) {
		w := rows[(i+1)*size-p.space.Rank : (i+1)*size]
		copy(q[i*n:(i+1)*n], p.lifted(w, q[i*n:(i+1)*n]))
	}
	return q
}

// expand makes entries from to to−1 of theta_G at some iterations, of a dense design
// eight at a time while there are as many. at is where an entry stands from iteration i on; the
// next column's is a stride further.
func (p *reduction) expand(q []float64, key uint64, iterations []int64, from, to int, at func(entry, i int) []float64, stride int) {
	n, m := p.rowLength(), to-from
	epsilon, along := make([]float64, lines*m), make([]float64, lines*m)
	i := 0
	for ; p.sparse == nil && i+lines <= len(iterations); i += lines {
		for c := from; c < to; {
			last := p.neighbours(c, to)
			some := epsilon[:lines*(last-c)]
			for l, iteration := range iterations[i : i+lines] {
				variate.NormalsAt(key, uint64(iteration+1), c, some[l*(last-c):(l+1)*(last-c)])
			}
			p.thetas(c, last, q[i*n:(i+lines)*n], some, along, at(c, i), stride)
			c = last
		}
	}
	for ; i < len(iterations); i++ {
		variate.NormalsAt(key, uint64(iterations[i]+1), from, epsilon[:m])
		p.theta(from, q[i*n:(i+1)*n], epsilon[:m], along)
		for c, x := range epsilon[:m] {
			at(from+c, i)[0] = x
		}
	}
}

// place returns the number of columns before j.
func place(columns []int, j int) int {
	n := 0
	for _, c := range columns {
		if c < j {
			n++
		}
	}
	return n
}
