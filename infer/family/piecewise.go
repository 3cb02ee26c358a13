package family

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// piecewiseExponential: times with a hazard that is constant between breaks. eta is the log hazard up to the first
// break, and each break has a parameter that is added to eta from it to the next one. Given the others, the likelihood
// along a predictor is that of poisson: events, with the time at risk as exposure.
//
// Source: Holford (1980), The analysis of rates and of survivorship using log-linear models, doi:10.2307/2529982.
var piecewiseExponential = &Distribution{
	Name:    "piecewise_exponential",
	Links:   []*Link{logHazard},
	Support: positives,
	Centre:  func(y []float64) float64 { return -logMedian(y) },
	Notation: Notation{Law: "PiecewiseExponential(h_i)", LaTeX: `\mathrm{PiecewiseExponential}(h_i)`, Mean: "h_i",
		TeX: `h_i`, Of: "the hazard up to the first break",
		Note:    "from a break to the next one the hazard is h_i times its parameter",
		Caution: "a mean time has the hazard after the last break for all later times"},
	Along: func(*Link) Likelihood { return Likelihood{Form: Termwise, Several: piecewise{}} },
	With: func(parameters string, _ *Link) Likelihood {
		if of := piecewiseBy(parameters); of.breaks != nil {
			return Likelihood{Form: Termwise, Several: of}
		}
		return Likelihood{}
	},
	Limited: &Limited{
		Along:     func(*Link) Likelihood { return Likelihood{Form: Termwise, Several: piecewise{}} },
		Constant:  func(*Rows) float64 { return 0 },
		rightOnly: true,
	},
	Constant: func(*Rows) float64 { return 0 },
}

// logHazard is the link of a hazard.
var logHazard = &Link{Name: "log", Eta: "log(h)", Mean: "e^eta", Factor: true,
	Effect: "multiplies the hazard by exp(b)", Inverse: vec.Exp, Of: vec.Log}

// fromBreak is how the name of a break's parameter begins, before its time.
const fromBreak = "from"

// Break returns the name of the parameter of a break.
func Break(at float64) string { return fromBreak + strconv.FormatFloat(at, 'f', -1, 64) }

// piecewise is the likelihood of times with these breaks, in increasing order.
type piecewise struct{ breaks []float64 }

// piecewiseBy reads the parameters of breaks; it returns no breaks if a name is of another kind, or not in order.
func piecewiseBy(parameters string) (out piecewise) {
	before := 0.0
	for name := range strings.SplitSeq(parameters, ",") {
		at, err := strconv.ParseFloat(strings.TrimPrefix(name, fromBreak), 64)
		if err != nil || Break(at) != name || !(at > before) || math.IsInf(at, 1) {
			return piecewise{}
		}
		out.breaks, before = append(out.breaks, at), at
	}
	return out
}

// Predictors are those of the log hazard, and of each break.
func (l piecewise) Predictors([]string) []Predictor {
	out := []Predictor{{Of: Counts, Started: true}}
	for _, at := range l.breaks {
		out = append(out, Predictor{Name: Break(at), Of: Counts, Started: true,
			Intercept: prior.Prior{Kind: prior.Normal, Scale: 2.5}})
	}
	return out
}

func (piecewise) Prepare(*Rows) {}

// ends returns the interval k between breaks.
func (l piecewise) ends(k int) (low, high float64) {
	low, high = 0, math.Inf(1)
	if k > 0 {
		low = l.breaks[k-1]
	}
	if k < len(l.breaks) {
		high = l.breaks[k]
	}
	return low, high
}

// minRisk stands for no time at risk.
const minRisk = 1e-300

// risk returns the time at risk of row i in an interval, and reports whether it has an event there.
func (r *Rows) risk(i int, low, high float64) (time float64, event bool) {
	y := r.Y[i]
	event = low < y && y <= high && r.observed(i)
	if r.Bounds != nil {
		low = max(low, r.Bounds[i].Low)
	}
	return max(0, min(y, high)-low), event
}

// Start has the rates of the intervals, with half an event more.
func (l piecewise) Start(r *Rows, _ int) []float64 {
	n := len(l.breaks) + 1
	events, times := make([]float64, n), make([]float64, n)
	for k := range n {
		low, high := l.ends(k)
		for i := range r.Y {
			time, event := r.risk(i, low, high)
			if times[k] += float64(r.Count(i) * time); event {
				events[k] += r.Count(i)
			}
		}
	}
	whole := vec.Log((vec.Sum(events) + 0.5) / max(vec.Sum(times), minRisk))
	out := make([]float64, n)
	for k := range out {
		if out[k] = whole; times[k] > 0 {
			out[k] = vec.Log((events[k] + 0.5) / times[k])
		}
		if k > 0 {
			out[k] -= out[0]
		}
	}
	return out
}

// Response has the events of the intervals of a predictor: all for the first one.
func (l piecewise) Response(p int, r *Rows) []float64 {
	low, high := l.ends(p)
	if p == 0 {
		high = math.Inf(1)
	}
	out := make([]float64, len(r.Y))
	for i := range out {
		if _, event := r.risk(i, low, high); event {
			out[i] = 1
		}
	}
	return out
}

// cumulate writes the logarithm of Σ time·exp(a) over the intervals but one, −1 for none, to logs, and the parameter a
// of the interval of each response to at. The rows are those of a chunk, which is at row first of eta.
func (l piecewise) cumulate(r *Rows, eta [][]float64, first, without int, logs, at []float64) {
	var factor Block
	n := len(r.Y)
	sum := logs[:n]
	clear(sum)
	for i := range factor[:n] {
		factor[i] = 1
	}
	clear(at[:n])
	for k := range len(l.breaks) + 1 {
		low, high := l.ends(k)
		if k > 0 {
			r.Kernels.Exp(factor[:], eta[k][first:first+n])
		}
		for i, y := range r.Y {
			if k != without {
				time, _ := r.risk(i, low, high)
				sum[i] = math.FMA(time, factor[i], sum[i])
			}
			if k > 0 && low < y && y <= high {
				at[i] = eta[k][first+i]
			}
		}
	}
	for i, s := range sum {
		sum[i] = max(s, minRisk)
	}
	r.Kernels.Log(sum, sum)
}

// Given: along a predictor the rows have the exposure in v.Rest.
func (l piecewise) Given(p int, r *Rows, eta [][]float64, v *View) {
	if v.Rest == nil {
		v.Rest = make([]float64, len(r.Y))
	}
	low, high := l.ends(p)
	each := v.kept[0]
	r.chunks(func(first int, part Rows) {
		var logs, at, others Block
		n := len(part.Y)
		without := -1
		if p > 0 {
			without = p
		}
		l.cumulate(&part, eta, first, without, logs[:], at[:])
		for i, main := range eta[0][first : first+n] {
			if p == 0 {
				v.Rest[first+i], each[first+i] = logs[i], 0
				if part.observed(i) {
					each[first+i] = at[i] - logs[i]
				}
				continue
			}
			time, own := part.risk(i, low, high)
			rest := vec.Log(max(time, minRisk))
			v.Rest[first+i], others[i] = main+rest, main+logs[i]
			switch each[first+i] = 0; {
			case own:
				each[first+i] = -rest
			case part.observed(i):
				each[first+i] = main + at[i]
			}
		}
		if p > 0 {
			part.Kernels.Exp(others[:], others[:n])
			for i, o := range others[:n] {
				each[first+i] -= o
			}
		}
	})
	v.Base = r.counted(each)
}

func (l piecewise) LogLik(r *Rows, first int, eta [][]float64, dst []float64) {
	rows := r.Part(first, first+len(dst))
	rows.chunks(func(from int, part Rows) {
		var logs, at Block
		n := len(part.Y)
		l.cumulate(&part, eta, from, -1, logs[:], at[:])
		main := eta[0][from : from+n]
		for i, e := range main {
			logs[i] += e
		}
		part.Kernels.Exp(logs[:], logs[:n])
		for i, e := range main {
			if dst[from+i] = -logs[i]; part.observed(i) {
				dst[from+i] += e + at[i]
			}
		}
	})
}

// hazard returns that of interval k.
func (piecewise) hazard(k int, eta []float64) float64 {
	log := eta[0]
	if k > 0 {
		log += eta[k]
	}
	return max(vec.Exp(log), minRisk)
}

// lost returns 1 − e^−t.
func lost(t float64) float64 { return vec.Exp(logRest(-t)) }

func (l piecewise) Means(eta []float64, _ [2]float64, dst []float64) {
	left := 1.0
	dst[0] = 0
	for k := range len(l.breaks) + 1 {
		low, high := l.ends(k)
		h := l.hazard(k, eta)
		passed := float64(h * (high - low))
		dst[0] += float64(left*lost(passed)) / h
		left = float64(left * vec.Exp(-passed))
	}
}

func (l piecewise) CDF(y float64, eta []float64, _ [2]float64, _ float64) float64 {
	total := 0.0
	for k := range len(l.breaks) + 1 {
		low, high := l.ends(k)
		total = math.FMA(l.hazard(k, eta), max(0, min(y, high)-low), total)
	}
	return lost(total)
}

// Draw goes through the intervals until the cumulative hazard is that of an exponential number.
func (l piecewise) Draw(s prior.Source, eta []float64, _ [2]float64, _ float64) float64 {
	left := -vec.Log(s.Float64())
	for k := range len(l.breaks) + 1 {
		low, high := l.ends(k)
		h := l.hazard(k, eta)
		if passed := float64(h * (high - low)); passed < left && k < len(l.breaks) {
			left -= passed
			continue
		}
		return min(max(low+left/h, LeastPositive), MostPositive)
	}
	return MostPositive
}

// onlyRight returns a *DomainError for the first row that is censored otherwise than on the right, or truncated there.
func onlyRight(kind []float64, bounds []Bound) error {
	const allowed = "rows of piecewise_exponential are observed or censored on the right, and may be truncated on the left"
	if i := slices.IndexFunc(kind, func(k float64) bool { return k != Observed && k != Above }); i >= 0 {
		return &DomainError{"kind", i, kind[i], allowed}
	}
	if i := slices.IndexFunc(bounds, func(b Bound) bool { return !math.IsInf(b.High, 1) }); i >= 0 {
		return &DomainError{"truncation", i, bounds[i].High, allowed}
	}
	return nil
}
