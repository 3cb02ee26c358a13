package report

import (
	"context"
	"database/sql/driver"
	"fmt"
	"math"
)

// cancelEvery is how many rows pass between looks at ctx.
const cancelEvery = 1024

// checkDiscrete finds parts that contradict each other.
func checkDiscrete(d *Discrete) error {
	n := d.Variables
	wrong := len(d.IDs) != n || d.Observation != nil && len(d.Observation) != n || d.Truth != nil && len(d.Truth) != n ||
		d.Best != nil && len(d.Best) != n ||
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
	var rows, columns, best, bestChain, chainBytes any
	if d.Rows > 0 {
		rows, columns = int32(d.Rows), int32(d.Columns)
	}
	if d.Best != nil {
		best = number(d.BestLogLik)
	}
	if d.BestChain >= 0 {
		bestChain = int16(d.BestChain + 1)
	}
	if d.ChainBytes > 0 {
		chainBytes = d.ChainBytes
	}
	err := s.appendRow("discrete", id, int64(d.Variables), int64(d.Edges), list(d.Labels), rows, columns, d.Interaction,
		number(d.LogZ), best, bestChain, d.Gated, d.ModelBytes, chainBytes)
	for _, part := range []func(context.Context, int64, *Discrete) error{s.insertVariables, s.insertMarginals} {
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
	return s.appendRows("variable", func(add func(...driver.Value) error) error {
		for i, name := range d.IDs {
			if i%cancelEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			var row, column, observed, truth, best any
			if d.Rows > 0 {
				row, column = int32(i/d.Columns+1), int32(i%d.Columns+1)
			}
			if d.Observation != nil {
				observed = number(d.Observation[i])
			}
			if d.Truth != nil && d.Truth[i] >= 0 {
				truth = d.Truth[i]
			}
			if d.Best != nil {
				best = int16(d.Best[i])
			}
			if err := add(id, int32(i+1), name, row, column, observed, truth, best); err != nil {
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
	return s.appendRows("marginal", func(add func(...driver.Value) error) error {
		for k, p := range d.Probability {
			if k%cancelEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if math.IsNaN(p) {
				continue // of a variable that the sampler does not draw
			}
			mcse := math.NaN()
			if d.MCSE != nil {
				mcse = d.MCSE[k]
			}
			if err := add(id, int32(k/q+1), int16(k%q), p, number(mcse)); err != nil {
				return err
			}
		}
		return nil
	})
}

// insertCertificates stores what is proved of a fit.
func (s *Session) insertCertificates(id int64, certificates []Certificate) error {
	return appendEach(s, "certificate", certificates, func(_ int, c *Certificate) []driver.Value {
		var ids, updates any
		if c.IDs != nil {
			ids = c.IDs
		}
		if c.Updates > 0 {
			updates = c.Updates
		}
		return []driver.Value{id, c.Method, c.Bounded, int64(c.Variables), ids, updates, number(c.Bound), text(c.Note)}
	})
}
