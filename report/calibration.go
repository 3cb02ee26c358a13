package report

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strconv"
	"time"

	"glmbatch/report/judge"
)

// Calibration is what a simulation-based calibration of one fit's sampler has
// come to so far.
type Calibration struct {
	Key
	ID          string // hash of what decides the ranks
	Pipeline    string
	Method      string
	Given       string // prior or posterior
	Seed        uint64
	Wanted      int
	Draws       int // ranks are 0 to Draws
	FalseAlarms float64
	Verdict     judge.Grade // empty while it goes on
	Words       []string
	Program     string
	Updated     time.Time
	Parameters  []string // what Simulation.Ranks are of
	Simulations []Simulation
	Tests       []RankTest // by parameter; nil while it goes on
}

// Simulation is one simulated data set.
type Simulation struct {
	Index      int    // 0-based
	Outcome    string // ranked, overflow, refused or error
	AllEqual   bool
	Redrawn    int
	Iterations int
	Mixed      bool
	Note       string
	Ranks      []int // by parameter; nil unless ranked
}

// Ranked is the outcome of a simulation that was fitted.
const Ranked = "ranked"

// RankTest reports whether the ranks of a parameter are uniform.
type RankTest struct {
	Parameter string
	P         float64
	Rejected  bool
	Mean, SD  float64 // of rank/Draws
}

// Calibration stores a calibration in one transaction: its own row and tests
// anew, and those simulations that the ledger does not have.
func (s *Session) Calibration(ctx context.Context, c *Calibration) error {
	return inTransaction(ctx, s.c, func() error {
		have, err := s.simulated(ctx, c.ID)
		if err != nil {
			return err
		}
		for _, table := range []string{"calibration", "calibration_test"} {
			if _, err := s.c.ExecContext(ctx, "DELETE FROM "+table+" WHERE calibration_id = ?", c.ID); err != nil {
				return err
			}
		}
		ranked := 0
		var fresh []Simulation
		for _, sim := range c.Simulations {
			if sim.Outcome == Ranked {
				ranked++
			}
			if !have[sim.Index] {
				fresh = append(fresh, sim)
			}
		}
		_, err = s.c.ExecContext(ctx, `INSERT INTO calibration VALUES (?, ?, ?, ?, ?, ?, ?, ?, CAST(?::VARCHAR AS UBIGINT),
			?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.ID, text(c.Pipeline), c.Dataset, c.Group, c.Model, c.Sampler, text(c.Method), c.Given,
			strconv.FormatUint(c.Seed, 10),
			c.Wanted, len(c.Simulations), ranked, c.Draws, c.FalseAlarms, text(string(c.Verdict)), list(c.Words),
			text(c.Program), c.Updated.UTC())
		if err != nil {
			return err
		}
		return s.insertRanks(c, fresh)
	})
}

// simulated lists the stored simulations of a calibration.
func (s *Session) simulated(ctx context.Context, id string) (map[int]bool, error) {
	return readMap(ctx, s.c, "SELECT simulation - 1, true FROM calibration_simulation WHERE calibration_id = ?",
		func(i *int, have *bool) []any { return []any{i, have} }, id)
}

func (s *Session) insertRanks(c *Calibration, fresh []Simulation) error {
	err := appendEach(s, "calibration_simulation", fresh, func(_ int, sim *Simulation) []driver.Value {
		return []driver.Value{c.ID, int32(sim.Index + 1), sim.Outcome, sim.AllEqual, int32(sim.Redrawn),
			int32(sim.Iterations), sim.Mixed, text(sim.Note)}
	})
	if err != nil {
		return err
	}
	err = s.appendRows("calibration_rank", func(add func(...driver.Value) error) error {
		for _, sim := range fresh {
			if sim.Ranks != nil && len(sim.Ranks) != len(c.Parameters) {
				return &ShapeError{fmt.Sprintf("%d ranks of %d parameters", len(sim.Ranks), len(c.Parameters))}
			}
			for p, rank := range sim.Ranks {
				if err := add(c.ID, int32(sim.Index+1), c.Parameters[p], int32(rank)); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return appendEach(s, "calibration_test", c.Tests, func(_ int, t *RankTest) []driver.Value {
		return []driver.Value{c.ID, t.Parameter, number(t.P), t.Rejected, number(t.Mean), number(t.SD)}
	})
}

// Simulations returns the stored simulations of a calibration, in order, with
// their ranks in the order of parameters; none if the ledger has none, or is of
// an older version. A simulation that lacks a rank is left out.
func (l *Ledger) Simulations(ctx context.Context, id string, parameters []string) ([]Simulation, error) {
	place := map[string]int{}
	for p, name := range parameters {
		place[name] = p
	}
	var out []Simulation
	err := l.readIfThere(ctx, func(c *sql.Conn) error {
		var n int
		err := c.QueryRowContext(ctx, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'calibration_rank' AND NOT "+
			"internal").Scan(&n)
		if err != nil || n == 0 {
			return err
		}
		out, err = readRows(ctx, c, `SELECT simulation - 1, outcome, all_equal, redrawn, iterations, mixed,
			coalesce(note, '')
			FROM calibration_simulation WHERE calibration_id = ? ORDER BY simulation`, func(s *Simulation) []any {
			return []any{&s.Index, &s.Outcome, &s.AllEqual, &s.Redrawn, &s.Iterations, &s.Mixed, &s.Note}
		}, id)
		if err != nil {
			return err
		}
		return readRanks(ctx, c, id, place, out)
	})
	whole := out[:0]
	for _, s := range out {
		if s.Outcome != Ranked || len(s.Ranks) == len(parameters) {
			whole = append(whole, s)
		}
	}
	return whole, err
}

// readRanks fills the ranks of simulations.
func readRanks(ctx context.Context, c *sql.Conn, id string, place map[string]int, out []Simulation) error {
	at := map[int]int{}
	for i, s := range out {
		at[s.Index] = i
	}
	return scanRows(ctx, c, "SELECT simulation - 1, parameter, rank FROM calibration_rank WHERE calibration_id = ?",
		func(rows *sql.Rows) error {
			var sim, rank int
			var name string
			err := rows.Scan(&sim, &name, &rank)
			i, known := at[sim]
			p, named := place[name]
			if !known || !named {
				return err
			}
			if out[i].Ranks == nil {
				out[i].Ranks = make([]int, len(place))
			}
			out[i].Ranks[p] = rank
			return err
		}, id)
}
