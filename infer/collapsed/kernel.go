package collapsed

import (
	"cmp"
	"slices"

	"glmbatch/infer/mixture"
	"glmbatch/infer/update"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// kernel is one chain. Its state is labels, logW and theta, with the stream.
type kernel struct {
	*setup
	update.Stepper
	labels []uint8
	// of are the statistics of each component and counts its rows. They are made anew in each iteration, which ends
	// their rounding errors.
	of     []statistics
	counts []float64

	logW, theta []float64 // of one component after the other
	terms       []float64 // log densities of the rows, component after component
	logLik      float64

	chances, scratch []float64 // of the components, of the rows
}

// schedule lists the moves of an iteration: labels, then weights and parameters given these.
func (k *kernel) schedule() update.Schedule {
	labels := k.labelEach
	if k.opts.Plain {
		labels = k.labelAll
	}
	return update.Schedule{First: update.Moves{labels, k.drawParameters, k.arrive}}
}

// labelEach draws the label of each row given those of all others.
func (k *kernel) labelEach() bool {
	k.collect()
	for i := range k.labels {
		k.label(i)
	}
	return true
}

// arrive computes the densities. The log likelihood is that of the mixture at weights and parameters, with the labels
// summed over.
func (k *kernel) arrive() bool {
	k.evaluate()
	k.Evaluations, k.Touched = int64(len(k.labels)), int64(len(k.labels)*k.Components)
	return k.Arrive(k.logLik, k.logPrior())
}

// label draws the label of a row given those of all others.
func (k *kernel) label(i int) {
	k.family.add(k.of[k.labels[i]], i, -1)
	k.counts[k.labels[i]]--
	total := k.chancesOf(i)
	c := mixture.Pick(k.Stream.Float64(), k.chances, total)
	k.labels[i] = uint8(c)
	k.family.add(k.of[c], i, 1)
	k.counts[c]++
}

// chancesOf writes the logs of what the components make of row i, which is in none of them, to chances, and returns the
// log of their sum.
func (k *kernel) chancesOf(i int) (total float64) {
	for c := range k.of {
		k.chances[c] = vec.Log(k.opts.Concentration+k.counts[c]) + k.family.predictive(k.of[c], i)
	}
	return mixture.LogSum(k.chances)
}

// labelAll draws the label of each row given weights and parameters.
func (k *kernel) labelAll() bool {
	n := len(k.labels)
	for i := range n {
		for c, l := range k.logW {
			k.chances[c] = l + k.terms[c*n+i]
		}
		k.labels[i] = uint8(mixture.Pick(k.Stream.Float64(), k.chances, mixture.LogSum(k.chances)))
	}
	return true
}

// collect makes statistics and counts of the labels.
func (k *kernel) collect() {
	for _, s := range k.of {
		clear(s)
	}
	clear(k.counts)
	for i, c := range k.labels {
		k.family.add(k.of[c], i, 1)
		k.counts[c]++
	}
}

// drawParameters draws weights and parameters given labels.
func (k *kernel) drawParameters() bool {
	k.collect()
	mixture.DrawWeights(k.Stream, k.opts.Concentration, k.counts, k.logW)
	d := len(k.Of)
	for c := range k.of {
		k.family.draw(k.Stream, k.of[c], k.theta[c*d:(c+1)*d])
	}
	return true
}

// evaluate makes terms and logLik of weights and parameters.
func (k *kernel) evaluate() {
	n, d := len(k.labels), len(k.Of)
	for c := range k.of {
		k.family.logLik(k.theta[c*d:(c+1)*d], k.terms[c*n:(c+1)*n], k.scratch)
	}
	k.logLik = 0
	for i := range n {
		for c, l := range k.logW {
			k.chances[c] = l + k.terms[c*n+i]
		}
		k.logLik += mixture.LogSum(k.chances)
	}
}

// logPrior is the log prior density of weights and parameters.
func (k *kernel) logPrior() float64 {
	sum, d := mixture.LogWeightsPrior(k.opts.Concentration, k.logW), len(k.Of)
	for c := range k.of {
		sum += k.family.logPrior(k.theta[c*d : (c+1)*d])
	}
	return sum
}

// defaultStarts is the number of starts that a chain tries by default: fewer than in mixture, since labels leave a poor
// partition sooner if parameters are integrated out.
const defaultStarts = 4

func (s *setup) starts() int { return cmp.Or(s.opts.Starts, defaultStarts) }

// Begin draws labels: K rows are drawn, and each row goes to the one whose responses are nearest to its own.
func (k *kernel) Begin(widths []float64) error {
	seeds := make([]int, k.Components)
	for c := range seeds {
		seeds[c] = variate.Index(k.Stream, len(k.labels))
	}
	for i := range k.labels {
		k.labels[i] = uint8(mixture.Nearest(widths, func(c int) float64 { return k.family.far(seeds[c], i) }))
	}
	k.drawParameters()
	k.evaluate()
	return nil
}

// State returns weights and parameters.
func (k *kernel) State() (logW, theta []float64) { return k.logW, k.theta }

// Save returns a function that goes back to the labels, weights and parameters of now.
func (k *kernel) Save() (restore func()) {
	labels, logW, theta := slices.Clone(k.labels), slices.Clone(k.logW), slices.Clone(k.theta)
	return func() {
		copy(k.labels, labels)
		copy(k.logW, logW)
		copy(k.theta, theta)
		k.evaluate()
	}
}

// Position writes the components in their order, then as they were sampled.
func (k *kernel) Position(dst []float64) {
	k.Write(dst, k.logW, k.theta)
	k.tell(dst)
}

// SetPosition moves the chain to a position, with labels that are drawn given it.
func (k *kernel) SetPosition(position []float64) error {
	k.read(position, k.logW, k.theta)
	k.evaluate()
	k.labelAll()
	return nil
}
