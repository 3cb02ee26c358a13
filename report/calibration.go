package report

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"glmbatch/report/judge"
)

// Calibration holds the results so far of a simulation-based calibration of one fit's sampler.
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
	Verdict     judge.Grade // empty during the calibration
	Words       []string
	Program     string
	Updated     time.Time
	Parameters  []string // what Simulation.Ranks are of
	Simulations []Simulation
	Tests       []RankTest // by parameter; nil during the calibration
}

// Simulation is one simulated data set.
type Simulation struct {
	Index      int    `db:"simulation INTEGER NOT NULL" from:"1" doc:"1, 2, …: names its random stream, so that any one can be made again."`
	Outcome    string `db:"outcome VARCHAR NOT NULL" doc:"ranked; overflow (responses that no data set has); refused (no posterior that could be fitted); error (the sampler stopped)."`
	AllEqual   bool   `db:"all_equal BOOLEAN NOT NULL" doc:"All responses were the same."`
	Redrawn    int    `db:"redrawn INTEGER NOT NULL" doc:"Draws of the parameters before this one that lay outside the domain of the link."`
	Iterations int    `db:"iterations INTEGER NOT NULL" doc:"Length of the chain, warm-up included."`
	Mixed      bool   `db:"mixed BOOLEAN NOT NULL" doc:"The chain had enough effective draws to be thinned to independent ones."`
	Note       string `db:"note VARCHAR" doc:"Why it was not ranked."`
	Ranks      []int  // by parameter; nil unless ranked
}

// Ranked is the outcome of a simulation that was fitted.
const Ranked = "ranked"

// RankTest reports whether the ranks of a parameter are uniform.
type RankTest struct {
	Parameter string  `db:"parameter VARCHAR NOT NULL" doc:"A parameter, or log_lik."`
	P         float64 `db:"p DOUBLE" doc:"Exact p-value of the largest deviation of the distribution of ranks, as a simultaneous envelope."`
	Rejected  bool    `db:"rejected BOOLEAN NOT NULL" doc:"Rejected at calibration.false_alarms over all parameters (Holm)."`
	Mean      float64 `db:"rank_mean DOUBLE" doc:"Mean of rank/draws: 0.5 if uniform; below, the draws are too large."`
	SD        float64 `db:"rank_sd DOUBLE" doc:"Standard deviation of rank/draws: near 0.289 if uniform; above, the draws are too narrow."`
}

// Calibration stores a calibration in one transaction: it replaces its own row and tests, and adds those
// simulations that the ledger does not have.
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
		err = insert(s, calibrationRow{CalibrationID: c.ID, Pipeline: c.Pipeline, Dataset: c.Dataset, Key: c.Group,
			Model: c.Model, Sampler: c.Sampler, Method: c.Method, Given: c.Given, Seed: c.Seed,
			calibrated: calibrated{c.Wanted, len(c.Simulations), ranked, c.Draws, c.FalseAlarms, c.Verdict, c.Words,
				c.Program, c.Updated}})
		if err != nil {
			return err
		}
		return s.insertRanks(c, fresh)
	})
}

// simulated lists the stored simulations of a calibration.
func (s *Session) simulated(ctx context.Context, id string) (map[int]bool, error) {
	have := map[int]bool{}
	return have, readMap(ctx, s.c, have, "SELECT simulation - 1, true FROM calibration_simulation WHERE "+
		"calibration_id = ?", id)
}

func (s *Session) insertRanks(c *Calibration, fresh []Simulation) error {
	err := insertEach(s, fresh, func(_ int, sim *Simulation) simulationRow {
		return simulationRow{CalibrationID: c.ID, Simulation: *sim}
	})
	if err != nil {
		return err
	}
	err = insertRows(s, func(add func(rankRow) error) error {
		for _, sim := range fresh {
			if sim.Ranks != nil && len(sim.Ranks) != len(c.Parameters) {
				return &ShapeError{fmt.Sprintf("%d ranks of %d parameters", len(sim.Ranks), len(c.Parameters))}
			}
			for p, rank := range sim.Ranks {
				row := rankRow{CalibrationID: c.ID, Simulation: sim.Index, Parameter: c.Parameters[p], Rank: rank}
				if err := add(row); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return insertEach(s, c.Tests, func(_ int, t *RankTest) rankTestRow {
		return rankTestRow{CalibrationID: c.ID, RankTest: *t}
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
		err = read(ctx, c, &out, "SELECT * EXCLUDE (calibration_id) FROM calibration_simulation WHERE calibration_id = ? "+
			"ORDER BY simulation", id)
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
	var ranks []rankRow
	err := read(ctx, c, &ranks, "SELECT simulation, parameter, rank FROM calibration_rank WHERE calibration_id = ?", id)
	for _, r := range ranks {
		i, known := at[r.Simulation]
		p, named := place[r.Parameter]
		if !known || !named {
			continue
		}
		if out[i].Ranks == nil {
			out[i].Ranks = make([]int, len(place))
		}
		out[i].Ranks[p] = r.Rank
	}
	return err
}
