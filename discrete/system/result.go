package system

import (
	"fmt"
	"math"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
	"glmbatch/infer/diag"
)

// Result holds the answers about a field besides functionals.
type Result struct {
	Marginals *mrf.Marginals // nil: none
	MCSE      []float64      // Monte Carlo standard errors, by variable and state; nil: none
	Best      []uint8        // the most probable state seen, or known; nil: none
	BestU     float64        // its log density without the constant
	BestChain int            // −1: no chain found it
	LogZ      float64        // NaN: unknown
	// Certificates are proved bounds of the result's errors.
	Certificates []Certificate
	// Means are expectations of functionals where no chain drew them; nil: none.
	Means    []diag.Summary
	Warnings []string
	Sweeps   int // of mean field
}

// Certificate is an error that is proved, or why there is none.
type Certificate struct {
	Method  string // what proves it
	Of      string // the bounded quantity, as text
	IDs     []string
	Count   int     // variables that it applies to
	Updates int64   // single updates after which it holds
	Bound   float64 // NaN: none
	Reason  string  // why there is none, or what it assumes
	Trace   *Trace  // of a scan; else nil
}

// Collect sums the chains of a set-up up over the window of [from, to) iterations, both
// planned. Chains that sample another distribution than the model's, by temperature, give no marginals.
func (s *Setup) Collect(kernels []infer.Kernel, from, to int, sampled, random bool) *Result {
	out := &Result{LogZ: math.NaN(), BestChain: -1, BestU: math.Inf(-1)}
	x := make([]uint8, s.N)
	for c, k := range kernels {
		if u := k.(*Chain).sampler.Best(x); u > out.BestU {
			out.Best, out.BestU, out.BestChain = append(out.Best[:0], x...), u, c
		}
	}
	if !sampled {
		return out
	}
	sum := newSegment(s.N*(s.States-1), &s.Plan)
	total := 0
	for _, k := range kernels {
		for i, seg := range k.(*Chain).tally.segments {
			if s.Segments[i] < from || s.Segments[i] >= to {
				continue
			}
			total += seg.iterations
			sum.merge(seg)
		}
	}
	out.Marginals = mrf.NewMarginals(s.Model)
	for i := range s.N {
		row := out.Marginals.At(i)
		row[0] = 1
		rest := uint32(0)
		for a := 1; a < s.States; a++ {
			n := sum.count[i*(s.States-1)+a-1]
			row[a] = float64(n) / float64(total)
			rest += n
		}
		row[0] = float64(uint32(total)-rest) / float64(total)
	}
	if sum.mean != nil {
		sum.mean.marginals(out.Marginals, s.N, s.States, float64(total))
	}
	s.unfocused(out.Marginals)
	if random && s.Batch > 0 {
		out.MCSE = s.errors(sum)
	}
	s.proved(kernels, out)
	return out
}

// unfocused takes away the marginals of variables that the scan is not for, as NaN.
func (s *Setup) unfocused(q *mrf.Marginals) {
	if s.focus == nil {
		return
	}
	at := make([]bool, s.N)
	for _, i := range s.focus {
		at[i] = true
	}
	for i := range s.N {
		if row := q.At(i); !at[i] {
			for a := range row {
				row[a] = math.NaN()
			}
		}
	}
}

// merge adds the counts of another segment.
func (s *segment) merge(o *segment) {
	for i, v := range o.count {
		s.count[i] += v
	}
	if s.mean != nil {
		s.mean.merge(o.mean)
	}
	if s.batch == nil {
		return
	}
	s.batches += o.batches
	for i, v := range o.inner {
		s.inner[i] += v
		s.square[i] += o.square[i]
	}
}

// minBatches is how many batches a Monte Carlo error needs.
const minBatches = 8

// errors returns the Monte Carlo standard errors of marginals by batch means over all chains: the standard deviation of
// the batches' means over the root of their number. They include the differences of chains. The first state of two has
// the error of the other; the first of more has NaN.
func (s *Setup) errors(sum *segment) []float64 {
	q, m := s.States, float64(sum.batches)
	out := make([]float64, s.N*q)
	for k := range out {
		out[k] = math.NaN()
	}
	if sum.batches < minBatches {
		return out
	}
	for i := range s.N {
		for a := 1; a < q; a++ {
			at := i*(q-1) + a - 1
			inner, square := float64(sum.inner[at]), float64(sum.square[at])
			if sum.mean != nil {
				inner, square = sum.mean.inner[at], sum.mean.square[at]
			}
			mean := inner / m
			variance := (square - float64(m*mean*mean)) / (m - 1)
			out[i*q+a] = math.Sqrt(math.Max(0, variance)/m) / float64(s.Batch)
		}
		if q == 2 {
			out[i*q] = out[i*q+1]
		}
	}
	return out
}

// proved adds the bounds of herded chains. Averages of chains are no further from the
// truth than the mean of their bounds.
func (s *Setup) proved(kernels []infer.Kernel, out *Result) {
	h, ok := s.inner.(*herded.Setup)
	if !ok {
		return
	}
	sum, last := 0.0, herded.Bound{}
	var updates int64
	for _, k := range kernels {
		c := k.(*Chain)
		last = c.sampler.(*herded.Chain).Bound()
		sum += last.Value
		updates = int64(c.iteration) * int64(s.N)
	}
	cert := Certificate{Method: "herded Gibbs", Count: s.N, Updates: updates, Bound: sum / float64(len(kernels))}
	switch {
	case last.Of == herded.OfNothing:
		cert.Of, cert.Bound, cert.Reason = "total variation of the joint law", math.NaN(),
			"convergence is open: "+joined(h.Warnings())
	case s.Segments[0] > 0:
		cert.Of, cert.Bound, cert.Reason = "total variation of the joint law", math.NaN(),
			"the bound is of averages from the first sweep on, and these have a warm-up"
	case last.Of == herded.OfMarginals:
		cert.Of, cert.Reason = "each share of a state of a variable", "lemma 3: no edges"
	default:
		cert.Of, cert.Reason = "total variation of the joint law", "theorem 2: a complete graph"
		if c, ok := h.Constants(); ok {
			cert.Reason += fmt.Sprintf("; with the paper's constants λ/T = %.4g/T from T* = %.4g sweeps on (η = %.4g, "+
				"π_min = %.4g)", c.Lambda, c.From, c.Eta, c.Least)
		}
	}
	out.Certificates = append(out.Certificates, cert)
}

func joined(words []string) string {
	out := ""
	for i, w := range words {
		if i > 0 {
			out += "; "
		}
		out += w
	}
	return out
}
