package spec

import (
	"slices"
	"strings"
)

// Method is a way to draw, with its facts. The zero value stands for auto.
type Method struct {
	Name        string
	options     string // keys of a sampler that it has
	Coordinates bool   // it draws coefficients in turn
	Independent bool   // its draws are independent: of gaussian(identity)
	Hamiltonian bool   // it moves along trajectories
	Static      bool   // and these have one length
	Prior       bool   // it draws from the prior
	Collapses   bool   // it integrates out the parameters of components
	Mixes       bool   // it draws mixtures
	Discrete    bool   // it is for models of kind mrf
	Selects     bool   // and for regressions with the prior spike_slab
	Certifies   bool   // its scans are certified
}

// The methods that a spec may name.
var (
	CGGibbs = Method{Name: "cggibbs", Coordinates: true, Mixes: true,
		options: "basis update joint moves slow blocks kernels scan width max_doublings refresh_every uncached"}
	Conjugate = Method{Name: "conjugate", Independent: true}
	NUTS      = Method{Name: "nuts", Hamiltonian: true, options: "basis metric target_accept effects max_depth"}
	HMC       = Method{Name: "hmc", Hamiltonian: true, Static: true,
		options: "basis metric target_accept effects length jitter"}
	Collapsed = Method{Name: "collapsed", Collapses: true, Mixes: true}
	Gibbs     = Method{Name: "gibbs", Discrete: true, Selects: true, Certifies: true,
		options: "scan anneal marginals states"}
	Herded = Method{Name: "herded", Discrete: true, Selects: true,
		options: "sharing start updates marginals states keep_weights"}
	MeanField = Method{Name: "meanfield", Discrete: true, options: "states damping tolerance max_sweeps"}
	Exact     = Method{Name: "exact", Discrete: true}
	Viterbi   = Method{Name: "viterbi", Discrete: true}
)

// The methods that models, data or a run decide.
var (
	Prior      = Method{Name: "prior", Prior: true}
	Levels     = Method{Name: "groups"}
	Imputing   = Method{Name: "impute"}
	Components = Method{Name: "mixture"}
)

// methods are all of them.
var methods = []Method{CGGibbs, Conjugate, NUTS, HMC, Collapsed, Gibbs, Herded, MeanField, Exact, Viterbi, Prior,
	Levels, Imputing, Components}

// MethodNamed returns the method of a name, or the zero value.
func MethodNamed(name string) (out Method) {
	if i := slices.IndexFunc(methods, func(m Method) bool { return m.Name == name }); i >= 0 {
		out = methods[i]
	}
	return out
}

// methodsThat names the methods with a fact.
func methodsThat(is func(Method) bool) (names []string) {
	for _, m := range methods {
		if is(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// takes reports whether the method has a key of a sampler.
func (m Method) takes(option string) bool { return slices.Contains(strings.Fields(m.options), option) }

// MaySelect reports whether the method can sample which coefficients are in a model, with the others integrated out.
func (m Method) MaySelect() bool { return m.Selects || m.Independent }

// Of is the method of a sampler; the zero value if that is auto.
func (s *Sampler) Of() Method { return MethodNamed(s.Method) }

// Auto reports whether the method is left to the model and the data.
func (s *Sampler) Auto() bool { return s.Method == "auto" }
