package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"time"

	"glmbatch/infer"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/priordraws"
	"glmbatch/pipelines/internal/discrete"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
	"glmbatch/transform"
)

// job is one fit to do: a unit, a model, a sampler, and the gates to judge by.
type job struct {
	unit    *unit
	model   *spec.Model
	sampler *spec.Sampler
	gates   spec.Gates
	timeout time.Duration // 0 for none
	// replicate is 1 for the fit itself, 2, 3, … for its repetitions.
	replicate int
	descend   func() // tells that the fit has come to its commit
	leave     func() // makes room for another fit in the air
}

func (j *job) name() string {
	return fitName(j.unit.name(), j.model.Name, j.sampler.Name, j.replicate)
}

// fitName is how people read of a fit.
func fitName(unit, model, sampler string, replicate int) string {
	name := unit + " × " + model + " × " + sampler
	if replicate > 1 {
		name += " #" + strconv.Itoa(replicate)
	}
	return name
}

// stream is the path of the fit's random streams.
func (j *job) stream() []string {
	path := []string{j.unit.dataset.Name, j.unit.key, j.model.Name, j.sampler.Name}
	if j.replicate > 1 {
		path = append(path, "replicate", strconv.Itoa(j.replicate))
	}
	return path
}

// keep is what the ledger keeps of a fit: the spec's choice, summaries of
// replicates.
func (r *runner) keep(j *job) string {
	if j.replicate > 1 {
		return "summary"
	}
	return r.Pipeline.Run.Keep
}

// fitting is one job on its way to a finished fit.
type fitting struct {
	*job
	clock       *stopwatch
	design      *design
	method      method
	fingerprint string
	schedule    schedule
	start       *report.Start // of runs that start from an earlier posterior
	earlier     *earlier      // that posterior, or nil
	explained   string        // what the sampler chose, in words; empty if it says nothing
	proved      []infer.Certificate
	params      []infer.Parameter
	draws       *draws
	quantities  []quantity // derived ones
	spool       *spool.Fit
	window      window
	measured    *measured
	setupTime   time.Duration
	cautions    []string    // of posterior means that may not exist
	doubts      []glm.Doubt // the parameters concerned, in the units of the data
	assessment  report.Assessment
	assessed    []string            // its warnings
	condition   []report.Diagnostic // condition numbers, if the run asks for them
	curvature   *curvature          // what they were taken of, for the metrics of chains
	metrics     []report.Metric
	wall        time.Duration
	anew        bool // it is drawn though the ledger has it

	// What follows is of models of kind mrf.
	field         *discrete.Field // nil of others
	discreteSetup *discrete.Setup // nil without chains
	found         *discrete.Result
	certificates  []discrete.Certificate // known before chains are drawn
	focused       bool                   // the scan is for some variables, and others are not drawn
}

// errStored says that another run has stored a fit since this one began.
var errStored = errors.New("another run has stored the fit")

// fit carries out one job. Whatever goes wrong in it, a panic included, is the
// result of this fit alone. Once ctx has ended or the fit has had its time, it is
// not waited for much longer.
func (r *runner) fit(ctx context.Context, j *job) (res *Result) {
	watch := &stopwatch{limit: j.timeout}
	if j.timeout > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		watch.expire = func() { cancel(&timeoutError{limit: j.timeout, kept: -1}) }
	}
	f := &fitting{job: j, clock: watch, schedule: r.schedule}
	p := r.Tracker.Start(j.name())
	res, left := unless(ctx, fitPatience, func() *Result { return r.attempt(ctx, f, p) })
	if left { // f is not ours any more
		f, res = &fitting{job: j}, j.result()
		f.method, _ = resolve(j.sampler, j.model) // what it cannot be is said elsewhere
		res.fail(context.Cause(ctx))
	}
	r.ended(f, p, res)
	return res
}

// result is the empty result of a job.
func (j *job) result() *Result {
	res := &Result{Dataset: j.unit.dataset.Name, Key: j.unit.key, Model: j.model.Name, Sampler: j.sampler.Name}
	if j.replicate > 1 {
		res.Replicate = j.replicate
	}
	return res
}

// attempt is fit without an end to its patience.
func (r *runner) attempt(ctx context.Context, f *fitting, p *progress.Fit) (res *Result) {
	res = f.result()
	defer func() {
		if v := recover(); v != nil {
			r.Log.Error("panic", "run", r.id, "fit", f.name(), "value", v, "stack", string(debug.Stack()))
			res.fail(fmt.Errorf("this program has a fault: %v (the log has its place; please report it)", v))
		}
		if err := f.closeSpool(); err != nil {
			r.Log.Error("spool", "run", r.id, "fit", f.name(), "err", err.Error())
		}
	}()
	err := r.carryOut(ctx, f, p, res)
	var timeout *timeoutError
	if err != nil && ctx.Err() != nil && errors.As(context.Cause(ctx), &timeout) {
		err = &timeoutError{timeout.limit, f.drawn()}
	}
	if err != nil {
		res.fail(err)
	}
	return res
}

// closeSpool closes the spool, if it is open; a second call does nothing.
func (f *fitting) closeSpool() error {
	if f.spool == nil {
		return nil
	}
	return f.spool.Close()
}

// drawn is the number of iterations that every chain has in the spool.
func (f *fitting) drawn() int {
	if f.spool == nil || len(f.spool.Chains) == 0 {
		return -1
	}
	n := math.MaxInt
	for _, c := range f.spool.Chains {
		n = min(n, c.Draws())
	}
	return n
}

func (r *runner) carryOut(ctx context.Context, f *fitting, p *progress.Fit, res *Result) error {
	if f.unit.err != nil {
		return f.unit.err
	}
	if err := r.identify(ctx, f, res); err != nil {
		return err
	}
	stored, ok := r.known.fit(f.fingerprint)
	if r.DryRun {
		return r.plan(f, stored, ok, res)
	}
	if ok && !r.Force && !redraws(f.model, stored) {
		return r.skip(ctx, f, stored, res)
	}
	began := r.Now()
	f.anew = r.Force || ok
	if f.field != nil && !f.method.discrete.chains() {
		p.Phase("solving")
		return r.solve(ctx, f, began, res)
	}
	if err := r.sample(ctx, f, p); errors.Is(err, errStored) {
		stored, _ := r.known.fit(f.fingerprint)
		return r.skip(ctx, f, stored, res)
	} else if err != nil {
		return err
	}
	if err := r.assess(ctx, f); err != nil {
		return err
	}
	if err := r.conditionOfDraws(ctx, f); err != nil {
		return err
	}
	if err := r.conditionOfMetrics(ctx, f); err != nil {
		return err
	}
	f.wall = r.Now().Sub(began)
	p.Phase("committing")
	return r.commit(ctx, f, res)
}

// identify codes the design and computes the fingerprint.
func (r *runner) identify(ctx context.Context, f *fitting, res *Result) error {
	if err := r.workers.acquire(ctx); err != nil {
		return err
	}
	defer r.workers.release()
	var err error
	if f.model.Discrete() {
		return r.identifyDiscrete(f, res)
	}
	if f.method, err = resolve(f.sampler, f.model); err != nil {
		return err
	}
	res.Method = f.method.name
	if f.design, err = f.unit.design(f.model); err != nil {
		return err
	}
	if err := f.focus(); err != nil {
		return err
	}
	res.Rows, res.Columns = f.design.Rows, f.design.Data.Cols()
	res.Warnings = f.design.Warnings
	if err := r.memory.refuse(f.design.Data.X.Entries(), res.Rows, res.Columns, r.Pipeline.Run.Chains); err != nil {
		return f.explain(err)
	}
	f.fingerprint = r.identity(f).fingerprint()
	if r.Pipeline.Run.Start == startPrevious {
		if err := r.startFrom(ctx, f); err != nil {
			return err
		}
	}
	res.Fingerprint = f.fingerprint
	return nil
}

func (r *runner) identity(f *fitting) identity {
	sampler := struct {
		Name, Method string
		Options      any
	}{f.sampler.Name, f.method.name, f.method.options}
	replicate := f.replicate
	if replicate == 1 {
		replicate = 0
	}
	id := identity{
		Data: f.design.dataHash, Dataset: f.unit.dataset.Name, Key: f.unit.key,
		Model: identifyModel(f.model), Sampler: sampler,
		Length: identifyLength(r.Pipeline.Run), Chains: r.Pipeline.Run.Chains,
		Keep: r.keep(f.job), Seed: r.Pipeline.Seed, Replicate: replicate,
		Start: f.startIdentity(), Versions: f.versions(),
	}
	if f.field != nil && !f.method.discrete.chains() {
		id.Length, id.Chains, id.Keep, id.Seed = nil, 0, "", 0 // nothing is drawn
	}
	return id
}

func (f *fitting) versions() map[string]string {
	versions := map[string]string{
		"infer": infer.Version, "transform": strconv.Itoa(transform.Version),
		"diag": diag.Version, f.method.name: f.method.version,
	}
	if d := f.design.Design; d != nil {
		if _, sparse := d.Data.X.(*matrix.Sparse); sparse {
			versions["sparse"] = matrix.SparseVersion // whose sums have another order
		}
	}
	if f.method.hamiltonian && f.model.Family.Name == "gamma" && f.model.PrecisionWeights != "" {
		versions["gradient"] = "2" // 1 was wrong in shape after rows of other precisions than 1
	}
	return versions
}

// sample sets the fit up, opens its spool and grows its chains until done.
func (r *runner) sample(ctx context.Context, f *fitting, p *progress.Fit) error {
	p.Phase("set-up")
	setup, err := r.prepare(ctx, f)
	if err != nil {
		return err
	}
	f.params = keptParameters(setup.Parameters(), r.keep(f.job))
	numbers := numbersOf(setup, len(f.params))
	if e, ok := setup.(infer.Explainer); ok {
		f.explained = f.method.name + " samples in the basis " + e.Explain()
	}
	if c, ok := setup.(infer.Certifier); ok {
		f.proved = c.Certificates()
	}
	if err := r.bind(f, parameterNames(f.params)); err != nil {
		return err
	}
	root := spool.Root(r.Database)
	manifest := spool.Manifest{
		Fingerprint: f.fingerprint, Fit: f.name(), Params: numbers.spooled(), Chains: r.Pipeline.Run.Chains,
	}
	if numbers.row > 0 {
		manifest.Start = numbers.params
	}
	if r.Force {
		if err := r.Disk.Discard(root, manifest); err != nil {
			return err
		}
	}
	if f.spool, err = r.Disk.Open(root, manifest); err != nil {
		return err
	}
	if stored, ok := r.known.now(ctx, r.ledger.file, f.fingerprint); ok && !f.anew && !redraws(f.model, stored) {
		return errors.Join(errStored, f.spool.Remove())
	}
	s := &sampling{
		stream: f.stream(),
		seed:   r.Pipeline.Seed, warmup: f.schedule.warmup(), setup: setup,
		toData: f.design.Record.ToData, numbers: numbers, spool: f.spool,
		kernels: make([]infer.Kernel, len(f.spool.Chains)), clock: f.clock, now: r.Now, progress: p,
		log: r.Log.With("run", r.id, "fit", f.name(), "fingerprint", f.fingerprint),
	}
	f.draws = &draws{spool: f.spool, numbers: numbers, record: f.design.Record, rowBytes: heldRows}
	if err := r.grow(ctx, f, s, p); err != nil || f.field == nil {
		return err
	}
	return r.collect(ctx, f, s)
}

// prepare makes the target and the sampler's set-up, on one worker.
func (r *runner) prepare(ctx context.Context, f *fitting) (infer.Setup, error) {
	if err := r.workers.acquire(ctx); err != nil {
		return nil, err
	}
	defer r.workers.release()
	defer f.clock.run()()
	timer := startTimer()
	defer timer.stop()
	if f.field != nil {
		err := r.prepareDiscrete(f)
		f.setupTime = timer.lap()
		if err != nil {
			return nil, err
		}
		if r.Tamper != nil {
			return r.Tamper(f.discreteSetup), nil
		}
		return f.discreteSetup, nil
	}
	model := f.posterior()
	if f.method.name == priorMethod {
		if err := priordraws.Check(&model, f.design.Data.Names); err != nil {
			return nil, f.explain(err)
		}
	}
	target, err := glm.NewTarget(f.design.Data, model)
	if err != nil {
		return nil, f.explain(err)
	}
	if f.method.name != priorMethod {
		f.doubt(target)
	}
	if target, err = f.around(target); err != nil {
		return nil, f.explain(err)
	}
	setup, err := f.method.setup(target)
	if r.Tamper != nil && err == nil {
		setup = r.Tamper(setup)
	}
	f.setupTime = timer.lap()
	if err == nil && r.conditions(f) {
		f.conditionAtMode(target)
	}
	return setup, f.explain(err)
}

// doubt notes which posterior means may not exist.
func (f *fitting) doubt(target *glm.Target) {
	for _, d := range target.MeanMayNotExist() {
		if words := caution(target.Parameters(), d); words != "" {
			f.cautions = append(f.cautions, words)
		}
		f.doubts = append(f.doubts, glm.Doubt{Parameters: inDataUnits(d.Parameters, f.design.Record), Reason: d.Reason})
	}
}

// posterior is the likelihood with its priors, defaults resolved for the design.
func (f *fitting) posterior() glm.Model {
	return posterior(f.model, f.design.Data)
}

// explain names the data set and the model in an error of the numeric core.
func (f *fitting) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("dataset %q, model %q: %w", f.unit.name(), f.model.Name, err)
}
