package transform

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Statistics are R's of the same responses.
func TestStatistics(t *testing.T) {
	y := []float64{3, 0, 7, 0, 12, 1, 0, 2}
	for source, want := range map[string]float64{
		"mean(y == 0)": 0.375, "quantile(y, 0.99)": 11.65, "median(y)": 1.5, "sd(y)^2 / mean(y)": 18.410714285714285 / 3.125,
		"max(y) - min(y)": 12, "sum(y > 2 & y != 7) + 1": 3, "mean(log1p(y))": (math.Log(4) + math.Log(8) + math.Log(13) +
			math.Log(2) + math.Log(3)) / 8, "-mean(y)": -3.125, "var(y)": 18.410714285714285, "mean(abs(y - mean(y)))": 3.1875,
		"mean(!(y > 0))": 0.375, "exp(mean(y) * 0)": 1,
	} {
		s, err := ParseStatistic(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got := s.Of(y); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", source, got, want)
		}
	}
	s, err := ParseStatistic("mean(log(y))")
	if err != nil || !math.IsNaN(s.Of([]float64{-1, 2})) || !math.IsNaN(s.Of(nil)) {
		t.Errorf("the logarithm of a negative number is %v, %v", s.Of([]float64{-1, 2}), err)
	}
	if y[0] != 3 || y[4] != 12 {
		t.Errorf("the responses are changed: %v", y)
	}
}

// A text that is not a statistic is refused when the spec is read.
func TestStatisticsRefused(t *testing.T) {
	for source, want := range map[string]string{
		"y + 1":                     "a number for each response",
		"mean(x)":                   "there is no x",
		"mean(y = 0)":               "equality is written ==",
		"mean(y, 2)":                "takes 1 arguments",
		"quantile(y)":               "takes 2 arguments",
		"quantile(y, 2)":            "from 0 to 1",
		"mean(mean(y))":             "its argument is one",
		"mod(y)":                    `there is no function "mod"`,
		"mean('y')":                 "is not a number",
		"mean(y %in% 2)":            "",
		"linear_predictor(age = 2)": "",
	} {
		_, err := ParseStatistic(source)
		if err == nil {
			t.Errorf("%s is taken", source)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", source, err)
		}
	}
}

// An auxiliary column has the rows that the design uses; missing cells are neither a level nor a number.
func TestAuxColumn(t *testing.T) {
	table := makeTable(t, 2, col{name: "g", values: []string{"b", "a", "b", "c"}, missing: []int{2}},
		col{name: "x", values: []float64{1, 2, 3, 4}, missing: []int{0}}, col{name: "k", values: []int64{10, 9, 10, 9}})
	g, err := ReadAux(table, "g", false, 3)
	if err != nil || !slices.Equal(g.Levels, []string{"a", "b", "c"}) || !slices.Equal(g.Of, []int32{1, 0, -1, 2}) {
		t.Errorf("%+v, %v", g, err)
	}
	if kept := g.Kept([]bool{true, false, true, true}); !slices.Equal(kept.Of, []int32{1, -1, 2}) || kept.X != nil {
		t.Errorf("kept: %+v", kept)
	}
	x, err := ReadAux(table, "x", true, 3)
	if err != nil || !math.IsNaN(x.X[0]) || !slices.Equal(x.Kept([]bool{false, true, false, true}).X, []float64{2, 4}) {
		t.Errorf("%+v, %v", x, err)
	}
	if k, err := ReadAux(table, "k", false, 3); err != nil || !slices.Equal(k.Levels, []string{"9", "10"}) ||
		!slices.Equal(k.Of, []int32{1, 0, 1, 0}) {
		t.Errorf("%+v, %v", k, err)
	}
	for name, want := range map[string]string{"h": `no column "h"`, "g": "is text, not numbers"} {
		if _, err := ReadAux(table, name, true, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadAux(table, "g", false, 2); err == nil || !strings.Contains(err.Error(), "more than 2 levels") {
		t.Errorf("three levels of two: %v", err)
	}
}
