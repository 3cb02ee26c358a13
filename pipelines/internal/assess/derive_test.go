package assess

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/judge"
	"glmbatch/transform"
)

// derivedOf binds expressions to the parameters a … g.
func derivedOf(t *testing.T, texts ...string) (out []Quantity) {
	t.Helper()
	for _, text := range texts {
		d, err := transform.ParseDerived(text)
		must(t, err)
		q, err := d.Bind(&transform.Fitted{Names: []string{"a", "b", "c", "d", "e", "f", "g"}})
		must(t, err)
		out = append(out, Quantity{&spec.Derivation{Name: text, Expression: d}, q})
	}
	return out
}

// Derived quantities by blocks equal those of all draws at once, to the bit, and
// only the columns that they name are read.
func TestDeriveByBlocks(t *testing.T) {
	const params, chains, draws = 7, 2, 30
	qs := derivedOf(t, "a - g", "log(c)", "b * c + f", "c", "exp(g) > a / c")
	value := func(p, i int) float64 { return math.Sin(float64(p*1000 + i)) }
	var want [][]float64
	for _, bytes := range []int{1 << 20, 1, 8 * chains * draws * 3, 8 * chains * draws * 5} {
		var read []int
		d := &Deriving{quantities: qs, first: params, chains: chains, draws: draws, bytes: bytes,
			read: func(dst []float64, lo, hi int) error {
				if len(dst) != (hi-lo)*chains*draws || 8*len(dst) > max(bytes, 8*chains*draws) {
					t.Errorf("bound of %d bytes: %d places for columns %d to %d", bytes, len(dst), lo, hi)
				}
				for p := lo; p < hi; p++ {
					read = append(read, p)
					for i := range chains * draws {
						dst[(p-lo)*chains*draws+i] = value(p, i)
					}
				}
				return nil
			}}
		var got [][]float64
		for block, err := range d.Blocks() {
			if err != nil || block.First != params+len(got) {
				t.Fatalf("block at %d: %v", block.First, err)
			}
			for p := range block.Params {
				got = append(got, slices.Clone(block.Values[p*chains*draws:(p+1)*chains*draws]))
			}
		}
		if want == nil {
			want = got
			if !slices.Equal(read, []int{0, 1, 2, 5, 6}) {
				t.Errorf("columns %v were read", read)
			}
		}
		for k := range want {
			for i, v := range want[k] {
				if math.Float64bits(v) != math.Float64bits(got[k][i]) {
					t.Fatalf("bound of %d bytes: quantity %d, draw %d: %v, want %v", bytes, k, i, got[k][i], v)
				}
			}
		}
		nan := 0
		for _, v := range want[1] {
			if math.IsNaN(v) {
				nan++
			}
		}
		if u := d.undefined[1]; u.NaN != nan || nan == 0 || u.At != "log(c)" {
			t.Errorf("%d draws without value, found %+v", nan, u)
		}
	}
	for i := range chains * draws {
		if v := value(0, i) - value(6, i); want[0][i] != v {
			t.Fatalf("draw %d: %v, want %v", i, want[0][i], v)
		}
	}
}

// A run does not continue for a quantity whose draws have no value, and does for one that lacks draws.
func TestDerivedTarget(t *testing.T) {
	fine := diag.Summary{RHat: 1, ESSBulk: 4000, ESSTail: 4000}
	for _, c := range []struct {
		s    diag.Summary
		want bool
	}{{fine, true}, {diag.Summary{Mean: math.NaN(), RHat: math.NaN()}, true}, {diag.Summary{RHat: 1, ESSBulk: 10, ESSTail: 4000}, false}} {
		f := &plan.Fit{Pipeline: new(spec.Pipeline), Model: new(spec.Model), Gates: judge.Defaults()}
		p := &Prepared{Identified: &plan.Identified{Fit: f, Problem: quiet{}}, Setup: new(plan.Setup), Quantities: derivedOf(t, "a")}
		m := &Measured{Parameters: []diag.Summary{fine}, logLik: fine, Derived: []diag.Summary{c.s}}
		if got := p.reached(m); got != c.want {
			t.Errorf("%+v: reached is %v", c.s, got)
		}
	}
}

// quiet is a problem that says nothing of itself.
type quiet struct{ plan.Problem }

func (quiet) Facts() plan.Facts    { return plan.Facts{} }
func (quiet) Method() *plan.Method { return &plan.Method{} }

// A linear form of each draw is its constant and weighted columns; what has no finite value is counted as text.
func TestLinearForms(t *testing.T) {
	d := &Deriving{first: 3, chains: 1, draws: 2, bytes: 1, read: func(dst []float64, lo, hi int) error {
		for p := lo; p < hi; p++ {
			dst[(p-lo)*2], dst[(p-lo)*2+1] = float64(p), float64(10*p)
		}
		return nil
	}}
	got, err := d.linear([]transform.Form{{Constant: 3, Columns: []int{1, 2}, Weights: []float64{2, 0.5}}, {Constant: -1}})
	if err != nil || !slices.Equal(got[0], []float64{6, 33}) || !slices.Equal(got[1], []float64{-1, -1}) {
		t.Errorf("%v, %v", got, err)
	}
	for want, u := range map[string]transform.Undefined{"": {}, "2 of 9 draws have no value, first in log(x)": {NaN: 2, At: "log(x)"},
		"3 of 9 draws are infinite, first in exp(x)":                            {Infinite: 3, At: "exp(x)"},
		"1 of 9 draws have no value, 3 of 9 draws are infinite, first in 1 / x": {NaN: 1, Infinite: 3, At: "1 / x"}} {
		if got := undefined(u, 9); got != want {
			t.Errorf("%+v: %q, want %q", u, got, want)
		}
	}
}
