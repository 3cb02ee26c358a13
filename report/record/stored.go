package record

import (
	"encoding/json"
	"math"
	"time"

	"glmbatch/report/judge"
)

// Stored holds the facts of one fit in the ledger without its draws and summaries: its row of the table fit, and
// the related rows. All that reads fits reads these, by one query. JSON is the form that users see.
type Stored struct {
	ID        int64  `json:"fit_id"` // 0 if a run stored no fit
	RunID     string `json:"run"`
	Pipeline  string `json:"pipeline"`
	Key              // its name
	Replicate int    `json:"replicate"`
	Method    string `json:"method,omitempty"`
	Family    string `json:"family,omitempty"`
	Link      string `json:"link,omitempty"`
	Formula   string `json:"formula,omitempty"`
	Status    Status `json:"status,omitempty"`
	judge.Verdict
	Warnings []string `json:"warnings"` // of the fit, without the reasons of the verdict
	Error    string   `json:"error,omitempty"`
	// Gates are those of Verdict; nil if none are stored.
	Gates      *judge.Gates `json:"gates,omitempty"`
	Rows       int64        `json:"rows"`
	Columns    int          `json:"columns"`
	Parameters int          `json:"parameters"`
	Chains     int          `json:"chains"`
	Warmup     int          `json:"warmup"`  // per chain
	Draws      int          `json:"draws"`   // per chain
	Seconds    Number       `json:"seconds"` // processor time: set-up, warm-up and sampling
	Wall       Number       `json:"wall_seconds"`
	Created    time.Time    `json:"created"`

	SetupSeconds, WarmupSeconds, SamplingSeconds float64 `json:"-"` // the parts of Seconds; NaN: not known
	Fingerprint, DataHash, ModelHash             string  `json:"-"`
	Kept                                         bool    `json:"-"` // whether the draws were kept
	// Question is the fingerprint of the fit without an earlier one, and From that of
	// the one it started from; empty: none.
	Question, From string                     `json:"-"`
	Derived        []Expression               `json:"-"` // its derived quantities, in order
	Identity       map[string]json.RawMessage `json:"-"` // what decided its draws, by part; nil: not known
}

// Number is a float64 whose JSON is null where it is NaN or infinite.
type Number float64

// MarshalJSON writes a number, or null.
func (n Number) MarshalJSON() ([]byte, error) {
	if v := float64(n); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Discrete reports whether the fit is of a discrete system, whose rows are variables and whose columns are edges.
func (s *Stored) Discrete() bool { return IsDiscrete(s.Family) }

// IsDiscrete reports whether a family is that of discrete systems.
func IsDiscrete(family string) bool { return family == DiscreteFamily }
