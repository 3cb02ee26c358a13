package report

import (
	"context"
	"fmt"
	"math"

	"glmbatch/report/record"
)

// cancelEvery is how many rows pass between looks at ctx.
const cancelEvery = 1024

// checkDiscrete finds parts that contradict each other.
func checkDiscrete(d *Discrete) error {
	n := d.Variables
	wrong := len(d.IDs) != n || d.Observation != nil && len(d.Observation) != n || d.Truth != nil && len(d.Truth) != n ||
		d.Best != nil && len(d.Best) != n ||
		d.Scan != nil && len(d.Scan) != len(d.ScanBounds) ||
		d.Probability != nil && len(d.Probability) != n*len(d.Labels) || d.MCSE != nil && len(d.MCSE) != len(d.Probability)
	if wrong {
		return &ShapeError{fmt.Sprintf("discrete variables: %d of them, with %d ids, %d observations, %d truths, %d "+
			"states, %d probabilities and %d errors",
			n, len(d.IDs), len(d.Observation), len(d.Truth), len(d.Best), len(d.Probability), len(d.MCSE))}
	}
	return nil
}

// insertDiscrete stores what a fit of discrete variables has besides. Cost: about a
// microsecond a row.
func (s *Session) insertDiscrete(ctx context.Context, id int64, d *Discrete) error {
	if d == nil {
		return nil
	}
	system := d.System
	if d.Best == nil {
		system.BestLogLik = math.NaN()
	}
	err := insert(s, systemRow{ofFit: ofFit{id}, System: system})
	for _, part := range []func(context.Context, int64, *Discrete) error{s.insertVariables, s.insertMarginals,
		s.insertScan} {
		if err == nil {
			err = part(ctx, id, d)
		}
	}
	if err == nil {
		err = s.insertCertificates(id, d.Certificates)
	}
	return storing("discrete variables", err)
}

func (s *Session) insertVariables(ctx context.Context, id int64, d *Discrete) error {
	return insertRows(s, func(add func(variableRow) error) error {
		for i, name := range d.IDs {
			if i%cancelEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			row := variableRow{ofFit: ofFit{id}, VariableID: i, ID: name, Observation: math.NaN(), Truth: -1, Best: -1}
			if d.Rows > 0 {
				row.ImageRow, row.ImageColumn = i/d.Columns+1, i%d.Columns+1
			}
			if d.Observation != nil {
				row.Observation = d.Observation[i]
			}
			if d.Truth != nil {
				row.Truth = d.Truth[i]
			}
			if d.Best != nil {
				row.Best = int16(d.Best[i])
			}
			if err := add(row); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Session) insertMarginals(ctx context.Context, id int64, d *Discrete) error {
	if d.Probability == nil {
		return nil
	}
	q := len(d.Labels)
	return insertRows(s, func(add func(marginalRow) error) error {
		for k, p := range d.Probability {
			if k%cancelEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if math.IsNaN(p) {
				continue // of a variable that the sampler does not draw
			}
			row := marginalRow{ofFit: ofFit{id}, VariableID: k / q, State: k % q, Probability: p, MCSE: math.NaN()}
			if d.MCSE != nil {
				row.MCSE = d.MCSE[k]
			}
			if err := add(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// insertScan stores a certified scan and the influences that it is certified by.
func (s *Session) insertScan(ctx context.Context, id int64, d *Discrete) error {
	err := insertEach(s, d.ScanBounds, func(t int, bound *float64) scanRow {
		row := scanRow{ofFit: ofFit{id}, Update: t, VariableID: -1, Bound: *bound}
		if d.Scan != nil {
			row.VariableID = int(d.Scan[t])
		}
		return row
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return insertEach(s, d.Influences, func(_ int, i *record.Influence) influenceRow {
		return influenceRow{ofFit: ofFit{id}, Influence: *i}
	})
}

// insertCertificates stores what is proved of a fit.
func (s *Session) insertCertificates(id int64, certificates []Certificate) error {
	return insertEach(s, certificates, func(_ int, c *Certificate) certificateRow {
		return certificateRow{ofFit: ofFit{id}, Certificate: *c}
	})
}
