package transform

import (
	"slices"
	"testing"
)

// The columns of the design are in the order of R's model.matrix, with ones first.
func TestBuildNamesColumns(t *testing.T) {
	d := mustBuild(t, classic(t, "birthwt"), "low ~ . - bwt", Spec{Family: familyNamed("bernoulli")})
	want := []string{"(Intercept)", "age", "lwt", "raceother", "racewhite", "smoke", "ptl", "ht", "ui", "ftv"}
	if !slices.Equal(d.Data.Names, want) {
		t.Errorf("names %q, want %q", d.Data.Names, want)
	}
}
