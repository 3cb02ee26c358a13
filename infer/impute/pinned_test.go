package impute_test

import (
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/impute"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// states codes a design whose columns are states of incomplete columns: reads has for each column of the design the
// incomplete column that it is, −1 for none, and level the level that it is the indicator of, 0 for none.
type states struct{ reads, level []int }

func (s states) Moved(k int) (out []int) {
	for j, of := range s.reads {
		if of == k {
			out = append(out, j)
		}
	}
	return out
}

func (s states) Affine(k int) (slope, origin []float64, ok bool) {
	for _, j := range s.Moved(k) {
		if s.level[j] > 0 {
			return nil, nil, false
		}
		slope, origin = append(slope, 1), append(origin, 0)
	}
	return slope, origin, true
}

func (s states) Table(k int) (entries [][]float64, ok bool) {
	for _, j := range s.Moved(k) {
		if s.level[j] == 0 {
			return nil, false
		}
		row := make([]float64, 3)
		row[s.level[j]] = 1
		entries = append(entries, row)
	}
	return entries, true
}

func (s states) Code(_ int, of []float64, columns []int, dst []float64) {
	for i, j := range columns {
		switch v := of[s.reads[j]]; {
		case s.level[j] == 0:
			dst[i] = v
		case v == float64(s.level[j]):
			dst[i] = 1
		default:
			dst[i] = 0
		}
	}
}

const rows = 30

// u and v are the incomplete columns, with start values at missing cells; x is complete.
func x(i int) float64 { return float64(i*7%8-4) / 4 }
func u(i int) float64 { return float64(i*5%9-4) / 4 }
func v(i int) float64 { return float64(i * i % 3) }

// regression returns a design of an intercept, x and columns of states, and the response y.
func regression(family glm.Family, y func(i int) float64, coder states) (*glm.Data, glm.Model) {
	d := design.NewDense(rows, len(coder.reads))
	data := &glm.Data{X: d}
	model := glm.Model{Family: family, Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 2}}
	cell := make([]float64, 1)
	for i := range rows {
		data.Y = append(data.Y, y(i))
		d.Col(0)[i], d.Col(1)[i] = 1, x(i)
		for j := 2; j < len(coder.reads); j++ {
			coder.Code(i, []float64{u(i), v(i)}, []int{j}, cell)
			d.Col(j)[i] = cell[0]
		}
	}
	for j := range coder.reads {
		data.Names = append(data.Names, string(rune('a'+j)))
		model.Coefficients = append(model.Coefficients, prior.Prior{Kind: prior.Normal, Scale: 2})
	}
	return data, model
}

// TestPinned pins the draws of Version, and what no spec can ask for: chains after SetPosition. They are equal on every
// processor. If they must change, raise Version.
func TestPinned(t *testing.T) {
	const version = "impute/2"
	gaussian, bernoulli := glm.Family{Name: "gaussian", Link: "identity"}, glm.Family{Name: "bernoulli", Link: "logit"}
	poisson := glm.Family{Name: "poisson", Link: "log"}
	one := states{[]int{-1, -1, 0, 1}, []int{0, 0, 0, 0}}
	levels := states{[]int{-1, -1, 0, 1, 1}, []int{0, 0, 0, 1, 2}}
	count := func(i int) float64 { return float64(i * 3 % 4) }
	yes := func(i int) float64 { return float64(i * 5 / 3 % 2) }
	for _, c := range []struct {
		name, want string
		of         glm.Family // of v
		family     glm.Family
		y          func(i int) float64
		coder      states
	}{
		{"line of counts", "f2e2b31a63a42a9e", poisson, gaussian, count, one},
		{"counts of counts", "b1f4d0810ddbab16", poisson, poisson, count, one},
		{"yes of numbers", "97a4e9402e1df157", gaussian, bernoulli, yes, one},
		{"line of levels", "df6e0e202626ad6e", bernoulli, gaussian, count, levels},
		{"counts of levels", "3cc840ac587c0a82", bernoulli, poisson, count, levels},
	} {
		p := &impute.Problem{Rows: rows, Coder: c.coder, Response: "y", Row: func(row int) string { return string(rune('A' + row)) }}
		p.Data, p.Model = regression(c.family, c.y, c.coder)
		first, second := impute.Column{Name: "u"}, impute.Column{Name: "v"}
		for i := range rows {
			if i%4 == 1 {
				first.Missing = append(first.Missing, i)
			}
			if i%5 < 2 {
				second.Missing = append(second.Missing, i)
			}
		}
		first.Coder, second.Coder = states{[]int{-1, -1}, []int{0, 0}}, states{[]int{-1, -1, 0}, []int{0, 0, 0}}
		first.Data, first.Model = regression(gaussian, u, first.Coder.(states))
		second.Data, second.Model = regression(c.of, v, second.Coder.(states))
		if len(c.coder.reads) == 5 {
			second.Levels = []string{"lo", "mid", "hi"}
		}
		p.Columns = []impute.Column{first, second}
		setup, err := impute.New(p, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := infertest.Bits(t, setup); got != c.want || impute.Version != version {
			t.Errorf("%s: %s draws bits with hash %s, pinned are %s with %s", c.name, impute.Version, got, c.want, version)
		}
	}
}
