package model

import (
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
	"glmbatch/internal/state"
)

// closed is the posterior of gaussian responses by cross products, see groups.Closed.
type closed struct {
	*groups.Closed
	sigmas *residuals
	free   []bool // whether sigma of a response is in the head of its predictor
}

// newClosed returns the posterior; nil if it does not have the form.
func (s *setup) newClosed(p *Problem) *closed {
	if s.joined == nil || len(s.predictors) != len(p.Responses) {
		return nil
	}
	linked, grouping := len(s.links) == 1, (*design.Grouping)(nil)
	if len(s.links) > 1 {
		return nil
	}
	out := &closed{sigmas: s.residuals}
	if out.sigmas == nil {
		out.sigmas = &residuals{}
	}
	var all []groups.ClosedResponse
	for k, own := range p.Responses {
		q := s.predictors[k]
		r, ok := closedResponse(own, q)
		if !ok || !slices.Equal(own.Frequency, p.Responses[0].Frequency) {
			return nil
		}
		if e := r.Effects; e != nil {
			if e.Linked != linked || grouping != nil && !slices.Equal(grouping.Of(), e.Grouping.Of()) {
				return nil
			}
			grouping = e.Grouping
		}
		all = append(all, r)
		if law := own.Predictors[0].Model.DispersionPrior(0); s.residuals == nil {
			rows := own.rows()
			out.sigmas.names, out.sigmas.rows = append(out.sigmas.names, own.Name), rows.Total
			out.sigmas.prior.SD = append(out.sigmas.prior.SD, law)
			out.sigmas.sds = append(out.sigmas.sds, s.rows.DispOf(k)[0])
			out.free = append(out.free, law.Kind != prior.Constant)
		}
	}
	out.Closed = groups.NewClosed(all, linked, p.Responses[0].Frequency)
	if !out.Serves() {
		return nil
	}
	return out
}

// closedResponse returns a response of a problem as one of a Closed; ok is false if it does not have the form.
func closedResponse(own *Problem, q *predictor) (r groups.ClosedResponse, ok bool) {
	x, dense := q.data.X.(*design.Dense)
	if own.Family != family.Default || own.Bounds != nil || own.Kind != nil || own.Predictors[0].Data.Precision != nil ||
		!dense || q.hidden > 0 || len(q.mono) > 0 || len(q.data.Smooths) > 0 || len(q.data.Effects) > 1 {
		return r, false
	}
	for _, law := range q.model.Coefficients {
		if law.Kind != prior.Normal {
			return r, false
		}
	}
	r = groups.ClosedResponse{Y: slices.Clone(own.Y), X: x, Start: q.Target.Penalised()[:q.data.Cols()],
		Priors: q.model.Coefficients}
	for i := range q.offset {
		r.Y[i] -= q.offset[i]
	}
	if len(q.data.Effects) == 1 {
		r.Effects, r.Scales = q.data.Effects[0], q.model.Effects[0]
	}
	return r, true
}

// words describes the moves.
func (c *closed) words() string {
	return "all coefficients and effects of levels drawn at once from cross products; sds and correlations by slices " +
		"with these integrated out; no move reads the rows"
}

// closedKernel is one chain of a closed posterior.
type closedKernel struct {
	*setup
	update.Stepper
	chain *groups.ClosedChain
	law   *groups.Residuals
}

func (s *setup) newClosedKernel(c infer.Chain) *closedKernel {
	k := &closedKernel{setup: s, law: s.closed.sigmas.law(c.Stream)}
	k.chain = s.closed.Chain(k.law, c.Stream, &k.Looks)
	k.Stream, k.Words = c.Stream, "sds spread around those of rows, all else drawn given them"
	k.Updates = update.Schedule{First: update.Moves{k.move}}
	k.Saver = state.NewSaver("model, closed", stateVersion, func(codec *state.Codec) {
		codec.Count("iteration", &k.Iteration)
		k.chain.List(codec)
		codec.Rest(k.Stream)
	})
	return k
}

// move moves the chain.
func (k *closedKernel) move() bool {
	if failing, ok := k.chain.Step(); !ok {
		return k.FailAlong(failing)
	}
	return k.Arrive(k.chain.LogLik(), k.chain.LogPrior())
}

// Position writes the parameters in their order.
func (k *closedKernel) Position(dst []float64) {
	numbers := make([]float64, k.law.Parameters())
	k.law.Write(numbers)
	sigmas := numbers
	_, rest := k.split(dst, func(i int, head, effects, _ []float64) {
		at := k.predictors[i].data.Cols()
		k.chain.Coefficients(i, head)
		if k.residuals == nil && k.closed.free[i] {
			head[at], sigmas, at = sigmas[0], sigmas[1:], at+1
		}
		k.chain.Scales(i, head[at:])
		k.chain.Effects(i, effects)
	})
	if k.residuals != nil {
		rest = rest[copy(rest, numbers):]
	}
	k.chain.Correlations(rest)
}

// SetPosition moves the chain to a position, as Position writes it, its stream and iteration as they are.
func (k *closedKernel) SetPosition(position []float64) error {
	if len(position) != len(k.params) {
		return fmt.Errorf("model: a position of %d numbers for %d parameters", len(position), len(k.params))
	}
	var sigmas []float64
	_, rest := k.split(slices.Clone(position), func(i int, head, effects, _ []float64) {
		at := k.predictors[i].data.Cols()
		k.chain.SetCoefficients(i, head)
		if k.residuals == nil && k.closed.free[i] {
			sigmas, at = append(sigmas, head[at]), at+1
		}
		k.chain.SetScales(i, head[at:])
		k.chain.SetEffects(i, effects)
	})
	if k.residuals != nil {
		sigmas, rest = rest, rest[k.law.Parameters():]
	}
	k.law.Read(sigmas)
	k.chain.SetCorrelations(rest)
	return nil
}
