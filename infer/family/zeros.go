package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// zeroed is a family with a second source of zeros: a response is 0 with a probability pi, whose logit is a linear
// predictor. Otherwise it is one of the base, which in a hurdle is above 0.
type zeroed struct {
	base   *Distribution
	name   string // of the predictor: zi or hu
	hurdle bool
}

// The families with a second source of zeros.
var (
	zeroFamilies = []zeroed{{poisson, "zi", false}, {negativeBinomial, "zi", false}, {poisson, "hu", true},
		{negativeBinomial, "hu", true}, {gamma, "hu", true}, {lognormal, "hu", true}}

	zeroInflatedPoisson          = zeroFamilies[0].family()
	zeroInflatedNegativeBinomial = zeroFamilies[1].family()
	hurdlePoisson                = zeroFamilies[2].family()
	hurdleNegativeBinomial       = zeroFamilies[3].family()
	hurdleGamma                  = zeroFamilies[4].family()
	hurdleLognormal              = zeroFamilies[5].family()
)

// kind is how the name of the family begins.
func (z zeroed) kind() string {
	if z.hurdle {
		return "hurdle_"
	}
	return "zero_inflated_"
}

// family makes the family.
func (z zeroed) family() *Distribution {
	l := *z.base
	l.Name = z.kind() + z.base.Name
	l.Links, l.Additive, l.Ends = z.base.Links[:1], false, nil
	law, tex := "ZeroInflated", `\mathrm{ZeroInflated}`
	l.Notation.Note = "0 with probability " + z.name + "_i, else " + z.base.Notation.Law
	if z.hurdle {
		law, tex = "Hurdle", `\mathrm{Hurdle}`
		l.Notation.Note += " above 0"
	}
	l.Notation.Law = law + "(" + z.base.Notation.Law + ", " + z.name + "_i)"
	l.Notation.LaTeX = tex + "(" + z.base.Notation.LaTeX + `, \mathrm{` + z.name + "}_i)"
	l.Notation.Of = "the mean without the second source of zeros"
	if z.continuous() {
		l.Support = zeros
	}
	l.Along = func(*Link) Likelihood { return Likelihood{Form: Termwise, Several: z} }
	l.Draw, l.CDF = nil, nil
	return &l
}

// continuous reports whether the base has no zeros.
func (z zeroed) continuous() bool { return z.base.Support == positives }

// parts are the likelihoods along each of the two predictors of families, given the other.
func parts(families []zeroed) (out []*Distribution) {
	for _, z := range families {
		mean := *z.family()
		mean.Name, mean.Constant = mean.Name+"/mu", func(*Rows) float64 { return 0 }
		along := Likelihood{Form: Termwise, Terms: inflated{z.terms()}}
		if z.hurdle {
			along.Terms, along.Concave = truncated{z.terms(), z.continuous()}, z.continuous()
		}
		mean.Along = func(*Link) Likelihood { return along }
		mean.Prepare, mean.Ends = z.prepare, z.base.Ends
		out = append(out, &mean)
		if z.hurdle {
			continue // whose zeros are bernoulli
		}
		share := *z.family()
		share.Name, share.Links, share.Dispersions = share.Name+"/"+z.name, []*Link{Logit}, nil
		share.Constant, share.Prepare = mean.Constant, nil
		share.Along = func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: shareOfZeros{}} }
		out = append(out, &share)
	}
	return out
}

// terms are those of the base along eta.
func (z zeroed) terms() Terms {
	along := z.base.Along(z.base.Links[0])
	if along.Terms == nil {
		return poissonMean{}
	}
	return along.Terms
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

// inflated is the likelihood along the base's predictor of a zero-inflated family: a row with a zero has
// log(e^Given[0] + e^t) with the base's log density t, up to a constant.
type inflated struct{ terms Terms }

func (l inflated) Terms(r Rows, eta, dst []float64) {
	l.terms.Terms(r, eta, dst)
	l.addZeros(r, dst)
}

// addZeros adds the second source of zeros to the log densities of zeros.
func (inflated) addZeros(r Rows, dst []float64) {
	r.addToZeros(r.Given[0], dst, dst)
}

// addToZeros writes log(e^a + e^b) to dst, which may be either, for the rows with zeros: at most ChunkRows.
func (r *Rows) addToZeros(a, b, dst []float64) {
	var size, gap Block
	n := 0
	for i, y := range r.Y {
		if y == 0 {
			size[n], gap[n] = max(a[i], b[i]), -math.Abs(a[i]-b[i])
			n++
		}
	}
	r.Kernels.Exp(gap[:n], gap[:n])
	r.Kernels.Log1p(gap[:n], gap[:n])
	n = 0
	for i, y := range r.Y {
		if y == 0 {
			dst[i] = size[n] + gap[n]
			n++
		}
	}
}

// from writes the probability that a zero is one of the base, 1 for other rows.
func (l inflated) from(r Rows, eta, dst []float64) {
	l.terms.Terms(r, eta, dst)
	for i, y := range r.Y {
		dst[i] -= r.Given[0][i]
		if y != 0 {
			dst[i] = 1
			continue
		}
		dst[i] = vec.Logistic(dst[i])
	}
}

func (l inflated) Slopes(r Rows, eta, grad, curv, info []float64) {
	scratch := Blocks.Get().(*[3]Block)
	defer Blocks.Put(scratch)
	p := scratch[0][:len(eta)]
	l.from(r, eta, p)
	l.terms.Slopes(r, eta, grad, curv, info)
	for i, p := range p {
		curv[i] = math.FMA(-float64(p*(1-p))*grad[i], grad[i], float64(p*curv[i]))
		grad[i], info[i] = float64(p*grad[i]), float64(p*info[i])
	}
}

func (l inflated) Norm(r Rows) float64 { return l.terms.Norm(r) }

// Scores weighs the rows with zeros by the probability that they are of the base.
func (l inflated) Scores(r Rows, eta []float64) (total [2]float64) {
	r.chunks(func(i int, part Rows) {
		var p, counts Block
		n := len(part.Y)
		l.from(part, eta[i:i+n], p[:n])
		for k := range n {
			counts[k] = float64(p[k] * part.Count(k))
		}
		part.Frequency = counts[:n]
		one := l.terms.Scores(part, eta[i:i+n])
		total[0] += one[0]
		total[1] += one[1]
	})
	return total
}

// shareOfZeros is the likelihood along the logit of the share: Given[0] is the base's log density of a zero.
type shareOfZeros struct{}

func (shareOfZeros) Terms(r Rows, eta, dst []float64) {
	var grown, sums Block
	r.Kernels.Log1pExp(grown[:], eta)
	r.addToZeros(eta, r.Given[0], sums[:])
	for i := range eta {
		dst[i] = sums[i] - grown[i]
	}
}

func (shareOfZeros) Slopes(r Rows, eta, grad, curv, info []float64) {
	for i, e := range eta {
		share := vec.Logistic(e)
		spread := float64(share * (1 - share))
		grad[i], curv[i], info[i] = -share, spread, spread
		if r.Y[i] == 0 {
			q := vec.Logistic(e - r.Given[0][i])
			grad[i] += q
			curv[i] -= float64(q * (1 - q))
		}
	}
}

func (shareOfZeros) Norm(Rows) float64                 { return 0 }
func (shareOfZeros) Scores(Rows, []float64) [2]float64 { return [2]float64{} }

// truncated is the likelihood along the base's predictor of a hurdle: of the rows above 0, given that they are above 0.
// Continuous responses are above 0 anyway.
type truncated struct {
	terms      Terms
	continuous bool
}

// zero are responses of 0.
var zero Block

// of0 are the rows with responses of 0.
func (truncated) of0(r Rows) Rows {
	r.Y = zero[:len(r.Y)]
	return r
}

func (l truncated) Terms(r Rows, eta, dst []float64) {
	var zeros, own Block
	if !l.continuous {
		copy(own[:], eta)
		l.terms.Terms(l.of0(r), eta, zeros[:len(eta)])
	}
	l.terms.Terms(r, eta, dst)
	for i, y := range r.Y {
		switch {
		case y == 0:
			dst[i] = 0
		case !l.continuous:
			dst[i] -= logAbove(zeros[i], own[i])
		}
	}
}

// logAbove is log(1 − e^t), the log probability of a count above 0, by the log probability t of 0 and the log mean,
// which is its limit as the mean goes to 0.
func logAbove(t, logMean float64) float64 {
	switch {
	case t > -1e-300:
		return logMean
	case t > -0.5:
		return vec.Log(-(deviance(t) + t))
	}
	return vec.Log1p(-vec.Exp(t))
}

// above writes the odds of a zero, e^t/(1 − e^t), for rows above 0, and 0 for others. dst is not eta.
func (l truncated) above(r Rows, eta, dst []float64) {
	l.terms.Terms(l.of0(r), eta, dst)
	for i, y := range r.Y {
		if y == 0 {
			dst[i] = 0
			continue
		}
		dst[i] = vec.Exp(min(700, dst[i]-logAbove(dst[i], eta[i])))
	}
}

func (l truncated) Slopes(r Rows, eta, grad, curv, info []float64) {
	n := len(eta)
	l.terms.Slopes(r, eta, grad, curv, info)
	if !l.continuous {
		var odds, g, c, e Block
		l.above(r, eta, odds[:n])
		l.terms.Slopes(l.of0(r), eta, g[:n], c[:n], e[:n])
		for i, q := range odds[:n] {
			grad[i] = math.FMA(q, g[i], grad[i])
			lost := float64(q*(1+q)*g[i]) * g[i]
			curv[i] += math.FMA(q, c[i], -lost)
			info[i] = max(info[i]+math.FMA(q, e[i], -lost), 1e-9)
		}
	}
	for i, y := range r.Y {
		if y == 0 {
			grad[i], curv[i], info[i] = 0, 0, 0
		}
	}
}

// counting has rows count as often as they do, times a share.
func counting(r Rows, share func(i int) float64) Rows {
	counts := make([]float64, len(r.Y))
	r.Total = 0
	for i := range counts {
		if r.Y[i] != 0 {
			counts[i] = float64(r.Count(i) * share(i))
			r.Total += counts[i]
		}
	}
	r.Frequency = counts
	return r
}

func once(int) float64 { return 1 }

func (l truncated) Norm(r Rows) float64 { return l.terms.Norm(counting(r, once)) }

func (l truncated) Scores(r Rows, eta []float64) (total [2]float64) {
	r.chunks(func(i int, part Rows) {
		var odds Block
		n := len(part.Y)
		one := l.terms.Scores(counting(part, once), eta[i:i+n])
		if !l.continuous {
			l.above(part, eta[i:i+n], odds[:n])
			zeros := counting(part, func(k int) float64 { return odds[k] })
			zeros.Y = zero[:n]
			own := l.terms.Scores(zeros, eta[i:i+n])
			one[0] += own[0]
			one[1] += own[1]
		}
		total[0] += one[0]
		total[1] += one[1]
	})
	return total
}

// Predictors are named as brms names them.
func (z zeroed) Predictors([]string) []Predictor {
	if z.hurdle {
		return []Predictor{{Of: Family{Name: z.kind() + z.base.Name + "/mu", Link: z.base.Links[0].Name}},
			{Name: z.name, Of: Binary}}
	}
	name := z.kind() + z.base.Name
	return []Predictor{{Of: Family{Name: name + "/mu", Link: z.base.Links[0].Name}},
		{Name: z.name, Of: Family{Name: name + "/" + z.name, Link: Logit.Name}}}
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
	total, zeros := 0.0, 0.0
	for i, y := range r.Y {
		if total += float64(r.Count(i) * y); y == 0 {
			zeros += r.Count(i)
		}
	}
	above := r.Total - zeros
	if !z.hurdle {
		zeros *= 0.5
	}
	mean := (total + 0.5) / (above + 1)
	if z.continuous() {
		mean = total / max(1, above)
	}
	return []float64{vec.Log(max(mean, LeastPositive)), vec.Log((zeros + 0.5) / (r.Total - zeros + 0.5))}
}

func (z zeroed) Response(p int, r *Rows) []float64 {
	if p == 0 || !z.hurdle {
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
	case p == 0: // the part of the zeros
		r.Kernels.Log1pExp(each, eta[1])
		for i, y := range r.Y {
			each[i] = r.Each[i] - each[i]
			if z.hurdle && y == 0 {
				each[i] += eta[1][i]
			}
		}
		v.Base = r.counted(each)
		if !z.hurdle {
			copy(v.given(0, len(r.Y)), eta[1])
		}
	case z.hurdle:
		terms := truncated{z.terms(), z.continuous()}
		r.chunks(func(i int, part Rows) { terms.Terms(part, eta[0][i:i+len(part.Y)], each[i:i+len(part.Y)]) })
		for i, c := range r.Each {
			each[i] += c
		}
		v.Base = r.counted(each) + terms.Norm(*r)
	default:
		of0, terms := v.given(0, len(r.Y)), z.terms()
		r.chunks(func(i int, part Rows) { terms.Terms(part, eta[0][i:i+len(part.Y)], of0[i:i+len(part.Y)]) })
		for i, y := range r.Y {
			if each[i] = r.Each[i]; y != 0 {
				each[i] += of0[i]
				of0[i] = 0
			}
		}
		v.Base = r.counted(each) + terms.Norm(*r)
	}
}

func (z zeroed) LogLik(r *Rows, first int, eta [][]float64, dst []float64) {
	rows := r.Part(first, first+len(dst))
	terms := z.terms()
	if z.hurdle {
		terms = truncated{terms, z.continuous()}
	}
	rows.chunks(func(i int, part Rows) {
		n := len(part.Y)
		share := eta[1][i : i+n]
		terms.Terms(part, eta[0][i:i+n], dst[i:i+n])
		for k, y := range part.Y {
			at := &dst[i+k]
			switch {
			case y != 0:
				*at += terms.Norm(part.Part(k, k+1))
			case z.hurdle:
				*at = share[k]
			default:
				*at = vec.LogAdd(share[k], *at)
			}
			*at += part.Each[k] - vec.Log1pExp(share[k])
		}
	})
}

// row is a row of the base at its predictor.
func (z zeroed) row(eta []float64, disp [2]float64) Row {
	link := z.base.Links[0]
	return Row{Eta: eta[0], Mean: z.base.MeanAt(link, eta[0], disp), Disp: disp, Trials: 1, Link: link}
}

// of0 is the base's probability of a 0, of which a hurdle has none.
func (z zeroed) of0(row Row) float64 {
	if z.hurdle && !z.continuous() {
		return z.base.CDF(0, row)
	}
	return 0
}

func (z zeroed) Means(eta []float64, disp [2]float64, dst []float64) {
	row := z.row(eta, disp)
	dst[0] = vec.Logistic(-eta[1]) * row.Mean / (1 - z.of0(row))
}

func (z zeroed) CDF(y float64, eta []float64, disp [2]float64) float64 {
	if y < 0 {
		return 0
	}
	row := z.row(eta, disp)
	none, up := z.of0(row), 0.0
	if y > 0 || !z.continuous() {
		up = z.base.CDF(y, row)
	}
	return vec.Logistic(eta[1]) + vec.Logistic(-eta[1])*max(0, up-none)/(1-none)
}

// Draw passes a hurdle by trying again, or by the inverse distribution function if most tries fail.
func (z zeroed) Draw(s prior.Source, eta []float64, disp [2]float64) float64 {
	if s.Float64() < vec.Logistic(eta[1]) {
		return 0
	}
	row := z.row(eta, disp)
	none := z.of0(row)
	if none > 0.5 {
		return z.quantile(row, math.FMA(s.Float64(), 1-none, none))
	}
	for {
		if y := z.base.Draw(s, row); y > 0 || !z.hurdle {
			return y
		}
	}
}

// quantile returns the least count above 0 whose distribution function reaches u, by doubling and halving.
func (z zeroed) quantile(row Row, u float64) float64 {
	low, high := 0.0, 1.0 // the function at low is below u
	for high < maxCount && z.base.CDF(high, row) < u {
		low, high = high, 2*high
	}
	for high-low > 1 {
		if middle := math.Floor(0.5 * (low + high)); z.base.CDF(middle, row) < u {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
