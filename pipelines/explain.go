package pipelines

import (
	"context"
	"errors"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/explain"
	"glmbatch/pipelines/internal/plan"
)

// ExplainFormats are the forms of an explanation.
func ExplainFormats() []string { return explain.Formats }

// Explain tells what each fit of the spec that target names is, before it is drawn: a text for
// each, of the first file or group where a data set has several. The error is a *UsageError
// where the spec or the call is wrong.
func Explain(ctx context.Context, target string, o Overrides, only []string, format string,
) (texts []string, err error) {
	selector, err := plan.ParseSelector(only)
	if err != nil {
		return nil, &UsageError{err}
	}
	p, _, err := load(target, o)
	if err != nil {
		return nil, err
	}
	told := map[string]bool{}
	cases := &plan.Reader{Pipeline: p, Choice: plan.Choice{Selector: selector}, Example: example}
	err = cases.Cases(ctx, func(c *plan.Case) error {
		name := c.Dataset + "\x00" + c.Key.Model + "\x00" + c.Sampler
		if !told[name] {
			told[name] = true
			texts = append(texts, explain.Of(c).Write(explain.Format(format)))
		}
		return nil
	})
	if errors.Is(err, plan.ErrNothingSelected) {
		return nil, &UsageError{words.Hint(err, "pipeline validate lists the fits of a spec")}
	}
	return texts, err
}
