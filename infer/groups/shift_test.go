package groups

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// grown has y ~ x * w + (1 + x | g), w constant within levels, all columns centred; the last level has one row.
func grown(n, levels int) (*glm.Data, glm.Model) {
	of, x := make([]int32, n), make([]float64, n)
	for i := range n {
		of[i], x[i] = int32(min(i%levels, levels-2)), float64(i/levels)
	}
	of[n-1] = int32(levels - 1)
	d := &glm.Data{X: design.NewDense(n, 4), Y: make([]float64, n), Names: []string{"(Intercept)", "x", "w", "x:w"},
		Penalised: glm.Penalised{Effects: []*design.Effects{{Grouping: design.NewGrouping(of, levels), Group: "g",
			Terms: []string{"Intercept", "x"}, Columns: [][]float64{nil, x}}}}}
	for l := range levels {
		d.Effects[0].Levels = append(d.Effects[0].Levels, string(rune('a'+l)))
	}
	columns := d.X.(*design.Dense)
	for i := range n {
		w := float64(of[i]%3) + 0.25
		columns.Col(0)[i], columns.Col(1)[i] = 1, x[i]/3-1.25
		columns.Col(2)[i], columns.Col(3)[i] = w-1.1, float64(w*x[i])-7.3
		d.Y[i] = math.Sin(float64(i * i))
	}
	model := glm.Model{Family: glm.Family{Name: "gaussian", Link: "identity"}, Dispersion: prior.Prior{Kind: prior.HalfNormal,
		Scale: 1}, Coefficients: slices.Repeat([]prior.Prior{{Kind: prior.Normal, Scale: 2}}, 4),
		Effects: []glm.EffectsPrior{{SD: slices.Repeat([]prior.Prior{{Kind: prior.HalfNormal, Scale: 1}}, 2), LKJ: 1}}}
	return d, model
}

// Each column of a product with what is constant within levels is Σ z·v there, centred or not, also where a level has
// fewer rows than terms; they are shifted together, and a column that is no such sum is not.
func TestShiftsOfProducts(t *testing.T) {
	data, model := grown(60, 6)
	s, err := newSetup(data, model, nil, Options{})
	must(t, err)
	b := s.blocks[0]
	if len(b.shifts) != 4 || len(b.together) != 1 || len(b.together[0].shifts) != 4 || b.alone != nil {
		t.Fatalf("%d shifts, together %d", len(b.shifts), len(b.together))
	}
	for _, shift := range b.shifts {
		for i, l := range b.of {
			got := math.FMA(b.z(1, i), shift.v[2*l+1], shift.v[2*l])
			if want := data.X.(*design.Dense).Col(shift.column)[i]; math.Abs(got-want) > 1e-11 {
				t.Fatalf("column %d, row %d: %v, want %v", shift.column, i, got, want)
			}
		}
	}
	data.X.(*design.Dense).Col(3)[7] += 1e-6
	if s, err = newSetup(data, model, nil, Options{}); err != nil || len(s.blocks[0].shifts) != 3 {
		t.Errorf("a column that is no sum has a shift: %v", err)
	}
}

// Equal columns cannot be shifted together: they are in turn. Their crosses are those of the vectors, whatever was tried
// before.
func TestShiftsThatDepend(t *testing.T) {
	for _, equal := range [][2]int{{3, 2}, {2, 1}} {
		data, model := grown(60, 6)
		copy(data.X.(*design.Dense).Col(equal[0]), data.X.(*design.Dense).Col(equal[1]))
		s, err := newSetup(data, model, nil, Options{})
		must(t, err)
		b := s.blocks[0]
		if len(b.together) != 2 || len(b.together[0].shifts) != 3 || len(b.together[1].shifts) != 1 {
			t.Fatalf("%d groups of shifts", len(b.together))
		}
		for _, all := range b.together {
			var want []float64
			for i, v := range all.shifts {
				for _, w := range all.shifts[:i+1] {
					cross := make([]float64, 4)
					b.crossed(v.v, w.v, cross)
					want = append(want, cross...)
				}
			}
			if !slices.Equal(all.cross, want) {
				t.Errorf("crosses of %d shifts are %v, want %v", len(all.shifts), all.cross, want)
			}
		}
	}
}

// The coefficient of a product moves as fast as others.
func TestProductsMove(t *testing.T) {
	data, model := grown(240, 12)
	s, err := newSetup(data, model, nil, Options{})
	must(t, err)
	k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(3, "products")})
	must(t, err)
	theta, last, sum, square, lagged := make([]float64, len(s.Parameters())), 0.0, 0.0, 0.0, 0.0
	const draws = 2000
	for i := range draws + 100 {
		if _, err := k.Step(); err != nil {
			t.Fatal(err)
		}
		k.Position(theta)
		if i >= 100 {
			sum, square, lagged = sum+theta[3], math.FMA(theta[3], theta[3], square), math.FMA(theta[3], last, lagged)
		}
		last = theta[3]
	}
	mean := sum / draws
	if rho := (lagged/draws - mean*mean) / (square/draws - mean*mean); rho > 0.5 {
		t.Errorf("the autocorrelation of the product's coefficient is %.2f", rho)
	}
}
