package predict

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Config says what to predict.
type Config struct {
	Pipeline *spec.Pipeline // nil if Data names a file and Database the ledger
	Database string
	// PipelineName is that of the pipeline whose fits are meant where there is no Pipeline; empty: any.
	PipelineName string
	Only         plan.Selector // names one fit
	Workers      int           // at least 1; changes no bit
	Memory       plan.Memory   // that rows and their design may take
	LockWait     time.Duration
	Example      func(name string) ([]byte, error) // built-in data
	Data         string                            // file of new data; empty: those of the fit, by the pipeline
	AllDraws     bool                              // every draw, not summaries
	Response     string                            // of several responses, the one that is meant; empty of one
	Of           []string
	// NewLevels says what the effects are of levels of a grouping that the fit has not seen: sample draws them, zero
	// leaves them out, error or nothing refuses them.
	NewLevels string
	// Groups names the groupings whose effects count; all or nothing stands for all of them, none for none.
	Groups  []string
	Seed    uint64
	Options report.QueryOptions
	Notes   io.Writer // remarks for people

	averaging
}

// averaging is of effects.
type averaging struct {
	averages bool     // rows with missing cells that were drawn are taken
	by       []string // columns by which rows are averaged
}

// CallError says that a prediction cannot be made as it was asked for.
type CallError struct{ Err error }

func (e *CallError) Error() string { return e.Err.Error() }

func (e *CallError) Unwrap() error { return e.Err }

// Run writes predictions of one stored fit to w.
func Run(ctx context.Context, w io.Writer, c Config) error {
	of, questions := quantities(c.Of)
	o, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer o.table.Release()
	if o.classes() {
		return c.classes(ctx, w, o)
	}
	if o.description.Weights != nil && slices.Contains(c.Of, "linear") {
		return &CallError{words.Hint(fmt.Errorf("fit %s is of a mixture, whose components have a linear predictor each",
			o.stored.Key), "take --quantity mean or response")}
	}
	rows, design, err := c.evaluate(ctx, o, false)
	if err != nil {
		return err
	}
	c.remark(o, design)
	if err := rows.Ask(questions); err != nil {
		return questionError(err)
	}
	places, names := rows.Quantities()
	p := &writing{names: names, rows: design.TableRows(), draws: o.stored.Draws}
	for _, q := range of {
		p.of = append(p.of, places[q]...)
	}
	return c.write(ctx, w, p, func(yield func(*predictive.Prediction) error) error {
		return rows.Predict(ctx, c.stream(o.stored.Key, p.rows), yield)
	})
}

// fit is the fit as far as its rows need it.
func (c *Config) fit(ctx context.Context, o *opened) *predictive.Fit {
	return &predictive.Fit{Chains: o.stored.Chains, Draws: o.stored.Draws, Params: o.stored.Parameters, Workers: c.Workers,
		Description: o.description,
		Open:        func() predictive.Columns { return o.ledger.Columns(ctx, o.stored.Stored, assess.ColumnBytes) }}
}

// opened is a stored fit with the data that are asked about.
type opened struct {
	ledger *report.Ledger
	stored report.Fitted
	family glm.Family // of the response, in a mixture given the component

	description *record.Description
	record      *transform.Record
	among       *transform.Record // of the groupings that the call names
	table       *ingest.Table     // to be released
	drawn       *plan.DrawnRows   // the rows, if missing cells of them were drawn; else nil
}

// choose takes one of several responses, by its name. If there is one response, the name is empty.
func (o *opened) choose(name string) error {
	if !o.joined() {
		if name != "" {
			return &CallError{words.Hint(fmt.Errorf("fit %s has one response", o.stored.Key), "leave the response out")}
		}
		return nil
	}
	var names []string
	for k, r := range o.description.Responses {
		if r.Name == name {
			o.record, o.description = o.record.OfResponse(k), o.description.OfResponse(k)
			o.family = predictive.FamilyOf(&r)
			return nil
		}
		names = append(names, r.Name)
	}
	if name == "" {
		return &CallError{words.Hint(fmt.Errorf("fit %s has the responses %s, and one is meant", o.stored.Key,
			words.List(names)), "name it: --response "+names[0])}
	}
	return &CallError{words.Hint(fmt.Errorf("fit %s has no response %q", o.stored.Key, name),
		"its responses are "+words.List(names))}
}

// joined reports whether the fit has several responses, none of which is chosen.
func (o *opened) joined() bool { return o.description.Kind.Joined() }

// newOpened is a fit without its data.
func newOpened(ledger *report.Ledger, f report.Fitted) (*opened, error) {
	o := &opened{ledger: ledger, stored: f}
	var err error
	if o.record, err = transform.UnmarshalRecord(f.Design); err != nil {
		return nil, words.Hint(fmt.Errorf("fit %s: %w", f.Key, err), "an older program stored it; run the pipeline again")
	}
	if o.description, err = plan.StoredDescription(&f.Stored, f.Description, o.record, f.Names); err != nil {
		return nil, err
	}
	if len(o.description.Responses) == 0 {
		return nil, &CallError{fmt.Errorf("fit %s is of no rows", f.Key)}
	}
	r := &o.description.Responses[0]
	if o.family.Name = r.Family; !o.classes() {
		o.family = predictive.FamilyOf(r)
	}
	return o, nil
}

// classes reports whether the fit is of latent classes.
func (o *opened) classes() bool { return o.description.Kind.Items() }

// open finds the fit, and reads its records and the rows.
func (c *Config) open(ctx context.Context) (*opened, error) {
	ledger, err := report.Open(c.Database, report.Options{LockWait: c.LockWait, Later: true})
	if err != nil {
		return nil, err
	}
	stored, err := choose(ctx, ledger, *c)
	if err != nil {
		return nil, err
	}
	o, err := newOpened(ledger, stored)
	if err == nil {
		err = o.choose(c.Response)
	}
	if err != nil {
		return nil, err
	}
	return c.read(ctx, o)
}

// read adds the rows.
func (c *Config) read(ctx context.Context, o *opened) (_ *opened, err error) {
	if o.among, err = c.among(o.record); err != nil {
		return nil, err
	}
	o.table, err = c.table(ctx, o)
	return o, err
}

// Name is that of the pipeline whose fits are meant; empty: any.
func (c *Config) Name() string {
	if c.Pipeline != nil {
		return c.Pipeline.Name
	}
	return c.PipelineName
}

// NoFit says that a ledger has none of the fits that a call names, of a pipeline if that is not empty.
func NoFit(ctx context.Context, l *report.Ledger, pipeline string, only plan.Selector) *CallError {
	hint := `pipeline sql "SELECT pipeline, dataset, key, model, sampler FROM latest" lists them`
	of := ""
	if pipeline != "" {
		of = fmt.Sprintf(" in the pipeline %q", pipeline)
	}
	if keys, err := l.Names(ctx, pipeline); err == nil {
		names := plan.FieldNames{}
		for _, k := range keys {
			names.Add(k.Dataset, k.Model, k.Sampler)
		}
		if near := only.Unmatched(names); near != "" {
			hint = near + "; " + hint
		}
	}
	return &CallError{words.Hint(errors.New("the ledger "+l.Path()+" has no complete fit of that name"+of), hint)}
}

// choose finds the one fit that the call names.
func choose(ctx context.Context, ledger *report.Ledger, c Config) (report.Fitted, error) {
	found, err := ledger.Newest(ctx, c.Name(),
		func(k report.Key) bool { return c.Only.Matches(k.Dataset, k.Group, k.Model, k.Sampler) })
	if err != nil {
		return report.Fitted{}, err
	}
	var names []string
	for _, f := range found {
		names = append(names, "  "+f.Key.String())
	}
	const most = 20
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("  and %d more", len(names)-most))
	}
	switch {
	case len(found) == 0:
		return report.Fitted{}, NoFit(ctx, ledger, c.Name(), c.Only)
	case len(found) > 1:
		return report.Fitted{}, &CallError{words.Hint(errors.New("predictions are made from one fit, and several are "+
			"named:\n"+strings.Join(names, "\n")), "narrow them by --only dataset=…, --only model=…, --only sampler=…")}
	case !found[0].Kept:
		return report.Fitted{},
			&CallError{words.Hint(errors.New("fit "+found[0].Key.String()+" kept no draws, from which predictions are made"),
				"write run: {keep: draws} and run it again")}
	}
	return found[0], nil
}

// oneTable returns an error where the fit's own data are not one table of complete rows.
func (c *Config) oneTable(o *opened) error {
	f := o.stored
	several := slices.ContainsFunc(c.Pipeline.Datasets,
		func(d *spec.Dataset) bool { return d.Name == f.Dataset && d.Imputed() })
	switch {
	case several:
		return &CallError{words.Hint(fmt.Errorf("data set %q has several imputations, and rows are asked for of one table",
			f.Dataset), "name rows with --data, such as the file of one of the imputations: the draws of all of them count")}
	case o.description.Imputed && !c.averages:
		return &CallError{words.Hint(fmt.Errorf("fit %s has missing cells that were drawn, and rows are asked for that are "+
			"complete", f.Key), "name a file of complete rows with --data; the view imputed has missing responses")}
	}
	return nil
}

// remark says what a reader of the predictions should know.
func (c *Config) remark(o *opened, d *transform.Design) {
	say := func(format string, a ...any) { fmt.Fprintf(c.Notes, "note: "+format+"\n", a...) }
	f, record, table := o.stored, o.record, o.table
	for _, w := range slices.Concat(table.Warnings, d.Warnings, d.Notes) {
		say("%s", w)
	}
	if spec.MethodNamed(f.Method).Prior {
		say("%s was drawn from the prior: these are prior predictions", f.Key)
	}
	if o.family.Support().Trials && d.Data.Trials == nil {
		say("the data have no trials: a response is that of one trial")
	}
	if caution := o.family.Caution(); caution != "" {
		say("%s", caution)
	}
	classes := o.description.Responses[0].Classes
	if classes != nil && !o.family.Support().CountsClasses() && (len(c.Of) == 0 || slices.Contains(c.Of, "response")) {
		say("a response is the number of a class, from 1: %s", strings.Join(classes, ", "))
	}
	if record.PrecisionWeights != "" && d.Data.Precision == nil {
		say("the data have no column %q: every row has precision weight 1", record.PrecisionWeights)
	}
	if c.Data == "" && table.Counts() != nil {
		say("rows are grouped: a row stands for all rows of the data that are equal to it, in the order of the first ones")
	}
	c.changed(o)
}

// changed says where the fit's own data are others than they were.
func (c *Config) changed(o *opened) {
	if c.Data != "" {
		return
	}
	hash, err := plan.UsedHash(o.table, o.record)
	if o.drawn != nil {
		hash, err = o.drawn.Hash, nil
	}
	if err == nil && !hash.Is(o.stored.DataHash) {
		fmt.Fprintf(c.Notes, "note: the data have changed since the fit of %s UTC\n", o.stored.Created.Format(time.DateTime))
	}
}

// writing is how rows are written.
type writing struct {
	names []string // of all quantities
	of    []int    // those that are written
	rows  []int    // their places in the data, from 0
	draws int      // of a chain
}

// write writes summaries or draws of the rows that all gives.
func (c *Config) write(ctx context.Context, w io.Writer, p *writing,
	all func(yield func(*predictive.Prediction) error) error) error {
	columns, add := []report.Column{{Name: "row", Type: "BIGINT"}}, p.addSummaries
	numbers := func(names ...string) {
		for _, name := range names {
			columns = append(columns, report.Column{Name: name, Type: "DOUBLE"})
		}
	}
	if c.AllDraws {
		add = p.addDraws
		columns = append(columns, report.Column{Name: "chain", Type: "SMALLINT"},
			report.Column{Name: "iteration", Type: "INTEGER"})
		for _, q := range p.of {
			numbers(p.names[q])
		}
	} else {
		columns = append(columns, report.Column{Name: "quantity", Type: "VARCHAR"})
		numbers("mean", "sd", "q025", "q25", "median", "q75", "q975")
		columns = append(columns, report.Column{Name: "reason", Type: "VARCHAR"})
	}
	return report.WriteRows(ctx, w, c.Options, columns, func(out func(...any) error) error {
		return all(func(r *predictive.Prediction) error { return add(out, r) })
	})
}

// stream names the random stream of a row of the design: by its place in the data.
func (c *Config) stream(k report.Key, rows []int) func(row int) *infer.Stream {
	return func(row int) *infer.Stream {
		return infer.NewStream(c.Seed, "predict", k.Dataset, k.Group, k.Model, k.Sampler, strconv.Itoa(rows[row]+1))
	}
}

// questionError is the error of the call for a quantity that the fit does not have.
func questionError(err error) error {
	if _, is := errors.AsType[*predictive.QuestionError](err); is {
		return &CallError{words.Hint(err, "quantities are "+strings.Join(predictive.Quantities, ", ")+", "+predictive.Timed+
			", and parameters; "+predictive.QuestionHint)}
	}
	return err
}

// quantities are the places of names in predictive.Quantities, in its order, and after them those of questions, which
// are all other names.
func quantities(names []string) (of []int, questions []string) {
	for _, name := range names {
		if !slices.Contains(predictive.Quantities, name) {
			questions = append(questions, name)
		}
	}
	for q, name := range predictive.Quantities {
		if len(names) == 0 && q > 0 || slices.Contains(names, name) {
			of = append(of, q)
		}
	}
	for k := range questions {
		of = append(of, len(predictive.Quantities)+k)
	}
	return of, questions
}

func (p *writing) addDraws(out func(...any) error, r *predictive.Prediction) error {
	values := make([]any, 3+len(p.of))
	for s := range r.Of[0] {
		values[0], values[1], values[2] = int64(p.rows[r.Row]+1), int16(s/p.draws+1), int32(s%p.draws+1)
		for i, q := range p.of {
			values[3+i] = r.Of[q][s]
		}
		if err := out(values...); err != nil {
			return err
		}
	}
	return nil
}

func (p *writing) addSummaries(out func(...any) error, r *predictive.Prediction) error {
	var err error
	for _, q := range p.of {
		s := &r.Summaries[q]
		var reason any
		if s.Reason != "" {
			reason = s.Reason
		}
		err = errors.Join(err, out(int64(p.rows[r.Row]+1), p.names[q], s.Mean, s.SD, s.Q025, s.Q25, s.Median, s.Q75, s.Q975,
			reason))
	}
	return err
}
