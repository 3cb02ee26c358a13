package spec

import (
	"path"
	"testing"

	"glmbatch/infer/glm"
	"glmbatch/transform"
)

func TestNearest(t *testing.T) {
	keys := []string{"formula", "family", "standardize", "missing"}
	for name, want := range map[string]string{
		"familly": "family", "Family": "family", "standardise": "standardize", "fromula": "formula", "x": "", "fm": "", "prior": "", "family": "",
	} {
		if got := nearest(name, keys); got != want {
			t.Errorf("nearest to %q: %q, want %q", name, got, want)
		}
	}
}

// TestMatch compares globs with path.Match, which agrees where no name holds a
// slash, bracket or backslash: exhaustively for short patterns over two letters.
func TestMatch(t *testing.T) {
	patterns := words("ab*?", 4)
	names := words("ab", 4)
	for _, p := range patterns {
		for _, n := range names {
			want, err := path.Match(p, n)
			if err != nil {
				t.Fatal(err)
			}
			if got := transform.GlobMatch(p, n); got != want {
				t.Fatalf("%q on %q: %t, want %t", p, n, got, want)
			}
		}
	}
	if !transform.GlobMatch("x[1]*", "x[1]/\\") || !transform.GlobMatch("a:b*", "a:bé") || !transform.GlobMatch("?", "é") {
		t.Error("brackets, slashes and accents are letters")
	}
}

// words lists every word over letters of length 0 to n.
func words(letters string, n int) []string {
	list := []string{""}
	for from := 0; n > 0; n-- {
		to := len(list)
		for _, w := range list[from:to] {
			for _, c := range letters {
				list = append(list, w+string(c))
			}
		}
		from = to
	}
	return list
}

// TestPriorFor checks that the more exact pattern wins, whatever the order.
func TestPriorFor(t *testing.T) {
	normal := func(scale float64) CoefficientPrior {
		return CoefficientPrior{glm.Prior{Kind: glm.Normal, Scale: scale}}
	}
	p := Priors{Coefficients: normal(1), ByName: []*NamedPrior{
		{"*", normal(2)}, {"race*", normal(3)}, {"raceblack", normal(4)}, {"ra*", normal(5)}, {"race????e", normal(6)}, {"*a*", normal(7)}, {"x*", normal(8)}, {"*x", normal(9)},
	}}
	for name, want := range map[string]float64{
		"age": 7, "race": 3, "raceblack": 4, "racewhite": 6, "racier": 5, "b": 2, "x1": 8, "fx": 9, "xx": 8,
	} {
		if got := p.For(name).Scale; got != want {
			t.Errorf("%s: prior %g, want %g", name, got, want)
		}
	}
	p.ByName = nil
	if got := p.For("age").Scale; got != 1 {
		t.Errorf("without by_name: %g", got)
	}
}
