package report

import (
	"context"
	"database/sql"
	"math"
	"testing"
)

// value is what draws stores for parameter p, chain c, draw i.
func value(p, c, i int) float64 { return 1000*float64(p) + 10*float64(c) + float64(i)/1000 + 0.5 }

// The table functions give what a loop over the draws gives.
func TestMacros(t *testing.T) {
	l := open(t, Options{})
	f := sampleFit("f1")
	f.Parameters[0].Kind = "intercept"
	store(t, l, f)
	each := func(fn func(c, i int) float64) (mean float64) {
		for c := range f.Chains {
			for i := range f.Draws {
				mean += fn(c, i) / float64(f.Chains*f.Draws)
			}
		}
		return mean
	}
	for _, c := range []struct {
		query string
		want  float64
	}{
		{"SELECT mean FROM posterior('glu')", each(func(c, i int) float64 { return value(1, c, i) })},
		{"SELECT count(*) FROM posterior('%')", 5},
		{"SELECT count(*) FROM posterior('%', of_sampler := 'nuts')", 0},
		{"SELECT probability FROM probability('glu', 1015)",
			each(func(c, i int) float64 { return boolean(value(1, c, i) > 1015) })},
		{"SELECT mean FROM contrast('a b', 'glu')", 1000},
		{"SELECT p_positive FROM contrast('glu', 'a b')", 0},
		{"SELECT mean_rank FROM ranking([]) WHERE parameter = 'größe'", 1},
		{"SELECT p_first FROM ranking(['glu', 'a b']) WHERE parameter = 'glu'", 0},
		{"SELECT sum(mean_rank) FROM ranking(['glu', 'a b'])", 3},
		{"SELECT count(*) FROM odds_ratios(of_dataset := 'pima')", 4},
		{"SELECT ratio FROM odds_ratios(step := 0.001) WHERE parameter = 'glu'", (math.Exp(1.010599) + math.Exp(1.0205)) / 2},
		{"SELECT avg(linear) FROM scenario(MAP {'glu': 2.0, 'a b': -1})",
			each(func(c, i int) float64 { return value(0, c, i) + 2*value(1, c, i) - value(2, c, i) })},
	} {
		var got float64
		one(t, l, c.query, &got)
		if !(math.Abs(got-c.want) <= 1e-9*(1+math.Abs(c.want))) {
			t.Errorf("%s: %v, want %v", c.query, got, c.want)
		}
	}
	// A name is data, also where it looks like SQL.
	must(t, l.read(context.Background(), func(c *sql.Conn) error {
		var n int
		return c.QueryRowContext(context.Background(), "SELECT count(*) FROM posterior(?)", f.Parameters[3].Name).Scan(&n)
	}))
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
