package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"glmbatch/pipelines/internal/spec"
)

// Kind is a kind of model: what is asked of it before its data are coded. A kind is one value in one file.
type Kind struct {
	// of reports whether a model of a unit is of the kind, if it is of none before it in kinds.
	of func(u *Unit, m *spec.Model) bool
	// problem codes the data of a fit. Its error is that of the data, the model or the sampler.
	problem func(*Fit) (Problem, error)
	// method is the name of the method that a sampler has for a model; empty if only the data determine it.
	method func(s *spec.Sampler, m *spec.Model) string
	// survey adds what is known of a model from the data of a unit.
	survey func(s *Survey, p *spec.Pipeline, u *Unit, m *spec.Model)
	// Words are the lines of a model.
	Words func(m *spec.Model) string
	// Size is the format of the numbers of rows and columns in Facts.
	Size string
}

// kinds are all kinds. A fit is of the first one that it fits.
var kinds = []*Kind{
	&kindJoined, &kindSeveral, &kindPooled, &kindDiscrete, &kindClasses, &kindMixture, &kindImputed, &kindRegression,
}

// Kind is the kind of the fit.
func (f *Fit) Kind() *Kind { return KindOf(f.Unit, f.Model) }

// KindOf is the kind of a model on a unit.
func KindOf(u *Unit, m *spec.Model) *Kind {
	return kinds[slices.IndexFunc(kinds, func(k *Kind) bool { return k.of(u, m) })]
}

// refused returns an error if a kind of the fit lacks what the fit or its run has.
func (f *Fit) refused() error {
	asked := &spec.Asked{Dataset: f.Unit.Dataset, Model: f.Model, Sampler: f.Sampler, Run: &f.Pipeline.Run,
		Sensitivity: f.Gates.PriorSensitivity.Strict().On}
	return asked.Refused()
}

// rowsSize is Size of kinds with a design.
const rowsSize = "%d rows, %d coefficients"

// surveyRows lists the default priors of a model with a design.
func surveyRows(s *Survey, _ *spec.Pipeline, u *Unit, m *spec.Model) {
	if m.HasDefaults() {
		s.Defaults = append(s.Defaults, defaultsWords(u, m))
	}
}

// methodOfData is a method that only data determine.
func methodOfData(*spec.Sampler, *spec.Model) string { return "" }

// regressionMethod is the method of a regression. If the sampler is not for the model, the fit has the error.
func regressionMethod(s *spec.Sampler, m *spec.Model) string { return resolve(s, m).Name }

// byDefault stands for a prior that is left out.
const byDefault = "by default"

// rowsWords are the lines of a model of rows.
func rowsWords(m *spec.Model) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s: %s, %s, standardize %s\n    prior of coefficients %s; of the intercept %s at %s",
		m.Title(), m.Formula, m.Family, m.Standardize, cmp.Or(m.Prior.Coefficients.Prior.String(), byDefault),
		cmp.Or(m.Prior.Intercept.Prior.Prior.String(), byDefault), m.Prior.Intercept.At)
	for _, n := range m.Prior.ByName {
		fmt.Fprintf(&b, "; of %s %s", n.Pattern, n)
	}
	for _, d := range m.Family.Dispersions() {
		if !m.Family.Predicts(d.Name) {
			fmt.Fprintf(&b, "; of %s %s", d.Name, cmp.Or(m.Prior.Dispersion(d.Name).String(), byDefault))
		}
	}
	if m.Grouped() {
		fmt.Fprintf(&b, "; of sds of group-level effects %s, of their correlations %s",
			cmp.Or(m.Prior.SD.String(), byDefault), cmp.Or(m.Prior.Cor.String(), "lkj(1)"))
	}
	if m.Smooths() {
		fmt.Fprintf(&b, "; of sds of smooths %s", cmp.Or(m.Prior.SDS.String(), byDefault))
	}
	if m.Processes() {
		fmt.Fprintf(&b, ", of lengths of Gaussian processes %s", cmp.Or(m.Prior.LScale.String(), byDefault))
	}
	b.WriteString("\n")
	return b.String()
}
