package spec

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// How the parameters of group-level effects and smooths are called, as in brms: sd_g__x, cor_g__Intercept__x,
// r_g[level,x]; sds_sx_1, s_sx_1[1]; sdgp_gpx, lscale_gpx; sdcar, rhocar, car; sdrw_rwx.
const (
	sdNames     = "sd_"
	corNames    = "cor_"
	sdsNames    = "sds_"
	sdgpNames   = "sdgp_"
	lengthNames = "lscale_"
	sdcarNames  = "sdcar"
	sdrwNames   = "sdrw_"
)

// scaleNames are those of all standard deviations and lengths, and rhoNames of the shares of car().
var (
	scaleNames = []string{sdNames, sdsNames, sdgpNames, lengthNames, sdcarNames, sdrwNames}
	rhoNames   = []string{"rhocar", "car"}
)

// ofScale reports whether a name or a pattern is of a standard deviation or a length.
func ofScale(name string) bool {
	return slices.ContainsFunc(scaleNames, func(p string) bool { return strings.HasPrefix(name, p) })
}

// SDName is the name of a standard deviation of group-level effects.
func SDName(grouping, term string) string { return sdNames + grouping + "__" + term }

// EffectName is the name of an effect of a level of a grouping.
func EffectName(grouping, level, term string) string {
	return "r_" + grouping + "[" + level + "," + term + "]"
}

// CorName is the name by which by_name knows the correlations of a grouping.
func CorName(grouping string) string { return corNames + grouping }

// OptionsWithoutGroups lists the options of cggibbs that a sampler has and that updates of group-level effects do not.
func (s *Sampler) OptionsWithoutGroups() (given []string) {
	for _, o := range []struct {
		key   string
		given bool
	}{{"basis", s.Basis != ""}, {"update", s.Update != ""}, {"joint", s.Joint != ""}, {"moves", s.Moves > 0},
		{"slow", s.Slow != ""}, {"scan", s.Scan.Order != "" || len(s.Scan.For) > 0}, {"width", s.Width > 0},
		{"max_doublings", s.MaxDoublings > 0}, {"refresh_every", s.RefreshEvery != 0}, {"uncached", s.Uncached},
		{"blocks", len(s.Blocks) > 0}} {
		if o.given {
			given = append(given, o.key)
		}
	}
	return given
}

// betaText is a prior that only a share has.
var betaText = regexp.MustCompile(`^\s*beta\s*\(`)

var lkjText = regexp.MustCompile(`^\s*lkj\s*\(\s*([^()\s]+)\s*\)\s*$`)

// Grouped reports whether the model has group-level effects: (1 + x | g) in its formula.
func (m *Model) Grouped() bool {
	return m.someFormula((*transform.Formula).Grouped)
}

// KnownErrors reports whether the response of the model has known standard errors: y | se(s).
func (m *Model) KnownErrors() bool {
	return m.someFormula((*transform.Formula).KnownErrors)
}

func (p *LKJPrior) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind != stringKind {
		d.wrongKind(n, f, "text such as lkj(2)")
		return
	}
	m := lkjText.FindStringSubmatch(n.text)
	if m == nil {
		d.add(n.at, quote(n.text)+" is not a prior of correlations", "write lkj(1), which is uniform, or lkj(2)")
		return
	}
	shape, err := strconv.ParseFloat(m[1], 64)
	if err != nil || !(shape >= 0.01 && shape <= 1e6) {
		d.add(n.at, "the shape of "+n.text+" must be a number from 0.01 to 1e6", "lkj(1) is uniform over correlations")
		return
	}
	p.Shape = shape
}

// String is the prior as it is written; empty if it is left out.
func (p LKJPrior) String() string {
	if p.Shape == 0 {
		return ""
	}
	return "lkj(" + strconv.FormatFloat(p.Shape, 'g', -1, 64) + ")"
}

func (p *NamedPrior) decodeNode(d *decoder, n *node, f field, path []string) {
	switch {
	case strings.HasPrefix(p.Pattern, corNames) && lkjText.MatchString(n.text):
		d.value(n, reflectOf(&p.Cor), f, path)
	case n.kind == stringKind && dirichletText.MatchString(n.text):
		d.value(n, reflectOf(&p.Share), f, path)
	case n.kind == stringKind && betaText.MatchString(n.text):
		p.Prior.Prior = d.prior(n, f, []prior.Kind{prior.Beta})
	case ofScale(p.Pattern):
		p.Prior.Prior = d.prior(n, f, priorKinds(func(i prior.Info) bool { return i.Coefficient || i.Dispersion }))
	default:
		d.value(n, reflectOf(&p.Prior), f, path)
	}
}

// String is the prior as it is written.
func (p *NamedPrior) String() string {
	if p.Cor.Shape > 0 {
		return p.Cor.String()
	}
	if p.Share != nil {
		return p.Share.String()
	}
	return p.Prior.String()
}

// is reports whether the prior is one of those that serves a purpose.
func (p *NamedPrior) is(serves func(prior.Info) bool) bool {
	for _, kind := range priorKinds(serves) {
		if p.Prior.Kind == kind {
			return true
		}
	}
	return false
}

// MatchSD returns the most exact entry of by_name for a standard deviation of group-level effects or of a smooth, or
// for the length of a Gaussian process; nil if none matches.
func (p Priors) MatchSD(name string) *NamedPrior {
	return p.best(name, func(n *NamedPrior) bool {
		return ofScale(n.Pattern) && n.is(func(i prior.Info) bool { return i.Dispersion })
	})
}

// MatchRho is MatchSD for the share of car(), rhocar or car.
func (p Priors) MatchRho(name string) *NamedPrior {
	return p.best(name, func(n *NamedPrior) bool {
		return slices.ContainsFunc(rhoNames, func(p string) bool { return strings.HasPrefix(n.Pattern, p) }) &&
			(n.Prior.Kind == prior.Beta || n.Prior.Kind == prior.Uniform)
	})
}

// MatchCor is MatchSD for the correlations of a grouping, whose name is cor_ and that of the grouping.
func (p Priors) MatchCor(name string) *NamedPrior {
	return p.best(name, func(n *NamedPrior) bool { return n.Cor.Shape > 0 })
}

// ForSD returns the prior of a standard deviation of group-level effects or of a smooth, or of the length of a
// Gaussian process, by its name; its Kind is empty if it is left out.
func (p Priors) ForSD(name string) prior.Prior {
	if named := p.MatchSD(name); named != nil {
		return named.Prior.Prior
	}
	switch {
	case strings.HasPrefix(name, sdsNames) || strings.HasPrefix(name, sdgpNames) ||
		strings.HasPrefix(name, sdcarNames) || strings.HasPrefix(name, sdrwNames):
		return p.SDS.Prior
	case strings.HasPrefix(name, lengthNames):
		return p.LScale.Prior
	}
	return p.SD.Prior
}

// LKJ returns the shape of the prior of the correlations of a grouping.
func (p Priors) LKJ(grouping string) float64 {
	shape := cmp.Or(p.Cor.Shape, 1)
	if named := p.MatchCor(CorName(grouping)); named != nil {
		shape = named.Cor.Shape
	}
	return shape
}

// RescorLKJ is the prior of the correlations of residuals.
func (p Priors) RescorLKJ() LKJPrior { return LKJPrior{cmp.Or(p.Rescor.Shape, 1)} }

// best returns the most exact of the entries of by_name that may serve the name: the name itself, then the glob with
// most letters, then the one written first; nil if none matches.
func (p Priors) best(name string, may func(*NamedPrior) bool) *NamedPrior {
	var best *NamedPrior
	letters := -1
	for _, named := range p.ByName {
		if !may(named) {
			continue
		}
		if named.Pattern == name {
			return named
		}
		n := len(named.Pattern) - strings.Count(named.Pattern, "*") - strings.Count(named.Pattern, "?")
		if n > letters && words.Match(named.Pattern, name) {
			best, letters = named, n
		}
	}
	return best
}

// knownErrors fixes sigma of a model whose response has known standard errors, y | se(s).
func (c *checker) knownErrors(m *Model) {
	if !m.KnownErrors() || !m.Family.Is(family.Squares) {
		return // reported, or refused when the data are coded
	}
	if c.given("models", m.Name, "prior", "sigma") {
		c.at("the standard errors of the response are known, and sigma is 1 with them",
			"remove it, or | se(…) of the formula", "models", m.Name, "prior", "sigma")
	}
	m.Prior.Sigma.Prior = prior.Prior{Kind: prior.Constant, Location: 1}
}

// Smooths reports whether the model has smooths: s(x) or gp(x) in its formula.
func (m *Model) Smooths() bool {
	return m.someFormula((*transform.Formula).Smooths)
}

// Processes reports whether the model has Gaussian processes: gp(x) in its formula.
func (m *Model) Processes() bool {
	return m.someFormula((*transform.Formula).Processes)
}

// groups checks what a model says of group-level effects and smooths.
func (c *checker) groups(m *Model) {
	_, err := transform.ParseResponses(m.Formula)
	if err == nil && !m.Smooths() && c.given("models", m.Name, "prior", "sds") {
		c.at("prior sds is of smooths, and the formula has none", "remove it, or add a smooth to the formula: s(x)",
			"models", m.Name, "prior", "sds")
	}
	if err == nil && !m.Processes() && c.given("models", m.Name, "prior", "lscale") {
		c.at("prior lscale is of Gaussian processes, and the formula has none", "remove it, or add one to the formula: gp(x)",
			"models", m.Name, "prior", "lscale")
	}
	if m.Grouped() {
		return
	}
	for _, key := range []string{"sd", "cor"} {
		if c.given("models", m.Name, "prior", key) {
			c.at(fmt.Sprintf("prior %s is of group-level effects, and the formula has none", key),
				"remove it, or add effects to the formula: (1 | g)", "models", m.Name, "prior", key)
		}
	}
}
