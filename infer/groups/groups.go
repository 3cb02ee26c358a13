package groups

import (
	"fmt"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// Version names the algorithm: draws of different versions may differ in bits.
const Version = "groups/4"

// Options configures New. The zero value is ready to use.
type Options struct {
	// Kernels are the passes over rows, as in cggibbs.Options; no bit depends on them. Empty means "vector".
	Kernels string
	// RefreshEvery is that of cggibbs.Options.
	RefreshEvery int `json:",omitempty"`
	// Earlier is an earlier posterior that chains start around; nil for none.
	Earlier *Earlier `json:"-"`

	rewritten *rewriting // nil: the design stays
	ordered   bool       // rows keep their order
}

// setup holds the data that the chains of one fit share.
type setup struct {
	target     *glm.Target // without effects
	fixed      *cggibbs.Coefficients
	blocks     []*block
	pairs      []*pair
	nests      []*nest
	joint      *joint // or nil
	options    Options
	names      []string
	params     []infer.Parameter
	proper     bool
	sliceEvery int64   // iterations from one with slices of every effect to the next
	sliceWidth float64 // of these, in standard deviations of the prior
}

// New returns the sampler of a model with group-level effects: data.Effects and model.Effects are filled and equally
// long. It keeps data. Errors are those of glm.NewTarget for the model without effects, and of a prior under which the
// posterior may have no finite integral.
func New(data *glm.Data, model glm.Model, by infer.Parallel, o Options) (infer.Setup, error) {
	s, err := newSetup(data, model, by, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func newSetup(data *glm.Data, model glm.Model, by infer.Parallel, o Options) (*setup, error) {
	if err := check(data, &model); err != nil {
		return nil, err
	}
	if o.rewritten == nil && !o.ordered { // otherwise another package counts the rows
		data = byLevel(data)
	}
	target, err := without(data, model, by)
	if err != nil {
		return nil, err
	}
	if o.Earlier != nil {
		if target, err = o.Earlier.Around(target); err != nil {
			return nil, err
		}
	}
	plain, priors := target.Data(), model.Effects
	model.Penalise(plain)
	s := &setup{target: target, options: o, proper: model.Proper(), sliceEvery: sliceEvery, sliceWidth: sliceWidth}
	if !model.Family.LogConcave() {
		s.sliceEvery, s.sliceWidth = modesEvery, modesWidth
	}
	options := cggibbs.Options{Basis: "rotated", Kernels: o.Kernels, RefreshEvery: o.RefreshEvery}
	if o.rewritten == nil {
		s.joint = newJoint(target)
	}
	if o.ordered {
		options.PlainTimes = orderedPlain
	}
	if Sparse(plain) || s.joint != nil {
		options.Basis = "coordinate"
	}
	propose := o.ordered && options.Basis == "rotated" && cggibbs.MayPropose(target)
	if propose {
		s.fixed, err = cggibbs.NewProposed(target, options)
	} else {
		s.fixed, err = o.newFixed(target, options)
	}
	if err != nil {
		return nil, err
	}
	for i, e := range data.Effects {
		b := newBlock(e, priors[i], target)
		b.findShifts(plain, model.Coefficients, o.rewritten)
		if o.ordered {
			b.findOuter()
		}
		s.blocks = append(s.blocks, b)
	}
	s.findWeak()
	s.pairs = findPairs(s.blocks, target)
	s.nests = findNests(s.pairs, s.blocks)
	s.describe()
	return s, nil
}

// without returns the model, which was checked, without its effects.
func without(data *glm.Data, model glm.Model, by infer.Parallel) (*glm.Target, error) {
	plain := *data
	plain.Effects, model.Effects = nil, nil
	target, err := glm.NewTargetBy(by, &plain, model)
	if err == nil {
		err = checkPerfect(data, &model)
	}
	return target, err
}

// Sparse reports whether the design stores few of its entries: a rotated one stores all.
func Sparse(data *glm.Data) bool {
	n, d := data.X.Size()
	return 4*data.X.Entries() < int64(n)*int64(d)
}

// describe makes the parameters.
func (s *setup) describe() {
	s.params = s.target.Parameters()
	for _, b := range s.blocks {
		for t, term := range b.Terms {
			if b.prior.SD[t].Kind != prior.Constant {
				s.params = append(s.params, infer.Parameter{Name: b.sdName(t), Kind: infer.GroupSD, Grouping: b.Group, Term: term})
			}
		}
		if !b.Linked {
			s.params = append(s.params, b.correlations()...)
		}
	}
	for _, b := range s.blocks {
		for t, term := range b.Terms {
			for l, level := range b.Levels {
				s.params = append(s.params, infer.Parameter{Name: b.effectName(l, t), Kind: infer.GroupEffect,
					Grouping: b.Group, Level: level, Term: term})
			}
		}
	}
	for _, p := range s.target.Parameters() {
		s.names = append(s.names, p.Name)
	}
}

// correlations are the parameters of each term with the terms before it.
func (b *block) correlations() (out []infer.Parameter) {
	for i := range b.q {
		for j := range i {
			out = append(out, infer.Parameter{Name: b.correlationName(i, j), Kind: infer.GroupCorrelation,
				Grouping: b.Group, Term: b.Terms[j], Term2: b.Terms[i]})
		}
	}
	return out
}

func (b *block) sdName(t int) string { return "sd_" + b.Group + "__" + b.Terms[t] }

func (b *block) correlationName(i, j int) string {
	return "cor_" + b.Group + "__" + b.Terms[j] + "__" + b.Terms[i]
}

func (b *block) effectName(l, t int) string {
	return "r_" + b.Group + "[" + b.Levels[l] + "," + b.Terms[t] + "]"
}

// Parameters describes the coefficients, dispersions and scales of priors, then the sds and correlations of each
// grouping, then the effects of each, term by term.
func (s *setup) Parameters() []infer.Parameter { return s.params }

// Explain says how each grouping is sampled.
func (s *setup) Explain() string {
	words := []string{s.fixed.Explain()}
	if s.joint != nil {
		words[0] = "all coefficients drawn at once"
	}
	for _, b := range s.blocks {
		words = append(words, b.explain(s.names, s.sliceEvery))
	}
	for _, m := range s.nests {
		words = append(words, m.explain(s.blocks))
	}
	for _, p := range s.pairs {
		if !p.single(s.blocks) {
			words = append(words, p.explain(s.blocks[p.coarse].Group, s.blocks[p.fine].Group))
		}
	}
	return strings.Join(words, "; ")
}

// maxTold is the number of names that are listed if there are many.
const maxTold = 8

// explain words the moves of one grouping.
func (b *block) explain(names []string, sliceEvery int64) string {
	var w strings.Builder
	fmt.Fprintf(&w, "%s: %d levels of %s, ", b.Group, b.levels, strings.Join(b.Terms, ", "))
	switch {
	case b.sorted != nil:
		fmt.Fprintf(&w, "matched to slope and curvature all at once%s, by slices once in %d sweeps; sds %s",
			map[bool]string{true: ", twice"}[b.twice], sliceEvery, b.explainScales())
		if !b.nested {
			w.WriteString(", then given them")
		}
	case b.collapsed() && !b.Linked:
		w.WriteString("drawn afresh; sds given the data with these effects integrated out")
	default:
		w.WriteString("drawn afresh; sds scaled with their effects, then given them")
	}
	for i, s := range b.shifts {
		if i == maxTold {
			fmt.Fprintf(&w, ", … (%d)", len(b.shifts))
			break
		}
		w.WriteString([]string{"; shifted against ", ", "}[min(i, 1)] + names[s.column])
	}
	return w.String()
}

// explainScales describes the moves of sds together with their effects.
func (b *block) explainScales() string {
	switch {
	case b.Linked:
	case b.q > 1 && b.reference != nil:
		return fmt.Sprintf("scaled with their effects, or carried with correlations once in %d sweeps", b.carryEvery())
	case b.weak:
		return "with their effects, scaled or carried in turn"
	}
	return "scaled with their effects"
}

// explain words the moves of a nest.
func (m *nest) explain(blocks []*block) string {
	names := make([]string, len(m.blocks))
	for i, at := range m.blocks {
		names[len(names)-1-i] = blocks[at].Group
	}
	return strings.Join(names, " lies in ") + ": sds given the sums of effects, then effects given these"
}

// explain words the moves of a pair.
func (p *pair) explain(coarse, fine string) string {
	most := ""
	if !p.exact {
		most = " for the most part"
	}
	return fmt.Sprintf("%s lies in %s%s: effects moved against each other", fine, coarse, most)
}
