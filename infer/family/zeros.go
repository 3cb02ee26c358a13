package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// zeroed is a family with a second source of zeros: a response is 0 with a probability pi, whose logit is a linear
// predictor. Otherwise it is one of the base, which in a hurdle is above 0.
type zeroed struct {
	base    *Distribution
	name    string // of the predictor: zi or hu
	hurdle  bool
	rowwise *rowwise // of the base if its dispersion has a predictor, or nil
}

// The families with a second source of zeros.
var (
	zeroFamilies = []zeroed{{poisson, "zi", false, nil}, {negativeBinomial, "zi", false, nil}, {poisson, "hu", true, nil},
		{negativeBinomial, "hu", true, nil}, {gamma, "hu", true, nil}, {lognormal, "hu", true, nil},
		{binomial, "zi", false, nil}, {betaBinomial, "zi", false, nil}, {beta, "zi", true, nil}}

	zeroInflatedPoisson          = zeroFamilies[0].family()
	zeroInflatedNegativeBinomial = zeroFamilies[1].family()
	hurdlePoisson                = zeroFamilies[2].family()
	hurdleNegativeBinomial       = zeroFamilies[3].family()
	hurdleGamma                  = zeroFamilies[4].family()
	hurdleLognormal              = zeroFamilies[5].family()
	zeroInflatedBinomial         = zeroFamilies[6].family()
	zeroInflatedBetaBinomial     = zeroFamilies[7].family()
	zeroInflatedBeta             = zeroFamilies[8].family()
)

// kind is how the name of the family begins. In brms the only source of zeros of beta is called zi.
func (z zeroed) kind() string {
	if z.name == "hu" {
		return "hurdle_"
	}
	return "zero_inflated_"
}

// family makes the family.
func (z zeroed) family() *Distribution {
	l := *z.base
	l.Name = z.kind() + z.base.Name
	l.Links, l.Additive, l.Ends, l.Limited = z.base.Links[:1], false, nil, nil
	law, tex := "ZeroInflated", `\mathrm{ZeroInflated}`
	l.Notation.Note = "0 with probability " + z.name + "_i, else " + z.base.Notation.Law
	if z.name == "hu" {
		law, tex = "Hurdle", `\mathrm{Hurdle}`
		l.Notation.Note += " above 0"
	}
	l.Notation.Law = law + "(" + z.base.Notation.Law + ", " + z.name + "_i)"
	l.Notation.LaTeX = tex + "(" + z.base.Notation.LaTeX + `, \mathrm{` + z.name + "}_i)"
	l.Notation.Of = "the mean without the second source of zeros"
	switch z.base.Support {
	case positives:
		l.Support = zeros
	case shares:
		l.Support = sharesAndZeros
	}
	l.Along = func(*Link) Likelihood { return Likelihood{Form: Termwise, Several: z} }
	l.With = func(parameters string, k *Link) Likelihood {
		if on, there := l.predicting(parameters); there {
			return Likelihood{Form: Termwise, Several: z.varied(on)}
		}
		return Likelihood{}
	}
	l.Draw, l.CDF = nil, nil
	return &l
}

// varied is the family with a predictor of the base's dispersion.
func (z zeroed) varied(on [2]bool) zeroed {
	if z.rowwise = z.base.rowwiseOf(z.base.Links[0], on); z.rowwise != nil {
		z.rowwise.first = 2
	}
	return z
}

// continuous reports whether the base has no zeros.
func (z zeroed) continuous() bool { return !z.base.Support.Whole }

// along is the likelihood along the mean of the base, or along its dispersion, given the share of zeros.
func (z zeroed) along(terms Terms, spread bool) Likelihood {
	if z.hurdle {
		return Likelihood{Form: Termwise, Terms: truncated{terms, z.continuous(), spread},
			Concave: z.continuous() && !spread && z.base.Along(z.base.Links[0]).Concave}
	}
	return Likelihood{Form: Termwise, Terms: inflated{terms}}
}

// shares is how many numbers along along reads of the share.
func (z zeroed) shares() int {
	if z.hurdle {
		return 0
	}
	return 1
}

// view is the likelihood along the mean, or a dispersion with a predictor.
func (z zeroed) view(name string, along Likelihood) *Distribution {
	out := *z.family()
	out.Name, out.Constant, out.With = z.viewName(name), func(*Rows) float64 { return 0 }, nil
	out.Along = func(*Link) Likelihood { return along }
	out.Prepare, out.Ends = z.prepare, z.base.Ends
	return &out
}

// viewName names a view.
func (z zeroed) viewName(along string) string {
	if z.rowwise != nil {
		along = z.rowwise.viewName(along)
	}
	return z.kind() + z.base.Name + "/" + along
}

// varyingParts are the views of the base's predictors if its dispersion has one.
func (z zeroed) varyingParts() (out []*Distribution) {
	for k := range z.base.Dispersions {
		of := z.varied([2]bool{k == 0, k == 1})
		d, from := &z.base.Dispersions[k], z.shares()
		out = append(out, of.view(viewMean, of.along(meanGiven{of.rowwise, from}, false)))
		spread := of.view(d.Name, of.along(spreadGiven{of.rowwise, k, from}, true))
		spread.Links, spread.Dispersions, spread.Ends, spread.Centre, spread.Mean = []*Link{d.link()}, nil, nil, nil, nil
		out = append(out, spread)
	}
	return out
}

// parts are the likelihoods along each of the predictors of families, given the others.
func parts(families []zeroed) (out []*Distribution) {
	for _, z := range families {
		out = append(append(out, z.varyingParts()...), z.view(viewMean, z.along(z.terms(), false)))
		if z.hurdle {
			continue // whose zeros are bernoulli
		}
		share := *z.family()
		share.Name, share.Links, share.Dispersions = share.Name+"/"+z.name, []*Link{Logit}, nil
		share.Constant, share.Prepare, share.With = func(*Rows) float64 { return 0 }, nil, nil
		share.Along = func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: shareOfZeros{}} }
		out = append(out, &share)
	}
	return out
}

// terms are those of the base along eta, with all norms if its dispersion has a predictor.
func (z zeroed) terms() Terms {
	if z.rowwise != nil {
		return wholly{meanGiven{z.rowwise, 0}}
	}
	link := z.base.Links[0]
	switch along := z.base.Along(link); along.Form {
	case Exponential:
		return poissonMean{}
	case Softplus:
		return binary{*link.tails}
	default:
		return along.Terms
	}
}

// prepare is that of the base, whose logarithms of zeros are not read.
func (z zeroed) prepare(r *Rows) {
	if z.base.Prepare == nil {
		return
	}
	z.base.Prepare(r)
	for i, y := range r.Y {
		if y == 0 {
			r.LogY[i] = 0
		}
	}
}

// Predictors are named as brms names them.
func (z zeroed) Predictors([]string) []Predictor {
	out := []Predictor{{Of: Family{Name: z.viewName(viewMean), Link: z.base.Links[0].Name}}, {Name: z.name, Of: Binary}}
	if !z.hurdle {
		out[1].Of = Family{Name: z.kind() + z.base.Name + "/" + z.name, Link: Logit.Name}
	}
	if z.rowwise != nil {
		out[0].Elsewhere = z.rowwise.on
		out = append(out, z.rowwise.spreads(z.viewName)...)
	}
	return out
}

func (z zeroed) Prepare(r *Rows) {
	if r.Y == nil {
		return
	}
	z.prepare(r)
	r.Each = make([]float64, len(r.Y))
	for i, y := range r.Y {
		if one := r.Only(i); y != 0 || !z.hurdle {
			r.Each[i] = z.base.Constant(&one)
		}
	}
}

// Start takes half of the zeros for the second source in a zero-inflated family, all in a hurdle.
func (z zeroed) Start(r *Rows, _ int) []float64 {
	total, zeros, attempts := 0.0, 0.0, 0.0
	for i, y := range r.Y {
		if total += float64(r.Count(i) * y); y == 0 {
			zeros += r.Count(i)
		} else {
			attempts += float64(r.Count(i) * r.Attempts(i))
		}
	}
	above := r.Total - zeros
	if !z.hurdle {
		zeros *= 0.5
	}
	start := vec.Log(max((total+0.5)/(above+1), LeastPositive))
	switch {
	case z.base.Support.Unit():
		start = Logit.Of((total + 0.5) / (attempts + 1))
	case z.continuous():
		start = vec.Log(max(total/max(1, above), LeastPositive))
	}
	out := []float64{start, vec.Log((zeros + 0.5) / (r.Total - zeros + 0.5))}
	if z.rowwise != nil {
		out = append(out, z.rowwise.starts(r.Y)...)
	}
	return out
}

func (z zeroed) Response(p int, r *Rows) []float64 {
	if p != 1 || !z.hurdle {
		return r.Y
	}
	out := make([]float64, len(r.Y))
	for i, y := range r.Y {
		if y == 0 {
			out[i] = 1
		}
	}
	return out
}

func (z zeroed) Given(p int, r *Rows, eta [][]float64, v *View) {
	each := v.kept[0]
	switch {
	case p != 1: // the part of the zeros
		r.Kernels.Log1pExp(each, eta[1])
		for i, y := range r.Y {
			each[i] = r.Each[i] - each[i]
			if z.hurdle && y == 0 {
				each[i] += eta[1][i]
			}
		}
		if v.Base = r.counted(each); !z.hurdle {
			copy(v.given(0, len(r.Y)), eta[1])
		}
		z.giveDispersions(p, r, eta, v)
	case z.hurdle:
		terms := truncated{z.terms(), z.continuous(), false}
		z.each(r, terms, eta, each)
		for i, c := range r.Each {
			each[i] += c
		}
		v.Base = r.counted(each) + terms.Norm(*r)
	default:
		of0, terms := v.given(0, len(r.Y)), z.terms()
		z.each(r, terms, eta, of0)
		for i, y := range r.Y {
			if each[i] = r.Each[i]; y != 0 {
				each[i] += of0[i]
				of0[i] = 0
			}
		}
		v.Base = r.counted(each) + terms.Norm(*r)
	}
}

// each writes terms of all rows to dst.
func (z zeroed) each(r *Rows, terms Terms, eta [][]float64, dst []float64) {
	r.chunks(func(i int, part Rows) {
		n := len(part.Y)
		terms.Terms(z.at(part, eta, i), eta[0][i:i+n], dst[i:i+n])
	})
}

// at returns the rows of a chunk, which is at row i of eta, with what terms reads of the dispersion.
func (z zeroed) at(part Rows, eta [][]float64, i int) Rows {
	if z.rowwise != nil {
		n := len(part.Y)
		x, u := make([]float64, n), make([]float64, n)
		z.rowwise.prepared(&part, z.rowwise.only(), eta[z.rowwise.first][i:i+n], x, u)
		part.Given, part.first = [][]float64{x, u}, 0
	}
	return part
}

// giveDispersions writes what a predictor of the base sees of its others.
func (z zeroed) giveDispersions(p int, r *Rows, eta [][]float64, v *View) {
	if z.rowwise == nil {
		return
	}
	z.rowwise.give(p, z.shares(), r, eta, v)
	if p == 0 {
		rows := *r
		if z.hurdle {
			rows = counting(rows, once)
		}
		v.Base += z.rowwise.norms(&rows, z.shares(), v)
	}
}

func (z zeroed) LogLik(r *Rows, first int, eta [][]float64, dst []float64) {
	rows := r.Part(first, first+len(dst))
	terms := z.terms()
	if z.hurdle {
		terms = truncated{terms, z.continuous(), false}
	}
	var none, both, log1p Block
	rows.chunks(func(i int, part Rows) {
		n := len(part.Y)
		share := eta[1][i : i+n]
		terms.Terms(z.at(part, eta, i), eta[0][i:i+n], dst[i:i+n])
		part.addLogs(share, none[:n], log1p[:])
		if !z.hurdle {
			part.addLogs(share, dst[i:i+n], both[:])
		}
		for k, y := range part.Y {
			at := &dst[i+k]
			switch {
			case y != 0 && z.base.Dispersions == nil: // without a norm
			case y != 0:
				*at += terms.Norm(part.Part(k, k+1))
			case z.hurdle:
				*at = share[k]
			default:
				*at = both[k]
			}
			*at += part.Each[k] - log1p[k]
		}
	})
}

// row is a row of the base at its predictor.
func (z zeroed) row(eta []float64, disp [2]float64, trials float64) Row {
	if z.rowwise != nil {
		return z.rowwise.row(eta, disp, trials)
	}
	link := z.base.Links[0]
	return Row{Eta: eta[0], Mean: z.base.MeanAt(link, eta[0], disp), Disp: disp, Trials: trials, Link: link}
}

// of0 is the base's probability of a 0, of which a hurdle has none.
func (z zeroed) of0(row Row) float64 {
	if z.hurdle && !z.continuous() {
		return z.base.CDF(0, row)
	}
	return 0
}

func (z zeroed) Means(eta []float64, disp [2]float64, dst []float64) {
	row := z.row(eta, disp, 1)
	dst[0] = vec.Logistic(-eta[1]) * row.Mean / (1 - z.of0(row))
}

func (z zeroed) CDF(y float64, eta []float64, disp [2]float64, trials float64) float64 {
	if y < 0 {
		return 0
	}
	row := z.row(eta, disp, trials)
	none, up := z.of0(row), 0.0
	if y > 0 || !z.continuous() {
		up = z.base.CDF(y, row)
	}
	return vec.Logistic(eta[1]) + vec.Logistic(-eta[1])*max(0, up-none)/(1-none)
}

// Draw passes a hurdle by trying again, or by the inverse distribution function if most tries fail.
func (z zeroed) Draw(s prior.Source, eta []float64, disp [2]float64, trials float64) float64 {
	if s.Float64() < vec.Logistic(eta[1]) {
		return 0
	}
	row := z.row(eta, disp, trials)
	none := z.of0(row)
	if none > 0.5 {
		u := math.FMA(s.Float64(), 1-none, none)
		return minCount(func(y float64) float64 { return z.base.CDF(y, row) }, u, 0, maxCount)
	}
	for {
		if y := z.base.Draw(s, row); y > 0 || !z.hurdle {
			return y
		}
	}
}
