package design

// EqualRows groups the rows that are equal to the bit in a design and in columns
// beside it, nil ones of which do not count. It returns the first row of each group
// and the group of each row, in the order of their first appearance; nil where there
// are more groups than limit. Cost: O(what the design stores), less where the rows
// differ in a column of the first.
func EqualRows(x Matrix, beside [][]float64, limit int) (first, of []int) {
	n, d := x.Size()
	p := newPartition(n, limit)
	for _, v := range beside {
		if v != nil && !p.refine(Column{Values: v}) {
			return nil, nil
		}
	}
	for j := range d {
		if !p.refine(x.Column(j)) {
			return nil, nil
		}
	}
	if !p.refine(Column{Values: make([]float64, n)}) { // numbers by first appearance
		return nil, nil
	}
	for i, g := range p.of {
		if g == len(first) {
			first = append(first, i)
		}
	}
	return first, p.of
}

// Take returns the entries of v at some rows; nil for nil.
func Take(v []float64, at []int) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, len(at))
	for g, i := range at {
		out[g] = v[i]
	}
	return out
}

// TakeRows returns some rows of a design, stored as it is.
func TakeRows(x Matrix, at []int) Matrix {
	if s, sparse := x.(*Sparse); sparse {
		return s.Taken(at)
	}
	_, d := x.Size()
	out := NewDense(len(at), d)
	for j := range d {
		copy(out.Col(j), Take(x.Col(j), at))
	}
	return out
}
