package cggibbs

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/internal/variate"
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
	q := make([][]float64, m)
	for i := range q {
		row := rows[i*size : (i+1)*size]
		q[i] = p.lifted(row[size-p.space.Rank:], make([]float64, p.rowLength()))
	}
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
		copied(j, len(s.frame.origin)+j-d)
	}
	from, to := place(p.normal, first), place(p.normal, last)
	epsilon, along := make([]float64, p.block()), make([]float64, p.block())
	for c := from; c < to; c += len(epsilon) {
		some := epsilon[:min(len(epsilon), to-c)]
		for i, iteration := range iterations {
			variate.NormalsAt(key, uint64(iteration+1), c, some)
			p.theta(c, q[i], some, along)
			for e, x := range some {
				dst[(p.normal[c+e]-first)*stride+i] = x
			}
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
