package family

import (
	"slices"
	"strings"

	"glmbatch/infer/prior"
	"glmbatch/internal/words"
)

// Family names a response distribution with its link.
type Family struct {
	Name string // of a Distribution
	Link string // of one of its links
	// Predicted are the parameters that have linear predictors of their own, between commas; empty for none.
	Predicted string `json:",omitzero"`
	// Limits reports what rows may be besides observed.
	Limits Limits `json:",omitzero"`
	// Custom defines a likelihood of a user's own, see Custom; empty for other families.
	Custom string `json:",omitzero"`
}

// Parse returns the family of a name; an empty link means the default of the family. The error is a
// *prior.ParseError.
func Parse(name, link string) (Family, error) {
	l := Named(name)
	if l == nil {
		return Family{}, unknown(name)
	}
	if link == "" {
		return l.Family(), nil
	}
	for _, k := range l.Links {
		if k.spelled(link) {
			return Family{Name: name, Link: k.Name}, nil
		}
	}
	return Family{}, words.Clause(&prior.ParseError{Text: link, Reason: "is not a link of family " + name},
		"its links are "+strings.Join(l.LinkNames(), ", "))
}

// Names returns the names of the families, in the order of the table.
func Names() (names []string) {
	for _, l := range table {
		names = append(names, l.Name)
	}
	return names
}

// LinkNames returns the names of the family's links, the default first.
func (l *Distribution) LinkNames() (names []string) {
	for _, k := range l.Links {
		names = append(names, k.Name)
	}
	return names
}

func unknown(name string) error {
	names := Names()
	hint := "the families are " + strings.Join(names, ", ")
	if near := words.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return words.Clause(&prior.ParseError{Text: name, Reason: "is not a family"}, hint)
}

// Named returns the distribution of a name, nil if there is none.
func Named(name string) *Distribution {
	for _, all := range [][]*Distribution{table, given} {
		for _, l := range all {
			if l.Name == name {
				return l
			}
		}
	}
	return nil
}

// Family returns the names of the distribution and of its default link.
func (l *Distribution) Family() Family { return Family{Name: l.Name, Link: l.Links[0].Name} }

// Known reports whether the names are those of a distribution and of one of its links.
func (f Family) Known() bool { return f.Distribution() != nil && f.link() != nil }

// Distribution returns the row of the table, nil for a name that is not in it; with Limits its likelihood has them.
func (f Family) Distribution() *Distribution {
	if f.Custom != "" {
		return customOf(f.Custom).named(f.Name)
	}
	l := Named(f.Name)
	if f.Limits != NoLimits {
		return limited[l][f.Limits]
	}
	return l
}

// Of returns the link of the family; that of an empty name is the default. It panics for a family that is not Known.
func (f Family) Of() *Link {
	if f.Link == "" {
		return f.Distribution().Links[0]
	}
	if l := f.link(); l != nil {
		return l
	}
	panic("family: " + f.String() + " is not known")
}

func (f Family) link() *Link {
	for _, l := range f.Distribution().Links {
		if l.Name == f.Link {
			return l
		}
	}
	return nil
}

// Likelihood returns the log likelihood along a linear predictor; the family must be Known.
func (f Family) Likelihood() Likelihood {
	if f.Predicted != "" {
		return f.Distribution().with(f.Predicted, f.Of())
	}
	return f.Distribution().Along(f.Of())
}

// with returns the likelihood with predictors for a list of parameters; without a Several if that has none.
func (l *Distribution) with(parameters string, k *Link) Likelihood {
	if l.With != nil {
		return l.With(parameters, k)
	}
	return l.varied(parameters, k)
}

// CategorySpecific reports whether thresholds between the classes of a response may depend on columns, each on its own:
// those of the family are ordered and need not rise.
func (f Family) CategorySpecific() bool {
	of := f.Several()
	if of == nil || !f.Support().Ordered {
		return false
	}
	all := of.Predictors([]string{"", ""})
	return !all[len(all)-1].Rising
}

// Further are the names of the predictors besides the first one; nil of a response in classes, which name them.
func (f Family) Further() (names []string) {
	of := f.Several()
	if of == nil || f.Support().Classes && !f.Support().Ordered {
		return nil
	}
	for _, p := range of.Predictors(nil)[1:] {
		names = append(names, p.Name)
	}
	return names
}

// Formulas are the names of parameters besides the mean that have a formula, or may have one.
func (f Family) Formulas() (names []string) {
	if of := f.Several(); of != nil && f.Further() != nil {
		for _, p := range of.Predictors(nil)[1:] {
			if p.Cut == 0 {
				names = append(names, p.Name)
			}
		}
	}
	own := f.Distribution().Predictable
	for _, d := range f.Dispersions() {
		own = append(slices.Clip(own), d.Name)
	}
	for _, name := range own {
		if _, can := f.WithPredictor(name); can {
			names = append(names, name)
		}
	}
	return names
}

// WithPredictor returns the family with a linear predictor for one more of its parameters; false if it cannot have one.
func (f Family) WithPredictor(parameter string) (Family, bool) {
	if !f.Known() || f.Predicts(parameter) {
		return f, false
	}
	all := []string{parameter}
	if f.Predicted != "" {
		all = append(strings.Split(f.Predicted, ","), parameter)
	}
	place := func(name string) int {
		return slices.IndexFunc(f.Dispersions(), func(d Dispersion) bool { return d.Name == name })
	}
	slices.SortStableFunc(all, func(a, b string) int { return place(a) - place(b) })
	list := strings.Join(all, ",")
	if f.Distribution().with(list, f.Of()).Several == nil {
		return f, false
	}
	f.Predicted = list
	return f, true
}

// Predicts reports whether a parameter besides the mean has a linear predictor of its own.
func (f Family) Predicts(parameter string) bool {
	return slices.Contains(strings.Split(f.Predicted, ","), parameter)
}

// Is reports whether the family is known, its link too unless that is empty, and its log likelihood has a form.
func (f Family) Is(form Form) bool {
	return (f.Known() || f.Link == "" && f.Distribution() != nil) && f.Likelihood().Form == form
}

// Several returns the likelihood of a family of several predictors; nil for one predictor, or an unknown family.
func (f Family) Several() Several {
	if !f.Known() {
		return nil
	}
	return f.Likelihood().Several
}

// LogConcave reports whether the log likelihood is a concave function of eta on
// all of the real line, whatever the dispersions.
func (f Family) LogConcave() bool { return f.Known() && f.Likelihood().Concave }

// Dispersions returns the family's parameters besides the coefficients; nil for an unknown family.
func (f Family) Dispersions() []Dispersion {
	if l := f.Distribution(); l != nil {
		return l.Dispersions
	}
	return nil
}

// Dispersion returns the dispersion of a name, nil if the family has none.
func (f Family) Dispersion(name string) *Dispersion {
	all := f.Dispersions()
	if k := slices.IndexFunc(all, func(d Dispersion) bool { return d.Name == name }); k >= 0 {
		return &all[k]
	}
	return nil
}

// AllDispersions returns a dispersion of each name that the table has, in its order.
func AllDispersions() (all []Dispersion) {
	for _, l := range table {
		for _, d := range l.Dispersions {
			if !slices.ContainsFunc(all, func(other Dispersion) bool { return other.Name == d.Name }) {
				all = append(all, d)
			}
		}
	}
	return all
}

// RealDispersion reports whether the dispersion of a name may have either sign.
func RealDispersion(name string) bool {
	return slices.ContainsFunc(AllDispersions(), func(d Dispersion) bool { return d.Name == name && d.Real })
}

// First returns the first dispersion; its zero value for a family without one.
func (f Family) First() Dispersion {
	if d := f.Dispersions(); len(d) > 0 {
		return d[0]
	}
	return Dispersion{}
}

// HasDispersion reports whether the family has parameters besides the
// coefficients.
func (f Family) HasDispersion() bool { return len(f.Dispersions()) > 0 }

// Located reports whether eta is the centre of a distribution and its first dispersion the scale.
func (f Family) Located() bool { return f.First().Scale() && f.Of().Linear() }

// Noise reports whether the only dispersion of the family is a scale of the response.
func (f Family) Noise() bool { return f.First().Scale() && len(f.Dispersions()) == 1 }

// Caution returns a warning for readers of means of the family, empty for most families.
func (f Family) Caution() string {
	if l := f.Distribution(); l != nil {
		return l.Notation.Caution
	}
	return ""
}

// Support returns the possible responses of the family; that of an unknown one holds nothing.
func (f Family) Support() *Support {
	if l := f.Distribution(); l != nil {
		return l.Support
	}
	return new(Support)
}

// String returns name(link), and the limits of rows if there are any.
func (f Family) String() string { return f.Name + "(" + f.Link + ")" + f.Limits.String() }

// PositiveEta reports whether the linear predictor must be above 0.
func (f Family) PositiveEta() bool { return f.Of().Positive }

// Means writes the mean of a response at each linear predictor to dst, which may be eta: for student_t its location,
// for binomial the probability of one trial. disp has the dispersions at precision 1, fixed ones included. Outside the
// link's domain it is NaN.
//
// Cost: O(len(eta)). It panics for a family that is not Known.
func (f Family) Means(eta []float64, disp [2]float64, dst []float64) {
	law, link := f.Distribution(), f.Of()
	for i, e := range eta {
		dst[i] = law.MeanAt(link, e, disp)
	}
}

// MeanAt returns the mean of one response, or of one trial.
func (l *Distribution) MeanAt(k *Link, eta float64, disp [2]float64) float64 {
	if l.Mean != nil {
		return l.Mean(eta, disp)
	}
	return k.Inverse(eta)
}

// Families that stand for a kind of numbers, each with its default link.
var (
	Default       = gaussian.Family()         // numbers of which nothing else is known
	Binary        = bernoulli.Family()        // two values
	Counts        = poisson.Family()          // counts with nothing besides the mean
	Overdispersed = negativeBinomial.Family() // counts that vary more
	Trials        = binomial.Family()         // successes of trials
	Measurements  = gamma.Family()            // positive numbers whose sd is in proportion to the mean
	Classes       = categorical.Family()      // classes without an order
)
