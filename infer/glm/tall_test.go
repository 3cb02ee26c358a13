package glm

import (
	"math"
	"slices"
	"sync"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// tallData are rows of an intercept and three columns with responses of a family.
func tallData(name string, rows int) (*Data, Model) {
	const d = 4
	s := infer.NewStream(7, "tall", name)
	data := &Data{X: design.NewDense(rows, d), Intercept: 0, Y: make([]float64, rows)}
	x := data.X.(*design.Dense)
	for i := range rows {
		eta := 0.0
		for j := range d {
			x.Col(j)[i] = 1
			if j > 0 {
				x.Col(j)[i] = variate.Normal(s)
			}
			eta += float64(0.4*float64(j)-0.5) * x.Col(j)[i]
		}
		switch name {
		case "bernoulli":
			if s.Float64() < vec.Logistic(eta) {
				data.Y[i] = 1
			}
		case "gaussian":
			data.Y[i] = eta + variate.Normal(s)
		case "gamma":
			data.Y[i] = vec.Exp(eta) * variate.Gamma(s, 2) / 2
		default:
			for p, l := s.Float64(), vec.Exp(-vec.Exp(eta)); p > l; p *= s.Float64() {
				data.Y[i]++
			}
		}
	}
	f, err := family.Parse(name, "")
	if err != nil {
		panic(err)
	}
	m := Model{Family: f, Dispersion: prior.Prior{Kind: prior.Exponential, Rate: 1}}
	for range d {
		m.Coefficients = append(m.Coefficients, prior.Prior{Kind: prior.Normal, Scale: 2.5})
	}
	m.Coefficients[2] = prior.Prior{Kind: prior.Flat}
	return data, m
}

// A step of Newton's from the penalised point of tall data, by sums that know nothing of parts, gains next to nothing,
// and the information that is kept of it is that of the point.
func TestTallPenalisedPoint(t *testing.T) {
	for _, family := range []string{"bernoulli", "poisson", "gaussian", "gamma"} {
		data, model := tallData(family, 70_001)
		target, err := NewTarget(data, model)
		must(t, err)
		p, d := target.pilot, data.Cols()
		gram, g, step, rows := make([]float64, d*d), make([]float64, d), make([]float64, d), make([]float64, data.Rows())
		p.product()
		target.RowInformation(p.eta, p.disp.at[:], p.curv)
		design.WeightedGram(data.X, p.curv, make([]float64, data.Rows()), gram)
		for i, v := range gram {
			if got := target.PenalisedInformation()[i]; math.Abs(got-v) > 0.01*gram[i/d*d+i/d] {
				t.Errorf("%s: information %d is %v, at the point %v", family, i, got, v)
			}
		}
		target.RowGradient(p.eta, p.disp.at[:], rows)
		design.Transposed(data.X, rows, g)
		p.slopes(0, g)
		copy(step, g)
		for j, r := range p.ridge {
			gram[j*d+j] += r
		}
		mustFactor(gram, d).Solve(step)
		if gain := 0.5 * vec.Dot(g, step); !(gain < 1e-5) {
			t.Errorf("%s: a step from the penalised point gains %v", family, gain)
		}
	}
}

// The penalised point of tall logistic data takes few readings of all rows: two, and those of an eighth and less.
// Without levels it was two for each of some five steps, and one more for each column of each.
func TestTallReadings(t *testing.T) {
	data, model := tallData("bernoulli", 140_000)
	model.Coefficients[2].Kind, model.Coefficients[2].Scale = prior.Normal, 1
	readings := 0
	_, err := NewTargetBy(func(parts int, do func(int)) {
		readings++
		for i := range parts {
			do(i)
		}
	}, data, model)
	must(t, err)
	if readings < 3 || readings > 12 {
		t.Errorf("%d readings of rows, coarse levels among them; 3 to 12 expected", readings)
	}
}

// How many parts go at a time, and which first, changes no bit of a tall target.
func TestTallBits(t *testing.T) {
	backwards := func(parts int, do func(int)) {
		for i := parts - 1; i >= 0; i-- {
			do(i)
		}
	}
	atOnce := func(parts int, do func(int)) {
		var all sync.WaitGroup
		for i := range parts {
			all.Go(func() { do(i) })
		}
		all.Wait()
	}
	for _, family := range []string{"bernoulli", "gamma"} {
		data, model := tallData(family, 40_000)
		var want []float64
		for _, by := range []infer.Parallel{nil, backwards, atOnce} {
			target, err := NewTargetBy(by, data, model)
			must(t, err)
			got := append(target.Penalised(), target.PenalisedInformation()...)
			u, logLiks := make([]float64, 3*target.Dim()), make([]float64, 3)
			NewBatch(target.Vectorised(), by).LogLiks(u, logLiks)
			start, _ := target.Start(infer.Chain{Stream: infer.NewStream(1, "start"), Count: 2})
			got = append(append(got, logLiks...), start...)
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, one part after the other %v", family, got, want)
			}
		}
	}
}

// Few rows that are separated, so that they have no point near which that of all rows lies, lead nowhere else.
func TestTallCoarseRowsSeparated(t *testing.T) {
	data, model := tallData("bernoulli", 70_000)
	x := data.X.(*design.Dense)
	for i := range data.Y {
		if i/pieceRows%coarsening == 0 {
			data.Y[i] = 0
			if x.Col(1)[i] > 0 {
				data.Y[i] = 1
			}
		}
	}
	for j := range model.Coefficients {
		model.Coefficients[j] = prior.Prior{Kind: prior.Normal, Scale: 1e6}
	}
	target, err := NewTarget(data, model)
	must(t, err)
	p, g, rows := target.pilot, make([]float64, 4), make([]float64, len(data.Y))
	p.product()
	target.RowGradient(p.eta, p.disp.at[:], rows)
	design.Transposed(data.X, rows, g)
	for j, v := range g {
		if math.Abs(v) > 1 { // standard deviations of these sums are about 90
			t.Errorf("the gradient along coefficient %d is %v", j, v)
		}
	}
}
