package system

import (
	"bytes"
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
)

// Functional is the kind of a parameter that is a function of the whole state.
const Functional infer.ParameterKind = "functional"

// Weight is the kind of a weight of herded Gibbs: that of a watched variable for the states of its neighbours after the
// sweep.
const Weight infer.ParameterKind = "weight"

// functional is a number that a state has.
type functional struct {
	name string
	at   func(x []uint8) float64
	// mean is its expectation under marginals; nil if these do not determine it.
	mean func(q *mrf.Marginals) float64
}

// maxShares bounds the states whose shares are followed.
const maxShares = 8

// functionals returns the numbers of a draw: shares of states except the first, agreement of neighbours, share of wrong
// states. With a focus, which a scan for some variables has, they are shares among these variables.
func (f *Field) functionals(focus []int) (out []functional) {
	if focus != nil {
		return f.focused(focus)
	}
	n := float64(f.N)
	for a := 1; a < min(f.States, maxShares+1); a++ {
		out = append(out, functional{
			name: "share[" + f.Labels[a] + "]",
			at:   func(x []uint8) float64 { return share(a, x, nil) },
			mean: func(q *mrf.Marginals) float64 {
				sum := 0.0
				for i := range f.N {
					sum += q.At(i)[a]
				}
				return sum / n
			},
		})
	}
	if f.Edges > 0 {
		out = append(out, functional{name: "agree", at: f.agreement})
	}
	if known := f.knownTruths(); known > 0 {
		out = append(out, f.wrong(float64(known)))
	}
	return out
}

// focused are shares of states among some variables.
func (f *Field) focused(focus []int) (out []functional) {
	for a := 1; a < min(f.States, maxShares+1); a++ {
		at := func(x []uint8) float64 { return share(a, x, focus) }
		out = append(out, functional{name: "share[" + f.Labels[a] + "]", at: at})
	}
	return out
}

// share is that of state a among some variables, or among all where focus is nil.
func share(a int, x []uint8, focus []int) float64 {
	if focus == nil {
		return float64(bytes.Count(x, []byte{byte(a)})) / float64(len(x))
	}
	count := 0
	for _, i := range focus {
		if int(x[i]) == a {
			count++
		}
	}
	return float64(count) / float64(len(focus))
}

// agreement is the share of edges that join equal states.
func (f *Field) agreement(x []uint8) float64 {
	count := 0
	for i, a := range x {
		for _, j := range f.Model.Neighbours(i) {
			if int(j) >= i {
				break // each edge once, at its later end
			}
			if x[j] == a {
				count++
			}
		}
	}
	return float64(count) / float64(f.Edges)
}

func (f *Field) knownTruths() (known int) {
	for _, a := range f.Truth {
		if a >= 0 {
			known++
		}
	}
	return known
}

// wrong is the share of variables whose state is not the true one.
func (f *Field) wrong(known float64) functional {
	return functional{
		name: "error",
		at: func(x []uint8) float64 {
			count := 0
			for i, a := range f.Truth {
				if a >= 0 && int16(x[i]) != a {
					count++
				}
			}
			return float64(count) / known
		},
		mean: func(q *mrf.Marginals) float64 {
			sum := 0.0
			for i, a := range f.Truth {
				if a >= 0 {
					sum += 1 - q.At(i)[a]
				}
			}
			return sum / known
		},
	}
}

// watched follows the state of one variable, by number.
func (f *Field) watched(i int) functional {
	return functional{
		name: f.ID(i),
		at:   func(x []uint8) float64 { return float64(x[i]) },
		mean: func(q *mrf.Marginals) float64 {
			sum := 0.0
			for a, p := range q.At(i) {
				sum += float64(float64(a) * p)
			}
			return sum
		},
	}
}

// Parameters describes the functionals, then the watched variables.
func (f *Field) Parameters() []infer.Parameter {
	names, _ := f.parameters(nil)
	return names
}

// parameters are the functionals and watched variables as the run knows them.
func (f *Field) parameters(focus []int) (out []infer.Parameter, at []functional) {
	at = f.functionals(focus)
	for _, fn := range at {
		out = append(out, infer.Parameter{Name: fn.name, Kind: Functional})
	}
	for _, i := range f.Watched {
		at = append(at, f.watched(i))
		out = append(out, infer.Parameter{Name: f.ID(i), Kind: mrf.Variable})
	}
	return out, at
}
