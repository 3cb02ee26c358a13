package plan

import (
	"context"
	"errors"
	"slices"

	"glmbatch/pipelines/internal/spec"
)

// Survey is what the data of a pipeline say of its fits before any is drawn.
type Survey struct {
	// Defaults are the priors that fits have by default, a paragraph for each data set and model that leave any out:
	// with their numbers, of the first file or group where there are several; as rules where the data cannot be read.
	Defaults []string
	// Items are the families and priors of items, a paragraph for each data set and model of latent classes.
	Items []string
	// Sizes say what fits of models of kind mrf take in memory, a line for each data set and model.
	Sizes []string
	// Fits counts the fits of all units, replicates once; Refused are those among them that would end in an error
	// before they draw.
	Fits    int
	Refused []Refusal
}

// Refusal is one error and the fits of a unit that it would end.
type Refusal struct {
	Fits []string
	Err  error
}

// TakeSurvey reads all data of a pipeline, a unit at a time, and codes them for each of its models. Unless data is
// set it reads nothing, and knows of rules alone. The error is that of ctx.
func TakeSurvey(ctx context.Context, p *spec.Pipeline, example func(string) ([]byte, error),
	data bool) (*Survey, error) {
	r, out := &Reader{Pipeline: p, Example: example}, &Survey{}
	for _, ds := range p.Datasets {
		if !data {
			out.describe(r, &Unit{Dataset: ds, Err: errors.New("the data were not read")})
			continue
		}
		units := 0
		err := r.read(ctx, ds, func(u *Unit) error {
			out.refuse(p, u)
			if units++; units == 1 {
				out.describe(r, u)
			}
			return ctx.Err()
		})
		if err == nil && units == 0 {
			out.describe(r, &Unit{Dataset: ds, Err: errors.New("there are no rows")})
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// describe words the defaults or the memory of the models of a data set, on its first unit.
func (s *Survey) describe(r *Reader, first *Unit) {
	var seen []*spec.Model
	for _, m := range r.models(first.Dataset.Name) {
		switch {
		case slices.Contains(seen, m):
			continue
		case m.Discrete():
			s.Sizes = append(s.Sizes, sizeWords(r.Pipeline, first, m))
		case m.Classes():
			s.Items = append(s.Items, classesWords(first, m))
		case m.HasDefaults():
			s.Defaults = append(s.Defaults, defaultsWords(first, m))
		}
		seen = append(seen, m)
	}
}

// refuse finds the fits of a unit that have no problem to draw from.
func (s *Survey) refuse(p *spec.Pipeline, u *Unit) {
	at := map[string]int{} // of an error's text among s.Refused
	memory := MemoryOf(p)
	for _, f := range Fits(p, Choice{}, u) {
		if f.Replicate > 1 {
			continue
		}
		s.Fits++
		problem, err := NewProblem(f)
		if err == nil {
			_, err = Identify(f, problem, memory)
		}
		if err == nil {
			continue
		}
		i, known := at[err.Error()]
		if !known {
			i = len(s.Refused)
			at[err.Error()] = i
			s.Refused = append(s.Refused, Refusal{Err: err})
		}
		s.Refused[i].Fits = append(s.Refused[i].Fits, f.Name())
	}
}
