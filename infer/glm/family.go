package glm

import (
	"math"
	"slices"
	"strings"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
	"glmbatch/internal/words"
)

// Family is a response distribution with its link.
type Family struct {
	Name string // as in Families
	Link string // as in Families
}

// Dispersion is a positive parameter of a family besides the coefficients.
type Dispersion struct {
	Name string // sigma, shape, phi or nu
	// Lower is the end of its support (Lower, ∞). Samplers move
	// u = log(x − Lower), and a prior is cut off there.
	Lower float64
}

// FamilyInfo is one row of the table of families.
type FamilyInfo struct {
	Name  string
	Links []string // the one taken when none is named first
	// Dispersions are its further parameters, that of Model.Dispersion first,
	// then that of Model.Nu; at most two.
	Dispersions []Dispersion
	Response    string // what a response is, in words
}

// families is the table of families. A law of the same name and link stands in
// law.go for each, but for the three with closed sums (see kind).
var families = []FamilyInfo{
	{"gaussian", []string{"identity", "log", "inverse"}, []Dispersion{{"sigma", 0}}, "a finite number"},
	{"student_t", []string{"identity"}, []Dispersion{{"sigma", 0}, {"nu", 1}}, "a finite number"},
	{"bernoulli", []string{"logit", "probit", "cloglog", "cauchit"}, nil, "0 or 1"},
	{"binomial", []string{"logit", "probit", "cloglog", "cauchit"}, nil, "a whole number from 0 to its trials"},
	{"poisson", []string{"log", "sqrt", "identity"}, nil, "a whole number, 0 or more"},
	{"negative_binomial", []string{"log"}, []Dispersion{{"shape", 0}}, "a whole number, 0 or more"},
	{"gamma", []string{"log", "inverse"}, []Dispersion{{"shape", 0}}, "a number above 0"},
	{"inverse_gaussian", []string{"log", "1/mu^2"}, []Dispersion{{"shape", 0}}, "a number above 0"},
	{"beta", []string{"logit"}, []Dispersion{{"phi", 0}}, "a number between 0 and 1, both excluded"},
}

// Families returns the table of families; it must not be changed.
func Families() []FamilyInfo { return families }

// linkSpellings are other ways to write a link.
var linkSpellings = map[string]string{"1/mu²": "1/mu^2"}

// ParseFamily returns the family of a name; an empty link means the first one
// of the table. The error is a *ParseError.
func ParseFamily(name, link string) (Family, error) {
	if plain, ok := linkSpellings[link]; ok {
		link = plain
	}
	var names []string
	for _, f := range families {
		if f.Name == name {
			if link == "" {
				link = f.Links[0]
			}
			for _, l := range f.Links {
				if l == link {
					return Family{name, link}, nil
				}
			}
			return Family{}, words.Clause(&prior.ParseError{Text: link, Reason: "is not a link of family " + name},
				"its links are "+strings.Join(f.Links, ", "))
		}
		names = append(names, f.Name)
	}
	hint := "the families are " + strings.Join(names, ", ")
	if near := words.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return Family{}, words.Clause(&prior.ParseError{Text: name, Reason: "is not a family"}, hint)
}

// Dispersions returns the family's parameters besides the coefficients.
func (f Family) Dispersions() []Dispersion {
	for _, row := range families {
		if row.Name == f.Name {
			return row.Dispersions
		}
	}
	return nil
}

// HasDispersion reports whether the family has parameters besides the
// coefficients.
func (f Family) HasDispersion() bool { return len(f.Dispersions()) > 0 }

// String returns name(link).
func (f Family) String() string { return f.Name + "(" + f.Link + ")" }

// LinkInfo is one row of the table of links.
type LinkInfo struct {
	Name      string
	Eta, Mean string // the link and its inverse, in words
	// Walled are the families for which eta must be above 0; all others take every
	// eta. Beyond the wall the likelihood is 0: a slice step shrinks back, a
	// trajectory ends. A chain starts inside, see StartError.
	Walled []string
}

// links is the table of links; docs/models.md repeats it.
var links = []LinkInfo{
	{"identity", "mu", "eta", []string{"poisson"}},
	{"log", "log mu", "e^eta", nil},
	{"inverse", "1/mu", "1/eta", []string{"gaussian", "gamma"}},
	{"sqrt", "√mu", "eta²", []string{"poisson"}},
	{"1/mu^2", "1/mu²", "1/√eta", []string{"inverse_gaussian"}},
	{"logit", "log(p/(1 − p))", "1/(1 + e^−eta)", nil},
	{"probit", "Φ⁻¹(p)", "Φ(eta)", nil},
	{"cloglog", "log(−log(1 − p))", "1 − exp(−e^eta)", nil},
	{"cauchit", "tan(π(p − ½))", "½ + atan(eta)/π", nil},
}

// Walled reports whether the linear predictor must be above 0.
func (f Family) Walled() bool {
	for _, l := range links {
		if l.Name == f.Link {
			return slices.Contains(l.Walled, f.Name)
		}
	}
	return false
}

// Means writes the inverse link of each linear predictor to dst, which may be
// eta: the mean of a response, for student_t its location, for binomial the
// probability of one trial. Outside the link's domain it is NaN.
//
// Cost: O(len(eta)). It panics for a link that is not in the table of families.
func (f Family) Means(eta, dst []float64) {
	mean := inverseLinks[f.Link]
	if mean == nil {
		panic("glm: link " + f.Link + " has no inverse")
	}
	for i, e := range eta {
		dst[i] = mean(e)
	}
}

// inverseLinks are the means of the links of all families.
var inverseLinks = map[string]func(eta float64) float64{
	"identity": func(eta float64) float64 { return eta },
	"log":      vec.Exp,
	"inverse":  beyondWall(func(eta float64) float64 { return 1 / eta }),
	"sqrt":     beyondWall(func(eta float64) float64 { return eta * eta }),
	"1/mu^2":   beyondWall(func(eta float64) float64 { return 1 / math.Sqrt(eta) }),
	"logit":    vec.Logistic,
	"probit":   func(eta float64) float64 { return vec.Exp(vec.LogNormalCDF(eta)) },
	"cloglog":  func(eta float64) float64 { return complementary(vec.Exp(eta)) },
	"cauchit":  vec.CauchyCDF,
}

// beyondWall is NaN unless eta > 0.
func beyondWall(mean func(float64) float64) func(float64) float64 {
	return func(eta float64) float64 {
		if !(eta > 0) {
			return math.NaN()
		}
		return mean(eta)
	}
}

// complementary returns 1 − e^−w for w ≥ 0 without cancellation.
func complementary(w float64) float64 {
	if w > 0.5 {
		return 1 - vec.Exp(-w)
	}
	return w * shrink(w)
}
