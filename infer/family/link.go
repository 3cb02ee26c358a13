package family

import (
	"math"
	"slices"

	"glmbatch/internal/vec"
)

// Link is a monotone function from the mean of a response to the linear predictor.
type Link struct {
	Name      string
	Eta, Mean string // the link and its inverse, as text
	spellings []string
	// Positive reports whether eta must be above 0; all other links take every eta. Elsewhere the likelihood is 0: a
	// slice step shrinks back, a trajectory ends.
	Positive bool
	// Power is k of a link eta = muᵏ; 0 for other links, whose eta has no unit.
	Power float64
	// Inverse is the mean; NaN outside the link's domain.
	Inverse func(eta float64) float64
	// Of is the linear predictor of a mean inside its domain, to about a third for probit and cauchit.
	Of func(mean float64) float64
	// Slow is why flat priors of coefficients are refused; empty if they are not.
	Slow string

	// Scale describes eta if the name of the link and the mean do not.
	Scale string
	// Effect describes one unit of eta; it may be empty. Factor reports whether exp(b) is a factor.
	Effect string
	Factor bool

	tails *tails // of links of probabilities
}

// Linear reports whether eta is the mean.
func (l *Link) Linear() bool { return l.Power == 1 }

// Unit reports whether eta has the unit of the response, or a power of it.
func (l *Link) Unit() bool { return l.Power != 0 }

func (l *Link) spelled(name string) bool { return l.Name == name || slices.Contains(l.spellings, name) }

// logMu changes the rows' eta to λ = log mu, of a link of positive means.
func (l *Link) logMu(r Rows, eta []float64) {
	if !l.Positive {
		return
	}
	r.Kernels.Log(eta, eta)
	for i := range eta {
		eta[i] /= l.Power
	}
}

// slopes returns the derivatives of λ(eta).
func (l *Link) slopes(eta float64) (first, second float64) {
	if !l.Positive {
		return 1, 0
	}
	first = 1 / (l.Power * eta)
	return first, -first / eta
}

// The links, in the order of Links.
var (
	identity = &Link{Name: "identity", Eta: "mu", Mean: "eta", Power: 1, Effect: addsToMean, Inverse: same, Of: same}
	// positiveIdentity is the identity of means above 0.
	positiveIdentity = &Link{Name: "identity", Eta: "mu", Mean: "eta", Power: 1, Positive: true, Effect: addsToMean,
		Inverse: outside(same), Of: same}
	logLink = &Link{Name: "log", Eta: "log mu", Mean: "e^eta", Effect: "multiplies the mean by exp(b)", Factor: true,
		Inverse: vec.Exp, Of: vec.Log}
	inverse = &Link{Name: "inverse", Eta: "1/mu", Mean: "1/eta", Positive: true, Power: -1,
		Inverse: outside(func(eta float64) float64 { return 1 / eta }),
		Of:      func(mu float64) float64 { return 1 / mu }}
	root = &Link{Name: "sqrt", Eta: "√mu", Mean: "eta²", Positive: true, Power: 0.5,
		Inverse: outside(func(eta float64) float64 { return eta * eta }), Of: math.Sqrt}
	inverseSquare = &Link{Name: "1/mu^2", spellings: []string{"1/mu²"}, Eta: "1/mu²", Mean: "1/√eta", Positive: true,
		Power:   -2,
		Inverse: outside(func(eta float64) float64 { return 1 / math.Sqrt(eta) }),
		Of:      func(mu float64) float64 { return 1 / mu / mu }}
	Logit = &Link{Name: "logit", Eta: "log(p/(1 − p))", Mean: "1/(1 + e^−eta)", Inverse: vec.Logistic, tails: &logitTails,
		Effect: "multiplies the odds by exp(b)", Factor: true,
		Of: func(p float64) float64 { return vec.Log(p / (1 - p)) }}
	Probit = &Link{Name: "probit", Eta: "Φ⁻¹(p)", Mean: "Φ(eta)", tails: &probitTails, Of: aboutLogit,
		Effect:  "adds b to the normal score of the probability",
		Inverse: func(eta float64) float64 { return vec.Exp(vec.LogNormalCDF(eta)) }}
	Cloglog = &Link{Name: "cloglog", Eta: "log(−log(1 − p))", Mean: "1 − exp(−e^eta)", tails: &cloglogTails,
		Effect: "multiplies the hazard by exp(b)", Factor: true,
		Inverse: func(eta float64) float64 { return complementary(vec.Exp(eta)) },
		Of:      func(p float64) float64 { return vec.Log(-vec.Log1p(-p)) }}
	Cauchit = &Link{Name: "cauchit", Eta: "tan(π(p − ½))", Mean: "½ + atan(eta)/π", tails: &cauchitTails, Of: aboutLogit,
		Inverse: vec.CauchyCDF,
		Slow: "the cauchit link falls so slowly that flat priors are proper only where more rows than columns oppose every " +
			"direction, which is not checked"}
)

// The links of dispersions besides log; no mean has them.
var (
	logAboveOne = &Link{Name: "logm1", Inverse: func(eta float64) float64 { return 1 + vec.Exp(eta) },
		Of: func(x float64) float64 { return vec.Log(x - 1) }}
	plain = &Link{Name: identity.Name, Inverse: same, Of: same}
)

// Links returns every link once, in the order of the manual.
func Links() []*Link {
	return []*Link{identity, logLink, inverse, root, inverseSquare, Logit, Probit, Cloglog, Cauchit}
}

// LinkNamed returns the link of a name, nil if there is none.
func LinkNamed(name string) *Link {
	for _, l := range Links() {
		if l.spelled(name) {
			return l
		}
	}
	return nil
}

const addsToMean = "adds b to the mean"

func same(v float64) float64 { return v }

// aboutLogit is near the probit and cauchit of a probability.
func aboutLogit(p float64) float64 { return float64(0.6 * vec.Log(p/(1-p))) }

// outside is NaN unless eta > 0.
func outside(mean func(float64) float64) func(float64) float64 {
	return func(eta float64) float64 {
		if !(eta > 0) {
			return math.NaN()
		}
		return mean(eta)
	}
}

// complementary returns 1 − e^−w for w ≥ 0, and does not cancel.
func complementary(w float64) float64 {
	if w > 0.5 {
		return 1 - vec.Exp(-w)
	}
	return w * shrink(w)
}
