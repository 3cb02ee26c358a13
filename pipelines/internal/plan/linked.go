package plan

import (
	"slices"

	"glmbatch/infer"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// linked returns the terms of all predictors of all responses that have effects of an ID and a grouping; nil if one
// alone has.
func (s *Several) linked(id, group string) (terms []string) {
	if id == "" {
		return nil
	}
	predictors, responses := 0, s.all
	if responses == nil {
		responses = []*Several{s}
	}
	for _, s := range responses {
		for k, of := range s.predictors {
			for _, o := range s.of(k, s.Data).Effects {
				if of.Cut > 0 || o.ID != id || o.Group != group {
					continue
				}
				predictors++
				for _, term := range o.Terms {
					terms = append(terms, of.Named(term))
				}
			}
		}
	}
	if predictors < 2 {
		return nil
	}
	return terms
}

// linkedPrior spells the prior of a correlation or an effect of linked terms; it is empty of other parameters.
func (s *Several) linkedPrior(p infer.Parameter) string {
	for k, of := range s.predictors {
		data := s.of(k, s.Data)
		for i, e := range data.Effects {
			if terms := s.linked(e.ID, e.Group); e.Group != p.Grouping || terms == nil {
				continue
			} else if p.Kind == infer.GroupCorrelation {
				return spec.LKJPrior{Shape: s.laws()[k].Effects[i].LKJ}.String()
			} else if p.Kind == infer.GroupEffect && of.Name == p.Predictor && slices.Contains(e.Terms, p.Term) {
				return "multivariate normal of " + words.List(terms)
			}
		}
	}
	return ""
}
