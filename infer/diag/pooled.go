package diag

import (
	"fmt"
	"math"
)

// Pooled describes one column of draws from several posteriors that are mixed with equal weights, as those of several
// imputations of one data set.
type Pooled struct {
	// Summary is that of all draws. Its diagnostics are of the chains of one posterior at a time, see SummarizePooled.
	Summary
	Each []Summary // of each posterior by itself
	// Across is R-hat over all chains as if they were of one posterior: it is far from 1 where posteriors differ.
	Across float64
}

// SummarizePooled describes one column: chains × iterations, of equal lengths, of which as many, in turn, are of each
// of the posteriors.
//
// RHat is the largest of the posteriors, so that it detects chains that disagree on one of them, and ignores
// differences between posteriors. For posteriors with effective sizes E_1 … E_M both ESS are
//
//	M² / Σ 1/E_m
//
// which is the size whose mean has the Monte Carlo error of the pooled mean, (1/M²)·Σ sd_m²/E_m, where the sd_m are
// equal; one posterior with few effective draws lowers it most. MCSEMean is that error itself, MCSESD the error by
// first order of sqrt(mean of sd_m² + (mean_m − mean)²), and those of quantiles are of ESSTail (5 % and 95 %) and of
// the smaller of both (median), which is an upper bound where posteriors differ. Quantiles, Mean and SD are of all
// draws.
//
// Cost: twice that of Summarize. It panics if the chains differ in length or cannot be divided.
//
// Source: mixing draws of imputations is from Zhou and Reiter (2010), A note on Bayesian inference after multiple
// imputation, doi:10.1198/tast.2010.09109, and brms.
func (w *Workspace) SummarizePooled(chains [][]float64, posteriors int) Pooled {
	if posteriors < 1 || len(chains)%posteriors != 0 {
		panic(fmt.Sprintf("diag: %d chains of %d posteriors", len(chains), posteriors))
	}
	out, few := Pooled{Each: make([]Summary, posteriors)}, len(chains)/posteriors
	for m := range out.Each {
		out.Each[m] = w.Summarize(chains[m*few : (m+1)*few])
	}
	out.Summary = w.Summarize(chains)
	s := &out.Summary
	out.Across, s.RHat = s.RHat, out.Each[0].RHat
	count := float64(posteriors)
	var bulk, tail, mean, sd float64
	for m := range out.Each {
		e := &out.Each[m]
		s.RHat = math.Max(s.RHat, e.RHat) // NaN stays NaN
		bulk, tail = bulk+1/e.ESSBulk, tail+1/e.ESSTail
		mean += float64(e.MCSEMean * e.MCSEMean)
		own, apart := float64(e.SD*e.MCSESD), float64((e.Mean-s.Mean)*e.MCSEMean)
		sd += float64(own*own) + float64(apart*apart)
		if s.Reason == "" && e.Reason != "" {
			s.Reason = fmt.Sprintf("in imputation %d %s", m+1, e.Reason)
		}
	}
	s.ESSBulk, s.ESSTail = count*count/bulk, count*count/tail
	s.MCSEMean, s.MCSESD = math.Sqrt(mean)/count, math.Sqrt(sd)/float64(count*s.SD)
	s.MCSEQ05, s.MCSEQ95 = w.mcseQuantile(0.05, s.ESSTail), w.mcseQuantile(0.95, s.ESSTail)
	s.MCSEMedian = w.mcseQuantile(0.5, min(s.ESSBulk, s.ESSTail))
	return out
}

// Rubin combines the results of several imputations of one data set for one quantity, by the rules of Rubin (1987).
// Variances are in the squared unit of the quantity.
type Rubin struct {
	Mean     float64
	Within   float64 // mean variance of the quantity given an imputation
	Between  float64 // variance of its mean over imputations
	Total    float64 // Within + (1 + 1/M)·Between, of M imputations
	Increase float64 // of the variance by what is missing, relative to Within: (1 + 1/M)·Between/Within
	Lambda   float64 // share of Total that is due to what is missing: (1 + 1/M)·Between/Total
	DF       float64 // degrees of freedom of the quantity's t distribution
	FMI      float64 // fraction of missing information: (Increase + 2/(DF + 3))/(Increase + 1)
}

// PoolRubin applies the rules to the means and variances of a quantity in at least two imputations. complete is the
// number of degrees of freedom that complete data would have: +Inf where it is not known. Where all means are equal,
// nothing is missing of the quantity: Lambda is 0, and DF that of complete data.
//
// Source: Rubin, Multiple Imputation for Nonresponse in Surveys (1987), 3.1; DF is that of Barnard and Rubin (1999),
// Small-sample degrees of freedom with multiple imputation, doi:10.1093/biomet/86.4.948.
func PoolRubin(means, variances []float64, complete float64) Rubin {
	m := float64(len(means))
	var r Rubin
	for i := range means {
		r.Mean += means[i] / m
		r.Within += variances[i] / m
	}
	for _, v := range means {
		r.Between += float64((v-r.Mean)*(v-r.Mean)) / (m - 1)
	}
	extra := float64((1 + 1/m) * r.Between)
	r.Total = r.Within + extra
	r.Increase, r.Lambda = extra/r.Within, extra/r.Total
	old := (m - 1) / float64(r.Lambda*r.Lambda)
	observed := float64((1 - r.Lambda) * (complete + 1) / (complete + 3) * complete)
	switch {
	case math.IsInf(complete, 1):
		r.DF = old
	case math.IsInf(old, 1):
		r.DF = observed
	default:
		r.DF = float64(old*observed) / (old + observed)
	}
	r.FMI = (r.Increase + 2/(r.DF+3)) / (r.Increase + 1)
	return r
}
