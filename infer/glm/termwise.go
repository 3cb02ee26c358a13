package glm

import "glmbatch/infer/family"

// sumTerms returns the sum of the terms over rows at eta + delta·x, in one pass and
// without writing. r has the responses of eta.
func (t *Target) sumTerms(r family.Rows, eta, x []float64, delta float64, disp [2]float64) float64 {
	r.Disp = disp
	scratch := family.Blocks.Get().(*[3]family.Block)
	defer family.Blocks.Put(scratch)
	at := scratch[0][:]
	sum := 0.0
	for i := 0; i < len(eta); i += family.ChunkRows {
		n := min(family.ChunkRows, len(eta)-i)
		copy(at[:n], eta[i:i+n])
		t.kernels.Axpy(delta, x[i:i+n], at[:n])
		part := r.Part(i, i+n)
		t.terms.Terms(part, at[:n], at[:n])
		if part.Frequency != nil {
			sum += t.kernels.Dot(part.Frequency, at[:n])
			continue
		}
		sum += t.kernels.Sum(at[:n])
	}
	return sum
}

// slopes writes the derivatives of the rows' log likelihoods in eta to those
// of grad, curv and info that are not nil; each may be eta. See family.Terms.
func (t *Target) slopes(r family.Rows, eta []float64, disp [2]float64, grad, curv, info []float64) {
	r.Disp = disp
	scratch := family.Blocks.Get().(*[3]family.Block)
	defer family.Blocks.Put(scratch)
	g, c, e := scratch[0][:], scratch[1][:], scratch[2][:]
	for i := 0; i < len(eta); i += family.ChunkRows {
		n := min(family.ChunkRows, len(eta)-i)
		part := r.Part(i, i+n)
		t.terms.Slopes(part, eta[i:i+n], g[:n], c[:n], e[:n])
		for _, out := range []struct{ dst, v []float64 }{{grad, g[:n]}, {curv, c[:n]}, {info, e[:n]}} {
			if out.dst != nil {
				part.CountRows(out.v)
				copy(out.dst[i:], out.v)
			}
		}
	}
}

// scores returns the derivative of the log likelihood in each dispersion.
func (t *Target) scores(eta []float64, disp [2]float64) [2]float64 {
	r := t.rows
	r.Disp = disp
	return t.terms.Scores(r, eta)
}

// rowData computes what the likelihood reads of the responses once.
func (t *Target) rowData() {
	t.rows = family.Rows{Y: t.data.Y, Trials: t.data.Trials, Frequency: t.data.Frequency,
		Total: t.total(t.data.Frequency), Precision: t.data.Precision,
		Censoring: t.data.Censoring}
	if t.data.Given != nil {
		t.rows.Given = t.data.Given.Rows
	}
	t.rows.Prepare(t.law)
}
