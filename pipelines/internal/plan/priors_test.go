package plan

import (
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/transform"
)

// The intercept in the units of the data moves with a centred column.
func TestInDataUnits(t *testing.T) {
	record := &transform.Record{Columns: []transform.Column{{Term: -1}, {Term: 0}, {Term: 1, Centre: 3}}}
	if got := inDataUnits([]int{1}, record); !slices.Equal(got, []int{1}) {
		t.Errorf("a column that is not centred: %v", got)
	}
	if got := inDataUnits([]int{2}, record); !slices.Equal(got, []int{2, 0}) {
		t.Errorf("a centred column: %v", got)
	}
}

// Scales of priors without a mean are no reason for a warning.
func TestCautionLeavesScalesOut(t *testing.T) {
	params := []infer.Parameter{{Name: "a", Kind: infer.Coefficient}, {Name: "tau", Kind: infer.Scale}}
	if got := caution(params, glm.Doubt{Parameters: []int{1}, Reason: "why"}); got != "" {
		t.Errorf("of a scale: %q", got)
	}
	if got := caution(params, glm.Doubt{Parameters: []int{0, 1}, Reason: "why"}); got != "a: why" {
		t.Errorf("of a coefficient: %q", got)
	}
}
