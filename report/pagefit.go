package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer"
	"glmbatch/internal/words"
	"glmbatch/report/html"
	"glmbatch/report/record"
)

// logLik is the statistic whose draws are in the view chain.
const logLik = "log_lik"

// details reads what the pages of the fits show that have one.
func (r *pageReader) details() error {
	shown := 0
	r.page.Pages = r.paged()
	for i := range r.page.Pages {
		if r.page.Fits[i].Draws > 0 {
			shown++
		}
	}
	var err error
	if r.shares, err = readShares(r.ctx, r.c, r.ids()[:r.page.Pages]); err != nil {
		return err
	}
	all := pageAllSeries
	if len(r.page.Fits) > pageAll {
		all /= 2
	}
	limit := min(pageSeries, max(2, all/max(1, shown)))
	for i := range r.page.Pages {
		f := &r.page.Fits[i]
		if f.ID == 0 || f.Draws == 0 && !record.IsDiscrete(f.Family) {
			continue
		}
		f.Detail = &html.Detail{Series: []html.Series{}, Missing: []string{}, Checks: []html.Check{}}
		for _, part := range []func(*html.Fit) error{r.coefficients, r.groups, r.effects, r.smooths, r.mixture, r.pooled,
			r.incomplete, r.discrete,
			func(f *html.Fit) error { return r.series(f, limit) }, r.energy, r.checks, r.loo} {
			if err := part(f); err != nil {
				return fmt.Errorf("fit %d: %w", f.ID, err)
			}
		}
	}
	return nil
}

// pageEffects is the number of group-level effects, and penalised coefficients of smooths, among the coefficients:
// those that mixed worst.
const pageEffects = 5

// coefficients reads the summaries of a fit, local scales of priors left out, and of group-level effects
// and missing cells the few that mixed worst; a cell that never moved, as one of two states may, is no such one.
func (r *pageReader) coefficients(f *html.Fit) error {
	t := &f.Detail.Coefficients
	t.Name, t.Kind, r.numbers = []string{}, []string{}, nil
	var all []struct {
		ID         int64 `db:"parameter_id"`
		Name, Kind string
		Of         [10]html.Number
	}
	err := read(r.ctx, r.c, &all, `SELECT parameter_id, name, kind, mean AS "of", sd, q025, q25, median, q75, q975,
		rhat, ess_bulk, ess_tail
		FROM summary WHERE fit_id = ?1 AND kind <> '`+string(infer.LocalScale)+`'
		QUALIFY kind NOT IN ('`+string(infer.GroupEffect)+`', '`+string(infer.SmoothEffect)+`', '`+
		string(infer.Imputed)+`') OR
			row_number() OVER (PARTITION BY kind ORDER BY kind = '`+string(infer.Imputed)+`' AND sd = 0,
				ess_bulk NULLS FIRST, parameter_id) <= ?2
		ORDER BY parameter_id NULLS LAST, name`, f.ID, pageEffects)
	columns := []*[]html.Number{&t.Mean, &t.SD, &t.Q025, &t.Q25, &t.Median, &t.Q75, &t.Q975, &t.RHat, &t.Bulk, &t.Tail}
	for _, row := range all {
		t.Name, t.Kind, r.numbers = append(t.Name, row.Name), append(t.Kind, row.Kind), append(r.numbers, row.ID)
		for i, column := range columns {
			*column = append(*column, row.Of[i])
		}
	}
	return err
}

// series reads the draws of log_lik and of the parameters that are shown.
func (r *pageReader) series(f *html.Fit, limit int) error {
	d := f.Detail
	if f.Draws == 0 { // a method without chains
		return nil
	}
	broken, err := r.divergent(f)
	if err != nil {
		return err
	}
	liks, err := r.logLiks(f)
	if err != nil {
		return err
	}
	if liks := byChain(f, liks); len(liks) == 1 {
		i := slices.IndexFunc(d.Coefficients.Name, func(n string) bool { return n == logLik })
		s := r.reducer.series(begun(d, f.Chains, logLik, i), liks[0])
		s.Divergent = valuesAt(liks[0], broken)
		d.Series = append(d.Series, s)
	} else {
		d.Missing = append(d.Missing, "There are no plots of log_lik: the ledger has no statistics of the iterations of "+
			"this fit.")
	}
	chosen := r.worst(f, limit-1)
	if len(chosen) == 0 {
		return nil
	}
	var numbers []string
	for _, i := range chosen {
		numbers = append(numbers, strconv.FormatInt(r.numbers[i], 10))
	}
	values, err := r.draws(f, numbers)
	if err != nil {
		d.Missing = append(d.Missing, "There are no plots of the coefficients (trace, ranks, ESS over draws, "+
			"autocorrelation): "+err.Error()+".")
		return r.ctx.Err()
	}
	all := byChain(f, values)
	if len(all) != len(chosen) {
		d.Missing = append(d.Missing, "There are no plots of the coefficients (trace, ranks, ESS over draws, "+
			"autocorrelation): their draws were not kept (run: {keep: summary}), only their summaries.")
		return nil
	}
	priors, err := r.priors(f, strings.Join(numbers, ", "))
	if err != nil {
		return err
	}
	order := slices.Clone(chosen) // as the columns came
	slices.Sort(order)
	for _, i := range chosen {
		at, _ := slices.BinarySearch(order, i)
		s := begun(d, f.Chains, d.Coefficients.Name[i], i)
		s.Prior, s.Scale = priors[r.numbers[i]].Prior, priors[r.numbers[i]].Scale
		s = r.reducer.series(s, all[at])
		s.Divergent = valuesAt(all[at], broken)
		d.Series = append(d.Series, s)
	}
	return nil
}

// begun begins the series of row i of the coefficients.
func begun(d *html.Detail, chains int, name string, i int) html.Series {
	s := d.Coefficients.Series(name, i)
	if d.Pooled != nil && d.Pooled.Count > 0 && chains%d.Pooled.Count == 0 {
		s.Imputations = d.Pooled.Count
	}
	return s
}

// draws are those of the parameters with these numbers, by parameter and chain.
func (r *pageReader) draws(f *html.Fit, numbers []string) (values []float64, err error) {
	from, err := piecesOf(r.ctx, r.c, r.ledger, f.ID)
	if err != nil {
		return nil, err
	}
	// literal numbers let the engine skip what it need not read
	err = scanPieces(r.ctx, r.c, func(_ int64, piece []float64) { values = append(values, piece...) },
		"SELECT fit_id, n, v FROM "+from+fmt.Sprintf(" WHERE fit_id = %d AND parameter_id IN (%s) "+
			"ORDER BY parameter_id, chain, first", f.ID, strings.Join(numbers, ", ")))
	return values, err
}

// pageDivergent is how many divergent draws are shown, evenly spaced among all.
const pageDivergent = 100

// divergent finds draws whose trajectories diverged, as chain and draw from 0.
func (r *pageReader) divergent(f *html.Fit) (at [][2]int, err error) {
	if f.Divergences == 0 {
		return nil, nil
	}
	return at, read(r.ctx, r.c, &at, `SELECT chain - 1, iteration - 1 FROM (
			SELECT chain, iteration, row_number() OVER (ORDER BY chain, iteration) AS nth, count(*) OVER () AS n
			FROM chain WHERE fit_id = ?1 AND NOT warmup AND divergent)
		WHERE nth % ((n + ?2 - 1) // ?2) = 0 ORDER BY chain, iteration`, f.ID, pageDivergent)
}

// valuesAt are the values at some draws.
func valuesAt(chains [][]float64, at [][2]int) (out []html.Number) {
	for _, a := range at {
		if a[0] < len(chains) && a[1] < len(chains[a[0]]) {
			out = append(out, html.Number(chains[a[0]][a[1]]))
		}
	}
	return out
}

// pagePrior is the prior of scale times a parameter.
type pagePrior struct {
	ID    int64 `db:"parameter_id"`
	Prior string
	Scale html.Number
}

// priors reads those of parameters of a fit.
func (r *pageReader) priors(f *html.Fit, numbers string) (map[int64]pagePrior, error) {
	var all []pagePrior
	err := read(r.ctx, r.c, &all, fmt.Sprintf("SELECT parameter_id, prior, scale FROM parameter WHERE fit_id = %d AND "+
		"parameter_id IN (%s)", f.ID, numbers))
	out := map[int64]pagePrior{}
	for _, p := range all {
		out[p.ID] = p
	}
	return out, err
}

// logLiks reads log_lik of every draw, each chain after chain.
func (r *pageReader) logLiks(f *html.Fit) (all []float64, err error) {
	return all, read(r.ctx, r.c, &all, "SELECT log_lik FROM chain WHERE fit_id = ? AND NOT warmup ORDER BY chain, "+
		"iteration", f.ID)
}

// byChain takes the draws of quantities, each chain after chain, to pieces; what is not there whole is left out.
func byChain(f *html.Fit, all []float64) (out [][][]float64) {
	for size := f.Chains * f.Draws; size > 0 && len(all) >= size; all = all[size:] {
		var chains [][]float64
		for c := range f.Chains {
			chains = append(chains, all[c*f.Draws:(c+1)*f.Draws])
		}
		out = append(out, chains)
	}
	return out
}

// worst chooses rows of the coefficients: those that the caller named, or the ones that mixed worst: without an
// effective sample size first, then by it, without those that may keep one value permanently.
func (r *pageReader) worst(f *html.Fit, n int) []int {
	t := &f.Detail.Coefficients
	var chosen []int
	for i, kind := range t.Kind {
		named := slices.ContainsFunc(r.o.Parameters, func(glob string) bool { return words.Match(glob, t.Name[i]) })
		if kind != statisticKind && r.numbers[i] > 0 && (named ||
			len(r.o.Parameters) == 0 && kind != string(infer.Unsorted)) {
			chosen = append(chosen, i)
		}
	}
	if len(r.o.Parameters) == 0 {
		chosen = slices.DeleteFunc(chosen, func(i int) bool {
			return t.SD[i] == 0 && (t.Kind[i] == string(infer.Imputed) || t.Kind[i] == string(infer.Inclusion))
		})
		slices.SortStableFunc(chosen, func(a, b int) int {
			x, y := float64(t.Bulk[a]), float64(t.Bulk[b])
			switch {
			case x < y || math.IsNaN(x) && !math.IsNaN(y):
				return -1
			case x > y || math.IsNaN(y) && !math.IsNaN(x):
				return 1
			}
			return 0
		})
	}
	return chosen[:min(n, len(chosen))]
}
