package transform

import (
	"cmp"
	"math"
	"slices"
)

// distinctPoints are the different points that numbers make, in increasing order. Numbers are by coordinate.
func distinctPoints(coordinates [][]float64) [][]float64 {
	points := make([][]float64, len(coordinates[0]))
	for i := range points {
		for _, x := range coordinates {
			points[i] = append(points[i], x[i])
		}
	}
	slices.SortFunc(points, slices.Compare)
	return slices.CompactFunc(points, slices.Equal)
}

// distances returns the least and the largest distance of two of some distinct points in increasing order; 0 and 0 of
// one point. Cost: O(n·log n) for scattered points, O(n²) at worst.
func distances(points [][]float64) (nearest, farthest float64) {
	if len(points) < 2 {
		return 0, 0
	}
	nearest = math.Inf(1)
	for i, p := range points {
		for _, q := range points[i+1:] {
			if q[0]-p[0] >= nearest { // and so are all that follow
				break
			}
			nearest = min(nearest, distance(p, q))
		}
	}
	type placed struct {
		at     []float64
		radius float64 // distance from a point in the middle
	}
	outer := make([]placed, len(points))
	for i, p := range points {
		outer[i] = placed{p, distance(p, points[len(points)/2])}
	}
	slices.SortStableFunc(outer, func(p, q placed) int { return cmp.Compare(q.radius, p.radius) })
	for i, p := range outer {
		for _, q := range outer[i+1:] {
			if p.radius+q.radius < farthest { // a bound of their distance
				break
			}
			farthest = max(farthest, distance(p.at, q.at))
		}
	}
	return nearest, farthest
}

// distance is the Euclidean one of two points.
func distance(p, q []float64) float64 {
	sum := 0.0
	for i := range p {
		sum = math.FMA(p[i]-q[i], p[i]-q[i], sum)
	}
	return math.Sqrt(sum)
}

// stretch is the mean of one coordinate of points, and its least and largest value.
type stretch struct{ mean, low, high float64 }

func stretchOf(points [][]float64, coordinate int) stretch {
	out, sum := stretch{low: math.Inf(1), high: math.Inf(-1)}, 0.0
	for _, p := range points {
		out.low, out.high = min(out.low, p[coordinate]), max(out.high, p[coordinate])
	}
	for _, p := range points {
		sum += p[coordinate] - out.low
	}
	out.mean = out.low + sum/float64(len(points))
	return out
}
