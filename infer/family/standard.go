package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/simd"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// standard is a distribution of location 0 and scale 1 with a log-concave density.
type standard uint8

// The standard distributions: normal, logistic, and that of the logarithm of an exponential variable.
const (
	normal standard = iota
	logistic
	extreme
)

// tail is the part of a distribution whose logarithm a row has.
type tail uint8

const (
	density tail = iota
	above        // the probability above z
	below
	interval
)

// write writes the logarithm of a part at z to v, of the normal density up to a constant, and its derivatives to first
// and second unless these are nil. v may be z if they are.
func (s standard) write(k simd.Kernels, part tail, z, v, first, second []float64) {
	switch s {
	case normal:
		writeNormal(k, part, z, v, first, second)
	case logistic:
		writeLogistic(k, part, z, v, first, second)
	default:
		writeExtreme(k, part, z, v, first, second)
	}
}

func writeNormal(k simd.Kernels, part tail, z, v, first, second []float64) {
	if part == density {
		for i, at := range z {
			if v[i] = -0.5 * float64(at*at); first != nil {
				first[i], second[i] = -at, -1
			}
		}
		return
	}
	sign := 1.0
	if part == above {
		sign = -1
	}
	if first != nil {
		for i, at := range z {
			fall, excess := normalFall(float64(sign * at))
			first[i], second[i] = float64(sign*fall), -float64(fall*excess)
		}
	}
	for i, at := range z {
		v[i] = float64(sign * at)
	}
	k.LogNormalCDF(v, v[:len(z)])
}

func writeLogistic(k simd.Kernels, part tail, z, v, first, second []float64) {
	if first != nil {
		k.Logistic(first, z)
		for i, p := range first[:len(z)] {
			second[i] = -float64(p * vec.Logistic(-z[i]))
			switch part {
			case density:
				first[i], second[i] = 1-float64(2*p), float64(2*second[i])
			case above:
				first[i] = -p
			default:
				first[i] = vec.Logistic(-z[i])
			}
		}
	}
	sign, twice := 1.0, 1.0
	switch part {
	case density:
		twice = 2
	case below:
		sign = -1
	}
	var log Block
	for i := 0; i < len(z); i++ {
		log[i] = float64(sign * z[i])
	}
	k.Log1pExp(log[:], log[:len(z)])
	for i, at := range z {
		if v[i] = -float64(twice * log[i]); part == density {
			v[i] += at
		}
	}
}

func writeExtreme(k simd.Kernels, part tail, z, v, first, second []float64) {
	var power Block
	k.Exp(power[:], z)
	for i, at := range z {
		w := power[i]
		var value, one, two float64
		switch part {
		case density:
			value, one, two = at-w, 1-w, -w
			if math.IsInf(w, 1) {
				value = -w
			}
		case above:
			value, one, two = -w, -w, -w
		default:
			value, one, two = logComplementary(at, w)
		}
		if v[i] = value; first != nil {
			first[i], second[i] = one, two
		}
	}
}

// writeExtremeRight is writeExtreme of rows of which each is Observed or Above: the log density is z − e^z, and the log
// probability above z is −e^z.
func writeExtremeRight(k simd.Kernels, kind, z, v, first, second []float64) {
	var power Block
	k.Exp(power[:], z)
	kind, v = kind[:len(z)], v[:len(z)]
	for i, at := range z {
		w := power[i]
		if v[i] = float64((1-kind[i])*at) - w; v[i] != v[i] {
			v[i] = -w // z is infinite
		}
	}
	if first == nil {
		return
	}
	first, second = first[:len(z)], second[:len(z)]
	for i := range first {
		w := power[i]
		first[i], second[i] = 1-kind[i]-w, -w
	}
}

// logComplementary returns log(1 − e^−w) at w = e^z with its derivatives in z.
func logComplementary(z, w float64) (value, first, second float64) {
	if w > 0.5 {
		small := vec.Exp(-w)
		value, first = vec.Log1p(-small), float64(w*small)/(1-small)
	} else {
		left := shrink(w)
		value, first = z+vec.Log(left), vec.Exp(-w)/left
	}
	return value, first, float64(first * (1 - w - first))
}

// information is Fisher's information about the location.
func (s standard) information() float64 {
	if s == logistic {
		return 1.0 / 3
	}
	return 1
}

// draw returns a random number of the distribution.
func (s standard) draw(from prior.Source) float64 {
	switch s {
	case normal:
		return variate.Normal(from)
	case logistic:
		u := from.Float64()
		return vec.Log(u) - vec.Log1p(-u)
	}
	return vec.Log(variate.Exponential(from))
}

// strip is the log probability of an interval with its derivatives: the first and second one along both ends at once,
// and the first one along a stretch of both ends.
type strip struct{ value, move, curv, spread float64 }

// add adds another strip, times a sign.
func (s *strip) add(other strip, sign float64) {
	s.value += float64(sign * other.value)
	s.move += float64(sign * other.move)
	s.curv += float64(sign * other.curv)
	s.spread += float64(sign * other.spread)
}

// at returns the logarithm of a part at one z, with its derivatives.
func (s standard) at(part tail, z float64) (value, first, second float64) {
	var out [3]float64
	s.write(simd.Scalar, part, []float64{z}, out[:1], out[1:2], out[2:])
	if s == normal && part == density {
		out[0] -= halfLog2Pi
	}
	return out[0], out[1], out[2]
}

// between returns the probability of the interval of two ends, which may be infinite.
func (s standard) between(a, b float64) (out strip) {
	if a > b {
		a, b = b, a
	}
	switch low, high := math.IsInf(a, -1), math.IsInf(b, 1); {
	case low && high:
		return out
	case low:
		out.value, out.move, out.curv = s.at(below, b)
		out.spread = float64(b * out.move)
		return out
	case high:
		out.value, out.move, out.curv = s.at(above, a)
		out.spread = float64(a * out.move)
		return out
	}
	part, near, far := below, b, a
	if a+b > 0 {
		part, near, far = above, a, b
	}
	more, _, _ := s.at(part, near)
	less, _, _ := s.at(part, far)
	if !(more-less > 1e-8*math.Abs(more)) { // a narrow interval, whose difference is rounding
		middle := 0.5 * (a + b)
		out.value, out.move, out.curv = s.at(density, middle)
		out.value, out.spread = out.value+vec.Log(b-a), math.FMA(middle, out.move, 1)
		return out
	}
	value, _, _ := logComplementary(vec.Log(more-less), more-less)
	out.value = more + value
	logA, slopeA, _ := s.at(density, a)
	logB, slopeB, _ := s.at(density, b)
	atA, atB := vec.Exp(logA-out.value), vec.Exp(logB-out.value)
	out.move = atB - atA
	// The probability is log-concave; what is above 0 is rounding.
	out.curv = min(0, math.FMA(atB, slopeB, -float64(atA*slopeA))-float64(out.move*out.move))
	out.spread = math.FMA(b, atB, -float64(a*atA))
	return out
}
