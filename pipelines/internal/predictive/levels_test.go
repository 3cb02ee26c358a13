package predictive

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/internal/variate"
	"glmbatch/report/record"
)

// newcomers is a fit of two coefficients and (1 + x | g) + (1 | h), of which sd_h is fixed at 3, with known levels "a" and
// "b" of g and "k" of h; its rows are of levels that rows names.
func newcomers(t *testing.T, draws int, g, h []string) *example {
	t.Helper()
	e := newExample(len(g), 2, 1, draws, 4)
	levels := func(known, of []string) (*design.Grouping, []string) {
		codes, names := make([]int32, len(of)), slices.Clone(known)
		for i, level := range of {
			at := slices.Index(names, level)
			if at < 0 {
				at, names = len(names), append(names, level)
			}
			codes[i] = int32(at)
		}
		return design.NewGrouping(codes, len(names)), names
	}
	x := make([]float64, len(g))
	for i := range x {
		x[i] = 1 + float64(len(g[i]))
	}
	first := &design.Effects{Group: "g", Terms: []string{"Intercept", "x"}, Columns: [][]float64{nil, x}}
	second := &design.Effects{Group: "h", Terms: []string{"Intercept"}, Columns: [][]float64{nil}}
	first.Grouping, first.Levels = levels([]string{"a", "b"}, g)
	second.Grouping, second.Levels = levels([]string{"k"}, h)
	e.data.Effects = []*design.Effects{first, second}
	r := rand.New(rand.NewPCG(3, 4))
	add := func(value func() float64) {
		column := make([]float64, draws)
		for s := range column {
			column[s] = value()
		}
		e.beta = append(e.beta, column)
	}
	add(func() float64 { return 2 + 0.5*r.Float64() })
	add(func() float64 { return 0.5 })
	add(func() float64 { return -0.8 })
	for range 5 {
		add(r.NormFloat64)
	}
	e.fit.Params = len(e.beta)
	d := e.fit.Description
	d.Groups = []record.Group{
		{Grouping: "g", Levels: 2, SD: []record.Scalar{{Name: "Intercept", Parameter: 4}, {Name: "x", Parameter: 5}}, Cor: []int{6}},
		{Grouping: "h", Levels: 1, SD: []record.Scalar{{Name: "Intercept", Value: 3}}},
	}
	mu := &d.Responses[0].Components[0].Predictors[0]
	mu.Terms = append(mu.Terms, record.Term{Columns: []string{"Intercept", "x"}, First: 7, Group: 1},
		record.Term{Columns: []string{"Intercept"}, First: 11, Group: 2})
	e.fit.NewLevels = func(path ...string) *infer.Stream { return infer.NewStream(9, path...) }
	return e
}

// etas are the linear predictors of the rows at every draw, without those of the coefficients and offsets.
func (e *example) etas(t *testing.T) [][]float64 {
	t.Helper()
	out := make([][]float64, e.data.Rows())
	for b, err := range rowBlocks(t, on(t, &e.fit, gaussian, e.data, e.columns)) {
		must(t, err)
		for i := range b.Rows {
			out[b.First+i] = make([]float64, e.fit.Size())
			b.Row(0, i, out[b.First+i])
			for s := range out[b.First+i] {
				c := e.columns[1]
				out[b.First+i][s] -= e.data.Offset[b.First+i] + e.beta[0][s] + e.beta[1][s]*(e.data.X.Col(1)[b.First+i]*c.Scale+c.Centre)
			}
		}
	}
	return out
}

// Effects of a new level are those of a direct simulation: D·L·z at the scales of each draw, z the level's own normals,
// the same in all of its rows; known levels have their own effects.
func TestNewLevels(t *testing.T) {
	g, h := []string{"a", "new", "b", "new", "other"}, []string{"k", "k", "fresh", "fresh", "k"}
	e := newcomers(t, 40, g, h)
	normal := func(line uint64, path ...string) []float64 {
		z := make([]float64, 40)
		variate.NormalsAt(infer.NewStream(9, path...).Uint64(), line, 0, z)
		return z
	}
	sd, slope, cor := e.beta[3], e.beta[4], e.beta[5]
	for i, eta := range e.etas(t) {
		x := e.data.Effects[0].Columns[1][i]
		z, w, v := normal(0, "g", "Intercept\x00x", g[i]), normal(1, "g", "Intercept\x00x", g[i]), normal(0, "h", "Intercept", h[i])
		for s, got := range eta {
			want := map[string]float64{"a": e.beta[6][s] + x*e.beta[8][s], "b": e.beta[7][s] + x*e.beta[9][s]}[g[i]]
			if i%2 == 1 || g[i] == "other" {
				want = sd[s]*z[s] + x*slope[s]*(cor[s]*z[s]+math.Sqrt(1-cor[s]*cor[s])*w[s])
			}
			if h[i] == "k" {
				want += e.beta[10][s]
			} else {
				want += 3 * v[s]
			}
			if math.Abs(got-want) > 1e-12 {
				t.Fatalf("row %d, draw %d: %v, want %v", i, s, got, want)
			}
		}
	}
	e.fit.NewLevels = nil
	for i, eta := range e.etas(t) {
		if (g[i] == "new" || g[i] == "other") && h[i] == "k" && math.Abs(eta[3]-e.beta[10][3]) > 1e-12 {
			t.Errorf("row %d without effects of its level: %v, want %v", i, eta[3], e.beta[10][3])
		}
	}
}

// The effects of 4000 new levels at two draws have the moments of their distribution. False alarms: 1e-6 by 5 sd of
// each of 6 moments; power: a sd that is wrong by 8 %, or a correlation that is wrong by 0.03, is caught.
func TestNewLevelsHaveTheirMoments(t *testing.T) {
	const levels = 4000
	g, h := make([]string, levels), make([]string, levels)
	for i := range g {
		g[i], h[i] = fmt.Sprintf("level %d", i), "k"
	}
	e := newcomers(t, 2, g, h)
	law := &newLevels{&e.fit.Description.Groups[0], 0, e.fit.NewLevels}
	scales := singles{3: e.beta[3], 4: e.beta[4], 5: e.beta[5]}
	factors := law.factors(scales, 2)
	for s := range 2 {
		var a, b, ab float64
		for _, level := range g {
			r := law.draw(level, factors, 2)
			a, b, ab = a+r[s]*r[s], b+r[2+s]*r[2+s], ab+r[s]*r[2+s]
		}
		sd, slope, cor := e.beta[3][s], e.beta[4][s], e.beta[5][s]
		for _, c := range []struct {
			what                string
			got, want, relative float64
		}{
			{"variance of intercepts", a / levels, sd * sd, math.Sqrt(2)}, {"variance of slopes", b / levels, slope * slope, math.Sqrt(2)},
			{"covariance", ab / levels, cor * sd * slope, math.Sqrt(1 + 1/(cor*cor))},
		} {
			if math.Abs(c.got/c.want-1) > 5*c.relative/math.Sqrt(levels) {
				t.Errorf("draw %d: %s %v, want %v", s, c.what, c.got, c.want)
			}
		}
	}
}

// A level has the same effects for any rows before it, in any blocks, by any number of workers.
func TestNewLevelsOfAnyCompany(t *testing.T) {
	e := newcomers(t, 30, []string{"a", "new", "b", "new", "x", "y"}, []string{"k", "k", "fresh", "fresh", "k", "z"})
	want := e.etas(t)
	for _, workers := range []int{1, 2, 16} {
		for _, rows := range []int{1, 4} {
			e.fit.Workers, e.fit.bytes, e.fit.kept = workers, 8*30*rows, nil
			e.fit.Open = func() iter.Seq2[*infer.Columns, error] { return e.blocks(3) }
			if got := e.etas(t); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%d workers and blocks of %d rows change effects", workers, rows)
			}
		}
	}
	other := newcomers(t, 30, []string{"y", "x", "new", "a"}, []string{"z", "k", "fresh", "k"})
	got := other.etas(t)
	for i, at := range []int{5, 4, 3, 0} {
		for s := range 30 {
			if math.Abs(got[i][s]-want[at][s]) > 1e-12 {
				t.Fatalf("row %d in other company: %v, was %v", at, got[i][s], want[at][s])
			}
		}
	}
}

// Correlations of ±1 have factors, though their matrix is singular.
func TestNewLevelsOfSingularCorrelations(t *testing.T) {
	law := &newLevels{Group: &record.Group{SD: []record.Scalar{{Value: 1}, {Value: 2}, {Value: 3}}, Cor: []int{1, 2, 3}}}
	l := law.factors(singles{0: {1}, 1: {-1}, 2: {-1}}, 1)
	if want := []float64{1, 2, 0, -3, 0, 0}; !slices.Equal(l, want) {
		t.Errorf("factors %v, want %v", l, want)
	}
}

// Draws that were not kept are missed only where a row is of a level that has them.
func TestEffectsThatNoRowNeeds(t *testing.T) {
	e := newcomers(t, 2, []string{"a", "new"}, []string{"k", "k"})
	e.fit.Description.Responses[0].Components[0].Predictors[0].Terms[1].First = 0
	for level, want := range []string{"the draws have 1 group-level effects of 5 that the linear predictor needs", "<nil>"} {
		e.data.Effects[0].Grouping = design.NewGrouping([]int32{int32(2 * level), 2}, 3)
		if _, err := e.fit.On(e.data, Design{e.data, e.columns}); fmt.Sprint(err) != want {
			t.Errorf("a row of level %d: %v", 2*level, err)
		}
	}
}
