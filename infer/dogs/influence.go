package dogs

// Influence is a matrix C of upper bounds of Dobrushin influences, in compressed
// sparse rows: row i has the influences of the neighbours of i on i. It has 12
// bytes per half edge and 4 per variable.
type Influence struct {
	start []uint32
	to    []int32
	value []float64
}

// NewInfluence returns a matrix of zeros of n variables. Row sets its values: row i has one for each of neighbours(i).
func NewInfluence(n int, neighbours func(i int) []int32) *Influence {
	c := &Influence{start: make([]uint32, n+1)}
	total := 0
	for i := range n {
		total += len(neighbours(i))
		c.start[i+1] = uint32(total)
	}
	c.to, c.value = make([]int32, 0, total), make([]float64, total)
	for i := range n {
		c.to = append(c.to, neighbours(i)...)
	}
	return c
}

// Scaled returns C times factor: bounds so many times as loose, for factors above 1.
func (c *Influence) Scaled(factor float64) *Influence {
	out := &Influence{start: c.start, to: c.to, value: make([]float64, len(c.value))}
	for k, v := range c.value {
		out.value[k] = float64(v * factor)
	}
	return out
}

// Variables returns the number of rows.
func (c *Influence) Variables() int { return len(c.start) - 1 }

// Influences returns the number of pairs of variables with a bound.
func (c *Influence) Influences() int { return len(c.value) }

// Row returns the neighbours of i and their influences on it. Both alias c.
func (c *Influence) Row(i int) ([]int32, []float64) {
	from, to := c.start[i], c.start[i+1]
	return c.to[from:to:to], c.value[from:to:to]
}
