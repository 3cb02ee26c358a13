package variate

import (
	"math"
	"testing"

	"glmbatch/internal/vec"
)

// A draw is the same whatever range it is asked for with.
func TestNormalsAtIsRandomAccess(t *testing.T) {
	all := make([]float64, 20)
	NormalsAt(5, 7, 0, all)
	for first := range all {
		for last := first; last <= len(all); last++ {
			part := make([]float64, last-first)
			NormalsAt(5, 7, first, part)
			for i, v := range part {
				if v != all[first+i] {
					t.Fatalf("draw %d asked for from %d on is %v, want %v", first+i, first, v, all[first+i])
				}
			}
		}
	}
	other := make([]float64, 1)
	for _, c := range [][2]uint64{{5, 8}, {6, 7}} {
		if NormalsAt(c[0], c[1], 0, other); other[0] == all[0] {
			t.Errorf("key %d, line %d give the draw of 5, 7", c[0], c[1])
		}
	}
}

// False alarms: below 1e-6 (six standard deviations of four moments of 200,000
// draws, and the correlation of neighbours in j and line).
func TestNormalsAtMoments(t *testing.T) {
	const lines, width = 400, 500
	var sums, sizes [6]float64
	before := make([]float64, width)
	row := make([]float64, width)
	for line := range lines {
		NormalsAt(11, uint64(line), 0, row)
		for j, x := range row {
			for k, v := range []float64{x, x*x - 1, x * x * x, x*x*x*x - 3, x * row[(j+1)%width], x * before[j]} {
				sums[k] += v
				sizes[k] += v * v
			}
		}
		copy(before, row)
	}
	for k := range sums {
		if z := sums[k] / math.Sqrt(sizes[k]); math.Abs(z) > 6 {
			t.Errorf("statistic %d is off by %.1f standard deviations", k, z)
		}
	}
}

// Chunks of quantiles have the bits of Quantile, at the seams of its branches too.
func TestQuantiles(t *testing.T) {
	var p []float64
	for i := range 1000 {
		p = append(p, vec.Midpoint(uint64(i)*0x9E3779B97F4A7C15), vec.Midpoint(uint64(i)<<12), vec.Midpoint(^uint64(i<<12)))
	}
	for _, seam := range []float64{0.075, 0.925, 0.5} {
		p = append(p, seam, math.Nextafter(seam, 0), math.Nextafter(seam, 1))
	}
	got := append([]float64(nil), p...)
	kernels.NormalQuantile(got, got)
	for i, x := range p {
		if want := Quantile(x); got[i] != want {
			t.Errorf("quantile of %v is %v, want %v", x, got[i], want)
		}
	}
}

func BenchmarkNormalsAt(b *testing.B) {
	dst := make([]float64, 1024)
	b.Run("n=1024", func(b *testing.B) {
		for line := uint64(0); b.Loop(); line++ {
			NormalsAt(1, line, 0, dst)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/draw")
	})
}
