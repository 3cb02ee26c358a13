package report

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// value is the value that draws stores for parameter p, chain c, draw i.
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

// A name that no fit has ends each table function in an error that lists the names, whatever is asked of its rows.
func TestMacrosOfUnknownNames(t *testing.T) {
	l := open(t, Options{})
	empty, err := emptyLedger()
	must(t, err)
	must(t, os.WriteFile(l.path, empty, 0o600))
	wantInt(t, l, 0, "SELECT count(*) FROM posterior('nothing', of_model := 'none')") // without fits there is no name
	f, other := sampleFit("f1"), sampleFit("f2")
	other.Dataset, other.Model, other.Parameters[1].Name = "urban", "rates", "age"
	bare := sampleFit("f3")
	bare.Dataset, bare.DrawsOf = "bare", nil
	store(t, l, f, other, bare)
	for _, call := range []struct{ name, right, wrong string }{
		{"posterior", "'glu'", "'gul'"}, {"probability", "'glu', 0", "'gul', 0"}, {"odds_ratios", "", ""},
		{"contrast", "'glu', 'a b'", "'glu', 'ab'"}, {"ranking", "['glu', 'a b']", "['glu', 'ab']"},
		{"scenario", "MAP {'glu': 1}", "MAP {'gul': 1}"},
	} {
		for of, want := range map[string]string{
			"of_dataset := 'prima'":                     `no fit has the data set "prima": the data sets are bare, pima, urban`,
			"of_model := 'm2'":                          `no fit has the model "m2": the models are `,
			"of_sampler := 'nuts'":                      `no fit has the sampler "nuts": the samplers are `,
			"of_dataset := 'pima', of_model := 'rates'": `no fit has the data set "pima", the model "rates", the sampler "%" and the pipeline "%" together`,
			"of_dataset := 'bare'":                      "keep no draws",
			"":                                          `no fit has the parameter "`,
		} {
			args := call.right
			if of == "" {
				args = call.wrong
			}
			if of == "" && args == "" {
				continue
			}
			if of != "" && args != "" {
				args += ", "
			}
			queries := []string{"SELECT count(*) FROM %s WHERE dataset IN ('pima', 'urban')"}
			if call.name == "odds_ratios" {
				queries = []string{"SELECT * FROM %s", "SELECT count(*) FROM %s", "SELECT min(ratio) FROM %s WHERE parameter = 'glu'"}
			}
			for _, query := range queries {
				err := l.read(t.Context(), func(c *sql.Conn) error {
					var n any
					return c.QueryRowContext(t.Context(), fmt.Sprintf(query, call.name+"("+args+of+")")).Scan(&n)
				})
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf(query+": %v, want %s", call.name+"("+args+of+")", err, want)
				}
			}
		}
		wantInt(t, l, 1, "SELECT (count(*) > 0)::INT FROM "+call.name+"("+call.right+")")
	}
	wantInt(t, l, 1, "SELECT count(*) FROM posterior('age')") // of one fit alone
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
