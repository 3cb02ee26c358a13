package report

import (
	"database/sql"

	"glmbatch/infer"
	"glmbatch/report/html"
)

// mixture reads the weights of components, how sure the rows are of theirs, and how often labels switched.
func (r *pageReader) mixture(f *html.Fit) error {
	weights, err := readRows(r.ctx, r.c, `SELECT s.mean, s.q025, s.q975 FROM summary s
		WHERE s.fit_id = ? AND s.kind = '`+string(infer.MixtureWeight)+`' ORDER BY s.parameter_id`,
		func(v *html.Interval) []any {
			return []any{(*nullable)(&v[0]), (*nullable)(&v[1]), (*nullable)(&v[2])}
		}, f.ID)
	if err != nil || len(weights) == 0 {
		return err
	}
	m := &html.Mixture{}
	for _, w := range weights {
		m.Components = append(m.Components, html.Component{Weight: w})
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
	m.Switches, err = readRows(r.ctx, r.c, `SELECT value::BIGINT FROM diagnostic
		WHERE fit_id = ? AND name = 'label_switches' AND chain IS NOT NULL ORDER BY chain`,
		func(n *int64) []any { return []any{n} }, f.ID)
	f.Detail.Mixture = m
	return err
}
