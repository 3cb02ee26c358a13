package report

import (
	"database/sql"
	"encoding/json"
	"math"

	"glmbatch/report/html"
	"glmbatch/report/record"
)

// discrete reads what the page of a fit of discrete variables shows besides: pictures of
// an image, what is known against the truth, what is proved.
func (r *pageReader) discrete(f *html.Fit) error {
	if !record.IsDiscrete(f.Family) {
		return nil
	}
	d := &html.Discrete{Labels: []string{}, Pictures: []html.Picture{}, Proofs: []html.Proof{}}
	none := html.Number(math.NaN())
	d.WrongMarginal, d.WrongBest, d.Squared = none, none, none
	var rows, cols int
	var labels string
	err := r.c.QueryRowContext(r.ctx, `SELECT variables, edges, to_json(labels)::VARCHAR, log_z, best_log_lik,
		coalesce(image_rows, 0), coalesce(image_columns, 0)
		FROM discrete WHERE fit_id = ?`, f.ID).Scan(&d.Variables, &d.Edges, &labels, (*nullable)(&d.LogZ),
		(*nullable)(&d.Best), &rows, &cols)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(labels), &d.Labels); err != nil {
		return err
	}
	f.Detail.Discrete = d
	if err := r.proofs(f.ID, d); err != nil {
		return err
	}
	return r.pixels(f.ID, d, rows, cols)
}

func (r *pageReader) proofs(id int64, d *html.Discrete) error {
	return read(r.ctx, r.c, &d.Proofs, `SELECT method, bounded, CASE WHEN ids IS NULL
			THEN 'all ' || variables || ' variables' WHEN len(ids) <= 5 THEN array_to_string(ids, ' and ')
			ELSE variables || ' variables' END AS "of", after_updates AS updates, bound, note
		FROM certificate WHERE fit_id = ? ORDER BY rowid`, id)
}

// pixelQuery reads variables with the mean of their state, from 0 for the first to 1
// for the last, and what it is against the truth.
const pixelQuery = `SELECT v.observation, v.truth::DOUBLE, v.best::DOUBLE, m.mean, m.likely::DOUBLE, m.squared
	FROM variable v LEFT JOIN (
		SELECT m.variable_id, sum(m.state * m.probability)::DOUBLE AS mean, arg_max(m.state, m.probability) AS likely,
		       sum((m.probability - CASE WHEN m.state = v.truth THEN 1 ELSE 0 END) ** 2) / 2 AS squared
		FROM marginal m JOIN variable v ON v.fit_id = m.fit_id AND v.variable_id = m.variable_id WHERE m.fit_id = ?1
		GROUP BY m.variable_id) m
	ON m.variable_id = v.variable_id WHERE v.fit_id = ?1 ORDER BY v.variable_id`

// pixels reads the variables of a fit, and draws them where they are an image.
func (r *pageReader) pixels(id int64, d *html.Discrete, rows, cols int) error {
	n := int(d.Variables)
	layers := make([][]float64, 4) // observation, truth, best, mean
	for k := range layers {
		layers[k] = make([]float64, 0, n)
	}
	var wrongMarginal, wrongBest, squared float64
	err := scanRows(r.ctx, r.c, pixelQuery, func(rows *sql.Rows) error {
		var v [6]nullable
		if err := rows.Scan(&v[0], &v[1], &v[2], &v[3], &v[4], &v[5]); err != nil {
			return err
		}
		for k := range layers {
			layers[k] = append(layers[k], float64(v[k]))
		}
		if truth := float64(v[1]); !math.IsNaN(truth) {
			d.Known++
			wrongBest += differs(float64(v[2]), truth)
			wrongMarginal += differs(float64(v[4]), truth)
			squared += float64(v[5])
		}
		return nil
	}, id)
	if err != nil {
		return err
	}
	if d.Known > 0 {
		known := float64(d.Known)
		d.WrongBest, d.WrongMarginal, d.Squared = html.Number(wrongBest/known), html.Number(wrongMarginal/known),
			html.Number(squared/known)
	}
	if rows == 0 || len(layers[0]) != rows*cols {
		return nil
	}
	return d.Draw(rows, cols, layers)
}

// differs is 1 if two states differ, 0 if they are equal, NaN if one is unknown.
func differs(a, b float64) float64 {
	switch {
	case math.IsNaN(a):
		return a
	case a == b:
		return 0
	}
	return 1
}
