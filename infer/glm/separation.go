package glm

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/internal/vec"
)

// Separation: with flat priors on the columns F, the posterior of a logistic or log-linear model is improper if a
// direction b ≠ 0 exists along which no row's log likelihood falls: sᵢ·(Fb)ᵢ ≥ 0 in all rows, where sᵢ is the sign
// in which row i may grow for ever (+1 at y = m, −1 at y = 0) and (Fb)ᵢ = 0 if it may grow in neither. (Albert and
// Anderson 1984 for the existence of the maximum; Speckman, Lee and Sun 2009 for propriety,
// doi:10.1111/j.1467-9868.2008.00669.x.)
//
// No linear program is solved. Newton's iteration for the maximum likelihood
// on F alone converges if there is no such direction; if there is, its steps
// tend to one, of length about 1 in η. The step is then tested as a
// certificate: a target is refused only when a direction was found.

// Limits of checkOverlap.
const (
	overlapSteps   = 30   // Newton iterations
	overlapFirst   = 6    // iterations before a step is tested as a certificate
	overlapColumns = 1000 // more flat columns are not looked at
	overlapStill   = 1e-3 // a step that moves no η by more has converged
	overlapSlack   = 1e-6 // of the largest change, allowed against the certificate
)

// checkOverlap refuses separation along the columns with flat priors. Rows
// that overlap cannot be separated by adding others, so that a converged
// iteration on the first rows settles the matter for all.
func (t *Target) checkOverlap(flat []int) error {
	n, f := t.Rows(), len(flat)
	if !t.separable() {
		return nil // bounded in every direction, or by the boundary of the domain
	}
	if f == 0 || f > overlapColumns {
		return nil
	}
	rows := n
	if m := 50*f + 1000; m < n {
		rows = m
	}
	separated, converged := t.separates(flat, rows)
	if rows < n && !converged {
		separated, _ = t.separates(flat, n)
	} else if rows < n {
		separated = false
	}
	if !separated {
		return nil
	}
	reason := "columns with flat priors separate the responses perfectly"
	if t.directions() == family.Exponential {
		reason = "columns with flat priors pick out rows whose counts are all 0"
	}
	return improper(reason+", so that coefficients run off to infinity", properHint)
}

// separable reports whether the likelihood of a row may rise for ever.
func (t *Target) separable() bool {
	return t.directions() != family.Squares && !t.model.Family.PositiveEta()
}

// separates runs the iteration on the first rows. Neither result is set when
// it breaks down or takes too long.
func (t *Target) separates(flat []int, rows int) (separated, converged bool) {
	s := newSubmodel(t, flat, rows)
	for k := range overlapSteps {
		if !s.step(k == 0) {
			return false, false
		}
		switch {
		case k > 0 && design.Largest(s.move) < overlapStill:
			return false, true
		case k >= overlapFirst && s.recedes():
			return true, false
		}
	}
	return false, false
}

// directions returns the likelihood, of those with closed sums, whose rows may
// rise for ever in the same directions.
func (t *Target) directions() family.Form {
	switch s := t.model.Family.Support(); {
	case s.Probability():
		return family.Softplus
	case s.Counts():
		return family.Exponential
	}
	return family.Squares
}

// submodel is the likelihood of some columns on the first rows.
type submodel struct {
	*Target
	beta, newton []float64
	eta, move    []float64 // linear predictor and its last Newton step
	grad, curv   []float64
	scratch, h   []float64
}

func newSubmodel(t *Target, cols []int, m int) *submodel {
	x := design.NewDense(m, len(cols))
	for k, j := range cols {
		t.data.X.Read(j, 0, x.Col(k))
	}
	data := &Data{X: x, Y: t.data.Y[:m]}
	if t.data.Trials != nil {
		data.Trials = t.data.Trials[:m]
	}
	if t.data.Offset != nil {
		data.Offset = t.data.Offset[:m]
	}
	n, d := m, len(cols)
	return &submodel{ // frequencies separate nothing, and are left out
		Target: &Target{data: data, rows: family.Rows{Y: data.Y, Trials: data.Trials}, model: Model{Family: t.model.Family},
			form: t.directions(), weights: data.Trials},
		beta: make([]float64, d), newton: make([]float64, d),
		eta: make([]float64, n), move: make([]float64, n),
		grad: make([]float64, n), curv: make([]float64, n),
		scratch: make([]float64, n), h: make([]float64, d*d),
	}
}

// step takes one Newton step from eta, halved while the likelihood falls; the
// first one is the least squares fit of the working response at the response
// itself. It reports false when the step cannot be made.
func (s *submodel) step(first bool) bool {
	x := s.data.X
	if first {
		s.startEta(s.eta)
	}
	s.RowGradient(s.eta, nil, s.grad)
	s.RowCurvature(s.eta, nil, s.curv)
	if first {
		for i, w := range s.curv { // the working response, weighted
			z := s.eta[i]
			if s.data.Offset != nil {
				z -= s.data.Offset[i]
			}
			s.grad[i] = math.FMA(w, z, s.grad[i])
		}
	}
	if !newtonStep(x, s.grad, s.curv, s.scratch, s.h, s.newton) {
		return false
	}
	design.Multiplied(x, s.newton, s.move)
	if first {
		copy(s.beta, s.newton)
		copy(s.eta, s.move)
		if s.data.Offset != nil {
			vec.Axpy(1, s.data.Offset, s.eta)
		}
		return true
	}
	old := s.fit(0)
	for size := 1.0; size > 1e-6; size /= 2 {
		if s.fit(size) >= math.FMA(-1e-9, math.Abs(old), old) {
			vec.Axpy(size, s.move, s.eta)
			return true
		}
	}
	return false
}

// fit returns the log likelihood, without constants, after a part of the step.
func (s *submodel) fit(size float64) float64 {
	linear := math.FMA(size, vec.Dot(s.data.Y, s.move), vec.Dot(s.data.Y, s.eta))
	return linear - s.sum(s.eta, s.move, size, [2]float64{})
}

// recedes reports whether no row's likelihood falls along the step, however far.
func (s *submodel) recedes() bool {
	slack := overlapSlack * design.Largest(s.move)
	for i, change := range s.move {
		y, m := s.data.Y[i], 1.0
		if s.data.Trials != nil {
			m = s.data.Trials[i]
		}
		mayFall := y == 0
		mayRise := y == m && s.form == family.Softplus
		if m == 0 && s.form == family.Softplus {
			mayFall, mayRise = true, true
		}
		if change < -slack && !mayFall || change > slack && !mayRise {
			return false
		}
	}
	return true
}

// startEta writes the linear predictor of the responses themselves, pulled
// inside their domain.
func (t *Target) startEta(eta []float64) {
	for i, y := range t.data.Y {
		switch {
		case t.form == family.Exponential:
			eta[i] = vec.Log(y + 0.5)
		case t.data.Trials != nil:
			eta[i] = vec.Log((y + 0.5) / (t.data.Trials[i] - y + 0.5))
		default:
			eta[i] = vec.Log((y + 0.5) / (1.5 - y))
		}
	}
}
