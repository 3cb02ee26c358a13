package run

import (
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/report"
)

// whole is a sampler whose draws are spooled whole, compact or not.
type whole struct{ infer.Setup }

// The ledger has the same bits of a fit whose rows are spooled as of one whose draws are: parameters in the units
// of the data, where the intercept gives up a part for every other column, derived quantities, and all summaries.
func TestRowsGiveTheSameFit(t *testing.T) {
	dir := wideFolder(t, "method: cggibbs, basis: reduced", "standardize: center_scale, derive: {a: x3 - x150, b: exp(x1)}, ", 30)
	var fits [2]wideFit
	for i, tamper := range []func(infer.Setup) infer.Setup{
		func(s infer.Setup) infer.Setup { return s.(infer.Compact) },
		func(s infer.Setup) infer.Setup { return whole{s} },
	} {
		runWide(t, dir, tamper)
		fits[i] = readWide(t, dir)
	}
	rows, whole := fits[0], fits[1]
	if len(rows.values) != 203*4*30 || !slices.Equal(rows.values, whole.values) {
		t.Errorf("%d draws of rows differ from %d that were spooled", len(rows.values), len(whole.values))
	}
	for i, s := range whole.summaries {
		if rows.summaries[i] != s {
			t.Fatalf("%s: %+v of rows, want %+v", s.Name, rows.summaries[i], s)
		}
	}
}

// wideFit is the content of a ledger about the fit of wideFolder.
type wideFit struct {
	values    []float64
	summaries []report.ParameterSummary
}

func readWide(t *testing.T, dir string) (out wideFit) {
	t.Helper()
	ledger, err := report.Open(dir+"/wide.duckdb", report.Options{})
	must(t, err)
	found, err := ledger.Newest(t.Context(), "", func(report.Key) bool { return true })
	if err != nil || len(found) != 1 {
		t.Fatalf("%d fits, %v", len(found), err)
	}
	for block, err := range ledger.Columns(t.Context(), found[0].Stored, assess.ColumnBytes) {
		must(t, err)
		out.values = append(out.values, block.Values...)
	}
	if out.summaries, _, err = ledger.Summaries(t.Context(), found[0].Fingerprint); err != nil {
		t.Fatal(err)
	}
	return out
}
