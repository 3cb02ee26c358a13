package outcome

import "testing"

// TestTook: no fit took 0.00 seconds.
func TestTook(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0.00", 0.000212: "0.00021", 0.0046: "0.0046", 0.0346: "0.035", 0.0949: "0.095", 0.0951: "0.10", 0.16: "0.16", 312.456: "312.46",
	} {
		if got := (&Result{Seconds: seconds}).Took(); got != want {
			t.Errorf("%v seconds are %q, want %q", seconds, got, want)
		}
	}
}
