package plan

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/collapsed"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Classes are latent classes: a mixture of rows with several responses, which are independent given the component.
type Classes struct {
	mixing
	*transform.ItemRows
	dataHash DataHash
	formula  *transform.Items
	items    []classItem
	of       *collapsed.Classes // of the rows that are used, each once
	folds    *Folds
}

// classItem is an item with its distribution.
type classItem struct {
	collapsed.Column
	values *transform.ItemValues
	family string
	given  bool // whether the prior is the spec's
}

// kindClasses is that of latent classes.
var kindClasses = Kind{
	of:      func(_ *Unit, m *spec.Model) bool { return m.Classes() },
	problem: func(f *Fit) (Problem, error) { return newClasses(f) },
	method:  kindMixture.method,
	survey: func(s *Survey, _ *spec.Pipeline, u *Unit, m *spec.Model) {
		s.Items = append(s.Items, classesWords(u, m))
	},
	Words: classesModel, Size: rowsSize,
}

// newClasses reads the items and resolves the sampler.
func newClasses(f *Fit) (*Classes, error) {
	if err := f.refused(); err != nil {
		return nil, err
	}
	c, err := classesOf(f.Unit, f.Model)
	if err != nil {
		return nil, err
	}
	c.fit, c.method = f, mixtureMethod(f.Sampler, f.Model)
	if c.at.Order < 0 {
		var names []string
		for _, p := range c.at.Of {
			names = append(names, p.Name)
		}
		return nil, f.Explain(words.Hint(fmt.Errorf("mixture: order: components have no parameter %q to be numbered by",
			f.Model.Mixture.Order), transform.UnknownHint(f.Model.Mixture.Order, "parameters",
			append(names, mixture.ByWeight))))
	}
	return c, nil
}

// classesOf reads the items of a unit's table for a model.
func classesOf(u *Unit, m *spec.Model) (*Classes, error) {
	formula, err := m.ItemsOf()
	if err != nil {
		return nil, err
	}
	table := u.table
	reads, err := formula.Columns(table.Data.Schema(), m.FrequencyWeights)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", transform.DatasetWords(u.Name(), table.From()), err)
	}
	if err := table.Check(reads); err != nil {
		return nil, err
	}
	if table.Counts() != nil { // so that a fit does not depend on what other models read
		table = table.Over(reads)
		defer table.Release()
	}
	out := &Classes{mixing: mixing{fit: &Fit{Unit: u, Model: m}}, formula: formula}
	if out.dataHash, err = hashColumns(reads, false, table.Hash); err != nil {
		return nil, err
	}
	read := transform.ItemsSpec{Dataset: u.Name(), File: table.From(), Locate: table.Locate, Missing: m.Missing,
		Levels: levels(m.Levels), Frequency: m.FrequencyWeights, Counts: table.Counts()}
	out.ItemRows, err = formula.Read(table.Data, read)
	if err == nil && out.answers() {
		out.ItemRows, err = formula.Read(table.Data, read)
	}
	if err != nil {
		return nil, err
	}
	columns := make([]collapsed.Column, len(out.Items))
	for k := range out.Items {
		item, err := out.item(&out.Items[k], m.Item(out.Items[k].Column))
		if err != nil {
			return nil, err
		}
		out.items, columns[k] = append(out.items, *item), item.Column
	}
	if err := out.wholeRows(); err != nil {
		return nil, err
	}
	if out.of, err = collapsed.ClassesOf(columns); err != nil {
		return nil, err
	}
	out.at = out.of.Layout(out.options())
	out.folds, err = u.foldsOf(u.readFolds(table.Data), nil, out.TableRows())
	return out, err
}

// wholeRows refuses a row with some of the items that are correlated.
func (c *Classes) wholeRows() error {
	for row := range c.Rows {
		lacks, has := "", false
		for k := range c.items {
			if i := &c.items[k]; i.Correlated && math.IsNaN(i.Y[row]) {
				lacks = i.Name
			} else {
				has = has || i.Correlated
			}
		}
		if lacks != "" && has {
			return c.CellError(lacks, row, errors.New("the value is missing, and the row has other correlated items"),
				"leave such rows out in sql:, or take the item out of correlated")
		}
	}
	return nil
}

// answers makes factors of items of which nothing is said and that have two numbers other than 0 and 1, as answers that
// are coded 1 and 2. It reports whether there are any.
func (c *Classes) answers() (any bool) {
	for k := range c.Items {
		v := &c.Items[k]
		given := c.fit.Model.Item(v.Column)
		if v.Categories == nil && v.Trials == nil && (given == nil || given.Family == "") &&
			!c.fit.Model.IsCorrelated(v.Column) &&
			family.Likely(v.Y).Support.Probability() && !zeroOne(v.Y) {
			c.formula.List[k].Factor, any = true, true
		}
	}
	return any
}

// zeroOne reports whether all numbers that are there are 0 and 1.
func zeroOne(y []float64) bool {
	return !slices.ContainsFunc(y, func(v float64) bool { return v != 0 && v != 1 && !math.IsNaN(v) })
}

// item determines the distribution of an item. given is nil if the spec has no entry for it.
func (c *Classes) item(v *transform.ItemValues, given *spec.Item) (*classItem, error) {
	out := &classItem{values: v, Column: collapsed.Column{Name: v.Column, Y: v.Y, Trials: v.Trials}}
	out.Correlated = c.fit.Model.IsCorrelated(v.Column)
	switch {
	case given != nil && given.Family != "":
		out.family = given.Family
	case out.Correlated:
		out.family = family.Default.Name
	default:
		out.family = familyOfItem(v)
	}
	if err := c.fits(out); err != nil {
		return nil, err
	}
	if out.Family = spec.ItemFamily(out.family); spec.InCategories(out.family) {
		out.Categories = v.Categories
	} else if err := domain(c.ItemRows, out); err != nil {
		return nil, err
	}
	out.Prior = c.defaultPrior(out)
	if given != nil && given.Conjugate.Law != "" {
		law := spec.Item{Name: v.Column, Family: out.family, Conjugate: given.Conjugate}
		n := len(given.Conjugate.Numbers)
		err := spec.ServesItem(&law)
		if err == nil && out.Categories != nil && n != 1 && n != len(out.Categories) {
			err = words.Hint(fmt.Errorf("its prior %s has %d numbers, and it has %d categories", given.Conjugate, n,
				len(out.Categories)), "its categories are "+words.List(out.Categories))
		}
		if err != nil {
			message, hint := words.Parts(err)
			return nil, c.CellError(v.Column, -1, errors.New(message), hint)
		}
		out.Prior, out.given = given.Conjugate.Prior, true
	}
	return out, nil
}

// familyOfItem is that of an item of which nothing is said.
func familyOfItem(v *transform.ItemValues) string {
	switch likely := family.Likely(v.Y); {
	case v.Categories != nil:
		return spec.Categorical
	case v.Trials != nil:
		return family.Trials.Name
	case likely.Support.Whole:
		return likely.Name
	}
	return family.Default.Name
}

// fits refuses text for numbers, and makes numbers of text of two values for bernoulli.
func (c *Classes) fits(item *classItem) error {
	v := item.values
	if v.Categories == nil || spec.InCategories(item.family) {
		return nil
	}
	if spec.ItemFamily(item.family).Support().Probability() && len(v.Categories) == 2 {
		c.Notes = append(c.Notes, fmt.Sprintf("item %s is the probability of %s (against %s)", v.Column, v.Categories[1],
			v.Categories[0]))
		return nil
	}
	row := slices.IndexFunc(v.Y, func(y float64) bool { return !math.IsNaN(y) && !isNumber(v.Categories[int(y)]) })
	if row < 0 { // numbers in a column of text
		row = slices.IndexFunc(v.Y, func(y float64) bool { return !math.IsNaN(y) })
	}
	return c.CellError(v.Column, row, fmt.Errorf("%q is text, and a %s item is a number", v.Categories[int(v.Y[row])],
		item.family), "leave the item's family out, or make a column of numbers where the data are made")
}

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return err == nil
}

// domain names the first cell that the family of an item cannot have.
func domain(rows *transform.ItemRows, item *classItem) error {
	var y, trials []float64
	var places []int
	for k, v := range item.Y {
		if math.IsNaN(v) {
			continue
		}
		y, places = append(y, v), append(places, k)
		if item.Trials != nil {
			trials = append(trials, item.Trials[k])
		}
	}
	err := family.CheckResponse(item.Family, y, trials)
	var bad *glm.DomainError
	if !errors.As(err, &bad) {
		return err
	}
	name := item.Name
	if bad.What == "trials" && item.values.Item.Trials != "" {
		name = item.values.Item.Trials
	}
	return rows.CellError(name, places[bad.Row], fmt.Errorf("%v is not allowed: %s", bad.Value, bad.Allowed),
		fmt.Sprintf("give item %s another family under mixture: items, or correct the cell", item.Name))
}

// classesDefaults names the rules of defaultPrior and familyOfItem.
const classesDefaults = " classes/1"

// defaultPrior is the prior of an item of which nothing is said: all probabilities are equally likely; the mean of
// counts is about that of all; of gaussian mu and sigma are spread as those of other models by default, sd(mu) =
// 2.5·sd(y) and sigma about sd(y)/2.
func (c *Classes) defaultPrior(item *classItem) collapsed.Prior {
	mean, sd := moments(c.there(item.Y))
	if spec.InCategories(item.family) {
		return collapsed.Prior{Law: collapsed.Dirichlet, Numbers: []float64{1}}
	}
	return collapsed.DefaultPrior(item.Family, mean, sd)
}

// there are the observed values of an item, with the frequencies of their rows.
func (c *Classes) there(y []float64) (x, weights []float64) {
	for k, v := range y {
		if math.IsNaN(v) {
			continue
		}
		if x = append(x, v); c.Frequency != nil {
			weights = append(weights, c.Frequency[k])
		}
	}
	return x, weights
}

// expanded are the columns with a row for each observation of some of the rows.
func (c *Classes) expanded(rows []int) []collapsed.Column {
	out := make([]collapsed.Column, len(c.items))
	for k := range c.items {
		out[k] = c.items[k].Column
		out[k].Y, out[k].Trials = c.repeated(out[k].Y, rows), c.repeated(out[k].Trials, rows)
	}
	return out
}

func (c *Classes) repeated(x []float64, rows []int) []float64 {
	if c.Frequency == nil {
		return matrix.Take(x, rows)
	}
	var out []float64
	if x != nil {
		for _, i := range rows {
			out = append(out, slices.Repeat([]float64{x[i]}, int(c.Frequency[i]))...)
		}
	}
	return out
}

// observations counts the rows that are drawn labels of.
func (c *Classes) observations() float64 {
	if c.Frequency == nil {
		return float64(c.Rows)
	}
	sum := 0.0
	for _, count := range c.Frequency {
		sum += count
	}
	return sum
}

// Facts names the model and its items.
func (c *Classes) Facts() Facts {
	out := Facts{Family: record.MixtureFamily(record.Items), Formula: c.fit.Model.Formula, Rows: c.Counted,
		Columns: len(c.items), DataHash: c.dataHash.Value, Warnings: c.Warnings,
		Notes: slices.Concat(c.Notes, c.laws(), c.fit.Unit.notes())}
	if c.Frequency != nil {
		out.Observations = c.observations()
	}
	return out
}

// Need counts the columns, and what each chain holds of each row.
func (c *Classes) Need(chains, _ int) Need {
	n, k := c.observations(), float64(c.at.Components)
	bytes := 8*n*float64(2*len(c.items)) + float64(chains)*n*(8*k+17)
	return Need{Bytes: int64(min(bytes, math.MaxInt64/4)),
		What:   fmt.Sprintf("%.0f rows × %d items with %d chains need", n, len(c.items), chains),
		Remedy: "take fewer rows (by: fits groups apart)"}
}

// Identify adds the hash of the data and the model.
func (c *Classes) Identify(id *Identity) { c.dataHash.identify(c.fit, id) }

// Capabilities are those of rows of components.
func (c *Classes) Capabilities() Capabilities {
	return Capabilities{Rows: c, Labels: c, Anew: labelsAnew}
}

// Observed are the rows.
func (c *Classes) Observed() Observed {
	items := &predictive.Items{Rows: c.Rows,
		Part: func(first, n int) func(theta, dst, scratch []float64) { return c.Part(first, n).LogLik }}
	for k := range c.items {
		items.Responses = append(items.Responses, c.items[k].Y, c.items[k].Trials)
	}
	return Observed{Data: &glm.Data{Frequency: c.Frequency}, Drawn: true, Rows: c.Rows, Folds: c.folds, Items: items}
}

// Part are the items of rows first … first+n−1.
func (c *Classes) Part(first, n int) *collapsed.Classes {
	out, err := partOf(c.items, first, n)
	if err != nil {
		panic("plan: some rows of items are none: " + err.Error())
	}
	return out
}

func partOf(items []classItem, first, n int) (*collapsed.Classes, error) {
	columns := make([]collapsed.Column, len(items))
	for k := range columns {
		columns[k] = items[k].Column
		columns[k].Y = columns[k].Y[first : first+n]
		if columns[k].Trials != nil {
			columns[k].Trials = columns[k].Trials[first : first+n]
		}
	}
	return collapsed.ClassesOf(columns)
}

// ItemRows are rows first … first+n−1 of items that were coded by a record.
func ItemRows(rows *transform.ItemRows, r *transform.Record) (part func(first, n int) (*collapsed.Classes, error),
	err error) {
	items := make([]classItem, len(rows.Items))
	for k := range items {
		v, known := &rows.Items[k], &r.Items[k]
		items[k] = classItem{values: v, family: known.Family, Column: collapsed.Column{Name: v.Column, Y: v.Y,
			Trials: v.Trials, Family: spec.ItemFamily(known.Family), Correlated: known.Correlated}}
		if items[k].Prior, err = collapsed.ParsePrior(known.Prior); err != nil {
			return nil, err
		}
		if spec.InCategories(known.Family) {
			items[k].Categories = known.Categories
		} else if err := domain(rows, &items[k]); err != nil {
			return nil, err
		}
	}
	return func(first, n int) (*collapsed.Classes, error) { return partOf(items, first, n) }, nil
}

// Gating has no log prior where it is the same everywhere: where all probabilities are equally likely.
func (c *Classes) Gating() Gating {
	uniform := func(i classItem) bool {
		return i.Categories != nil && !slices.ContainsFunc(i.Prior.Numbers, func(a float64) bool { return a != 1 })
	}
	out := c.mixing.Gating()
	varies := !out.Constants && mixtureWeights(c.fit.Model) != 1 ||
		slices.ContainsFunc(c.items, func(i classItem) bool { return !uniform(i) })
	out.NoPrior = out.NoPrior || !varies
	return out
}

// ToData leaves parameters as they are.
func (c *Classes) ToData([]float64) {}

// Setup makes the sampler.
func (c *Classes) Setup(infer.Parallel, Schedule, *Previous) (*Setup, error) {
	out := &Setup{Gating: c.Gating()}
	var err error
	out.Sampler, err = c.Refit(c.all())
	return out, c.fit.Explain(err)
}

func (c *Classes) inCase(to *Case) error {
	to.simulates(func() (infer.Setup, error) { return c.Refit(c.all()) })
	return c.unknownTo()
}

// all are the rows that are used.
func (c *Classes) all() []int {
	out := make([]int, c.Rows)
	for i := range out {
		out[i] = i
	}
	return out
}

// Refit sets the sampler up on some of the rows.
func (c *Classes) Refit(rows []int) (out infer.Setup, err error) {
	own := collapsed.Options{Options: c.options(), Plain: !c.method.Collapses}
	err = withinMemory(func() (err error) {
		out, err = collapsed.NewClasses(c.expanded(rows), own)
		return err
	})
	return out, err
}

// Bind looks up what a derived quantity names among parameters.
func (c *Classes) Bind(d *spec.Derivation, params []infer.Parameter) (*transform.Quantity, error) {
	if len(d.Expression.Averages()) > 0 {
		return nil, words.Hint(errors.New("average() is of models with one linear predictor, and latent classes have none"),
			"name parameters, as theta1 * p1_item_category")
	}
	return d.Expression.Bind(&transform.Fitted{Dataset: c.fit.Unit.Name(), Names: Names(params)})
}

// Description describes the items.
func (c *Classes) Description(params []infer.Parameter) (*record.Description, error) {
	return describe(c.Record(), "", params, nil)
}

// Record is how the items were read.
func (c *Classes) Record() *transform.Record {
	m := c.fit.Model
	out := &transform.Record{Version: transform.Version, Formula: m.Formula, Family: record.Items,
		Missing: m.Missing, FrequencyWeights: m.FrequencyWeights}
	for k := range c.items {
		i := &c.items[k]
		out.Items = append(out.Items, transform.ItemRecord{Column: i.Name, Factor: i.values.Factor,
			Categories: i.values.Categories, Text: i.values.Text, Family: i.family, Trials: i.values.Item.Trials,
			TrialsEach: i.values.TrialsEach, Prior: i.Prior.String(), Correlated: i.Correlated})
	}
	return out
}

// Describe adds the record of the items, and the prior of each parameter.
func (c *Classes) Describe(rec *record.Fit, params []infer.Parameter) (err error) {
	if rec.Design, err = c.fit.Unit.marshalDesign(c.Record()); err != nil {
		return err
	}
	for i, p := range params {
		if p.Term == "" {
			rec.Parameters[i].Prior = weightPrior(c.fit.Model, c.at, p)
			continue
		}
		k := slices.IndexFunc(c.items, func(i classItem) bool { return i.Name == p.Term })
		if rec.Parameters[i].Prior = c.items[k].Prior.String(); p.Term2 != "" && c.items[k].Correlated {
			rec.Parameters[i].Prior = "inverse_wishart"
		}
	}
	return nil
}
