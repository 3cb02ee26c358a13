package mixture

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
	"glmbatch/internal/state"
	"glmbatch/internal/words"
)

// Version names the algorithm: it changes whenever the same stream gives other bits.
const Version = "mixture/2 " + cggibbs.Version

// Options configures New.
type Options struct {
	// Components is K, at least 2.
	Components int
	// Concentration is a of the Dirichlet prior of the weights. Zero means 1: all weights are equally likely.
	Concentration float64
	// Known has the weights of the components if they are known; nil if they are drawn. They are positive and sum to 1.
	Known []float64
	// Process is the concentration of a Dirichlet process, of which Components bounds the occupied ones. Zero: a finite
	// mixture. Only package collapsed has it.
	Process float64
	// Order names the parameter of a component by whose size components are numbered, see OrderOf.
	Order string
	// Starts is the number of starts that a chain tries, see Layout.Restart. Zero means 16, and 4 in package collapsed.
	Starts int
}

// MostComponents bounds Options.Components.
const MostComponents = 100

// Filled checks options, and fills in what is left to defaults.
func (o Options) Filled(of []infer.Parameter) (Options, error) {
	if o.Concentration == 0 {
		o.Concentration = 1
	}
	switch {
	case o.Components < 2 || o.Components > MostComponents:
		return o, fmt.Errorf("mixture: %d components; there must be 2 to %d", o.Components, MostComponents)
	case !(o.Concentration >= 1e-6 && o.Concentration <= 1e6):
		return o, fmt.Errorf("mixture: concentration %v of the weights; it must be from 1e-6 to 1e6", o.Concentration)
	case o.Process != 0 && !(o.Process >= 1e-6 && o.Process <= 1e6):
		return o, fmt.Errorf("mixture: concentration %v of a Dirichlet process; it must be from 1e-6 to 1e6", o.Process)
	case o.Process != 0 && o.Known != nil:
		return o, errors.New("mixture: a Dirichlet process has no known weights")
	case o.Known != nil && !Sound(o.Known, o.Components):
		return o, fmt.Errorf("mixture: known weights %v of %d components; they must be positive and sum to 1", o.Known,
			o.Components)
	case OrderOf(of, o.Order) < 0:
		names := []string{ByWeight}
		for _, p := range of {
			names = append(names, p.Name)
		}
		return o, words.Hint(fmt.Errorf("mixture: components have no parameter %q to be numbered by", o.Order),
			"there are "+words.List(names))
	}
	return o, nil
}

// Sound reports whether known has a positive weight for each of a number of components, and sums to 1.
func Sound(known []float64, components int) bool {
	sum := 0.0
	for _, w := range known {
		if sum += w; !(w > 0) {
			return false
		}
	}
	return len(known) == components && math.Abs(sum-1) <= 1e-9
}

// setup holds the data that the chains of one fit share.
type setup struct {
	Layout
	opts   Options
	target *glm.Target // of all rows with one component's parameters
	rows   *glm.Pointwise
}

// New returns the sampler of a mixture whose components each have the likelihood and the priors of target. It
// returns an error if a mixture cannot have such a component, or if an option is wrong.
//
// Cost of an iteration: K·n·d for the linear predictors and K·n densities, besides sweeps over n rows in all.
func New(target *glm.Target, opts Options) (infer.Setup, error) {
	if err := check(target); err != nil {
		return nil, err
	}
	if opts.Process != 0 {
		return nil, words.Hint(errors.New("a Dirichlet process needs a prior that can be integrated out"),
			"give mixture: {conjugate: …}, or leave process out")
	}
	of := target.Parameters()
	opts, err := opts.Filled(of)
	if err != nil {
		return nil, err
	}
	rows, err := glm.NewPointwise(target.Model().Family, target.Data())
	if err != nil {
		return nil, err
	}
	layout := Layout{Components: opts.Components, Of: of, Order: OrderOf(of, opts.Order), Known: opts.Known}
	for j, p := range of {
		if d := target.Model().Family.Dispersion(p.Name); p.Kind == infer.Dispersion && d != nil && d.Real {
			layout.Real = append(layout.Real, j)
		}
	}
	return &setup{Layout: layout, opts: opts, target: target, rows: rows}, nil
}

// check refuses what components cannot have.
func check(target *glm.Target) error {
	data, model := target.Data(), target.Model()
	if names := groups.ImproperPriors(data, model); len(names) > 0 {
		flat := map[bool]string{true: "has a flat one", false: "have flat ones"}[len(names) == 1]
		return words.Hint(fmt.Errorf("a component of a mixture may have no rows, and then only its prior keeps its "+
			"parameters finite: %s %s", words.List(names), flat),
			"give proper priors, as normal(0, 2.5), or leave them to the defaults")
	}
	if _, dense := data.X.(*design.Dense); !dense {
		return words.Hint(errors.New("a mixture needs a dense design, and this one is sparse"), "write sparse: false")
	}
	if len(data.Smooths) > 0 {
		return words.Hint(errors.New("components of a mixture have no smooths yet"), "take ns(x, 3) or poly(x, 2) for s(x)")
	}
	for _, p := range model.Coefficients {
		if p.Kind.Shrinks() {
			return words.Hint(fmt.Errorf("components of a mixture have no %s priors yet", p.Kind),
				"take normal, student_t or laplace")
		}
	}
	return bounded(model)
}

// bounded refuses priors of a dispersion under which the posterior has no finite integral where a component may hold
// nothing but rows that it fits perfectly, as equal responses: with m of them the likelihood grows like (1/sigma)^m, or
// shape^(m/2), where sigma goes to 0 or the shape beyond all bounds, and only a prior that falls faster stops it.
//
// Source: Day (1969), Estimating the components of a mixture of normal distributions, doi:10.1093/biomet/56.3.463.
func bounded(model *glm.Model) error {
	law, name := model.Dispersion, ""
	ok, hint := true, ""
	switch d := model.Family.First(); {
	case !d.Concentrates:
	case d.Scale():
		name = d.Name
		hint = "give " + name + " an inverse_gamma prior, as inverse_gamma(2, 1) in units of the response"
		ok = law.Kind == prior.InverseGamma || law.Kind == prior.Constant || law.Kind == prior.Uniform && law.Low > 0
	default:
		name = d.Name
		hint = fmt.Sprintf("give %s a gamma, exponential or half_normal prior, as gamma(2, 0.1)", name)
		switch law.Kind {
		case prior.Gamma, prior.Exponential, prior.HalfNormal, prior.Constant, prior.Uniform:
		default:
			ok = false
		}
	}
	if ok {
		return nil
	}
	return words.Hint(fmt.Errorf("prior of %s: under %s the posterior of a mixture has no finite integral, for a "+
		"component may hold equal responses alone and fit them perfectly", name, law), hint)
}

// Explain says how the mixture is sampled.
func (s *setup) Explain() string {
	names := make([]string, 0, len(s.Of))
	for _, p := range s.Of {
		names = append(names, p.Name)
	}
	return fmt.Sprintf("%d components, each with its own %s; a label for each row given the parameters, then each "+
		"component by a sweep over its rows", s.Components, strings.Join(names, ", "))
}

// Kernel returns one chain at its dispersed start.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, fmt.Errorf("mixture: chain %d has no random stream", c.Index)
	}
	part := s.target.NewPart()
	sweeps, err := cggibbs.NewConditional(part, c.Stream)
	if err != nil {
		return nil, err
	}
	out := &kernel{setup: s, part: part, sweeps: sweeps, members: make([]members, s.Components)}
	out.Chain = NewChain(&s.Layout, out, s.target.Rows(), s.target.Data().Frequency, s.opts.Concentration, c.Stream)
	out.Updates, out.Saver = out.schedule(), state.NewSaver("mixture", stateVersion, out.list)
	return out, out.start(c)
}
