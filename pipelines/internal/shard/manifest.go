package shard

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
)

// Manifest holds the names of the planned fits of each shard.
type Manifest struct {
	run   string
	fits  [][]*plan.Fit
	shard map[name]int
}

// name identifies a fit of a plan.
type name struct {
	report.Key
	replicate int // 0 and 1 are the fit itself
}

func nameOf(f *plan.Fit) name { return name{f.Key(), max(f.Replicate, 1)} }

func keyOf(r *outcome.Result) report.Key {
	return report.Key{Dataset: r.Dataset, Group: r.Key, Model: r.Model, Sampler: r.Sampler}
}

// Manifest returns the planned fits of a spec. It returns an error if their number is not that of the plan.
func (p *Plan) Manifest(spec *spec.Pipeline, only plan.Selector) (*Manifest, error) {
	division, err := p.Division()
	if err != nil {
		return nil, err
	}
	m := &Manifest{p.Run, make([][]*plan.Fit, p.Shards()), map[name]int{}}
	for _, f := range plan.NewManifest(p.Entries).Fits(spec, plan.Choice{Selector: only}) {
		i := division.Of(f.Unit.Dataset.Name, f.Unit.Key, f.Model.Name)
		m.fits[i], m.shard[nameOf(f)] = append(m.fits[i], f), i
	}
	for i, fits := range m.fits {
		if len(fits) != p.Fits[i] {
			return nil, fmt.Errorf("the plan is damaged: its manifest has %d fits of shard %d, and %d were planned",
				len(fits), i, p.Fits[i])
		}
	}
	return m, nil
}

// outcome compares the fits that the run of a shard reported with the planned ones.
func (m *Manifest) outcome(i int, out *outcome.Outcome) error {
	if out.RunID != m.run {
		return m.foreign(out.RunID)
	}
	reported := map[name]bool{}
	for _, f := range out.Fits {
		n := name{keyOf(f), max(f.Replicate, 1)}
		if err := m.planned(i, n, f.Name()); err != nil {
			return err
		}
		if reported[n] {
			return fmt.Errorf("holds %s twice", f.Name())
		}
		reported[n] = true
	}
	var lost []string
	for _, f := range m.fits[i] {
		if !reported[nameOf(f)] {
			lost = append(lost, f.Name())
		}
	}
	return lacks(lost)
}

// fragment compares the names that the fragment of a shard stores with those that its run reported, which are the
// planned ones. A name may stand for several fits, its replicates.
func (m *Manifest) fragment(i int, out *outcome.Outcome, c report.Contents) error {
	if c.Run != m.run {
		return m.foreign(c.Run)
	}
	stored := map[report.Key]report.Content{}
	for _, f := range c.Fits {
		stored[f.Key] = f
		text := plan.FitName(f.Dataset, f.Group, f.Model, f.Sampler, 1)
		if err := m.planned(i, name{f.Key, 1}, text); err != nil {
			return err
		}
	}
	fits, erred := map[report.Key]int{}, map[report.Key]int{} // that the run reported
	for _, f := range out.Fits {
		if f.Action == outcome.Errored {
			erred[keyOf(f)]++
		} else {
			fits[keyOf(f)]++
		}
	}
	var lost []string
	for _, f := range m.fits[i] {
		if k := f.Key(); f.Replicate <= 1 && (stored[k].Fits < fits[k] || stored[k].Erred < erred[k]) {
			lost = append(lost, f.Name())
		}
	}
	return lacks(lost)
}

// planned returns an error if a fit is not planned for a shard.
func (m *Manifest) planned(i int, n name, text string) error {
	switch of, planned := m.shard[n]; {
	case !planned:
		return fmt.Errorf("holds %s, which is not planned", text)
	case of != i:
		return fmt.Errorf("holds %s, which is planned for shard %d: it is the fragment of another shard", text, of)
	}
	return nil
}

// foreign is the error of a fragment that another run has left.
func (m *Manifest) foreign(run string) error {
	return fmt.Errorf("is a fragment of run %s, and this plan is of run %s", run, m.run)
}

// maxNamed is the number of missing fits that an error names.
const maxNamed = 20

// lacks is an error that names missing fits; nil if there are none.
func lacks(names []string) error {
	if len(names) == 0 {
		return nil
	}
	text := fmt.Sprintf("lacks %d planned fits: ", len(names))
	if len(names) == 1 {
		text = "lacks a planned fit: "
	}
	text += strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return errors.New(text)
}

// incomplete is the error of a fragment of which planned fits had no data; nil if all had.
func incomplete(out *outcome.Outcome) error {
	if len(out.Missing) == 0 {
		return nil
	}
	named := slices.Clone(out.Missing[:min(len(out.Missing), maxNamed)])
	if more := len(out.Missing) - maxNamed; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("has planned fits without their data: %s", strings.Join(named, "; "))
}
