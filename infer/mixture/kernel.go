package mixture

import (
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/update"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// kernel is one chain. Its state is LogW and Theta, with the stream: labels are drawn again in each iteration.
type kernel struct {
	*setup
	Chain
	part   *glm.Part
	sweeps *cggibbs.Conditional
	// one and ranks are what starts are made of: parameters of one component, and the rows in order.
	one   []float64
	ranks []int

	members []members
}

// members are the rows of a component and, where rows have frequencies, how many of the observations of each.
type members struct {
	rows []int32
	many []float64
}

// schedule lists the moves of an iteration: labels, weights, the parameters of each component.
func (k *kernel) schedule() update.Schedule {
	return update.Schedule{First: update.Moves{k.label, k.DrawWeights, k.exchange, k.moveComponents, k.count},
		Last: update.Moves{k.EvaluateLast}}
}

// count counts the densities of all rows in each component.
func (k *kernel) count() bool {
	k.Evaluations += int64(k.Components)
	k.Touched += int64(k.target.Rows()*k.Components) * int64(k.target.Cols())
	return true
}

// label draws the component of each observation from its distribution given weights and parameters.
func (k *kernel) label() bool {
	k.release()
	frequency := k.target.Data().Frequency
	for i := range k.target.Rows() {
		total := k.ChancesOf(i)
		if frequency == nil {
			k.join(Pick(k.Stream.Float64(), k.Chances, total), i, 1)
			continue
		}
		k.share(frequency[i], total, func(c int, many float64) { k.join(c, i, many) })
	}
	return true
}

// share draws how many of the observations that a row stands for are of each component, where the chances are: a
// multinomial draw, one component after the other.
func (k *kernel) share(left, total float64, give func(c int, many float64)) {
	rest := 1.0
	for c, l := range k.Chances {
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

// release takes all rows from their components.
func (k *kernel) release() {
	clear(k.Counts)
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
	k.Counts[c] += many
}

// exchange lets two components of known weights exchange their rows and parameters.
func (k *kernel) exchange() bool {
	return k.Exchange(func(a, b int) {
		k.members[a], k.members[b] = k.members[b], k.members[a]
		one, other := k.ThetaOf(a), k.ThetaOf(b)
		for j := range one {
			one[j], other[j] = other[j], one[j]
		}
	})
}

// moveComponents moves the parameters of each component given its rows.
func (k *kernel) moveComponents() bool {
	for c := range k.Components {
		theta, m := k.ThetaOf(c), &k.members[c]
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

// LogLik writes the log densities of all rows in a component to dst. Cost: O(n·d).
func (k *kernel) LogLik(theta, dst []float64) {
	d, data := k.target.Cols(), k.target.Data()
	design.Multiplied(data.X, theta[:d], dst)
	for i, o := range data.Offset {
		dst[i] += o
	}
	disp := k.target.Model().DispersionsAt(theta[d:])
	k.rows.LogLik(0, dst, disp[:], dst)
}

// LogPrior returns the log prior density of a component.
func (k *kernel) LogPrior(theta []float64) float64 { return k.target.LogPrior(theta) }
