package report

import (
	"context"
	"database/sql"
)

// nextPlace asks for the place behind all runs and fits of the ledger.
const nextPlace = "SELECT 1 + greatest((SELECT coalesce(max(place), 0) FROM main.run), (SELECT coalesce(max(place), " +
	"0) FROM main.fit))"

// NextPlace returns the place of a run that begins now, for Run.Place and
// Fit.Place: it is behind every run that the ledger has, whatever the clock says.
// Two runs share one where neither had told the ledger of itself when the other
// began; then the clock decides which is newer. Without a ledger file it is 1.
func (l *Ledger) NextPlace(ctx context.Context) (int, error) {
	place := 1
	err := l.readIfThere(ctx, func(c *sql.Conn) error {
		return c.QueryRowContext(ctx, nextPlace).Scan(&place)
	})
	return place, err
}

// placedFits are the places of fits; one question a run.
func (s *Session) placedFits(ctx context.Context, fits []*Fit) (places []int, err error) {
	known := map[string]int{}
	for _, f := range fits {
		place := f.Place
		if place <= 0 {
			place = known[f.RunID]
		}
		if place <= 0 {
			if place, err = s.placed(ctx, 0, f.RunID); err != nil {
				return nil, err
			}
			known[f.RunID] = place
		}
		places = append(places, place)
	}
	return places, nil
}

// placed is a run's or fit's own place; where it has none, that of the run with this ID, or
// else the next one.
func (s *Session) placed(ctx context.Context, own int, run string) (int, error) {
	if own > 0 {
		return own, nil
	}
	err := s.c.QueryRowContext(ctx, "SELECT coalesce((SELECT max(place) FROM main.run WHERE run_id = ? AND place > 0), ("+
		nextPlace+"))", run).Scan(&own)
	return own, err
}
