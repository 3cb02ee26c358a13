package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"glmbatch/report/html"
	"glmbatch/report/judge"
)

// Limits of a page with many fits, so that a browser opens it.
const (
	pageAll      = 200 // fits that all have a page of their own
	pageWorst    = 100 // of more fits: the worst of those that need attention
	pagePairs    = 500 // pairs of samplers, and models by leave-one-out
	pageMoved    = 100 // fits of more with drifts: those that moved most
	pageFindings = 50  // findings
	pageCause    = 100 // characters of a cause of a fit without a page of its own
)

// paged counts the fits that have a page of their own. They are the first of the list, which begins with the worst.
func (r *pageReader) paged() int {
	fits := r.page.Fits
	if len(fits) <= pageAll {
		return len(fits)
	}
	well := slices.IndexFunc(fits, func(f html.Fit) bool { return !f.Stale && f.Verdict == string(judge.Pass) })
	if well < 0 {
		well = len(fits)
	}
	return min(well, pageWorst)
}

// shorten removes from a page with many fits what is too long for it, and notes that. The ledger has all of it.
func (r *pageReader) shorten() error {
	p := r.page
	if n := len(p.Fits); p.Pages < n {
		p.Notes = append(p.Notes, fmt.Sprintf("%d of %d fits have a page of their own, with results and plots: the worst of "+
			"those that need attention. A page of another fit: pipeline report --fit NUMBER. The table lists every fit.",
			p.Pages, n))
	}
	for i := p.Pages; i < len(p.Fits); i++ {
		shortFit(&p.Fits[i])
	}
	p.Said = firstOf(p, p.Said, pageFindings, "findings, the worst first. pipeline show --attention prints all")
	p.Pairs = firstOf(p, p.Pairs, pagePairs, "pairs of samplers, disagreement first. pipeline compare prints all")
	p.LOO = firstOf(p, p.LOO, pagePairs, "models by leave-one-out. The view loo_compare has all")
	r.shortenDrift()
	return nil
}

// firstOf returns at most limit of the rows, and notes how many of what are shown if there are more.
func firstOf[T any](p *html.Page, rows []T, limit int, what string) []T {
	if len(rows) <= limit {
		return rows
	}
	p.Notes = append(p.Notes, fmt.Sprintf("This page has %d of %d %s.", limit, len(rows), what))
	return rows[:limit]
}

// shortFit keeps the row of a fit in the table.
func shortFit(f *html.Fit) {
	none := html.Number(math.NaN())
	f.Reasons, f.Advice, f.Created = []string{}, []string{}, f.Created.Truncate(time.Second)
	f.Setup, f.WarmupTime, f.Sampling = none, none, none
	for i, why := range f.Why {
		if text := []rune(why); len(text) > pageCause {
			f.Why[i] = string(text[:pageCause-1]) + "…"
		}
	}
	f.Why = f.Why[:min(len(f.Why), 2)]
}

// shortenDrift keeps the drifts of the fits that moved most.
func (r *pageReader) shortenDrift() {
	p := r.page
	most := map[name]float64{}
	for i := range p.Drift {
		d := &p.Drift[i]
		if shift := float64(d.Shift); !math.IsNaN(shift) {
			most[driftName(d)] = max(most[driftName(d)], shift)
		} else {
			most[driftName(d)] += 0
		}
	}
	if len(most) <= pageAll {
		return
	}
	names := make([]name, 0, len(most))
	for i := range p.Drift { // in their order, each once
		if n := driftName(&p.Drift[i]); i == 0 || n != names[len(names)-1] {
			names = append(names, n)
		}
	}
	slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(most[b], most[a]) })
	kept := map[name]bool{}
	for _, n := range names[:pageMoved] {
		kept[n] = true
	}
	p.Drift = slices.DeleteFunc(p.Drift, func(d html.Drift) bool { return !kept[driftName(&d)] })
	p.Notes = append(p.Notes, fmt.Sprintf("This page has the drift of %d of %d fits, those that moved most. pipeline "+
		"drift prints all.", pageMoved, len(names)))
}

func driftName(d *html.Drift) name {
	return name{d.Pipeline, Key{Dataset: d.Dataset, Group: d.Key, Model: d.Model, Sampler: d.Sampler}}
}
