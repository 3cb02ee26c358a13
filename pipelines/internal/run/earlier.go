package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/nuts"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
)

// startPrevious is the value of run.start that has chains begin around an earlier
// posterior.
const startPrevious = "previous"

// startVersion names the rules by which an earlier posterior becomes a start:
// another rule is another sequence of draws.
const startVersion = "start/1"

// startIdentity is what of an earlier fit enters the fingerprint. Its own
// fingerprint stands for its posterior, bit by bit.
type startIdentity struct {
	From    string `json:"from"`
	Version string `json:"version"`
}

// What an earlier fit must be like, to be started from: no R-hat above mixedRHat;
// rows within a factor of likeRows, columns and response within one of likeScale of
// their standard deviations; and knowing leastKnown of the coefficients.
const (
	mixedRHat  = 1.05
	likeRows   = 4
	likeScale  = 3
	leastKnown = 0.5
)

// earlierFits are the complete fits that a pipeline had when the run began, the
// newest first, by name.
type earlierFits map[report.Key][]report.Stored

func (r *runner) earlierFits(ctx context.Context) (earlierFits, error) {
	found, err := r.ledger.file.Earlier(ctx, r.Pipeline.Name)
	out := earlierFits{}
	for _, e := range found {
		out[e.Key] = append(out[e.Key], e)
	}
	return out, err
}

// earlier is the posterior that a fit starts from.
type earlier struct {
	report.Recalled
	step  float64 // 0: none
	known map[infer.Parameter]*report.ParameterSummary
}

// startFrom finds the earlier fit that a fit starts from, and gives it the
// fingerprint of that start. Its fingerprint so far is its question: what it is
// without any, replicates aside. A fit in the ledger with the same question answers it, whatever that
// one started from, so that an unchanged night is skipped; otherwise the start is the
// newest fit with another question that the ledger had when the run began, so that a
// run which was killed goes on with the start that it had.
func (r *runner) startFrom(ctx context.Context, f *fitting) error {
	f.start = &report.Start{Question: r.question(f)}
	if why := f.startsAnew(); why != "" {
		f.start.Note = "as usual: " + why
		return nil
	}
	fits := r.earlier[f.key()]
	before := slices.IndexFunc(fits, func(e report.Stored) bool { return e.Replicate <= 1 && e.Question != f.start.Question })
	answer := slices.IndexFunc(fits, func(e report.Stored) bool {
		return e.Fingerprint == f.fingerprint || e.Question == f.start.Question && e.Replicate == f.replicate
	})
	if answer >= 0 {
		a := fits[answer]
		if stored, _ := r.known.fit(a.Fingerprint); !r.Force && !redraws(f.model, stored) {
			f.fingerprint = a.Fingerprint
			return nil
		}
		if a.From == "" { // drawn again, with the start that it had
			f.start.Note = "as usual, as before"
			return nil
		}
		if own := slices.IndexFunc(fits, func(e report.Stored) bool { return e.Fingerprint == a.From }); own >= 0 {
			before = own
		}
	}
	if before < 0 {
		f.start.Note = "as usual: there is no complete fit before it"
		return nil
	}
	e := fits[before]
	why, err := r.recallEarlier(ctx, f, e)
	if err != nil {
		return err
	}
	if why != "" {
		f.start.Note = fmt.Sprintf("as usual, and not from fit %d: %s", e.ID, why)
		f.earlier = nil
		return nil
	}
	f.start.From, f.start.FromFingerprint, f.start.StepSize = e.ID, e.Fingerprint, f.earlier.step
	f.start.Note = fmt.Sprintf("from the posterior of fit %d, which knows %d of %d parameters", e.ID, f.start.Known, f.start.Known+f.unknown())
	f.fingerprint = r.identity(f).fingerprint()
	f.schedule = r.schedule.warmed(r.Pipeline.Run.WarmupGiven)
	return nil
}

// startsAnew says why a method gains nothing from an earlier posterior; empty where
// it may.
func (f *fitting) startsAnew() string {
	switch o := f.method.options.(type) {
	case nil:
		return f.method.name + " draws independently, and nothing is to be forgotten"
	case nuts.Options:
		if o.Metric != "" && o.Metric != "diagonal" {
			return "a " + o.Metric + " metric learns directions that summaries do not have"
		}
		if f.shrinks() {
			return "under horseshoe priors " + f.method.name + " moves in other coordinates than the coefficients"
		}
	default:
		if f.method.hamiltonian {
			return f.method.name + " moves in other coordinates than the coefficients"
		}
	}
	return ""
}

// shrinks tells whether a prior of the model is a horseshoe.
func (f *fitting) shrinks() bool {
	return f.model.Prior.Coefficients.Kind.Shrinks() || slices.ContainsFunc(f.model.Prior.ByName, func(n *spec.NamedPrior) bool { return n.Prior.Kind.Shrinks() })
}

// question is the fingerprint that the fit would have without an earlier one,
// shared by its replicates.
func (r *runner) question(f *fitting) string {
	id := r.identity(f)
	id.Replicate = 0
	return id.fingerprint()
}

// recallEarlier reads an earlier fit, and says why it is no start for this one.
func (r *runner) recallEarlier(ctx context.Context, f *fitting, e report.Stored) (why string, err error) {
	if e.Family != f.model.Family.Name || e.Link != f.model.Family.Link {
		return fmt.Sprintf("it is %s(%s)", e.Family, e.Link), nil
	}
	p, err := r.ledger.file.Recall(ctx, e.ID)
	if err != nil {
		return "", err
	}
	f.earlier = &earlier{Recalled: p, known: map[infer.Parameter]*report.ParameterSummary{}}
	for i := range p.Parameters {
		s := &p.Parameters[i]
		f.earlier.known[infer.Parameter{Name: s.Name, Kind: s.Kind}] = s
	}
	for _, name := range f.design.Data.Names {
		if f.earlier.coefficient(name) != nil {
			f.start.Known++
		}
	}
	columns := f.design.Data.Cols()
	if name, ok := p.Mixed(mixedRHat); !ok {
		return fmt.Sprintf("the chains of %q had not mixed there (R-hat above %v)", name, mixedRHat), nil
	}
	if float64(f.start.Known) < leastKnown*float64(columns) {
		return fmt.Sprintf("it knows %d of %d coefficients", f.start.Known, columns), nil
	}
	if why := f.unlike(e); why != "" {
		return why, nil
	}
	if f.method.hamiltonian && e.Method == f.method.name && sameSampler(p.Identity, r.identity(f)) {
		f.earlier.step = middle(p.StepSizes)
	}
	return "", nil
}

// coefficient is the summary of a coefficient, or of the intercept; nil where the
// earlier fit has none of that name.
func (e *earlier) coefficient(name string) *report.ParameterSummary {
	if s := e.known[infer.Parameter{Name: name, Kind: infer.Coefficient}]; s != nil {
		return s
	}
	return e.known[infer.Parameter{Name: name, Kind: infer.Intercept}]
}

// unlike says in what tonight's data differ too much from an earlier fit's for its
// scales to serve.
func (f *fitting) unlike(e report.Stored) string {
	far := func(a, b, factor float64) bool { return a > factor*b || b > factor*a }
	if far(float64(f.design.Rows), float64(e.Rows), likeRows) {
		return fmt.Sprintf("it has %d rows, and this fit %d", e.Rows, f.design.Rows)
	}
	now, then := f.describeData(), f.earlier.Data
	if then == nil {
		return "an older program stored it, without a summary of its data"
	}
	if far(now.ResponseSD, then.ResponseSD, likeScale) {
		return fmt.Sprintf("the standard deviation of its response is %.3g, and this fit's %.3g", then.ResponseSD, now.ResponseSD)
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

// sameSampler tells whether an earlier fit had the sampler that an identity has.
func sameSampler(before map[string]json.RawMessage, now identity) bool {
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

// startIdentity is the part of the fingerprint that names the earlier fit.
func (f *fitting) startIdentity() *startIdentity {
	if f.start == nil || f.start.From == 0 {
		return nil
	}
	return &startIdentity{f.start.FromFingerprint, startVersion}
}

// unknown counts the coefficients that the earlier fit does not know.
func (f *fitting) unknown() int { return f.design.Data.Cols() - f.start.Known }

// around returns the target with chains that start around the earlier posterior, if
// there is one.
func (f *fitting) around(t *glm.Target) (*glm.Target, error) {
	if f.earlier == nil || f.start.From == 0 {
		return t, nil
	}
	theta, u := make([]float64, t.Dim()), make([]float64, t.Dim())
	t.Constrain(t.Penalised(), theta)
	f.design.Record.ToData(theta)
	p := glm.Previous{Mean: make([]float64, t.Dim()), SD: make([]float64, t.Dim()), StepSize: f.earlier.step}
	for j := range p.Mean {
		p.Mean[j], p.SD[j] = math.NaN(), math.NaN()
	}
	parameters := t.Parameters()
	for j, name := range f.design.Data.Names {
		if s := f.earlier.coefficient(name); s != nil {
			theta[j] = location(s)
		}
	}
	f.design.Record.FromData(theta)
	t.Unconstrain(theta, u)
	for j, name := range f.design.Data.Names {
		s := f.earlier.coefficient(name)
		if s == nil {
			continue
		}
		p.Mean[j] = u[j]
		if c := f.design.Record.Columns[j]; c.Term >= 0 || !f.design.Record.Shifted() {
			p.SD[j] = positive(scale(s) * c.Scale)
		}
	}
	for j := t.Cols(); j < t.Dim(); j++ {
		if s := f.earlier.known[parameters[j]]; s != nil && parameters[j].Kind == infer.Dispersion {
			at := func(x float64) float64 { theta[j] = x; t.Unconstrain(theta, u); return u[j] }
			if m := at(s.Summary.Median); !math.IsNaN(m) && !math.IsInf(m, 0) {
				p.Mean[j], p.SD[j] = m, positive((at(s.Summary.Q75)-at(s.Summary.Q25))/quartiles)
			}
			theta[j] = s.Summary.Median
		}
	}
	return t.From(p)
}

// quartiles is the distance of a normal law's quartiles in standard deviations.
const quartiles = 1.3489795003921634

// location is a summary's mean, or its median where the mean need not exist.
func location(s *report.ParameterSummary) float64 {
	if !math.IsNaN(s.Summary.Mean) {
		return s.Summary.Mean
	}
	return s.Summary.Median
}

// scale is a summary's standard deviation, or that of a normal law with its
// quartiles.
func scale(s *report.ParameterSummary) float64 {
	if !math.IsNaN(s.Summary.SD) {
		return s.Summary.SD
	}
	return (s.Summary.Q75 - s.Summary.Q25) / quartiles
}

// positive is x, or NaN where that is no scale.
func positive(x float64) float64 {
	if x > 0 && x <= math.MaxFloat64 {
		return x
	}
	return math.NaN()
}
