package report

import (
	"database/sql"

	"glmbatch/report/html"
)

// checks reads predictive checks: of the whole response, its histogram, by level and over numbers.
func (r *pageReader) checks(f *html.Fit) error {
	err := read(r.ctx, r.c, &f.Detail.Checks, `SELECT statistic, observed, mean, sd, q025, q975, p_value AS p, replicates,
		note, expression FROM ppc WHERE fit_id = ? ORDER BY rowid`, f.ID)
	if err != nil {
		return err
	}
	err = read(r.ctx, r.c, &f.Detail.Bins, `SELECT low, high, observed, q025 AS quantiles, q25, median, q75, q975
		FROM ppc_bin WHERE fit_id = ? ORDER BY bin`, f.ID)
	if err != nil {
		return err
	}
	if err := r.byLevel(f); err != nil {
		return err
	}
	return r.over(f)
}

// pageCheckLevels bounds the levels of a predictive check by group that a page shows: those farthest from what
// replicates have.
const pageCheckLevels = 40

// byLevel reads predictive checks by group, the levels from the smallest replicated median to the largest.
func (r *pageReader) byLevel(f *html.Fit) error {
	return scanRows(r.ctx, r.c, `SELECT variable, statistic, level, rows, observed, q05, q25, median, q75, q95, levels,
			outside, chance FROM (
			SELECT *, count(*) OVER one AS levels, count(*) FILTER (observed < q05 OR observed > q95) OVER one AS outside,
				sum(expected) OVER one AS chance, min(rowid) OVER one AS place,
				row_number() OVER (PARTITION BY variable, statistic ORDER BY abs(observed - median) / nullif(q95 - q05, 0) DESC,
					rowid) AS far
			FROM (SELECT rowid, * FROM ppc_group WHERE fit_id = ?1) WINDOW one AS (PARTITION BY variable, statistic))
		WHERE far <= ?2 ORDER BY place, median, level`, func(rows *sql.Rows) error {
		var v html.LevelCheck
		var level string
		var n int64
		var observed nullable
		var of [5]html.Number
		into := []any{&v.Variable, &v.Statistic, &level, &n, &observed}
		for i := range of {
			into = append(into, (*nullable)(&of[i]))
		}
		if err := rows.Scan(append(into, &v.Levels, &v.Outside, (*nullable)(&v.Expected))...); err != nil {
			return err
		}
		all := &f.Detail.ByLevel
		if n := len(*all); n == 0 || (*all)[n-1].Variable != v.Variable || (*all)[n-1].Statistic != v.Statistic {
			*all = append(*all, v)
		}
		c := &(*all)[len(*all)-1]
		c.Level, c.Rows = append(c.Level, level), append(c.Rows, n)
		c.Observed, c.Of = append(c.Observed, html.Number(observed)), append(c.Of, of)
		return nil
	}, f.ID, pageCheckLevels)
}

// over reads predictive checks over numbers.
func (r *pageReader) over(f *html.Fit) error {
	return scanRows(r.ctx, r.c, `SELECT variable, x, rows, outside, expected, observed, q05, q25, median, q75, q95,
		y05, y25, y50, y75, y95 FROM ppc_over WHERE fit_id = ? ORDER BY rowid`, func(rows *sql.Rows) error {
		var variable string
		var n, outside int64
		var numbers [13]html.Number // x, expected, observed, and quantiles of means and of single responses
		into := []any{&variable, (*nullable)(&numbers[0]), &n, &outside}
		for i := range numbers[1:] {
			into = append(into, (*nullable)(&numbers[i+1]))
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		all := &f.Detail.Over
		if n := len(*all); n == 0 || (*all)[n-1].Variable != variable {
			*all = append(*all, html.OverCheck{Variable: variable})
		}
		c := &(*all)[len(*all)-1]
		c.X, c.Rows, c.Outside = append(c.X, numbers[0]), append(c.Rows, n), append(c.Outside, outside)
		c.Observed = append(c.Observed, numbers[2])
		c.Mean, c.Single = append(c.Mean, [5]html.Number(numbers[3:8])), append(c.Single, [5]html.Number(numbers[8:13]))
		c.Expected += numbers[1]
		return nil
	}, f.ID)
}

// looRows bounds the rows of leave-one-out that a page shows.
const looRows = 400

// loo reads the sums of leave-one-out and the largest Pareto k, filled up with
// rows at even distances. It omits rows whose likelihood does not vary, which have no k.
func (r *pageReader) loo(f *html.Fit) error {
	var of []html.LOO
	err := read(r.ctx, r.c, &of, `SELECT observations AS rows, elpd_loo AS elpd, se_elpd_loo AS se, p_loo AS p, looic,
		k_threshold AS threshold, k_high AS high FROM loo WHERE fit_id = ?`, f.ID)
	if err != nil || of == nil {
		return err
	}
	l := &of[0]
	l.Shown, l.K, l.Pointwise, f.Detail.LOO = []int64{}, []html.Number{}, []html.Number{}, l
	err = read(r.ctx, r.c, &l.PIT, "SELECT z, ecdf, low, high FROM loo_pit WHERE fit_id = ? ORDER BY z", f.ID)
	if err != nil {
		return err
	}
	return scanRows(r.ctx, r.c, `SELECT observation, pareto_k, elpd_loo FROM (
			SELECT *, row_number() OVER (ORDER BY pareto_k DESC NULLS FIRST, observation) AS place, count(*) OVER () AS n
			FROM pointwise WHERE fit_id = ?1 AND (pareto_k IS NOT NULL OR elpd_loo IS NULL))
		WHERE place <= ?2 // 2 OR (observation - 1) % greatest(1, ceil(n / (?2 / 2.0)))::BIGINT = 0 ORDER BY observation`,
		func(rows *sql.Rows) error {
			var at int64
			var k, elpd nullable
			err := rows.Scan(&at, &k, &elpd)
			l.Shown, l.K, l.Pointwise = append(l.Shown, at), append(l.K, html.Number(k)), append(l.Pointwise, html.Number(elpd))
			return err
		}, f.ID, looRows)
}

// energyClasses is how many classes the distributions of the energy have.
const energyClasses = 30

// energy reads the energies of Hamiltonian chains: around the mean of their chain, and from one draw to the next.
func (r *pageReader) energy(f *html.Fit) error {
	var all [][2]html.Number
	err := read(r.ctx, r.c, &all, `SELECT energy - avg(energy) OVER one, energy - lag(energy) OVER (PARTITION BY chain
			ORDER BY iteration) FROM chain WHERE fit_id = ? AND NOT warmup AND energy IS NOT NULL AND isfinite(energy)
		WINDOW one AS (PARTITION BY chain)`, f.ID)
	if err != nil || len(all) < energyClasses {
		return err
	}
	e := &html.Energy{Marginal: make([]int, energyClasses), Transition: make([]int, energyClasses)}
	for _, v := range all {
		e.High = max(e.High, v[0], -v[0])
		if v[1] == v[1] {
			e.High = max(e.High, v[1], -v[1])
		}
	}
	if e.High == 0 {
		return nil
	}
	for _, v := range all {
		for i, counts := range [][]int{e.Marginal, e.Transition} {
			if v[i] == v[i] { // the first draw has no transition
				counts[min(energyClasses-1, int((v[i]+e.High)/(2*e.High)*energyClasses))]++
			}
		}
	}
	f.Detail.Energy = e
	return read(r.ctx, r.c, &e.BFMI, `SELECT value FROM diagnostic WHERE fit_id = ? AND name = 'ebfmi' ORDER BY chain`,
		f.ID)
}
