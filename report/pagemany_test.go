package report

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"glmbatch/report/html"
	"glmbatch/report/judge"
)

// largeRun returns n small fits by ten samplers each, the first of which fail; without draws if bare.
func largeRun(n, failed int, bare bool) []*Fit {
	fits := nightFits(n, 0)
	for i, f := range fits {
		f.Dataset, f.Group, f.Sampler = "regions", fmt.Sprintf("r%04d", i/10), fmt.Sprint("s", i%10)
		f.DataHash, f.ModelHash = f.Group, "m"
		f.Times = Times{Setup: 1e-3 * float64(i), Warmup: 1e-4 * float64(i), Sampling: 1e-5 * float64(i)}
		f.Diagnostics = append(f.Diagnostics, Diagnostic{Name: "rhat_max", Chain: -1, Value: 1 + 1e-5*float64(i)},
			Diagnostic{Name: "ess_bulk_min", Chain: -1, Value: 100 + float64(i)})
		for j := range f.Summaries {
			f.Summaries[j].Mean, f.Summaries[j].SD, f.Summaries[j].ESSBulk, f.Summaries[j].MCSEMean = float64(i%10+j), 1, 300, .05
		}
		if i < failed {
			f.Verdict = judge.Verdict{Grade: judge.Fail, Reasons: []string{fmt.Sprintf(
				"R-hat %.3f at x%d exceeds 1.01 (1 of 6 parameters)", 1.02+1e-4*float64(i), i%6)}}
		}
		if bare {
			f.DrawsOf, f.StatsOf = nil, nil
		}
	}
	return fits
}

// pageOf is the newest fits as a page, with its text.
func pageOf(t *testing.T, fits []*Fit, o PageOptions) (*html.Page, string) {
	t.Helper()
	l := open(t, Options{})
	must(t, l.Write(t.Context(), joined(t.Context(), fits)))
	p, err := l.Page(context.Background(), o)
	must(t, err)
	var out bytes.Buffer
	must(t, html.Write(&out, p))
	return p, out.String()
}

// A page with many fits has all of them in its table, and details of the worst alone: what is read and written of a fit
// that passes is a row. Its size is held here for 1,000 fits, and for 20,000 by TestManyFits of report/html.
func TestPageOfManyFits(t *testing.T) {
	const n = 1000
	for _, failed := range []int{0, 300} {
		p, text := pageOf(t, largeRun(n, failed, true), PageOptions{Latest: true})
		want, details := min(failed, pageWorst), 0
		for i, f := range p.Fits {
			if f.Detail != nil {
				details++
			}
			if i >= want && f.Detail != nil || i < failed != (f.Verdict == "fail") {
				t.Errorf("%d failed: fit %d is %s with details: %v", failed, i, f.Verdict, f.Detail != nil)
			}
			if i < want && len(f.Reasons) != 1 || i < failed && len(f.Why) != 1 || i >= want && len(f.Reasons) != 0 {
				t.Errorf("%d failed: fit %d has reasons %q and %q", failed, i, f.Reasons, f.Why)
			}
		}
		if len(p.Fits) != n || p.Pages != want || details != want {
			t.Errorf("%d failed: %d fits, %d pages, %d details; want %d, %d, %d", failed, len(p.Fits), p.Pages, details, n, want, want)
		}
		// 45 pairs of ten samplers on each of 100 posteriors, whose means differ by 1 to 9 sds
		if len(p.Pairs) != pagePairs || p.Agreement.Pairs != 45*n/10 || p.Agreement.Differ != 45*n/10 {
			t.Errorf("%d failed: %d pairs of %+v", failed, len(p.Pairs), p.Agreement)
		}
		notes := strings.Join(p.Notes, "\n")
		if !strings.Contains(notes, fmt.Sprintf("%d of %d fits have a page of their own", want, n)) ||
			!strings.Contains(notes, fmt.Sprintf("%d of %d pairs", pagePairs, 45*n/10)) {
			t.Errorf("%d failed: the notes are %q", failed, notes)
		}
		if limit := 1_000_000 + 20_000*want; len(text) > limit {
			t.Errorf("%d failed: the page has %d bytes, more than %d", failed, len(text), limit)
		}
	}
}

// The plots of a page with many fits have a limit of their own.
func TestPlotsOfManyFits(t *testing.T) {
	p, text := pageOf(t, largeRun(pageAll+1, 30, false), PageOptions{Latest: true})
	all := 0
	for _, f := range p.Fits {
		if f.Detail != nil {
			all += len(f.Detail.Series)
		}
	}
	if all == 0 || all > pageAllSeries/2 {
		t.Errorf("%d quantities have plots, want some and at most %d", all, pageAllSeries/2)
	}
	if len(text) > 3_000_000 {
		t.Errorf("the page has %d bytes", len(text))
	}
	p, _ = pageOf(t, largeRun(pageAll, 0, true), PageOptions{Latest: true})
	if p.Pages != pageAll || len(p.Notes) != 1 || p.Fits[pageAll-1].Detail == nil { // of pairs
		t.Errorf("%d fits have %d pages, with the notes %q", pageAll, p.Pages, p.Notes)
	}
}

// A page of many fits that moved has those that moved most.
func TestDriftOfManyFits(t *testing.T) {
	r := &pageReader{page: &html.Page{}}
	for i := range 300 {
		for night := range 2 {
			r.page.Drift = append(r.page.Drift, html.Drift{Dataset: fmt.Sprintf("d%03d", i), Shift: html.Number(i + night)})
		}
	}
	must(t, r.shorten())
	if d := r.page.Drift; len(d) != 2*pageMoved || d[0].Dataset != "d200" || d[1].Dataset != "d200" ||
		!strings.Contains(strings.Join(r.page.Notes, ""), "100 of 300 fits, those that moved most") {
		t.Errorf("%d drifts are left, from %q; the notes are %q", len(d), d[0].Dataset, r.page.Notes)
	}
}
