package nuts

import (
	"errors"
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/infertest"
)

// full is a matrix by rows, and by its inverse's.
type full struct {
	n          int
	a, inverse []float64
}

func (f full) Dim() int { return f.n }

func times(a, x, dst []float64) {
	for i := range dst {
		dst[i] = 0
		for j, v := range x {
			dst[i] = math.FMA(a[i*len(x)+j], v, dst[i])
		}
	}
}

func (f full) Mul(x, dst []float64)   { times(f.a, x, dst) }
func (f full) Solve(x, dst []float64) { times(f.inverse, x, dst) }

// The metrics that are made again from positions are those that the chain has
// after its windows, to rounding, whatever the metric.
func TestWindowsAreThoseOfTheChain(t *testing.T) {
	const warmup = 160 // windows end at 99 and 109
	for _, o := range []Options{{}, {Metric: "dense"}, {Metric: "low_rank"}, {Static: true}} {
		target := fixed(t, infertest.Cases()[0])
		s, err := New(target, o)
		must(t, err)
		made, err := s.Kernel(infer.Chain{Count: 1, Warmup: warmup, Stream: infer.NewStream(4)})
		must(t, err)
		k := made.(*kernel)
		var positions [][]float64
		metrics := map[int]*metric{0: k.space.metric}
		for i := range warmup {
			before := k.space.metric
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			theta := make([]float64, target.Dim())
			k.Position(theta)
			positions = append(positions, theta)
			if k.space.metric != before {
				metrics[i+1] = k.space.metric
			}
		}
		got, err := Windows(target, o, warmup, func(i int, theta []float64) error {
			copy(theta, positions[i])
			return nil
		})
		must(t, err)
		if len(got) != len(metrics) || len(got) < 2 {
			t.Fatalf("%+v: %d windows, the chain had %d", o, len(got), len(metrics))
		}
		for _, w := range got {
			have, want := w.metric.block(target.Dim()), metrics[w.After].block(target.Dim())
			for j := range want {
				if math.Abs(have[j]-want[j]) > 1e-8*(1+math.Abs(want[j])) {
					t.Errorf("%+v, after %d: entry %d is %v, the chain's %v", o, w.After, j, have[j], want[j])
				}
			}
		}
	}
}

// FᵀHF has the trace of MH, as many products as solutions undo, and is symmetric,
// for every kind of metric and for a block of it.
func TestPrecondition(t *testing.T) {
	low := unitMetric(3, false)
	low.m, low.scales = []float64{4, 1, 0.25}, []float64{0.5, 1, 2}
	low.withLowRank([]float64{9, 0.5}, []float64{0.6, 0.8, 0, 0, 0, 1})
	diagonal, err := newMetric(3, []float64{4, 1, 0.25}, false)
	must(t, err)
	dense, err := newMetric(3, []float64{2, 1, 0.5, 1, 3, 0.2, 0.5, 0.2, 1}, true)
	must(t, err)
	three := full{3, []float64{2, 1, 0, 1, 2, 0, 0, 0, 4}, []float64{2. / 3, -1. / 3, 0, -1. / 3, 2. / 3, 0, 0, 0, 0.25}}
	two := full{2, []float64{2, 1, 1, 2}, []float64{2. / 3, -1. / 3, -1. / 3, 2. / 3}}
	for name, m := range map[string]*metric{"diagonal": diagonal, "dense": dense, "low rank": low} {
		for _, h := range []full{three, two} {
			w := &Window{0, m}
			p, err := w.Precondition(h)
			must(t, err)
			trace, want := 0.0, 0.0
			block := m.block(h.n)
			columns := make([][]float64, h.n)
			for j := range h.n {
				unit, back := make([]float64, h.n), make([]float64, h.n)
				columns[j] = make([]float64, h.n)
				unit[j] = 1
				p.Mul(unit, columns[j])
				trace += columns[j][j]
				for l := range h.n {
					want += block[j*h.n+l] * h.a[l*h.n+j]
				}
				p.Solve(columns[j], back)
				back[j]--
				for _, v := range back {
					if math.Abs(v) > 1e-12 {
						t.Errorf("%s of %d: the solution of a product is off by %v", name, h.n, back)
					}
				}
			}
			if math.Abs(trace-want) > 1e-12*want {
				t.Errorf("%s of %d: trace %v, want %v", name, h.n, trace, want)
			}
			if math.Abs(columns[0][1]-columns[1][0]) > 1e-12 {
				t.Errorf("%s of %d: not symmetric: %v", name, h.n, columns)
			}
		}
	}
}

// The error of a position stops it, and options are those of New.
func TestWindowsRefuse(t *testing.T) {
	target := fixed(t, infertest.Cases()[0])
	gone := errors.New("gone")
	if _, err := Windows(target, Options{}, 50, func(int, []float64) error { return gone }); !errors.Is(err, gone) {
		t.Errorf("error %v, want that of the position", err)
	}
	var option *OptionError
	if _, err := Windows(target, Options{Metric: "round"}, 50, nil); !errors.As(err, &option) {
		t.Errorf("error %v, want an option's", err)
	}
	got, err := Windows(target, Options{}, 10, nil)
	if err != nil || !slices.Equal([]int{len(got), got[0].After}, []int{1, 0}) {
		t.Errorf("%v, error %v: want the one metric before any is learnt", got, err)
	}
}
