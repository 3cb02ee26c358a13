package report

import (
	"context"
	"database/sql"
	"fmt"

	"glmbatch/report/html"
	"glmbatch/report/record"
)

// imputationWords says in words how the imputations of fits differ, by number; nothing of fits without.
func imputationWords(ctx context.Context, c *sql.Conn, ids []int64) (map[int64]string, error) {
	return readMap(ctx, c, `SELECT fit_id, coalesce(note, '') FROM diagnostic WHERE name = '`+record.Imputations+`'
		AND fit_id IN (SELECT unnest(?::BIGINT[]))`, func(id *int64, words *string) []any { return []any{id, words} }, ids)
}

// pagePooled is how many parameters of several imputations a page of a fit lists.
const pagePooled = 100

// pooled reads what several imputations say of the parameters.
func (r *pageReader) pooled(f *html.Fit) error {
	words, err := imputationWords(r.ctx, r.c, []int64{f.ID})
	if err != nil || words[f.ID] == "" {
		return err
	}
	out := &html.Pooled{Words: words[f.ID]}
	out.Rows, err = readRows(r.ctx, r.c, `SELECT p.name, s.mean, sqrt(p.within), sqrt(p.between), sqrt(p.total), p.df,
		p.fmi, p.rhat_across
		FROM pooling p JOIN summary s ON s.fit_id = p.fit_id AND s.name = p.name AND s.kind <> '`+statisticKind+`'
		WHERE p.fit_id = ? ORDER BY p.place LIMIT ?`, func(p *html.PooledRow) []any {
		return []any{&p.Name, (*nullable)(&p.Mean), (*nullable)(&p.Within), (*nullable)(&p.Between), (*nullable)(&p.Total),
			(*nullable)(&p.DF), (*nullable)(&p.FMI), (*nullable)(&p.Across)}
	}, f.ID, pagePooled)
	if len(out.Rows) == pagePooled {
		f.Detail.Missing = append(f.Detail.Missing,
			fmt.Sprintf("Of parameters of imputations the first %d are listed; the ledger's view pooled has every one.",
				pagePooled))
	}
	f.Detail.Pooled = out
	return err
}
