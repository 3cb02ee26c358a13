package family_test

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/internal/simd"
)

// varying lists the families of which dispersions have predictors, with their bases: all choices of dispersions and
// limits.
func varying() (out []family.Family) {
	for _, l := range family.Table() {
		for _, link := range l.LinkNames() {
			for limits := family.NoLimits; limits <= family.Truncated; limits++ {
				f, err := family.Parse(l.Name, link)
				if err == nil {
					f, err = f.WithLimits(limits)
				}
				for k, d := range l.Dispersions {
					one, can := f.WithPredictor(d.Name)
					if err != nil || !can {
						continue
					}
					if out = append(out, one); k == 0 && len(l.Dispersions) > 1 {
						if both, can := one.WithPredictor(l.Dispersions[1].Name); can {
							out = append(out, both)
						}
					}
				}
			}
		}
	}
	return out
}

// rows are those of a family at predictors: responses that are drawn, of all kinds if the family has limits.
func rows(f family.Family, n int) (r family.Rows, eta [][]float64) {
	rng, several := infer.NewStream(4, f.String(), f.Predicted), f.Several()
	r = family.Rows{Disp: [2]float64{1.3, 2.6}, Kernels: simd.Vector(), Total: float64(n)}
	for range several.Predictors(classesOf(f)) {
		eta = append(eta, make([]float64, n))
	}
	row := make([]float64, len(eta))
	for i := range n {
		for p := range eta {
			if eta[p][i] = 2*rng.Float64() - 1; p == 0 && f.Support().Counts() && f.Limits == family.NoLimits {
				eta[p][i] *= 6
			}
			row[p] = eta[p][i]
		}
		y := several.Draw(rng, row, r.Disp, trialsOf(f))
		r.Y, r.Trials = append(r.Y, y), append(r.Trials, trialsOf(f))
		switch step := 1 + 0.5*math.Abs(y); f.Limits {
		case family.Truncated:
			r.Bounds = append(r.Bounds, family.Bound{Upper: y + step, Low: y - step, High: y + 3*step})
		case family.Censored:
			r.Bounds = append(r.Bounds, family.Bound{Upper: y + step, Low: math.Inf(-1), High: math.Inf(1)})
		}
		if f.Limits != family.NoLimits {
			r.Kind = append(r.Kind, []float64{0, family.Above, family.Below, family.Within}[i%4])
		}
	}
	several.Prepare(&r)
	return r, eta
}

// Predictors start at numbers, whatever the responses: a mean below 0 has no logarithm.
func TestVaryingStarts(t *testing.T) {
	for _, f := range varying() {
		r, _ := rows(f, 20)
		if low, _ := f.Support().Range(); low < 0 {
			for i := range r.Y {
				r.Y[i] = -1 - math.Abs(r.Y[i])
			}
		}
		r.Total = 20
		for k, at := range f.Several().Start(&r, 1) {
			if at-at != 0 {
				t.Errorf("%s of %s: predictor %d starts at %v", f.Predicted, f, k, at)
			}
		}
	}
}

// The density of a row is that of the base at the dispersions of the row, and so is its distribution function.
func TestVaryingDensities(t *testing.T) {
	for _, f := range varying() {
		const n = 150
		r, eta := rows(f, n)
		got := make([]float64, n)
		f.Several().LogLik(&r, 0, eta, got)
		base := f
		base.Predicted = ""
		for i := range n {
			row, disp := []float64{eta[0][i]}, r.Disp
			for p, of := range f.Several().Predictors(nil)[1:] {
				at := eta[p+1][i]
				if d := f.Dispersion(of.Name); d == nil {
					row = append(row, at)
				} else if x := d.At(at); d.Name == f.Dispersions()[0].Name {
					disp[0] = x
				} else {
					disp[1] = x
				}
			}
			one := r.Only(i)
			one.Disp = disp
			want, cdf := density1(base, one, row)
			if math.Abs(got[i]-want) > 1e-9*(1+math.Abs(want)) {
				t.Errorf("%s of %s, row %d: log density %v, that of the base %v", f.Predicted, f, i, got[i], want)
			}
			all := []float64{}
			for p := range eta {
				all = append(all, eta[p][i])
			}
			if own := f.Several().CDF(r.Y[i], all, r.Disp, trialsOf(f)); math.Abs(own-cdf) > 1e-12 {
				t.Errorf("%s of %s, row %d: distribution function %v, that of the base %v", f.Predicted, f, i, own, cdf)
			}
		}
	}
}

// density1 is the log density of one row, and the distribution function at its response.
func density1(f family.Family, one family.Rows, eta []float64) (log, cdf float64) {
	law, out := f.Distribution(), []float64{0}
	if several := f.Several(); several != nil {
		own := family.Rows{Y: one.Y, Trials: one.Trials, Disp: one.Disp, Total: 1, Kernels: one.Kernels}
		several.Prepare(&own)
		rows := [][]float64{}
		for p := range eta {
			rows = append(rows, eta[p:p+1])
		}
		several.LogLik(&own, 0, rows, out)
		return out[0], several.CDF(one.Y[0], eta, one.Disp, one.Attempts(0))
	}
	at := family.Row{Eta: eta[0], Mean: law.MeanAt(f.Of(), eta[0], one.Disp), Disp: one.Disp, Trials: one.Attempts(0), Link: f.Of()}
	cdf = law.CDF(one.Y[0], at)
	along := f.Likelihood()
	if along.Form == family.Squares {
		z := (one.Y[0] - eta[0]) / one.Disp[0]
		return -z*z/2 - math.Log(one.Disp[0]) + law.Constant(&one), cdf
	}
	along.Terms.Terms(one, eta, out)
	return out[0] + along.Terms.Norm(one) + law.Constant(&one), cdf
}

// The likelihood along each predictor, given the others, has the density, its derivatives, and those in a dispersion
// that all rows share. TestOrderedClassesAlong has ordered classes.
func TestViews(t *testing.T) {
	for _, f := range append(append(varying(), severals()...), family.Classes) {
		const n = 140
		r, eta := rows(f, n)
		several, each := f.Several(), make([]float64, n)
		several.LogLik(&r, 0, eta, each)
		total, views := r.Kernels.Sum(each), family.NewViews(len(eta), n)
		name := f.Predicted + " of " + f.String() + ", predictor "
		for p, of := range several.Predictors(classesOf(f)) {
			several.Given(p, &r, eta, views[p])
			v := along{r, of.Of.Likelihood().Terms, eta[p], of.Of.LogConcave()}
			v.Y = several.Response(p, &r)
			if of.Common && p == 0 {
				several.Given(family.Common, &r, eta, views[len(eta)])
				closed(t, name+"of all", of.Of, several.Response(family.Common, &r), make([]float64, n), views[len(eta)], total)
			}
			if v.Given = views[p].Given; v.terms == nil {
				closed(t, name+of.Name, of.Of, v.Y, eta[p], views[p], total)
				continue
			}
			for k, elsewhere := range of.Elsewhere {
				if elsewhere {
					v.Disp[k] = of.Of.Dispersions()[k].At(0)
				}
			}
			name := name + of.Name
			if got := v.at(0, each) + views[p].Base; math.Abs(got-total) > 1e-9*(1+math.Abs(total)) {
				t.Errorf("%s: log likelihood %v, want %v", name, got, total)
			}
			v.slopes(t, name)
			for k, d := range of.Of.Dispersions() {
				if !of.Elsewhere[k] {
					v.score(t, name+", "+d.Name, k)
				}
			}
		}
	}
}

// closed compares a log likelihood with that of a view which has the form of bernoulli, or of poisson.
func closed(t *testing.T, name string, of family.Family, y, eta []float64, v *family.View, want float64) {
	t.Helper()
	got := v.Base
	for i, e := range eta {
		if v.Rest != nil {
			e += v.Rest[i]
		}
		if of.Is(family.Exponential) {
			got += y[i]*e - math.Exp(e)
		} else {
			got += y[i]*e - math.Max(e, 0) - math.Log1p(math.Exp(-math.Abs(e)))
		}
	}
	if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
		t.Errorf("%s: log likelihood %v, want %v", name, got, want)
	}
}

// classesOf are the classes of responses that have such.
func classesOf(f family.Family) []string {
	if f.Support().Classes {
		return []string{"a", "b", "c", "d"}
	}
	return nil
}

// along is the likelihood along a predictor.
type along struct {
	family.Rows
	terms   family.Terms
	eta     []float64
	concave bool
}

// at writes the terms of rows at eta + by, and returns the log likelihood.
func (v along) at(by float64, dst []float64) float64 {
	for i := range dst {
		dst[i] = v.eta[i] + by
	}
	for i := 0; i < len(dst); i += family.ChunkRows {
		j := min(len(dst), i+family.ChunkRows)
		v.terms.Terms(v.Part(i, j), dst[i:j], dst[i:j])
	}
	return v.Kernels.Sum(dst) + v.terms.Norm(v.Rows)
}

const h = 1e-4

// slopes compares derivatives with differences.
func (v along) slopes(t *testing.T, name string) {
	t.Helper()
	n := len(v.eta)
	at, up, down := make([]float64, n), make([]float64, n), make([]float64, n)
	v.at(0, at)
	v.at(h, up)
	v.at(-h, down)
	grad, curv, info := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := 0; i < n; i += family.ChunkRows {
		j := min(n, i+family.ChunkRows)
		v.terms.Slopes(v.Part(i, j), v.eta[i:j], grad[i:j], curv[i:j], info[i:j])
	}
	for i := range n {
		first, second := (up[i]-down[i])/(2*h), (2*at[i]-up[i]-down[i])/h/h
		if math.Abs(grad[i]-first) > 1e-5*(1+math.Abs(first)) || !(info[i] >= 0) ||
			math.Abs(curv[i]-second) > 1e-4*(1+math.Abs(second)+math.Abs(at[i])) {
			t.Errorf("%s, row %d: slopes %v and %v, information %v, want %v and %v", name, i, grad[i], curv[i], info[i],
				first, second)
		}
		if v.concave && curv[i] < -1e-9*(1+math.Abs(info[i])) {
			t.Errorf("%s, row %d: a concave log density has the curvature %v", name, i, -curv[i])
		}
	}
}

// score compares the derivative in a dispersion with a difference.
func (v along) score(t *testing.T, name string, k int) {
	t.Helper()
	got, at, none := v.terms.Scores(v.Rows, v.eta)[k], v.Disp[k], make([]float64, len(v.eta))
	v.Disp[k] = at + h
	above := v.at(0, none)
	v.Disp[k] = at - h
	if want := (above - v.at(0, none)) / (2 * h); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
		t.Errorf("%s: score %v, want %v", name, got, want)
	}
}
