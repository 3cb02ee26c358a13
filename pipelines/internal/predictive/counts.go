package predictive

import (
	"context"

	"glmbatch/infer"
)

// checkCounts is Check of counts of classes: it compares the share of each class, and the standard deviation of its
// counts over the rows.
func (e *Evaluator) checkCounts(ctx context.Context, stream func(row int) *infer.Stream) (*Checked, error) {
	names, data := e.Description.Responses[0].Classes, e.data
	observations, total := 0, 0.0
	for row := range data.Rows() {
		observations += times(data, row)
		total += float64(float64(times(data, row)) * data.Trials[row])
	}
	in := classes{width: 1} // of the histogram, which is not asked for
	observed, replicates := make([]sample, len(names)), make([][]sample, len(names))
	for k := range names {
		observed[k] = newSample(0, in)
		for range e.replicates(observations * len(names)) {
			replicates[k] = append(replicates[k], newSample(0, in))
		}
	}
	counts := make([]float64, len(names))
	err := e.Blocks(ctx, func(b *Block) error {
		for i := range b.Rows {
			row := b.First + i
			random := stream(row)
			for range times(data, row) {
				for k := range names {
					observed[k].add(data.Counts[k][row], in)
				}
				for r := range replicates[0] {
					b.outcomes.counts(b, random, r*e.Size()/len(replicates[0]), i, counts)
					for k, v := range counts {
						replicates[k][r].add(v, in)
					}
				}
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	out := &Checked{}
	for k, name := range names {
		out.Checks = append(out.Checks, compare([]statistic{
			{"share[" + name + "]", "share of class " + name, func(s *sample) float64 { return s.sum / total }},
			{"sd[" + name + "]", "standard deviation of the counts of class " + name, (*sample).sd},
		}, &observed[k], replicates[k])...)
	}
	return out, nil
}
