package explain

import (
	"fmt"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/plan"
)

// parts are explanations of parts of a model.
type parts struct {
	Further   []*Explanation // further linear predictors: a name, terms and priors
	Responses []*Explanation // of several responses; nil of one
}

// joined explains each of several responses, and how all are drawn.
func (e *Explanation) joined(c *plan.Case) {
	var names, counted []string
	apart := false // whether some rows miss a response
	for _, r := range c.Responses {
		own := &Explanation{Name: r.Name}
		own.describe(r)
		own.predictive(r)
		name := r.Spec.Response.Name
		e.Responses, names = append(e.Responses, own), append(names, name)
		counted, apart = append(counted, fmt.Sprintf("%s of %d", name, r.Counted)), apart || r.Counted < c.Counted
	}
	e.Facts = fmt.Sprintf("%d responses of each of %d rows: %s", len(names), c.Counted, words.List(names))
	if apart {
		e.Facts = fmt.Sprintf("%d responses of %d rows: %s", len(names), c.Counted, words.List(counted))
	}
	if m := c.Spec; m.CorrelatedResiduals() {
		e.Facts += ". Their residuals are correlated, with the prior " + m.Prior.RescorLKJ().String()
	}
	of, err := c.On(c.Data)
	if err != nil {
		e.Sampler = []string{"The run would refuse it: " + err.Error()}
		return
	}
	e.sampler(c, of)
}
