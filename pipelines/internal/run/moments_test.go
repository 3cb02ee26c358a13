package run

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer/diag"
	"glmbatch/transform"
)

// Where a mean may not exist the summary has none, and says why; what gates look
// at stays. The intercept in the units of the data moves with a centred column.
func TestMomentsThatMayNotExist(t *testing.T) {
	record := &transform.Record{Columns: []transform.Column{{Term: -1}, {Term: 0}, {Term: 1, Centre: 3}}}
	if got := inDataUnits([]int{1}, record); !slices.Equal(got, []int{1}) {
		t.Errorf("a column that is not centred: %v", got)
	}
	if got := inDataUnits([]int{2}, record); !slices.Equal(got, []int{2, 0}) {
		t.Errorf("a centred column: %v", got)
	}
	m := &measured{params: []diag.Summary{{Mean: 1, SD: 2}, {Mean: 1, SD: 2, Median: 3, RHat: 1, ESSBulk: 500, MCSEMean: 1, MCSESD: 1}}}
	m.withoutMoments([]int{1}, "no mean")
	s := m.params[1]
	for _, v := range []float64{s.Mean, s.SD, s.MCSEMean, s.MCSESD} {
		if !math.IsNaN(v) {
			t.Errorf("a moment of %v is told", v)
		}
	}
	if s.Median != 3 || s.RHat != 1 || s.ESSBulk != 500 || s.Reason != "no mean" || m.params[0].Mean != 1 {
		t.Errorf("summaries %+v", m.params)
	}
}
