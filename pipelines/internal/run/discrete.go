package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"glmbatch/infer/glm"
	"glmbatch/infer/herded"
	"glmbatch/infer/mrf"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/discrete"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// identifyDiscrete makes the field of a model of kind mrf, resolves the sampler and
// computes the fingerprint. The fit has a design without columns, so that what is
// common to all fits finds its notes and warnings.
func (r *runner) identifyDiscrete(f *fitting, res *Result) error {
	var err error
	if f.field, err = f.unit.field(f.model); err != nil {
		return err
	}
	f.design = &design{
		Design:   &transform.Design{Data: &glm.Data{X: glm.NewDense(f.field.N, 0), Intercept: -1}, Record: &transform.Record{}, Rows: f.field.N, Warnings: f.field.Warnings},
		dataHash: f.field.Hash,
	}
	if f.method, err = resolveDiscrete(f.sampler, f.field); err != nil {
		return err
	}
	f.schedule = f.schedule.discrete(f.method.discrete, r.Pipeline.Run.WarmupGiven)
	if !f.method.discrete.chains() {
		f.schedule = schedule{}
	}
	res.Method, res.Rows, res.Columns = f.method.name, f.field.N, f.field.Edges()
	if err := r.memory.refuseBytes(f.field.Words, f.discreteBytes(r.Pipeline.Run.Chains)); err != nil {
		return f.explain(err)
	}
	f.fingerprint = r.identity(f).fingerprint()
	res.Fingerprint = f.fingerprint
	return nil
}

// discreteBytes is about the memory of a fit: the model and its making, chains with their
// states saved, what is collected.
func (f *fitting) discreteBytes(chains int) int64 {
	n := int64(f.field.N) * int64(f.field.States)
	bytes := 2*int64(f.field.Model.Bytes()) + 40*n
	if f.method.discrete.chains() {
		bytes += int64(chains) * 2 * (3*int64(f.field.N) + 18*n)
	}
	return bytes
}

// discreteMethod is a sampler of discrete variables as resolved for one field.
type discreteMethod struct {
	// gated tells that its chains are Markov chains of the model after their warm-up;
	// sampled that their states tell marginals.
	gated, sampled bool
	// solve is a method without chains, nil of others; it tells in words how.
	solve func(*discrete.Field) (*discrete.Result, string, error)
	// setup makes a sampler for chains of so many iterations.
	setup func(f *discrete.Field, iterations int) (*discreteSampler, error)
	why   string // why no gate looks at it
}

func (m *discreteMethod) chains() bool { return m.solve == nil }

// resolveDiscrete chooses the method of a sampler for a field.
func resolveDiscrete(s *spec.Sampler, f *discrete.Field) (method, error) {
	name, reason := s.Method, ""
	if name == "auto" {
		name, reason = "gibbs", "auto chose gibbs: exact sums would take too long on this graph"
		if way, ok := f.Cheap(); ok {
			name, reason = "exact", "auto chose exact: "+way
		}
	}
	m := method{name: name, reason: reason, version: mrf.Version + " " + discrete.Version}
	switch name {
	case "gibbs":
		m.options = struct {
			Scan   spec.Scan
			Anneal spec.Anneal
		}{s.Scan, s.Anneal}
		if len(s.Scan.For) > 0 {
			m.version += " " + scansVersion
		}
		m.discrete = gibbsMethod(s)
	case "herded":
		o := herded.Options{Sharing: herded.Sharing(s.Sharing), Start: herded.Start(s.Start)}
		m.options, m.version = o, herded.Version+" "+discrete.Version
		m.discrete = herdedMethod(o)
	case "meanfield":
		o := mrf.MeanFieldOptions{Damping: s.Damping, Tolerance: s.Tolerance, MaxSweeps: s.MaxSweeps}
		m.options = o
		m.discrete = &discreteMethod{why: "an approximation has no chains", solve: func(f *discrete.Field) (*discrete.Result, string, error) {
			r, err := f.MeanField(o)
			return r, "mean field", err
		}}
	case "exact":
		m.discrete = &discreteMethod{why: "an exact method has no chains", solve: (*discrete.Field).Exact}
	case "viterbi":
		m.discrete = &discreteMethod{why: "an exact method has no chains", solve: func(f *discrete.Field) (*discrete.Result, string, error) {
			r, err := f.Viterbi()
			return r, "Viterbi", err
		}}
	default:
		return method{}, fmt.Errorf("sampler %q: method %q is not for models of kind mrf", s.Name, name)
	}
	return m, nil
}

// field makes the field of a model on the unit's data; the samplers of a model share it.
func (u *unit) field(m *spec.Model) (*discrete.Field, error) {
	u.mu.Lock()
	if u.fields == nil {
		u.fields = map[*spec.Model]*fieldSlot{}
	}
	slot := u.fields[m]
	if slot == nil {
		slot = &fieldSlot{}
		u.fields[m] = slot
	}
	u.mu.Unlock()
	slot.once.Do(func() { slot.Field, slot.err = discrete.NewField(context.Background(), u.data, m) })
	return slot.Field, slot.err
}

// scansVersion names the search for certified scans: it changes whenever other lists are
// found.
const scansVersion = "dogs/1"

// discrete is the schedule of a method: what no gate looks at does not grow, and has no
// warm-up unless the spec gives one.
func (s schedule) discrete(m *discreteMethod, warmupGiven bool) schedule {
	if m.gated {
		return s
	}
	if s.fixedDraws == 0 {
		return schedule{fixedDraws: s.first}
	}
	if !warmupGiven {
		s.fixedWarmup = 0
	}
	return s
}

// most is the number of iterations that the schedule allows.
func (s schedule) most() int {
	if s.fixedDraws > 0 {
		return s.fixedWarmup + s.fixedDraws
	}
	return s.max
}

// prepareDiscrete makes the set-up of a fit with chains.
func (r *runner) prepareDiscrete(f *fitting) (err error) {
	if f.method.name == "gibbs" {
		if err := endsInWarmup(f.sampler, f.schedule.warmup()); err != nil {
			return err
		}
	}
	s, err := f.method.discrete.setup(f.field, f.schedule.most())
	if err != nil {
		return f.explain(err)
	}
	w := f.schedule.start()
	plan := discrete.NewPlan(w.from, w.to, f.schedule.most())
	if !f.method.discrete.gated {
		plan.Batch = 0
	}
	if !f.method.discrete.sampled {
		plan.Segments = []int{f.schedule.most()} // nothing is counted
	}
	f.discreteSetup, err = f.field.NewSetup(s.setup, plan, s.focus)
	f.focused = s.focus != nil
	f.cautions = append(f.cautions, s.warnings...)
	f.certificates = s.certificates
	return err
}

// collect sums up what the chains counted. Chains that this process has not advanced
// are restored for it.
func (r *runner) collect(ctx context.Context, f *fitting, s *sampling) error {
	if err := r.workers.acquire(ctx); err != nil {
		return err
	}
	defer r.workers.release()
	defer f.clock.run()()
	for c := range s.kernels {
		if s.kernels[c] == nil {
			timer := startTimer()
			err := s.begin(ctx, &pen{file: s.spool.Chains[c]}, c, &timer)
			timer.stop()
			if err != nil {
				return err
			}
		}
	}
	f.found = f.discreteSetup.Collect(s.kernels, f.window.from, f.window.to, f.method.discrete.sampled, f.method.discrete.gated)
	f.found.Certificates = append(f.found.Certificates, f.certificates...)
	return nil
}

// solve carries out a method without chains.
func (r *runner) solve(ctx context.Context, f *fitting, began time.Time, res *Result) error {
	if err := r.solved(ctx, f); err != nil {
		return err
	}
	f.wall = r.Now().Sub(began)
	verdict := f.judge(f.gates.Judge(), nil)
	record := r.discreteRecord(f, verdict)
	res.Verdict, res.Reasons, res.Warnings = string(verdict.Grade), verdict.Reasons, f.discreteWarnings()
	res.Seconds = f.setupTime.Seconds()
	res.Times = Times{Setup: f.setupTime.Seconds(), Wall: f.wall.Seconds()}
	for i, p := range f.params {
		if f.found.Means != nil {
			res.Parameters = append(res.Parameters, ParameterSummary{p.Name, f.found.Means[i]})
		}
	}
	f.leave()
	id, err := r.ledger.store(ctx, record)
	res.ID = id
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		res.Action, res.Verdict, res.Err = Uncommitted, "", diskHint(err)
		res.Reasons = []string{res.Err.Error()}
	default:
		res.Action, res.Verdict, res.Reasons = Computed, string(record.Verdict.Grade), record.Verdict.Reasons
	}
	return nil
}

// solved computes the result of a method without chains, on one worker.
func (r *runner) solved(ctx context.Context, f *fitting) error {
	if err := r.workers.acquire(ctx); err != nil {
		return err
	}
	defer r.workers.release()
	defer f.clock.run()()
	timer := startTimer()
	defer timer.stop()
	var err error
	f.found, f.explained, err = f.method.discrete.solve(f.field)
	if err != nil {
		return f.explain(err)
	}
	if f.explained != "" {
		f.explained = f.method.name + " by " + f.explained
	}
	f.params = f.field.Parameters()
	f.setupTime = timer.lap()
	return ctx.Err()
}

// refuseBytes is an error if a fit that takes so many bytes cannot do with the limit.
func (m memory) refuseBytes(what string, need int64) error {
	if m.limit == 0 || need <= m.flight() {
		return nil
	}
	enough := (need+ownMemory)*engineShare/(engineShare-1)/1e6 + 1
	return words.Hint(fmt.Errorf("%s: it needs about %s, and the run may take %s, of which fits get %s", what, spec.Bytes(need), spec.Bytes(m.limit), spec.Bytes(m.flight())),

		fmt.Sprintf("give it --memory %dMB, or take fewer variables or chains", enough))
}

// Sizes says what the fits of models of kind mrf take in memory, a line for each data
// set and model; where the data cannot be read, why.
func Sizes(ctx context.Context, p *spec.Pipeline, example func(string) ([]byte, error)) []string {
	r := &runner{Config: Config{Pipeline: p, Example: example}}
	var out []string
	for _, ds := range p.Datasets {
		if !ds.Discrete() {
			continue
		}
		first := &unit{dataset: ds, err: fmt.Errorf("there are no variables")}
		_ = r.read(ctx, ds, func(u *unit) error {
			first = u
			return errFirst
		})
		seen := map[*spec.Model]bool{}
		for _, m := range r.models(ds.Name) {
			if !seen[m] {
				seen[m] = true
				out = append(out, sizeWords(r, first, m))
			}
		}
	}
	return out
}

// sizeWords is the line of one unit and model.
func sizeWords(r *runner, u *unit, m *spec.Model) string {
	head := fmt.Sprintf("%s × %s", u.name(), m.Name)
	err := u.err
	var f *discrete.Field
	if err == nil {
		f, err = u.field(m)
	}
	if err != nil {
		return head + ": not known: " + words.Line(err)
	}
	words := fmt.Sprintf("%s: %s: %d variables of %d states, %d edges; the model takes %s", head, f.Words, f.N, f.States, f.Edges(), spec.Bytes(f.Model.Bytes()))
	for _, ref := range r.Pipeline.Fits() {
		if ref.Dataset != u.dataset || ref.Model != m {
			continue
		}
		if chain := chainBytes(r, f, ref.Sampler); chain != "" {
			words += "; " + chain
		}
	}
	return words
}

// chainBytes words the memory of a chain of a sampler; empty where there are none.
func chainBytes(r *runner, f *discrete.Field, s *spec.Sampler) string {
	m, err := resolveDiscrete(s, f)
	if err != nil || !m.discrete.chains() {
		return ""
	}
	job := &fitting{job: &job{model: &spec.Model{}, sampler: s, unit: &unit{dataset: &spec.Dataset{}}}, field: f, method: m,
		schedule: scheduleOf(r.Pipeline.Run).discrete(m.discrete, r.Pipeline.Run.WarmupGiven)}
	if err := r.prepareDiscrete(job); err != nil {
		var memory *herded.MemoryError
		if errors.As(err, &memory) {
			err = memory // its sampler is named in front
		}
		return s.Name + " will be refused: " + err.Error()
	}
	return fmt.Sprintf("each of %d chains of %s %s", r.Pipeline.Run.Chains, s.Name, spec.Bytes(job.discreteSetup.ChainBytes()))
}
