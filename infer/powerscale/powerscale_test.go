package powerscale

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

func table(t *testing.T, name string) (head []string, rows [][]string) {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "testdata", "powerscale", name))
	if err != nil {
		t.Fatalf("%v (make it: cd testdata/powerscale && Rscript make_golden.R)", err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	must(t, err)
	return all[0], all[1:]
}

func column(t *testing.T, name string) []float64 {
	t.Helper()
	head, rows := table(t, "draws.csv")
	at := slices.Index(head, name)
	out := make([]float64, len(rows))
	for i, r := range rows {
		v, err := strconv.ParseFloat(r[at], 64)
		must(t, err)
		out[i] = v
	}
	return out
}

// Sensitivities are those of the paper's definitions as R computes them, which loses half of the digits of distances,
// and those of smoothed weights to a thirtieth.
func TestSensitivitiesEqualR(t *testing.T) {
	s, err := New(column(t, "log_prior"), column(t, "log_lik"))
	must(t, err)
	_, golden := table(t, "golden.csv")
	for _, row := range golden {
		var want [4]float64
		for i := range want {
			want[i], _ = strconv.ParseFloat(row[1+i], 64)
		}
		got := s.Of(column(t, row[0]))
		for i, v := range []float64{got.Prior, got.Likelihood} {
			if !(math.Abs(v-want[i]) <= 1e-8*want[i]) || !(math.Abs(v-want[2+i]) <= 3e-2*want[2+i]) {
				t.Errorf("%s, %d: %.12g, R has %.12g, smoothed %.6g", row[0], i, v, want[i], want[2+i])
			}
		}
	}
}

// A flat prior moves nothing, neither a unit nor a reflection changes a number, and what cannot be measured says so.
func TestSensitivityIdentities(t *testing.T) {
	prior, lik, mu := column(t, "log_prior"), column(t, "log_lik"), column(t, "mu")
	s, err := New(make([]float64, len(mu)), lik)
	must(t, err)
	flat := s.Of(mu)
	if flat.Prior > 1e-6 || flat.Likelihood < 0.01 {
		t.Errorf("under a flat prior: %+v", flat)
	}
	turned := make([]float64, len(mu))
	for i, x := range mu {
		turned[i] = 3 - 1000*x
	}
	if s, err = New(prior, lik); err != nil {
		t.Fatal(err)
	}
	a, b := s.Of(mu), s.Of(turned)
	if math.Abs(a.Prior-b.Prior) > 1e-9 || math.Abs(a.Likelihood-b.Likelihood) > 1e-9 {
		t.Errorf("turned over and in another unit: %+v, before %+v", b, a)
	}
	same := slices.Repeat([]float64{2}, len(mu))
	if got := s.Of(same); !math.IsNaN(got.Prior) {
		t.Errorf("of draws that are all equal: %+v", got)
	}
	turned[7] = math.Inf(1)
	if got := s.Of(turned); !math.IsNaN(got.Likelihood) {
		t.Errorf("with a draw that is infinite: %+v", got)
	}
	prior[3] = math.NaN()
	if _, err := New(prior, lik); err == nil {
		t.Error("a log prior that is NaN is no error")
	}
	if _, err := New(lik[:1], lik); err == nil {
		t.Error("densities of other numbers of draws are no error")
	}
}

func BenchmarkOf(b *testing.B) {
	x := make([]float64, 4000)
	for i := range x {
		x[i] = math.Sin(float64(i * i))
	}
	s, err := New(x, x)
	must(b, err)
	for b.Loop() {
		s.Of(x)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
