package spec

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
)

// Asked is a fit with what its run asks for.
type Asked struct {
	Dataset     *Dataset
	Model       *Model
	Sampler     *Sampler
	Run         *Run
	Sensitivity bool // whether a gate is on the sensitivity to priors

	neighbours bool // whether the data set has a key of variables with neighbours
	given      func(path ...string) bool
}

// feature finds in a fit something that some kinds lack.
type feature struct {
	of scope
	at string // its key in a model; empty: its name
	is func(*modelKind, *Asked) bool
}

// scope is the part of a spec that has a feature.
type scope int

const (
	ofModel scope = iota
	ofPair        // of a model, which a kind of data lacks
	ofRun
	ofFit
)

// features are those that kinds name. Other names are keys, and a model has the feature if the spec has the key.
var features = map[string]feature{
	"group-level effects":   modelHas("formula", (*Model).Grouped),
	"smooths":               modelHas("formula", (*Model).Smooths),
	"monotonic effects":     modelHas("formula", (*Model).Monotonic),
	"known standard errors": modelHas("formula", (*Model).KnownErrors),
	"censored rows":         modelHas("formula", func(m *Model) bool { return m.Family.Limits != family.NoLimits }),
	"spike_slab":            modelHas("prior", (*Model).Selects),
	"shrinkage":             modelHas("prior", func(m *Model) bool { return m.priorThat(shrinks) != "" }),
	"flat":                  modelHas("prior", func(m *Model) bool { return m.priorThat(isFlat) != "" }),
	"components":            modelHas("mixture", (*Model).Mixed),
	"joint prior":           modelHas("mixture: conjugate", func(m *Model) bool { return m.Mixture.Conjugate.Law != "" }),
	"missing: impute":       modelHas("missing", (*Model).Imputes),
	"sparse: true":          modelHas("sparse", func(m *Model) bool { return m.Sparse == "true" }),
	"frequency_weights":     modelHas("frequency_weights", func(m *Model) bool { return m.FrequencyWeights != "" }),
	"precision_weights":     modelHas("precision_weights", func(m *Model) bool { return m.PrecisionWeights != "" }),
	"effects":               modelHas("effects", func(m *Model) bool { return len(m.Effects) > 0 }),
	"scale: link": modelHas("effects", func(m *Model) bool {
		return slices.ContainsFunc(m.Effects, func(e Effect) bool { return e.Scale == "link" })
	}),
	"other families": modelHas("family", otherFamily),

	"loo":               runHas(func(r *Run) bool { return r.LOO.On }),
	"loo: moment_match": runHas(func(r *Run) bool { return r.LOO.MomentMatch }),
	"kfold":             runHas(func(r *Run) bool { return r.KFold != KFold{} }),
	"ppc":               runHas(func(r *Run) bool { return r.PPC.On }),
	"ppc: by":           runHas(func(r *Run) bool { return len(r.PPC.Columns()) > 0 }),
	"ppc: statistics":   runHas(func(r *Run) bool { return len(r.PPC.Statistics) > 0 }),
	"condition":         runHas(func(r *Run) bool { return r.Condition }),
	"sample":            runHas(func(r *Run) bool { return r.Prior() }),
	"start":             runHas(func(r *Run) bool { return r.Start == "previous" }),

	"rows":        fitHas(func(a *Asked) bool { return !a.neighbours }),
	"variables":   fitHas(func(a *Asked) bool { return a.neighbours }),
	"imputations": fitHas(func(a *Asked) bool { return a.Dataset.Imputed() }),
	"options": fitHas(func(a *Asked) bool {
		return (a.Sampler.Auto() || a.Sampler.Of().Coordinates) && len(a.Sampler.OptionsWithoutGroups()) > 0
	}),
	"selection": fitHas(func(a *Asked) bool { return a.Model.Selects() && !a.Sampler.Of().Prior }),
	"basis: reduced": fitHas(func(a *Asked) bool {
		return a.Sampler.Of().Hamiltonian && a.Sampler.Basis == "reduced"
	}),
	"sampler: effects":        fitHas(func(a *Asked) bool { return a.Sampler.Effects != "" }),
	"marginals: conditionals": fitHas(func(a *Asked) bool { return a.Sampler.Marginals == "conditionals" }),
	"keep_weights":            fitHas(func(a *Asked) bool { return a.Sampler.KeepWeights }),
	"scans of systems": fitHas(func(a *Asked) bool {
		s := a.Sampler
		return s.Of().Certifies && (len(s.Scan.For) > 0 || s.Scan.Order == "random" || s.Anneal != Anneal{} ||
			s.States != "" && s.States != "anywhere")
	}),
	"kernels":           fitHas(func(a *Asked) bool { return a.Sampler.Kernels != "" }),
	"prior_sensitivity": fitHas(func(a *Asked) bool { return a.Sensitivity }),
	"method": {of: ofFit, is: func(k *modelKind, a *Asked) bool {
		return a.Sampler.Method != "" && !a.Sampler.Auto() && !k.draws(a.Sampler.Of())
	}},
}

func modelHas(key string, is func(*Model) bool) feature {
	return feature{at: key, is: func(_ *modelKind, a *Asked) bool { return is(a.Model) }}
}

func runHas(is func(*Run) bool) feature {
	return feature{of: ofRun, is: func(_ *modelKind, a *Asked) bool { return is(a.Run) }}
}

func fitHas(is func(*Asked) bool) feature {
	return feature{of: ofFit, is: func(_ *modelKind, a *Asked) bool { return is(a) }}
}

// otherFamily reports whether a model has another family than gaussian(identity).
func otherFamily(m *Model) bool { return m.Family.Name != "" && !m.Family.Is(family.Squares) }

func shrinks(k prior.Kind) bool { return k.Shrinks() || k == prior.SpikeSlab }
func isFlat(k prior.Kind) bool  { return k == prior.Flat }

// priorThat returns the first prior of coefficients of a kind; empty if there is none.
func (m *Model) priorThat(is func(prior.Kind) bool) prior.Kind {
	kinds := []prior.Kind{m.Prior.Coefficients.Kind, m.Prior.Intercept.Prior.Kind}
	for _, n := range m.Prior.ByName {
		kinds = append(kinds, n.Prior.Kind)
	}
	if i := slices.IndexFunc(kinds, is); i >= 0 {
		return kinds[i]
	}
	return ""
}

// fault is a sentence about a fit that has a feature, and the keys of it.
type fault struct {
	kind            *modelKind
	message, remedy string
	path            []string
}

// kinds lists the kinds of a fit, of which the data set or the model may be unknown.
func (a *Asked) kinds() (out []*modelKind) {
	for i := range kinds {
		k := &kinds[i]
		if k.data != nil && a.Dataset != nil && k.data(a.Dataset) || k.model != nil && a.Model != nil && k.model(a.Model) {
			out = append(out, k)
		}
	}
	return out
}

// faults lists the features of some scopes that a fit has and one of its kinds lacks.
func (a *Asked) faults(lacks func(*modelKind) []lack, scopes ...scope) (out []fault) {
	for _, k := range a.kinds() {
		for _, no := range lacks(k) {
			for _, name := range strings.Split(no.features, ", ") {
				f, known := features[name]
				if f.of == ofModel && k.data != nil {
					f.of = ofPair
				}
				if !slices.Contains(scopes, f.of) || known && !f.is(k, a) || !known && !a.given("models", a.Model.Name, name) {
					continue
				}
				fill := a.words(k, name)
				out = append(out, fault{k, fill.Replace(no.message), fill.Replace(no.remedy),
					strings.Split(cmp.Or(f.at, name), ": ")})
			}
		}
	}
	return out
}

func ofSpec(k *modelKind) []lack { return k.lacks }

// words replaces the placeholders of a sentence by the names of a fit.
func (a *Asked) words(k *modelKind, feature string) *strings.Replacer {
	pairs := []string{"$key", feature}
	if a.Dataset != nil {
		pairs = append(pairs, "$data", quote(a.Dataset.Name))
	}
	if m := a.Model; m != nil {
		pairs = append(pairs, "$model", quote(m.Name), "$family", m.Family.String(), "$law", m.Family.Name,
			"$shrinkage", string(m.priorThat(shrinks)), "$several", m.parts())
	}
	if s := a.Sampler; s != nil {
		if k.draws != nil {
			pairs = append(pairs, "$methods", strings.Join(methodsThat(k.draws), ", "))
		}
		pairs = append(pairs, "$sampler", quote(s.Name), "$method", s.Method, "$effects", s.Effects,
			"$options", words.List(s.OptionsWithoutGroups()))
	}
	return strings.NewReplacer(pairs...)
}

// lacksOfModel reports features of a model that one of its kinds lacks.
func (c *checker) lacksOfModel(m *Model) {
	for _, f := range (&Asked{Model: m, given: c.given}).faults(ofSpec, ofModel) {
		c.at(f.message, f.remedy, append([]string{"models", m.Name}, f.path...)...)
	}
}

// lacksOfRun reports what a run asks for and a kind lacks: for the first model of the kind, and for each data set.
func (c *checker) lacksOfRun() {
	first, run := map[*modelKind]*Model{}, &c.pipeline.Run
	report := func(f fault) { c.at(f.message, f.remedy, append([]string{"run"}, f.path...)...) }
	for _, m := range c.pipeline.Models {
		for _, f := range (&Asked{Model: m, Run: run}).faults(ofSpec, ofRun) {
			if first[f.kind] == nil {
				first[f.kind] = m
			}
			if first[f.kind] == m {
				report(f)
			}
		}
	}
	for _, d := range c.pipeline.Datasets {
		for _, f := range (&Asked{Dataset: d, Run: run}).faults(ofSpec, ofRun) {
			report(f)
		}
	}
}

// fits reports whether a data set, a model and a sampler make a fit, or the first reason against it.
func (c *checker) fits(at pos, d *Dataset, m *Model, s *Sampler) bool {
	if c.unknownKind(m) {
		return false
	}
	keys := c.root.get("datasets").get(d.Name).keys()
	a := &Asked{Dataset: d, Model: m, Sampler: s, neighbours: has(keys, []string{"edges", "image", "grid", "sequences"})}
	faults := a.faults(ofSpec, ofFit)
	if len(faults) > 0 {
		c.add(at, faults[0].message, faults[0].remedy)
	}
	return len(faults) == 0
}

// lacksOfData reports the first feature of a model that a kind of data lacks, for the first data set of each kind.
func (c *checker) lacksOfData(at pos, datasets []*Dataset, m *Model) {
	said := map[*modelKind]bool{}
	for _, d := range datasets {
		for _, f := range (&Asked{Dataset: d, Model: m}).faults(ofSpec, ofPair) {
			if !said[f.kind] {
				said[f.kind] = true
				c.add(at, f.message, f.remedy)
			}
		}
	}
}

// Refused returns an error if a kind of the fit lacks what the fit or its run has; other fits of the run continue.
func (a *Asked) Refused() error {
	faults := a.faults(func(k *modelKind) []lack { return k.fits }, ofModel, ofPair, ofFit, ofRun)
	if len(faults) == 0 {
		return nil
	}
	return words.Hint(errors.New(faults[0].message), faults[0].remedy)
}
