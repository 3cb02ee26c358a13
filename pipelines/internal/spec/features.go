package spec

import (
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
	ofRun
	ofFit
)

// features are those that kinds name. Other names are keys, and a model has the feature if the spec has the key.
var features = map[string]feature{
	"group-level effects":   modelHas("formula", (*Model).Grouped),
	"smooths":               modelHas("formula", (*Model).Smooths),
	"known standard errors": modelHas("formula", (*Model).KnownErrors),
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
	"condition":         runHas(func(r *Run) bool { return r.Condition }),
	"sample":            runHas(func(r *Run) bool { return r.Prior() }),
	"start":             runHas(func(r *Run) bool { return r.Start == "previous" }),

	"rows":              fitHas(func(a *Asked) bool { return !a.neighbours }),
	"variables":         fitHas(func(a *Asked) bool { return a.neighbours }),
	"imputations":       fitHas(func(a *Asked) bool { return a.Dataset.Imputed() }),
	"options":           fitHas(func(a *Asked) bool { return len(a.Sampler.OptionsWithoutGroups()) > 0 }),
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

// featureNamed returns the feature of a name.
func featureNamed(name string) feature {
	out, known := features[name]
	if !known {
		out = feature{is: func(_ *modelKind, a *Asked) bool { return a.given("models", a.Model.Name, name) }}
	}
	if out.at == "" {
		out.at = name
	}
	return out
}

// fault is a sentence about a fit, with the keys that it is about, in a model or the run.
type fault struct {
	message, remedy string
	path            []string
}

// of reports whether a fit is of the kind.
func (k *modelKind) of(a *Asked) bool {
	if k.data != nil {
		return k.data(a.Dataset)
	}
	return k.model(a.Model)
}

// faults lists the features of a part that a fit has, and that the kind lacks.
func (k *modelKind) faults(lacks []lack, of scope, a *Asked) (out []fault) {
	for _, no := range lacks {
		for _, name := range strings.Split(no.features, ", ") {
			if f := featureNamed(name); f.of == of && f.is(k, a) {
				fill := a.words(k, name)
				out = append(out, fault{fill.Replace(no.message), fill.Replace(no.remedy), strings.Split(f.at, ": ")})
			}
		}
	}
	return out
}

// methods names those that draw the kind; nil if methods do not matter.
func (k *modelKind) methods() []string {
	if k.draws == nil {
		return nil
	}
	return methodsThat(k.draws)
}

// words replaces the placeholders of a sentence by the names of a fit.
func (a *Asked) words(k *modelKind, feature string) *strings.Replacer {
	pairs := []string{"$key", feature}
	if a.Dataset != nil {
		pairs = append(pairs, "$data", quote(a.Dataset.Name))
	}
	if a.Model != nil {
		pairs = append(pairs, "$model", quote(a.Model.Name), "$family", a.Model.Family.String(), "$law", a.Model.Family.Name,
			"$shrinkage", string(a.Model.priorThat(shrinks)))
	}
	if a.Sampler != nil {
		pairs = append(pairs, "$sampler", quote(a.Sampler.Name), "$methods", strings.Join(k.methods(), ", "),
			"$method", a.Sampler.Method, "$options", words.List(a.Sampler.OptionsWithoutGroups()))
	}
	return strings.NewReplacer(pairs...)
}

// lacksOfModel reports features of a model that one of its kinds lacks.
func (c *checker) lacksOfModel(m *Model) {
	a := &Asked{Model: m, given: c.given}
	for i := range kinds {
		if k := &kinds[i]; k.data == nil && k.of(a) {
			for _, f := range k.faults(k.lacks, ofModel, a) {
				c.at(f.message, f.remedy, append([]string{"models", m.Name}, f.path...)...)
			}
		}
	}
}

// lacksOfRun reports what a run asks for and a kind lacks: the first model of a kind, and each data set.
func (c *checker) lacksOfRun() {
	p := c.pipeline
	for i := range kinds {
		k := &kinds[i]
		report := func(a *Asked) {
			for _, f := range k.faults(k.lacks, ofRun, a) {
				c.at(f.message, f.remedy, append([]string{"run"}, f.path...)...)
			}
		}
		if k.data == nil {
			if i := slices.IndexFunc(p.Models, k.model); i >= 0 {
				report(&Asked{Model: p.Models[i], Run: &p.Run})
			}
			continue
		}
		for _, d := range p.Datasets {
			if k.data(d) {
				report(&Asked{Dataset: d, Run: &p.Run})
			}
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
	for i := range kinds {
		if k := &kinds[i]; k.of(a) {
			if faults := k.faults(k.lacks, ofFit, a); len(faults) > 0 {
				c.add(at, faults[0].message, faults[0].remedy)
				return false
			}
		}
	}
	return true
}

// lacksOfData reports the first feature of a model that a kind of data lacks, for the first data set of each kind.
func (c *checker) lacksOfData(at pos, datasets []*Dataset, m *Model) {
	for i := range kinds {
		k := &kinds[i]
		if k.data == nil {
			continue
		}
		for _, d := range datasets {
			if faults := k.faults(k.lacks, ofModel, &Asked{Dataset: d, Model: m}); k.data(d) && len(faults) > 0 {
				c.add(at, faults[0].message, faults[0].remedy)
				break
			}
		}
	}
}

// Refused returns an error if a kind of the fit lacks what the fit or its run has; other fits of the run continue.
func (a *Asked) Refused() error {
	for i := range kinds {
		if k := &kinds[i]; k.of(a) {
			for _, of := range []scope{ofModel, ofFit, ofRun} {
				if faults := k.faults(k.fits, of, a); len(faults) > 0 {
					return words.Hint(errors.New(faults[0].message), faults[0].remedy)
				}
			}
		}
	}
	return nil
}
