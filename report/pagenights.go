package report

import (
	"slices"
	"time"

	"glmbatch/report/html"
)

// pageCourses bounds the fits whose coefficients a page shows over nights: those that moved most.
const pageCourses = 40

// courses reads the coefficients of fits over their nights: of the shown fits that have drifts, those that moved most.
func (r *pageReader) courses() error {
	var moved []html.Drift // the newest of each name
	for _, d := range r.page.Drift {
		if !slices.ContainsFunc(moved, func(m html.Drift) bool { return sameName(&m, &d) }) {
			moved = append(moved, d)
		}
	}
	slices.SortStableFunc(moved, func(a, b html.Drift) int {
		switch {
		case a.Shift > b.Shift || b.Shift != b.Shift && a.Shift == a.Shift:
			return -1
		case a.Shift < b.Shift || a.Shift != a.Shift && b.Shift == b.Shift:
			return 1
		}
		return 0
	})
	for _, d := range moved[:min(pageCourses, len(moved))] {
		fit := slices.IndexFunc(r.page.Fits, func(f html.Fit) bool {
			return f.Pipeline == d.Pipeline && f.Dataset == d.Dataset && f.Key == d.Key && f.Model == d.Model &&
				f.Sampler == d.Sampler
		})
		if err := r.course(fit, d.Pipeline, d.ID); err != nil {
			return err
		}
	}
	return nil
}

func sameName(a, b *html.Drift) bool {
	return a.Pipeline == b.Pipeline && a.Dataset == b.Dataset && a.Key == b.Key && a.Model == b.Model &&
		a.Sampler == b.Sampler
}

// course reads the coefficients of one fit over its nights, the oldest first.
func (r *pageReader) course(fit int, pipeline string, id int64) error {
	c := html.Course{Fit: fit}
	var all []struct {
		Parameter string
		Since     time.Time
		Of        [5]html.Number
	}
	err := read(r.ctx, r.c, &all, `SELECT n.parameter, n.since, n.q025 AS "of", n.q25, n.median, n.q75, n.q975
		FROM coefficient_nights n JOIN (SELECT DISTINCT pipeline, dataset, key, model, sampler, parameter
			FROM coefficient_nights WHERE fit_id = ?1 AND pipeline = ?4) l USING (pipeline, dataset, key,
			model, sampler, parameter) LEFT JOIN parameter p ON p.fit_id = ?1 AND p.name = n.parameter
		WHERE n.night <= ?2 QUALIFY dense_rank() OVER (ORDER BY p.parameter_id NULLS LAST, n.parameter) <= ?3
		ORDER BY p.parameter_id NULLS LAST, n.parameter, n.night DESC`, id, pageNights, pageCoefficients, pipeline)
	for _, v := range all {
		if n := len(c.Name); n == 0 || c.Name[n-1] != v.Parameter {
			c.Name, c.Of, c.Created = append(c.Name, v.Parameter), append(c.Of, nil), append(c.Created, nil)
		}
		k := len(c.Name) - 1
		c.Of[k], c.Created[k] = append(c.Of[k], v.Of), append(c.Created[k], v.Since)
	}
	if len(c.Name) > 0 {
		r.page.Courses = append(r.page.Courses, c)
	}
	return err
}
