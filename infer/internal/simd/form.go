package simd

// form is a way to run the kernels.
type form uint8

const (
	portable form = iota
	avx2
	avx512
)

// active is the form that runs. Tests change it.
var active = best()

// forms lists the names.
var forms = [...]string{"portable", "avx2", "avx512"}

// Form names the form that runs on this processor: portable, avx2 or avx512.
// Results do not depend on it.
func Form() string { return forms[active] }
