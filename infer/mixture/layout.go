package mixture

import (
	"cmp"
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/internal/vec"
)

// Layout describes the order of a position: the weights of the components, then the parameters of one component
// after the other; first with the components in increasing order of one of these numbers, then as they were
// sampled.
type Layout struct {
	Components int
	// Of describes the parameters of one component: coefficients, then dispersions.
	Of []infer.Parameter
	// Order is the entry of Of by which components are numbered; len(Of) means the weight.
	Order int
	// Real lists the entries of Of that are dispersions of either sign.
	Real []int
	// Known has the weights of the components if they are known. Components keep their numbers then, except that those
	// of equal weights are numbered among themselves. Nil if weights are drawn.
	Known []float64
	// Process is the concentration of a Dirichlet process, see Options. A position then ends with the number of occupied
	// components.
	Process float64
}

func (l *Layout) real(j int) bool { return slices.Contains(l.Real, j) }

// Names of orders besides the names of a component's parameters.
const (
	ByWeight  = "theta"
	intercept = "(Intercept)"
)

// OrderOf returns the entry of a component's parameters with this name, len(of) for ByWeight; −1 if there is none. An
// empty name means the intercept, or where there is none the first.
func OrderOf(of []infer.Parameter, name string) int {
	switch name {
	case "":
		return max(0, slices.IndexFunc(of, func(p infer.Parameter) bool { return p.Kind == infer.Intercept }))
	case ByWeight:
		return len(of)
	}
	return slices.IndexFunc(of, func(p infer.Parameter) bool { return p.Name == name })
}

// Parameters describes a position. As in brms the weights are called theta1, theta2, …, a coefficient mu1_x or
// mu1_Intercept, a dispersion sigma1, and the probability of a category p1_category; those of
// components as they were sampled have unsorted_ in front.
func (l *Layout) Parameters() []infer.Parameter {
	out := make([]infer.Parameter, 0, l.Len())
	for _, prefix := range []string{"", "unsorted_"} {
		kind := func(k infer.ParameterKind) infer.ParameterKind {
			if prefix != "" {
				return infer.Unsorted
			}
			return k
		}
		for c := range l.Components {
			out = append(out, infer.Parameter{Name: prefix + "theta" + strconv.Itoa(c+1), Kind: kind(infer.MixtureWeight),
				Level: strconv.Itoa(c + 1)})
		}
		for c := range l.Components {
			for _, p := range l.Of {
				out = append(out, infer.Parameter{Name: prefix + componentName(p, c), Kind: kind(p.Kind),
					Level: strconv.Itoa(c + 1), Term: cmp.Or(p.Term, term(p)), Term2: p.Term2})
			}
		}
	}
	if l.Process != 0 {
		out = append(out, infer.Parameter{Name: "occupied", Kind: infer.Occupied})
	}
	return out
}

func componentName(p infer.Parameter, c int) string {
	switch p.Kind {
	case infer.Dispersion:
		return p.Name + strconv.Itoa(c+1)
	case infer.Probability:
		return "p" + strconv.Itoa(c+1) + "_" + p.Name
	}
	return "mu" + strconv.Itoa(c+1) + "_" + term(p)
}

// term is the name of a column, Intercept for the column of ones, as elsewhere in names with several parts.
func term(p infer.Parameter) string {
	switch {
	case p.Kind == infer.Dispersion:
		return ""
	case p.Name == intercept:
		return "Intercept"
	}
	return p.Name
}

// Len is how many numbers a position has.
func (l *Layout) Len() int {
	if l.Process != 0 {
		return 2*l.half() + 1
	}
	return 2 * l.half()
}

// WeightAt is where a position has the weight of component c in their order.
func (l *Layout) WeightAt(c int) int { return c }

// At is where a position has the parameters of component c in their order.
func (l *Layout) At(c int) int { return l.Components + c*len(l.Of) }

func (l *Layout) half() int { return l.Components * (1 + len(l.Of)) }

// Blocks yields the parameters of each component in a position, twice for each, in their order; they alias it.
func (l *Layout) Blocks(position []float64) (out [][]float64) {
	for at := 0; at < 2*l.half(); at += l.half() {
		for c := range l.Components {
			from := at + l.Components + c*len(l.Of)
			out = append(out, position[from:from+len(l.Of)])
		}
	}
	return out
}

// Write writes the position where components have weights with these logs, and these parameters, component after
// component. A weight may underflow to 0.
func (l *Layout) Write(dst, logW, theta []float64) {
	d, order := len(l.Of), l.order(logW, theta)
	weights := dst[l.half() : l.half()+l.Components]
	for c, w := range logW {
		weights[c] = min(1, vec.Exp(w))
	}
	copy(weights, l.Known)
	for to, c := range order {
		dst[to] = weights[c]
		copy(dst[l.Components+to*d:], theta[c*d:(c+1)*d])
	}
	copy(dst[l.half()+l.Components:], theta)
}

// Read reads the logs of the weights, and the parameters, of the components as they were sampled from a position.
func (l *Layout) Read(position, logW, theta []float64) {
	for c := range logW {
		logW[c] = vec.Log(position[l.half()+c])
	}
	copy(theta, position[l.half()+l.Components:2*l.half()])
}

// Keys are the entries of a position by which its components are numbered, as they were sampled. If weights are known,
// they are those of the largest set of components with equal weights, and there are none if all weights differ.
func (l *Layout) Keys() (out []int) {
	sets := l.exchangeable()
	largest := slices.MaxFunc(sets, func(a, b []int) int { return cmp.Compare(len(a), len(b)) })
	if len(largest) == 1 {
		return nil
	}
	for _, c := range largest {
		key := l.half() + c
		if l.Order < len(l.Of) {
			key = l.half() + l.Components + c*len(l.Of) + l.Order
		}
		out = append(out, key)
	}
	return out
}

// Switching holds the changes of labels between consecutive draws of a chain.
type Switching struct {
	// Switches is how often the order of the components, as they were sampled, is another one than in the draw before.
	Switches int
	// Commonest is that order in most draws: the label of the least component first.
	Commonest []int
}

// Switches looks at the keys of each component, draw by draw. Cost: O(draws·K·log K).
func Switches(keys [][]float64) (out Switching) {
	counts := map[string]int{}
	before, order := make([]int, len(keys)), make([]int, len(keys))
	most := 0
	for i := range keys[0] {
		for c := range order {
			order[c] = c
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a][i], keys[b][i]) })
		if i > 0 && !slices.Equal(order, before) {
			out.Switches++
		}
		copy(before, order)
		text := ""
		for _, c := range order {
			text += strconv.Itoa(c) + " "
		}
		if counts[text]++; counts[text] > most {
			most, out.Commonest = counts[text], slices.Clone(order)
		}
	}
	return out
}
