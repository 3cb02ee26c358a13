package cggibbs

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// The scales of a horseshoe prior or a smooth (prior.Group) move after the sweep over
// coefficients and dispersions, prior by prior, in blocks. Each block leaves the
// posterior invariant given all that it does not move, and none is collapsed, so
// that any order is right; this one is kept:
//
//	plain        stretch, lambda (Makalic and Schmidt), tau (the same)
//	smooth       stretch, tau (a slice of its log)
//	process      those of a smooth, and two slices of the log of the length: with the coefficients held, and with each
//	             at its number of standard deviations
//	regularised  stretch, lambda, tau, c (slices of their logs)
//
// A stretch multiplies tau, c and all coefficients of the prior by one factor, with beta/spread held: the
// non-centred update of tau, which moves far if the coefficients determine tau well and the data determine little.
// The centred updates of tau and lambda hold the coefficients and move far if the data determine much.
//
// The regularised form has no conditionals of a known law: the spread, and with
// it the normaliser of the coefficients' normal densities, depends on lambda
// through 1/(tau·lambda)² + 1/c².
type scaleBlock func(k *kernel, g int) bool

var (
	plainBlocks       = []scaleBlock{stretch, drawLocals, drawGlobal}
	smoothBlocks      = []scaleBlock{stretch, sliceGlobal}
	processBlocks     = []scaleBlock{stretch, sliceGlobal, sliceSlab, sliceLength}
	regularisedBlocks = []scaleBlock{stretch, sliceLocals, sliceGlobal, sliceSlab}
)

// blocksOf returns the blocks of every horseshoe of a target, in order.
func blocksOf(t *glm.Target) (all [][]scaleBlock) {
	for _, h := range t.Groups() {
		if h.Second != nil {
			all = append(all, processBlocks)
		} else if h.Smooth {
			all = append(all, smoothBlocks)
		} else if h.Slab < 0 {
			all = append(all, plainBlocks)
		} else {
			all = append(all, regularisedBlocks)
		}
	}
	return all
}

// moveScales makes one pass over the blocks of every horseshoe.
func (k *kernel) moveScales() bool {
	for g, blocks := range k.blocks {
		for _, move := range blocks {
			if !move(k, g) {
				return false
			}
		}
	}
	return true
}

// drawLocals draws every lambda of the plain form given beta and tau. Cost: O(d).
func drawLocals(k *kernel, g int) bool {
	h := &k.target.Groups()[g]
	tau := k.point.LogScale(h.Tau)
	for i, j := range h.Columns {
		z := k.point.Beta(j) / vec.Exp(tau)
		at := h.Local + i
		k.point.SetLogScale(at, variate.LocalScale(k.Stream, k.point.LogScale(at), float64(0.5*z*z)))
	}
	return true
}

// drawGlobal draws tau of the plain form given beta and lambda. Cost: O(d).
func drawGlobal(k *kernel, g int) bool {
	h := &k.target.Groups()[g]
	half := 0.0
	for i, j := range h.Columns {
		z := k.point.Beta(j) / vec.Exp(k.point.LogScale(h.Local+i))
		half = math.FMA(0.5*z, z, half)
	}
	k.point.SetLogScale(h.Tau,
		variate.GlobalScale(k.Stream, k.point.LogScale(h.Tau), k.point.LogTau0(g), half, len(h.Columns)))
	return true
}

// sliceLocals makes a slice update of every log lambda. Cost: O(d) evaluations of
// O(1).
func sliceLocals(k *kernel, g int) bool {
	h := &k.target.Groups()[g]
	for i := range h.Columns {
		if !k.sliceScale(h.Local + i) {
			return false
		}
	}
	return true
}

// sliceGlobal makes a slice update of log tau. Cost: O(d) an evaluation.
func sliceGlobal(k *kernel, g int) bool { return k.sliceScale(k.target.Groups()[g].Tau) }

// sliceSlab makes a slice update of log c. Cost: O(d) an evaluation.
func sliceSlab(k *kernel, g int) bool { return k.sliceScale(k.target.Groups()[g].Slab) }

// sliceScale makes a slice update of the log of scale i with beta held.
func (k *kernel) sliceScale(i int) bool {
	k.coord = k.swept + i
	k.here = k.point.LogScale(i)
	displacement, _, moved, ok := k.slice.update(alongScale{k}, k.point.AlongScale(i, k.here), k.widths[k.coord])
	if ok && moved {
		k.point.SetLogScale(i, k.here+displacement)
	}
	return ok
}

// alongScale is the density of the log of the scale under update.
type alongScale struct{ k *kernel }

func (f alongScale) at(displacement float64) (float64, glm.Value) {
	return f.k.point.AlongScale(f.k.coord-f.k.swept, f.k.here+displacement), glm.Value{}
}

// stretch makes a slice update of the log of the factor by which tau, c and the
// coefficients of a horseshoe are multiplied. Cost: O(n·d), then O(n) an evaluation.
func stretch(k *kernel, g int) bool {
	h := &k.target.Groups()[g]
	k.coord = k.swept + h.Tau
	k.point.Stretch(g)
	k.Touched += int64(k.target.Rows()) * int64(len(h.Columns))
	current, _ := k.point.AlongStretch(0)
	displacement, v, moved, ok := k.slice.update(alongStretch{k}, current, k.widths[k.coord])
	if ok && moved {
		k.point.MoveStretch(displacement, v)
		k.Touched += int64(k.target.Rows())
	}
	return ok
}

// alongStretch is the density of the log of the factor.
type alongStretch struct{ k *kernel }

func (f alongStretch) at(displacement float64) (float64, glm.Value) {
	f.k.Touched += int64(f.k.target.Rows())
	return f.k.point.AlongStretch(displacement)
}

// width returns the slice width of coordinate j: given the scales of a horseshoe, in units of three conditional
// standard deviations, as far as the curvature at the penalised point determines them. It does not depend on the
// coordinate itself.
func (k *kernel) width(j int) float64 {
	if k.likelihood == nil || j >= len(k.likelihood) || k.likelihood[j] == 0 {
		return k.widths[j]
	}
	spread := k.point.Spread(j)
	ratio := spread / k.likelihood[j]
	return 3 * k.opts.Width * (spread / math.Sqrt(math.FMA(ratio, ratio, 1)))
}

// likelihoodScales returns, for the columns of horseshoe priors, the standard deviation from the likelihood alone;
// nil if there are none.
func likelihoodScales(t *glm.Target) []float64 {
	var out []float64
	for _, h := range t.Groups() {
		if out == nil {
			out = make([]float64, t.Cols())
		}
		for _, j := range h.Columns {
			out[j] = t.LikelihoodScale(j)
		}
	}
	return out
}
