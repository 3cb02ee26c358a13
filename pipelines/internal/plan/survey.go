package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"glmbatch/pipelines/internal/spec"
)

// Survey holds the facts of a pipeline's data and fits before any is drawn.
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

// TakeSurvey reads all data of a pipeline with r, a unit at a time, and takes each fit as far as a run would before its
// first draw: it codes the data, and calls foresee, whose error is that of the fit. If foresee is nil it reads nothing,
// and knows of rules alone. It returns ErrNothingSelected if there is no fit, and the error of ctx.
func TakeSurvey(ctx context.Context, r *Reader, foresee func(*Identified) error) (*Survey, error) {
	out := &Survey{}
	for _, ds := range r.Pipeline.Datasets {
		if foresee == nil {
			out.describe(r, &Unit{Dataset: ds, Err: errors.New("the data were not read")})
			continue
		}
		units := 0
		err := r.read(ctx, ds, func(u *Unit) error {
			defer u.Close()
			if err := out.refuse(ctx, r.Pipeline, u, foresee); err != nil {
				return err
			}
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
	if foresee != nil && out.Fits == 0 {
		return nil, ErrNothingSelected
	}
	return out, nil
}

// describe words the defaults or the memory of the models of a data set, on its first unit.
func (s *Survey) describe(r *Reader, first *Unit) {
	var seen []*spec.Model
	for _, m := range r.models(first.Dataset.Name) {
		if !slices.Contains(seen, m) {
			seen = append(seen, m)
			KindOf(first, m).survey(s, r.Pipeline, first, m)
		}
	}
}

// refuse finds the fits of a unit that would end before they draw. Its error is that of ctx.
func (s *Survey) refuse(ctx context.Context, p *spec.Pipeline, u *Unit, foresee func(*Identified) error) error {
	at := map[string]int{} // of an error's text among s.Refused
	memory := MemoryOf(p)
	for _, f := range Fits(p, Choice{}, u) {
		if f.Replicate > 1 {
			continue
		}
		s.Fits++
		err, left := Unless(ctx, Patience, func() error { return refusal(f, memory, foresee) })
		if left || ctx.Err() != nil {
			return ctx.Err()
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
	return nil
}

// refusal is the error that would end a fit before it draws. A panic is one, as in a run.
func refusal(f *Fit, memory Memory, foresee func(*Identified) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("this program has a fault: %v (please report it)", v)
		}
	}()
	problem, err := NewProblem(f)
	if err != nil {
		return err
	}
	id, err := Identify(f, problem, memory)
	if err != nil {
		return err
	}
	return foresee(id)
}
