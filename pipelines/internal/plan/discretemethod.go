package plan

import (
	"fmt"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/discrete/system"
	"glmbatch/pipelines/internal/spec"
)

// discreteMethod is a sampler of discrete variables as resolved for one field.
type discreteMethod struct {
	Method
	// gated reports whether its chains are Markov chains of the model after their warm-up; sampled whether their
	// states give marginals.
	gated, sampled bool
	// solve is a method without chains, nil for others; it returns a description too.
	solve func(*system.Field) (*system.Result, string, error)
	// setup makes a sampler for chains of iterations iterations; nil for methods without chains.
	setup func(f *system.Field, iterations int) (*discreteSampler, error)
	why   string // why no gate looks at it
}

// resolveDiscrete chooses the method of a sampler for a field.
func resolveDiscrete(s *spec.Sampler, f *system.Field) (*discreteMethod, error) {
	of, reason := s.Of(), ""
	if s.Auto() {
		of, reason = spec.Gibbs, "auto chose gibbs: exact sums would take too long on this graph"
		if way, ok := f.Cheap(); ok {
			of, reason = spec.Exact, "auto chose exact: "+way
		}
	}
	var m *discreteMethod
	version := mrf.Version + " " + system.Version
	switch of {
	case spec.Gibbs:
		if len(s.Scan.For) > 0 {
			version += " " + scansVersion
		}
		m = gibbsMethod(s)
		m.Options = struct {
			Scan   spec.Scan
			Anneal spec.Anneal
			States mrf.Start `json:",omitempty"`
			averaged
		}{s.Scan, s.Anneal, mrf.Start(s.States), averaged{s.Marginals}}
	case spec.Herded:
		o := herded.Options{Sharing: herded.Sharing(s.Sharing), Start: herded.Start(s.Start), States: mrf.Start(s.States),
			Updates: herded.Updates(s.Updates)}
		version = herded.Version + " " + system.Version
		m = herdedMethod(o)
		m.Options = struct {
			herded.Options
			averaged
			KeepWeights bool `json:",omitempty"`
		}{o, averaged{s.Marginals}, s.KeepWeights}
	case spec.MeanField:
		o := mrf.MeanFieldOptions{Damping: s.Damping, Tolerance: s.Tolerance, MaxSweeps: s.MaxSweeps,
			Start: mrf.Start(s.States)}
		m = &discreteMethod{why: "an approximation has no chains",
			solve: func(f *system.Field) (*system.Result, string, error) {
				r, err := f.MeanField(o)
				return r, "mean field", err
			}}
		m.Options = o
	case spec.Exact:
		m = &discreteMethod{why: "an exact method has no chains", solve: (*system.Field).Exact}
	case spec.Viterbi:
		m = &discreteMethod{why: "an exact method has no chains",
			solve: func(f *system.Field) (*system.Result, string, error) {
				r, err := f.Viterbi()
				return r, "Viterbi", err
			}}
	default:
		return nil, fmt.Errorf("sampler %q: method %q is not for models of kind mrf", s.Name, s.Method)
	}
	m.Method.Method, m.Reason, m.Version, m.Chains = of, reason, version, m.solve == nil
	return m, nil
}

// averaged selects the values that marginals average, as in the options.
type averaged struct {
	Marginals string `json:",omitempty"`
}

// scansVersion names the search for certified scans: it changes whenever other lists are
// found.
const scansVersion = "dogs/3"
