package vec

import (
	"math"
	"math/big"
)

// The reference is math/big with 200 bits: at least 140 bits remain correct.
const bits = 200

func bigOf(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }

func newBig() *big.Float { return new(big.Float).SetPrec(bits) }

// bigLn2 is log 2 = Σ 1/(k·2ᵏ).
var bigLn2 = func() *big.Float {
	sum, power := newBig(), bigOf(1)
	for k := 1; k < bits+8; k++ {
		power.Quo(power, bigOf(2))
		sum.Add(sum, newBig().Quo(power, bigOf(float64(k))))
	}
	return sum
}()

// bigExp returns eˣ: x = k·log 2 + 256·r, Taylor's series at r, squared 8 times.
func bigExp(x *big.Float) *big.Float {
	q, _ := newBig().Quo(x, bigLn2).Float64()
	k := math.Round(q)
	r := newBig().Sub(x, newBig().Mul(bigOf(k), bigLn2))
	r.Quo(r, bigOf(256))
	sum, term := bigOf(1), bigOf(1)
	for i := 1; i < 24; i++ {
		term.Mul(term, r)
		term.Quo(term, bigOf(float64(i)))
		sum.Add(sum, term)
	}
	for range 8 {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(k))
}

// bigLog returns log x from a float64 guess, by 2 Newton steps on eʸ = x. The
// guess is split by the exponent, so that a result near 0 keeps its digits.
func bigLog(x *big.Float) *big.Float {
	mant := newBig()
	exp := x.MantExp(mant)
	m, _ := mant.Float64()
	if m < math.Sqrt2/2 {
		mant.SetMantExp(mant, 1)
		exp--
		m *= 2
	}
	y := bigOf(math.Log(m))
	for range 3 {
		e := bigExp(newBig().Neg(y))
		e.Mul(e, mant)
		y.Add(y, e.Sub(e, bigOf(1)))
	}
	return y.Add(y, newBig().Mul(bigOf(float64(exp)), bigLn2))
}

// ulps returns |got − want| in units in the last place of want, the subnormal
// spacing at the least.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	if math.IsInf(w, 0) || math.IsInf(got, 0) || got != got {
		if got == w {
			return 0
		}
		return math.Inf(1)
	}
	_, exp := math.Frexp(w)
	unit := math.Ldexp(1, max(exp-53, -1074))
	diff := newBig().Sub(bigOf(got), want)
	diff.Quo(diff, bigOf(unit))
	d, _ := diff.Float64()
	return math.Abs(d)
}
