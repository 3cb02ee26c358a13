package report

import (
	"errors"
	"math"
	"strings"
	"testing"

	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// pixels is a fit of a 2 × 3 image whose third pixel is unknown, and whose last one the
// sampler does not draw.
func pixels(name string, p ...float64) *Fit {
	f := sampleFit("f-" + name)
	f.Dataset, f.Model, f.Sampler, f.Family, f.Verdict = "image", "ising", name, "mrf", judge.Verdict{Grade: judge.Pass}
	d := &Discrete{System: record.System{Variables: 6, Edges: 7, Labels: []string{"-1", "1"}, Rows: 2, Columns: 3,
		Interaction: "ising", LogZ: math.NaN(), BestLogLik: 5, BestChain: 1,
		Gated: true, ModelBytes: 100, ChainBytes: 50}, IDs: strings.Split("1,1 1,2 1,3 2,1 2,2 2,3", " "),
		Observation: []float64{-2, -1, math.NaN(), 1, 2, 0},
		Truth:       []int16{0, 0, -1, 1, 1, 1}, Best: []uint8{0, 1, 1, 1, 1, 1}}
	for _, v := range p {
		d.Probability, d.MCSE = append(d.Probability, 1-v, v), append(d.MCSE, 0.01, 0.01)
	}
	d.Certificates = []Certificate{{Method: "m", Bounded: "b", IDs: []string{"1,1"}, Variables: 1, Updates: 16,
		Bound: 0.1}, {Method: "n", Bounded: "b", Variables: 6, Bound: math.NaN(), Note: "open"}}
	f.Discrete = d
	return f
}

// SQL, the views and the page show the stored results of discrete variables.
func TestDiscreteVariablesAreStored(t *testing.T) {
	l := open(t, Options{})
	nan := math.NaN()
	store(t, l, pixels("a", 0.1, 0.6, 0.5, 0.75, 1, nan), pixels("b", 0.1, 0.6, 0.5, 0.9, 1, nan))
	for query, want := range map[string]int{
		"SELECT count(*) FROM variable": 12, "SELECT count(*) FROM marginal": 20,
		"SELECT count(*) FROM certificate WHERE bound IS NULL AND ids IS NULL":                                            2,
		"SELECT count(*) FROM variable WHERE observation IS NULL AND truth IS NULL":                                       2,
		"SELECT count(*) FROM marginals WHERE id = '2,1' AND image_row = 2 AND state = '1' AND true_state AND best_state": 2,
		"SELECT count(*) FROM reconstruction WHERE known = 5 AND abs(wrong_best - 0.2) < 1e-12 AND abs(wrong_marginal - " +
			"0.25) < 1e-12": 2,
		"SELECT count(*) FROM reconstruction WHERE sampler = 'a' AND abs(squared_error - (0.01 + 0.36 + 0.0625) / 4) < 1e-12": 1,
		"SELECT count(*) FROM marginal_comparison WHERE agreement = 'differ' AND compared = 10 AND abs(difference_max - " +
			"0.15) < 1e-12": 1,
		"SELECT count(*) FROM marginal_comparison WHERE abs(z_max - 0.15 / sqrt(0.0002 + (1.0 / (SELECT any_value(chains * " +
			"draws) FROM fit)) ** 2)) < 1e-9": 1,
	} {
		wantInt(t, l, want, query)
	}
	p, err := l.Page(t.Context(), PageOptions{Latest: true})
	must(t, err)
	d := p.Fits[0].Detail.Discrete
	if d == nil || len(d.Pictures) != 4 || d.Known != 5 || len(d.Proofs) != 2 || d.Proofs[0].Of != "1,1" ||
		d.Proofs[1].Of != "all 6 variables" {
		t.Fatalf("the page has %+v", d)
	}
	for _, pic := range d.Pictures {
		if pic.Alt == "" || !strings.HasPrefix(pic.Data, "data:image/png;base64,") || pic.Width != 3 || pic.Height != 2 {
			t.Errorf("picture %q: %q, %d × %d", pic.Title, pic.Alt, pic.Width, pic.Height)
		}
	}
	bad := pixels("c", 0.5)
	err = l.Write(t.Context(), func(s *Session) error { _, err := s.Fit(t.Context(), bad); return err })
	var shape *ShapeError
	if !errors.As(err, &shape) {
		t.Errorf("one probability of six variables: %v", err)
	}
}
