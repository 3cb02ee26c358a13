package diag_test

import (
	"fmt"
	"math/rand/v2"

	"glmbatch/infer/diag"
)

// Two chains agree, the third explores somewhere else.
func ExampleWorkspace_Summarize() {
	rng := rand.New(rand.NewPCG(1, 2))
	chains := make([][]float64, 3)
	for c := range chains {
		for range 500 {
			chains[c] = append(chains[c], rng.NormFloat64())
		}
	}
	w := diag.NewWorkspace()
	good := w.Summarize(chains)
	for i := range chains[2] {
		chains[2][i] += 1
	}
	bad := w.Summarize(chains)
	fmt.Printf("together: R-hat %.2f, bulk ESS %.0f\n", good.RHat, good.ESSBulk)
	fmt.Printf("apart:    R-hat %.2f, bulk ESS %.0f\n", bad.RHat, bad.ESSBulk)
	// Output:
	// together: R-hat 1.00, bulk ESS 1593
	// apart:    R-hat 1.13, bulk ESS 17
}
