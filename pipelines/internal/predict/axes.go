package predict

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer/glm"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// axis is a column with the values that an effect goes through.
type axis struct {
	column string
	values []any // float64, string, bool; of averages also transform.Shift
}

// numeric reports whether the values are numbers.
func (a *axis) numeric() bool {
	_, is := a.values[0].(float64)
	return is
}

// setting is an effect that has met a fit and its data.
type setting struct {
	*spec.Effect
	record   *transform.Record // of the population
	family   glm.Family
	dataset  string
	rows     *rows
	inputs   []string // columns that the linear predictor reads
	contents map[string]*transform.Contents
	axes     []axis // the first is the effect's own
	held     []axis // of one value each
	by       []axis
	groups   []int32 // of each row of the table, −1 for none; nil: all rows are one group
}

// Bounds of an effect: points of a grid, cells, and draws of all cells at once.
const (
	gridPoints = 20
	maxCells   = 10_000
	maxDraws   = 50_000_000
)

// newSetting finds the values that an effect goes through.
func newSetting(e *spec.Effect, family glm.Family, record *transform.Record, r *rows) (*setting, error) {
	s := &setting{Effect: e, family: family, rows: r, dataset: r.table.Name, contents: map[string]*transform.Contents{}}
	plain, err := record.Population(false).Inputs(false)
	if err != nil {
		return nil, err
	}
	all, err := record.Population(true).Inputs(false)
	if err != nil {
		return nil, err
	}
	offsets := e.Offsets
	for _, at := range e.At {
		offsets = offsets || slices.Contains(all, at.Name) && !slices.Contains(plain, at.Name)
	}
	s.record, s.inputs = record.Population(offsets), plain
	if offsets {
		s.inputs = all
	}
	steps := []func() error{s.sensible, s.printAll, s.vary, s.hold, s.group}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// wrong is the error of an effect that cannot be.
func (s *setting) wrong(message, hint string) error {
	if s.Effect.Effect != "" {
		message = fmt.Sprintf("effect %s: %s", s.Effect.Effect, message)
	}
	return &CallError{words.Hint(errors.New(message), hint)}
}

// sensible refuses what does not go together.
func (s *setting) sensible() error {
	binary := s.family.Support().Unit()
	switch {
	case s.Effect.Effect == "" && !s.Average:
		return s.wrong("no variable is named", "its variables are "+words.List(s.inputs)+
			"; average says that the rows of the data are averaged as they are")
	case s.Effect.Effect == "" && s.Contrast != "":
		return s.wrong("a contrast needs a variable whose values it compares", "its variables are "+words.List(s.inputs))
	case len(s.By) > 0 && !s.Average:
		return s.wrong("by groups the rows of the data, which average is over",
			"write average too, or cross the variables: "+s.Effect.Effect+":"+s.By[0])
	case s.As != "" && s.As != "difference" && s.Contrast == "":
		return s.wrong(s.As+" is a way to compare values, and no contrast is asked for",
			"write contrast: pairwise, or reference")
	case s.As == "odds_ratio" && !binary && !s.asked():
		return s.wrong("the response of family "+s.family.Name+" is no probability, which odds ratios compare", "as: ratio")
	case s.Scale == "link" && s.rows.fit.Description.Weights != nil:
		return s.wrong("a mixture has a linear predictor for each of its components, and none of its own",
			"leave scale: link out: the mean of the response is that of the components by their weights")
	case s.Scale == "link" && s.As != "" && s.As != "difference":
		return s.wrong("on the scale of the link values are compared by difference", "leave scale: link out")
	}
	return nil
}

// printAll looks at the columns that are named or held.
func (s *setting) printAll() error {
	names := slices.Clone(s.inputs)
	for _, name := range s.By {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		weights := s.rows.weights
		if missing := s.rows.drawn.Incomplete(name); missing != nil {
			if slices.Contains(s.By, name) {
				return s.wrong(name+" misses cells, so that rows are of other groups at each draw", "group by complete columns")
			}
			weights = slices.Clone(weights) // Contents are those of the cells with a value
			for _, row := range missing {
				weights[row] = 0
			}
		}
		told, err := transform.ContentsOf(s.rows.table.Data, name, s.dataset, weights)
		if err != nil {
			return err
		}
		s.contents[name] = told
	}
	return nil
}

// vary makes the axes: the variables of the effect, then what is given several values.
func (s *setting) vary() error {
	var of []string
	if s.Effect.Effect != "" {
		of = []string{s.Effect.Effect}
		if !slices.Contains(s.inputs, of[0]) {
			of = strings.Split(of[0], ":")
		}
	}
	for _, at := range s.At {
		if !slices.Contains(s.inputs, at.Name) {
			return s.unknown(at.Name)
		}
		if len(at.Values) > 1 && !slices.Contains(of, at.Name) {
			of = append(of, at.Name)
		}
	}
	for i, name := range of {
		if !slices.Contains(s.inputs, name) {
			return s.unknown(name)
		}
		if slices.Contains(of[:i], name) {
			return s.wrong(name+" is named twice", "")
		}
		values, err := s.valuesOf(name, i == 0)
		if err != nil {
			return err
		}
		s.axes = append(s.axes, axis{name, values})
	}
	if s.Contrast != "" && len(s.axes[0].values) < 2 {
		return s.wrong(s.axes[0].column+" has one value, and a contrast compares two", "give it two by at")
	}
	return nil
}

func (s *setting) unknown(name string) error {
	return s.wrong("the model has no variable "+strconv.Quote(name), transform.UnknownHint(name, "variables", s.inputs))
}

// given are the values of a column that At names, nil for none.
func (s *setting) given(name string) (values []any, err error) {
	for _, at := range s.At {
		if at.Name != name {
			continue
		}
		for _, text := range at.Values {
			if r := s.record.Reading; r != nil && (&ingest.Source{NullValues: r.NullValues}).SpelledNull(text) {
				return nil, s.wrong(fmt.Sprintf("%s of %s means missing in the data of the fit (null_values)", text, name), "")
			}
			v, ok := s.contents[name].Value(text)
			if !ok {
				return nil, s.wrong(fmt.Sprintf("%q is no value of %s, which is %s", text, name, s.contents[name].Kind), "")
			}
			if levels := s.record.Levels(name); levels != nil && !slices.Contains(levels, label(v)) {
				return nil, s.wrong(fmt.Sprintf("%q is not a level of %s that the model was fitted with", text, name),
					transform.UnknownHint(text, "levels", levels))
			}
			values = append(values, v)
		}
	}
	return values, nil
}

// levels are the values of a column that is a factor or holds no numbers, and of numbers that are at most two; nil of
// others.
func (s *setting) levels(name string) (values []any) {
	told := s.contents[name]
	for _, level := range s.record.Levels(name) {
		v, _ := told.Value(level)
		values = append(values, v)
	}
	if values != nil {
		return values
	}
	most := 1000
	if told.Kind == "numeric" {
		most = 2
	}
	values, _ = told.Groups(most)
	return values
}

// valuesOf are the values that a column goes through, as the effect's first variable or as another one.
func (s *setting) valuesOf(name string, first bool) ([]any, error) {
	values, err := s.given(name)
	if err != nil || values != nil {
		return values, err
	}
	told := s.contents[name]
	factor := told.Kind != "numeric" || s.record.Levels(name) != nil
	if values = s.levels(name); factor || len(values) > 1 && s.Step == 0 {
		return values, nil
	}
	values = nil
	step := s.Step
	if step == 0 {
		step = 1
	}
	switch {
	case first && s.Contrast != "" && s.Average:
		return []any{transform.Shift(0), transform.Shift(step)}, nil
	case first && s.Contrast != "":
		return []any{told.Mean, told.Mean + step}, nil
	case !first:
		return []any{told.Mean - told.SD, told.Mean, told.Mean + told.SD}, nil
	}
	n := s.Points
	if n == 0 {
		n = gridPoints
	}
	for i := range n {
		f := float64(i) / float64(n-1)
		values = append(values, float64((1-f)*told.Min)+f*told.Max)
	}
	return values, nil
}

// hold finds where the other columns are held: where they are given, and of conditional effects else at their mean or
// reference.
func (s *setting) hold() error {
	for _, name := range s.inputs {
		if slices.ContainsFunc(s.axes, func(a axis) bool { return a.column == name }) {
			continue
		}
		values, err := s.given(name)
		switch {
		case err != nil:
			return err
		case values == nil && s.Average:
			continue
		case values == nil && s.record.Levels(name) == nil && s.contents[name].Kind == "numeric":
			values = []any{s.contents[name].Mean}
		case values == nil:
			values = s.levels(name)[:1]
		}
		s.held = append(s.held, axis{name, values})
	}
	return nil
}

// group groups the rows.
func (s *setting) group() error {
	for _, name := range s.By {
		values, of := s.contents[name].Groups(1000)
		if values == nil {
			return s.wrong(name+" has more than 1000 values, and rows are grouped by few", "")
		}
		s.by = append(s.by, axis{name, values})
		if s.groups == nil {
			s.groups = of
			continue
		}
		for i, g := range of {
			if s.groups[i] >= 0 {
				s.groups[i] = s.groups[i]*int32(len(values)) + g
			}
		}
	}
	cells := len(product(s.axes)) * len(product(s.by))
	if size := s.rows.fit.Size(); cells > maxCells || cells*size > maxDraws {
		return s.wrong(fmt.Sprintf("%d combinations of values at %d draws are more than are kept", cells, size),
			"give fewer values by at")
	}
	return nil
}

// product lists the combinations of the axes' values, the last axis running fastest; one, of nothing, without axes.
func product(axes []axis) [][]any {
	out := [][]any{nil}
	for _, a := range axes {
		var next [][]any
		for _, have := range out {
			for _, v := range a.values {
				next = append(next, append(have[:len(have):len(have)], v))
			}
		}
		if out = next; len(out) > maxCells {
			return out // group reports it
		}
	}
	return out
}

// short is label, with five digits of a number that is long.
func short(v any) string {
	text := label(v)
	if x, isNumber := v.(float64); isNumber && len(text) > 8 {
		return strconv.FormatFloat(x, 'g', 5, 64)
	}
	return text
}

// label writes a value as it would be given.
func label(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strings.ToUpper(strconv.FormatBool(v))
	case transform.Shift:
		return fmt.Sprintf("%+g", float64(v))
	}
	return v.(string)
}
