// Package vec holds the arithmetic on the path of a chain: elementary
// functions, sums in a fixed order, and the fused passes over a column of the
// design that a likelihood needs.
//
// Every result is a function of its arguments alone, to the bit, on every
// processor. Three rules give that:
//
//   - a multiplication followed by an addition is an explicit math.FMA, or the
//     product is converted by float64(x*y): the compiler never chooses;
//   - sums run in 8 lanes, lane k taking the elements i ≡ k (mod 8) in order,
//     and the lanes are added by one fixed tree (see reduce), so that an
//     implementation with 4 or 8 doubles a register can agree to the bit;
//   - no function of package math is used but FMA, Sqrt, Abs, Floor and the bit
//     conversions, which are exact or correctly rounded everywhere.
//
// Read exp.go and log.go, then reduce.go, then along.go (passes
// over a column); gamma.go, normal.go, sin.go and atan.go
// hold the special functions of families and links, philox.go random words by
// counter.
package vec
