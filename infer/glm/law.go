package glm

import (
	"math"
	"sync"

	"glmbatch/internal/simd"
	"glmbatch/internal/vec"
)

// law is the likelihood of a family and link whose sum over rows has no closed
// form along a column. The log density of a row is its term, which moves with
// eta, and a share of norm, which does not; Target.constant has the rest.
//
// Slices of one call have equal lengths.
type law interface {
	// terms writes the rows' terms to dst, which may be eta: −Inf where eta is
	// outside the link's domain or the density underflows in logs.
	terms(r rows, eta, dst []float64)
	// slopes writes the first derivative of the terms in eta, the negative
	// second one and its expectation (Fisher's information, ≥ 0), with eta
	// inside the link's domain.
	slopes(r rows, eta, grad, curv, info []float64)
	// norm returns the part of the log density that only the dispersions move,
	// summed over the rows as often as they count. Cost: O(n) at most.
	norm(r rows) float64
	// scores returns the derivative of Σ terms + norm in each dispersion, each
	// row as often as it counts; terms and slopes know nothing of that.
	scores(r rows, eta []float64) [2]float64
}

// rows are responses as a law sees them.
type rows struct {
	y, m  []float64  // response; trials, nil for 1 each
	logY  []float64  // log y, where the family uses it
	log1Y []float64  // log(1 − y), for beta
	disp  [2]float64 // the dispersions

	kernels simd.Kernels

	frequency        []float64 // nil for 1 each
	total            float64   // of the frequencies, over all rows
	precision, roots []float64 // and its square root; nil for 1 each
}

// part returns rows i to j.
func (r rows) part(i, j int) rows {
	cut := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		return v[i:j]
	}
	return rows{y: r.y[i:j], m: cut(r.m), logY: cut(r.logY), log1Y: cut(r.log1Y), disp: r.disp, kernels: r.kernels,
		frequency: cut(r.frequency), total: r.total, precision: cut(r.precision), roots: cut(r.roots)}
}

// lawOf returns the law of a family, nil for those of another kind.
func lawOf(f Family) law {
	switch f.Name {
	case "bernoulli", "binomial":
		return binary{map[string]tails{"probit": probitTails, "cloglog": cloglogTails, "cauchit": cauchitTails}[f.Link]}
	case "student_t":
		return studentLaw{}
	case "beta":
		return betaLaw{}
	}
	mean := map[string]meanLaw{"gaussian": gaussianMean{}, "poisson": poissonMean{},
		"negative_binomial": negativeBinomialMean{}, "gamma": gammaMean{}, "inverse_gaussian": inverseGaussianMean{}}[f.Name]
	link, ok := positiveLinks[f.Link]
	if mean == nil || !ok {
		return nil
	}
	return positive{mean, link}
}

// chunkRows is the number of rows that a law is given at a time.
const chunkRows = 128

// block has a number for each row that a law is given at a time.
type block [chunkRows]float64

// blocks holds rows on their way through a law. A local array would be
// allocated at each call, since the compiler cannot see through the interface.
var blocks = sync.Pool{New: func() any { return new([3]block) }}

// sumLaw returns the law's sum over rows at eta + delta·x, in one pass and
// without writing. r has the responses of eta.
func (t *Target) sumLaw(r rows, eta, x []float64, delta float64, disp [2]float64) float64 {
	r.disp = disp
	scratch := blocks.Get().(*[3]block)
	defer blocks.Put(scratch)
	at := scratch[0][:]
	sum := 0.0
	for i := 0; i < len(eta); i += chunkRows {
		n := min(chunkRows, len(eta)-i)
		copy(at[:n], eta[i:i+n])
		t.kernels.Axpy(delta, x[i:i+n], at[:n])
		part := r.part(i, i+n)
		t.law.terms(part, at[:n], at[:n])
		if part.frequency != nil {
			sum += t.kernels.Dot(part.frequency, at[:n])
			continue
		}
		sum += t.kernels.Sum(at[:n])
	}
	return sum
}

// slopes writes the derivatives of the rows' log likelihoods in eta to those
// of grad, curv and info that are not nil; each may be eta. See law.slopes.
func (t *Target) slopes(r rows, eta []float64, disp [2]float64, grad, curv, info []float64) {
	r.disp = disp
	scratch := blocks.Get().(*[3]block)
	defer blocks.Put(scratch)
	g, c, e := scratch[0][:], scratch[1][:], scratch[2][:]
	for i := 0; i < len(eta); i += chunkRows {
		n := min(chunkRows, len(eta)-i)
		part := r.part(i, i+n)
		t.law.slopes(part, eta[i:i+n], g[:n], c[:n], e[:n])
		for _, out := range []struct{ dst, v []float64 }{{grad, g[:n]}, {curv, c[:n]}, {info, e[:n]}} {
			if out.dst != nil {
				part.countRows(out.v)
				copy(out.dst[i:], out.v)
			}
		}
	}
}

// scores returns the derivative of the log likelihood in each dispersion.
func (t *Target) scores(eta []float64, disp [2]float64) [2]float64 {
	r := t.rows
	r.disp = disp
	return t.law.scores(r, eta)
}

// rowData computes what the law needs of the responses once.
func (t *Target) rowData() {
	t.rows = rows{y: t.data.Y, m: t.data.Trials, frequency: t.data.Frequency, total: t.total(t.data.Frequency),
		precision: t.data.Precision}
	if t.data.Precision != nil {
		t.rows.roots = make([]float64, t.Rows())
		for i, w := range t.data.Precision {
			t.rows.roots[i] = math.Sqrt(w)
		}
	}
	logs := func(of func(float64) float64) []float64 {
		out := make([]float64, len(t.data.Y))
		for i, y := range t.data.Y {
			out[i] = of(y)
		}
		return out
	}
	switch t.model.Family.Name {
	case "gamma", "inverse_gaussian":
		t.rows.logY = logs(vec.Log)
	case "beta":
		t.rows.logY = logs(vec.Log)
		t.rows.log1Y = logs(func(y float64) float64 { return vec.Log1p(-y) })
	}
}
