package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
	"glmbatch/internal/simd"
)

// Version names the algorithm: draws of different versions may differ in bits.
const Version = "model/6"

// ResponsesVersion names that of several responses.
const ResponsesVersion = "responses/2"

// Problem is a response with its predictors, on the scale of the designs as sampled. It is read-only once made.
type Problem struct {
	Family           glm.Family
	Classes          []string  // of the response, the reference first; nil if the family has none
	Y                []float64 // [n], numbers of classes where there are such
	Trials           []float64 // [n], nil for 1 each
	Frequency        []float64 // [n], nil for 1 each
	family.Censoring           // of rows, of a family with Limits
	family.Counted             // of counts of classes, whose first ones are Y
	// Predictors are in the order of the family's. Responses and frequencies of their data, and the families of their
	// models, are not looked at.
	Predictors []Predictor
	// Responses are the problems of several responses of the same rows, each with its Name; nil of one response. A problem
	// that has them has nothing else.
	Responses []*Problem
	Name      string
	// Rescor is the shape of the LKJ prior of the correlations of the residuals of Responses; 0 for independent ones.
	Rescor float64
	// Distance is the prior of the distance between equidistant thresholds, whose first one has the prior of the first
	// predictor among them; nil for flexible thresholds.
	Distance *prior.Prior
}

// Predictor is one linear predictor with its priors.
type Predictor struct {
	Data  *glm.Data
	Model glm.Model
}

// together are the moves of several predictors at once; nil for none.
type together struct {
	common *common
	cuts   *cuts
	joint  *joint
	closed *closed
}

// ofResponses are the parts of several responses.
type ofResponses struct {
	joined    joined     // the same as setup.several, or nil
	residuals *residuals // of responses that are correlated given their predictors, or nil
}

// setup holds the parts that the chains of one fit share.
type setup struct {
	several family.Several
	ofResponses
	rows       family.Rows
	starts     []float64   // a constant for each predictor
	offsets    [][]float64 // of each predictor that is its offset alone, else nil
	predictors []*predictor
	together
	links   []*groups.Link
	params  []infer.Parameter
	counted string // about rows that were equal
	shares  int    // parameters that follow from the steps of monotonic effects, before the effects of levels
	draw    func(s prior.Source, row int, eta []float64, disp [2]float64) float64
}

// New returns the sampler of a posterior of several predictors; it keeps the problem. Errors are those of
// glm.NewTarget for each predictor given the others, and of priors that are not proper. Cost: that of glm.NewTarget for
// each predictor, twice unless there are many rows.
func New(p *Problem, by infer.Parallel) (infer.Setup, error) {
	s, p, of, err := begin(p)
	if err != nil {
		return nil, err
	}
	p, s.counted = p.sorted().grouped()
	s.read(p, of)
	few := s.thinned(p, by)
	if err := s.complete(p, few, true, by); err != nil {
		return nil, err
	}
	if s.closed = s.newClosed(p); s.closed != nil {
		return s, nil
	}
	if s.common, err = s.newCommon(p); err != nil {
		return nil, err
	}
	if s.joint, err = s.newJoint(p, few, by); err != nil {
		return nil, err
	}
	return s, nil
}

// newSetup makes the parts for rows in their order, without moves of all parameters.
func newSetup(p *Problem, by infer.Parallel) (*setup, error) {
	s, p, of, err := begin(p)
	if err != nil {
		return nil, err
	}
	s.read(p, of)
	return s, s.complete(p, nil, true, by)
}

// thinned returns the set-up of a problem of few rows that stand for all, at whose mode that of all begins; nil if
// there are no more rows than this, or not coefficients and dispersions alone.
func (s *setup) thinned(p *Problem, by infer.Parallel) *setup {
	if len(p.Y) <= jointRows || s.joined != nil || !s.rotatable() {
		return nil
	}
	few, p, of, err := begin(p.thinned())
	if err != nil {
		return nil
	}
	few.read(p, of)
	if few.complete(p, nil, false, by) != nil {
		return nil // rows that stand for others may not determine the parameters
	}
	return few
}

// begin finds the likelihood with its predictors, and checks the problem, which it returns with the predictors of all
// responses.
func begin(p *Problem) (*setup, *Problem, []family.Predictor, error) {
	s := new(setup)
	p, err := s.takeFamily(p)
	if err != nil {
		return nil, nil, nil, err
	}
	of := s.several.Predictors(p.Classes)
	return s, p, of, s.check(p, of)
}

// takeFamily takes the likelihood of the problem.
func (s *setup) takeFamily(p *Problem) (*Problem, error) {
	s.several = p.Family.Several()
	s.draw = func(from prior.Source, row int, eta []float64, disp [2]float64) float64 {
		return s.several.Draw(from, eta, disp, s.rows.Attempts(row))
	}
	switch {
	case p.Responses != nil:
		own, err := newJoined(p)
		if s.several, s.joined = own, own; err != nil {
			return nil, err
		}
		if s.residuals, err = newResiduals(p, own); s.residuals != nil {
			s.several = s.residuals.of
		}
		return p.whole(), err
	case s.several == nil:
		own, err := newAlone(p)
		if err != nil {
			return nil, err
		}
		s.several = own
		s.draw = func(from prior.Source, row int, eta []float64, disp [2]float64) float64 {
			return own.Pointwise.Draw(from, row, eta[0], disp[:])
		}
	}
	return p, nil
}

// rows returns the rows of a response.
func (p *Problem) rows() family.Rows {
	out := family.Rows{Y: p.Y, Trials: p.Trials, Frequency: p.Frequency, Kernels: simd.Vector(),
		Total: float64(len(p.Y)), Censoring: p.Censoring, Counted: p.Counted}
	if p.Frequency != nil {
		out.Total = out.Kernels.Sum(p.Frequency)
	}
	return out
}

// read takes the rows and the predictors of a problem that was checked.
func (s *setup) read(p *Problem, of []family.Predictor) {
	s.rows = p.rows()
	s.rows.Further = make([][2]float64, max(0, len(s.joined)-1))
	if q := len(s.joined); s.residuals != nil {
		s.rows.Residuals = make([]float64, q*q+1)
		s.residuals.law(nil).Precision(s.rows.Residuals)
	}
	s.several.Prepare(&s.rows)
	s.offsets, s.cuts = p.offsets(of), newCuts(p, of)
	known := s.rows
	known.Given = s.offsets
	s.starts = s.several.Start(&known, len(of))
	for k := range p.Predictors {
		if of[k].Cut > 0 {
			break // the others are thresholds too
		}
		if s.offsets[k] != nil {
			s.starts[k] = 0
			continue
		}
		s.predictors = append(s.predictors,
			newPredictor(&p.Predictors[k], k, of[k], s.several.Response(k, &s.rows), s.responseOf(k, p)))
	}
}

// complete makes the samplers, from the mode of few rows that stand for all unless few is nil. Lean has coefficients
// follow the thresholds.
func (s *setup) complete(p *Problem, few *setup, lean bool, by infer.Parallel) error {
	if err := s.findLinks(); err != nil {
		return err
	}
	eta, err := s.settle(s.faulty(p), few, by)
	if err != nil {
		return err
	}
	if lean && s.cuts != nil && len(s.predictors) > 0 && s.predictors[0].place == 0 {
		s.cuts.lean(s.several, &s.rows, eta, s.predictors[0])
	}
	s.describe()
	return nil
}

// offsets returns those of predictors without columns and effects, which may be 0; nil of other predictors.
func (p *Problem) offsets(of []family.Predictor) [][]float64 {
	out := make([][]float64, len(of))
	for k, q := range p.Predictors {
		if of[k].Cut == 0 && q.Data.Cols() == 0 && q.Data.Effects == nil {
			out[k] = make([]float64, len(p.Y))
			copy(out[k], q.Data.Offset)
		}
	}
	return out
}

// settle makes the samplers of all predictors, each given the others at their penalised points. These are found in
// turn, twice, or once from those of few rows that stand for all. It returns the predictors there. The error of faulty,
// which may be nil, is of the starts.
func (s *setup) settle(faulty func(*family.Rows, [][]float64) error, few *setup, by infer.Parallel,
) (eta [][]float64, err error) {
	n := len(s.rows.Y)
	eta = s.predictorsOf(n)
	views := family.NewViews(len(s.starts), n)
	s.rows.Disp = [2]float64{1, 1}
	for k := range s.rows.Further {
		s.rows.Further[k] = s.rows.Disp
	}
	for k, c := range s.starts {
		if s.offsets[k] == nil {
			fill(eta[k], c)
		}
	}
	if faulty != nil {
		if err := faulty(&s.rows, eta); err != nil {
			return nil, err
		}
	}
	rounds := 2
	if few != nil {
		rounds = 1
		s.startAt(few, eta)
	}
	for range rounds {
		for _, p := range s.predictors {
			k := p.place
			s.several.Given(k, &s.rows, eta, views[k])
			if err := p.sampleAt(views[k], s.starts[k], by); err != nil {
				return nil, err
			}
			s.joined.rename(p)
			p.settleSteps(s.cuts)
			s.takeDisp(&s.rows, p, p.penalised(eta[k]))
		}
		if s.cuts != nil {
			s.cuts.settle(s.several, &s.rows, eta)
		}
		s.startResiduals(&s.rows, eta)
	}
	return eta, nil
}

// startAt brings the predictors, the dispersions and the thresholds to the penalised points of few rows.
func (s *setup) startAt(few *setup, eta [][]float64) {
	s.rows.Disp = few.rows.Disp
	for i, p := range s.predictors {
		to, beta := eta[p.place], few.predictors[i].Target.Penalised()[:p.data.Cols()]
		clear(to)
		copy(to, p.offset)
		p.data.X.AddProduct(s.rows.Kernels, beta, to)
	}
	if c := s.cuts; c != nil {
		tau := make([]float64, len(c.priors))
		c.start = slices.Clone(few.cuts.start)
		c.tau(c.start, tau)
		c.write(tau, 0, eta[len(eta)-len(c.first):])
	}
}

// predictorsOf returns memory for all predictors of n rows.
func (s *setup) predictorsOf(n int) [][]float64 {
	eta := make([][]float64, len(s.starts))
	for k := range eta {
		eta[k] = make([]float64, n)
		copy(eta[k], s.offsets[k])
	}
	return eta
}

// describe makes the parameters: of each predictor all except effects of levels, then the thresholds, means and shares
// of monotonic effects, sigmas and correlations of residuals, the correlations of linked effects, and the effects of
// levels.
func (s *setup) describe() {
	for _, p := range s.predictors {
		cols := p.data.Cols()
		s.params = append(s.params, p.Params[p.hidden:cols]...)
		for _, m := range p.mono {
			s.params = append(s.params, m.describe(p)...)
		}
		s.params = append(s.params, p.Params[cols:p.First()]...)
	}
	if s.cuts != nil {
		s.params = append(s.params, s.cuts.params...)
	}
	for _, p := range s.predictors {
		for _, m := range p.mono {
			s.params = append(s.params, m.describeShares(p)...)
			s.shares += 1 + m.size()
		}
	}
	s.params = append(s.params, s.residuals.parameters()...)
	for _, l := range s.links {
		s.params = append(s.params, s.correlations(l)...)
	}
	for _, p := range s.predictors {
		s.params = append(s.params, p.Params[p.First():]...)
	}
}

// split passes the parts of a position that belong to each predictor, its head without steps, its effects of levels and
// its steps, and returns the thresholds, and the parameters of correlated residuals with the correlations of linked
// effects. The numbers that do writes are written to the position.
func (s *setup) split(position []float64, do func(k int, head, effects, steps []float64),
) (tau, correlations []float64) {
	head, effects := 0, 0
	for _, p := range s.predictors {
		effects += p.head()
	}
	if s.cuts != nil {
		tau = position[effects : effects+len(s.cuts.params)]
		effects += len(tau)
	}
	effects += s.shares
	count := len(s.residuals.parameters())
	for _, l := range s.links {
		count += len(l.Parameters())
	}
	correlations = position[effects : effects+count]
	effects += count
	for k, p := range s.predictors {
		all := position[head : head+p.head()]
		own, steps := p.apart(all)
		do(k, own, position[effects:effects+p.Effects], steps)
		p.together(own, all)
		head, effects = head+p.head(), effects+p.Effects
	}
	return tau, correlations
}

// Parameters describes coefficients, dispersions and scales of each predictor, then thresholds, shares of monotonic
// effects, correlations of linked effects, and the effects of levels of each.
func (s *setup) Parameters() []infer.Parameter { return s.params }

// Explain says how predictors are sampled.
func (s *setup) Explain() string {
	if s.closed != nil {
		return s.closed.words()
	}
	var out []string
	for _, p := range s.predictors {
		if p.hidden > 0 {
			continue
		}
		if text := cmp.Or(p.name, "mu") + ": " + p.Explain; len(out) == 0 || out[0] != text {
			out = append(out, text)
		}
	}
	text := ""
	if s.cuts != nil {
		text = "the linear predictor given the thresholds; "
	}
	if len(s.predictors) > 1 {
		text = fmt.Sprintf("%d linear predictors in turn, each given the others; ", len(s.predictors))
	}
	for _, p := range s.predictors {
		for _, m := range p.mono {
			text += fmt.Sprintf("%s: %d steps along directions rotated by their curvature; ", p.named(m.Name), m.size())
		}
	}
	if s.common != nil {
		text += "then all of them at once, against the reference class; "
	}
	if s.cuts != nil {
		text += fmt.Sprintf("%d thresholds along directions rotated by their curvature; ", len(s.cuts.params))
	}
	if s.residuals != nil {
		text += "sigmas and correlations of residuals by slices that read no rows; "
	}
	for _, l := range s.links {
		out = append(out, l.Explain())
	}
	if s.joint != nil {
		text = s.joint.words() + text
	}
	return s.counted + text + strings.Join(out, "; ")
}
