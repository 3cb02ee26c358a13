package assess

import (
	"math"
	"testing"

	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/transform"
)

// Where a mean may not exist the summary has none, and says why; what gates look
// at stays.
func TestMomentsThatMayNotExist(t *testing.T) {
	m := &Measured{Parameters: []diag.Summary{{Mean: 1, SD: 2}, {Mean: 1, SD: 2, Median: 3, RHat: 1, ESSBulk: 500, MCSEMean: 1, MCSESD: 1}}}
	m.withoutMoments([]glm.Doubt{{Parameters: []int{1, 7}, Reason: "no mean"}}) // lambdas that are not kept have no summary
	s := m.Parameters[1]
	for _, v := range []float64{s.Mean, s.SD, s.MCSEMean, s.MCSESD} {
		if !math.IsNaN(v) {
			t.Errorf("a moment of %v is told", v)
		}
	}
	if s.Median != 3 || s.RHat != 1 || s.ESSBulk != 500 || s.Reason != "no mean" || m.Parameters[0].Mean != 1 {
		t.Errorf("summaries %+v", m.Parameters)
	}
}

// A quantity that depends on a parameter without a mean has a warning; the same doubts come back from stored
// summaries.
func TestDerivedMoments(t *testing.T) {
	var quantities []Quantity
	names := []string{"(Intercept)", "x"}
	for _, source := range []string{"x - `(Intercept)`", "x > 0", "`(Intercept)`"} {
		d, err := transform.ParseDerived(source)
		must(t, err)
		q, err := d.Bind(&transform.Fitted{Names: names, Record: &transform.Record{}})
		must(t, err)
		quantities = append(quantities, Quantity{nil, q})
	}
	stored := []diag.Summary{{Mean: 1}, {Mean: math.NaN(), Median: 2, Reason: "its tail is heavy"}}
	derived := make([]diag.Summary, 3)
	withoutDerivedMoments(derived, quantities, names, meanless(stored))
	if s := derived[0]; !math.IsNaN(s.Mean) || s.Reason != "it rests on x, of which its tail is heavy" {
		t.Errorf("a difference: %+v", s)
	}
	if derived[1].Mean != 0 || derived[2].Mean != 0 || derived[1].Reason+derived[2].Reason != "" {
		t.Errorf("a bounded quantity, and one of another parameter: %+v", derived[1:])
	}
}
