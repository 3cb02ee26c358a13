package simd

import "golang.org/x/sys/cpu"

// best returns the widest form that processor and operating system have.
func best() Kernels {
	x := &cpu.X86
	switch {
	case x.HasAVX512F && x.HasBMI2 && x.HasPOPCNT:
		return avx512
	case x.HasAVX2 && x.HasFMA:
		return avx2
	}
	return Scalar
}
