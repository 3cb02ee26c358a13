package predictive

import (
	"context"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/report/record"
)

// Limits of predictive checks: at most maxReplicates data sets are replicated,
// fewer where they would take more than replicateDraws responses, but never fewer
// than fewestReplicates, or than there are draws.
const (
	maxReplicates    = 1000
	fewestReplicates = 100
	replicateDraws   = 200_000_000
)

// Check replicates the response of the data at draws that are evenly spaced over
// all of them, and compares statistics and histograms of the replicates with those of the data.
// A row that stands for several observations has a response for each. A
// replicate in which some row has no response (its linear predictor is outside
// the domain of the link) is left out. Of censored responses Kaplan–Meier curves alone are compared: replicates are
// censored as the rows are, and those of observed rows never, so that other statistics of both differ.
//
// Cost: some 50 ns for each response. stream names the random stream of a row.
func (e *Evaluator) Check(ctx context.Context, want Wanted, stream func(row int) *infer.Stream) (*Checked, error) {
	if e.responses != nil {
		return e.checkResponses(ctx, want, stream)
	}
	if e.data.Counts != nil {
		return e.checkCounts(ctx, stream)
	}
	family, data := e.family, e.data
	observations := 0
	for row := range data.Rows() {
		observations += times(data, row)
	}
	replicates := make([]sample, e.replicates(observations))
	in := classesOf(family, data.Y)
	observed := newSample(data.Y[0], in)
	for r := range replicates {
		replicates[r] = newSample(data.Y[0], in)
	}
	also := want.collect(family, data.Y, observations, len(replicates))
	curves := newCurves(data, len(replicates))
	err := e.Blocks(ctx, func(b *Block) error {
		for i := range b.Rows {
			row := b.First + i
			s := stream(row)
			for range times(data, row) {
				observed.add(data.Y[row], in)
				also.add(row, -1, data.Y[row])
				curves.add(-1, data.Y[row], kindOf(data, row))
				for r := range replicates {
					d := r * e.Size() / len(replicates)
					y, kind := data.Replicated(row, b.draw(s, d, i))
					curves.add(r, y, kind)
					replicates[r].add(y, in)
					also.add(row, r, y)
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := &Checked{Checks: compare(e.statistics(in), &observed, replicates), Bins: bins(in, &observed, replicates)}
	if data.Kind != nil {
		out.Checks, out.Bins = curves.checks(), nil
	}
	also.finish(family, out)
	return out, nil
}

// replicates is the number of data sets of observations responses that are replicated.
func (e *Evaluator) replicates(observations int) int {
	return min(e.Size(), max(fewestReplicates, min(maxReplicates, replicateDraws/observations)))
}

// sample gathers the statistics of a data set, one response after the other.
type sample struct {
	origin               float64 // sums are of distances from it
	n, zeros, ones       float64
	sum, squares, lo, hi float64
	classes              []int32 // responses in each class
}

func newSample(origin float64, in classes) sample {
	return sample{origin: origin, lo: math.Inf(1), hi: math.Inf(-1), classes: make([]int32, in.n+2)}
}

func (s *sample) add(y float64, in classes) {
	d := y - s.origin
	s.n++
	s.sum += d
	s.squares = math.FMA(d, d, s.squares)
	s.lo, s.hi = math.Min(s.lo, y), math.Max(s.hi, y)
	switch y {
	case 0:
		s.zeros++
	case 1:
		s.ones++
	}
	if !math.IsNaN(y) {
		s.classes[in.of(y)]++
	}
}

// sd is NaN for one response.
func (s *sample) sd() float64 {
	return math.Sqrt(math.Max(0, s.squares-float64(s.sum*(s.sum/s.n))) / (s.n - 1))
}

// statistic is one of those that are compared.
type statistic struct {
	name, words string
	of          func(*sample) float64
}

// statistics are those of the family, or of a response in classes the share of each class.
func (e *Evaluator) statistics(in classes) (out []statistic) {
	if !e.family.Support().Classes {
		return statisticsOf(e.family)
	}
	for k, class := range e.Description.Responses[0].Classes {
		out = append(out, statistic{"share[" + class + "]", "share of class " + class,
			func(s *sample) float64 { return float64(s.classes[in.of(float64(k))]) / s.n }})
	}
	return out
}

// statisticsOf lists the statistics of a family: the mean alone where the others
// are functions of it, and the share of zeros where there can be any.
func statisticsOf(f glm.Family) []statistic {
	all := []statistic{{"mean", "mean", func(s *sample) float64 { return s.origin + s.sum/s.n }}}
	support := f.Support()
	if support.Probability() && !support.Trials {
		return all
	}
	all = append(all, statistic{"sd", "standard deviation", (*sample).sd},
		statistic{"min", "minimum", func(s *sample) float64 { return s.lo }},
		statistic{"max", "maximum", func(s *sample) float64 { return s.hi }})
	if support.Mass(0) {
		all = append(all, statistic{"zeros", "share of zeros", func(s *sample) float64 { return s.zeros / s.n }})
	}
	if support.One {
		all = append(all, statistic{"ones", "share of ones", func(s *sample) float64 { return s.ones / s.n }})
	}
	return all
}

// compare places each observed statistic among those of the replicates.
func compare(of []statistic, observed *sample, replicates []sample) (out []record.Check) {
	for _, stat := range of {
		var values []float64
		for r := range replicates {
			values = append(values, stat.of(&replicates[r]))
		}
		out = append(out, checkOf(record.Check{Statistic: stat.name, Words: stat.words, Observed: stat.of(observed)}, values))
	}
	return out
}

// checkOf places an observed statistic among those of replicates.
func checkOf(c record.Check, replicated []float64) record.Check {
	values, above := known(replicated, c.Observed)
	c.Replicates, c.P = len(values), above
	if left := len(replicated) - len(values); left > 0 {
		c.Note = fmt.Sprintf("%d of %d replicates have no value", left, len(replicated))
	}
	s := Summarize(values)
	c.Mean, c.SD, c.Q025, c.Q975 = s.Mean, s.SD, s.Q025, s.Q975
	return c
}

// known are the values that are numbers, and which share of them lies above the observed one, those equal to it by
// half; NaN if it cannot be computed.
func known(replicated []float64, observed float64) (values []float64, above float64) {
	for _, v := range replicated {
		switch {
		case math.IsNaN(v):
			continue
		case v > observed:
			above++
		case v == observed:
			above += 0.5
		}
		values = append(values, v)
	}
	if math.IsNaN(observed) || len(values) < 2 {
		return values, math.NaN()
	}
	return values, above / float64(len(values))
}

// extreme is the share of replicates beyond the data's statistic, on either
// side, below which a check warns.
const extreme = 0.005

// CheckWarnings describes the statistics of the data that the fit hardly gives, those that no replicate reaches
// first.
func CheckWarnings(checks []record.Check) (out []string) {
	gross := 0
	for _, c := range checks {
		share, side := c.P, "below"
		if c.P < 0.5 {
			share, side = 1-c.P, "above"
		}
		if !(1-share < extreme) {
			continue
		}
		of := fmt.Sprintf("%.1f %% of", 100*share)
		if share == 1 {
			of = fmt.Sprintf("all %d sets of", c.Replicates)
		}
		warning := fmt.Sprintf("predictive check: the %s of the response, %.4g, is %s that of %s replicated "+
			"data (95 %% of them: %.4g to %.4g)", c.Words, c.Observed, side, of, c.Q025, c.Q975)
		if share == 1 {
			out = slices.Insert(out, gross, warning)
			gross++
			continue
		}
		out = append(out, warning)
	}
	return slices.Clip(out)
}

// times returns how often a row counts.
func times(data *glm.Data, row int) int {
	if data.Frequency == nil {
		return 1
	}
	return int(data.Frequency[row])
}
