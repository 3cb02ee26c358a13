package nuts

import (
	"math"
	"strconv"
	"testing"

	"glmbatch/infer"
)

// banana is the density of x ~ N(0, 1), y ~ N(x², 1), with its gradient.
func banana(u, grad []float64) float64 {
	x, y := u[0], u[1]
	rest := y - x*x
	grad[0], grad[1] = 2*x*rest-x, -rest
	return -0.5*x*x - 0.5*rest*rest
}

// innerMeans returns batch means of y, y², x and x·y over transitions, and their errors.
func innerMeans(density func(u, grad []float64) float64, step float64) (means, mcse [4]float64) {
	const batches, length = 100, 400
	m, stream, u := NewInner(2, density), infer.NewStream(3, "inner"), make([]float64, 2)
	var squares [4]float64
	for range batches {
		var sums [4]float64
		for range length {
			m.Move(stream, u, step)
			for i, f := range [4]float64{u[1], u[1] * u[1], u[0], u[0] * u[1]} {
				sums[i] += f / length
			}
		}
		for i, s := range sums {
			means[i] += s / batches
			squares[i] += s * s / batches
		}
	}
	for i := range mcse {
		mcse[i] = math.Sqrt((squares[i] - means[i]*means[i]) / (batches - 1))
	}
	return means, mcse
}

// Transitions leave the density as it is: E y = 1, E y² = 4, E x = 0, E xy = 0.
//
// False alarms: four means of 100 batches, 5.5 errors each: 2e-6. A gradient that is not that of the density loses draws and no law;
// a density that is another one is seen.
func TestInner(t *testing.T) {
	want := [4]float64{1, 4, 0, 0}
	off := func(means, mcse [4]float64) (most float64) {
		for i, w := range want {
			most = max(most, math.Abs(means[i]-w)/mcse[i])
		}
		return most
	}
	for _, step := range []float64{0.3, 0.9} {
		if means, mcse := innerMeans(banana, step); !(off(means, mcse) <= 5.5) {
			t.Errorf("steps of %v: means %v ± %v, want %v", step, means, mcse, want)
		}
	}
	narrow := func(u, grad []float64) float64 { return 1.2 * banana(u, grad) }
	if means, mcse := innerMeans(narrow, 0.3); !(off(means, mcse) > 5.5) {
		t.Errorf("another density was not seen: means %v ± %v", means, mcse)
	}
}

// A transition depends on where it begins and on the stream alone, and does nothing if the density is not a number.
func TestInnerHasNoState(t *testing.T) {
	used, fresh := NewInner(2, banana), NewInner(2, banana)
	u := []float64{0.5, -1}
	for range 10 {
		used.Move(infer.NewStream(1, "before"), u, 0.4)
	}
	one, other := []float64{0.3, 0.2}, []float64{0.3, 0.2}
	a, b := infer.NewStream(2, "inner"), infer.NewStream(2, "inner")
	for range 20 {
		if x, y := used.Move(a, one, 0.4), fresh.Move(b, other, 0.4); x != y || one[0] != other[0] || one[1] != other[1] {
			t.Fatalf("%v at %v of a used one, %v at %v of a fresh one", x, one, y, other)
		}
	}
	void := NewInner(1, func(_, grad []float64) float64 { grad[0] = 0; return math.Inf(-1) })
	at := []float64{2}
	if m := void.Move(a, at, 0.4); at[0] != 2 || m != (Moved{Gradients: 1}) {
		t.Errorf("%+v at %v where the density is 0", m, at)
	}
}

// Where the first leapfrog step turns, a transition is one proposal, which is accepted with probability min(1,
// e^(H₀ − H)): a Metropolis step, computed here from the same stream. So the standard normal density, up to a
// constant, is unchanged; a start whose energy H₀ is off by anything has other probabilities, which differ too
// little for the means of TestInner.
func TestInnerIsAMetropolisStep(t *testing.T) {
	const step, constant, exact = 1.9, -3.5, 1e-12
	normal := func(u, grad []float64) float64 { grad[0] = -u[0]; return constant - 0.5*u[0]*u[0] }
	m, turned, refused, lowered := NewInner(1, normal), 0, 0, 0
	for i := range 400 {
		from := 3 * math.Sin(float64(7*i))
		stream, same := infer.NewStream(5, "metropolis", strconv.Itoa(i)), infer.NewStream(5, "metropolis", strconv.Itoa(i))
		u, p := []float64{from}, make([]float64, 1)
		moved := m.Move(stream, u, step)
		unitMetric(1, false).draw(same, p)
		e := step
		if same.Float64() >= 0.5 {
			e = -e
		}
		half := p[0] - e/2*from
		to := from + e*half
		end := half - e/2*to
		if p[0]*(p[0]+end) > 0 && end*(p[0]+end) > 0 {
			continue // it continues
		}
		turned++
		ratio := (from*from + p[0]*p[0] - to*to - end*end) / 2
		want := math.Exp(min(0, ratio))
		if ratio < 0 {
			lowered++
		}
		if same.Float64() >= want {
			to = from
			refused++
		}
		if !(math.Abs(moved.Accept-want) <= exact) || !(math.Abs(u[0]-to) <= exact) || moved.Gradients != 2 {
			t.Fatalf("stream %d: from %v to %v with %+v, want %v, accepted with probability %v", i, from, u[0], moved, to, want)
		}
	}
	if turned < 200 || lowered < 50 || refused < 20 || refused == turned {
		t.Errorf("%d transitions are one proposal, %d of them to less density, %d refused: too few", turned, lowered, refused)
	}
}
