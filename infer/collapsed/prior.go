package collapsed

import (
	"fmt"
	"strconv"
	"strings"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// Prior is the conjugate prior of the parameters of each component. The zero value is none.
type Prior struct {
	Law     string    // normal_inverse_gamma, gamma, beta or dirichlet
	Numbers []float64 // its arguments, as in Usage
}

// law is a conjugate prior and the families that it belongs to.
type law struct {
	name, usage string
	arguments   int // 0: one or more
	families    []glm.Family
}

var laws = []law{
	{"normal_inverse_gamma", "normal_inverse_gamma(mean, rows, shape, scale): sigma² ~ inverse_gamma(shape, scale), " +
		"mu ~ normal(mean, sigma/√rows)", 4, []glm.Family{{Name: "gaussian", Link: "identity"}}},
	{"gamma", "gamma(shape, rate) of the mean", 2, []glm.Family{{Name: "poisson", Link: "log"}}},
	{"beta", "beta(a, b) of the probability", 2,
		[]glm.Family{{Name: "bernoulli", Link: "logit"}, {Name: "binomial", Link: "logit"}}},
	{Dirichlet, "dirichlet(a) of the probabilities of categories, or dirichlet(a, b, …) with a number for each", 0, nil},
}

// ParsePrior reads a prior such as gamma(2, 0.1).
func ParsePrior(text string) (Prior, error) {
	name, rest, called := strings.Cut(strings.TrimSpace(text), "(")
	arguments, closed := strings.CutSuffix(rest, ")")
	if !called || !closed {
		return Prior{}, words.Hint(fmt.Errorf("%q is no conjugate prior", text), "there are "+usages())
	}
	for _, l := range laws {
		if l.name != strings.TrimSpace(name) {
			continue
		}
		p := Prior{Law: l.name}
		for _, t := range strings.Split(arguments, ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
			if err != nil {
				return Prior{}, words.Hint(fmt.Errorf("%q: %q is not a number", text, strings.TrimSpace(t)), "write "+l.usage)
			}
			p.Numbers = append(p.Numbers, x)
		}
		return p, p.check(l)
	}
	return Prior{}, words.Hint(fmt.Errorf("%q is no conjugate prior", name), "there are "+usages())
}

func usages() string {
	var list []string
	for _, l := range laws {
		list = append(list, l.usage)
	}
	return strings.Join(list, "; ")
}

// Limits of the numbers of priors but means, and of means: beyond them sufficient statistics lose what they add.
const (
	least, most = 1e-3, 1e9
	mostMean    = 1e100
)

func (p Prior) check(l law) error {
	if len(p.Numbers) != l.arguments && l.arguments > 0 {
		return words.Hint(fmt.Errorf("%s has %d numbers, not %d", l.name, l.arguments, len(p.Numbers)), "write "+l.usage)
	}
	for i, x := range p.Numbers {
		mean := l.arguments == 4 && i == 0
		scale := l.arguments == 4 && i == 3
		switch {
		case mean && x >= -mostMean && x <= mostMean, scale && x > 0 && x <= mostMean,
			!mean && !scale && x >= least && x <= most:
			continue
		case scale:
			return fmt.Errorf("%s: number %d is %v; it must be above 0", p, i+1, x)
		}
		return fmt.Errorf("%s: number %d is %v; it must be from %v to %v", p, i+1, x, least, most)
	}
	return nil
}

// Serves returns an error where the prior is not conjugate to a family.
func (p Prior) Serves(f glm.Family) error {
	var names []string
	for _, l := range laws {
		for _, has := range l.families {
			if has == f && l.name == p.Law {
				return nil
			}
			if has == f {
				names = append(names, l.usage)
			}
		}
	}
	hint := "there are conjugate priors for gaussian(identity), poisson(log), bernoulli(logit) and binomial(logit); " +
		"leave conjugate out for other families"
	if names != nil {
		hint = "write " + names[0]
	}
	return words.Hint(fmt.Errorf("%s is not conjugate to %s", p.Law, f), hint)
}

// String spells the prior as ParsePrior reads it; empty of none.
func (p Prior) String() string {
	if p.Law == "" {
		return ""
	}
	var list []string
	for _, x := range p.Numbers {
		list = append(list, strconv.FormatFloat(x, 'g', -1, 64))
	}
	return p.Law + "(" + strings.Join(list, ", ") + ")"
}
