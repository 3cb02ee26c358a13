package report

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/html"
	"glmbatch/report/judge"
)

// pageNight stores a run of five fits: one that passes with all it can have, one
// that fails, one that erred, one without draws, and a replicate.
func pageNight(t *testing.T) *Ledger {
	t.Helper()
	l := open(t, Options{})
	storePageNight(t, l, true)
	return l
}

// storePageNight does without what ledgers of 0.1.0 did not have, or with divergent draws and classes of a response.
func storePageNight(t *testing.T, l *Ledger, whole bool) {
	t.Helper()
	fit := func(name string, change func(*Fit)) *Fit {
		f := sampleFit("f-" + name)
		f.Dataset, f.Verdict, f.DataHash = name, judge.Verdict{Grade: judge.Pass}, name
		f.Diagnostics = []Diagnostic{{Name: "rhat_max", Chain: -1, Value: 1.25},
			{Name: "ess_bulk_min", Chain: -1, Value: 123.456}}
		if whole {
			f.Diagnostics = append(f.Diagnostics, Diagnostic{Name: "divergences", Chain: -1, Value: 1})
		}
		f.StatsOf = func(yield func(*infer.Iterations, error) bool) {
			for c := range f.Chains {
				s := &infer.Iterations{Chain: c, First: -4}
				for i := range f.Draws + 5 { // five of the warm-up
					s.Infos = append(s.Infos, infer.Info{LogLik: -100 - math.Sin(float64(37*i+c)),
						Divergent: whole && (i == 2 || c == 1 && i == 15)})
				}
				if !yield(s, nil) {
					return
				}
			}
		}
		change(f)
		return f
	}
	good := fit("good", func(f *Fit) {
		f.Checks = []Check{{Statistic: "mean", Observed: 0.5, Mean: 0.4, SD: 0.1, Q025: 0.2, Q975: 0.6, P: 0.25,
			Replicates: 400}}
		if whole {
			f.Bins = []Bin{{Low: math.NaN(), High: 1, Observed: 3, Q025: 1, Q25: 2, Median: 3, Q75: 4, Q975: 5},
				{Low: 1, High: 2, Observed: 7, Q975: 9}}
		}
		f.LOO = &LOO{Outcomes: "o", Version: "1", Threshold: 0.7, Observations: 3, High: 1, WorstK: 0.9,
			ELPD: Estimate{Value: -6, SE: 1}}
		for i, k := range []float64{0.1, 0.9, 0.2} {
			f.LOO.Rows = append(f.LOO.Rows, Pointwise{ELPD: float64(-i - 1), K: k, Frequency: 1})
		}
	})
	bad := fit("bad", func(f *Fit) {
		f.Verdict, f.Group = judge.Verdict{Grade: judge.Fail,
			Reasons: []string{"R-hat 1.25 at glu exceeds 1.01 (1 of 5 parameters)"}}, "north"
		f.Summaries[0].Q75, f.Summaries[0].Q95, f.Summaries[0].Q975 = 0.5, 1.5, 2.5
		f.Summaries[3].ESSBulk, f.Summaries[1].RHat, f.Summaries[2] = 7, 1.25,
			diag.Summary{Mean: math.NaN(), ESSBulk: math.NaN(), RHat: math.NaN(), Reason: "r"}
	})
	erred := &Fit{Key: Key{Dataset: "missing", Group: "", Model: "diabetes", Sampler: "gibbs"}, Fingerprint: "f-e",
		RunID: "r1", Pipeline: "quickstart", Status: Erred,
		Verdict: judge.Verdict{Grade: judge.ErrorGrade, Reasons: []string{"missing.csv: no such file\nhint: look"}},
		Error:   "missing.csv: no such file", Created: night}
	summary := fit("lean", func(f *Fit) { f.DrawsOf = nil })
	repeated := fit("good", func(f *Fit) { f.Replicate, f.Fingerprint, f.DrawsOf = 2, "f-r", nil })
	ctx := context.Background()
	must(t, l.Write(ctx, func(s *Session) error {
		return errors.Join(
			s.Run(ctx, &Run{ID: "r0", Pipeline: "quickstart", Started: night.AddDate(0, 0, -1), Seed: 1}),
			s.Run(ctx, &Run{ID: "r1", Pipeline: "quickstart", Started: night, Finished: night.Add(90 * time.Second), ExitCode: 1,
				Seed: math.MaxUint64, Program: "p1"}),
			s.RunFits(ctx, []*RunFit{{Key: Key{Dataset: "held", Group: "", Model: "m", Sampler: "s"}, RunID: "r1",
				Action: Uncommitted, At: night}}))
	}))
	store(t, l, good, bad, erred, summary, repeated)
}

func TestPage(t *testing.T) {
	l := pageNight(t)
	t.Run("of a run", func(t *testing.T) { pageOfARun(t, l) })
	t.Run("holds the ledger's numbers", func(t *testing.T) { pageNumbers(t, l) })
	t.Run("of a choice", func(t *testing.T) { pageChoice(t, l) })
	t.Run("saved", func(t *testing.T) { savedPage(t, l) })
}

func pageOfARun(t *testing.T, l *Ledger) {
	p, err := l.Page(context.Background(), PageOptions{})
	must(t, err)
	var names []string
	for _, f := range p.Fits {
		names = append(names, f.Verdict+" "+html.Name(f))
	}
	want := []string{"error missing × diabetes × gibbs", "fail bad/north × diabetes × gibbs", " held × m × s",
		"pass good × diabetes × gibbs", "pass lean × diabetes × gibbs"}
	if !reflect.DeepEqual(names, want) {
		t.Errorf("fits in the order %q, want failures first and no replicate: %q", names, want)
	}
	if p.Run == nil || p.Run.ID != "r1" || p.Run.Seconds != 90 || *p.Run.ExitCode != 1 ||
		p.Run.Seed != "18446744073709551615" || len(p.Runs) != 2 {
		t.Errorf("the run is %+v, of %d", p.Run, len(p.Runs))
	}
	if c := p.Run.Counts; c["pass"] != 3 || c["fail"] != 1 || c["error"] != 1 {
		t.Errorf("verdicts are %v", c)
	}
	if !p.Made.Equal(night.Add(90 * time.Second)) {
		t.Errorf("made %v, want the end of the run", p.Made)
	}
	f := p.Fits[1]
	if f.RHatMax != 1.25 || f.ESSMin != 123.456 || f.Seconds != 6 || len(f.Advice) != 1 ||
		!strings.Contains(f.Advice[0], "chains do not agree") {
		t.Errorf("the fit that failed: %+v", f)
	}
	if e := p.Fits[0]; e.Detail != nil || !math.IsNaN(float64(e.Seconds)) ||
		!strings.Contains(e.Reasons[0], "hint: look") {
		t.Errorf("the fit that erred: %+v", e)
	}
}

// The numbers of a fit's page are those that SQL gives.
func pageNumbers(t *testing.T, l *Ledger) {
	ctx := context.Background()
	p, err := l.Page(ctx, PageOptions{})
	must(t, err)
	bad, good, lean := p.Fits[1].Detail, p.Fits[3].Detail, p.Fits[4].Detail
	i := 0
	must(t, l.read(ctx, func(c *sql.Conn) error {
		return scanRows(ctx, c, "SELECT name, mean, q975, rhat, ess_tail FROM summary WHERE fit_id = ? ORDER BY "+
			"parameter_id NULLS LAST", func(rows *sql.Rows) error {
			var name string
			var v [4]nullable
			err := rows.Scan(&name, &v[0], &v[1], &v[2], &v[3])
			c := &bad.Coefficients
			got := [4]nullable{nullable(c.Mean[i]), nullable(c.Q975[i]), nullable(c.RHat[i]), nullable(c.Tail[i])}
			for k := range v {
				if c.Name[i] != name || got[k] != v[k] && !(math.IsNaN(float64(got[k])) && math.IsNaN(float64(v[k]))) {
					t.Errorf("row %d: %s %v, in the ledger %s %v", i, c.Name[i], got, name, v)
				}
			}
			i++
			return err
		}, p.Fits[1].ID)
	}))
	if i != 6 || len(bad.Coefficients.Name) != 6 {
		t.Errorf("%d rows in the ledger, %d on the page", i, len(bad.Coefficients.Name))
	}
	var shown []string
	for _, s := range bad.Series {
		shown = append(shown, s.Name)
	}
	// unknown first, then the least bulk ESS, then as in the model
	if want := []string{"log_lik", "a b", `"'; DROP TABLE fit; --`, "(Intercept)", "glu",
		"größe"}; !reflect.DeepEqual(shown, want) {
		t.Errorf("draws are shown of %q, want %q", shown, want)
	}
	// the one divergent draw that is not of the warm-up
	if d := bad.Series[0].Divergent; len(d) != 1 || float64(d[0]) != -100-math.Sin(37*15+1) ||
		len(bad.Series[4].Divergent) != 1 {
		t.Errorf("log_lik at divergent draws is %v", d)
	}
	if s := bad.Series[4]; s.Prior != "normal(0, 10)" || s.Scale != 2 {
		t.Errorf("the prior of %v times glu is %q", s.Scale, s.Prior)
	}
	if s := bad.Series[4]; s.Low != 1000.5 || s.High != 1030.599 || s.Draws != 100 || len(s.Trace) != 4 {
		t.Errorf("glu is drawn from %v to %v, %d chains of %d draws", s.Low, s.High, len(s.Trace), s.Draws)
	}
	if s := lean.Series; len(s) != 1 || s[0].Name != "log_lik" || len(lean.Missing) != 1 ||
		!strings.Contains(lean.Missing[0], "keep: summary") {
		t.Errorf("without draws: %d series, %q", len(lean.Series), lean.Missing)
	}
	pageChecks(t, good)
}

// pageChecks are predictive checks and leave-one-out of the fit that has them.
func pageChecks(t *testing.T, good *html.Detail) {
	t.Helper()
	if c := good.Checks; len(c) != 1 || c[0].Observed != 0.5 || c[0].P != 0.25 || c[0].Replicates != 400 {
		t.Errorf("checks are %+v", c)
	}
	if b := good.Bins; len(b) != 2 || !math.IsNaN(float64(b[0].Low)) || b[0].High != 1 || b[0].Observed != 3 ||
		b[0].Quantiles != [5]html.Number{1, 2, 3, 4, 5} || b[1].Low != 1 || b[1].Quantiles[4] != 9 {
		t.Errorf("classes of the response are %+v", b)
	}
	if o := good.LOO; o.Rows != 3 || o.ELPD != -6 || o.High != 1 || !reflect.DeepEqual(o.Shown, []int64{1, 2, 3}) ||
		!reflect.DeepEqual(o.K, []html.Number{0.1, 0.9, 0.2}) {
		t.Errorf("leave-one-out is %+v", good.LOO)
	}
}

func pageChoice(t *testing.T, l *Ledger) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		o    PageOptions
		fits int
	}{
		"latest":     {PageOptions{Latest: true}, 4},
		"by number":  {PageOptions{Fits: []int64{1, 2}}, 2},
		"by name":    {PageOptions{Choose: func(k Key) bool { return k.Dataset == "good" }}, 1},
		"by run":     {PageOptions{Run: "r1"}, 5},
		"empty run":  {PageOptions{Run: "r0"}, 0},
		"a pipeline": {PageOptions{Pipeline: "quickstart"}, 5},
	} {
		p, err := l.Page(ctx, c.o)
		if err != nil || len(p.Fits) != c.fits {
			t.Errorf("%s: %d fits, error %v, want %d", name, len(p.Fits), err, c.fits)
		}
	}
	for name, o := range map[string]PageOptions{"run": {Run: "r7"}, "fit": {Fits: []int64{77}},
		"pipeline": {Pipeline: "other"}, "choice": {Choose: func(Key) bool { return false }}} {
		var none *NoFitsError
		if _, err := l.Page(ctx, o); !errors.As(err, &none) || !strings.Contains(err.Error(), "hint: ") {
			t.Errorf("%s that is not there: %v", name, err)
		}
	}
	p, err := l.Page(ctx, PageOptions{Fits: []int64{1}, Parameters: []string{"g*"}})
	if err != nil || len(p.Fits[0].Detail.Series) != 3 || p.Fits[0].Detail.Series[1].Name != "glu" {
		t.Errorf("named parameters: error %v, %d series", err, len(p.Fits[0].Detail.Series))
	}
}

// The same ledger gives the same bytes, and an earlier page stays if the new one cannot be written.
func savedPage(t *testing.T, l *Ledger) {
	ctx, dir := context.Background(), t.TempDir()
	to := filepath.Join(dir, "night.html")
	must(t, os.WriteFile(to, []byte("old"), 0o600))
	must(t, l.SavePage(ctx, to, PageOptions{}))
	first, err := os.ReadFile(to)
	must(t, err)
	var again bytes.Buffer
	must(t, l.WritePage(ctx, &again, PageOptions{}))
	if !bytes.Equal(first, again.Bytes()) || !bytes.Contains(first, []byte("bad/north × diabetes × gibbs")) {
		t.Errorf("two pages of one ledger differ: %d and %d bytes", len(first), again.Len())
	}
	var failed *PutError
	for _, path := range []string{dir, filepath.Join(dir, "no", "page.html"), l.Path()} {
		if err := l.SavePage(ctx, path, PageOptions{}); !errors.As(err, &failed) || !strings.Contains(err.Error(), "hint: ") {
			t.Errorf("saving to %s: %v", path, err)
		}
	}
	var none *NoFitsError
	if err := l.SavePage(ctx, to, PageOptions{Run: "r7"}); !errors.As(err, &none) {
		t.Errorf("a page of nothing: %v", err)
	}
	left, err := os.ReadDir(dir)
	must(t, err)
	if kept, err := os.ReadFile(to); err != nil || !bytes.Equal(kept, first) || len(left) != 1 {
		t.Errorf("after failures %d files are left, error %v", len(left), err)
	}
	var missing *MissingError
	empty := open(t, Options{})
	if _, err := empty.Page(ctx, PageOptions{}); !errors.As(err, &missing) {
		t.Errorf("without a ledger: %v", err)
	}
}
