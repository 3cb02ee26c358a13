package pipelines

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"glmbatch/infer"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/exchange"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predict"
	"glmbatch/pipelines/internal/run"
	"glmbatch/report"
)

// Layout is how Export writes draws.
type Layout = exchange.Layout

// Layouts are the names of the layouts.
func Layouts() []string { return exchange.Layouts }

// Exported lists the files that Export wrote of one fit.
type Exported struct {
	Fit   string   `json:"fit"`
	Files []string `json:"files,omitempty"`
	Why   string   `json:"why,omitempty"`  // why there are no files
	Note  string   `json:"note,omitempty"` // why they lack the observations that were asked for
}

// ExportOptions says what Export writes.
type ExportOptions struct {
	Overrides
	Pipeline string   // without a target the pipeline whose fits are meant; empty: any
	Only     []string // terms FIELD=PATTERN that narrow the fits; none: all
	Layout   Layout
	Dir      string // the folder for the files
}

// Export writes the draws of the newest fits to files. target is the spec or built-in pipeline that names the
// ledger; it may be empty if Overrides.Database names that. In the layout netcdf the spec's data are read too, once
// a fit, and the files have observations. Fits that kept no draws are listed, and are an error if there are no
// others. The error is a *UsageError where the call or the ledger's name is wrong. Memory: a chain; of observations
// that of predictions.
func Export(ctx context.Context, target string, o ExportOptions) ([]Exported, error) {
	config, err := (&PredictOptions{Overrides: o.Overrides, Pipeline: o.Pipeline, Only: o.Only}).config(target)
	if err != nil {
		return nil, err
	}
	ledger, found, err := newest(ctx, config.Database, config.Name(), o.Only)
	if err != nil {
		return nil, err
	}
	lost, err := ledger.LostDraws(ctx)
	if err != nil {
		return nil, err
	}
	var out []Exported
	written := false
	for _, f := range found {
		e := Exported{Fit: f.Key.String(), Why: lost[f.ID]}
		if e.Why != "" {
			out = append(out, e)
			continue
		}
		if !f.Kept {
			e.Why = "it kept no draws: write run: {keep: draws} and run it again"
			out = append(out, e)
			continue
		}
		draws, done := drawsOf(ctx, ledger, f), func() {}
		if target != "" && o.Layout == exchange.NetCDF {
			e.Note, done = observe(ctx, config, ledger, f, draws)
		}
		e.Files, err = exchange.Write(o.Layout, o.Dir, parts(f.Key), draws)
		done()
		if err != nil {
			return out, fmt.Errorf("fit %s: %w", e.Fit, err)
		}
		written, out = true, append(out, e)
	}
	if !written {
		return out, &UsageError{fmt.Errorf("fit %s: %s", out[0].Fit, out[0].Why)}
	}
	return out, nil
}

// observe gives draws their observations, until done is called, or says why there are none.
func observe(ctx context.Context, c predict.Config, l *report.Ledger, f report.Fitted, d *exchange.Draws) (why string,
	done func()) {
	rows, err := c.RowsOf(ctx, l, f)
	if err != nil {
		return err.Error(), func() {}
	}
	d.Observations = &exchange.Observations{Places: rows.Places, Y: rows.Y, Trials: rows.Trials,
		Each: func(use func(first, rows int, logLik, responses []float64) error) error { return rows.Each(ctx, use) }}
	return "", rows.Close
}

// parts are those of a fit's name that are not empty.
func parts(k report.Key) []string {
	return slices.DeleteFunc([]string{k.Dataset, k.Group, k.Model, k.Sampler}, func(s string) bool { return s == "" })
}

// newest returns the newest fits of a pipeline (empty: any) that only selects; it is an error if there are none.
func newest(ctx context.Context, database, pipeline string, only []string) (*report.Ledger, []report.Fitted, error) {
	selector, err := plan.ParseSelector(only)
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	ledger, err := report.Open(database, report.Options{Later: true})
	if err != nil {
		return nil, nil, asUsage(err)
	}
	found, err := ledger.Newest(ctx, pipeline,
		func(k report.Key) bool { return selector.Matches(k.Dataset, k.Group, k.Model, k.Sampler) })
	if err == nil && len(found) == 0 {
		err = predict.NoFit(ctx, ledger, pipeline, selector)
	}
	return ledger, found, asUsage(err)
}

// asUsage marks an error that the caller must fix.
func asUsage(err error) error {
	var use *exchange.UseError
	var file *exchange.FileError
	if err != nil && (isCallers(err) || errors.As(err, &use) || errors.As(err, &file)) {
		return &UsageError{err}
	}
	return err
}

// drawsOf opens the draws of a fit.
func drawsOf(ctx context.Context, ledger *report.Ledger, f report.Fitted) *exchange.Draws {
	return &exchange.Draws{
		Title: f.Key.String(), Method: f.Method, Parameters: f.Names, Chains: f.Chains, Count: f.Draws, Warmup: f.Warmup,
		WarmupSeconds: f.WarmupSeconds, SamplingSeconds: f.SamplingSeconds,
		Facts: factsOf(f),
		Chain: func(chain int, dst []float64) error { return ledger.ChainDraws(ctx, f.Stored, chain, dst) },
		Stats: func(chain int) ([]infer.Info, error) { return ledger.ChainStats(ctx, f.Stored, chain) },
	}
}

// factsOf are the attributes of ArviZ's schema, and those that distinguish many files.
func factsOf(f report.Fitted) []exchange.Fact {
	library, version := "glmbatch", f.Program
	if f.Method == exchange.Method {
		library, version = f.Sampler, "" // only the name is known
	}
	facts := []exchange.Fact{{Name: "sampling_time", Value: f.SamplingSeconds},
		{Name: "tuning_steps", Value: int64(f.Warmup)}, {Name: "fit_id", Value: f.ID}}
	for _, t := range [][2]string{
		{"created_at", f.Created.UTC().Format(time.RFC3339)}, {"creation_library", "glmbatch"},
		{"creation_library_version", Version().Version},
		{"inference_library", library}, {"inference_library_version", version}, {"fit", f.Key.String()},
		{"dataset", f.Dataset}, {"key", f.Group}, {"model", f.Model}, {"sampler", f.Sampler}, {"method", f.Method},
		{"formula", f.Formula}, {"family", f.Family}, {"link", f.Link}, {"seed", f.Seed}, {"run", f.RunID},
		{"verdict", string(f.Grade)}, {"fingerprint", f.Fingerprint},
	} {
		if t[1] != "" {
			facts = append(facts, exchange.Fact{Name: t[0], Value: t[1]})
		}
	}
	return facts
}

// ImportOptions says what imported draws are.
type ImportOptions struct {
	Pipeline string            // that the fit belongs to; empty: any
	Only     []string          // terms FIELD=PATTERN that name a fit of the same posterior
	Sampler  string            // what the fit is called; empty: the program that made the draws
	Rename   map[string]string // column → parameter
}

// Imported is a fit that Import stored.
type Imported struct {
	Fit     string   `json:"fit"`
	Chains  int      `json:"chains"`
	Draws   int      `json:"draws"` // per chain
	Verdict string   `json:"verdict"`
	Reasons []string `json:"reasons,omitempty"`
	Left    []string `json:"left,omitempty"` // columns that do not hold parameters
}

// Import stores draws that another program made of a posterior of which the ledger has a fit, as a further fit that
// can be compared with it. The error is a *UsageError where call, files or names are wrong; nothing is stored then.
func Import(ctx context.Context, database string, files []string, o ImportOptions) (*Imported, error) {
	ledger, found, err := newest(ctx, database, o.Pipeline, o.Only)
	if err != nil {
		return nil, err
	}
	peer, err := onePosterior(found)
	if err != nil {
		return nil, &UsageError{err}
	}
	draws, err := exchange.Read(ctx, files)
	if err != nil {
		return nil, asUsage(err)
	}
	if o.Sampler == "" {
		o.Sampler = draws.Program
	}
	for _, f := range found {
		if f.Sampler == o.Sampler && f.Method != exchange.Method {
			return nil, &UsageError{words.Hint(fmt.Errorf("the ledger has a fit %s that the pipeline draws itself", f.Key),
				"call the imported one otherwise with --sampler NAME")}
		}
	}
	shared, err := ledger.PosteriorOf(ctx, peer.Stored)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	load := exchange.Load{Sampler: o.Sampler, Rename: o.Rename, RunID: run.RunID(now), At: now}
	fit, left, err := load.Fit(draws, peer, shared)
	if err != nil {
		return nil, asUsage(err)
	}
	err = ledger.Write(ctx, func(s *report.Session) error {
		row := &report.Run{ID: load.RunID, Pipeline: exchange.Method, Started: now, Finished: now,
			Program: Version().String()}
		if err := s.Run(ctx, row); err != nil {
			return err
		}
		_, err := s.Fit(ctx, fit)
		return err
	})
	return &Imported{Fit: fit.Key.String(), Chains: fit.Chains, Draws: fit.Draws, Verdict: string(fit.Verdict.Grade),
		Reasons: fit.Verdict.Reasons, Left: left}, err
}

// onePosterior returns a fit that a pipeline drew, if all found are of one posterior.
func onePosterior(found []report.Fitted) (report.Fitted, error) {
	var peer *report.Fitted
	for i, f := range found {
		if f.Method == exchange.Method {
			continue
		}
		if peer != nil && (peer.Dataset != f.Dataset || peer.Group != f.Group || peer.Model != f.Model) {
			return f, &predict.CallError{
				Err: words.Hint(fmt.Errorf("draws are of one posterior, and several are named: %s, %s", peer.Key, f.Key),
					"narrow them by --only dataset=…, --only model=…"),
			}
		}
		peer = &found[i]
	}
	if peer == nil {
		return report.Fitted{}, &predict.CallError{
			Err: words.Hint(errors.New("the ledger has no fit of that posterior that a pipeline drew"),
				"run it first: the draws are compared with it"),
		}
	}
	return *peer, nil
}
