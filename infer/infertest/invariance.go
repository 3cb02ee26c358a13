package infertest

import (
	"fmt"
	"math"
	"strconv"

	"glmbatch/infer"
)

// Check says what a statistical check runs on.
type Check struct {
	Case    Case
	Sampler Sampler
	// Alpha bounds the probability of a false alarm of the whole check. Zero
	// means 1e-6.
	Alpha float64
	// Pairs is the number of simulated (theta, y), at least 458, where the limits
	// are proved. Zero means 4000 for Invariance, 1000 for Ranks, and 20,000 for
	// both with GLMBATCH_STAT=1.
	Pairs int
	// Steps is the number of iterations between the two thetas of a pair
	// (Invariance), or of warm-up and between two draws (Ranks). Zero means 3
	// for Invariance, 25 for Ranks.
	Steps int
	// Draws is the number of draws per rank. Zero means 15. Ranks only.
	Draws int
	// Seed is that of all streams; see Seed.
	Seed uint64
	// Place puts a kernel at theta. Nil means that the kernel is a Placer.
	// Invariance only.
	Place func(k infer.Kernel, theta []float64) error
}

// Placer is a kernel that can be put at a position, its caches fresh.
type Placer interface {
	SetPosition(theta []float64) error
}

// minPairs is the number from which on the limits are proved.
const minPairs = 458

// withDefaults fills the zero fields.
func (c Check) withDefaults(t TB, steps, pairs int) Check {
	if c.Alpha == 0 {
		c.Alpha = 1e-6
	}
	if c.Pairs == 0 {
		c.Pairs = Scale(pairs, 20_000)
	}
	if r, planted := t.(*recorder); planted && r.few {
		c.Pairs = min(c.Pairs, max(minPairs, c.Pairs/4))
	}
	if c.Steps == 0 {
		c.Steps = steps
	}
	if c.Draws == 0 {
		c.Draws = 15
	}
	if c.Place == nil {
		c.Place = func(k infer.Kernel, theta []float64) error {
			p, ok := k.(Placer)
			if !ok {
				return fmt.Errorf("%T has no SetPosition: give Check.Place", k)
			}
			return p.SetPosition(theta)
		}
	}
	return c
}

// Invariance checks that some steps from theta do not change the joint distribution of theta ~ prior and y ~
// model(theta). It compares pairs before with other, independent pairs after the steps by a two-sample
// Kolmogorov–Smirnov test per statistic.
//
// False alarms: at most Alpha, split evenly over the statistics. Power: the
// distance that is rejected is √(log(2k/Alpha)/Pairs) for k statistics; with
// Alpha 1e-6 and k = 13 it is 0.065 for 4,000 pairs and 0.029 for 20,000, where a
// shift of 0.1 sd or a scale error of 15 % is seen. A kernel that never moves
// is invariant: Ranks and Conformance see it.
//
// Source: Geweke (2004), Getting it right, doi:10.1198/016214504000001132, with independent replications instead of
// one chain; Bouchard-Côté, Chern, Cubranic et al. (2022), doi:10.18637/jss.v103.i11, section on exact invariance
// tests. It returns the largest distance and the limit.
func Invariance(t TB, c Check) (largest, limit float64) {
	t.Helper()
	c = c.withDefaults(t, 3, 4000)
	if c.Pairs < minPairs {
		t.Fatalf("%d pairs are too few: the limits are proved from %d on", c.Pairs, minPairs)
	}
	return c.run(t, c.jointOf())
}

// jointOf is the joint distribution of the case.
func (c Check) jointOf() Joint {
	return Joint{Name: c.Case.Name, Statistics: c.Case.statistics(),
		Simulate: func(rng *infer.Stream) ([]float64, Given, error) {
			theta, target, err := c.Case.Simulate(rng)
			return theta, Given{
				Setup:    func() (infer.Setup, error) { return c.Sampler(target) },
				Evaluate: func(theta []float64) []float64 { return evaluate(target, theta) },
			}, err
		}}
}

// Joint is a joint distribution of positions and responses, by its definition.
type Joint struct {
	Name       string
	Statistics []string // names of what Evaluate returns
	// Simulate draws a position from the prior and responses given it.
	Simulate func(rng *infer.Stream) (position []float64, given Given, err error)
}

// Given is the posterior of a position given its responses.
type Given struct {
	Setup func() (infer.Setup, error)
	// functions of position and responses whose distributions are compared
	Evaluate func(position []float64) []float64
}

// InvarianceOf is Invariance of any posterior; of the check Alpha, Pairs, Steps, Seed and Place count.
func InvarianceOf(t TB, law Joint, c Check) (largest, limit float64) {
	t.Helper()
	return c.withDefaults(t, 3, 4000).run(t, law)
}

func (c Check) run(t TB, law Joint) (largest, limit float64) {
	t.Helper()
	names := law.Statistics
	before, after := make([][]float64, len(names)), make([][]float64, len(names))
	for i := range 2 * c.Pairs {
		rng := infer.NewStream(c.Seed, "invariance", law.Name, strconv.Itoa(i))
		theta, given, err := law.Simulate(rng)
		if err != nil {
			t.Fatalf("%s, pair %d: %v", law.Name, i, err)
		}
		sample := before
		if i >= c.Pairs {
			sample = after
			if err := c.advance(given, theta, i); err != nil {
				t.Errorf("%s, pair %d: %v", law.Name, i, err)
				return 1, 0
			}
		}
		for k, v := range given.Evaluate(theta) {
			if math.IsNaN(v) {
				t.Errorf("%s, pair %d: %s is NaN at %v", law.Name, i, names[k], theta)
				return 1, 0
			}
			sample[k] = append(sample[k], v)
		}
	}
	limit = twoSampleLimit(c.Pairs, c.Alpha/float64(len(names)))
	for k, name := range names {
		d := twoSample(before[k], after[k])
		largest = max(largest, d)
		if d > limit {
			t.Errorf("%s: %d steps are not invariant: %s is off by a Kolmogorov–Smirnov distance of %.3f, limit %.3f",
				law.Name, c.Steps, name, d, limit)
		}
	}
	t.Logf("%s: largest of %d distances %.3f, limit %.3f", law.Name, len(names), largest, limit)
	return largest, limit
}

// advance puts a chain at theta, runs it and overwrites theta.
func (c Check) advance(given Given, theta []float64, i int) error {
	setup, err := given.Setup()
	if err != nil {
		return err
	}
	// The last of several chains starts from the prior: the others would search for modes, and theta replaces them.
	k, err := setup.Kernel(infer.Chain{Index: 1, Count: 2,
		Stream: infer.NewStream(c.Seed, "invariance", "chain", strconv.Itoa(i))})
	if err != nil {
		return err
	}
	if err := c.Place(k, theta); err != nil {
		return err
	}
	for range c.Steps {
		if _, err := k.Step(); err != nil {
			return err
		}
	}
	k.Position(theta)
	return nil
}
