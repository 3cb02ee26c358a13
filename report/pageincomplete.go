package report

import (
	"fmt"

	"glmbatch/infer"
	"glmbatch/report/html"
)

// A page of a fit lists at most pageGaps incomplete columns, those with most missing cells. It draws pageDrawnGaps
// of them, fewer where there are many fits but two at least, and of the cells of each the pageUnsure that are least
// certain and the pageUnmixed of the largest R-hat.
const (
	pageGaps         = 60
	pageDrawnGaps    = 8
	pageAllDrawnGaps = 400 // of all fits together
	pageUnsure       = 12
	pageUnmixed      = 4
)

// incomplete reads the columns of which missing cells were drawn.
func (r *pageReader) incomplete(f *html.Fit) (err error) {
	d, all := f.Detail, 0
	err = read(r.ctx, r.c, &d.Incomplete, `SELECT c.variable, formula, family, response, observed, missing, rhat, ess_bulk
		FROM (SELECT rowid AS place, * FROM incomplete_column WHERE fit_id = ?1) c
		LEFT JOIN (SELECT p.grouping AS variable, max(s.rhat) AS rhat, min(s.ess_bulk) AS ess_bulk
			FROM (SELECT * FROM parameter WHERE fit_id = ?1 AND kind = '`+string(infer.Imputed)+`') p
			JOIN (SELECT * FROM summary WHERE fit_id = ?1) s USING (parameter_id) GROUP BY p.grouping) m USING (variable)
		WHERE c.variable IN `+widest+` ORDER BY place`, f.ID, pageGaps)
	if err == nil {
		err = r.c.QueryRowContext(r.ctx, "SELECT count(*) FROM incomplete_column WHERE fit_id = ?", f.ID).Scan(&all)
	}
	if err != nil || len(d.Incomplete) == 0 {
		return err
	}
	drawn := min(pageDrawnGaps, max(2, pageAllDrawnGaps/len(r.page.Fits)))
	if all > drawn {
		d.Missing = append(d.Missing, fmt.Sprintf("Of %d incomplete columns the %d that miss most cells are drawn; the "+
			"ledger's view imputed and its table imputed_bin have every one.", all, drawn))
	}
	at := map[string]*html.Incomplete{}
	for i := range d.Incomplete {
		at[d.Incomplete[i].Variable] = &d.Incomplete[i]
	}
	if err := r.cellBins(f.ID, drawn, at); err != nil {
		return err
	}
	return r.cells(f.ID, drawn, at)
}

// widest chooses, of a fit, the columns that miss most cells.
const widest = `(SELECT variable FROM incomplete_column WHERE fit_id = ?1 ORDER BY missing DESC, rowid LIMIT ?2)`

// cellBins reads the values of columns by class.
func (r *pageReader) cellBins(fit int64, drawn int, at map[string]*html.Incomplete) error {
	var all []struct {
		Variable string
		html.CellBin
	}
	err := read(r.ctx, r.c, &all, `SELECT variable, level, low, high, observed, mean, q025 AS quantiles, q25, median, q75,
		q975 FROM imputed_bin WHERE fit_id = ?1 AND variable IN `+widest+` ORDER BY variable, bin`, fit, drawn)
	for _, b := range all {
		if c := at[b.Variable]; c != nil {
			c.Bins = append(c.Bins, b.CellBin)
		}
	}
	return err
}

// cells reads some of the missing cells of columns. One of two levels is as sure as its probability is far from a half,
// one of several as its most probable one is probable.
func (r *pageReader) cells(fit int64, drawn int, at map[string]*html.Incomplete) error {
	var all []struct {
		Variable string
		Levels   int
		html.Cell
	}
	err := read(r.ctx, r.c, &all, `WITH kinds AS (SELECT variable, count(level) AS levels FROM imputed_bin
			WHERE fit_id = ?1 AND variable IN `+widest+` GROUP BY variable),
		cell AS (SELECT p.grouping AS variable, p.level::BIGINT AS row, any_value(k.levels) AS levels,
			arg_max(p.term, s.mean) AS best, max(s.mean) AS mean, max(s.rhat) AS rhat,
			any_value(s.q025) AS q025, any_value(s.q25) AS q25, any_value(s.median) AS median, any_value(s.q75) AS q75,
			any_value(s.q975) AS q975,
			CASE WHEN any_value(k.levels) = 0 THEN any_value(s.q975 - s.q025)
				WHEN any_value(k.levels) = 2 THEN -max(abs(s.mean - 0.5)) ELSE -max(s.mean) END AS unsure
			FROM (SELECT * FROM parameter WHERE fit_id = ?1 AND kind = '`+string(infer.Imputed)+`') p
			JOIN (SELECT * FROM summary WHERE fit_id = ?1) s USING (parameter_id) JOIN kinds k ON k.variable = p.grouping
			GROUP BY ALL)
		SELECT variable, row, levels, best AS level, mean, rhat, q025 AS q, q25, median, q75, q975 FROM cell
		QUALIFY row_number() OVER (PARTITION BY variable ORDER BY unsure DESC NULLS LAST, row) <= ?3
			OR row_number() OVER (PARTITION BY variable ORDER BY rhat DESC NULLS LAST, row) <= ?4
		ORDER BY variable, row`, fit, drawn, pageUnsure, pageUnmixed)
	for _, c := range all {
		of := at[c.Variable]
		if c.Levels == 2 {
			state := 1
			if c.Mean < 0.5 {
				state, c.Mean = 0, 1-c.Mean
			}
			c.Level = of.Bins[state].Level
		}
		of.Cells = append(of.Cells, c.Cell)
	}
	return err
}
