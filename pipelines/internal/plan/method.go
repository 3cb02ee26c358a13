package plan

import (
	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/conjugate"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/nuts"
	"glmbatch/infer/priordraws"
	"glmbatch/pipelines/internal/spec"
)

// Method is a sampler as resolved for one problem: the choice of "auto", and the settings that determine draws.
type Method struct {
	spec.Method
	Reason  string // why auto chose it; empty if it was named
	Version string
	Options any  // enters the fingerprint
	Chains  bool // it draws chains; otherwise Problem.Solve finds its answer
	Basis   bool // a set-up chooses a basis, and explains it
	// Off is why no gate looks at its chains; empty if gates do.
	Off string
	// Gibbs are the options of cggibbs, and Trajectories those of nuts and hmc; nil of other methods.
	Gibbs        *cggibbs.Options
	Trajectories *Trajectories
}

// Trajectories are those of a Hamiltonian sampler.
type Trajectories struct {
	nuts.Options
	Effects string // coordinates of group-level effects
	Reduced bool   // whether coefficients move in reduced coordinates
}

// sampler is the method of a regression, and how to set it up.
type sampler struct {
	Method
	setup func(*glm.Target) (infer.Setup, error) // nil of models with group-level effects, and of prior: see setupPrior
	// effects sets up models with group-level effects, whose chains start from an earlier posterior if that is not nil;
	// nil of others.
	effects func(data *glm.Data, model glm.Model, by infer.Parallel, from *groups.Earlier) (infer.Setup, error)
	// windows makes the metrics of a chain's warm-up again; nil: there are none.
	windows func(t *glm.Target, warmup int, position func(i int, theta []float64) error) ([]nuts.Window, error)
}

// priorSampler is that of draws from the prior.
func priorSampler() sampler {
	return sampler{Method: Method{Method: spec.Prior, Version: priordraws.Version, Chains: true}}
}

// resolve chooses the method of a sampler for a model. If the posterior is not log-concave, the version includes the
// rules of its starts, and of plain sweeps if the method has them.
func resolve(s *spec.Sampler, model *spec.Model) sampler {
	out := resolveMethod(s, model)
	if concave(model) {
		return out
	}
	if out.Coordinates || out.Hamiltonian || out.Method.Method == spec.Levels {
		out.Version += " " + glm.StartsVersion
		if s.Auto() || s.Basis == "auto" || model.Grouped() {
			out.Version += " " + cggibbs.PlainVersion
		}
	}
	return out
}

// resolveMethod is resolve without these rules.
func resolveMethod(s *spec.Sampler, model *spec.Model) sampler {
	if model.Grouped() {
		return resolveGroups(s)
	}
	of, reason, basis := s.Of(), "", s.Basis
	if s.Auto() {
		of, reason = auto(model)
		basis = "auto"
	}
	if of.MaySelect() && model.Selects() {
		return selecting(s, of, reason)
	}
	switch {
	case of.Prior:
		return priorSampler()
	case of.Independent:
		return sampler{
			Method: Method{Method: of, Reason: reason, Version: conjugate.Version, Chains: true},
			setup:  func(t *glm.Target) (infer.Setup, error) { return conjugate.New(t) },
		}
	case of.Coordinates:
		o := &cggibbs.Options{
			Basis: basis, Update: s.Update, Joint: s.Joint, Moves: s.Moves, Slow: s.Slow, Kernels: s.Kernels,
			Scan: s.Scan.Order, Width: s.Width,
			MaxDoublings: s.MaxDoublings, RefreshEvery: int(s.RefreshEvery), Uncached: s.Uncached,
		}
		version := cggibbs.Version
		if basis == "auto" || s.Joint == "auto" {
			version += " " + cggibbs.AutoVersion
		}
		if len(s.Scan.For) > 0 {
			version += " " + cggibbs.FocusVersion
		}
		if model.Selects() {
			version += " " + cggibbs.SelectVersion
		}
		if len(s.Blocks) > 0 || s.Slow == "nuts" { //name:ok a value of slow
			version += " " + cggibbs.SubspaceVersion
		}
		return sampler{
			Method: Method{Method: of, Reason: reason, Version: version, Options: o, Gibbs: o, Chains: true, Basis: true},
			setup:  func(t *glm.Target) (infer.Setup, error) { return cggibbs.New(t, *o) },
		}
	}
	return trajectories(s)
}

// trajectories returns the method nuts or hmc; in the reduced coordinates its
// windows of warm-up are not those of the posterior's coefficients.
func trajectories(s *spec.Sampler) sampler {
	o := nuts.Options{
		Static: s.Of().Static, Metric: s.Metric, MaxDepth: s.MaxDepth, TargetAccept: s.TargetAccept,
		Length: s.Length, Jitter: s.Jitter,
	}
	m := sampler{
		Method: Method{
			Method: s.Of(), Version: nuts.Version, Options: o, Chains: true,
			Trajectories: &Trajectories{o, s.Effects, s.Basis == "reduced"},
		},
		setup: func(t *glm.Target) (infer.Setup, error) { return nuts.New(t, o) },
		windows: func(t *glm.Target, warmup int, position func(int, []float64) error) ([]nuts.Window, error) {
			return nuts.Windows(t, o, warmup, position)
		},
	}
	if m.Trajectories.Reduced {
		plain := m.setup
		m.Version += " " + cggibbs.Version
		m.Options = struct {
			nuts.Options
			Basis string
		}{o, s.Basis}
		m.setup = func(t *glm.Target) (infer.Setup, error) { return cggibbs.ReducedBy(t, plain) }
		m.windows = nil
	}
	return m
}

// auto picks the exact sampler that this version has for a model.
func auto(model *spec.Model) (of spec.Method, reason string) {
	gaussian := model.Family.Is(family.Squares)
	switch {
	case gaussian && !conjugatePriors(model):
		return spec.CGGibbs, "auto chose cggibbs: gaussian(identity) has exact draws under normal or flat priors of the " +
			"coefficients, and half_cauchy, half_normal, exponential or flat of sigma, only"
	case gaussian:
		return spec.Conjugate, "auto chose conjugate: gaussian(identity) with normal or flat priors has exact independent " +
			"draws"
	}
	return spec.CGGibbs, "auto chose cggibbs: " + model.Family.String() + " has no closed form"
}
