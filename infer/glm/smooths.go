package glm

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// checkSmooths compares smooths with the design and their priors.
func checkSmooths(data *Data, model *Model) error {
	if len(data.Smooths) != len(model.Smooths) {
		return fmt.Errorf("glm: %d smooths with %d priors", len(data.Smooths), len(model.Smooths))
	}
	taken := make([]bool, data.Cols())
	for k, s := range data.Smooths {
		if s.First < 0 || s.Last <= s.First || s.Last > data.Cols() {
			return fmt.Errorf("glm: smooth %s has columns %d to %d of %d", s.Term, s.First, s.Last, data.Cols())
		}
		for j := s.First; j < s.Last; j++ {
			if taken[j] || j == data.Intercept {
				return fmt.Errorf("glm: column %s cannot be one of smooth %s too", ColumnName(data, j), s.Term)
			}
			taken[j] = true
		}
		p := model.Smooths[k]
		if err := p.ForDispersion(); err != nil {
			return fmt.Errorf("prior of %s: %w", s.SDName(), err)
		}
		if s.SecondName() != "" {
			if err := checkSecond(&s, model, k); err != nil {
				return err
			}
		}
		if p.Kind == prior.Flat && s.Last-s.First < 2 {
			return fmt.Errorf("prior of %s: flat beside one penalised column leaves a posterior without a finite integral; "+
				"give it a proper prior, as half_student_t(3, 2.5)", s.SDName())
		}
	}
	return nil
}

// checkSecond looks at the priors of smooth k, which has a second parameter.
func checkSecond(s *design.Smooth, model *Model, k int) error {
	if len(model.Lengths) != len(model.Smooths) {
		return fmt.Errorf("glm: %d smooths with %d priors of lengths", len(model.Smooths), len(model.Lengths))
	}
	of := model.Lengths[k]
	err := of.ForDispersion()
	if s.Shares != nil {
		err = of.ForShare()
	}
	if err != nil {
		return fmt.Errorf("prior of %s: %w", s.SecondName(), err)
	}
	for i, p := range []prior.Prior{of, model.Smooths[k]} {
		if p.Kind == prior.Constant || !p.Proper() {
			return fmt.Errorf("prior of %s: %s is not a proper density, which %s needs: give it one, as "+
				"half_student_t(3, 2.5)", []string{s.SecondName(), s.SDName()}[i], p, s.InMessages())
		}
	}
	return nil
}

// Penalise gives the columns of smooths their prior: the normal one with the smooth's standard deviation.
func (m *Model) Penalise(data *Data) {
	if len(data.Smooths) == 0 {
		return
	}
	m.Coefficients = slices.Clone(m.Coefficients)
	for k, s := range data.Smooths {
		for j := s.First; j < s.Last; j++ {
			m.Coefficients[j] = prior.Prior{Kind: prior.Penalised, Scale: 1}
			if p := m.Smooths[k]; p.Kind == prior.Constant {
				m.Coefficients[j] = prior.Prior{Kind: prior.Normal, Scale: p.Location}
			}
		}
	}
}

// addSmooths adds the smooths whose standard deviation is a parameter to the groups of coefficients with a common
// scale. Their scales come before the lambdas of horseshoes.
func (t *Target) addSmooths() {
	at := 0
	for _, h := range t.scaleGroups {
		at = max(at, h.Tau+1, h.Slab+1)
	}
	horseshoes, first := len(t.scaleGroups), at
	for k, s := range t.data.Smooths {
		if t.model.Smooths[k].Kind == prior.Constant {
			continue
		}
		h := prior.Group{Prior: t.model.Smooths[k], Smooth: true, Tau: at, Slab: -1, Local: -1}
		if s.SecondName() != "" {
			at++
			h.Slab, h.Second = at, secondOf(&s, t.model.Lengths[k])
		}
		for j := s.First; j < s.Last; j++ {
			h.Columns = append(h.Columns, j)
		}
		at++
		t.scaleGroups = append(t.scaleGroups, h)
	}
	for g := range horseshoes {
		t.scaleGroups[g].Local += at - first
	}
}

// secondOf is the second parameter of a smooth that has one.
func secondOf(s *design.Smooth, p prior.Prior) prior.Second {
	if s.Shares != nil {
		return &prior.Share{Weights: s.Shares, Precision: s.Structure == "escar", Prior: p}
	}
	return &prior.Length{Numbers: s.Numbers, Frequencies: s.Frequencies, Prior: p}
}

// penalised returns the place in Data.Smooths of the penalised column j, −1 of another.
func penalised(data *Data, j int) int {
	for k, s := range data.Smooths {
		if j >= s.First && j < s.Last {
			return k
		}
	}
	return -1
}

// smoothSD describes the standard deviation of a smooth.
func (t *Target) smoothSD(h *prior.Group) infer.Parameter {
	s := t.data.Smooths[penalised(t.data, h.Columns[0])]
	return infer.Parameter{Name: s.SDName(), Kind: infer.SmoothSD, Term: s.Term}
}

// smoothSecond describes the second parameter of a smooth.
func (t *Target) smoothSecond(h *prior.Group) infer.Parameter {
	s := t.data.Smooths[penalised(t.data, h.Columns[0])]
	return infer.Parameter{Name: s.SecondName(), Kind: infer.SmoothSD, Term: s.Term}
}

// minSD is minus the least log of a standard deviation of a smooth that a chain starts at.
const minSD = 30

// logSize returns the log of the root of the mean square of the coefficients of a smooth, whose scales are e^logs; of a
// Gaussian process the log of the standard deviation that gives them this mean square.
func logSize(beta []float64, h *prior.Group, logs []float64) float64 {
	sum, expected := 0.0, float64(len(h.Columns))
	for _, j := range h.Columns {
		sum = math.FMA(beta[j], beta[j], sum)
	}
	if h.Second != nil {
		expected = 0
		for i := range h.Columns {
			expected += vec.Exp(2 * h.LogSpread(0, 0, logs[h.Slab], i))
		}
	}
	return max(-minSD, 0.5*vec.Log(sum/expected))
}

// farthest is how many prior standard deviations a coefficient of a Gaussian process may lie from 0 at a start.
const farthest = 4

// pullIn moves the coefficients of a Gaussian process to at most farthest standard deviations from 0: those of high
// frequencies are far smaller than what the likelihood alone leaves.
func pullIn(beta []float64, h *prior.Group, logs []float64) {
	for i, j := range h.Columns {
		most := farthest * vec.Exp(h.LogSpread(logs[h.Tau], 0, logs[h.Slab], i))
		beta[j] = max(-most, min(most, beta[j]))
	}
}

// startSmooths sets the standard deviations of smooths to the size of their coefficients at u, times e^z of standard
// normals z.
func (t *Target) startSmooths(z func() float64, u []float64, at *scales) {
	for _, h := range t.scaleGroups {
		if !h.Smooth {
			continue
		}
		if h.Second != nil {
			at.log[h.Slab] = h.Second.Inside(h.Second.Start() + float64(0.5*z()))
		}
		at.log[h.Tau] = prior.Inside(h.Prior, logSize(u, &h, at.log)+z())
		if h.Second != nil {
			pullIn(u, &h, at.log)
		}
	}
}

// smoothMeans looks at the standard deviations of smooths under flat priors: with m columns their posterior falls like
// sd^−m.
func (t *Target) smoothMeans() (params []int, words string) {
	for _, h := range t.scaleGroups {
		if h.Smooth && !h.Prior.Proper() && len(h.Columns) < 3 {
			params = append(params, t.scaleStart()+h.Tau)
		}
	}
	return params, "the posterior mean does not exist where the prior of a smooth's standard deviation is flat and " +
		"it has 2 columns" + readMedian
}
