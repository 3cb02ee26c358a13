package plan

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
)

// StartPrevious is the value of run.start that has chains begin around an earlier
// posterior.
const StartPrevious = "previous"

// startVersion names the rules by which an earlier posterior becomes a start:
// another rule is another sequence of draws.
const startVersion = "start/1"

// startIdentity is the part of an earlier fit that enters the fingerprint. Its own fingerprint stands for its
// posterior, bit by bit.
type startIdentity struct {
	From    string `json:"from"`
	Version string `json:"version"`
}

// Requirements on an earlier fit as a start: no R-hat above mixedRHat; rows within a factor of likeRows, columns
// and response within one of likeScale of their standard deviations; and estimates of a share minKnown of the
// coefficients.
const (
	mixedRHat = 1.05
	likeRows  = 4
	likeScale = 3
	minKnown  = 0.5
)

// Base holds the earlier fits of a pipeline: a ledger as it was when the run began.
type Base interface {
	// Earlier lists the complete fits of a name, the newest first.
	Earlier(record.Key) []record.Stored
	// Recall reads what one of them says of its posterior and its data.
	Recall(ctx context.Context, id int64) (record.Recalled, error)
	// Answers reports whether the complete fit with a fingerprint can replace f, which is then not drawn again.
	Answers(f *Fit, fingerprint string) bool
}

// Previous is the posterior that a fit starts from.
type Previous struct {
	record.Recalled
	step  float64 // 0: none
	known map[infer.Parameter]*record.ParameterSummary
	found int // coefficients of the design that it knows
	// levels are the effects of levels that it knows, of effects.
	levels, effects int
}

// StartFrom finds the earlier fit that a fit starts from, and gives it the fingerprint of that start. Its
// fingerprint so far is its question: what it is without any, replicates aside. A fit in the ledger with the same
// question answers it, whatever that one started from, so that an unchanged run is skipped. Otherwise the start is
// the newest fit with another question that the ledger had when the run began, so that a run which was killed
// resumes with the start that it had. Discrete systems start as usual.
func (id *Identified) StartFrom(ctx context.Context, base Base) error {
	can := id.Capabilities()
	if can.Anew == "" && can.recall == nil {
		return nil
	}
	question := id.Identity.Question()
	id.Start = &record.Start{Question: question}
	if can.Anew != "" {
		id.Start.Note = "as usual: " + can.Anew
		return nil
	}
	fits := base.Earlier(id.Key())
	before := slices.IndexFunc(fits, func(e record.Stored) bool { return e.Replicate <= 1 && e.Question != question })
	answer := slices.IndexFunc(fits, func(e record.Stored) bool {
		return e.Fingerprint == id.Fingerprint || e.Question == question && e.Replicate == id.Replicate
	})
	if answer >= 0 {
		a := fits[answer]
		if base.Answers(id.Fit, a.Fingerprint) {
			id.Fingerprint = a.Fingerprint
			return nil
		}
		if a.From == "" { // drawn again, with the start that it had
			id.Start.Note = "as usual, as before"
			return nil
		}
		if own := slices.IndexFunc(fits, func(e record.Stored) bool { return e.Fingerprint == a.From }); own >= 0 {
			before = own
		}
	}
	if before < 0 {
		id.Start.Note = "as usual: there is no complete fit before it"
		return nil
	}
	past, err := base.Recall(ctx, fits[before].ID)
	if err != nil {
		return err
	}
	p, why := can.recall(fits[before], past, id.Identity)
	id.startAt(fits[before], p, why)
	return nil
}

// startAt starts the fit from an earlier one, unless why is a reason against it.
func (id *Identified) startAt(e record.Stored, p *Previous, why string) {
	id.Start.Known = p.found
	if why != "" {
		id.Start.Note = fmt.Sprintf("as usual, and not from fit %d: %s", e.ID, why)
		return
	}
	id.Previous = p
	id.Start.From, id.Start.FromFingerprint, id.Start.StepSize = e.ID, e.Fingerprint, p.step
	id.Start.Note = fmt.Sprintf("from the posterior of fit %d, which knows %d of %d parameters", e.ID, p.found,
		id.Facts().Columns)
	if p.effects > 0 {
		id.Start.Note += fmt.Sprintf(" and %d of %d effects of levels", p.levels, p.effects)
	}
	run := &id.Pipeline.Run
	usual := NewSchedule(run)
	id.Schedule = usual.warmed(run.WarmupGiven)
	if run.WarmupGiven && id.Schedule == usual {
		id.Start.Note += fmt.Sprintf("; the spec gives warmup: %d, which is not shortened", usual.Warmup())
	}
	id.identify()
}

// startIdentity is the part of the fingerprint that names the earlier fit.
func (id *Identified) startIdentity() *startIdentity {
	if id.Start == nil || id.Start.From == 0 {
		return nil
	}
	return &startIdentity{id.Start.FromFingerprint, startVersion}
}

// startsAnew is the reason why a method gains nothing from an earlier posterior; empty if it may.
func (r *Regression) startsAnew() string {
	m := r.Method()
	if r.fit.Model.Grouped() && m.Method != spec.Levels {
		return m.Name + " finds the levels of groupings anew"
	}
	switch o := m.Trajectories; {
	case m.Options == nil:
		return m.Name + " draws independently, and nothing is to be forgotten"
	case o == nil:
	case o.Reduced:
		return m.Name + " moves in other coordinates than the coefficients"
	case o.Metric != "" && o.Metric != "diagonal":
		return "a " + o.Metric + " metric learns directions that summaries do not have"
	case r.shrinks():
		return "under horseshoe priors " + m.Name + " moves in other coordinates than the coefficients"
	}
	return ""
}

// shrinks reports whether a prior of the model is a horseshoe.
func (r *Regression) shrinks() bool {
	given := &r.fit.Model.Prior
	return given.Coefficients.Kind.Shrinks() ||
		slices.ContainsFunc(given.ByName, func(n *spec.NamedPrior) bool { return n.Prior.Kind.Shrinks() })
}

// recall weighs an earlier fit, and returns why it is no start for this one; empty if it is one.
func (r *Regression) recall(e record.Stored, past record.Recalled, now Identity) (p *Previous, why string) {
	p = &Previous{Recalled: past, known: map[infer.Parameter]*record.ParameterSummary{}}
	family := r.Family()
	if e.Family != family.Name || e.Link != family.Link {
		return p, fmt.Sprintf("it is %s(%s)", e.Family, e.Link)
	}
	for i := range past.Parameters {
		s := &past.Parameters[i]
		p.known[infer.Parameter{Name: s.Name, Kind: s.Kind}] = s
	}
	for _, name := range r.Data.Names {
		if p.coefficient(name) != nil {
			p.found++
		}
	}
	for _, e := range r.Data.Effects {
		for i := range e.Count() {
			name := spec.EffectName(e.Group, e.Levels[i%len(e.Levels)], e.Terms[i/len(e.Levels)])
			if p.known[infer.Parameter{Name: name, Kind: infer.GroupEffect}] != nil {
				p.levels++
			}
		}
		p.effects += e.Count()
	}
	columns := r.Data.Cols()
	if name, ok := past.Mixed(mixedRHat); !ok {
		return p, fmt.Sprintf("the chains of %q had not mixed there (R-hat above %v)", name, mixedRHat)
	}
	if float64(p.found) < minKnown*float64(columns) {
		return p, fmt.Sprintf("it knows %d of %d coefficients", p.found, columns)
	}
	if why := r.unlike(e, past.Data); why != "" {
		return p, why
	}
	if m := r.Method(); m.Trajectories != nil && e.Method == m.Name && sameSampler(e.Identity, now) {
		p.step = middle(past.StepSizes)
	}
	return p, ""
}

// coefficient is the summary of a coefficient, or of the intercept; nil if the earlier fit has none of that name.
func (p *Previous) coefficient(name string) *record.ParameterSummary {
	if s := p.known[infer.Parameter{Name: name, Kind: infer.Coefficient}]; s != nil {
		return s
	}
	return p.known[infer.Parameter{Name: name, Kind: infer.Intercept}]
}

// unlike says in what tonight's data differ too much from an earlier fit's for its
// scales to serve.
func (r *Regression) unlike(e record.Stored, then *record.DataSummary) string {
	far := func(a, b, factor float64) bool { return a > factor*b || b > factor*a }
	if far(float64(r.Counted), float64(e.Rows), likeRows) {
		return fmt.Sprintf("it has %d rows, and this fit %d", e.Rows, r.Counted)
	}
	if then == nil {
		return "an older program stored it, without a summary of its data"
	}
	now := summary(r.Design)
	if far(now.ResponseSD, then.ResponseSD, likeScale) {
		return fmt.Sprintf("the standard deviation of its response is %.3g, and this fit's %.3g", then.ResponseSD,
			now.ResponseSD)
	}
	sds := map[string]float64{}
	for _, c := range then.Columns {
		sds[c.Name] = c.SD
	}
	for _, c := range now.Columns {
		if sd, ok := sds[c.Name]; ok && far(c.SD, sd, likeScale) {
			return fmt.Sprintf("the standard deviation of %q was %.3g there, and is %.3g", c.Name, sd, c.SD)
		}
	}
	return ""
}

// sameSampler reports whether an earlier fit had the sampler that an identity has.
func sameSampler(before map[string]json.RawMessage, now Identity) bool {
	data, err := json.Marshal(now.Sampler)
	return err == nil && bytes.Equal(before["sampler"], data)
}

// middle is the lower median; 0 of nothing.
func middle(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(x))
	return s[(len(s)-1)/2]
}
