package cggibbs

import (
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
)

// Rows with precisions.
//
// False alarms: at most 1e-6 for each of 5 checks. Power: as TestFamilyInvariance;
// the planted fault, precisions of 1, is seen with 1000 pairs. The quick form takes
// two cases.
func TestPrecisionInvariance(t *testing.T) {
	seed := infertest.Seed(t)
	for i, c := range infertest.WeightedCases() {
		if i%infertest.Scale(3, 1) != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			infertest.Invariance(t, infertest.Check{Case: c, Sampler: sampler(Options{}), Seed: seed, Steps: infertest.Scale(2, 3), Pairs: infertest.Scale(460, 20_000)})
		})
		if i%infertest.Scale(5, 1) == 0 {
			t.Run(c.Name+"/ignored", func(t *testing.T) {
				infertest.MustReject(t, func(tb infertest.TB) {
					infertest.Invariance(tb, infertest.Check{Case: c, Sampler: infertest.WithoutPrecision(sampler(Options{})), Seed: 1,
						Steps: infertest.Scale(3, 5), Pairs: infertest.Scale(1000, 20_000)})
				})
			})
		}
	}
}

// Rows with precisions and frequencies keep the contract.
func TestWeightedConformance(t *testing.T) {
	for _, c := range infertest.WeightedCases() {
		c.Data.Frequency = []float64{1, 2, 1, 3, 1, 1, 4, 1, 2}
		t.Run(c.Name, func(t *testing.T) {
			_, target, err := c.Simulate(infer.NewStream(5, "conform", c.Name))
			must(t, err)
			infertest.Conformance(t, target, sampler(Options{RefreshEvery: 3}))
		})
	}
}
