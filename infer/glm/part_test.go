package glm_test

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
)

// The log likelihood of a part differs between two points as that of a target of its rows does, for every family, with
// offsets, trials, precisions and counts, also after another part was taken.
func TestPartIsItsRows(t *testing.T) {
	for _, c := range slices.Concat(infertest.Cases(), infertest.FamilyCases(), infertest.WeightedCases()) {
		t.Run(c.Name, func(t *testing.T) {
			rng := infer.NewStream(3, c.Name)
			theta, whole, err := c.Simulate(rng)
			must(t, err)
			part := whole.NewPart()
			p := glm.NewPoint(part.Target())
			rows := []int32{3, 0, 2, 5, 4}
			for _, counts := range [][]float64{nil, {2, 1, 5, 1, 3}} {
				part.Take([]int32{1, 2, 0, 3}, nil)
				part.Take(rows, counts)
				data := whole.Data().Taken([]int{3, 0, 2, 5, 4})
				data.Frequency = counts
				alone, err := glm.NewTarget(data, *whole.Model())
				must(t, err)
				near := slices.Clone(theta)
				for j := range near {
					near[j] *= 1.01
				}
				at := func(theta []float64) float64 {
					p.SetTheta(theta)
					return p.Value().LogLik
				}
				p.SetTheta(theta)
				other := glm.NewPoint(alone)
				other.SetTheta(theta)
				along, only := p.Along(1, 0.01).LogLik-p.Value().LogLik, other.Along(1, 0.01).LogLik-other.Value().LogLik
				if !(math.Abs(along-only) <= 1e-10*max(1, math.Abs(alone.LogLik(theta)))) {
					t.Errorf("counts %v: along a coefficient the part's log likelihood grows by %v, that of its rows by %v", counts,
						along, only)
				}
				got, want := at(near)-at(theta), alone.LogLik(near)-alone.LogLik(theta)
				if !(math.Abs(got-want) <= 1e-10*max(1, math.Abs(alone.LogLik(theta)))) {
					t.Errorf("counts %v: the part's log likelihood grows by %v, that of its rows by %v", counts, got, want)
				}
			}
		})
	}
}
