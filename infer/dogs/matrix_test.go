package dogs

import (
	"math"
	"math/rand/v2"
	"slices"
)

// pair is the influence of two variables on each other.
type pair struct {
	i, j  int32
	value float64
}

// symmetric returns the matrix of n variables with equal influences both ways.
func symmetric(n int, pairs []pair) *Influence {
	near, values := make([][]int32, n), make([][]float64, n)
	for _, p := range pairs {
		near[p.i], values[p.i] = append(near[p.i], p.j), append(values[p.i], p.value)
		near[p.j], values[p.j] = append(near[p.j], p.i), append(values[p.j], p.value)
	}
	c := NewInfluence(n, func(i int) []int32 { return near[i] })
	copy(c.value, slices.Concat(values...))
	return c
}

// grid lists the pairs of a lattice, each with the influence tanh θ of an Ising model without fields.
func grid(rows, cols int, theta float64) (out []pair) {
	for i := range int32(rows * cols) {
		if int(i)%cols < cols-1 {
			out = append(out, pair{i, i + 1, math.Tanh(theta)})
		}
		if int(i)/cols < rows-1 {
			out = append(out, pair{i, i + int32(cols), math.Tanh(theta)})
		}
	}
	return out
}

// lattice returns the influences of an Ising model without fields.
func lattice(rows, cols int, theta float64) *Influence {
	return symmetric(rows*cols, grid(rows, cols, theta))
}

// uneven returns a random matrix with different influences both ways, most of them below scale.
func uneven(seed uint64, n int, scale float64) *Influence {
	r := rand.New(rand.NewPCG(seed, 1))
	var pairs []pair
	for i := range n {
		for j := range i {
			if r.Float64() < 0.6 {
				pairs = append(pairs, pair{int32(i), int32(j), 0})
			}
		}
	}
	c := symmetric(n, pairs)
	for k := range c.value {
		c.value[k] = math.Abs(scale * r.NormFloat64())
	}
	return c
}

func normals(r *rand.Rand, n int, scale float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = scale * r.NormFloat64()
	}
	return out
}

func targets(n int) []Target {
	return []Target{All(n), {Variables: []int32{0}}, {Variables: []int32{int32(n - 1), 1}}}
}
