package report

import (
	"context"
	"database/sql"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/report/html"
)

// A page shows all effects of a term if there are at most pageLevels levels. Of more it shows pageEnds at either
// end, and about pageStrip between them at even distances of rank.
const (
	pageLevels = 60
	pageEnds   = 12
	pageStrip  = 60
)

// groups reads how the group-level effects of a fit mixed, and their intervals.
func (r *pageReader) groups(f *html.Fit) error {
	d := f.Detail
	err := read(r.ctx, r.c, &d.Groups, `SELECT p.grouping, count(DISTINCT p.level) AS levels, count(*) AS effects,
		max(s.rhat) AS rhat, arg_max(s.name, s.rhat) AS rhat_of, min(s.ess_bulk) AS ess_bulk,
		arg_min(s.name, s.ess_bulk) AS ess_bulk_of
		FROM (SELECT * FROM parameter WHERE fit_id = ?1 AND kind = '`+string(infer.GroupEffect)+`') p
		JOIN (SELECT * FROM summary WHERE fit_id = ?1) s USING (parameter_id)
		GROUP BY p.grouping ORDER BY min(p.parameter_id)`, f.ID)
	if err == nil {
		err = r.terms(f)
	}
	if err != nil || len(d.Terms) == 0 {
		return err
	}
	return r.levelEffects(f)
}

// terms reads the standard deviations of the group-level effects of a fit.
func (r *pageReader) terms(f *html.Fit) error {
	none := html.Interval{html.Number(math.NaN()), html.Number(math.NaN()), html.Number(math.NaN())}
	err := read(r.ctx, r.c, &f.Detail.Terms, `SELECT p.grouping, p.term, s.mean, s.sd, s.q025 AS quantiles, s.q25,
			s.median, s.q75, s.q975
		FROM (SELECT * FROM parameter WHERE fit_id = ?1 AND kind = '`+string(infer.GroupSD)+`') p
		JOIN (SELECT * FROM summary WHERE fit_id = ?1) s USING (parameter_id) ORDER BY p.parameter_id`, f.ID)
	for i := range f.Detail.Terms {
		t := &f.Detail.Terms[i]
		t.ICC = none
		if icc, ok := r.shares[termKey{f.ID, t.Grouping, t.Term}]; ok {
			t.ICC = icc
		}
	}
	return err
}

// termKey names the effects of a term of a grouping of a fit.
type termKey struct {
	Fit            int64 `db:"fit_id"`
	Grouping, Term string
}

// readShares reads the intraclass correlations of fits, those of the newest ones alone: they are of draws, which are
// read for all fits at once.
func readShares(ctx context.Context, c *sql.Conn, ids []int64) (map[termKey]html.Interval, error) {
	var all []struct {
		termKey
		ICC html.Interval
	}
	err := read(ctx, c, &all, `SELECT fit_id, grouping, term, icc, icc_q025, icc_q975 FROM variance_components
		WHERE icc IS NOT NULL AND fit_id IN (SELECT unnest(?::BIGINT[]))`, ids)
	out := map[termKey]html.Interval{}
	for _, share := range all {
		out[share.termKey] = share.ICC
	}
	return out, err
}

// levelEffects reads the effects of the levels, in the order of their means.
func (r *pageReader) levelEffects(f *html.Fit) error {
	at := map[[2]string]*html.Term{}
	for i := range f.Detail.Terms {
		t := &f.Detail.Terms[i]
		at[[2]string{t.Grouping, t.Term}] = t
	}
	var all []struct {
		Grouping, Term, Level string
		Mean                  html.Number
		SD                    float64
		Quantiles             [5]html.Number
		Rank, N               int
	}
	err := read(r.ctx, r.c, &all, fmt.Sprintf(`SELECT p.grouping, p.term, p.level, s.mean, s.sd, s.q025 AS quantiles,
			s.q25, s.median, s.q75, s.q975, row_number() OVER ranked AS rank,
			count(*) OVER (PARTITION BY p.grouping, p.term) AS n
		FROM (SELECT * FROM parameter WHERE fit_id = ?1 AND kind = '%s') p
		JOIN (SELECT * FROM summary WHERE fit_id = ?1) s USING (parameter_id)
		WINDOW ranked AS (PARTITION BY p.grouping, p.term ORDER BY s.mean NULLS LAST, abs(p.parameter_id))
		QUALIFY n <= %[2]d OR rank <= %[3]d OR rank > n - %[3]d OR rank %% ((n + %[4]d - 1) // %[4]d) = 0
		ORDER BY p.grouping, p.term, rank`, infer.GroupEffect, pageLevels, pageEnds, pageStrip), f.ID)
	for _, v := range all {
		t := at[[2]string{v.Grouping, v.Term}]
		if t == nil { // an effect whose standard deviation is not a parameter
			continue
		}
		e := &t.Effects
		t.Levels, e.Rank, e.Level = v.N, append(e.Rank, v.Rank), append(e.Level, v.Level)
		for i, column := range []*[]html.Number{&e.Q025, &e.Q25, &e.Median, &e.Q75, &e.Q975} {
			*column = append(*column, v.Quantiles[i])
		}
		e.Mean, e.Told = append(e.Mean, v.Mean), append(e.Told, ownShare(t, v.SD))
	}
	return err
}

// ownShare is the share of a level's effect that its own rows determine: one less the variance of the effect given
// the data over that among levels. A level without rows has 0.
//
// Source: Gelman and Pardoe (2006), doi:10.1198/004017005000000517, by level.
func ownShare(t *html.Term, sd float64) html.Number {
	among := float64(float64(t.Mean)*float64(t.Mean)) + float64(t.SD)*float64(t.SD)
	share := 1 - float64(sd*sd)/among
	if math.IsNaN(share) {
		return html.Number(math.NaN())
	}
	return html.Number(math.Round(1000*math.Max(0, math.Min(1, share))) / 1000)
}
