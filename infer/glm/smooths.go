package glm

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
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
			return fmt.Errorf("prior of %s: %w", SmoothSDName(s.Name), err)
		}
		if p.Kind == prior.Flat && s.Last-s.First < 2 {
			return fmt.Errorf("prior of %s: flat beside one penalised column leaves a posterior without a finite integral; "+
				"give it a proper prior, as half_student_t(3, 2.5)", SmoothSDName(s.Name))
		}
	}
	return nil
}

// SmoothSDName is the name of the standard deviation of a smooth of some name.
func SmoothSDName(name string) string { return "sds_" + name }

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
// scale. Their scales stand in front of the lambdas of horseshoes.
func (t *Target) addSmooths() {
	at := 0
	for _, h := range t.shoes {
		at = max(at, h.Tau+1, h.Slab+1)
	}
	horseshoes := len(t.shoes)
	for k, s := range t.data.Smooths {
		if t.model.Smooths[k].Kind == prior.Constant {
			continue
		}
		h := prior.Group{Prior: t.model.Smooths[k], Smooth: true, Tau: at, Slab: -1, Local: -1}
		for j := s.First; j < s.Last; j++ {
			h.Columns = append(h.Columns, j)
		}
		at++
		t.shoes = append(t.shoes, h)
	}
	for g := range horseshoes {
		t.shoes[g].Local += len(t.shoes) - horseshoes
	}
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
	return infer.Parameter{Name: SmoothSDName(s.Name), Kind: infer.SmoothSD, Term: s.Term}
}

// leastSD is minus the least log of a standard deviation of a smooth that a chain starts at.
const leastSD = 30

// logSize returns the log of the root of the mean square of some coefficients.
func logSize(beta []float64, columns []int) float64 {
	sum := 0.0
	for _, j := range columns {
		sum = math.FMA(beta[j], beta[j], sum)
	}
	return max(-leastSD, 0.5*vec.Log(sum/float64(len(columns))))
}

// startSmooths sets the standard deviations of smooths to the size of their coefficients at u, times e^z of standard
// normals z.
func (t *Target) startSmooths(z func() float64, u []float64, at *scales) {
	for _, h := range t.shoes {
		if !h.Smooth {
			continue
		}
		at.log[h.Tau] = insideSD(&h, logSize(u, h.Columns)+z())
	}
}

// insideSD moves the log of a standard deviation into the support of a uniform prior.
func insideSD(h *prior.Group, x float64) float64 {
	if p := h.Prior; p.Kind == prior.Uniform && !(vec.Exp(x) > p.Low && vec.Exp(x) < p.High) {
		return vec.Log(0.5 * (p.Low + p.High))
	}
	return x
}

// smoothMeans looks at the standard deviations of smooths under flat priors: with m columns their posterior falls like
// sd^−m.
func (t *Target) smoothMeans() (params []int, words string) {
	for _, h := range t.shoes {
		if h.Smooth && !h.Prior.Proper() && len(h.Columns) < 3 {
			params = append(params, t.scaleStart()+h.Tau)
		}
	}
	return params, "the posterior mean does not exist where the prior of a smooth's standard deviation is flat and " +
		"it has 2 columns" + readMedian
}
