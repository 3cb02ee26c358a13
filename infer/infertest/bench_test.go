package infertest

import (
	"strconv"
	"testing"

	"glmbatch/infer"
)

// BenchmarkSimulate is the cost of one replication without its chain.
func BenchmarkSimulate(b *testing.B) {
	for _, c := range Cases() {
		b.Run(c.Name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				theta, target, err := c.Simulate(infer.NewStream(1, "bench", strconv.Itoa(i)))
				if err != nil {
					b.Fatal(err)
				}
				evaluate(target, theta)
			}
		})
	}
}
