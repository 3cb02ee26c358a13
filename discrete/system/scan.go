package system

import (
	"errors"
	"fmt"
	"math"

	"glmbatch/discrete/influence"
	"glmbatch/infer/dogs"
	"glmbatch/internal/words"
)

// Aim configures a scan: the variables whose joint distribution matters, and the total variation distance from the
// model's that one iteration must reach from any start.
type Aim struct {
	IDs     []string
	Weights []float64 // of the variables; nil: 1 for each
	Within  float64
	Updates int      // the length of the list, instead of Within; 0: as many as that takes
	Iterate int      // the length of one list that is repeated; 0: all updates are chosen
	Rounds  int      // passes of the search at most; 0: 20
	Inflate float64  // the list is chosen by bounds of influences so many times as large; 0: 1
	Order   string   // systematic: variables in turn, as often as that takes; random: Updates of them drawn uniformly
	List    []string // the updates, by id; nil: they are chosen, or as Order is
}

// longestScan bounds the updates of an iteration, maxRandom the products of a random scan's certificate: updates times
// influences.
const (
	longestScan = 1 << 22
	maxRandom   = 1 << 31
)

// maxTraced bounds the updates, and the influences, of a Trace.
const maxTraced = 1_000_000

// Trace shows how a certificate follows from its scan. A part that is longer than maxTraced is nil.
type Trace struct {
	Order      []int32   // the updates; nil of a random scan
	Bounds     []float64 // the certificate of the scan up to each update
	Influences *dogs.Influence
}

// Scan finds a list of updates that is certified for the aim: by the Dobrushin-optimised
// search, or the systematic scan of the length that it takes. Where influences are too
// strong for any certificate, or no list is short enough, order is nil, the certificate
// has no bound, and its reason says why.
func (f *Field) Scan(a Aim) (order []int32, focus []int, cert Certificate, err error) {
	if len(a.IDs) == 1 && a.IDs[0] == "*" {
		return f.scanAll(a)
	}
	target := dogs.Target{Weights: a.Weights}
	seen := map[int]bool{}
	for _, id := range a.IDs {
		i, ok := f.Variable(id)
		switch {
		case !ok:
			return nil, nil, cert, words.Hint(fmt.Errorf("dataset %q: the scan is for %q, which is no variable", f.Name, id),
				f.IDsHint(id))
		case seen[i]:
			return nil, nil, cert, words.Hint(fmt.Errorf("dataset %q: the scan is for %q twice", f.Name, id),
				"remove one of the two")
		}
		seen[i] = true
		target.Variables, focus = append(target.Variables, int32(i)), append(focus, i)
	}
	for _, i := range f.Watched {
		if !seen[i] {
			return nil, nil, cert, words.Hint(fmt.Errorf("dataset %q: watch names %q, which the scan is not for", f.Name,
				f.ID(i)),
				"name it under for, or do not watch it")
		}
	}
	order, cert, err = f.certified(a, target)
	if order == nil && a.Order != orderRandom {
		focus = nil
	}
	cert.IDs = a.IDs
	return order, focus, cert, err
}

// scanAll is Scan for all variables.
func (f *Field) scanAll(a Aim) (order []int32, focus []int, cert Certificate, err error) {
	order, cert, err = f.certified(a, dogs.All(f.N))
	return order, nil, cert, err
}

// orderSystematic and orderRandom are orders of an Aim.
const orderSystematic, orderRandom = "systematic", "random"

// certified finds the list of updates for a target; nil if there is none. A random scan has none, but a bound.
func (f *Field) certified(a Aim, target dogs.Target) (order []int32, cert Certificate, err error) {
	cert = Certificate{Method: "Dobrushin-optimised scan", Of: "total variation of the joint law, from any start, after " +
		"an iteration", Count: len(target.Variables), Bound: math.NaN()}
	if target.Weights != nil {
		cert.Of = "sum over variables of weight times the probability that coupled chains differ in it, from any start, " +
			"after an iteration"
	}
	c := influence.Bounds(f.Model)
	switch {
	case len(a.List) > 0:
		cert.Method = "given scan"
		if order, err = f.listed(a.List); err == nil {
			cert.Bound, err = c.Variation(order, target)
		}
	case a.Order == orderRandom:
		return nil, f.random(c, target, a, cert), nil
	case a.Order == orderSystematic:
		cert.Method = "systematic scan"
		order, cert.Bound = f.systematic(c, target, a)
		if order == nil {
			cert.Bound, cert.Reason = math.NaN(), refusal(c)
		}
	default:
		order, cert.Bound, cert.Reason = searched(c, target, a)
	}
	cert.Updates = int64(len(order))
	if cert.Trace = traced(c); err == nil && 0 < len(order) && len(order) <= maxTraced {
		cert.Trace.Order = order
		if cert.Trace.Bounds, err = c.Prefixes(order, target); err == nil {
			cert.Trace.Bounds[len(order)-1] = cert.Bound
		}
	}
	if order != nil {
		cert.Reason = "each iteration is one scan, and its states after it are within this of the model's, whatever was " +
			"before; variables outside of the list are not drawn" + cert.Reason
	}
	return order, cert, err
}

// traced begins a trace.
func traced(c *dogs.Influence) *Trace {
	if c.Influences() > maxTraced {
		return &Trace{}
	}
	return &Trace{Influences: c}
}

// listed numbers the variables of a list of updates.
func (f *Field) listed(ids []string) ([]int32, error) {
	order := make([]int32, len(ids))
	for t, id := range ids {
		i, ok := f.Variable(id)
		if !ok {
			return nil, words.Hint(fmt.Errorf("dataset %q: update %d of the scan is of %q, which is no variable", f.Name,
				t+1, id), f.IDsHint(id))
		}
		order[t] = int32(i)
	}
	return order, nil
}

// random completes the certificate of a scan whose updates are of variables drawn uniformly: definition 7 and theorem 8
// of the paper on DoGS, with equal probabilities.
func (f *Field) random(c *dogs.Influence, target dogs.Target, a Aim, cert Certificate) Certificate {
	cert.Method, cert.Updates, cert.Trace = "random scan", int64(a.Updates), traced(c)
	cert.Reason = "each iteration is one random scan, and its states after it are within this of the model's, whatever " +
		"was before, on average over the scans that may be drawn"
	if float64(a.Updates)*float64(f.N+c.Influences()) > maxRandom {
		cert.Reason = "not computed: each update of a random scan takes a pass over all influences"
		return cert
	}
	bounds, err := c.RandomPrefixes(nil, a.Updates, target)
	if err != nil {
		cert.Reason = err.Error()
		return cert
	}
	if cert.Bound = bounds[a.Updates-1]; a.Updates <= maxTraced {
		cert.Trace.Bounds = bounds
	}
	return cert
}

// searched is the list that an aim asks for and its variation; with no list, why there is none. A list that was chosen
// by inflated bounds is judged by the bounds as they are; note has the bound by the inflated ones.
func searched(c *dogs.Influence, target dogs.Target, a Aim) (order []int32, bound float64, note string) {
	by := c
	if a.Inflate > 0 {
		by = c.Scaled(a.Inflate)
	}
	found, err := search(by, target, a)
	if err != nil {
		return nil, math.NaN(), reasonOf(err)
	}
	if a.Inflate > 0 {
		note = fmt.Sprintf("; the list was chosen by bounds of influences times %v, which certify %.3g", a.Inflate,
			found.Variation)
		if found.Variation, err = c.Variation(found.Scan, target); err != nil {
			return nil, math.NaN(), reasonOf(err)
		}
	}
	return found.Scan, found.Variation, note
}

// search finds the list that an aim asks for: of a budget, one that is repeated, or the shortest one.
func search(c *dogs.Influence, target dogs.Target, a Aim) (*dogs.Certificate, error) {
	o := dogs.Options{Below: a.Within, Rounds: a.Rounds, MaxLength: longestScan}
	if o.Rounds == 0 {
		o.Rounds = 20
	}
	switch {
	case a.Updates > 0:
		return c.Optimise(c.Towards(target, a.Updates), target, dogs.Options{Rounds: o.Rounds})
	case a.Iterate > 0:
		return c.Iterate(target, a.Iterate, o)
	}
	return c.Search(target, o)
}

// systematic is the systematic scan of a budget, or the shortest one with a variation within the aim's.
func (f *Field) systematic(c *dogs.Influence, target dogs.Target, a Aim) (order []int32, bound float64) {
	below := a.Within
	variation := func(n int) float64 {
		v, err := c.Variation(dogs.Systematic(f.N, n), target)
		if err != nil {
			return math.Inf(1)
		}
		return v
	}
	if a.Updates > 0 {
		order = dogs.Ending(f.N, a.Updates)
		v, err := c.Variation(order, target)
		if err != nil {
			return nil, math.NaN()
		}
		return order, v
	}
	high := 1
	for variation(high) > below {
		if high *= 2; high > longestScan {
			return nil, math.NaN()
		}
	}
	low := high / 2
	for high-low > 1 {
		if mid := low + (high-low)/2; variation(mid) > below {
			low = mid
		} else {
			high = mid
		}
	}
	return dogs.Systematic(f.N, high), variation(high)
}

// refusal says why no scan is certified.
func refusal(c *dogs.Influence) string {
	if n := c.Norms(); !(n.Least() < 1) {
		return (&dogs.NormError{Norms: n}).Reason()
	}
	return fmt.Sprintf("no scan of up to %d updates comes so near", longestScan)
}

// reasonOf says why a search found no scan, to a reader of the ledger.
func reasonOf(err error) string {
	var norm *dogs.NormError
	var reach *dogs.ReachError
	switch {
	case errors.As(err, &norm):
		return norm.Reason()
	case errors.As(err, &reach):
		return reach.Reason()
	}
	return err.Error()
}
