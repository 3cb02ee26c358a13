package infertest

import (
	"math"
	"sort"
	"strconv"

	"glmbatch/infer"
)

// Geweke checks the joint distribution of parameters and data with two
// simulators. The marginal-conditional one draws theta from the prior and y
// given theta, Pairs times. The successive-conditional one begins with such a
// pair and alternates Draws times between Steps iterations of the kernel given
// y and a new y given theta. The laws of theta and of functions of (theta, y) are
// the same if the kernel is right (responses that Simulate leaves out are left
// out of both); an error of one transition accumulates over
// them, so that smaller ones show than in Invariance. (theta, y) is looked at
// between the kernel and the new y: after it the joint law is right also under a
// kernel that is right for a part of y, and forgets a row, say.
//
// Each function is replaced by its distribution function under the first
// simulator, u, so that heavy tails do no harm; the means of u and of (u − ½)² are
// compared. The second simulator is run in independent chains from its own
// stationary law, whose batch means are independent: Student's t is exact but
// for the skewness of a mean of bounded numbers.
//
// False alarms: at most Alpha, split evenly over twice as many tests as there
// are statistics. Power: with 60 chains of 40 transitions (the quick form) a
// transition whose stationary law is a third of a standard deviation off, or 40 %
// too wide, is seen; with 600 chains a tenth, and 12 %.
//
// Source: Geweke (2004), Getting it right: joint distribution tests of posterior
// simulators, doi:10.1198/016214504000001132.
func Geweke(t TB, c Check, chains int) {
	t.Helper()
	if c.Draws == 0 {
		c.Draws = 40
	}
	c = c.withDefaults(t, 1, 4000)
	names := c.Case.statistics()
	marginal := make([][]float64, len(names))
	for i := range c.Pairs {
		theta, target, err := c.Case.Simulate(infer.NewStream(c.Seed, "geweke", c.Case.Name, strconv.Itoa(i)))
		if err != nil {
			t.Fatalf("%s, pair %d: %v", c.Case.Name, i, err)
		}
		for k, v := range evaluate(target, theta) {
			marginal[k] = append(marginal[k], v)
		}
	}
	for k := range marginal {
		sort.Float64s(marginal[k])
	}
	centre, spread := make([][]float64, len(names)), make([][]float64, len(names))
	for i := range chains {
		u, err := c.successive(marginal, i)
		if err != nil {
			t.Errorf("%s, chain %d: %v", c.Case.Name, i, err)
			return
		}
		for k := range names {
			m, s := 0.0, 0.0
			for _, v := range u[k] {
				m += (v - 0.5) / float64(len(u[k]))
				s += ((v-0.5)*(v-0.5) - 1.0/12) / float64(len(u[k]))
			}
			centre[k], spread[k] = append(centre[k], m), append(spread[k], s)
		}
	}
	least, alpha := 1.0, c.Alpha/float64(2*len(names))
	for k, name := range names {
		for _, test := range []struct {
			what   string
			values []float64
			sure   float64 // variance of the first simulator's part
		}{
			{"location", centre[k], 1 / (12 * float64(c.Pairs))},
			{"spread", spread[k], 1 / (180 * float64(c.Pairs))},
		} {
			p := tTest(test.values, test.sure)
			least = math.Min(least, p)
			if p < alpha {
				t.Errorf("%s: the joint law is not kept: the %s of %s differs, p = %.2g, limit %.2g", c.Case.Name, test.what, name,
					p, alpha)
			}
		}
	}
	t.Logf("%s: least p of %d tests %.2g, limit %.2g", c.Case.Name, 2*len(names), least, alpha)
}

// successive runs one chain of the successive-conditional simulator and returns
// its statistics as ranks among the marginal ones, in (0, 1).
func (c Check) successive(marginal [][]float64, i int) ([][]float64, error) {
	rng := infer.NewStream(c.Seed, "geweke", "chain", c.Case.Name, strconv.Itoa(i))
	theta, target, err := c.Case.Simulate(rng)
	if err != nil {
		return nil, err
	}
	u := make([][]float64, len(marginal))
	for draw := range c.Draws {
		setup, err := c.Sampler(target)
		if err != nil {
			return nil, err
		}
		k, err := setup.Kernel(infer.Chain{Count: 1,
			Stream: infer.NewStream(c.Seed, "geweke", "kernel", strconv.Itoa(i), strconv.Itoa(draw))})
		if err != nil {
			return nil, err
		}
		if err := c.Place(k, theta); err != nil {
			return nil, err
		}
		for range c.Steps {
			if _, err := k.Step(); err != nil {
				return nil, err
			}
		}
		k.Position(theta)
		for s, v := range evaluate(target, theta) {
			below := sort.SearchFloat64s(marginal[s], v)
			upto := sort.Search(len(marginal[s]), func(j int) bool { return marginal[s][j] > v })
			u[s] = append(u[s], (float64(below)+rng.Float64()*float64(upto-below+1))/float64(len(marginal[s])+1))
		}
		for target = nil; target == nil; {
			if target, err = c.Case.respond(theta, rng); err != nil {
				return nil, err
			}
		}
	}
	return u, nil
}

// tTest returns the two-sided p-value that values have mean 0, besides an error
// of known variance in all of them alike.
func tTest(values []float64, sure float64) float64 {
	n := float64(len(values))
	mean, ss := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		ss += (v - mean) * (v - mean)
	}
	return studentTail(math.Abs(mean)/math.Sqrt(ss/(n-1)/n+sure), len(values)-1)
}

// studentTail returns P(|T| > t) for Student's t with a whole number of degrees
// of freedom.
//
// Source: Abramowitz and Stegun (1964), 26.7.3 and 26.7.4.
func studentTail(t float64, df int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(df)))
	sin, cos := math.Sincos(angle)
	first, odd := 1.0, df%2
	if odd == 1 {
		first = cos
	}
	sum, term := 0.0, first
	for k := odd; k <= df-2; k += 2 {
		sum += term
		term *= cos * cos * float64(k+1) / float64(k+2)
	}
	if odd == 1 {
		return math.Max(0, 1-2/math.Pi*(angle+sin*sum))
	}
	return math.Max(0, 1-sin*sum)
}
