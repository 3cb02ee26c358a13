package family

import (
	"fmt"
	"math"
	"strings"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
	"glmbatch/internal/words"
)

// Limits names the kinds of rows that a response may have besides observed ones.
type Limits uint8

// LimitsVersion names how draws of rows with limits are made, by samplers of one linear predictor.
const LimitsVersion = "2"

// The limits. Truncated rows may be censored too.
const (
	NoLimits Limits = iota
	Censored
	Truncated
)

// String returns a word in front of a blank, or nothing.
func (l Limits) String() string { return [...]string{"", " censored", " truncated"}[l] }

// Limited is the likelihood of rows that are censored or truncated.
type Limited struct {
	Along    func(l *Link) Likelihood // see Distribution.Along; without Terms for a link that it does not have
	Constant func(r *Rows) float64
	limits   Limits // of the distribution that has this; NoLimits of one without limits
	// rightOnly reports whether rows may be censored on the right and truncated on the left alone.
	rightOnly bool
}

// limits are those of the distribution.
func (l *Distribution) limits() Limits {
	if l.Limited == nil {
		return NoLimits
	}
	return l.Limited.limits
}

// limited are the families whose rows may be censored, and truncated.
var limited = limitedOf(table)

func limitedOf(families []*Distribution) map[*Distribution][Truncated + 1]*Distribution {
	out := make(map[*Distribution][Truncated + 1]*Distribution)
	for _, l := range families {
		if l.Limited == nil {
			continue
		}
		of := [Truncated + 1]*Distribution{l}
		for limits := Censored; limits <= Truncated; limits++ {
			own := l.limitedBy(limits)
			of[limits] = own
			for _, v := range varyingViews([]*Distribution{own}) {
				of := out[Named(v.Name)]
				of[limits] = v
				out[Named(v.Name)] = of
			}
		}
		out[l] = of
	}
	return out
}

// limitedBy returns the family with limits. A truncated density need not be log-concave in eta.
func (l *Distribution) limitedBy(limits Limits) *Distribution {
	out, own := *l, *l.Limited
	own.limits = limits
	out.Limited, out.Constant, out.Additive = &own, l.Limited.Constant, false
	out.Along = func(k *Link) Likelihood {
		along := l.Limited.Along(k)
		along.Concave = along.Concave && limits == Censored
		return along
	}
	return &out
}

// WithLimits returns the family with limits. The error names a family without an exact form of them.
func (f Family) WithLimits(limits Limits) (Family, error) {
	if limits == NoLimits {
		return f, nil
	}
	of := limited[Named(f.Name)]
	l := of[limits]
	if l == nil || !l.Along(f.Of()).any() || f.Predicted != "" && l.with(f.Predicted, f.Of()).Several == nil {
		var names []string
		for _, l := range table {
			if l.Limited != nil {
				names = append(names, l.Name)
			}
		}
		return f, words.Clause(fmt.Errorf("family %s has no censored or truncated rows", f),
			"these families have them, with their default link: "+strings.Join(names, ", "))
	}
	f.Limits = limits
	return f, nil
}

// OfObserved returns the family without limits.
func (f Family) OfObserved() Family {
	f.Limits = NoLimits
	return f
}

// CheckLimits returns a *DomainError for the first row whose numbers are no limits of its response.
func (f Family) CheckLimits(y, kind []float64, bounds []Bound) error {
	if l := f.Distribution(); l != nil && l.Limited != nil && l.Limited.rightOnly {
		if err := onlyRight(kind, bounds); err != nil {
			return err
		}
	}
	if kind != nil && len(kind) != len(y) || bounds != nil && len(bounds) != len(y) {
		return fmt.Errorf("family: %d kinds and %d bounds for %d responses", len(kind), len(bounds), len(y))
	}
	for i, at := range y {
		b, own := Bound{Low: math.Inf(-1), High: math.Inf(1)}, Observed
		if bounds != nil {
			b = bounds[i]
		}
		if kind != nil {
			own = kind[i]
		}
		switch {
		case own == Within && !(b.Upper > at && !math.IsInf(b.Upper, 1)):
			return &DomainError{"interval", i, b.Upper,
				fmt.Sprintf("it ends above its lower end, %v", at)}
		case !(b.Low < b.High):
			return &DomainError{"truncation", i, b.High,
				fmt.Sprintf("the upper bound is above the lower one, %v", b.Low)}
		case at < b.Low || at > b.High || own == Within && b.Upper > b.High:
			return &DomainError{"response", i, at,
				fmt.Sprintf("rows are seen between %v and %v alone", b.Low, b.High)}
		}
	}
	return nil
}

// Kinds of rows: the response itself, a number that it is above or below, or the lower end of its interval.
const (
	Observed = 0.0
	Above    = 1.0  // censored on the right
	Below    = -1.0 // censored on the left
	Within   = 2.0
)

// Bound has the further numbers of a row: the upper end of its interval, and the ends between which alone a response is
// seen, −∞ and ∞ without truncation.
type Bound struct{ Upper, Low, High float64 }

// Truncates reports whether some responses cannot be seen.
func (b *Bound) Truncates() bool { return !math.IsInf(b.Low, -1) || !math.IsInf(b.High, 1) }

// ends are numbers up to which and from which on no response of a family is seen, of counts the first one below.
func (f Family) ends(b *Bound) (low, high float64) {
	if f.Support().Whole {
		return math.Ceil(b.Low) - 1, math.Floor(b.High)
	}
	return b.Low, b.High
}

// DrawWithin returns a random response between bounds, by rejection, and from the 1000th draw on by halving.
func (f Family) DrawWithin(b *Bound, s prior.Source, draw func() float64, cdf func(y float64) float64) float64 {
	for range 1000 {
		if y := draw(); y >= b.Low && y <= b.High {
			return y
		}
	}
	from, to := f.ends(b)
	low, high := cdf(from), cdf(to)
	u := math.FMA(s.Float64(), high-low, low)
	from, to = max(from, -MostPositive), min(to, MostPositive)
	if f.Support().Whole {
		return minCount(cdf, u, max(from, -1), to)
	}
	for range 200 {
		if middle := from + float64(0.5*(to-from)); cdf(middle) < u {
			from = middle
		} else {
			to = middle
		}
	}
	return to
}

// minCount returns the least count above low, and at most high, whose distribution function reaches u, by doubling
// and halving.
func minCount(cdf func(y float64) float64, u, low, high float64) float64 {
	end := low + 1
	for step := 1.0; end < min(high, maxCount) && cdf(end) < u; step *= 2 {
		low, end = end, min(high, end+step)
	}
	for end-low > 1 {
		if middle := math.Floor(0.5 * (low + end)); cdf(middle) < u {
			low = middle
		} else {
			end = middle
		}
	}
	return end
}

// CDFWithin returns the distribution function between bounds.
func (f Family) CDFWithin(b *Bound, y float64, cdf func(y float64) float64) float64 {
	from, to := f.ends(b)
	low, high := cdf(from), cdf(to)
	return min(1, max(0, (cdf(y)-low)/(high-low)))
}

// Censoring describes what is known of responses besides their numbers.
type Censoring struct {
	Kind   []float64 // Observed, Above, Below or Within; nil if all rows are observed
	Bounds []Bound   // nil if there are no intervals and no truncation

	right bool    // each row is Observed or Above; false also if Rows.Prepare has not looked
	seen  float64 // the observed rows as often as they count; 0 if Rows.Prepare has not counted
}

// part returns rows i to j.
func (c Censoring) part(i, j int) (out Censoring) {
	out.right = c.right
	if c.Kind != nil {
		out.Kind = c.Kind[i:j]
	}
	if c.Bounds != nil {
		out.Bounds = c.Bounds[i:j]
	}
	return out
}

// Taken returns the rows of some indices.
func (c Censoring) Taken(at []int) (out Censoring) {
	for _, i := range at {
		one := c.part(i, i+1)
		out.Kind, out.Bounds = append(out.Kind, one.Kind...), append(out.Bounds, one.Bounds...)
	}
	return out
}

// logBounds returns the logarithms of bounds.
func logBounds(of []Bound) []Bound {
	if of == nil {
		return nil
	}
	out := make([]Bound, len(of))
	for i, b := range of {
		out[i] = Bound{Upper: logAbove0(b.Upper), Low: logAbove0(b.Low), High: logAbove0(b.High)}
	}
	return out
}

// logAbove0 is −∞ for numbers that are not above 0.
func logAbove0(v float64) float64 {
	if !(v > 0) {
		return math.Inf(-1)
	}
	return vec.Log(v)
}

// observed reports whether the response of row i is known.
func (r *Rows) observed(i int) bool { return r.Kind == nil || r.Kind[i] == Observed }

// countObserved returns how many rows are observed, each as often as it counts.
func (r *Rows) countObserved() (n float64) {
	if r.seen > 0 {
		return r.seen
	}
	for i := range r.Y {
		if r.observed(i) {
			n += r.Count(i)
		}
	}
	return n
}
