//go:build !amd64

package simd

// missing is the panic of kernels that nothing here calls.
const missing = "simd: no assembly for this processor"

func best() Kernels { return Scalar }
