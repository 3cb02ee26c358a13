package glm

import "slices"

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
