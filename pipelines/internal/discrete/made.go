package discrete

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"glmbatch/discrete/mrf"
	"glmbatch/discrete/system"
	"glmbatch/infer"
	"glmbatch/infer/prior"
	"glmbatch/pipelines/internal/spec"
)

var standardNormal = prior.Prior{Kind: prior.Normal, Scale: 1}

// FromGrid makes a rectangle of variables, with weights of its edges if a range is given,
// and noisy observations of its picture if it has one. image counts the noisy images from 0; each has noise of its own.
func FromGrid(name string, g *spec.Grid, image int) *Data {
	d := &Data{Variables: rectangle(name, g.Rows, g.Columns)}
	if g.Weights != nil {
		d.weigh(g)
	}
	if g.Picture == "" {
		return d
	}
	truth, observed := make([]float64, d.N), make([]float64, d.N)
	rng := infer.NewStream(g.Seed, "grid", "noise", strconv.Itoa(image))
	for i := range truth {
		truth[i] = shape(i/g.Columns, i%g.Columns, g.Rows, g.Columns)
		observed[i] = math.FMA(g.Noise, standardNormal.Draw(rng), 2*truth[i]-1)
	}
	d.columns = []column{{name: observationColumn, numbers: observed}, {name: truthColumn, numbers: truth}}
	return d
}

// weigh gives each edge of a grid a weight, uniform from g.Weights[0] to g.Weights[1], in
// the order of mrf.Grid.
func (d *Data) weigh(g *spec.Grid) {
	low, high := g.Weights[0], g.Weights[1]
	rng := infer.NewStream(g.Seed, "grid", "weights")
	d.edges, d.weights = []edge{}, true
	for _, e := range mrf.Grid(d.Rows, d.Columns, 1) {
		d.edges = append(d.edges, edge{i: e.I, j: e.J, weight: math.FMA(high-low, rng.Float64(), low)})
	}
}

// shape is the true state of a pixel: a disc, a frame, and bars of different widths.
func shape(row, col, rows, cols int) float64 {
	x, y := float64(col)/float64(cols), float64(row)/float64(rows)
	disc := math.FMA(x-0.3, x-0.3, float64((y-0.35)*(y-0.35))) < 0.04
	frame := x > 0.58 && x < 0.9 && y > 0.1 && y < 0.5 && !(x > 0.66 && x < 0.82 && y > 0.2 && y < 0.4)
	bars := y > 0.65 && y < 0.9 && math.Mod(float64(x*x*12), 1) < 0.5
	if disc || frame || bars {
		return 1
	}
	return 0
}

// everyThird is the distance between variables that have a skip link, which rewards
// equal labels.
const everyThird, skipReward = 3, 1.0

// FromSequences makes sequence number k, from 0, of labelling problems.
func FromSequences(ctx context.Context, name string, s *spec.Sequences, k int) (*Data, error) {
	d := &Data{Variables: system.Variables{Name: name, N: s.Length}, edges: []edge{}}
	rng := infer.NewStream(s.Seed, "sequence", "unary", strconv.Itoa(k))
	for a := range s.States {
		d.columns = append(d.columns, column{name: unaryColumn(a), numbers: make([]float64, d.N)})
	}
	for i := range d.N {
		for a := range s.States {
			d.columns[a].numbers[i] = float64(s.UnarySD * standardNormal.Draw(rng))
		}
	}
	pairs := table{name: "1"}
	rng = infer.NewStream(s.Seed, "sequence", "pair")
	for a := range s.States {
		for b := range s.States {
			pairs.entries = append(pairs.entries,
				entry{a: strconv.Itoa(a), b: strconv.Itoa(b), value: float64(s.PairSD * standardNormal.Draw(rng))})
		}
	}
	d.tables = []table{pairs}
	for i := range d.N - 1 {
		d.edges = append(d.edges, edge{int32(i), int32(i + 1), 0, 1})
	}
	if s.Skip > 0 {
		equal := table{name: strconv.Itoa(s.Skip)}
		for a := range s.States {
			equal.entries = append(equal.entries, entry{a: strconv.Itoa(a), b: strconv.Itoa(a), value: skipReward})
		}
		d.tables = append(d.tables, equal)
		for i := 0; i+s.Skip < d.N; i += everyThird {
			d.edges = append(d.edges, edge{int32(i), int32(i + s.Skip), 1, 1})
		}
	}
	return d, d.checkSize(ctx)
}

// unaryColumn is the column of log potentials of a state of sequences.
func unaryColumn(a int) string { return fmt.Sprintf("unary_%d", a) }

// madeFields are the columns of log potentials that sequences have; nil of other data.
func (d *Data) madeFields(states int) []string {
	if d.column(unaryColumn(0)) == nil {
		return nil
	}
	out := make([]string, states)
	for a := range out {
		out[a] = unaryColumn(a)
	}
	return out
}
