package collapsed

import (
	"fmt"
	"strconv"
	"strings"

	likelihood "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
)

// Prior is the conjugate prior of the parameters of each component. The zero value is not a prior.
type Prior struct {
	Law     string    // normal_inverse_gamma, gamma, beta or dirichlet
	Numbers []float64 // its arguments, as in Usage
}

// inverseGamma is the prior of the mean of gamma.
const inverseGamma = "inverse_gamma"

// normalInverseGamma is the prior of gaussian.
const normalInverseGamma = "normal_inverse_gamma"

// conjugatePrior is a conjugate prior with the likelihoods that it belongs to.
type conjugatePrior struct {
	name, usage string
	arguments   int                                                // 0: one or more
	serves      func(glm.Family) bool                              // nil for categories
	family      func(r regression, data *glm.Data, p Prior) family // nil for categories
	// usual is the prior by the moments of the responses.
	usual func(mean, sd float64) []float64
}

var laws = []conjugatePrior{
	{normalInverseGamma, "normal_inverse_gamma(mean, rows, shape, scale): sigma² ~ inverse_gamma(shape, scale), " +
		"mu ~ normal(mean, sigma/√rows)", 4, ofForm(likelihood.Squares), newGaussian,
		func(mean, sd float64) []float64 {
			return []float64{prior.ToScale(mean, sd), 0.04, 2, prior.Rounded(sd * sd / 4)}
		}},
	{"gamma", "gamma(shape, rate) of the mean", 2, ofForm(likelihood.Exponential), newPoisson,
		func(mean, _ float64) []float64 { return []float64{1, min(max(prior.Rounded(1/mean), 1e-3), 1e9)} }},
	{"beta", "beta(a, b) of the probability", 2, ofForm(likelihood.Softplus), newBinomial,
		func(_, _ float64) []float64 { return []float64{1, 1} }},
	{inverseGamma, "inverse_gamma(k, shape, scale) of the mean of gamma(log), whose own shape is k", 3,
		func(f glm.Family) bool { return f == likelihood.Measurements }, newPositive,
		func(mean, sd float64) []float64 {
			k := min(max(prior.Rounded(4*mean*mean/(sd*sd)), least), most)
			return []float64{k, 2, prior.Rounded(mean)}
		}},
	{Dirichlet, "dirichlet(a) of the probabilities of categories, or dirichlet(a, b, …) with a number for each", 0,
		nil, nil, nil},
}

func ofForm(form likelihood.Form) func(glm.Family) bool {
	return func(f glm.Family) bool { return f.Is(form) }
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
	maxMean     = 1e100
)

func (p Prior) check(l conjugatePrior) error {
	if len(p.Numbers) != l.arguments && l.arguments > 0 {
		return words.Hint(fmt.Errorf("%s has %d numbers, not %d", l.name, l.arguments, len(p.Numbers)), "write "+l.usage)
	}
	for i, x := range p.Numbers {
		mean := l.arguments == 4 && i == 0
		scale := l.arguments == 4 && i == 3
		switch {
		case mean && x >= -maxMean && x <= maxMean, scale && x > 0 && x <= maxMean,
			!mean && !scale && x >= least && x <= most:
			continue
		case scale:
			return fmt.Errorf("%s: number %d is %v; it must be above 0", p, i+1, x)
		}
		return fmt.Errorf("%s: number %d is %v; it must be from %v to %v", p, i+1, x, least, most)
	}
	return nil
}

// lawNamed returns the prior with a name; nil if there is none.
func lawNamed(name string) *conjugatePrior {
	for k := range laws {
		if laws[k].name == name {
			return &laws[k]
		}
	}
	return nil
}

// lawOf returns the prior that is conjugate to a family; nil if there is none.
func lawOf(f glm.Family) *conjugatePrior {
	for k := range laws {
		if l := &laws[k]; l.serves != nil && l.serves(f) {
			return l
		}
	}
	return nil
}

// DefaultPrior returns the prior of a family where none is given, by mean and standard deviation of the responses; none
// for a family without a conjugate prior.
func DefaultPrior(f glm.Family, mean, sd float64) Prior {
	l := lawOf(f)
	if l == nil {
		return Prior{}
	}
	return Prior{Law: l.name, Numbers: l.usual(mean, sd)}
}

// Known returns the dispersion of the responses that a prior states, and whether it states one.
func (p Prior) Known() (float64, bool) {
	if p.Law == inverseGamma && len(p.Numbers) > 0 {
		return p.Numbers[0], true
	}
	return 0, false
}

// Serves returns an error where the prior is not conjugate to a family.
func (p Prior) Serves(f glm.Family) error {
	own := lawOf(f)
	if own != nil && own.name == p.Law {
		return nil
	}
	hint := "there are conjugate priors for gaussian(identity), poisson(log), gamma(log), bernoulli(logit) and " +
		"binomial(logit); leave conjugate out for other families"
	if own != nil {
		hint = "write " + own.usage
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
