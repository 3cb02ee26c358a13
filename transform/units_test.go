package transform

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// scalings are all ways to scale a design, with and without an intercept.
func scalings() []Spec {
	var all []Spec
	for _, standardize := range []string{"none", "center_scale", "max_abs"} {
		for _, at := range []string{"means", "zero"} {
			if standardize == "max_abs" && at == "means" {
				continue // refused: see TestMaxAbsNeverCentres
			}
			all = append(all, Spec{Standardize: standardize, InterceptAt: at})
		}
	}
	return all
}

// scaledTable has columns of very different sizes, a factor, a constant column
// and a repeated one.
func scaledTable(t testing.TB, rows int) arrow.Table {
	rng := rand.New(rand.NewPCG(7, 11))
	var y, big, small, shifted, constant []float64
	var flag []bool
	var group []string
	for range rows {
		y = append(y, rng.NormFloat64())
		big = append(big, 1e6*rng.NormFloat64())
		small = append(small, 1e-6*rng.ExpFloat64())
		shifted = append(shifted, 2000+rng.Float64())
		constant = append(constant, 4)
		flag = append(flag, rng.IntN(3) == 0)
		group = append(group, []string{"north", "south", "east", "west"}[rng.IntN(4)])
	}
	return makeTable(t, 0, col{name: "y", values: y}, col{name: "big", values: big}, col{name: "flag", values: flag},
		col{name: "small", values: small}, col{name: "group", values: group}, col{name: "shifted", values: shifted},
		col{name: "constant", values: constant}, col{name: "twin", values: shifted})
}

// The linear predictor of a position on the sampled design equals that of
// ToData's position on the raw design: an exact identity, held to 1e-12 of the
// sum of the magnitudes that are added.
func TestToDataKeepsTheLinearPredictor(t *testing.T) {
	table := scaledTable(t, 200)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, spec := range scalings() {
		for _, formula := range []string{"y ~ .", "y ~ . - 1", "y ~ group + big", "y ~ 1"} {
			t.Run(fmt.Sprintf("%s/%s/%s", spec.Standardize, spec.InterceptAt, formula), func(t *testing.T) {
				raw := mustBuild(t, table, formula, Spec{InterceptAt: "zero"})
				sampled := mustBuild(t, table, formula, spec)
				theta := make([]float64, sampled.Data.Cols()+1)
				for j := range theta {
					theta[j] = rng.NormFloat64()
				}
				data := slices.Clone(theta)
				sampled.Record.ToData(data)
				if data[len(data)-1] != theta[len(theta)-1] {
					t.Errorf("the dispersion became %v", data[len(data)-1])
				}
				for i := range sampled.Rows {
					want, _ := predictor(sampled, i, theta)
					got, size := predictor(raw, i, data)
					if math.Abs(got-want) > 1e-12*size {
						t.Fatalf("row %d: %v on the raw design, %v as sampled", i, got, want)
					}
				}
			})
		}
	}
}

// Draws that come by columns have the bits of ToData, position by position.
func TestColumnsToData(t *testing.T) {
	const draws = 5
	table := scaledTable(t, 50)
	rng := rand.New(rand.NewPCG(5, 6))
	for _, spec := range scalings() {
		for _, formula := range []string{"y ~ .", "y ~ . - 1", "y ~ 1"} {
			r := mustBuild(t, table, formula, spec).Record
			d := len(r.Columns) + 1
			want, got := make([][]float64, draws), make([][]float64, d)
			for j := range got {
				got[j] = make([]float64, draws)
			}
			for i := range want {
				want[i] = make([]float64, d)
				for j := range d {
					want[i][j] = rng.NormFloat64()
					got[j][i] = want[i][j]
				}
				r.ToData(want[i])
			}
			var moved []float64
			if r.Shifted() {
				moved = make([]float64, draws)
			}
			for j := 1; j < d; j++ {
				r.ColumnToData(j, got[j], moved)
			}
			r.ColumnToData(0, got[0], nil)
			r.InterceptToData(got[0], moved)
			for i := range want {
				for j := range d {
					if got[j][i] != want[i][j] {
						t.Fatalf("%v, %s: entry %d is %v, ToData made %v", spec, formula, j, got[j][i], want[i][j])
					}
				}
			}
		}
	}
}

// predictor returns row i of X·theta, and the sum of magnitudes in it.
func predictor(d *Design, i int, theta []float64) (eta, size float64) {
	for j := range d.Data.Cols() {
		term := d.Data.X.Col(j)[i] * theta[j]
		eta += term
		size += math.Abs(term)
	}
	return eta, size
}

// FromData undoes ToData to a few roundings of the numbers that are added.
func TestFromDataInvertsToData(t *testing.T) {
	table := scaledTable(t, 50)
	rng := rand.New(rand.NewPCG(3, 4))
	for _, spec := range scalings() {
		d := mustBuild(t, table, "y ~ .", spec)
		theta := make([]float64, d.Data.Cols()+1)
		for j := range theta {
			theta[j] = rng.NormFloat64()
		}
		back := slices.Clone(theta)
		d.Record.ToData(back)
		moved := 0.0
		for j, c := range d.Record.Columns {
			moved += math.Abs(c.Centre * back[j])
		}
		d.Record.FromData(back)
		for j := range theta {
			tolerance := 4e-16 * math.Abs(theta[j])
			if j == d.Data.Intercept {
				tolerance += 1e-15 * moved
			}
			if math.Abs(back[j]-theta[j]) > tolerance {
				t.Errorf("%s at %s: parameter %d came back as %v, was %v", spec.Standardize, spec.InterceptAt, j, back[j], theta[j])
			}
		}
	}
}

// Each scaling has the moments that it promises, and leaves alone what it must.
func TestScalesHaveTheirMoments(t *testing.T) {
	table := scaledTable(t, 300)
	for _, spec := range scalings() {
		for _, formula := range []string{"y ~ .", "y ~ . - 1"} {
			d := mustBuild(t, table, formula, spec)
			intercept := d.Data.Intercept == 0
			centred := intercept && (spec.Standardize == "center_scale" || spec.InterceptAt == "means")
			raw := mustBuild(t, table, formula, Spec{InterceptAt: "zero"})
			for j, c := range d.Record.Columns {
				x := d.Data.X.Col(j)
				mean, sd := meanAndSD(x)
				largest, _, constant := extent(x)
				name := fmt.Sprintf("%s at %s, %s: %s", spec.Standardize, spec.InterceptAt, formula, c.Name)
				if constant {
					if !slices.Equal(x, raw.Data.X.Col(j)) || c.Centre != 0 || c.Scale != 1 {
						t.Errorf("%s is constant and was changed", name)
					}
					continue
				}
				// A centre is a float64, so that a mean is 0 to half its last place.
				if (math.Abs(mean) < 1e-14*largest+0x1p-53*c.Centre/c.Scale) != centred {
					t.Errorf("%s has mean %v", name, mean)
				}
				if spec.Standardize == "center_scale" && math.Abs(sd-1) > 1e-14 {
					t.Errorf("%s has sd %v", name, sd)
				}
				if spec.Standardize == "max_abs" && largest != 1 {
					t.Errorf("%s has largest magnitude %v", name, largest)
				}
				if spec.Standardize == "none" && c.Scale != 1 {
					t.Errorf("%s has scale %v", name, c.Scale)
				}
			}
		}
	}
}

func TestMaxAbsNeverCentres(t *testing.T) {
	table := scaledTable(t, 20)
	spec := Spec{Formula: mustParse(t, "y ~ ."), Family: familyNamed("gaussian"), Standardize: "max_abs", InterceptAt: "means"}
	if _, err := Build(table, spec); err == nil || !strings.Contains(err.Error(), "at: zero") {
		t.Errorf("max_abs at means: error %v", err)
	}
	spec.InterceptAt = ""
	d, err := Build(table, spec)
	if err != nil || d.Record.InterceptAt != "zero" {
		t.Fatalf("max_abs: %v, %+v", err, d)
	}
	for i, v := range d.Data.X.Col(2) { // flag
		if v != 0 && v != 1 {
			t.Errorf("row %d of a dummy is %v", i, v)
		}
	}
	spec.Formula, spec.InterceptAt = mustParse(t, "y ~ . - 1"), "means"
	if _, err := Build(table, spec); err != nil {
		t.Errorf("without an intercept there is nothing to state: %v", err)
	}
}

// A record goes through JSON without losing a bit.
func TestRecordSurvivesJSON(t *testing.T) {
	for _, formula := range []string{"y | trials(n) ~ .", "y | trials(20) ~ . - 1", "y | trials(n) ~ offset(n) + group + offset(log(n))"} {
		for _, spec := range scalings() {
			spec.Family, spec.Levels = familyNamed("binomial"), map[string][]string{"group": {"west"}}
			d := mustBuild(t, countTable(t), formula, spec)
			text, err := json.Marshal(d.Record)
			must(t, err)
			if r, err := UnmarshalRecord(text); err != nil || !reflect.DeepEqual(r, d.Record) {
				t.Errorf("%s: %v: %+v became %+v", formula, err, d.Record, r)
			}
		}
	}
}

// countTable has successes, trials, a number and a factor.
func countTable(t testing.TB) arrow.Table {
	return makeTable(t, 0, col{name: "y", values: []int64{1, 0, 3, 2, 5, 4, 0, 1}}, col{name: "n", values: []int64{2, 3, 4, 5, 6, 7, 8, 9}},
		col{name: "x", values: []float64{0.1, 1.0 / 3, 2e-7, -1, 5, 0, 1e9, 3}},
		col{name: "group", values: []string{"west", "east", "north", "west", "east", "north", "west", "west"}})
}

func TestUnmarshalRecordRefuses(t *testing.T) {
	d := mustBuild(t, scaledTable(t, 30), "y ~ .", Spec{})
	good, err := json.Marshal(d.Record)
	must(t, err)
	if r, err := UnmarshalRecord(good); err != nil || !reflect.DeepEqual(r, d.Record) {
		t.Fatalf("%v: %+v became %+v", err, d.Record, r)
	}
	for old, new := range map[string]string{
		`"version":2`:     `"version":1`,
		`{"version"`:      `["version"`,
		`"variables":[0]`: `"variables":[7]`,
		`"term":1`:        `"term":70`,
		`"term":2`:        `"term":-1`,
		`"scale":1}`:      `"scale":0}`,
		`"response":{`:    `"response":[`,
		`"parts":[1]`:     `"parts":[3]`,
		`"parts":[0]`:     `"parts":[]`,
		`"treatment"`:     `"treat"`,
	} {
		bad := strings.Replace(string(good), old, new, 1)
		if bad == string(good) {
			t.Fatalf("the record has no %s: %s", old, good)
		}
		if _, err := UnmarshalRecord([]byte(bad)); err == nil {
			t.Errorf("%s in place of %s is accepted", new, old)
		}
	}
}
