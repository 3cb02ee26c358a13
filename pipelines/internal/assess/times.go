package assess

import (
	"math"

	"glmbatch/report/record"
)

// times shares the elapsed times of the chains out over set-up, warm-up and
// sampling, as one core would have needed them, and scales sampling to an ESS
// of 100. Sampling counts the making of each kept draw once, where a sampler's rows are
// expanded while the fit is checked. An ESS below 100 gives NaN: the run has not shown that time.
func (d *Drawn) times(s Stamp) record.Times {
	t := record.Times{Setup: d.Took.Seconds(), Wall: s.Now().Sub(s.Began).Seconds()}
	for _, c := range d.Draws.Spool.Chains {
		t.Setup += c.SetupElapsed.Seconds()
		t.Warmup += c.Elapsed(0, d.Window.From).Seconds()
		t.Sampling += c.Elapsed(d.Window.From, d.Window.To).Seconds()
	}
	t.Sampling += d.Measured.expanding.Seconds()
	until := func(ess float64) float64 {
		if !(ess >= 100) {
			return math.NaN()
		}
		return t.Setup + t.Warmup + t.Sampling*(100/ess)
	}
	t.ToESS100Median = until(d.Measured.ESS("median"))
	t.ToESS100Min = until(d.Measured.ESS("min"))
	t.ToESS100LogLik = until(d.Measured.logLik.ESSBulk)
	return t
}
