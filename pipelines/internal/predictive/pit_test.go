package predictive

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"glmbatch/infer/glm"
)

// Uniform values leave the band in 5 % of samples: 4,000 of them, six standard errors.
func TestBandCovers(t *testing.T) {
	for _, n := range []int{5, 54, 300} {
		points := min(pitPoints, n)
		gamma := bandLevel(n, points, 0.95)
		r, left := rand.New(rand.NewPCG(3, 4)), 0
		p := &pit{values: make([][]float64, 1)}
		for range 4000 {
			p.values[0] = p.values[0][:0]
			for range n {
				p.values[0] = append(p.values[0], r.Float64())
			}
			slices.Sort(p.values[0])
			for k := 1; k < points; k++ {
				z := float64(k) / float64(points)
				count, _ := slices.BinarySearch(p.values[0], z)
				if low, high := binomialRange(n, z, gamma); count < low || count > high {
					left++
					break
				}
			}
		}
		// counts are whole, so that the cover is 95 % or somewhat more
		if share := float64(left) / 4000; share > 0.05+6*math.Sqrt(0.05*0.95/4000) || share < 0.02 {
			t.Errorf("%d values: %v of samples leave the band", n, share)
		}
		if inside := staysWithin(n, points, gamma); inside < 0.95 || math.Abs(1-inside-float64(left)/4000) > 6*math.Sqrt(0.05/4000) {
			t.Errorf("%d values: the probability of staying is %v, and %d of 4000 leave", n, inside, left)
		}
	}
}

// Where all draws are alike leaving a row out changes nothing: the transforms are the distribution function, and for
// whole numbers a place between those of the number and of the one below.
func TestTransforms(t *testing.T) {
	e := newExample(50, 2, 2, 100, 3)
	for _, column := range e.beta {
		for s := range column {
			column[s] = column[0]
		}
	}
	got, err := on(t, &e.fit, gaussian, e.data, e.columns).LeaveOneOut(t.Context(), stream)
	if err != nil || len(got.PIT) != pitPoints-1 {
		t.Fatalf("%+v, %v", got.PIT, err)
	}
	eta := e.data.Offset[7] + e.beta[0][0] + e.beta[1][0]*(e.data.X.Col(1)[7]*e.columns[1].Scale+e.columns[1].Centre)
	if want := 0.5 * math.Erfc(-(e.data.Y[7]-eta)/e.beta[2][0]/math.Sqrt2); math.Abs(got.Rows[7].PIT-want) > 1e-12 {
		t.Errorf("row 7: %v, want %v", got.Rows[7].PIT, want)
	}
	for i := range e.data.Y {
		e.data.Y[i] = float64(i % 3)
	}
	e.scalars()
	got, err = on(t, &e.fit, glm.Family{Name: "poisson", Link: "log"}, e.data, e.columns).LeaveOneOut(t.Context(), stream)
	must(t, err)
	mean := math.Exp(eta)
	below, at := math.Exp(-mean), mean*math.Exp(-mean) // of row 7, whose count is 1
	if v := (got.Rows[7].PIT - below) / at; v < 0 || v > 1 {
		t.Errorf("row 7: %v is not between %v and %v", got.Rows[7].PIT, below, below+at)
	}
}

// Responses that a model made have transforms within the band; those of too small a dispersion leave it at both ends.
func TestTransformsTellMisfit(t *testing.T) {
	for _, narrow := range []float64{1, 3} {
		e := newExample(400, 2, 2, 200, 3)
		r := rand.New(rand.NewPCG(5, 6))
		for j, column := range e.beta {
			for s := range column {
				column[s] = 0.05 * r.NormFloat64()
				if j == 2 {
					column[s] = 1 / narrow
				}
			}
		}
		for i := range e.data.Y {
			e.data.Y[i] = e.data.Offset[i] + r.NormFloat64()
		}
		got, err := on(t, &e.fit, gaussian, e.data, e.columns).LeaveOneOut(t.Context(), stream)
		must(t, err)
		first, last, left := got.PIT[0], got.PIT[len(got.PIT)-1], 0
		for _, p := range got.PIT {
			if p.ECDF < p.Low || p.ECDF > p.High {
				left++
			}
		}
		if narrow == 1 && left > 0 || narrow > 1 && !(first.ECDF > first.High && last.ECDF < last.Low) {
			t.Errorf("a dispersion %v times too small: %d points are outside: %+v … %+v", narrow, left, first, last)
		}
	}
}
