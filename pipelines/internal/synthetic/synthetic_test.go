package synthetic

import (
	"context"
	"encoding/csv"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"glmbatch/pipelines/internal/spec"
)

// table makes the data of s: the columns by name.
func table(t *testing.T, s spec.Synthetic) map[string][]float64 {
	t.Helper()
	if s.Relevant == 0 {
		s.Relevant = s.Columns
	}
	if s.Density == 0 {
		s.Density = 1
	}
	var text strings.Builder
	must(t, CSV(t.Context(), &text, s))
	records, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
	must(t, err)
	if len(records) != s.Rows+1 || len(records[0]) != s.Columns+1 {
		t.Fatalf("%d × %d cells, want %d × %d and a header", len(records), len(records[0]), s.Rows, s.Columns+1)
	}
	out := map[string][]float64{}
	for _, row := range records[1:] {
		for j, cell := range row {
			v, err := strconv.ParseFloat(cell, 64)
			must(t, err)
			out[records[0][j]] = append(out[records[0][j]], v)
		}
	}
	return out
}

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// The data of a seed stay what they are: fits made on them are in ledgers.
func TestCSVIsPinned(t *testing.T) {
	var text strings.Builder
	must(t, CSV(t.Context(), &text, spec.Synthetic{Rows: 2, Columns: 2, Relevant: 2, Seed: 1, Family: "bernoulli", Effect: 1, Density: 1}))
	const want = "y,x1,x2\n1,-0.6694736813766797,-0.2729679621493324\n0,0.170463029664925,-1.175764440918113\n"
	if text.String() != want {
		t.Errorf("the data are\n%q\nwant\n%q", text.String(), want)
	}
}

// Data of more columns hold those of fewer, and columns without an effect leave
// the response as it is.
func TestMoreColumnsAddToFewer(t *testing.T) {
	s := spec.Synthetic{Rows: 50, Columns: 3, Seed: 7, Family: "bernoulli", Effect: 1, Relevant: 2, Rest: "irrelevant"}
	few := table(t, s)
	s.Columns = 6
	for name, column := range few {
		if more := table(t, s); !equal(column, more[name]) {
			t.Errorf("%s is %v among 6 columns, %v among 3", name, more[name][:3], column[:3])
		}
	}
	s.Relevant = 6
	if equal(few["y"], table(t, s)["y"]) {
		t.Error("4 more columns with an effect leave y as it is")
	}
	s.Seed++
	if equal(few["x1"], table(t, s)["x1"]) {
		t.Error("two seeds give one x1")
	}
}

func TestRest(t *testing.T) {
	s := spec.Synthetic{Rows: 40, Columns: 4, Seed: 7, Family: "bernoulli", Effect: 1, Relevant: 2}
	made := map[string]map[string][]float64{}
	for _, s.Rest = range []string{"irrelevant", "collinear", "zero"} {
		made[s.Rest] = table(t, s)
	}
	x := made["irrelevant"]
	if equal(x["x3"], x["x1"]) || equal(x["x3"], x["x4"]) || equal(x["x3"], make([]float64, 40)) {
		t.Error("irrelevant columns are no noise of their own")
	}
	for _, name := range []string{"x3", "x4"} {
		if !equal(made["collinear"][name], x["x1"]) {
			t.Errorf("collinear: %s is not x1", name)
		}
		if !equal(made["zero"][name], make([]float64, 40)) {
			t.Errorf("zero: %s is not zero", name)
		}
	}
	for rest, columns := range made {
		if !equal(columns["y"], x["y"]) || !equal(columns["x2"], x["x2"]) {
			t.Errorf("%s: the rest touches y or x2", rest)
		}
	}
}

// With one relevant column y − noise is a line in x1, effect times one that
// does not depend on it: the noise is that of effect 0.
func TestResponseIsLinear(t *testing.T) {
	s := spec.Synthetic{Rows: 30, Columns: 2, Seed: 3, Family: "gaussian", Relevant: 1, Rest: "irrelevant"}
	noise := table(t, s)["y"]
	s.Effect = 1
	once := table(t, s)
	s.Effect = 3
	thrice := table(t, s)["y"]
	x, line := once["x1"], func(i int) float64 { return once["y"][i] - noise[i] }
	slope := (line(1) - line(0)) / (x[1] - x[0])
	for i := range noise {
		if want := line(0) + slope*(x[i]-x[0]); math.Abs(line(i)-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("row %d: eta is %v, the line %v", i+1, line(i), want)
		}
		if got := thrice[i] - noise[i]; math.Abs(got-3*line(i)) > 1e-12*(1+math.Abs(got)) {
			t.Errorf("row %d: eta of effect 3 is %v, of effect 1 %v", i+1, got, line(i))
		}
	}
}

// False alarms: 7 counts or sums at 5 standard deviations each, 4e-6 in all; the
// seed is fixed. Power: a density, mean or sd 4 % off is seen.
func TestColumnsHaveTheirLaw(t *testing.T) {
	const rows = 40_000
	s := spec.Synthetic{Rows: rows, Columns: 2, Seed: 11, Family: "poisson", Effect: 0, Density: 0.25}
	data := table(t, s)
	for _, name := range []string{"x1", "x2"} {
		n, sum, squares := 0.0, 0.0, 0.0
		for _, v := range data[name] {
			if v != 0 {
				n++
				sum += v
				squares += v * v
			}
		}
		if z := (n - rows/4) / math.Sqrt(rows*0.25*0.75); math.Abs(z) > 5 {
			t.Errorf("%s: %v of %d cells are not zero, z = %.1f", name, n, rows, z)
		}
		if z := sum / math.Sqrt(n); math.Abs(z) > 5 {
			t.Errorf("%s: mean %v, z = %.1f", name, sum/n, z)
		}
		if z := (squares - n) / math.Sqrt(2*n); math.Abs(z) > 5 {
			t.Errorf("%s: variance %v, z = %.1f", name, squares/n, z)
		}
	}
	sum := 0.0
	for _, y := range data["y"] {
		sum += y
	}
	if z := (sum - rows) / math.Sqrt(rows); math.Abs(z) > 5 { // exp(0) = 1
		t.Errorf("y has the mean %v, z = %.1f", sum/rows, z)
	}
}

func TestCountsBeyondBoundsAreRefused(t *testing.T) {
	s := spec.Synthetic{Rows: 20, Columns: 2, Relevant: 2, Family: "poisson", Effect: 500, Density: 1}
	err := CSV(t.Context(), &strings.Builder{}, s)
	if err == nil || !strings.Contains(err.Error(), "hint: lower effect (now 500)") {
		t.Errorf("the error is %v", err)
	}
}

// stopper ends a context with the first write to it.
type stopper struct {
	stop  func()
	bytes int
}

func (s *stopper) Write(p []byte) (int, error) {
	s.stop()
	s.bytes += len(p)
	return len(p), nil
}

// A run that is stopped does not wait for a large file.
func TestCSVStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := &stopper{stop: cancel}
	s := spec.Synthetic{Rows: 50_000, Columns: 2, Relevant: 2, Seed: 1, Family: "bernoulli", Effect: 1, Density: 1}
	if err := CSV(ctx, w, s); !errors.Is(err, context.Canceled) || w.bytes > 300_000 {
		t.Errorf("%d bytes of some 2,000,000 after the end: %v", w.bytes, err)
	}
	w.bytes = 0
	if err := CSV(ctx, w, s); !errors.Is(err, context.Canceled) || w.bytes > 0 {
		t.Errorf("%d bytes when the end was before: %v", w.bytes, err)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
