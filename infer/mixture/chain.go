package mixture

import (
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/update"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// A Chain has the weights, parameters and densities of a chain of a mixture. Kernels embed it.
type Chain struct {
	update.Stepper
	LogW    []float64 // of the components' weights
	Theta   []float64 // of one component after the other
	Counts  []float64 // observations of each component
	Chances []float64 // of the components, scratch

	layout    *Layout
	component Component
	weights   float64 // concentration of their prior
	frequency []float64
	terms     []float64 // log densities of the rows, component after component
	logLik    float64
}

// A Component has the densities of a component.
type Component interface {
	// LogLik writes the log densities of all rows at parameters to dst.
	LogLik(theta, dst []float64)
	// LogPrior returns the log prior density of parameters.
	LogPrior(theta []float64) float64
}

// NewChain returns a chain that is nowhere yet. Frequencies are those of the rows, nil for 1 each.
func NewChain(l *Layout, of Component, rows int, frequency []float64, concentration float64, stream *infer.Stream,
) Chain {
	k := l.Components
	c := Chain{layout: l, LogW: make([]float64, k), Theta: make([]float64, k*len(l.Of)), Counts: make([]float64, k),
		Chances: make([]float64, k), component: of, weights: concentration, frequency: frequency,
		terms: make([]float64, k*rows)}
	c.Stream = stream
	return c
}

// Rows counts the rows.
func (k *Chain) Rows() int { return len(k.terms) / len(k.LogW) }

// ThetaOf returns the parameters of component c, which alias Theta.
func (k *Chain) ThetaOf(c int) []float64 {
	d := len(k.layout.Of)
	return k.Theta[c*d : (c+1)*d]
}

// ChancesOf writes the logs of weight and density of row i in each component to Chances, and returns the log of their
// sum.
func (k *Chain) ChancesOf(i int) (total float64) {
	n := k.Rows()
	for c, l := range k.LogW {
		k.Chances[c] = l + k.terms[c*n+i]
	}
	return LogSum(k.Chances)
}

// DrawWeights draws the weights given Counts, or takes those that are known.
func (k *Chain) DrawWeights() bool {
	for c, w := range k.layout.Known {
		k.LogW[c] = vec.Log(w)
	}
	switch {
	case k.layout.Known != nil:
		return true
	case k.layout.Process != 0:
		DrawProcess(k.Stream, k.layout.Process, k.Counts, k.LogW)
		return true
	}
	DrawWeights(k.Stream, k.weights, k.Counts, k.LogW)
	return true
}

// Exchange proposes that two components of known weights exchange all that they have, by swap. Without it a chain stays
// at the numbers that it starts with. It draws nothing if weights are drawn.
//
// Parameters have the same prior in each component, so the ratio of the densities is that of the labels,
// (w_b/w_a)^(n_a − n_b).
func (k *Chain) Exchange(swap func(a, b int)) bool {
	if k.layout.Known == nil {
		return true
	}
	a, b := variate.Index(k.Stream, len(k.LogW)), variate.Index(k.Stream, len(k.LogW))
	if vec.Log(k.Stream.Float64()) < (k.Counts[a]-k.Counts[b])*(k.LogW[b]-k.LogW[a]) {
		k.Counts[a], k.Counts[b] = k.Counts[b], k.Counts[a]
		swap(a, b)
	}
	return true
}

// Evaluate computes the densities of the rows. Cost: that of Component.LogLik for each component.
func (k *Chain) Evaluate() {
	n := k.Rows()
	for c := range k.LogW {
		k.component.LogLik(k.ThetaOf(c), k.terms[c*n:(c+1)*n])
	}
	k.logLik = 0
	for i := range n {
		row := k.ChancesOf(i)
		if k.frequency != nil {
			row = float64(row * k.frequency[i])
		}
		k.logLik += row
	}
}

// EvaluateLast is the last move of an iteration. The log likelihood is that of the mixture, with the labels summed
// over: no numbering of the components moves it.
func (k *Chain) EvaluateLast() bool {
	k.Evaluate()
	sum := 0.0
	if k.layout.Known == nil && k.layout.Process == 0 {
		sum = LogWeightsPrior(k.weights, k.LogW)
	}
	for c := range k.LogW {
		sum += k.component.LogPrior(k.ThetaOf(c))
	}
	return k.Arrive(k.logLik, sum)
}

// Partition draws a row for each component, and gives each row to the component whose own is the nearest, where
// distances of two rows are divided by the component's width.
func (k *Chain) Partition(widths []float64, far func(i, j int) float64, give func(c, i int)) {
	seeds := make([]int, len(k.LogW))
	for c := range seeds {
		seeds[c] = variate.Index(k.Stream, k.Rows())
	}
	for i := range k.Rows() {
		give(Nearest(widths, func(c int) float64 { return far(seeds[c], i) }), i)
	}
}

// State returns weights and parameters.
func (k *Chain) State() (logW, theta []float64) { return k.LogW, k.Theta }

// Save returns a function that goes back to the weights and parameters of now.
func (k *Chain) Save() (restore func()) {
	logW, theta := slices.Clone(k.LogW), slices.Clone(k.Theta)
	return func() {
		copy(k.LogW, logW)
		copy(k.Theta, theta)
		k.Evaluate()
	}
}

// Position writes the components in their order, then as they were sampled.
func (k *Chain) Position(dst []float64) {
	k.layout.Write(dst, k.LogW, k.Theta)
	if k.layout.Process == 0 {
		return
	}
	occupied := 0.0
	for _, n := range k.Counts {
		if n > 0 {
			occupied++
		}
	}
	dst[len(dst)-1] = occupied
}

// SetPosition moves the chain to a position, with its stream as it is.
func (k *Chain) SetPosition(position []float64) error {
	k.layout.Read(position, k.LogW, k.Theta)
	k.Evaluate()
	return nil
}
