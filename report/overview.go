package report

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
)

// Look holds an overview of a fit: its names, its verdict, and the worst of its diagnostics over summaries and
// chains.
type Look struct {
	Stored
	Worst
	// Action is the action of the run for the fit; empty if no run was selected.
	Action string `json:"action,omitempty"`
	// Imputations describes the differences of several imputations; empty if the data have no others.
	Imputations string `json:"imputations,omitempty"`
	Standing
}

// Standing is the position of a fit among those of its name in its pipeline. Views of the newest fits show the
// newest complete one.
type Standing struct {
	// Newest is the number of the newest complete fit of the name, and Drawn the time when it was drawn, UTC; 0 if
	// there is none.
	Newest int64     `json:"newest_fit_id,omitempty"`
	Drawn  time.Time `json:"newest_created,omitzero"`
	// State is Current, or what became of a newer attempt, which began at Attempted.
	State     string    `json:"state,omitempty"`
	Attempted time.Time `json:"attempted,omitzero"`
	// Attempt is the number of the fit of that attempt, complete or an error; 0 if nothing of it is stored.
	Attempt int64 `json:"-"`
}

// name is that of a fit in its pipeline.
type name struct {
	Pipeline string
	Key
}

// States of the newest complete fit of a name that do not say what became of a newer attempt.
const (
	Current = "current" // the newest run which tried for it drew it or found it unchanged
	Gone    = "gone"    // that run took another fit, which is not in the ledger any more
)

// Stale reports whether the fit with this number is what views show of its name although a newer attempt failed.
func (s *Standing) Stale(id int64) bool { return id == s.Newest && id != 0 && s.State != Current }

// Words describes the position of the fit with this number; empty for one that is current, or the only one.
func (s *Standing) Words(id int64) string {
	const minute = "2006-01-02 15:04 UTC"
	drawn := s.Drawn.UTC().Format(minute)
	switch {
	case s.Stale(id) && s.State == Gone:
		return fmt.Sprintf("the fit of the run of %s is not in the ledger any more: these draws are of %s",
			s.Attempted.UTC().Format(minute), drawn)
	case s.Stale(id):
		return fmt.Sprintf("the attempt of %s ended as %s: these draws are of %s", s.Attempted.UTC().Format(minute),
			s.State, drawn)
	case s.Newest == 0 || s.Newest == id:
		return ""
	case s.Attempt == id && id != 0:
		return fmt.Sprintf("this is the newest attempt; the newest complete fit of this name is %d, of %s", s.Newest, drawn)
	}
	return fmt.Sprintf("the newest complete fit of this name is %d, of %s", s.Newest, drawn)
}

// standings reads the positions of the names of all fits.
func standings(ctx context.Context, c *sql.Conn) (map[name]Standing, error) {
	var all []struct {
		name
		Standing
	}
	err := read(ctx, c, &all, `SELECT l.dataset, l.key, l.model, l.sampler, l.pipeline, l.fit_id AS newest_fit_id,
		l.created AS newest_created, l.state, l.attempted, a.fit_id AS attempt FROM latest l JOIN attempt a ON
		a.pipeline = l.pipeline AND a.dataset = l.dataset AND a.key = l.key AND a.model = l.model AND
		a.sampler = l.sampler`)
	out := map[name]Standing{}
	for _, s := range all {
		out[s.name] = s.Standing
	}
	return out, err
}

// Worst are the worst diagnostics over the quantities that gates check, and the names of these quantities; NaN and
// empty if there are none. Local scales of a prior are not included, since no gate checks them.
type Worst struct {
	Divergences int    `json:"divergences"` // after warm-up
	RHat        Number `json:"rhat_max"`
	RHatOf      string `json:"rhat_max_of,omitempty"`
	ESSBulk     Number `json:"ess_bulk_min"`
	ESSBulkOf   string `json:"ess_bulk_min_of,omitempty"`
	ESSTail     Number `json:"ess_tail_min"`
	ESSTailOf   string `json:"ess_tail_min_of,omitempty"`
}

// Line is a parameter of one fit with its summary, or a statistic of its draws.
type Line struct {
	Name          string              `json:"name"`
	Kind          infer.ParameterKind `json:"kind"`
	Prior         string              `json:"prior,omitempty"`
	Center, Scale float64             `json:"-"` // of its column under standardize
	// ColumnSD is the standard deviation of the coefficient's column in the units of the data: NaN if there is
	// none.
	ColumnSD Number `json:"column_sd"`
	// Grouping, Level, Term and Term2 are those of infer.Parameter.
	Grouping, Level, Term, Term2 string       `json:"-"`
	Summary                      diag.Summary `json:"-"`
}

// Look returns the fit with a number; ok is false if there is none.
func (l *Ledger) Look(ctx context.Context, id int64) ([]Look, error) {
	return l.looks(ctx, numberedFits, nil, []int64{id})
}

// LookNewest returns the newest fit of each name of a pipeline (empty: of all), complete or not, that choose
// accepts, replicates left out.
func (l *Ledger) LookNewest(ctx context.Context, pipeline string, choose func(Key) bool) ([]Look, error) {
	return l.looks(ctx, newestFits, choose, pipeline)
}

// LookRun returns what one run did about each of its fits. Their verdicts are those
// that the run took; a fit that prune removed is named without numbers.
func (l *Ledger) LookRun(ctx context.Context, runID string) ([]Look, error) {
	return l.looks(ctx, "SELECT * FROM run_fit WHERE run_id = ?", nil, runID)
}

// looks reads the fits that a query names and choose (nil: all) accepts. Cost: one pass
// over summary and chain of these.
func (l *Ledger) looks(ctx context.Context, which string, choose func(Key) bool, args ...any) (out []Look, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		var ids []int64
		var fits []Stored
		err := readFits(ctx, c, which, byName, func(f *Stored, action string) {
			if choose == nil || choose(f.Key) {
				out, ids, fits = append(out, Look{Stored: *f, Action: action}), append(ids, f.ID), append(fits, *f)
			}
		}, args...)
		if err == nil {
			err = counted(ctx, c, l.path, true, fits)
		}
		if err != nil {
			return err
		}
		worst, err := worstOf(ctx, c, ids)
		if err != nil {
			return err
		}
		words, err := imputationWords(ctx, c, ids)
		if err != nil {
			return err
		}
		standing, err := standings(ctx, c)
		for i := range out {
			out[i].Worst, out[i].Imputations = worst(out[i].ID), words[out[i].ID]
			out[i].Standing = standing[name{out[i].Pipeline, out[i].Key}]
		}
		return err
	})
	return out, err
}

// worstOf reads the worst diagnostics of fits, by number.
func worstOf(ctx context.Context, c *sql.Conn, ids []int64) (of func(id int64) Worst, err error) {
	var all []struct {
		FitID int64
		Worst
	}
	err = read(ctx, c, &all, `SELECT fit_id, max(rhat) AS rhat_max, arg_max(name, rhat) AS rhat_max_of,
			min(ess_bulk) AS ess_bulk_min, arg_min(name, ess_bulk) AS ess_bulk_min_of,
			min(ess_tail) AS ess_tail_min, arg_min(name, ess_tail) AS ess_tail_min_of
		FROM summary WHERE kind NOT IN ('local_scale', 'unsorted')
			AND fit_id IN (SELECT unnest(?::BIGINT[])) GROUP BY fit_id`, ids)
	found, divergences := map[int64]Worst{}, map[int64]int{}
	for _, w := range all {
		found[w.FitID] = w.Worst
	}
	if err == nil {
		err = readMap(ctx, c, divergences, `SELECT fit_id, count(*) FROM chain WHERE divergent AND NOT warmup
			AND fit_id IN (SELECT unnest(?::BIGINT[])) GROUP BY fit_id`, ids)
	}
	return func(id int64) Worst {
		w, ok := found[id]
		if none := Number(math.NaN()); !ok {
			w = Worst{RHat: none, ESSBulk: none, ESSTail: none}
		}
		w.Divergences = divergences[id]
		return w
	}, err
}

// Lines returns the parameters of a fit with their summaries, in order, then the statistics of its draws by name. A
// number that could not be computed is NaN.
func (l *Ledger) Lines(ctx context.Context, id int64) (out []Line, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		return read(ctx, c, &out, "SELECT "+columnList(Line{})+` FROM (SELECT * FROM summary WHERE fit_id = ?1) s
			LEFT JOIN (SELECT parameter_id AS parameter, prior, center, scale, grouping, level, term, beside AS term2
				FROM parameter WHERE fit_id = ?1) p ON parameter = parameter_id
			LEFT JOIN (SELECT column_id, sd AS column_sd FROM column_summary WHERE fit_id = ?1) c
				ON column_id = parameter_id AND kind IN ('coefficient', 'intercept')
			ORDER BY parameter_id < 0, parameter_id NULLS LAST, name`, id)
	})
	return out, err
}

// Names returns the names of the fits of a pipeline (empty: of all), in their order. Cost: one pass over what runs did
// about fits, no summaries.
func (l *Ledger) Names(ctx context.Context, pipeline string) (out []Key, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		return read(ctx, c, &out, "SELECT DISTINCT dataset, key, model, sampler FROM run_fit "+
			"WHERE (?1 = '' OR pipeline = ?1) AND fit_id IN (SELECT fit_id FROM fit) ORDER BY ALL", pipeline)
	})
	return out, err
}
