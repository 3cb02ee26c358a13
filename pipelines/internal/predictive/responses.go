package predictive

import (
	"context"

	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// Together returns the evaluator of rows with several responses, each evaluated by one of these: the log density of a
// row is the sum of those of its responses. A response that counts 0 times is missing. Params are those of
// Description.Rescor: with them the density is that of all responses of the row.
func Together(of []*Evaluator, params []int) *Evaluator {
	first := of[0]
	out := &Evaluator{Fit: first.Fit, family: first.family, data: &glm.Data{}, responses: of}
	if params != nil {
		out.rescor = &rescor{params: params}
	}
	for _, e := range of {
		for i, w := range e.data.Frequency {
			if out.data.Frequency == nil {
				out.data.Frequency = make([]float64, len(e.data.Frequency))
			}
			out.data.Frequency[i] = max(out.data.Frequency[i], w)
		}
	}
	for _, e := range of {
		if e.data.Frequency == nil {
			out.data.Frequency = nil // its rows count once
		}
	}
	return out
}

// fillResponses computes the blocks of all responses.
func (e *Evaluator) fillResponses(b *Block) error {
	for k, own := range e.responses {
		own.bytes = e.bytes / len(e.responses)
		if err := own.fill(b.responses[k]); err != nil {
			return err
		}
	}
	return e.rescor.fill(e)
}

// logLikOfResponses is logLik of a row with several responses.
func (b *Block) logLikOfResponses(s, from, to int, dst []float64) {
	if b.rescor != nil {
		b.logLikCorrelated(s, from, to, dst)
		return
	}
	one := make([]float64, to-from)
	clear(dst)
	for _, own := range b.responses {
		own.logLik(s, from, to, one)
		for i, l := range one {
			if own.one.counts == nil || own.one.counts[own.First+from+i] > 0 {
				dst[i] += l
			}
		}
	}
}

// StatisticOf returns the name of a statistic of one of several responses.
func StatisticOf(statistic, response string) string { return statistic + "[" + response + "]" }

// checkResponses checks each response by itself, without the histogram, which is of one response.
func (e *Evaluator) checkResponses(ctx context.Context, want Wanted, stream func(row int) *infer.Stream) (*Checked,
	error) {
	out := &Checked{}
	for _, own := range e.responses {
		got, err := own.Check(ctx, want, stream)
		if err != nil {
			return nil, err
		}
		name := own.Description.Responses[0].Name
		for i := range got.Checks {
			c := &got.Checks[i]
			c.Statistic, c.Words = StatisticOf(c.Statistic, name), c.Words+" ("+name+")"
		}
		for i := range got.Groups {
			got.Groups[i].Statistic = StatisticOf(got.Groups[i].Statistic, name)
		}
		for i := range got.Over {
			got.Over[i].Statistic = StatisticOf(got.Over[i].Statistic, name)
		}
		out.Checks, out.Groups = append(out.Checks, got.Checks...), append(out.Groups, got.Groups...)
		out.Over = append(out.Over, got.Over...)
	}
	return out, nil
}
