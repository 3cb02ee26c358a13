package mrf

import (
	"fmt"
	"syscall"
	"testing"

	"glmbatch/infer"
)

// compare ns/update with the 12.65 µs per Gibbs step of Mitliagkas and Mackey
// (2017), section 5; their machine is not this one.
func BenchmarkStep(b *testing.B) {
	for _, side := range []int{100, 1000} {
		n := side * side
		edges := Grid(side, side, 0.3)
		links, states := make([]TableEdge, len(edges)), make([]int, n)
		for e, v := range edges {
			links[e] = TableEdge{v.I, v.J, 0}
		}
		for i := range states {
			states[i] = 3
		}
		for _, c := range []struct {
			kind string
			m    Model
			o    Options
		}{
			{"binary/scan=systematic", must(b)(NewBinary(make([]float64, n), edges)), Options{}},
			{"binary/scan=random", must(b)(NewBinary(make([]float64, n), edges)), Options{Scan: Random}},
			{"tables/states=3/scan=systematic", must(b)(NewTables(states, make([]float64, 3*n), []Table{Potts(3, 0.5)}, links)), Options{}},
		} {
			b.Run(fmt.Sprintf("kind=%s/n=%d", c.kind, n), func(b *testing.B) {
				k := start(b, c.m, c.o, infer.NewStream(1, "bench"))
				b.ResetTimer()
				before := processor()
				for range b.N {
					_, _ = k.Step()
				}
				b.ReportMetric((processor()-before)/float64(b.N)/float64(n), "cpu-ns/update")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/update")
				b.ReportMetric(float64(c.m.Bytes())/float64(n), "bytes/variable")
			})
		}
	}
}

func BenchmarkNewBinary(b *testing.B) {
	field, edges := make([]float64, 1_000_000), Grid(1000, 1000, 0.3)
	for range b.N {
		_, _ = NewBinary(field, edges)
	}
}

// processor returns the processor time of this process in ns, which other
// processes disturb less than the clock.
func processor() float64 {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return float64(r.Utime.Nano() + r.Stime.Nano())
}
