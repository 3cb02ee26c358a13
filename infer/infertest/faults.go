package infertest

import (
	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// Wrong returns a sampler of another model or data set than it is asked for:
// edit changes a copy. It plants faults of the target in any sampler.
func Wrong(s Sampler, edit func(data *glm.Data, model *glm.Model)) Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		data, model := *target.Data(), *target.Model()
		model.Coefficients = append([]prior.Prior(nil), model.Coefficients...)
		edit(&data, &model)
		wrong, err := glm.NewTarget(&data, model)
		if err != nil {
			return nil, err
		}
		return s(wrong)
	}
}

// WrongPriorScale plants prior scales of the coefficients that are factor
// times too large.
func WrongPriorScale(s Sampler, factor float64) Sampler {
	return Wrong(s, func(_ *glm.Data, model *glm.Model) {
		for j := range model.Coefficients {
			p := &model.Coefficients[j]
			p.Scale *= factor
			p.High += (factor - 1) * (p.High - p.Low)
		}
	})
}

// WrongSigmaScale plants a prior scale of the first dispersion that is factor
// times too large.
func WrongSigmaScale(s Sampler, factor float64) Sampler {
	return Wrong(s, func(_ *glm.Data, model *glm.Model) {
		p := &model.Dispersion
		p.Scale *= factor
		p.Rate /= factor
		p.High *= factor
	})
}

// WithoutOffset plants a likelihood without the offset.
func WithoutOffset(s Sampler) Sampler {
	return Wrong(s, func(data *glm.Data, _ *glm.Model) { data.Offset = nil })
}

// WithoutPrecision gives every row the precision 1.
func WithoutPrecision(s Sampler) Sampler {
	return Wrong(s, func(data *glm.Data, _ *glm.Model) { data.Precision = nil })
}

// Observed takes censored rows as observed.
func Observed(s Sampler) Sampler {
	return Wrong(s, func(data *glm.Data, _ *glm.Model) { data.Kind = make([]float64, data.Rows()) })
}

// WithoutRow plants a likelihood without the last row.
func WithoutRow(s Sampler) Sampler {
	return Wrong(s, func(data *glm.Data, _ *glm.Model) {
		n, d := data.Rows()-1, data.Cols()
		x := design.NewDense(n, d)
		for j := range d {
			copy(x.Col(j), data.X.Col(j))
		}
		data.X, data.Y = x, data.Y[:n]
		if data.Offset != nil {
			data.Offset = data.Offset[:n]
		}
		if data.Trials != nil {
			data.Trials = data.Trials[:n]
		}
	})
}

// Frozen plants a coordinate that never leaves its start. The kernel steps
// all the same, so its other coordinates stay right.
func Frozen(s Sampler, coordinate int) Sampler {
	return wrap(s, func(k infer.Kernel, size int) infer.Kernel {
		f := &frozen{Kernel: k, at: coordinate, position: make([]float64, size)}
		k.Position(f.position)
		return f
	})
}

type frozen struct {
	infer.Kernel
	at       int
	position []float64 // at the start
}

func (f *frozen) Position(dst []float64) {
	f.Kernel.Position(dst)
	dst[f.at] = f.position[f.at]
}

// Inner returns the kernel behind, for a Check.Place that knows its type.
func (f *frozen) Inner() infer.Kernel { return f.Kernel }

// wrap changes the kernels of a sampler.
func wrap(s Sampler, change func(k infer.Kernel, size int) infer.Kernel) Sampler {
	return func(target *glm.Target) (infer.Setup, error) {
		inner, err := s(target)
		if err != nil {
			return nil, err
		}
		return &wrapped{inner, change}, nil
	}
}

type wrapped struct {
	infer.Setup
	change func(k infer.Kernel, size int) infer.Kernel
}

func (w *wrapped) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := w.Setup.Kernel(c)
	if err != nil {
		return nil, err
	}
	return w.change(k, len(w.Parameters())), nil
}
