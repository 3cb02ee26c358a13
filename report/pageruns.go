package report

import (
	"slices"
	"time"

	"glmbatch/report/html"
)

// pageCourses bounds the fits whose coefficients a page shows over runs: those that moved most.
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
	moved = moved[:min(pageCourses, len(moved))]
	if len(moved) == 0 {
		return nil
	}
	var ids []int64
	var pipelines []string
	for _, d := range moved {
		ids, pipelines = append(ids, d.ID), append(pipelines, d.Pipeline)
	}
	of, err := r.nights(ids, pipelines)
	for i := range moved {
		if c := of[i]; c != nil {
			c.Fit = slices.IndexFunc(r.page.Fits, func(f html.Fit) bool {
				d := &moved[i]
				return f.Pipeline == d.Pipeline && f.Dataset == d.Dataset && f.Key == d.Key && f.Model == d.Model &&
					f.Sampler == d.Sampler
			})
			r.page.Courses = append(r.page.Courses, *c)
		}
	}
	return err
}

func sameName(a, b *html.Drift) bool {
	return a.Pipeline == b.Pipeline && a.Dataset == b.Dataset && a.Key == b.Key && a.Model == b.Model &&
		a.Sampler == b.Sampler
}

// nights reads the coefficients of fits over their nights, the oldest night first, by index in ids; nothing of a fit
// without coefficients. Cost: two passes over summary for all fits together.
func (r *pageReader) nights(ids []int64, pipelines []string) (map[int]*html.Course, error) {
	var all []struct {
		Place     int
		Parameter string
		Since     time.Time
		Of        [5]html.Number
	}
	err := read(r.ctx, r.c, &all, `WITH asked AS (
		SELECT unnest(?1::BIGINT[]) AS fit_id, unnest(?2::VARCHAR[]) AS pipeline, unnest(range(len(?1::BIGINT[]))) AS place
		), l AS (
		SELECT DISTINCT a.place, a.fit_id, n.pipeline, n.dataset, n.key, n.model, n.sampler, n.parameter
		FROM coefficient_nights n JOIN asked a ON a.fit_id = n.fit_id AND a.pipeline = n.pipeline)
		SELECT l.place, n.parameter, n.since, n.q025 AS "of", n.q25, n.median, n.q75, n.q975
		FROM coefficient_nights n JOIN l USING (pipeline, dataset, key, model, sampler, parameter)
		LEFT JOIN parameter p ON p.fit_id = l.fit_id AND p.name = n.parameter
		WHERE n.night <= ?3
		QUALIFY dense_rank() OVER (PARTITION BY l.place ORDER BY p.parameter_id NULLS LAST, n.parameter) <= ?4
		ORDER BY l.place, p.parameter_id NULLS LAST, n.parameter, n.night DESC`, ids, list(pipelines), pageNights,
		pageCoefficients)
	out := map[int]*html.Course{}
	for _, v := range all {
		c := out[v.Place]
		if c == nil {
			c = &html.Course{}
			out[v.Place] = c
		}
		if n := len(c.Name); n == 0 || c.Name[n-1] != v.Parameter {
			c.Name, c.Of, c.Created = append(c.Name, v.Parameter), append(c.Of, nil), append(c.Created, nil)
		}
		k := len(c.Name) - 1
		c.Of[k], c.Created[k] = append(c.Of[k], v.Of), append(c.Created[k], v.Since)
	}
	return out, err
}
