package mrf

import (
	"glmbatch/infer"
	"glmbatch/internal/vec"
)

// Independent draws independent states of a model of small bandwidth. It is safe for concurrent use.
type Independent struct {
	m     Model
	alpha [][]float64 // log weights of frontiers, see Transfer
}

// NewIndependent sums over all states forwards. Its limits and costs are those of Transfer.
func NewIndependent(m Model) (*Independent, error) {
	f, err := newFrontier(m)
	if err != nil {
		return nil, err
	}
	out := &Independent{m: m, alpha: make([][]float64, m.Variables())}
	out.alpha[0] = make([]float64, f.size[0])
	m.LogPrefix(out.alpha[0], 0, f.x)
	for i := 1; i < len(out.alpha); i++ {
		out.alpha[i] = f.forward(i, out.alpha[i-1])
	}
	return out, nil
}

// Draw writes a state to x, and returns the log of its probability: the last variables by their joint distribution,
// then one variable after the other given those after it. Cost: two conditionals a variable and state.
func (d *Independent) Draw(from *infer.Stream, x []uint8) (logP float64) {
	f, err := newFrontier(d.m)
	if err != nil {
		panic("mrf: " + err.Error()) // NewIndependent had none
	}
	n := len(x)
	copy(f.x, x)
	k, logP := choose(from, d.alpha[n-1])
	for j := n - 1; j >= max(0, n-f.width); j-- {
		f.x[j] = uint8(k % f.States(j))
		k /= f.States(j)
	}
	for i := n - 1; i >= f.width; i-- {
		leaves, rest := i-f.width, 0
		for j := leaves + 1; j < i; j++ {
			rest = rest*f.States(j) + int(f.x[j])
		}
		stay := f.size[i-1] / f.States(leaves)
		weights := make([]float64, f.States(leaves))
		for a := range weights {
			f.x[leaves] = uint8(a)
			f.LogPrefix(f.lw, i, f.x)
			weights[a] = d.alpha[i-1][a*stay+rest] + f.lw[f.x[i]]
		}
		a, p := choose(from, weights)
		f.x[leaves] = uint8(a)
		logP += p
	}
	copy(x, f.x)
	return logP
}

// choose draws an index by log weights, and returns the log of its probability.
func choose(from *infer.Stream, logs []float64) (k int, logP float64) {
	p := append([]float64(nil), logs...)
	normalise(p)
	u := from.Float64()
	for a, v := range p {
		if v > 0 {
			k = a
		}
		if u < v {
			break
		}
		u -= v
	}
	return k, vec.Log(p[k])
}
