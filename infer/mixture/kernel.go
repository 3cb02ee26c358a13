package mixture

import (
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/update"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// kernel is one chain. Its state is logW and theta, with the stream: labels are drawn anew in each iteration.
type kernel struct {
	*setup
	update.Stepper
	part   *glm.Part
	sweeps *cggibbs.Conditional
	// one and ranks are what starts are made of: parameters of one component, and the rows in order.
	one   []float64
	ranks []int

	logW  []float64 // of the components' weights
	theta []float64 // of one component after the other
	// terms are the log densities of the rows, component after component, and logLik what they come to.
	terms  []float64
	logLik float64

	members []members
	counts  []float64 // observations of each component
	chances []float64 // scratch
}

// members are the rows of a component and, where rows have frequencies, how many of the observations of each.
type members struct {
	rows []int32
	many []float64
}

// schedule lists the moves of an iteration: labels, weights, the parameters of each component.
func (k *kernel) schedule() update.Schedule {
	return update.Schedule{First: update.Moves{k.label, k.drawWeights, k.moveComponents, k.arrive}}
}

// drawWeights draws the weights given the labels.
func (k *kernel) drawWeights() bool {
	DrawWeights(k.Stream, k.opts.Concentration, k.counts, k.logW)
	return true
}

// arrive computes the densities. The log likelihood is that of the mixture, with the labels summed over: no numbering
// of the components moves it.
func (k *kernel) arrive() bool {
	k.evaluate()
	k.Evaluations += int64(k.Components)
	k.Touched += int64(k.target.Rows()*k.Components) * int64(k.target.Cols())
	return k.Arrive(k.logLik, k.logPrior())
}

// label draws the component of each observation from its law given weights and parameters.
func (k *kernel) label() bool {
	k.forget()
	frequency := k.target.Data().Frequency
	for i := range k.target.Rows() {
		total := k.chancesOf(i)
		if frequency == nil {
			k.join(Pick(k.Stream.Float64(), k.chances, total), i, 1)
			continue
		}
		k.share(frequency[i], total, func(c int, many float64) { k.join(c, i, many) })
	}
	return true
}

// chancesOf writes the logs of what the components make of row i to chances, and returns the log of their sum.
func (k *kernel) chancesOf(i int) (total float64) {
	n := k.target.Rows()
	for c, l := range k.logW {
		k.chances[c] = l + k.terms[c*n+i]
	}
	return LogSum(k.chances)
}

// share draws how many of the observations that a row stands for are of each component, where the chances are: a
// multinomial draw, one component after the other.
func (k *kernel) share(left, total float64, give func(c int, many float64)) {
	rest := 1.0
	for c, l := range k.chances {
		if left == 0 {
			return
		}
		many, p := left, vec.Exp(l-total)
		if q := rest - p; c < k.Components-1 && q > 0 {
			many = variate.Binomial(k.Stream, left, p/rest, q/rest)
		}
		if many > 0 {
			give(c, many)
		}
		left -= many
		rest -= p
	}
}

// forget takes all rows from their components.
func (k *kernel) forget() {
	clear(k.counts)
	for c := range k.members {
		m := &k.members[c]
		m.rows, m.many = m.rows[:0], m.many[:0]
	}
}

// join gives so many observations of a row to a component.
func (k *kernel) join(c, row int, many float64) {
	m := &k.members[c]
	m.rows = append(m.rows, int32(row))
	if k.target.Data().Frequency != nil {
		m.many = append(m.many, many)
	}
	k.counts[c] += many
}

// moveComponents moves the parameters of each component given its rows.
func (k *kernel) moveComponents() bool {
	d := len(k.Of)
	for c := range k.Components {
		theta, m := k.theta[c*d:(c+1)*d], &k.members[c]
		if len(m.rows) == 0 {
			k.target.DrawPrior(k.Stream, theta)
			continue
		}
		many := m.many
		if len(many) == 0 {
			many = nil
		}
		k.part.Take(m.rows, many)
		if !k.Take(k.sweeps.Sweep(theta)) {
			return false
		}
	}
	return true
}

// evaluate makes terms and logLik of the weights and parameters. Cost: K·n·d.
func (k *kernel) evaluate() {
	n, d, data := k.target.Rows(), k.target.Cols(), k.target.Data()
	for c := range k.Components {
		eta, theta := k.terms[c*n:(c+1)*n], k.theta[c*len(k.Of):(c+1)*len(k.Of)]
		design.Multiplied(data.X, theta[:d], eta)
		for i, o := range data.Offset {
			eta[i] += o
		}
		disp := k.target.Model().DispersionsAt(theta[k.target.Cols():])
		k.rows.LogLik(0, eta, disp[:], eta)
	}
	k.logLik = 0
	for i := range n {
		row := k.chancesOf(i)
		if data.Frequency != nil {
			row = float64(row * data.Frequency[i])
		}
		k.logLik += row
	}
}

// logPrior is the log prior density of weights and parameters.
func (k *kernel) logPrior() float64 {
	sum := LogWeightsPrior(k.opts.Concentration, k.logW)
	for c := range k.Components {
		sum += k.target.LogPrior(k.theta[c*len(k.Of) : (c+1)*len(k.Of)])
	}
	return sum
}

// Position writes the components in their order, then as they were sampled.
func (k *kernel) Position(dst []float64) { k.Write(dst, k.logW, k.theta) }

// SetPosition moves the chain to a position, with its stream as it is.
func (k *kernel) SetPosition(position []float64) error {
	k.Read(position, k.logW, k.theta)
	k.evaluate()
	return nil
}
