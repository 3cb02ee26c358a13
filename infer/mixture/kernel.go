package mixture

import (
	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/state"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// kernel is one chain. Its state is logW and theta, with the stream: labels are drawn anew in each iteration.
type kernel struct {
	*setup
	state.Saver
	stream *infer.Stream
	part   *glm.Part
	sweeps *cggibbs.Conditional
	words  string
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

// Step draws labels, weights and the parameters of each component. LogLik is that of the mixture, with the labels
// summed over: no numbering of the components moves it.
func (k *kernel) Step() (infer.Info, error) {
	k.label()
	DrawWeights(k.stream, k.opts.Concentration, k.counts, k.logW)
	info, err := k.moveComponents()
	if err != nil {
		return infer.Info{}, err
	}
	k.evaluate()
	info.LogLik, info.LogPrior = k.logLik, k.logPrior()
	n := int64(k.target.Rows() * k.Components)
	info.Evaluations += int64(k.Components)
	info.Touched += n * int64(k.target.Cols())
	return info, nil
}

// label draws the component of each observation from its law given weights and parameters.
func (k *kernel) label() {
	k.forget()
	frequency := k.target.Data().Frequency
	for i := range k.target.Rows() {
		total := k.chancesOf(i)
		if frequency == nil {
			k.join(Pick(k.stream.Float64(), k.chances, total), i, 1)
			continue
		}
		k.share(frequency[i], total, func(c int, many float64) { k.join(c, i, many) })
	}
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
			many = variate.Binomial(k.stream, left, p/rest, q/rest)
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
func (k *kernel) moveComponents() (info infer.Info, err error) {
	d := len(k.Of)
	for c := range k.Components {
		theta, m := k.theta[c*d:(c+1)*d], &k.members[c]
		if len(m.rows) == 0 {
			k.target.DrawPrior(k.stream, theta)
			continue
		}
		many := m.many
		if len(many) == 0 {
			many = nil
		}
		k.part.Take(m.rows, many)
		one, err := k.sweeps.Sweep(theta)
		if err != nil {
			return info, err
		}
		info.Evaluations += one.Evaluations
		info.Touched += one.Touched
	}
	return info, nil
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

// Start says how the starting point was drawn.
func (k *kernel) Start() string { return k.words }
