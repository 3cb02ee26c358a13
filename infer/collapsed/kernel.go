package collapsed

import (
	"cmp"
	"slices"

	"glmbatch/infer/mixture"
	"glmbatch/infer/update"
	"glmbatch/internal/vec"
)

// kernel is one chain. Its state is labels, LogW and Theta, with the stream.
type kernel struct {
	*setup
	mixture.Chain
	labels []uint8
	// of are the statistics of each component and Counts its rows. They are recomputed in each iteration, which
	// ends their rounding errors.
	of      []statistics
	scratch []float64 // of the rows
}

// schedule lists the moves of an iteration: labels, then weights and parameters given these.
func (k *kernel) schedule() update.Schedule {
	labels := k.labelEach
	if k.opts.Plain {
		labels = k.labelAll
	}
	return update.Schedule{First: update.Moves{labels, k.exchange, k.drawParameters, k.count},
		Last: update.Moves{k.EvaluateLast}}
}

// labelEach draws the label of each row given those of all others.
func (k *kernel) labelEach() bool {
	k.collect()
	for i := range k.labels {
		k.label(i)
	}
	return true
}

// count counts a density of each row.
func (k *kernel) count() bool {
	k.Evaluations, k.Touched = int64(len(k.labels)), int64(len(k.labels)*k.Components)
	return true
}

// label draws the label of a row given those of all others.
func (k *kernel) label(i int) {
	k.family.add(k.of[k.labels[i]], i, -1)
	k.Counts[k.labels[i]]--
	total := k.predictive(i)
	c := mixture.Pick(k.Stream.Float64(), k.Chances, total)
	k.labels[i] = uint8(c)
	k.family.add(k.of[c], i, 1)
	k.Counts[c]++
}

// predictive writes the logs of what the components make of row i, which is in none of them, to Chances, and returns
// the log of their sum.
func (k *kernel) predictive(i int) (total float64) {
	free := 0.0
	for _, n := range k.Counts {
		if n == 0 {
			free++
		}
	}
	for c := range k.of {
		weight := k.opts.Concentration + k.Counts[c]
		switch {
		case k.Known != nil:
			weight = k.Known[c]
		case k.Process != 0 && k.Counts[c] == 0:
			weight = k.Process / free
		case k.Process != 0:
			weight = k.Counts[c]
		}
		k.Chances[c] = vec.Log(weight) + k.family.predictive(k.of[c], i)
	}
	return mixture.LogSum(k.Chances)
}

// labelAll draws the label of each row given weights and parameters.
func (k *kernel) labelAll() bool {
	for i := range k.labels {
		total := k.ChancesOf(i)
		k.labels[i] = uint8(mixture.Pick(k.Stream.Float64(), k.Chances, total))
	}
	return true
}

// exchange lets two components of known weights exchange their rows.
func (k *kernel) exchange() bool {
	if k.Known == nil {
		return true
	}
	k.collect()
	k.DrawWeights()
	return k.Exchange(func(a, b int) {
		for i, c := range k.labels {
			switch int(c) {
			case a:
				k.labels[i] = uint8(b)
			case b:
				k.labels[i] = uint8(a)
			}
		}
	})
}

// collect makes statistics and counts of the labels.
func (k *kernel) collect() {
	for _, s := range k.of {
		clear(s)
	}
	clear(k.Counts)
	for i, c := range k.labels {
		k.family.add(k.of[c], i, 1)
		k.Counts[c]++
	}
}

// drawParameters draws weights and parameters given labels.
func (k *kernel) drawParameters() bool {
	k.collect()
	k.DrawWeights()
	for c := range k.of {
		k.family.draw(k.Stream, k.of[c], k.ThetaOf(c))
	}
	return true
}

// LogLik writes the log densities of all rows in a component to dst.
func (k *kernel) LogLik(theta, dst []float64) { k.family.logLik(theta, dst, k.scratch) }

// LogPrior returns the log prior density of a component.
func (k *kernel) LogPrior(theta []float64) float64 { return k.family.logPrior(theta) }

// defaultStarts is the number of starts that a chain tries by default: fewer than in mixture, since labels leave a poor
// partition sooner if parameters are integrated out.
const defaultStarts = 4

func (s *setup) starts() int {
	if s.Process != 0 {
		return 1 // no component stays empty or occupied
	}
	return cmp.Or(s.opts.Starts, defaultStarts)
}

// Begin draws labels: K rows are drawn, and each row goes to the one whose responses are nearest to its own.
func (k *kernel) Begin(widths []float64) error {
	k.Partition(widths, k.family.far, func(c, i int) { k.labels[i] = uint8(c) })
	k.drawParameters()
	k.Evaluate()
	return nil
}

// Save returns a function that goes back to the labels, weights and parameters of now.
func (k *kernel) Save() (restore func()) {
	labels, chain := slices.Clone(k.labels), k.Chain.Save()
	return func() {
		copy(k.labels, labels)
		chain()
	}
}

// Position writes the components in their order, then as they were sampled.
func (k *kernel) Position(dst []float64) {
	k.Chain.Position(dst)
	k.probabilities(dst)
}

// SetPosition moves the chain to a position, with labels that are drawn given it.
func (k *kernel) SetPosition(position []float64) error {
	k.read(position, k.LogW, k.Theta)
	k.Evaluate()
	k.labelAll()
	k.collect()
	return nil
}
