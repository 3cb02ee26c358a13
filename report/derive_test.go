package report

import (
	"context"
	"iter"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// derivedFit is sampleFit whose last two parameters are derived.
func derivedFit(fingerprint string) *Fit {
	f := sampleFit(fingerprint)
	for i, name := range []string{"ratio", "größer"} {
		f.Parameters[3+i] = Parameter{Name: name, Kind: Derived, Scale: 1,
			Derivation: &Derivation{Expression: `exp("x") > 'y'` + name, NaN: i, Infinite: 3, At: "x"}}
	}
	return f
}

// Derived quantities come back with a stored fit, apart from its parameters.
func TestDerivedStored(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	store(t, l, derivedFit("f1"), sampleFit("f2"))
	got, err := l.Stored(ctx, nil)
	must(t, err)
	want := []Expression{{Name: "ratio", Text: `exp("x") > 'y'ratio`}, {Name: "größer", Text: `exp("x") > 'y'größer`}}
	if !reflect.DeepEqual(got["f1"].Derived, want) || got["f2"].Derived != nil || !got["f1"].Kept {
		t.Errorf("stored %+v and %+v", got["f1"], got["f2"])
	}
	e, err := l.Evidence(ctx, "f1")
	must(t, err)
	if len(e.Names) != 3 || len(e.Summaries) != 3 || len(e.Derived) != 2 || e.Derived[1].Name != "größer" ||
		e.Derived[1].Summary.Mean != 4 {
		t.Errorf("evidence %+v", e)
	}
	wantInt(t, l, 1, `SELECT count(*) FROM derived WHERE fit_id = 1 AND parameter_id = 5 AND nan_draws = 1 AND inf_draws = 3 AND first_at = 'x'`)
}

// Derive replaces the derived quantities of one fit, their draws and the
// verdict, and nothing else; an error leaves all as it was.
func TestDerive(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	store(t, l, derivedFit("f1"), derivedFit("f2"))
	later := night.Add(time.Hour)
	d := &Derivations{Fingerprint: "f1", RunID: "r2", First: 3, Chains: 4, Draws: 100, At: later,
		Verdict:    judge.Verdict{Grade: judge.Fail, Reasons: []string{"why"}},
		Parameters: []Parameter{{Name: "new", Kind: Derived, Scale: 1, Derivation: &Derivation{Expression: "a - b"}}},
		Summaries:  []diag.Summary{{Mean: 7, RHat: math.NaN()}},
		DrawsOf:    shifted(draws(1, 4, 100, 1), 3)}
	const other = `SELECT count(*) FROM draw WHERE fit_id = 2 OR parameter_id < 4`
	before := 5*400 + 3*400
	wantInt(t, l, before, other)
	wrong := *d
	wrong.DrawsOf = draws(1, 4, 100, 1)
	err := l.Write(ctx, func(s *Session) error { return s.Derive(ctx, &wrong) })
	if err == nil || !strings.Contains(err.Error(), "where those from 4 of 4") {
		t.Errorf("misplaced draws: %v", err)
	}
	wantInt(t, l, 2, `SELECT count(*) FROM derived WHERE fit_id = 1`)
	wantInt(t, l, 1, `SELECT count(*) FROM fit WHERE fit_id = 1 AND verdict = 'warn' AND n_parameters = 5`)

	must(t, l.Write(ctx, func(s *Session) error { return s.Derive(ctx, d) }))
	wantInt(t, l, before, other)
	wantInt(t, l, 400, `SELECT count(*) FROM draws WHERE fit_id = 1 AND parameter = 'new' AND value < 100`)
	wantInt(t, l, 400, `SELECT count(*) FROM draw WHERE fit_id = 1 AND parameter_id > 3`)
	wantInt(t, l, 1, `SELECT count(*) FROM derived WHERE fit_id = 1 AND parameter_id = 4 AND expression = 'a - b' AND first_at IS NULL`)
	wantInt(t, l, 1, `SELECT count(*) FROM summary WHERE fit_id = 1 AND parameter_id > 3 AND name = 'new' AND kind = 'derived' AND rhat IS NULL`)
	wantInt(t, l, 1, `SELECT count(*) FROM fit WHERE fit_id = 1 AND verdict = 'fail' AND n_parameters = 4 AND judged > created`)
	wantInt(t, l, 1, `SELECT count(*) FROM event WHERE fit_id = 1 AND message LIKE 'derived%'`)

	d.Parameters, d.Summaries, d.DrawsOf = nil, nil, nil
	must(t, l.Write(ctx, func(s *Session) error { return s.Derive(ctx, d) }))
	wantInt(t, l, 0, `SELECT (SELECT count(*) FROM derived WHERE fit_id = 1) + (SELECT count(*) FROM draw WHERE fit_id = 1 AND parameter_id > 3)`)
	wantInt(t, l, 2, `SELECT count(*) FROM derived WHERE fit_id = 2`)
	d.Fingerprint = "none"
	if err := l.Write(ctx, func(s *Session) error { return s.Derive(ctx, d) }); err == nil {
		t.Error("a fit that is not there was derived")
	}
}

// shifted numbers the columns of seq from first on.
func shifted(seq iter.Seq2[*infer.Columns, error], first int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		for c, err := range seq {
			c.First += first
			if !yield(c, err) {
				return
			}
		}
	}
}

// Draws are read back by their place.
func TestReadDraws(t *testing.T) {
	l, ctx := sampled(t), context.Background()
	block := &infer.Columns{First: 2, Params: 2, Chains: 4, Draws: 100}
	must(t, l.ReadDraws(ctx, 1, block))
	got := block.Values
	for p := range 2 {
		for c := range 4 {
			for i := range 100 {
				if v, want := got[(p*4+c)*100+i], 1000*float64(p+2)+10*float64(c)+float64(i)/1000+0.5; v != want {
					t.Fatalf("parameter %d, chain %d, draw %d: %v, want %v", p, c, i, v, want)
				}
			}
		}
	}
	block.First = 4
	if err := l.ReadDraws(ctx, 1, block); err == nil {
		t.Error("a parameter too many was not seen")
	}
}

// Ties leave diagnostics of a derived quantity open without harm; a draw
// without a value is a reason to fail.
func TestDerivedGates(t *testing.T) {
	fine := diag.Summary{RHat: 1, ESSBulk: 4000, ESSTail: 4000}
	nan := math.NaN()
	for _, c := range []struct {
		s    diag.Summary
		want string
	}{
		{fine, ""},
		{diag.Summary{Mean: 1, RHat: nan, ESSBulk: nan, ESSTail: nan, Reason: "all draws are equal"}, ""},
		{diag.Summary{Mean: 0.3, RHat: 1, ESSBulk: 100, ESSTail: nan}, "bulk ESS 100 at p is below 400"},
		{diag.Summary{Mean: nan, RHat: nan, ESSBulk: nan, ESSTail: nan, Reason: "3 of 9 draws"},
			"R-hat of p cannot be computed: 3 of 9 draws"},
		{diag.Summary{Mean: nan, RHat: 1, ESSBulk: 4000, ESSTail: nan, Reason: "infinite"},
			"tail ESS of p cannot be computed: infinite"},
	} {
		v := judge.Judge(judge.Defaults(), judge.Evidence{Names: []string{"a"}, Summaries: []diag.Summary{fine},
			Derived: []judge.Statistic{{Name: "p", Summary: c.s}}})
		if got := strings.Join(v.Reasons, "; "); (c.want == "") != (v.Grade == judge.Pass) ||
			!strings.HasPrefix(got, c.want) {
			t.Errorf("%+v: %s, %q, want %q", c.s, v.Grade, got, c.want)
		}
	}
}
