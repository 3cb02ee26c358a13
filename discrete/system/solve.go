package system

import (
	"errors"
	"fmt"
	"math"

	"glmbatch/discrete/mrf"
	"glmbatch/infer/diag"
	"glmbatch/internal/words"
)

// maxExpected bounds the states over which expectations of functionals are summed;
// cheapTransfer the steps of the transfer matrix method that auto takes for cheap.
const (
	maxExpected   = 1 << 20
	cheapTransfer = 1 << 22
)

// total is the number of states of the model, or limit where it is larger.
func (f *Field) total(limit int) int {
	total := 1
	for range f.N {
		if total *= f.States; total >= limit {
			return limit
		}
	}
	return total
}

// chain reports whether all edges join variables of successive numbers.
func (f *Field) chain() bool { return f.width() <= 1 }

// width is the largest difference of two neighbours' numbers.
func (f *Field) width() (w int) {
	for i := range f.N {
		if near := f.Model.Neighbours(i); len(near) > 0 {
			w = max(w, i-int(near[0]))
		}
	}
	return w
}

// Cheap reports whether Exact takes no longer than some sweeps of a sampler, and by
// which way.
func (f *Field) Cheap() (way string, ok bool) {
	if f.chain() {
		return "forward-backward, the edges being a chain", true
	}
	steps := f.N
	for range f.width() + 1 {
		if steps *= f.States; steps > cheapTransfer {
			return "", false
		}
	}
	return "the transfer matrix method, neighbours' numbers differing by little", true
}

// Exact sums over all states, forwards and backwards along a chain, or over the frontier
// of a strip: whichever is the first that serves. Its error says why none does.
func (f *Field) Exact() (*Result, string, error) {
	out := &Result{BestChain: -1, LogZ: math.NaN()}
	var exact *mrf.Exact
	var err error
	way := ""
	switch {
	case f.total(maxExpected+1) <= maxExpected:
		way = "enumeration of all states"
		if exact, err = mrf.Enumerate(f.Model); err == nil {
			f.expect(exact, out)
		}
	case f.chain():
		way = "forward-backward"
		if exact, err = mrf.ForwardBackward(f.Model); err == nil {
			out.Best, out.BestU, err = mrf.Viterbi(f.Model)
		}
	default:
		way = "transfer matrix"
		exact, err = mrf.Transfer(f.Model)
	}
	var fault *mrf.ModelError
	if errors.As(err, &fault) {
		_, hint := words.Parts(err)
		err = words.Hint(fmt.Errorf("dataset %q: method exact does not serve here: %s", f.Name, fault.What),
			fmt.Sprintf("%s; or take method gibbs, herded or meanfield", hint))
	}
	if err != nil {
		return nil, way, err
	}
	out.Marginals, out.LogZ = exact.Marginals, exact.LogZ
	out.MCSE = make([]float64, f.N*f.States)
	if out.Means == nil {
		out.Means = f.means(exact.Marginals, "exact marginals do not tell it; enumeration of all states would")
	}
	out.Certificates = []Certificate{{Method: way, Of: "total variation of the joint law", Count: f.N,
		Reason: "exact but for rounding"}}
	return out, way, nil
}

// expect sums functionals and the log density over all states, and finds the most
// probable one.
func (f *Field) expect(exact *mrf.Exact, out *Result) {
	_, at := f.parameters(nil)
	x := make([]uint8, f.N)
	first, second := make([]float64, len(at)+1), make([]float64, len(at)+1)
	top := -1.0
	for _, p := range exact.P {
		values := make([]float64, 0, len(at)+1)
		for _, fn := range at {
			values = append(values, fn.at(x))
		}
		values = append(values, mrf.LogDensity(f.Model, x))
		for k, v := range values {
			first[k] += float64(p * v)
			second[k] += float64(p * v * v)
		}
		if p > top {
			top, out.Best, out.BestU = p, append(out.Best[:0], x...), values[len(at)]
		}
		mrf.Next(f.Model, x)
	}
	for k := range first {
		s := unknown("the values of an exact law have no quantiles here")
		s.Mean, s.SD = first[k], math.Sqrt(math.Max(0, second[k]-float64(first[k]*first[k])))
		s.MCSEMean, s.MCSESD = 0, 0
		out.Means = append(out.Means, s)
	}
}

// means are the expectations of functionals under marginals; the last entry is that of
// the log density, which they do not determine.
func (f *Field) means(q *mrf.Marginals, reason string) (out []diag.Summary) {
	_, at := f.parameters(nil)
	for _, fn := range at {
		s := unknown(reason)
		if fn.mean != nil {
			s.Mean, s.MCSEMean, s.Reason = fn.mean(q), 0, "known from the marginals, but for its law"
		}
		out = append(out, s)
	}
	return append(out, unknown(reason))
}

// unknown is a summary of which nothing is known.
func unknown(reason string) diag.Summary {
	none := math.NaN()
	return diag.Summary{Mean: none, SD: none, MCSEMean: none, MCSESD: none, Q025: none, Q05: none, Q25: none, Median: none,
		Q75: none, Q95: none, Q975: none,
		MCSEMedian: none, MCSEQ05: none, MCSEQ95: none, RHat: none, ESSBulk: none, ESSTail: none, Reason: reason}
}

// MeanField finds the product of independent laws by damped updates.
func (f *Field) MeanField(o mrf.MeanFieldOptions) (*Result, error) {
	q, r, err := mrf.MeanField(f.Model, o)
	if err != nil {
		return nil, f.Explain(err)
	}
	out := &Result{BestChain: -1, LogZ: math.NaN(), Marginals: q, Sweeps: r.Sweeps, Best: make([]uint8, f.N)}
	for i := range out.Best {
		for a, p := range q.At(i) {
			if p > q.At(i)[out.Best[i]] {
				out.Best[i] = uint8(a)
			}
		}
	}
	out.BestU = mrf.LogDensity(f.Model, out.Best)
	const reason = "mean field is an approximation of unknown error"
	out.Means = f.means(q, reason)
	for k := range out.Means {
		out.Means[k].MCSEMean, out.Means[k].Reason = math.NaN(), reason
	}
	out.Warnings = append(out.Warnings,
		"mean field takes variables for independent: its marginals are approximate, and no error is known")
	if !r.Converged {
		out.Warnings = append(out.Warnings,
			fmt.Sprintf("mean field has not converged in %d sweeps: the last one moved a probability by %.3g",
				r.Sweeps, r.Change))
	}
	out.Certificates = []Certificate{{Method: "mean field", Of: "total variation of the joint law", Count: f.N,
		Bound: math.NaN(), Reason: reason}}
	return out, nil
}

// Viterbi finds the most probable state of a chain.
func (f *Field) Viterbi() (*Result, error) {
	x, u, err := mrf.Viterbi(f.Model)
	var fault *mrf.ModelError
	if errors.As(err, &fault) {
		err = words.Hint(fmt.Errorf("dataset %q: method viterbi is for chains: %s", f.Name, fault.What),
			"take method gibbs with anneal, which looks for the most probable state of any model")
	}
	if err != nil {
		return nil, err
	}
	return &Result{BestChain: -1, LogZ: math.NaN(), Best: x, BestU: u,
		Certificates: []Certificate{{Method: "Viterbi", Of: "log density of the most probable state", Count: f.N,
			Reason: "exact but for rounding"}}}, nil
}
