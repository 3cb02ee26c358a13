package report

import (
	"context"
	"database/sql"
	"fmt"

	"glmbatch/report/html"
	"glmbatch/report/record"
)

// imputationWords describes the differences between the imputations of fits, by number; nothing for fits without.
func imputationWords(ctx context.Context, c *sql.Conn, ids []int64) (map[int64]string, error) {
	out := map[int64]string{}
	return out, readMap(ctx, c, out, "SELECT fit_id, note FROM diagnostic WHERE name = '"+record.Imputations+
		"' AND fit_id IN (SELECT unnest(?::BIGINT[]))", ids)
}

// If there are several imputations a page of a fit lists at most pagePooled parameters, and draws the intervals of
// pageApart of them, those with the largest fraction of missing information, for pageImputations at even distances.
const (
	pagePooled      = 100
	pageApart       = 12
	pageImputations = 50
)

// pooled reads what several imputations say of the parameters.
func (r *pageReader) pooled(f *html.Fit) error {
	words, err := imputationWords(r.ctx, r.c, []int64{f.ID})
	if err != nil || words[f.ID] == "" {
		return err
	}
	out := &html.Pooled{Words: words[f.ID], Imputations: []string{}}
	err = read(r.ctx, r.c, &out.Rows, `SELECT p.name, s.mean, sqrt(p.within) AS within, sqrt(p.between) AS between,
		sqrt(p.total) AS total, p.df, p.riv, p.fmi, s.rhat, p.rhat_across AS across, s.q025 AS "of", s.q25, s.median, s.q75,
		s.q975
		FROM pooling p JOIN summary s ON s.fit_id = p.fit_id AND s.name = p.name AND s.kind <> '`+statisticKind+`'
		WHERE p.fit_id = ? ORDER BY p.place LIMIT ?`, f.ID, pagePooled)
	if len(out.Rows) == pagePooled {
		f.Detail.Missing = append(f.Detail.Missing,
			fmt.Sprintf("Of parameters of imputations the first %d are listed; the ledger's view pooled has every one.",
				pagePooled))
	}
	f.Detail.Pooled = out
	if err == nil {
		err = r.c.QueryRowContext(r.ctx, "SELECT count(DISTINCT imputation) FROM imputation WHERE fit_id = ?",
			f.ID).Scan(&out.Count)
	}
	if err != nil {
		return err
	}
	return r.eachImputation(f.ID, out)
}

// eachImputation reads the intervals of each imputation.
func (r *pageReader) eachImputation(fit int64, p *html.Pooled) error {
	at := map[string]int{}
	for i := range p.Rows {
		at[p.Rows[i].Name] = i
	}
	seen := map[int]bool{}
	var all []struct {
		Name, Source string
		Imputation   int
		Of           [3]html.Number
	}
	err := read(r.ctx, r.c, &all, `WITH apart AS (SELECT name FROM (SELECT name, fmi, place FROM pooling WHERE fit_id = ?1
			ORDER BY place LIMIT ?2) ORDER BY fmi DESC NULLS LAST, place LIMIT ?3),
		many AS (SELECT max(imputation) AS n FROM imputation WHERE fit_id = ?1)
		SELECT i.name, i.imputation, i.source, i.q025 AS "of", i.median, i.q975 FROM imputation i, many
		WHERE i.fit_id = ?1 AND i.name IN (SELECT name FROM apart) AND (i.imputation - 1) % ((n + ?4 - 1) // ?4) = 0
		ORDER BY i.imputation, i.name`, fit, pagePooled, pageApart, pageImputations)
	for _, v := range all {
		row := &p.Rows[at[v.Name]]
		row.Each = append(row.Each, v.Of)
		if !seen[v.Imputation] {
			seen[v.Imputation] = true
			p.Imputations = append(p.Imputations, v.Source)
		}
	}
	return err
}
