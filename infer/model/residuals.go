package model

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
	"glmbatch/internal/words"
)

// residuals describes the distribution of the residuals of gaussian responses: sigma of each, and correlations.
type residuals struct {
	names []string
	prior glm.EffectsPrior // of sigmas, and of the correlations
	rows  float64
	sds   []float64 // where chains begin
	of    correlated
}

const halfLog2Pi = 0.91893853320467274178 // ½ log 2π

// RescorName is the name of the correlation of the residuals of two responses, as in brms.
func RescorName(a, b string) string { return "rescor__" + a + "__" + b }

// newResiduals returns the distribution of correlated residuals of a problem; nil if they are independent.
func newResiduals(p *Problem, of joined) (*residuals, error) {
	if p.Rescor == 0 {
		return nil, nil
	}
	out := &residuals{prior: glm.EffectsPrior{LKJ: p.Rescor}, of: correlated{of}}
	for _, own := range p.Responses {
		switch {
		case own.Family.String() != family.Default.String() || own.Bounds != nil || own.Kind != nil:
			return nil, fmt.Errorf("model: residuals of response %s, of %s, are not correlated with others", own.Name,
				own.Family)
		case !slices.Equal(own.Frequency, p.Responses[0].Frequency):
			return nil, words.Hint(fmt.Errorf("rows do not count as often in response %s as in %s, and their residuals are "+
				"correlated", own.Name, p.Responses[0].Name), "write missing: drop")
		}
		out.names = append(out.names, own.Name)
		out.prior.SD = append(out.prior.SD, own.Predictors[0].Model.DispersionPrior(0))
		rows := own.rows()
		out.rows = rows.Total
		sd := math.Sqrt(vec.SquaresAbout(own.Y, vec.Sum(own.Y)/float64(len(own.Y))) / float64(len(own.Y)))
		if !(sd > 0) {
			sd = 1
		}
		out.sds = append(out.sds, sd)
	}
	return out, nil
}

// law returns the distribution where chains begin, with noise unless the stream is nil.
func (r *residuals) law(stream *infer.Stream) *groups.Residuals {
	out := groups.NewResiduals(r.names, r.prior, r.rows)
	out.Start(r.sds, stream)
	return out
}

// parameters describes the sigmas that are not fixed, then the correlations.
func (r *residuals) parameters() (out []infer.Parameter) {
	if r == nil {
		return nil
	}
	for k, name := range r.names {
		if r.prior.SD[k].Kind != prior.Constant {
			out = append(out, infer.Parameter{Name: "sigma_" + name, Kind: infer.Dispersion, Predictor: name})
		}
	}
	for i, name := range r.names {
		for _, before := range r.names[:i] {
			out = append(out, infer.Parameter{Name: RescorName(before, name), Kind: infer.ResidualCorrelation, Term: before,
				Term2: name})
		}
	}
	return out
}

// correlated are gaussian responses with correlated residuals. Given the residuals of the others a response is gaussian
// again, with another mean in each row and one sd; see family.Rows.Residuals.
type correlated struct{ joined }

// Predictors have no sigma: the residuals have it.
func (j correlated) Predictors([]string) (out []family.Predictor) {
	for _, of := range j.joined.Predictors(nil) {
		of.Of, of.Elsewhere[0] = of.Of.Location(), true
		out = append(out, of)
	}
	return out
}

// residuals returns the residuals of each response.
func (j correlated) residuals(first int, eta [][]float64, n int) [][]float64 {
	out := make([][]float64, len(j.joined))
	for k, r := range j.joined {
		out[k] = make([]float64, n)
		r.rows.Kernels.Minus(out[k], r.rows.Y[first:first+n], eta[k][:n])
	}
	return out
}

// products writes Σ e·eᵀ over the rows, each as often as it counts.
func (j correlated) products(eta [][]float64, dst []float64) {
	n, q := len(eta[0]), len(j.joined)
	e := j.residuals(0, eta, n)
	for a, r := range j.joined {
		counted := slices.Clone(e[a])
		r.rows.CountRows(counted)
		for b := range a + 1 {
			dst[a*q+b] = r.rows.Kernels.Dot(counted, e[b])
			dst[b*q+a] = dst[a*q+b]
		}
	}
}

// Given has the mean and the precision of a response given the residuals of the others.
func (j correlated) Given(p int, all *family.Rows, eta [][]float64, v *family.View) {
	n, q := len(eta[p]), len(j.joined)
	row := all.Residuals[p*q : (p+1)*q]
	if v.Rest == nil {
		v.Rest, v.Given = make([]float64, n), [][]float64{make([]float64, n), make([]float64, n)}
	}
	root := math.Sqrt(row[p])
	for i := range n {
		v.Given[0][i], v.Given[1][i] = float64(root*root), root
	}
	clear(v.Rest)
	for k, e := range j.residuals(0, eta, n) {
		if k != p {
			all.Kernels.Axpy(-row[k]/row[p], e, v.Rest)
		}
	}
	products := make([]float64, q*q)
	j.products(eta, products)
	// of all rows less that of the response given the others
	v.Base = j.logLik(all, products)
	for a := range q {
		for b := range q {
			v.Base += float64(0.5 * row[a] * row[b] / row[p] * products[a*q+b])
		}
	}
}

// logLik returns the log likelihood of all rows by the cross products of their residuals.
func (j correlated) logLik(all *family.Rows, products []float64) float64 {
	q := len(j.joined)
	return -float64(j.joined[0].rows.Total*math.FMA(float64(q), halfLog2Pi, all.Residuals[q*q])) -
		float64(0.5*vec.Dot(all.Residuals[:q*q], products))
}

// LogLik counts the rows as often as responses have them.
func (j correlated) LogLik(all *family.Rows, first int, eta [][]float64, dst []float64) {
	q, at := len(j.joined), all.First()+first
	e := j.residuals(at, eta, len(dst))
	for i := range dst {
		square := 0.0
		for a := range q {
			for b := range q {
				square += float64(all.Residuals[a*q+b] * float64(e[a][i]*e[b][i]))
			}
		}
		dst[i] = -math.FMA(float64(q), halfLog2Pi, all.Residuals[q*q]) - float64(0.5*square)
	}
	part := j.joined[0].rows.Part(at, at+len(dst))
	part.CountRows(dst)
}

// products writes the cross products of residuals at predictors.
func (s *setup) products(eta [][]float64) []float64 {
	out := make([]float64, len(s.joined)*len(s.joined))
	s.residuals.of.products(eta, out)
	return out
}

// residualsAt returns the distribution of correlated residuals at a position; nil if they are independent.
func (s *setup) residualsAt(theta []float64) *groups.Residuals {
	if s.residuals == nil {
		return nil
	}
	out := s.residuals.law(nil)
	_, numbers := s.split(slices.Clone(theta), func(int, []float64, []float64, []float64) {})
	out.Read(numbers)
	return out
}

// startResiduals takes the sds where chains begin from residuals.
func (s *setup) startResiduals(rows *family.Rows, eta [][]float64) {
	if s.residuals == nil {
		return
	}
	products, q := s.products(eta), len(s.joined)
	for k := range q {
		if mean := products[k*q+k] / s.residuals.rows; mean > 0 {
			s.residuals.sds[k] = math.Sqrt(mean)
		}
	}
	s.residuals.law(nil).Precision(rows.Residuals)
}

// moveResiduals moves sigmas and correlations of residuals, which depend on the residuals' cross products alone.
// Cost: O(n) for each two responses.
func (k *kernel) moveResiduals() bool {
	products := k.products(k.eta)
	for range residualTurns {
		if failing, ok := k.law.Move(products); !ok {
			return k.FailAlong(failing)
		}
	}
	k.law.Precision(k.rows.Residuals)
	k.logLik = k.residuals.of.logLik(&k.rows, products)
	k.Touched += int64(len(k.rest) * len(k.eta))
	return true
}

// residualTurns is how many times an iteration moves each parameter of residuals: a turn reads no rows.
const residualTurns = 3
