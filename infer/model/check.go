package model

import (
	"errors"
	"fmt"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// check compares the parts, and refuses priors under which the posterior may have no finite integral.
func (s *setup) check(p *Problem, of []family.Predictor) error {
	n := len(p.Y)
	switch {
	case len(of) == 0 || len(p.Predictors) != len(of):
		return fmt.Errorf("model: %d predictors for %d of family %s", len(p.Predictors), len(of), p.Family.Name)
	case p.Frequency != nil && len(p.Frequency) != n:
		return fmt.Errorf("model: %d frequencies for %d rows", len(p.Frequency), n)
	}
	if p.Responses == nil {
		if err := p.checkResponse(); err != nil {
			return err
		}
	}
	for k := range p.Predictors {
		q := &p.Predictors[k]
		if q.Data == nil || q.Data.X == nil || q.Data.Rows() != n {
			return fmt.Errorf("model: predictor %s has other rows than its %d responses", of[k].Name, n)
		}
		for d, of := range of[k].Of.Dispersions() {
			if law := q.Model.DispersionPrior(d); !s.responseOf(k, p).Family.Predicts(of.Name) && !law.Proper() {
				return words.Hint(fmt.Errorf("prior of %s: a flat prior is not known to give a proper posterior beside several "+
					"linear predictors", of.Name), "give it a proper prior, or leave it to the default")
			}
		}
		for j, law := range q.Model.Coefficients {
			if !law.Proper() {
				return words.Hint(fmt.Errorf("prior of %s: a flat prior of one of several linear predictors is not known to "+
					"give a proper posterior", glm.ColumnName(q.Data, j)), "give normal(0, 2.5), or leave it to the default")
			}
		}
	}
	return nil
}

// checkResponse refuses responses outside the domain of the family.
func (p *Problem) checkResponse() error {
	if err := family.CheckResponse(p.Family, p.Y, p.Trials); err != nil {
		return err
	}
	return p.checkClasses()
}

// checkClasses refuses responses without two classes, and numbers that are no class.
func (p *Problem) checkClasses() error {
	if !p.Family.Support().Classes {
		return nil
	}
	if len(p.Classes) < 2 {
		return errors.New("model: a response in classes needs two of them")
	}
	if p.Family.Support().CountsClasses() {
		return p.checkCounts()
	}
	for i, y := range p.Y {
		if int(y) >= len(p.Classes) {
			return &glm.DomainError{What: "response", Row: i, Value: y,
				Allowed: fmt.Sprintf("there are %d classes, numbered from 0", len(p.Classes))}
		}
	}
	return nil
}

// checkCounts refuses counts of classes that do not add up to the trials.
func (p *Problem) checkCounts() error {
	if len(p.Counts) != len(p.Classes) || len(p.Trials) != len(p.Y) {
		return fmt.Errorf("model: counts of %d classes for %d", len(p.Counts), len(p.Classes))
	}
	for i := range p.Y {
		sum := 0.0
		for _, of := range p.Counts {
			if sum += of[i]; !family.IsCount(of[i]) {
				return &glm.DomainError{What: "count", Row: i, Value: of[i], Allowed: "a count is a whole number, 0 or more"}
			}
		}
		if sum != p.Trials[i] {
			return &glm.DomainError{What: "trials", Row: i, Value: p.Trials[i],
				Allowed: fmt.Sprintf("the counts of the row add up to %v", sum)}
		}
	}
	return nil
}
