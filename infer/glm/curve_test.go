package glm

import (
	"math"
	"testing"

	"glmbatch/infer/design"
)

// eachCounted is eachFamily, at every second point with rows that count several times.
func eachCounted(t *testing.T, check func(t *testing.T, target *Target, theta []float64)) {
	points := 0
	eachFamily(t, func(t *testing.T, target *Target, theta []float64) {
		if points++; points%2 == 0 {
			data := *target.data
			data.Frequency = make([]float64, data.Rows())
			for i := range data.Frequency {
				data.Frequency[i] = float64(1 + i%3)
			}
			var err error
			target, err = NewTarget(&data, target.model)
			must(t, err)
		}
		check(t, target, theta)
	})
}

// rebase returns a target's likelihood on X times a fixed matrix, with the point
// of theta in its coordinates.
func rebase(t *Target, theta []float64) (*Target, []float64) {
	d, n := t.Cols(), t.Rows()
	b, u := design.NewDense(n, d), append([]float64(nil), theta...)
	for j := range d { // x_j + x_{j+1}/2, the last column as it is
		for i := range n {
			b.Col(j)[i] = t.data.X.Col(j)[i]
			if j+1 < d {
				b.Col(j)[i] += t.data.X.Col(j + 1)[i] / 2
			}
		}
		if j > 0 {
			u[j] = theta[j] - u[j-1]/2
		}
	}
	return t.Rebased(b, t.data.Offset), u
}

// The likelihood on another design is that of the original at the same eta, along
// a column, along a direction, and after moves.
func TestRebased(t *testing.T) {
	eachCounted(t, func(t *testing.T, target *Target, theta []float64) {
		other, u := rebase(target, theta)
		a, b := NewPoint(target), NewPoint(other)
		a.SetTheta(theta)
		b.SetTheta(u)
		agree := func(what string, x, y float64) {
			if !near(x, y, 1e-9) {
				t.Errorf("%s: %v, on the other design %v", what, x, y)
			}
		}
		agree("log likelihood", a.Value().LogLik, b.Value().LogLik)
		agree("dispersions' prior", a.LogPrior()-beta(target, theta), b.LogDispersionPrior())
		d := target.Cols()
		direction := &Direction{Beta: make([]float64, d), Eta: make([]float64, target.Rows())}
		direction.Beta[0] = 1 // x_0 + x_1/2
		copy(direction.Eta, other.data.X.Col(0))
		b.Direct(direction)
		const delta = 0.01
		one, two := b.Along(0, delta), b.AlongDirection(direction, delta)
		terms := 0.0
		for i, e := range b.Eta() {
			terms += b.RowTerm(i, e+delta*direction.Eta[i]) - b.RowTerm(i, e)
		}
		agree("row by row", terms, two.LogLik-b.Value().LogLik)
		agree("along a direction", one.LogLik, two.LogLik)
		b.MoveDirection(direction, delta, two)
		moved := append([]float64(nil), theta...)
		moved[0] += delta
		moved[1] += delta / 2
		a.SetTheta(moved)
		agree("moved", a.Value().LogLik, b.Value().LogLik)
		for i, e := range a.Eta() {
			agree("eta", e, b.Eta()[i])
		}
	})
}

// beta returns the log prior density of the coefficients.
func beta(t *Target, theta []float64) float64 {
	sum := 0.0
	for j, p := range t.model.Coefficients {
		sum += p.LogDensity(theta[j])
	}
	return sum
}

// Curves have the value of Along, and the slope and curvature of its differences;
// what a jump leaves behind is what a fresh pass gives.
func TestCurve(t *testing.T) {
	eachCounted(t, func(t *testing.T, target *Target, theta []float64) {
		p := NewPoint(target)
		p.SetTheta(theta)
		c := NewCurved(p)
		for j := range target.Cols() {
			const delta, h = 0.02, 1e-4
			got := c.AlongCurve(j, delta)
			value := func(x float64) float64 { return p.Along(j, x).LogLik }
			if want := value(delta); !near(got.LogLik, want, 1e-12) {
				t.Errorf("column %d: log likelihood %v, Along gives %v", j, got.LogLik, want)
			}
			slope := (value(delta+h) - value(delta-h)) / (2 * h)
			curvature := -(value(delta+h) - 2*value(delta) + value(delta-h)) / (h * h)
			if !near(got.Slope, slope, 1e-5) || !near(got.Curvature, curvature, 1e-4) {
				t.Errorf("column %d: slope %v and curvature %v, differences give %v and %v", j, got.Slope, got.Curvature, slope, curvature)
			}
			c.Jump(j, delta, got.Value)
			kept := c.Here(j)
			c.at = 0
			if again := c.Here(j); kept != again || math.IsNaN(again.Slope) {
				t.Errorf("column %d: after a jump %v, by a fresh pass %v", j, kept, again)
			}
		}
	})
}

// Families called log-concave have no negative curvature anywhere.
func TestLogConcave(t *testing.T) {
	eachFamily(t, func(t *testing.T, target *Target, theta []float64) {
		eta, curv := make([]float64, target.Rows()), make([]float64, target.Rows())
		p := NewPoint(target)
		p.SetTheta(theta)
		lowest := 0.0
		for e := -12.0; e <= 12; e += 0.25 {
			for i := range eta {
				eta[i] = e
			}
			if target.model.Family.PositiveEta() && e <= 0 {
				continue
			}
			target.RowCurvature(eta, p.Dispersions(), curv)
			for _, c := range curv {
				lowest = math.Min(lowest, c)
			}
		}
		if target.model.Family.LogConcave() && lowest < 0 {
			t.Errorf("%v: a curvature of %v", target.model.Family, lowest)
		}
	})
}
