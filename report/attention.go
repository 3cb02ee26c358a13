package report

import (
	"context"
	"database/sql"
	"time"
)

// Attention is a row of the view needs_attention: a fit that a person has to look at.
type Attention struct {
	Pipeline string `json:"pipeline"`
	Key
	State     string     `json:"state"` // error, uncommitted, fail or gone
	Reason    string     `json:"reason"`
	Remedy    string     `json:"remedy"`
	Attempted time.Time  `json:"attempted"`
	Created   *time.Time `json:"created"`          // of the fit that views show; nil: there is none
	ID        int64      `json:"fit_id,omitempty"` // of that fit
	RunID     string     `json:"run"`
}

// NeedsAttention returns the fits of a pipeline (empty: of all) that a person has to look at, in the order of their
// names. Without any the list is empty. It is a *MissingError if there is no ledger.
func (l *Ledger) NeedsAttention(ctx context.Context, pipeline string) (out []Attention, err error) {
	err = l.readTables(ctx, func(c *sql.Conn) error {
		return read(ctx, c, &out, `SELECT dataset, key, model, sampler, pipeline, state, reason, remedy, attempted,
			created, fit_id, run_id AS run FROM needs_attention WHERE ?1 = '' OR pipeline = ?1`, pipeline)
	})
	return append([]Attention{}, out...), err // JSON has a list of none as []
}
