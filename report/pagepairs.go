package report

import (
	"math"
	"slices"

	"glmbatch/report/html"
)

// posterior names a pipeline, a data set, a group of it and a model.
type posterior struct{ pipeline, dataset, group, model string }

// posteriors are those of the shown fits.
func (r *pageReader) posteriors() map[posterior]bool {
	out := map[posterior]bool{}
	for i := range r.page.Fits {
		f := &r.page.Fits[i]
		out[posterior{f.Pipeline, f.Dataset, f.Key, f.Model}] = true
	}
	return out
}

// pairs compares the newest fits of the shown posteriors, disagreement first.
func (r *pageReader) pairs() error {
	costs, err := readCosts(r.ctx, r.c)
	if err != nil {
		return err
	}
	all, err := readPairs(r.ctx, r.c, costs, r.o.Pipeline, "", "")
	if err != nil {
		return err
	}
	sizes := map[int64][2]int64{}
	err = readMap(r.ctx, r.c, sizes, "SELECT fit_id, n_rows, n_columns FROM latest")
	shown := r.posteriors()
	for i := range all {
		c := &all[i]
		if shown[posterior{c.Pipeline, c.Dataset, c.Group, c.Model}] {
			size := sizes[c.A.fit]
			p := pairOf(c)
			p.Rows, p.Columns = size[0], int(size[1])
			r.page.Pairs = append(r.page.Pairs, p)
		}
	}
	order := []string{"differ", "unknown", "agree"}
	for i := range r.page.Pairs {
		r.page.Agreement.Add(&r.page.Pairs[i])
	}
	slices.SortStableFunc(r.page.Pairs, func(a,
		b html.Pair) int {
		return slices.Index(order, a.Agreement) - slices.Index(order, b.Agreement)
	})
	return err
}

func pairOf(c *Comparison) html.Pair {
	p := html.Pair{Pipeline: c.Pipeline, Dataset: c.Dataset, Key: c.Group, Model: c.Model, A: costOf(&c.A),
		B:         costOf(&c.B),
		Agreement: c.Agreement,
		ZMax:      html.Number(c.ZMax), ZLimit: html.Number(c.ZLimit), NotCompared: c.NotCompared, Replicates: c.Pairs,
		Ratio: intervalOf(c.RatioMedian), RatioMin: intervalOf(c.RatioMin), RatioLogLik: intervalOf(c.RatioLogLik)}
	if c.Worst != nil {
		p.Worst = *c.Worst
	}
	return p
}

func costOf(c *Cost) html.Cost {
	return html.Cost{Sampler: c.Sampler, Method: c.Method, Verdict: c.Verdict, Fits: c.Fits,
		PerSec: intervalOf(c.ESSPerSecond), MinSec: intervalOf(c.MinESSPerSecond),
		ToESS: intervalOf(c.ToMedian), ToMin: intervalOf(c.ToMin)}
}

func intervalOf(i Interval) html.Interval {
	return html.Interval{html.Number(i.Value), html.Number(i.Low), html.Number(i.High)}
}

// ranked reads the models of the shown data sets by leave-one-out, where there
// are several.
func (r *pageReader) ranked() error {
	datasets := map[[3]string]bool{}
	for i := range r.page.Fits {
		f := &r.page.Fits[i]
		datasets[[3]string{f.Pipeline, f.Dataset, f.Key}] = true
	}
	count := map[[3]string]int{}
	var all []html.Ranked
	err := read(r.ctx, r.c, &all, `SELECT pipeline, dataset, key, model, sampler, elpd_diff AS diff, se_diff AS se,
		elpd_loo AS elpd, note FROM loo_compare
		ORDER BY pipeline, dataset, key, outcomes, elpd_diff DESC NULLS LAST, fit_id`)
	for _, m := range all {
		count[[3]string{m.Pipeline, m.Dataset, m.Key}]++
	}
	for _, m := range all {
		if at := [3]string{m.Pipeline, m.Dataset, m.Key}; datasets[at] && count[at] > 1 {
			r.page.LOO = append(r.page.LOO, m)
		}
	}
	return err
}

// drift compares the shown fits and those before them with their predecessors.
func (r *pageReader) drift() error {
	shown := map[name]bool{}
	for i := range r.page.Fits {
		f := &r.page.Fits[i]
		shown[name{f.Pipeline, Key{Dataset: f.Dataset, Group: f.Key, Model: f.Model, Sampler: f.Sampler}}] = true
	}
	all, err := readDrifts(r.ctx, r.c, r.o.Pipeline, pageNights)
	for i := range all {
		d := &all[i]
		if shown[name{d.Pipeline, Key{Dataset: d.Dataset, Group: d.Group, Model: d.Model, Sampler: d.Sampler}}] {
			r.page.Drift = append(r.page.Drift, driftRowOf(d))
		}
	}
	return err
}

func driftRowOf(d *Drift) html.Drift {
	out := html.Drift{Pipeline: d.Pipeline, Dataset: d.Dataset, Key: d.Group, Model: d.Model, Sampler: d.Sampler, ID: d.ID,
		Created: d.Created,
		Verdict: string(d.Verdict),
		Shift:   known(d.Shift), ShiftOf: said(d.ShiftParameter), SDRatio: known(d.SDRatio),
		SDRatioOf:  said(d.SDRatioParameter),
		RowsBefore: d.RowsBefore, Rows: d.RowsNow, Response: known(d.ResponseShift), Centre: known(d.CentreShift),
		CentreOf: said(d.CentreShiftColumn), Changed: "settings"}
	switch {
	case d.DataChanged && d.ModelChanged:
		out.Changed = "data, model"
	case d.DataChanged:
		out.Changed = "data"
	case d.ModelChanged:
		out.Changed = "model"
	}
	return out
}

// known is a number that may be NULL, as NaN.
func known(v *float64) html.Number {
	if v == nil {
		return html.Number(math.NaN())
	}
	return html.Number(*v)
}

// said is a text that may be NULL, as empty.
func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
