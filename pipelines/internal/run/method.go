package run

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/conjugate"
	"glmbatch/infer/glm"
	"glmbatch/infer/nuts"
	"glmbatch/infer/priordraws"
	"glmbatch/pipelines/internal/spec"
)

// method is a sampler as resolved for one model: what "auto" stands for, the
// settings in the fingerprint, and how to set it up.
type method struct {
	name    string // cggibbs, conjugate, nuts, hmc
	reason  string // why auto chose it; empty if it was named
	version string
	options any // enters the fingerprint
	setup   func(*glm.Target) (infer.Setup, error)
	// hamiltonian tells that iterations report trajectories; maxDepth, if not 0,
	// is the number of doublings that ends one.
	hamiltonian bool
	maxDepth    int
	aim         float64         // acceptance that warm-up adapts to
	discrete    *discreteMethod // of models of kind mrf; nil of others
	// windows makes the metrics of a chain's warm-up again; nil: there are none.
	windows func(t *glm.Target, warmup int, position func(i int, theta []float64) error) ([]nuts.Window, error)
}

// priorMethod is the method of fits that are drawn from the prior.
const priorMethod = "prior"

// resolve chooses the method of a sampler for a model.
func resolve(s *spec.Sampler, model *spec.Model) (method, error) {
	name, reason, basis := s.Method, "", s.Basis
	if name == "auto" {
		name, reason = auto(model)
		basis = "auto"
	}
	switch name {
	case priorMethod:
		return method{name: name, version: priordraws.Version, setup: priordraws.New}, nil
	case "conjugate":
		return method{
			name: name, reason: reason, version: conjugate.Version,
			setup: func(t *glm.Target) (infer.Setup, error) { return conjugate.New(t) },
		}, nil
	case "cggibbs":
		o := cggibbs.Options{
			Basis: basis, Update: s.Update, Joint: s.Joint, Slow: s.Slow, Kernels: s.Kernels, Scan: s.Scan.Order, Width: s.Width,
			MaxDoublings: s.MaxDoublings, RefreshEvery: int(s.RefreshEvery), Uncached: s.Uncached,
		}
		version := cggibbs.Version
		if basis == "auto" {
			version += " " + cggibbs.AutoVersion
		}
		if len(s.Scan.For) > 0 {
			version += " " + cggibbs.FocusVersion
		}
		return method{
			name: name, reason: reason, version: version, options: o,
			setup: func(t *glm.Target) (infer.Setup, error) { return cggibbs.New(t, o) },
		}, nil
	case "nuts", "hmc":
		return trajectories(s), nil
	}
	return method{}, fmt.Errorf("sampler %q: method %q is not in this version", s.Name, name)
}

// trajectories returns the method nuts or hmc; in the reduced coordinates its
// windows of warm-up are not those of the posterior's coefficients.
func trajectories(s *spec.Sampler) method {
	o := nuts.Options{
		Static: s.Method == "hmc", Metric: s.Metric, MaxDepth: s.MaxDepth, TargetAccept: s.TargetAccept,
		Length: s.Length, Jitter: s.Jitter,
	}
	m := method{
		name: s.Method, version: nuts.Version, options: o,
		setup:       func(t *glm.Target) (infer.Setup, error) { return nuts.New(t, o) },
		hamiltonian: true, maxDepth: o.Doublings(), aim: o.Aim(),
		windows: func(t *glm.Target, warmup int, position func(int, []float64) error) ([]nuts.Window, error) {
			return nuts.Windows(t, o, warmup, position)
		},
	}
	if s.Basis == "reduced" {
		plain := m.setup
		m.version += " " + cggibbs.Version
		m.options = struct {
			nuts.Options
			Basis string
		}{o, s.Basis}
		m.setup = func(t *glm.Target) (infer.Setup, error) { return cggibbs.ReducedBy(t, plain) }
		m.windows = nil
	}
	return m
}

// auto picks the exact sampler that this version has for a model.
func auto(model *spec.Model) (name, reason string) {
	family := model.Family
	gaussian := family.Name == "gaussian" && family.Link == "identity"
	switch {
	case gaussian && !conjugatePriors(model):
		return "cggibbs", "auto chose cggibbs: gaussian(identity) has exact draws under normal or flat priors of the coefficients, " +
			"and half_cauchy, half_normal, exponential or flat of sigma, only"
	case gaussian:
		return "conjugate", "auto chose conjugate: gaussian(identity) with normal or flat priors has exact independent draws"
	}
	return "cggibbs", "auto chose cggibbs: " + family.String() + " has no closed form"
}
