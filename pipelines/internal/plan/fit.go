package plan

import (
	"fmt"
	"strconv"
	"time"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// Fit is one fit that a spec asks for: a unit of data, a model and a sampler.
type Fit struct {
	Pipeline *spec.Pipeline // of lengths, chains, seed, and what is kept
	Unit     *Unit
	Model    *spec.Model
	Sampler  *spec.Sampler
	Gates    judge.Gates
	Timeout  time.Duration // 0 for none
	Age      time.Duration // of draws that are found unchanged, at most; 0 for any
	// Replicate is 1 for the fit itself, 2, 3, … for its repetitions.
	Replicate int
}

// Fits lists the fits of a unit that are chosen, in the order of the spec, each with its replicates.
func Fits(p *spec.Pipeline, c Choice, u *Unit) []*Fit {
	var out []*Fit
	for _, ref := range p.Fits() {
		if ref.Dataset != u.Dataset || !c.fit(u.Dataset.Name, u.Key, ref.Model.Name, ref.Sampler.Name) {
			continue
		}
		if !c.Share.has(u.Dataset.Name, u.Key, ref.Model.Name) {
			continue
		}
		for k := range max(p.Run.Replicates, 1) {
			out = append(out, &Fit{Pipeline: p, Unit: u, Model: ref.Model, Sampler: ref.Sampler, Gates: ref.Gates.Judge(),
				Timeout: ref.Timeout, Age: time.Duration(ref.Gates.Age), Replicate: k + 1})
		}
	}
	return out
}

// Name is how people read of the fit.
func (f *Fit) Name() string {
	return FitName(f.Unit.Dataset.Name, f.Unit.Key, f.Model.Name, f.Sampler.Name, f.Replicate)
}

// FitName is how people read of the fit with these names.
func FitName(dataset, key, model, sampler string, replicate int) string {
	name := UnitName(dataset, key) + " × " + model + " × " + sampler
	if replicate > 1 {
		name += " #" + strconv.Itoa(replicate)
	}
	return words.Visible(name)
}

// Key is the fit's name in a ledger.
func (f *Fit) Key() record.Key {
	return record.Key{Dataset: f.Unit.Dataset.Name, Group: f.Unit.Key, Model: f.Model.Name, Sampler: f.Sampler.Name}
}

// Stream is the path of the fit's random streams.
func (f *Fit) Stream() []string {
	path := []string{f.Unit.Dataset.Name, f.Unit.Key, f.Model.Name, f.Sampler.Name}
	if f.Replicate > 1 {
		path = append(path, "replicate", strconv.Itoa(f.Replicate))
	}
	return path
}

// Keep is the part of the fit that the ledger keeps: the spec's choice, summaries of replicates.
func (f *Fit) Keep() string {
	if f.Replicate > 1 {
		return KeepSummary
	}
	return f.Pipeline.Run.Keep.All
}

// The parts of a fit that a ledger keeps, unless it keeps every draw.
const (
	KeepSummary = "summary" // no draws
	KeepScales  = "scales"  // every draw, those of local scales too
)

// Explain names the data set and the model in an error of the numeric core.
func (f *Fit) Explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("dataset %q, model %q: %w", f.Unit.Name(), f.Model.Name, err)
}
