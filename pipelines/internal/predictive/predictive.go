package predictive

import (
	"context"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/transform"
)

// Quantities are the quantities that can be predicted for a row of data.
var Quantities = []string{"linear", "mean", "response"}

// Quantities are the places among a row's quantities of those of each of Quantities, with their names: a response with
// several linear predictors, or in classes, has one for each. Then come those of Ask.
func (e *Evaluator) Quantities() (of [][]int, names []string) {
	r := &e.Description.Responses[0]
	add := func(kind string, each []string) {
		if len(each) < 2 {
			of, names = append(of, []int{len(names)}), append(names, kind)
			return
		}
		var places []int
		for _, name := range each {
			places, names = append(places, len(names)), append(names, kind+"["+name+"]")
		}
		of = append(of, places)
	}
	var predictors []string
	for _, p := range r.Components[0].Predictors {
		predictors = append(predictors, p.Name)
	}
	add(Quantities[0], predictors)
	add(Quantities[1], r.Classes)
	if e.family.Support().CountsClasses() {
		add(Quantities[2], r.Classes)
	} else {
		add(Quantities[2], nil)
	}
	for _, name := range e.asked {
		add(name, nil)
	}
	return of, names
}

// Prediction is one row at every draw, chain after chain.
type Prediction struct {
	Row int // 0-based, of the design
	// Of has, in the order of Evaluator.Quantities, the linear predictor (of a mixture NaN, for its components have one
	// each), the mean of the response (for binomial the expected successes) and a random response, a class by its number
	// from 1; those of Members have components.
	Of [][]float64
	// Summaries of these, with NaN if a draw has no value.
	Summaries []Summary
}

// Summary describes the draws of one quantity.
type Summary struct {
	Mean, SD, Q025, Q25, Median, Q75, Q975 float64
	Reason                                 string // why the numbers are NaN
}

// groupRows is the number of rows that are predicted side by side.
const groupRows = 64

// Predict gives every row of a design to yield, in order, with its quantities at every draw and their summaries;
// yield must not keep them. stream names the random stream of a row: the same row has the same responses, whatever
// other rows are predicted.
//
// Memory is that of Blocks, and 64 rows at every draw. Cost: O(n·d) a draw, and some
// 50 ns a draw and row for a response.
func (e *Evaluator) Predict(ctx context.Context, stream func(row int) *infer.Stream,
	yield func(*Prediction) error) error {
	quantities, names := e.Quantities()
	first := 0.0
	if e.family.Support().Classes {
		first = 1
	}
	return e.predict(ctx, len(names), yield, func(b *Block, i int, of [][]float64) {
		random := stream(b.First + i)
		for q, at := range quantities[0] {
			b.Row(q, i, of[at])
		}
		for s := range of[0] {
			for class, at := range quantities[1] {
				b.means(s, i, i+1, class, of[at][s:s+1])
			}
			if responses := quantities[2]; len(responses) > 1 {
				counts := make([]float64, len(responses))
				b.outcomes.counts(b, random, s, i, counts)
				for k, at := range responses {
					of[at][s] = counts[k]
				}
			} else {
				of[responses[0]][s] = first + b.draw(random, s, i)
			}
			for k := range e.questions {
				of[quantities[3+k][0]][s] = e.questions[k].answer(b, s, i)
			}
		}
	})
}

// predict gives every row to yield, in order, with quantities quantities at every draw, which fill writes of row i
// of a block.
func (e *Evaluator) predict(ctx context.Context, quantities int, yield func(*Prediction) error,
	fill func(b *Block, i int, of [][]float64)) error {
	group := make([]Prediction, min(groupRows, e.rows()))
	for i := range group {
		group[i].Of, group[i].Summaries = make([][]float64, quantities), make([]Summary, quantities)
		for q := range group[i].Of {
			group[i].Of[q] = make([]float64, e.Size())
		}
	}
	sorted := make([][]float64, max(1, e.Workers))
	return e.Blocks(ctx, func(b *Block) error {
		for lo := 0; lo < b.Rows; lo += len(group) {
			now := group[:min(len(group), b.Rows-lo)]
			err := e.each(len(now), func(w, i int) {
				now[i].Row = b.First + lo + i
				fill(b, lo+i, now[i].Of)
				for q, draws := range now[i].Of {
					sorted[w] = append(sorted[w][:0], draws...)
					now[i].Summaries[q] = Summarize(sorted[w])
					if now[i].Summaries[q].Reason != "" && !e.family.HasDraw() {
						now[i].Summaries[q].Reason = "the custom family has no draw"
					}
				}
			})
			if err != nil {
				return err
			}
			for i := range now {
				if err := yield(&now[i]); err != nil {
					return err
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Observations gives the rows of a design to yield in blocks, with their log likelihood and a random response at
// every draw: of row first+i at draw s, chain after chain, at [s*rows+i]. yield must not keep them. Streams are those
// of Predict. Memory is three times that of Blocks.
func (e *Evaluator) Observations(ctx context.Context, stream func(row int) *infer.Stream,
	yield func(first, rows int, logLik, responses []float64) error) error {
	var logLik, responses []float64
	return e.Blocks(ctx, func(b *Block) error {
		size := b.Rows * e.Size()
		logLik, responses = slices.Grow(logLik[:0], size)[:size], slices.Grow(responses[:0], size)[:size]
		err := e.each(b.Rows, func(_, i int) {
			random := stream(b.First + i)
			for s := range e.Size() {
				responses[s*b.Rows+i] = b.draw(random, s, i)
			}
		})
		if err != nil {
			return err
		}
		err = e.each(e.Size(), func(_, s int) { b.logLik(s, 0, b.Rows, logLik[s*b.Rows:(s+1)*b.Rows]) })
		if err != nil {
			return err
		}
		return yield(b.First, b.Rows, logLik, responses)
	})
}

// Summarize describes draws, whose order is lost. Quantiles are R's type 7.
func Summarize(x []float64) Summary {
	nan := math.NaN()
	none := Summary{nan, nan, nan, nan, nan, nan, nan, ""}
	bad, sum := 0, 0.0
	for _, v := range x {
		if math.IsNaN(v) {
			bad++
		}
		sum += v
	}
	n := float64(len(x))
	if bad > 0 {
		none.Reason = fmt.Sprintf("at %d of %d draws the linear predictor is outside the domain of the link", bad, len(x))
	}
	if bad > 0 || len(x) == 0 {
		return none
	}
	slices.Sort(x)
	at := func(p float64) float64 { return transform.SortedQuantile(x, p) }
	s := Summary{Mean: sum / n, Q025: at(0.025), Q25: at(0.25), Median: at(0.5), Q75: at(0.75), Q975: at(0.975)}
	squares := 0.0
	for _, v := range x {
		d := v - s.Mean
		squares = math.FMA(d, d, squares)
	}
	s.SD = math.Sqrt(squares / (n - 1))
	return s
}
