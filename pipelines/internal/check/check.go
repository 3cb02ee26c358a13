package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"glmbatch/infer"
	"glmbatch/infer/groups"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/report/judge"
)

// version is part of what names a calibration: ranks of another are not added
// to it.
const version = "check/1"

// rankDraws is the number of draws that a truth is ranked among.
const rankDraws = 31

// chunk is the number of simulations between two commits: what a kill loses.
const chunk = 25

// Config holds the inputs of a check that do not depend on the environment.
type Config struct {
	Pipeline    *spec.Pipeline
	Database    string
	Workers     int // simulations at once, at least 1
	Only        plan.Selector
	Simulations int    // data sets for each fit, at least 1
	Given       string // Prior or Posterior
	Build       string
	LockWait    time.Duration
	Example     func(name string) ([]byte, error)
	Say         func(line string) // receives progress messages for the user
	Now         func() time.Time

	// tamper is for tests of this package: it makes a sampler wrong.
	tamper func(infer.Kernel) infer.Kernel
}

// Result holds the findings of a check about one fit.
type Result struct {
	Dataset     string            `json:"dataset"`
	Key         string            `json:"key,omitempty"`
	Model       string            `json:"model"`
	Sampler     string            `json:"sampler"`
	Method      string            `json:"method,omitempty"`
	Calibration string            `json:"calibration,omitempty"`
	Verdict     judge.Grade       `json:"verdict,omitempty"` // empty if it was interrupted
	Words       []string          `json:"words,omitempty"`
	Simulations int               `json:"simulations"`
	Ranked      int               `json:"ranked"`
	Tests       []report.RankTest `json:"tests,omitempty"`

	name    string
	refused bool // for a reason in its spec
}

// Name is the fit's name as people read it.
func (r *Result) Name() string { return r.name }

// Outcome holds the results of a check.
type Outcome struct {
	Pipeline    string    `json:"pipeline"`
	Database    string    `json:"database"`
	Given       string    `json:"given"`
	FalseAlarms float64   `json:"false_alarms"` // of each fit
	ExitCode    int       `json:"exit_code"`
	Fits        []*Result `json:"fits"`
	// Unrecorded is why the ledger does not have the last ranks; empty if it does.
	Unrecorded string `json:"unrecorded,omitempty"`
}

// FalseAlarms is the probability that a right sampler fails the check of a fit.
const FalseAlarms = 0.01

type checker struct {
	Config
	ledger *report.Ledger
	held   error // why the last commit failed
}

// Run calibrates the selected fits one after the other. Its error is for what
// kept it from beginning; what went wrong with a fit is in its result.
//
// Bits: a simulation's streams are named by the seed, the fit and its number, so
// that neither workers nor interruptions change a rank.
func Run(ctx context.Context, c Config) (*Outcome, error) {
	ledger, err := report.Open(c.Database, report.Options{LockWait: c.LockWait, Threads: 1,
		Private: len(c.Pipeline.Vars) > 0})
	if err == nil {
		err = ledger.Empty()
	}
	if err != nil {
		return nil, err
	}
	k := &checker{Config: c, ledger: ledger}
	out := &Outcome{Pipeline: c.Pipeline.Name, Database: c.Database, Given: c.Given, FalseAlarms: FalseAlarms}
	cases := &plan.Reader{Pipeline: c.Pipeline, Choice: plan.Choice{Selector: c.Only}, Example: c.Example}
	err = cases.Cases(ctx, func(fit *plan.Case) error {
		out.Fits = append(out.Fits, k.fit(ctx, fit))
		return ctx.Err()
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	out.ExitCode = exitCode(ctx, out.Fits, k.held)
	if k.held != nil {
		out.Unrecorded = k.held.Error()
	}
	return out, nil
}

// exitCode sums the results up.
func exitCode(ctx context.Context, fits []*Result, held error) int {
	code := exit.Pass
	for _, f := range fits {
		switch {
		case f.refused:
			code = max(code, exit.Usage)
		case f.Verdict == judge.Fail || f.Verdict == judge.ErrorGrade:
			code = max(code, exit.Fail)
		}
	}
	switch {
	case ctx.Err() != nil:
		return exit.Interrupted
	case report.IsUnusable(held):
		return exit.Usage
	case held != nil:
		return exit.Uncommitted
	}
	return code
}

// unsimulated is why no data of a fit are simulated, or nil.
func unsimulated(c *plan.Case, fromPrior bool) error {
	switch {
	case c.Simulator != nil && !fromPrior:
		return words.Hint(fmt.Errorf("mixtures, latent classes, discrete systems and models with missing cells are "+
			"simulated from the prior, and model %q is one", c.Model), "leave --posterior out")
	case c.Design == nil:
		return nil
	case !c.Posterior.Family.HasDraw():
		return words.Hint(fmt.Errorf("model %q has a custom family without draw, and check simulates responses", c.Model),
			"write draw: an expression such as normal(mu, sigma)")
	}
	if text := improper(c); text != "" && fromPrior {
		return errors.New(text)
	}
	return nil
}

// fit calibrates one fit.
func (k *checker) fit(ctx context.Context, c *plan.Case) *Result {
	r := &Result{Dataset: c.Dataset, Key: c.Group, Model: c.Model, Sampler: c.Sampler, Method: c.Method.Name, name: c.Name}
	fail := func(err error) *Result {
		if ctx.Err() == nil {
			r.Verdict, r.Words = judge.ErrorGrade, []string{err.Error()}
		}
		return r
	}
	switch {
	case c.Simulator != nil:
	case c.Err != nil:
		return fail(c.Err)
	case c.Factored:
		r.refused = true
		return fail(words.Hint(errors.New("responses are simulated row by row, and rows: factored keeps no row"),
			"check the model on a part of the rows: sql: … USING SAMPLE 1000, without rows: factored"))
	}
	fromPrior := k.Given == Prior //name:ok what simulations are made around
	if err := unsimulated(c, fromPrior); err != nil {
		r.refused = true
		return fail(err)
	}
	s, err := newSimulator(c, k.Pipeline.Seed, k.Given, rankDraws, k.tamper)
	if err != nil {
		r.refused = c.Simulator != nil
		return fail(err)
	}
	if s.afterData() {
		if err := s.condition(ctx, k.Simulations); err != nil {
			return fail(err)
		}
	}
	r.Calibration = k.identity(s)
	record := k.record(s, r.Calibration)
	if record.Simulations, err = k.ledger.Simulations(ctx, r.Calibration, record.Parameters); err != nil {
		return fail(err)
	}
	if err := k.simulateAll(ctx, s, record); err != nil {
		return fail(err)
	}
	r.Simulations = len(record.Simulations)
	if len(record.Simulations) < k.Simulations {
		return r // interrupted
	}
	judgeRanks(record)
	if k.held = k.commit(ctx, record); k.held != nil {
		k.say("%s: %v", c.Name, k.held)
	}
	r.Verdict, r.Words, r.Tests = record.Verdict, record.Words, record.Tests
	for _, sim := range record.Simulations {
		if sim.Outcome == report.Ranked {
			r.Ranked++
		}
	}
	return r
}

// identity names a calibration by what decides its ranks. With the posterior
// the truths also depend on how many there are.
func (k *checker) identity(s *simulator) string {
	n := 0
	if s.afterData() {
		n = k.Simulations
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%d\n%d\n%d\n%s", version, s.Identity, s.given, s.seed, s.draws,
		n, infer.Version))
	return hex.EncodeToString(sum[:])
}

// record is the calibration before its first simulation.
func (k *checker) record(s *simulator, id string) *report.Calibration {
	return &report.Calibration{
		Key: s.Key, ID: id, Pipeline: k.Pipeline.Name, Method: s.Method.Name, Given: s.given, Seed: s.seed,
		Wanted: k.Simulations, Draws: s.draws, FalseAlarms: FalseAlarms, Program: k.Build, Parameters: s.parameters(),
	}
}

// simulateAll adds the simulations that record lacks, on all workers, and commits them a chunk at a time.
// Simulations that finished before ctx ended are committed too.
func (k *checker) simulateAll(ctx context.Context, s *simulator, record *report.Calibration) error {
	have := map[int]bool{}
	record.Simulations = slices.DeleteFunc(record.Simulations,
		func(sim report.Simulation) bool { return sim.Index >= k.Simulations })
	for _, sim := range record.Simulations {
		have[sim.Index] = true
	}
	var todo []int
	for i := range k.Simulations {
		if !have[i] {
			todo = append(todo, i)
		}
	}
	if n := len(have); n > 0 {
		k.say("%s: %d of %d simulations are in the ledger already", s.Name, n, k.Simulations)
	}
	began, done := k.Now(), 0
	for size := min(k.Workers, chunk); len(todo) > 0 && ctx.Err() == nil; size = chunk {
		part := todo[:min(size, len(todo))]
		todo = todo[len(part):]
		record.Simulations = append(record.Simulations, k.some(ctx, s, part)...)
		if done += len(part); done == len(part) && len(todo) > 0 {
			left := k.Now().Sub(began) * time.Duration(len(todo)) / time.Duration(done)
			k.say("%s: %d simulations, about %s", s.Name, len(todo)+done, left.Round(time.Second))
		}
		if len(todo) > 0 || ctx.Err() != nil {
			k.held = k.commit(ctx, record)
		}
	}
	return ctx.Err()
}

// some makes simulations side by side; those that ctx stopped are left out.
func (k *checker) some(ctx context.Context, s *simulator, indexes []int) []report.Simulation {
	out := make([]report.Simulation, len(indexes))
	var g errgroup.Group
	g.SetLimit(k.Workers)
	for at, i := range indexes {
		g.Go(func() error {
			out[at] = k.one(ctx, s, i)
			return nil
		})
	}
	_ = g.Wait() // always nil: what went wrong is an outcome
	return slices.DeleteFunc(out, func(sim report.Simulation) bool { return sim.Outcome == "" })
}

// one makes a simulation; a panic in it is its outcome.
func (k *checker) one(ctx context.Context, s *simulator, i int) (out report.Simulation) {
	defer func() {
		if v := recover(); v != nil {
			out = report.Simulation{Index: i, Outcome: "error", Note: fmt.Sprintf("this program has a fault: %v", v)}
		}
	}()
	if ctx.Err() != nil {
		return report.Simulation{}
	}
	out = s.simulate(ctx, i)
	if out.Outcome == "error" && ctx.Err() != nil {
		return report.Simulation{}
	}
	return out
}

// commit writes the record; a ledger that stays held is no reason to stop.
func (k *checker) commit(ctx context.Context, record *report.Calibration) error {
	record.Updated = k.Now()
	slices.SortFunc(record.Simulations, func(a, b report.Simulation) int { return a.Index - b.Index })
	return k.ledger.Write(context.WithoutCancel(ctx), func(s *report.Session) error {
		return s.Calibration(context.WithoutCancel(ctx), record)
	})
}

func (k *checker) say(format string, a ...any) {
	if k.Say != nil {
		k.Say(fmt.Sprintf(format, a...))
	}
}

// improper names the priors that cannot be drawn from, and what to write
// instead; empty if all are proper.
func improper(c *plan.Case) string {
	flat := groups.ImproperPriors(c.Data, &c.Posterior)
	if flat == nil {
		return ""
	}
	hint := "give them a proper prior such as normal(0, 2.5)"
	if last := flat[len(flat)-1]; !slices.Contains(c.Data.Names, last) {
		hint = "give them proper priors, such as normal(0, 2.5) for coefficients and half_cauchy(5) for " + last
	}
	if more := len(flat) - 5; more > 0 {
		flat = append(flat[:5], fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("the prior of %s is flat, and nothing can be drawn from it", strings.Join(flat, ", ")) +
		words.HintLine(hint+", or calibrate around the data with --posterior")
}
