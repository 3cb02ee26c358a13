package report

import (
	"database/sql"

	"glmbatch/infer"
	"glmbatch/report/html"
)

// mixture reads the weights of components, how sure the rows are of theirs, and how often labels switched.
func (r *pageReader) mixture(f *html.Fit) error {
	m := &html.Mixture{}
	err := read(r.ctx, r.c, &m.Components, `SELECT mean AS weight, q025, q975 FROM summary
		WHERE fit_id = ? AND kind = '`+string(infer.MixtureWeight)+`' ORDER BY parameter_id`, f.ID)
	if err != nil || len(m.Components) == 0 {
		return err
	}
	err = scanRows(r.ctx, r.c, `SELECT component, sum(posterior), count(*) FROM allocation WHERE fit_id = ?
		GROUP BY component ORDER BY component`, func(rows *sql.Rows) error {
		var component int
		var sum nullable
		if err := rows.Scan(&component, &sum, &m.Rows); err != nil {
			return err
		}
		if component >= 1 && component <= len(m.Components) {
			m.Components[component-1].Rows = html.Number(sum)
		}
		return nil
	}, f.ID)
	if err != nil {
		return err
	}
	err = scanRows(r.ctx, r.c, `SELECT component, least(floor(10 * best), 9)::INTEGER AS class, count(*) FROM (
			SELECT arg_max(component, posterior) AS component, max(posterior) AS best FROM allocation
			WHERE fit_id = ? GROUP BY observation)
		WHERE best IS NOT NULL GROUP BY ALL`, func(rows *sql.Rows) error {
		var component, class int
		var n int64
		if err := rows.Scan(&component, &class, &n); err != nil {
			return err
		}
		if component >= 1 && component <= len(m.Components) && class >= 0 {
			m.Components[component-1].Best[class] = n
		}
		return nil
	}, f.ID)
	if err != nil {
		return err
	}
	f.Detail.Mixture = m
	return read(r.ctx, r.c, &m.Switches, `SELECT value::BIGINT FROM diagnostic
		WHERE fit_id = ? AND name = 'label_switches' AND chain IS NOT NULL ORDER BY chain`, f.ID)
}
