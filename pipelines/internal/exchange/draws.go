package exchange

import (
	"fmt"
	"slices"

	"glmbatch/infer"
)

// Draws are the kept draws of one fit, in the units of the data.
type Draws struct {
	Title         string            // of the fit, for comments in files
	Method        string            // that drew them
	Parameters    []infer.Parameter // names and kinds, in order
	Chains, Count int               // Count is the number of draws of a chain
	Warmup        int               // iterations of a chain before them
	// Seconds of all chains together; NaN: not known.
	WarmupSeconds, SamplingSeconds float64
	Facts                          []Fact // what else is known of the fit, for attributes of files
	// Chain writes the draws of a chain, 0-based: draw i of parameter p to dst[p*Count+i].
	Chain func(chain int, dst []float64) error
	// Observations are the rows of the data; nil: they are not known.
	Observations *Observations
	// Stats returns the statistics of its iterations; none: they are not known.
	Stats func(chain int) ([]infer.Info, error)
}

// Observations are the rows of the data that were fitted, at every draw.
type Observations struct {
	Places    []int // in the data, from 1
	Y, Trials []float64
	// Each calls use with some rows at every draw: the log likelihood and a random response of row first+i at draw s,
	// chain after chain, at [s*rows+i].
	Each func(use func(first, rows int, logLik, responses []float64) error) error
}

// Names are those of the parameters.
func (d *Draws) Names() []string {
	out := make([]string, len(d.Parameters))
	for i, p := range d.Parameters {
		out[i] = p.Name
	}
	return out
}

// matrix is one chain of draws with its statistics.
type matrix struct {
	*Draws
	chain  int          // 0-based
	values []float64    // draw i of parameter p at [p*Count+i]
	stats  []infer.Info // one a draw, or none
}

// column returns the draws of parameter p.
func (m *matrix) column(p int) []float64 { return m.values[p*m.Count : (p+1)*m.Count] }

// statistic is a number of each iteration that is written with the parameters.
type statistic struct {
	name string
	of   func(*infer.Info) float64
}

// densities are written with the parameters in the layouts of posterior.
var densities = []statistic{
	{"log_lik", func(i *infer.Info) float64 { return i.LogLik }},
	{"log_prior", func(i *infer.Info) float64 { return i.LogPrior }},
}

// densities are those whose names no parameter has.
func (d *Draws) densities() (out []statistic) {
	for _, s := range densities {
		if !slices.Contains(d.Names(), s.name) {
			out = append(out, s)
		}
	}
	return out
}

// each calls use with every chain in turn, in the order of chains. The matrix is
// reused: a chain at a time is in memory.
func (d *Draws) each(use func(*matrix) error) error {
	m := &matrix{Draws: d, values: make([]float64, len(d.Parameters)*d.Count)}
	for c := range d.Chains {
		m.chain = c
		err := d.Chain(c, m.values)
		if err == nil {
			m.stats, err = d.Stats(c)
		}
		if err == nil && len(m.stats) != 0 && len(m.stats) != d.Count {
			err = fmt.Errorf("%s: chain %d has statistics of %d iterations and %d draws", d.Title, c+1, len(m.stats),
				d.Count)
		}
		if err == nil {
			err = use(m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
