package predictive

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/report/record"
)

// maxTimes is the number of times at which a survival curve is computed at most.
const maxTimes = 200

// curve is the Kaplan–Meier estimate of a data set at fixed times: events after the time before and up to each time,
// and rows that are censored from the time before on.
type curve struct {
	times            []float64
	events, censored []float64
	n                float64
}

// curves are those of the data and of replicates, of responses that are observed or censored on one side. sign is −1
// for responses below a bound, whose curve runs backward.
type curves struct {
	sign       float64
	observed   curve
	replicates []curve
}

// newCurves returns nil if the responses have no such curve.
func newCurves(data *glm.Data, replicates int) *curves {
	c := &curves{sign: 1}
	has := func(kind float64) bool { return slices.Contains(data.Kind, kind) }
	if has(family.Below) {
		c.sign = -1
	}
	if data.Kind == nil || has(family.Within) || has(family.Below) && has(family.Above) || !has(family.Observed) {
		return nil
	}
	var all []float64
	for i, y := range data.Y {
		if data.Kind[i] == family.Observed {
			all = append(all, c.sign*y)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	times := all
	if len(all) > maxTimes {
		times = make([]float64, maxTimes)
		for k := range times {
			times[k] = all[(k+1)*len(all)/maxTimes-1]
		}
	}
	of := func() curve {
		return curve{times: times, events: make([]float64, len(times)+1), censored: make([]float64, len(times)+1)}
	}
	c.observed = of()
	for range replicates {
		c.replicates = append(c.replicates, of())
	}
	return c
}

// kindOf is the kind of a row.
func kindOf(data *glm.Data, row int) float64 {
	if data.Kind == nil {
		return family.Observed
	}
	return data.Kind[row]
}

// add takes a response of the data (replicate −1) or of a replicate in.
func (c *curves) add(replicate int, y, kind float64) {
	if c == nil {
		return
	}
	of := &c.observed
	if replicate >= 0 {
		of = &c.replicates[replicate]
	}
	k, same := slices.BinarySearch(of.times, c.sign*y)
	of.n++
	switch {
	case kind == family.Observed:
		of.events[k]++
	case same:
		of.censored[k+1]++
	default:
		of.censored[k]++
	}
}

// survival returns the share of responses above time k.
func (c *curve) survival(k int) float64 {
	atRisk, share := c.n, 1.0
	for i := range k + 1 {
		if atRisk -= c.censored[i]; atRisk <= 0 {
			return math.NaN()
		}
		share *= 1 - c.events[i]/atRisk
		atRisk -= c.events[i]
	}
	return share
}

// checks compare the curves at the times at which the data's one passes three quarters, a half and a quarter.
func (c *curves) checks() (out []record.Check) {
	if c == nil {
		return nil
	}
	last := -1
	for _, share := range []float64{0.75, 0.5, 0.25} {
		k := 0
		for k+1 < len(c.observed.times) && c.observed.survival(k) > share {
			k++
		}
		if k == last {
			continue
		}
		last = k
		var values []float64
		for r := range c.replicates {
			values = append(values, c.replicates[r].survival(k))
		}
		time, above := c.sign*c.observed.times[k], "above"
		if c.sign < 0 {
			above = "below"
		}
		out = append(out, checkOf(record.Check{Statistic: fmt.Sprintf("%s[%.4g]", above, time),
			Words: fmt.Sprintf("Kaplan-Meier share %s %.4g", above, time), Observed: c.observed.survival(k)}, values))
	}
	return out
}
