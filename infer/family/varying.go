package family

import (
	"cmp"
	"math"
	"strings"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// varying is a family in which dispersions have linear predictors besides the mean: of their coordinates, see
// Dispersion.At. Every family of one predictor has it whose link takes every eta.
type varying struct{ *rowwise }

// rowwise is the log density of rows that may each have dispersions of their own.
type rowwise struct {
	base  *Distribution
	link  *Link
	on    [2]bool // the dispersions that have predictors
	first int     // the place of their first predictor
	terms Terms
	own   Rowwise // or nil
}

// Rowwise are Terms that take the only dispersion of each row: its values x and their coordinates u, which prepare may
// change to other numbers that the others read.
type Rowwise interface {
	prepare(r *Rows, x, u []float64)
	// rowTerms writes Terms to dst, and rowNorms adds Norm of each row to it.
	rowTerms(r Rows, eta, x, u, dst []float64)
	rowNorms(r Rows, x, u, dst []float64)
	// rowSlopes are Slopes in eta, spreadSlopes those of Terms and Norm in u before prepare; false if there are none.
	rowSlopes(r Rows, eta, x, u, grad, curv, info []float64)
	spreadSlopes(r Rows, eta, x, u, grad, curv []float64) bool
}

// rowwiseOf returns that of a family of one predictor; nil if it has none.
func (l *Distribution) rowwiseOf(k *Link, on [2]bool) *rowwise {
	along := l.Along(k)
	out := &rowwise{base: l, link: k, on: on, first: 1, terms: along.Terms, own: along.Rowwise}
	switch {
	case k.Positive || along.Several != nil:
		return nil
	case along.OfMean != nil: // with the link log
		out.terms = along.OfMean
	case along.Form == Squares:
		out.terms = normalLaw{}
	case along.Terms == nil:
		return nil
	}
	return out
}

// varied returns the likelihood with predictors of the dispersions of a list.
func (l *Distribution) varied(names string, k *Link) (out Likelihood) {
	on, there := l.predicting(names)
	switch {
	case !there:
	case on == [2]bool{true} && l.scalable(k):
		s := scaled{l, k}
		if out = (Likelihood{Form: Termwise, Several: s}); s.normal() {
			out.Sum = s.normalSum
		}
	default:
		if of := l.rowwiseOf(k, on); of != nil {
			out = Likelihood{Form: Termwise, Several: varying{of}}
		}
	}
	return out
}

// predicting returns which dispersions a list has; false if it has other names.
func (l *Distribution) predicting(names string) (on [2]bool, ok bool) {
	for name := range strings.SplitSeq(names, ",") {
		found := false
		for k := range l.Dispersions {
			if l.Dispersions[k].Name == name {
				on[k], found = true, true
			}
		}
		if !found {
			return on, false
		}
	}
	return on, true
}

// rowwises are those of a family, one for each link and choice of dispersions.
func (l *Distribution) rowwises() (out []*rowwise) {
	for _, k := range l.Links {
		for _, on := range [][2]bool{{true}, {false, true}, {true, true}} {
			if d := len(l.Dispersions); d == 0 || on[1] && d < 2 {
				continue
			}
			if of := l.rowwiseOf(k, on); of != nil {
				out = append(out, of)
			}
		}
	}
	return out
}

// viewName names the likelihood along a predictor, given those of the dispersions.
func (l *rowwise) viewName(along string) string {
	name := l.base.Name + "(" + l.link.Name + ")/" + along + "|"
	for k, on := range l.on {
		if on {
			name += l.base.Dispersions[k].Name
		}
	}
	return name
}

// view is the likelihood along a predictor of a family, given the others.
func (l *rowwise) view(along string, link *Link, terms Terms) *Distribution {
	out := *l.base
	out.Name, out.Links, out.Additive, out.With, out.Limited = l.viewName(along), []*Link{link}, false, nil, nil
	concave := along == viewMean && l.base.Along(l.link).Concave
	out.Along = func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: terms, Concave: concave} }
	out.Constant = func(*Rows) float64 { return 0 }
	if along != viewMean {
		out.Dispersions, out.Ends, out.Centre, out.Mean = nil, nil, nil, nil
	}
	return &out
}

// viewMean is the name of the view along the mean.
const viewMean = "mu"

// views are those along the mean, and along each dispersion with a predictor.
func (l *rowwise) views() []*Distribution {
	out := []*Distribution{l.view(viewMean, l.link, meanGiven{l, 0})}
	for k, on := range l.on {
		if on {
			d := &l.base.Dispersions[k]
			out = append(out, l.view(d.Name, d.link(), spreadGiven{l, k, 0}))
		}
	}
	return out
}

// varyingViews are the views of families of one predictor.
func varyingViews(families []*Distribution) (out []*Distribution) {
	for _, l := range families {
		for _, of := range l.rowwises() {
			out = append(out, of.views()...)
		}
	}
	return out
}

// Predictors are those of the mean and of each dispersion, named as brms names them.
func (l varying) Predictors([]string) []Predictor {
	mean := Predictor{Of: Family{Name: l.viewName(viewMean), Link: l.link.Name, Limits: l.base.limits()}, Elsewhere: l.on}
	return append([]Predictor{mean}, l.spreads(l.viewName)...)
}

// spreads are the predictors of dispersions, whose views have these names.
func (l *rowwise) spreads(named func(along string) string) (out []Predictor) {
	for k, on := range l.on {
		if d := &l.base.Dispersions[min(k, len(l.base.Dispersions)-1)]; on {
			out = append(out, Predictor{Name: d.Name, Intercept: d.intercept(), Centre: l.centre(k),
				Of: Family{Name: named(d.Name), Link: d.link().Name, Limits: l.base.limits()}})
		}
	}
	return out
}

// link is that of a linear predictor of the dispersion.
func (d *Dispersion) link() *Link {
	switch {
	case d.Real:
		return plain
	case d.Lower > 0:
		return logAboveOne
	}
	return logLink
}

// intercept is the default prior of the intercept of its predictor, as in brms; that of a scale has a unit, and is not
// as in brms.
func (d *Dispersion) intercept() prior.Prior {
	switch {
	case d.Scale():
		return prior.Prior{}
	case d.Real:
		return d.Default(1)
	case d.Lower > 0:
		return prior.Prior{Kind: prior.Normal, Location: 2.7, Scale: 0.8}
	}
	return prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 2.5}
}

// centre returns that of the intercept of a dispersion with a unit, by the responses; nil for others.
func (l *rowwise) centre(k int) func(y []float64) float64 {
	switch d := &l.base.Dispersions[k]; {
	case d.Scale():
		return scaled{l.base, l.link}.logSpread
	case d.Unit:
		return func(y []float64) float64 { return vec.Log(vec.Sum(y) / float64(len(y))) }
	}
	return nil
}

func (l varying) Prepare(r *Rows) { l.base.eachConstant(r) }

// LeastStart is the least mean response, above 0, at which a search begins under a link that takes positive means only,
// of responses that may be negative: a tenth of the root of their mean square.
func LeastStart(meanSquare float64) float64 { return max(0.1*math.Sqrt(meanSquare), 1e-100) }

func (l varying) Start(r *Rows, _ int) []float64 {
	total, squares, attempts := 0.0, 0.0, 0.0
	for i, y := range r.Y {
		total += float64(r.Count(i) * y)
		squares += float64(r.Count(i) * y * y)
		attempts += float64(r.Count(i) * r.Attempts(i))
	}
	low, high := l.base.Support.Range()
	if low < 0 && !l.link.Linear() { // with a positive mean
		low = LeastStart(squares / r.Total)
	}
	start := l.link.Of(min(max(total/r.Total, low), high))
	if l.base.Support.Whole {
		start = l.link.Of((total + 0.5) / (attempts + 1))
	}
	if l.base.Centre != nil {
		start = l.base.Centre(r.Y)
	}
	return append([]float64{start}, l.starts(r.Y)...)
}

// starts are constants for the dispersions.
func (l *rowwise) starts(y []float64) (out []float64) {
	for k, on := range l.on {
		switch centre := l.centre(min(k, len(l.base.Dispersions)-1)); {
		case !on:
		case centre != nil:
			out = append(out, centre(y))
		default:
			d := &l.base.Dispersions[k]
			out = append(out, d.Coordinate(cmp.Or(d.Start, d.Lower+1)))
		}
	}
	return out
}

func (varying) Response(_ int, r *Rows) []float64 { return r.Y }

func (l varying) Given(p int, r *Rows, eta [][]float64, v *View) {
	v.Base = r.counted(r.Each)
	l.give(p, 0, r, eta, v)
	if p == 0 && !l.normed() {
		v.Base += l.norms(r, 0, v)
	}
}

func (l varying) LogLik(r *Rows, first int, eta [][]float64, dst []float64) {
	rows := r.Part(first, first+len(dst))
	rows.chunks(func(i int, part Rows) {
		n := len(part.Y)
		l.whole(part, eta, i, dst[i:i+n])
		for k, c := range part.Each {
			dst[i+k] += c
		}
	})
}

// row is a row at its predictors.
func (l *rowwise) row(eta []float64, disp [2]float64, trials float64) Row {
	at := l.first
	for k, on := range l.on {
		if on {
			disp[k] = l.base.Dispersions[k].At(eta[at])
			at++
		}
	}
	return Row{Eta: eta[0], Mean: l.base.MeanAt(l.link, eta[0], disp), Disp: disp, Trials: trials, Link: l.link}
}

func (l varying) Means(eta []float64, disp [2]float64, dst []float64) {
	dst[0] = l.row(eta, disp, 1).Mean
}

func (l varying) CDF(y float64, eta []float64, disp [2]float64, trials float64) float64 {
	return l.base.CDF(y, l.row(eta, disp, trials))
}

func (l varying) Draw(s prior.Source, eta []float64, disp [2]float64, trials float64) float64 {
	return l.base.Draw(s, l.row(eta, disp, trials))
}
