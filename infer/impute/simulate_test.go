package impute

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/infertest"
)

func problemOf(sim infer.Simulation) *Problem { return sim.Posterior.(*setup).problem }

// truthOf is a simulation as a truth of the study, with the cells and responses missing that r lacks.
func (s *study) truthOf(r *truth, sim infer.Simulation) *truth {
	p, t := problemOf(sim), *r
	t.u, t.v, t.w = slices.Clone(p.Columns[0].Data.Y), slices.Clone(p.Columns[1].Data.Y), p.Columns[2].Data.Y
	if s.noisy {
		t.measured = p.Columns[0].Data.Y
	}
	t.y = slices.Clone(r.y)
	for q, i := range p.Of {
		t.y[i] = p.Data.Y[q]
	}
	cells := sim.Position[len(sim.Position)-s.count()-len(r.unseen)-len(r.missU)-len(s.numbers(0))*len(r.missV):]
	for _, i := range r.missU {
		t.u[i], cells = cells[0], cells[1:]
	}
	for _, i := range r.missV {
		t.v[i], cells = s.stateV(cells), cells[len(s.numbers(0)):]
	}
	for q, i := range r.unseen {
		t.y[i] = cells[q]
	}
	return &t
}

// Simulated positions and data have the distribution of those that are drawn by definition, and the log likelihood of
// the position is that of the data. False alarms: at most 1e-6 a case, split over its statistics. Power: 1500 pairs
// put the limit at 0.11, so that a shift of a statistic by 0.3 of its standard deviation is seen.
func TestSimulatedAsDefined(t *testing.T) {
	for name, s := range map[string]study{
		"normal, product":  {family: gaussian, plain: true, code: product, unseen: true},
		"states, offset":   {family: bernoulli, offset: true, unseen: true},
		"levels":           {family: poisson, levels: true, unseen: true},
		"counts":           {family: gaussian, v: poisson},
		"measured":         {family: gaussian, noisy: true},
		"positive, groups": {family: gaussian, v: gamma, unseen: true, groups: []grouped{{levels: 4, slope: true, every: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s.n = 10
			r := s.draw(infer.NewStream(11, "pattern", name))
			setup, err := New(s.problem(r), nil)
			must(t, err)
			var by, defined [][]float64
			for i := range infertest.Scale(1500, 15_000) {
				sim, err := setup.(infer.Simulator).Simulate(infer.NewStream(11, "simulated", name, fmt.Sprint(i)))
				must(t, err)
				own := s.truthOf(r, sim)
				logLik, _ := s.density(own)(sim.Position)
				if !(math.Abs(logLik-sim.LogLik) <= 1e-9*max(1, math.Abs(logLik))) {
					t.Fatalf("log likelihood %v, want %v", sim.LogLik, logLik)
				}
				other := s.draw(infer.NewStream(11, "defined", name, fmt.Sprint(i)))
				other.missU, other.missV, other.unseen = r.missU, r.missV, r.unseen
				by, defined = append(by, s.withData(own, sim.Position)), append(defined, s.withData(other, s.theta(other)))
			}
			if largest, limit := distance(by, defined); !(largest < limit) {
				t.Errorf("distance %.4f, limit %.4f", largest, limit)
			} else {
				t.Logf("distance %.4f, limit %.4f", largest, limit)
			}
		})
	}
}

// Simulated data have observed states where cells are missing, and not those of the position.
func TestSimulatedDataLackCells(t *testing.T) {
	s := study{family: gaussian, plain: true, n: 10}
	r := s.draw(infer.NewStream(12, "pattern"))
	setup, err := New(s.problem(r), nil)
	must(t, err)
	sim, err := setup.(infer.Simulator).Simulate(infer.NewStream(12, "simulated"))
	must(t, err)
	p, own := problemOf(sim), s.truthOf(r, sim)
	for _, i := range r.missU {
		start := p.Columns[0].Data.Y[i]
		observed := slices.IndexFunc(own.u, func(u float64) bool { return u == start })
		if start == own.u[i] || observed < 0 {
			t.Errorf("cell %d begins at %v, and its value is %v", i+1, start, own.u[i])
		}
		if got := p.Data.X.(*design.Dense).Col(2)[i]; got != start {
			t.Errorf("cell %d has the entry %v, want %v", i+1, got, start)
		}
	}
	if len(r.missU) == 0 {
		t.Error("no cell is missing")
	}
}

// withData are the summaries of a position with those of the data, of how likely v is, and of how missing
// responses follow the effects of their levels.
func (s *study) withData(t *truth, theta []float64) []float64 {
	pu, pv, _, py := s.priors()
	at := len(py) + len(s.family.Dispersions())
	effects, scales := s.readEffects(theta[at:], theta[len(theta)-s.count():])
	b := theta[at+scales+len(pu)+1:]
	seen, products, unseen, likely := 0.0, 0.0, 0.0, 0.0
	for i, y := range t.y {
		seen += math.Asinh(y)
		products += t.u[i]*t.w[i] + t.v[i]*t.w[i]
		likely += s.vDensity(t.v[i], s.vEta(b[:len(pv)], t.x[i], t.u[i]), b[len(pv)])
	}
	for i, x := range t.measured {
		products += math.Abs(x - t.u[i])
	}
	for _, i := range t.unseen {
		unseen += math.Asinh(t.y[i]) * s.offsetOf(effects, i, t.x[i])
	}
	return append(s.summaries(t, theta), seen, products, t.y[0], t.w[1], likely, unseen)
}
