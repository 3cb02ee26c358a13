package transform

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

// golden is a design as R's model.matrix makes it; see make_model_matrix.R.
type golden struct {
	Data, Formula           string
	Levels                  map[string][]string
	Rows, Dropped           int
	Names                   []string
	Head                    [][]float64
	Sum, Weighted, Mean, SD []float64
	OffsetSum               float64 `json:"offset_sum"`
}

// The design equals R's model.matrix: its names, its first rows to the bit, and
// the sums of its columns, plain and weighted by the row's number, to 1e-13 of
// the sum of magnitudes (both sides add in different orders).
func TestModelMatrix(t *testing.T) {
	for _, g := range goldens(t) {
		d := mustBuild(t, classic(t, g.Data), g.Formula, Spec{Family: familyNamed(familyOf(g)), Missing: "drop", InterceptAt: "zero", Levels: g.Levels})
		if !slices.Equal(d.Data.Names, g.Names) || d.Rows != g.Rows || d.Dropped != g.Dropped {
			t.Errorf("%s, %s: %d rows (%d dropped), %q; want %d (%d), %q", g.Data, g.Formula, d.Rows, d.Dropped, d.Data.Names, g.Rows, g.Dropped, g.Names)
			continue
		}
		for j, name := range g.Names {
			x := d.Data.X.Col(j)
			plain, weighted, size := 0.0, 0.0, 0.0
			for i, v := range x {
				if i < len(g.Head) && v != g.Head[i][j] {
					t.Errorf("%s, %s: %s in row %d is %v, want %v", g.Data, g.Formula, name, i+1, v, g.Head[i][j])
				}
				plain += v
				weighted += float64(i+1) * v
				size += math.Abs(v)
			}
			if math.Abs(plain-g.Sum[j]) > 1e-13*size || math.Abs(weighted-g.Weighted[j]) > 1e-13*size*float64(g.Rows) {
				t.Errorf("%s, %s: %s sums to %v and %v, want %v and %v", g.Data, g.Formula, name, plain, weighted, g.Sum[j], g.Weighted[j])
			}
		}
		offset := 0.0
		for _, v := range d.Data.Offset {
			offset += v
		}
		if math.Abs(offset-g.OffsetSum) > 1e-12*math.Abs(g.OffsetSum) {
			t.Errorf("%s, %s: offsets sum to %v, want %v", g.Data, g.Formula, offset, g.OffsetSum)
		}
	}
}

// Centres and scales equal R's mean and sd to 1e-14 relative: 100 roundings,
// where R sums in long double.
func TestScalesMatchR(t *testing.T) {
	for _, g := range goldens(t) {
		d := mustBuild(t, classic(t, g.Data), g.Formula, Spec{Family: familyNamed(familyOf(g)), Missing: "drop", Standardize: "center_scale", Levels: g.Levels})
		for j, c := range d.Record.Columns {
			wantCentre, wantScale := g.Mean[j], g.SD[j]
			if c.Term < 0 {
				wantCentre, wantScale = 0, 1
			}
			if g.Names[0] != "(Intercept)" {
				wantCentre = 0 // nothing is centred without an intercept
			}
			if math.Abs(c.Centre-wantCentre) > 1e-14*math.Abs(wantCentre)+1e-15*wantScale || math.Abs(c.Scale-wantScale) > 1e-14*wantScale {
				t.Errorf("%s, %s: %s has centre %v and scale %v, want %v and %v", g.Data, g.Formula, c.Name, c.Centre, c.Scale, wantCentre, wantScale)
			}
		}
	}
}

func goldens(t *testing.T) []golden {
	t.Helper()
	src, err := os.ReadFile("../testdata/classic/model_matrix.json")
	if err != nil {
		t.Fatalf("golden: %v (run make_model_matrix.R)", err)
	}
	var all []golden
	must(t, json.Unmarshal(src, &all))
	if len(all) < 31 {
		t.Fatalf("%d golden matrices, want 31 at least", len(all))
	}
	return all
}

func familyOf(g golden) string {
	if g.Data == "pima_tr" || g.Data == "cowles" {
		return "bernoulli" // text responses
	}
	return "gaussian"
}
