package cggibbs

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	laws "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
)

// route is a basis, with the moves that may be combined with it.
type route struct {
	name    string
	options Options
	sampler func(o Options) infertest.Sampler
	is      func(s infer.Setup) bool // a set-up is of this route, none that took its place
	dense   bool                     // there are no sparse ones
	normal  bool                     // normal priors only
	fixed   bool                     // its scan is always systematic
	single  bool                     // it has no updates of its own to choose from
}

func isBasis(of func(s *basisSetup) bool) func(s infer.Setup) bool {
	return func(s infer.Setup) bool {
		b, ok := s.(*basisSetup)
		return ok && of(b)
	}
}

func is[S infer.Setup](s infer.Setup) bool {
	_, ok := s.(S)
	return ok
}

// routes are all routes of this package to draw from a posterior.
var routes = []route{
	{name: "coordinate", sampler: sampler, is: func(s infer.Setup) bool {
		return is[*setup](s) || isBasis(func(b *basisSetup) bool { return b.frame.T == nil && b.slow == nil && b.subspaces == nil })(s)
	}},
	{name: "focus", fixed: true, sampler: func(o Options) infertest.Sampler { return listed(o, 3, 2, 1, 2) }, is: func(s infer.Setup) bool {
		switch s := s.(type) {
		case *setup:
			return s.scan.every == 3
		case *basisSetup:
			return s.scan.every == 3
		}
		return false
	}},
	{name: "slow", normal: true, sampler: directed, is: isBasis(func(b *basisSetup) bool { return b.slow != nil })},
	{name: "block", sampler: paired, is: isBasis(func(b *basisSetup) bool { return b.inBlock != nil })},
	{name: "slow by nuts", normal: true, sampler: spanned, is: isBasis(func(b *basisSetup) bool { return b.subspaces != nil && b.inBlock == nil })},
	{name: "rotated", options: Options{Basis: "rotated"}, sampler: sampler, is: isBasis(func(b *basisSetup) bool { return b.frame.T != nil })},
	{name: "joint", options: Options{Basis: "rotated", Joint: "on"}, sampler: sampler, is: is[*jointSetup]},
	{name: "joint swept", options: Options{Basis: "rotated", Joint: "swept", Moves: 2}, sampler: sampler, is: is[*jointSetup]},
	{name: "reduced", options: Options{Basis: "reduced"}, sampler: sampler, is: is[*reducedSetup]},
	{name: "mixture", options: Options{Basis: "mixture"}, sampler: sampler, is: is[*mixtureSetup], dense: true},
	{name: "reduced by nuts", fixed: true, single: true, is: is[*seenSetup], sampler: func(Options) infertest.Sampler { return seenBy(nuts.Options{}) }},
	{name: "auto", options: Options{Basis: "auto"}, fixed: true, single: true, sampler: sampler, is: func(s infer.Setup) bool { return s != nil }},
}

var (
	allUpdates = []string{"doubling", "stepping_out", "tangent", "matched", "rows"}
	allScans   = []string{"systematic", "random"}
)

// needsConcave reports whether an update is for log-concave laws only.
func needsConcave(update string) bool { return update == "matched" || update == "tangent" }

// has reports whether a route has an update.
func (r route) has(update string) bool { return update != "rows" || r.name == "reduced" }

// shapes are designs: as they are and with zeros that are not stored, of more rows than
// columns and of fewer.
var shapes = []struct {
	name   string
	sparse bool
	of     func(c infertest.Case) infertest.Case
}{
	{"dense", false, func(c infertest.Case) infertest.Case { return c }},
	{"sparse", true, func(c infertest.Case) infertest.Case {
		sparse, _ := withZeros(&c.Data)
		c.Data = *sparse
		return c
	}},
	{"wide", false, func(c infertest.Case) infertest.Case { return widened(c, wide(c, 5, 8)) }},
	{"wide sparse", true, func(c infertest.Case) infertest.Case { return widened(c, sparseWide(c)) }},
}

// widened gives a wide form of c what wide leaves to its caller.
func widened(c, out infertest.Case) infertest.Case {
	if p := c.Data.Precision; p != nil {
		out.Data.Precision = p[:out.Data.Rows()]
	}
	rows := make([]int, out.Data.Rows())
	for i := range rows {
		rows[i] = i
	}
	out.Data.Censoring = c.Data.Censoring.Taken(rows)
	if c.Model.Family.PositiveEta() { // mostly inside the domain
		out.Model.Coefficients[0].Location = c.Model.Coefficients[0].Location
	}
	return out
}

// everyFamily are a case of every family and link, with normal priors, and those with
// precisions.
func everyFamily() []infertest.Case {
	var out []infertest.Case
	seen := map[string]bool{}
	for _, c := range infertest.GridCases() {
		f := c.Model.Family.String()
		if !seen[f] {
			seen[f] = true
			c.Name = f
			out = append(out, c)
		}
	}
	return append(out, infertest.WeightedCases()...)
}

// combination is a route to a kind of posterior.
type combination struct {
	infertest.Case
	route   route
	options Options
}

// combinations are all of them, except that updates that need log-concavity are combined only with such posteriors.
func combinations() []combination {
	var out []combination
	for _, r := range routes {
		for s, shape := range shapes {
			for f, c := range everyFamily() {
				for u, update := range allUpdates {
					for o, scan := range allScans {
						if r.dense && shape.sparse || r.fixed && o > 0 || r.single && u > 0 || !r.single && !r.has(update) {
							continue
						}
						at := combination{r.given(shape.of(c), update, s+f+u+o), r, r.options}
						if !r.single {
							at.options.Update, at.options.Scan = update, scan
						}
						if _, err := at.options.update(&at.Model); err != nil {
							continue // not log-concave
						}
						at.Name = fmt.Sprintf("%s/%s/%s/%s/%s", r.name, at.options.Update, scan, shape.name, c.Name)
						out = append(out, at)
					}
				}
			}
		}
	}
	return out
}

// given gives a case the priors of a route: for every second k another one besides the normal
// ones, in the mixture basis those that it is for.
func (r route) given(c infertest.Case, update string, k int) infertest.Case {
	if r.name == "mixture" {
		c = mixedPriors(c, k)
	}
	p := slices.Clone(c.Model.Coefficients)
	c.Model.Coefficients = p
	switch {
	case r.name == "mixture" && needsConcave(update):
		for j := range p {
			if p[j].Kind == prior.Uniform { // not log-concave
				p[j] = mixtures(0.1, 1)[j%2]
			}
		}
	case r.name != "mixture" && !r.normal && k%2 == 1:
		p[1] = prior.Prior{Kind: prior.Laplace, Location: p[1].Location, Scale: 0.7 * p[1].Scale}
	}
	return c
}

// fields are those of Options, with the test that holds what they change.
var fields = map[string]string{
	"Basis": "routes", "Joint": "routes", "Slow": "routes", "Blocks": "routes", "Focus": "routes", "Update": "allUpdates", "Scan": "allScans",
	"Moves": "TestMovesAreIterations, TestMovesInvariance, and the route joint swept",
	"lean":  "TestMovesAreIterations, TestSweepsFollowProposals",
	"plain": "TestPlainSweeps", "PlainTimes": "TestConformance and TestInvariance of infer/model",
	"Kernels": "TestKernelsAgree", "Uncached": "TestFamilyUncached, TestBasisUncachedAgrees",
	"SweepEvery": "TestScanInvariance, TestSweepsFollowProposals, TestMovesInvariance",
	"Width":      "TestBasisInvariance", "MaxDoublings": "TestBasisInvariance", "RefreshEvery": "TestBasisInvariance",
}

// possible are the values of an option, as its error lists them.
func possible(t *testing.T, o Options) []string {
	t.Helper()
	var wrong *OptionError
	if _, err := New(posterior(t, "bernoulli", 10, 3, unitNormal), o); !errors.As(err, &wrong) {
		t.Fatalf("%+v: error %v, want an OptionError", o, err)
	}
	var words []string
	for _, w := range regexp.MustCompile(`"([a-z_]+)"`).FindAllStringSubmatch(wrong.Want, -1) {
		words = append(words, w[1])
	}
	slices.Sort(words)
	return words
}

// All choices have combinations: a new basis, update, scan, option, family or link makes this test fail until there
// are some.
func TestCombinationsAreComplete(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Options]()) {
		if fields[f.Name] == "" {
			t.Errorf("no combination has option %s: give it a route, or tell what test holds it", f.Name)
		}
	}
	var bases []string
	for _, r := range routes {
		if b := r.options.Basis; b != "" && !slices.Contains(bases, b) {
			bases = append(bases, b)
		}
	}
	for _, c := range []struct {
		what      string
		has, want []string
	}{
		{"bases", append(bases, "coordinate"), possible(t, Options{Basis: "?"})},
		{"updates", slices.Clone(allUpdates), possible(t, Options{Update: "?"})},
		{"scans", slices.Clone(allScans), possible(t, Options{Scan: "?"})},
	} {
		if slices.Sort(c.has); !slices.Equal(c.has, c.want) {
			t.Errorf("combinations have the %s %q, options allow %q", c.what, c.has, c.want)
		}
	}
	count, all := map[string]int{}, combinations()
	t.Logf("%d combinations", len(all))
	for _, c := range all {
		count[c.route.name+" "+c.options.Update+" "+c.Model.Family.String()]++
	}
	for _, r := range routes {
		for _, info := range laws.OfOne() {
			for _, link := range info.Links {
				f := glm.Family{Name: info.Name, Link: link.Name}
				for _, update := range allUpdates {
					at, want := update, r.has(update) && (!needsConcave(update) || f.LogConcave())
					if r.single {
						at, want = "", true
					}
					if got := count[r.name+" "+at+" "+f.String()]; got > 0 != want {
						t.Errorf("%d combinations of %s with update %q on %s", got, r.name, at, f)
					}
				}
			}
		}
	}
}

// Each combination is the one of its name, not another basis that replaced it, and its log densities are those of
// its position. Joint moves alone may be left out, where the posterior of a simulated response has no peak. The
// quick form takes one of 31.
func TestCombinationsAreThemselves(t *testing.T) {
	for i, c := range combinations() {
		if !infertest.Full() && i%31 != 1 {
			continue
		}
		target := simulated(t, c.Case)
		s, err := c.route.sampler(c.options)(target)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if !c.route.is(s) && !(strings.HasPrefix(c.route.name, "joint") && strings.Contains(s.(infer.Explainer).Explain(), "no peak")) {
			t.Errorf("%s: a %T", c.Name, s)
		}
		k, err := s.Kernel(infer.Chain{Count: 4, Stream: infer.NewStream(1, "chain")})
		must(t, err)
		point := glm.NewPoint(target)
		theta, u := make([]float64, target.Dim()), make([]float64, target.Dim())
		for range 3 {
			info := step(t, k)
			k.Position(theta)
			target.Unconstrain(theta, u)
			point.SetUnconstrained(u)
			lik, prior := point.Value().LogLik, target.LogPrior(theta)
			if !(math.Abs(info.LogLik-lik) <= 1e-7*(1+math.Abs(lik)) && math.Abs(info.LogPrior-prior) <= 1e-7*(1+math.Abs(prior))) {
				t.Errorf("%s: log_lik %v and log_prior %v, of the position %v and %v", c.Name, info.LogLik, info.LogPrior, lik, prior)
			}
		}
	}
}

// Every combination leaves the posterior as it is. The quick form takes five; in full each passes the conformance
// suite, too.
//
// False alarms: at most 1e-6 for each, 0.004 over all of them. Power: a distance of 0.2 between laws;
// the tests of each basis see smaller ones.
func TestCombinationsInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range combinations() {
		if !infertest.Full() && i%2411 != 7 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			infertest.Invariance(t, infertest.Check{Case: c.Case, Sampler: c.route.sampler(c.options), Seed: seed, Steps: 3, Pairs: 460})
			if infertest.Full() {
				infertest.Conformance(t, simulated(t, c.Case), c.route.sampler(c.options))
			}
		})
	}
}

// A prior eight times as wide must be rejected along every route, in full with every update, scan
// and shape of design. The quick form takes every third route.
func TestCombinationsCatch(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range combinations() {
		key := c.route.name
		if infertest.Full() {
			key = strings.TrimSuffix(c.Name, "/poisson(log)")
		}
		if seen[key] || c.Model.Family.String() != "poisson(log)" {
			continue
		}
		if seen[key] = true; !infertest.Full() && len(seen)%3 != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			infertest.MustReject(t, func(tb infertest.TB) {
				infertest.Invariance(tb, infertest.Check{Case: c.Case, Sampler: infertest.WrongPriorScale(c.route.sampler(c.options), 8), Seed: 1, Steps: 5, Pairs: 500})
			})
		})
	}
}
