package assess

import (
	"context"
	"math"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// Judge computes what the run asks for besides summaries and takes the verdict. Its error is of what was asked for,
// or of the spool.
func Judge(ctx context.Context, d *Drawn, s Stamp) (*Judged, error) {
	extras, err := d.Extras(ctx)
	if err != nil {
		return nil, err
	}
	warnings := unique(d.warnings(d.Measured), extras.Warnings, d.Collected.Warnings())
	rec, err := d.record(s, extras)
	if err != nil {
		return nil, err
	}
	rec.Warnings = warnings
	out := &Judged{Identified: d.Identified, Record: rec, RHatMax: math.NaN(), ESSBulkMin: math.NaN(),
		Divergences: d.Measured.Divergences}
	if d.Gating.Off != "" {
		rec.Verdict = ungated(warnings)
	} else {
		evidence := d.evidence(d.Measured)
		evidence.Warnings = warnings
		rec.Verdict = judge.Judge(d.Gates, evidence)
		out.RHatMax, out.ESSBulkMin = d.Measured.WorstRHat(), d.Measured.ESS("min")
	}
	for i, p := range rec.Parameters {
		out.Parameters = append(out.Parameters,
			record.ParameterSummary{Name: p.Name, Kind: p.Kind, Summary: rec.Summaries[i]})
	}
	return out, nil
}

// Answer is Judge of a method without chains.
func Answer(id *plan.Identified, a *plan.Solution, s Stamp) (*Judged, error) {
	rec := newRecord(id, s, a.Explained)
	rec.Warnings = unique(id.Facts().Warnings, a.Warnings())
	rec.Verdict = ungated(rec.Warnings)
	none := math.NaN()
	rec.Times = record.Times{Setup: a.Took.Seconds(), Wall: s.Now().Sub(s.Began).Seconds(), ToESS100Median: none,
		ToESS100Min: none, ToESS100LogLik: none}
	for _, p := range a.Parameters {
		rec.Parameters = append(rec.Parameters, record.Parameter{Name: p.Name, Kind: p.Kind, Scale: 1})
	}
	out := &Judged{Identified: id, Record: rec, RHatMax: none, ESSBulkMin: none}
	if a.Means != nil {
		rec.Summaries, rec.Statistics = a.Means, []judge.Statistic{{Name: "log_lik", Summary: *a.LogLik}}
		for i, p := range a.Parameters {
			out.Parameters = append(out.Parameters, record.ParameterSummary{Name: p.Name, Kind: p.Kind, Summary: a.Means[i]})
		}
	}
	a.Describe(rec)
	return out, id.Describe(rec, a.Parameters)
}

// ungated is the verdict of a fit that no gate looks at: what there is to know makes it a warning.
func ungated(warnings []string) judge.Verdict {
	if len(warnings) > 0 {
		return judge.Verdict{Grade: judge.Warn, Reasons: warnings}
	}
	return judge.Verdict{Grade: judge.Pass}
}

// unique joins lists, each text once.
func unique(lists ...[]string) (out []string) {
	seen := map[string]bool{}
	for _, list := range lists {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}
