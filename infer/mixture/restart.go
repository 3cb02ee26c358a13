package mixture

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

const (
	// settling is the number of iterations of each start that approach a mode, measuring that of those that measure it.
	settling, measuring = 20, 20
	// negligible is the log of the ratio of two masses from which on the smaller mode is left out.
	negligible = 7
)

// HowStarted describes Restart.
func HowStarted(starts int) string {
	return fmt.Sprintf("%d partitions of the rows, %d iterations from each; one of the states, without those whose mode "+
		"has too little mass", starts, settling+measuring)
}

// Restartable is a chain that can be started several times.
type Restartable interface {
	// Begin draws a new start. The rows that each component starts with are those nearest to one row, where distances
	// are divided by the component's width.
	Begin(widths []float64) error
	Step() (infer.Info, error)
	// State returns the logs of the weights, and the parameters, of the components as they were sampled.
	State() (logW, theta []float64)
	// Save returns a function that restores the state of now. It leaves the stream alone.
	Save() (restore func())
}

// Restart starts a chain the given number of times, each time from another partition of the rows, and runs some
// iterations. It leaves the chain at one of the states reached, drawn with equal probability from those whose mode has
// at least a thousandth of the greatest mass. So a chain does not start in a mode without mass, and chains still
// disagree if several modes have some. It draws randomness only from stream, which is the chain's own.
//
// Cost: starts·(settling + measuring) iterations.
//
// In every other start the widths are equal, so that components are intervals of the rows; else their logs are uniform,
// so that a component may lie within another.
func (l *Layout) Restart(stream *infer.Stream, k Restartable, starts int) error {
	var masses []float64
	var states []func()
	widths := make([]float64, l.Components)
	for r := range starts {
		for c := range widths {
			if widths[c] = 1; r%2 == 1 {
				widths[c] = vec.Exp(-narrowest * stream.Float64())
			}
		}
		if err := k.Begin(widths); err != nil {
			return err
		}
		m := newMass(l)
		for i := range settling + measuring {
			info, err := k.Step()
			if err != nil {
				return err
			}
			if i >= settling {
				logW, theta := k.State()
				m.add(info.LogLik+info.LogPrior, logW, theta)
			}
		}
		masses, states = append(masses, m.log()), append(states, k.Save())
	}
	greatest := slices.Max(masses)
	kept := states[:0]
	for r, restore := range states {
		if !(masses[r] < greatest-negligible) { // all are −Inf if no density is finite
			kept = append(kept, restore)
		}
	}
	kept[variate.Index(stream, len(kept))]()
	return nil
}

// Nearest is the component of a row: that whose distance, divided by its width, is the least.
func Nearest(widths []float64, far func(c int) float64) (nearest int) {
	least := math.Inf(1)
	for c, w := range widths {
		if d := far(c) / w; d < least {
			nearest, least = c, d
		}
	}
	return nearest
}

// narrowest is the log of the ratio of the greatest and the least width.
const narrowest = 4

// mass estimates the log of the posterior mass around the states of one run, up to a constant that is the same for all
// runs: the mean log density plus the logs of the standard deviations, as if coordinates were independent and normal.
// The coordinates are logs of weights, coefficients, logs of dispersions and of probabilities, with the components
// numbered by their order. Weights and probabilities that follow from others are left out.
type mass struct {
	layout        *Layout
	free          []bool // of the parameters of a component
	n, density    float64
	sums, squares []float64
}

func newMass(l *Layout) *mass {
	m := &mass{layout: l, free: make([]bool, len(l.Of)), sums: make([]float64, l.half()),
		squares: make([]float64, l.half())}
	for j, p := range l.Of {
		next := j + 1
		m.free[j] = p.Kind != infer.Probability ||
			next < len(l.Of) && l.Of[next].Kind == infer.Probability && l.Of[next].Term == p.Term
	}
	return m
}

// add takes a state and its log density.
func (m *mass) add(density float64, logW, theta []float64) {
	m.n++
	at := 0
	take := func(x float64) {
		m.sums[at] += x
		m.squares[at] = math.FMA(x, x, m.squares[at])
		at++
	}
	order, d := m.layout.order(logW, theta), len(m.layout.Of)
	for _, c := range order[1:] {
		density += logW[c]
		take(logW[c])
	}
	for _, c := range order {
		for j, x := range theta[c*d : (c+1)*d] {
			if !m.free[j] {
				continue
			}
			switch {
			case m.layout.Of[j].Kind == infer.Dispersion && !m.layout.real(j):
				x = vec.Log(x)
				density += x
			case m.layout.Of[j].Kind == infer.Probability:
				density += x
			}
			take(x)
		}
	}
	m.density += density
}

// log is the estimate, −Inf if a density was not finite.
func (m *mass) log() float64 {
	out := m.density / m.n
	for j, s := range m.sums {
		mean := s / m.n
		out += 0.5 * vec.Log(max(smallest, m.squares[j]/m.n-float64(mean*mean)))
	}
	if math.IsNaN(out) {
		return math.Inf(-1)
	}
	return out
}

// smallest is the least variance.
const smallest = 1e-20

// order lists the components by their keys.
func (l *Layout) order(logW, theta []float64) []int {
	key := func(c int) float64 {
		if l.Order == len(l.Of) {
			return logW[c]
		}
		return theta[c*len(l.Of)+l.Order]
	}
	order := make([]int, l.Components)
	for c := range order {
		order[c] = c
	}
	for _, of := range l.exchangeable() {
		sorted := slices.Clone(of)
		slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
		for i, c := range of {
			order[c] = sorted[i]
		}
	}
	return order
}

// exchangeable lists the sets of components that may be renumbered: all, or those of each known weight.
func (l *Layout) exchangeable() (out [][]int) {
	var weights []float64
	for c := range l.Components {
		w := 0.0
		if l.Known != nil {
			w = l.Known[c]
		}
		k := slices.Index(weights, w)
		if k < 0 {
			k, weights, out = len(out), append(weights, w), append(out, nil)
		}
		out[k] = append(out[k], c)
	}
	return out
}
