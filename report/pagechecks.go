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
	var rows []struct {
		Variable, Statistic, Level string
		Rows                       int64
		Observed                   html.Number
		Of                         [5]html.Number
		Levels, Outside            int
		Chance                     html.Number
	}
	err := read(r.ctx, r.c, &rows, `SELECT variable, statistic, level, rows, observed, q05 AS "of", q25, median, q75, q95,
			levels, outside, chance FROM (
			SELECT *, count(*) OVER one AS levels, count(*) FILTER (observed < q05 OR observed > q95) OVER one AS outside,
				sum(expected) OVER one AS chance, min(rowid) OVER one AS place,
				row_number() OVER (PARTITION BY variable, statistic ORDER BY abs(observed - median) / nullif(q95 - q05, 0) DESC,
					rowid) AS far
			FROM (SELECT rowid, * FROM ppc_group WHERE fit_id = ?1) WINDOW one AS (PARTITION BY variable, statistic))
		WHERE far <= ?2 ORDER BY place, median, level`, f.ID, pageCheckLevels)
	all := &f.Detail.ByLevel
	for _, v := range rows {
		if n := len(*all); n == 0 || (*all)[n-1].Variable != v.Variable || (*all)[n-1].Statistic != v.Statistic {
			*all = append(*all, html.LevelCheck{Variable: v.Variable, Statistic: v.Statistic, Levels: v.Levels,
				Outside: v.Outside, Expected: v.Chance})
		}
		c := &(*all)[len(*all)-1]
		c.Level, c.Rows = append(c.Level, v.Level), append(c.Rows, v.Rows)
		c.Observed, c.Of = append(c.Observed, v.Observed), append(c.Of, v.Of)
	}
	return err
}

// over reads predictive checks over numbers.
func (r *pageReader) over(f *html.Fit) error {
	var rows []struct {
		Variable              string
		X, Expected, Observed html.Number
		Rows, Outside         int64
		Mean, Single          [5]html.Number
	}
	err := read(r.ctx, r.c, &rows, `SELECT variable, x, rows, outside, expected, observed, q05 AS mean, q25, median, q75,
		q95, y05 AS single, y25, y50, y75, y95 FROM ppc_over WHERE fit_id = ? ORDER BY rowid`, f.ID)
	all := &f.Detail.Over
	for _, v := range rows {
		if n := len(*all); n == 0 || (*all)[n-1].Variable != v.Variable {
			*all = append(*all, html.OverCheck{Variable: v.Variable})
		}
		c := &(*all)[len(*all)-1]
		c.X, c.Rows, c.Outside = append(c.X, v.X), append(c.Rows, v.Rows), append(c.Outside, v.Outside)
		c.Observed, c.Mean, c.Single = append(c.Observed, v.Observed), append(c.Mean, v.Mean), append(c.Single, v.Single)
		c.Expected += v.Expected
	}
	return err
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
