package assess

import (
	"context"
	"fmt"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// maxAllocations is how many allocation probabilities a fit has, at most: rows times components.
const maxAllocations = 1_000_000

// allocate computes of which component each row is, the components numbered in each draw as its parameters are.
func (e *Extras) allocate(ctx context.Context, f *plan.Fit, m plan.Labelled, draws *Source) error {
	places, components := m.TableRows(), f.Model.Mixture.Components
	if n := len(places) * components; n > maxAllocations {
		e.Notes = append(e.Notes, fmt.Sprintf("allocations of rows are not stored: %d rows of %d components are %d "+
			"probabilities, more than %d", len(places), components, n, maxAllocations))
		return nil
	}
	rows, err := evaluate(m, draws)
	if err != nil {
		return f.Explain(err)
	}
	found, err := rows.Allocations(ctx)
	if err != nil {
		return f.Explain(err)
	}
	for i, row := range places {
		e.Allocations = append(e.Allocations, record.Allocation{Row: row + 1, Of: found[i]})
	}
	return nil
}
