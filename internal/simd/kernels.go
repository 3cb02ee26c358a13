package simd

// Kernels is a way to compute; its methods are the operations. Results do not
// depend on it.
type Kernels uint8

// Scalar goes one element at a time, in portable Go: the reference for speed.
const Scalar Kernels = 0

const (
	avx2 Kernels = 1 + iota
	avx512
)

// Vector returns the fastest way that this processor has, Scalar at the least.
func Vector() Kernels { return fastest }

var fastest = best()

// String names the instruction set: portable, avx2 or avx512.
func (k Kernels) String() string { return [...]string{"portable", "avx2", "avx512"}[k] }
