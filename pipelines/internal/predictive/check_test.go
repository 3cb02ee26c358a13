package predictive

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer/glm"
	"glmbatch/report/record"
)

// The statistics are those of the whole data, and replicates of a model that made
// the data have them in their middle.
func TestCheck(t *testing.T) {
	e := newExample(40, 2, 2, 300, 3)
	checks, _, err := checked(t, e, gaussian)
	if err != nil || len(checks) != 4 {
		t.Fatalf("%d checks, %v", len(checks), err)
	}
	mean, squares := 0.0, 0.0
	for _, y := range e.data.Y {
		mean += y / 40
	}
	for _, y := range e.data.Y {
		squares += (y - mean) * (y - mean)
	}
	for i, want := range []float64{mean, math.Sqrt(squares / 39)} {
		if got := checks[i].Observed; math.Abs(got-want) > 1e-12 || checks[i].Replicates != 600 {
			t.Errorf("%s: %v of %d replicates, want %v", checks[i].Statistic, got, checks[i].Replicates, want)
		}
	}
	e.fit.kept, e.fit.bytes, e.fit.Workers = nil, 1, 16
	again, _, err := checked(t, e, gaussian)
	for i := range again {
		if err != nil || again[i] != checks[i] {
			t.Fatalf("blocks or workers change %+v to %+v, %v", checks[i], again[i], err)
		}
	}
	e.data.Y[3] += 50
	far, _, err := checked(t, e, gaussian)
	if err != nil || far[3].P != 0 || far[1].P != 0 || !strings.Contains(strings.Join(CheckWarnings(far), "\n"), "the maximum of the response") {
		t.Errorf("an outlier: %+v, %q, %v", far, CheckWarnings(far), err)
	}
	if words := CheckWarnings(checks); words != nil && checks[0].P > 0.01 && checks[0].P < 0.99 && strings.Contains(words[0], "mean") {
		t.Errorf("%q", words)
	}
}

// A statistic that no replicate reaches is reported first.
func TestCheckWarningsByWeight(t *testing.T) {
	words := CheckWarnings([]record.Check{{Words: "minimum", P: 0.001, Replicates: 1000}, {Words: "mean", P: 0.5},
		{Words: "maximum", P: 0, Replicates: 1000}, {Words: "share of zeros", P: 1, Replicates: 1000}, {P: math.NaN()}})
	if len(words) != 3 || !strings.Contains(words[0], "maximum of the response, 0, is above that of all 1000 sets of") ||
		!strings.Contains(words[1], "zeros of the response, 0, is below that of all 1000 sets of") ||
		!strings.Contains(words[2], "minimum of the response, 0, is above that of 99.9 % of") {
		t.Errorf("%q", words)
	}
}

// A row that counts three times is replicated three times; ties count by half; replicates outside the domain are
// left out.
func TestCheckCounts(t *testing.T) {
	e := newExample(3, 2, 1, 200, 3)
	e.data.Y = []float64{0, 1, 1}
	e.data.Frequency = []float64{3, 1, 1}
	e.scalars()
	checks, _, err := checked(t, e, glm.Family{Name: "bernoulli", Link: "logit"})
	if err != nil || len(checks) != 1 || checks[0].Observed != 0.4 || math.Abs(checks[0].P*400-math.Round(checks[0].P*400)) > 1e-9 {
		t.Errorf("%+v, %v", checks, err)
	}
	e.data.Y, e.data.Frequency = []float64{1, 2, 3}, nil
	checks, _, err = checked(t, e, glm.Family{Name: "poisson", Link: "sqrt"})
	if err != nil || checks[0].Replicates >= 200 || !strings.Contains(checks[0].Note, "of 200 replicates have no value") {
		t.Errorf("behind the wall: %+v, %v", checks, err)
	}
}

// Two of four replicates equal the data, one is above.
func TestTiesCountByHalf(t *testing.T) {
	of := func(y float64) sample {
		s := newSample(0, classes{0, 1, 1, 1})
		s.add(y, classes{0, 1, 1, 1})
		return s
	}
	observed := of(1)
	checks := compare(statisticsOf(glm.Family{Name: "bernoulli"}), &observed, []sample{of(1), of(2), of(1), of(0)})
	if checks[0].P != 0.5 || checks[0].Replicates != 4 {
		t.Errorf("%+v", checks[0])
	}
}

// checked are the checks that every fit has.
func checked(t *testing.T, e *example, family glm.Family) ([]record.Check, []record.Bin, error) {
	got, err := on(t, &e.fit, family, e.data, e.columns).Check(t.Context(), Wanted{}, stream)
	if err != nil {
		return nil, nil, err
	}
	return got.Checks, got.Bins, nil
}
