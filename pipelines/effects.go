package pipelines

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/predict"
	"glmbatch/pipelines/internal/spec"
)

// EffectsOptions configures Effects. The zero value asks for the conditional effect of a variable. Draws and Of of
// PredictOptions say nothing here.
type EffectsOptions struct {
	PredictOptions
	Effect              string   // age, treatment:sex; empty with Average: the rows of the data as they are
	At                  []string // NAME=VALUE[,VALUE…]
	Average             bool     // over the rows of the data
	By                  []string // columns by which rows are averaged
	Contrast, As, Scale string   // as the keys of effects in a spec
	Step                float64  // 0: 1
	Points              int      // 0: 20
	Offsets             bool
}

// Effects writes means of the response at values of variables, or how they differ, from the kept draws of one fit, with
// their intervals. target is as in Predict.
func Effects(ctx context.Context, w io.Writer, target string, o EffectsOptions) error {
	e, err := o.effect()
	if err != nil {
		return &UsageError{err}
	}
	c, err := o.config(target)
	if err == nil {
		err = predict.Effects(ctx, w, c, e)
	}
	if isCallers(err) {
		return &UsageError{err}
	}
	return err
}

// effect is the call as a spec would have it.
func (o *EffectsOptions) effect() (*spec.Effect, error) {
	for _, word := range []struct {
		flag, value string
		allowed     []string
	}{
		{"contrast", o.Contrast, []string{"", "pairwise", "reference"}},
		{"as", o.As, []string{"", "difference", "ratio", "odds_ratio"}},
		{"scale", o.Scale, []string{"", "response", "link", predict.Timed, "or a parameter such as zi"}},
	} {
		if word.flag == "scale" && predict.IsQuestion(o.Scale) {
			continue
		}
		if !slices.Contains(word.allowed, word.value) {
			return nil, words.Hint(fmt.Errorf("--%s cannot be %q", word.flag, word.value),
				"it is "+strings.Join(word.allowed[1:], ", "))
		}
	}
	if o.Step < 0 || o.Points < 0 || o.Points == 1 || o.Points > 1000 {
		return nil, fmt.Errorf("--step must be above 0, and --points from 2 to 1000")
	}
	e := &spec.Effect{Effect: o.Effect, Average: o.Average, By: o.By, Contrast: o.Contrast, As: o.As, Scale: o.Scale,
		Step: o.Step, Points: o.Points, Offsets: o.Offsets, Response: o.Response}
	for _, at := range o.At {
		name, values, given := strings.Cut(at, "=")
		if !given || values == "" {
			return nil, words.Hint(fmt.Errorf("--at %q is not NAME=VALUE", at), "for example --at age=30,50")
		}
		e.At = append(e.At, &spec.EffectAt{Name: name, Values: strings.Split(values, ",")})
	}
	return e, nil
}
