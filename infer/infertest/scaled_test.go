package infertest

import (
	"fmt"

	"glmbatch/infer"
)

// Scaled plants draws of one coordinate that are factor times too large.
func Scaled(s Sampler, coordinate int, factor float64) Sampler {
	return wrap(s, func(k infer.Kernel, _ int) infer.Kernel { return &scaled{k, coordinate, factor} })
}

type scaled struct {
	infer.Kernel
	at     int
	factor float64
}

func (f *scaled) Position(dst []float64) {
	f.Kernel.Position(dst)
	dst[f.at] *= f.factor
}

// SetPosition places the kernel behind, if it can be placed.
func (f *scaled) SetPosition(theta []float64) error {
	p, ok := f.Kernel.(Placer)
	if !ok {
		return fmt.Errorf("%T has no SetPosition: give Check.Place", f.Kernel)
	}
	return p.SetPosition(theta)
}

// Inner returns the kernel behind, for a Check.Place that knows its type.
func (f *scaled) Inner() infer.Kernel { return f.Kernel }
