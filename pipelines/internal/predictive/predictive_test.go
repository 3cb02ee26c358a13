package predictive

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/report/record"
)

func stream(row int) *infer.Stream { return infer.NewStream(5, "predict", strconv.Itoa(row)) }

// The responses of a row are those of its own stream, in the order of the draws,
// whatever blocks, groups and workers there are.
func TestPredictByRow(t *testing.T) {
	e := newExample(150, 3, 2, 15, 2)
	outcomes, err := glm.NewPointwise(gaussian, e.data)
	must(t, err)
	var want []string
	for _, workers := range []int{1, 2, 16} {
		for _, bytes := range []int{1, 8 * 30 * 70, blockBytes} {
			f := e.fit
			f.kept, f.Workers, f.bytes = nil, workers, bytes
			var got []string
			err := on(t, &f, gaussian, e.data, e.columns).Predict(t.Context(), stream, func(p *Prediction) error {
				if p.Row != len(got) {
					t.Fatalf("row %d comes after %d", p.Row, len(got))
				}
				s := stream(p.Row)
				for d, eta := range p.Of[0] {
					if y := outcomes.Draw(s, p.Row, eta, []float64{e.beta[3][d]}); y != p.Of[2][d] || p.Of[1][d] != eta {
						t.Fatalf("row %d, draw %d: mean %v and response %v, want %v and %v", p.Row, d, p.Of[1][d], p.Of[2][d], eta, y)
					}
				}
				got = append(got, fmt.Sprint(p.Of, p.Summaries))
				return nil
			})
			if err != nil || len(got) != 150 {
				t.Fatalf("%d rows, %v", len(got), err)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d workers and blocks of %d bytes change the predictions", workers, bytes)
			}
		}
	}
}

// Observations are the responses of Predict and the log likelihood of each row, whatever blocks and workers there are.
func TestObservations(t *testing.T) {
	e := newExample(150, 3, 2, 15, 2)
	outcomes, err := glm.NewPointwise(gaussian, e.data)
	must(t, err)
	for _, workers := range []int{1, 3} {
		for _, bytes := range []int{1, 8 * 30 * 70, blockBytes} {
			f := e.fit
			f.kept, f.Workers, f.bytes = nil, workers, bytes
			size := f.Size()
			logLik, responses, next := make([]float64, 150*size), make([]float64, 150*size), 0
			err := on(t, &f, gaussian, e.data, e.columns).Observations(t.Context(), stream, func(first, rows int, l, r []float64) error {
				if first != next {
					t.Fatalf("row %d comes where row %d must", first, next)
				}
				next += rows
				for s := range size {
					copy(logLik[s*150+first:], l[s*rows:(s+1)*rows])
					copy(responses[s*150+first:], r[s*rows:(s+1)*rows])
				}
				return nil
			})
			if err != nil || next != 150 {
				t.Fatalf("%d rows, %v", next, err)
			}
			err = on(t, &f, gaussian, e.data, e.columns).Predict(t.Context(), stream, func(p *Prediction) error {
				var want [1]float64
				for s, eta := range p.Of[0] {
					outcomes.LogLik(p.Row, []float64{eta}, []float64{e.beta[3][s], 0}, want[:])
					if at := s*150 + p.Row; responses[at] != p.Of[2][s] || logLik[at] != want[0] {
						t.Fatalf("row %d, draw %d: response %v and log likelihood %v, want %v and %v", p.Row, s, responses[at], logLik[at], p.Of[2][s], want[0])
					}
				}
				return nil
			})
			must(t, err)
		}
	}
}

func TestSummarize(t *testing.T) {
	s := Summarize([]float64{4, 0, 3, 1, 2, 5}) // R: quantile(0:5, c(0.025, 0.25, 0.5, 0.75, 0.975)), sd(0:5)
	want := Summary{2.5, 1.8708286933869707, 0.125, 1.25, 2.5, 3.75, 4.875, ""}
	if s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
	s = Summarize([]float64{1, math.NaN(), 2})
	if !math.IsNaN(s.Mean) || !math.IsNaN(s.Q975) || !strings.Contains(s.Reason, "at 1 of 3 draws") {
		t.Errorf("%+v", s)
	}
}

// The Monte Carlo error of the sum is that of rows that are independent, as often as each counts; it is unknown with a
// row that cannot be relied on.
func TestErrorOfTheSum(t *testing.T) {
	l := &record.LOO{Threshold: 0.7, Rows: []record.Pointwise{{MCSE: 0.3, K: 0.1}, {MCSE: 0.4, K: 0.2}}}
	total(l, nil)
	if math.Abs(l.MCSE-0.5) > 1e-15 {
		t.Errorf("the error of two rows is %v", l.MCSE)
	}
	total(l, []float64{4, 4})
	if math.Abs(l.MCSE-1) > 1e-15 {
		t.Errorf("the error of two rows, each of which counts four times, is %v", l.MCSE)
	}
	l.Rows[1].K = 0.8
	if total(l, nil); !math.IsNaN(l.MCSE) {
		t.Errorf("with a row beyond the threshold the error is %v", l.MCSE)
	}
}
