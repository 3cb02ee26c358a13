package report

import (
	"reflect"
	"testing"
)

// The simulations of a calibration are read as they were stored, and those that the ledger has are not stored again.
func TestCalibrationIsRead(t *testing.T) {
	l := open(t, Options{})
	c := &Calibration{Key: Key{Dataset: "d", Model: "m", Sampler: "s"}, ID: "c", Given: "prior", Seed: 1 << 63, Wanted: 3,
		Draws: 9, Updated: night, Parameters: []string{"a", "b"}, Simulations: []Simulation{
			{Index: 0, Outcome: Ranked, Iterations: 100, Mixed: true, Ranks: []int{0, 9}},
			{Index: 1, Outcome: "overflow", AllEqual: true, Redrawn: 4, Note: "too large"},
		}}
	for range 2 {
		must(t, l.Write(t.Context(), func(s *Session) error { return s.Calibration(t.Context(), c) }))
		got, err := l.Simulations(t.Context(), "c", c.Parameters)
		must(t, err)
		if !reflect.DeepEqual(got, c.Simulations) {
			t.Errorf("read as %+v", got)
		}
		c.Simulations = append(c.Simulations, Simulation{Index: 2, Outcome: "refused"})
		c.Simulations = c.Simulations[:3]
	}
	wantInt(t, l, 1, "SELECT count(*) FROM calibration WHERE seed = 9223372036854775808 AND pipeline IS NULL AND simulations = 3")
	wantInt(t, l, 3, "SELECT count(*) FROM calibration_simulation WHERE note IS NULL = (simulation <> 2)")
	wantInt(t, l, 11, "SELECT sum(simulation + rank)::BIGINT FROM calibration_rank")
}
