package mrf

import (
	"math"

	"glmbatch/internal/vec"
)

// The limits of Transfer: states of one frontier, and numbers kept over all.
const (
	MaxFrontier = 1 << 20
	maxKept     = 1 << 27
)

// Transfer returns exact marginals and log Z of a model whose edges join
// variables of near numbers: chains, strips of a grid, anything of small
// bandwidth w, the largest difference of two neighbours' numbers.
//
// It is the transfer matrix method, a variable at a time: the weights of the
// last w variables are summed forwards over those that left (α) and backwards
// over those to come (β), in logarithms; the marginals of a variable are those
// of α·β. With q states: O(n·q^(w+1)) steps of a conditional each, 8·n·q^w bytes.
// It returns a *ModelError if that is too much.
func Transfer(m Model) (*Exact, error) {
	f, err := newFrontier(m)
	if err != nil {
		return nil, err
	}
	n := m.Variables()
	alpha := make([][]float64, n)
	alpha[0] = make([]float64, f.size[0])
	m.LogPrefix(alpha[0], 0, f.x)
	for i := 1; i < n; i++ {
		alpha[i] = f.forward(i, alpha[i-1])
	}
	ex := &Exact{Marginals: NewMarginals(m)}
	beta := make([]float64, f.size[n-1])
	for i := n - 1; ; i-- {
		joint := alpha[i]
		for k, b := range beta {
			joint[k] += b
		}
		ex.LogZ = normalise(joint)
		row := ex.Marginals.At(i)
		clear(row)
		for k, p := range joint {
			row[k%len(row)] += p
		}
		if i == 0 {
			return ex, nil
		}
		beta = f.backward(i, beta)
		alpha[i] = nil
	}
}

// frontier knows, for each variable i, the states of variables i−w+1 … i: a
// number in mixed radix whose last digit is x_i.
type frontier struct {
	Model
	width int
	size  []int   // states of the frontier that ends at i
	x     []uint8 // scratch
	lw    []float64
}

func newFrontier(m Model) (*frontier, error) {
	n := m.Variables()
	f := &frontier{Model: m, width: 1, size: make([]int, n), x: make([]uint8, n), lw: make([]float64, MaxStates(m))}
	for i := range n {
		if near := m.Neighbours(i); len(near) > 0 {
			f.width = max(f.width, i-int(near[0]))
		}
	}
	kept := 0
	for i := range n {
		f.size[i] = 1
		for j := max(0, i-f.width+1); j <= i; j++ {
			if f.size[i] *= m.States(j); f.size[i] > MaxFrontier {
				return nil, fault("number the variables along the long side, or use fewer",
					"%d neighbouring variables have more than %d states together", f.width, MaxFrontier)
			}
		}
		if kept += f.size[i]; kept > maxKept {
			return nil, fault("use fewer variables or a narrower model",
				"the transfer matrix method would keep more than %d numbers", maxKept)
		}
	}
	return f, nil
}

// begin sets x to the first state of the frontier that ends at i−1, and returns
// how many states of it share the digits that stay when x_i joins.
func (f *frontier) begin(i int) (rest int) {
	clear(f.x[max(0, i-f.width):i])
	rest = f.size[i-1]
	if i >= f.width {
		rest /= f.States(i - f.width)
	}
	return rest
}

// next moves x to the following state of the frontier that ends at i−1.
func (f *frontier) next(i int) {
	for j := i - 1; j >= max(0, i-f.width); j-- {
		if f.x[j]++; int(f.x[j]) < f.States(j) && f.x[j] != 0 {
			return
		}
		f.x[j] = 0
	}
}

// forward sums over the variable that leaves when x_i joins.
func (f *frontier) forward(i int, before []float64) []float64 {
	q, rest := f.States(i), f.begin(i)
	out := make([]float64, f.size[i])
	for k := range out {
		out[k] = math.Inf(-1)
	}
	for k, v := range before {
		f.LogPrefix(f.lw, i, f.x)
		for a := range q {
			to := &out[k%rest*q+a]
			*to = vec.LogAdd(*to, v+f.lw[a])
		}
		f.next(i)
	}
	return out
}

// backward sums over x_i.
func (f *frontier) backward(i int, after []float64) []float64 {
	q, rest := f.States(i), f.begin(i)
	out := make([]float64, f.size[i-1])
	for k := range out {
		f.LogPrefix(f.lw, i, f.x)
		sum := math.Inf(-1)
		for a := range q {
			sum = vec.LogAdd(sum, f.lw[a]+after[k%rest*q+a])
		}
		out[k] = sum
		f.next(i)
	}
	return out
}
