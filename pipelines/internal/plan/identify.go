package plan

import (
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Identified is a fit whose data are read and coded and whose draws are decided: a worker needs nothing else.
type Identified struct {
	*Fit
	Problem
	Schedule    Schedule
	Identity    Identity
	Fingerprint string // hash of Identity
	// Start says which earlier posterior the chains start from, and Previous is that posterior. Both are nil of a run
	// that does not ask for one, and Previous where none serves.
	Start    *record.Start
	Previous *Previous
}

// NewProblem codes the data of a fit. Its error is that of the data, the model or the sampler.
func NewProblem(f *Fit) (Problem, error) {
	if f.Unit.Err != nil {
		return nil, f.Unit.Err
	}
	return f.Kind().problem(f)
}

// MethodName is the name of the method of a fit's sampler; empty if it depends on the data.
func MethodName(f *Fit) string { return f.Kind().method(f.Sampler, f.Model) }

// Identify decides the draws of a fit. It refuses a problem that does not do with the memory.
func Identify(f *Fit, p Problem, m Memory) (*Identified, error) {
	run := &f.Pipeline.Run
	if err := m.refuse(p.Need(f.Chains(), m.Workers)); err != nil {
		return nil, f.Explain(err)
	}
	id := &Identified{Fit: f, Problem: p, Schedule: p.Lengths(NewSchedule(run), run)}
	id.identify()
	return id, nil
}

// dotVersion names which columns . and globs take. Earlier programs left out those of offset().
const dotVersion = "2"

// identify makes the identity, and its fingerprint, of what the fit is now.
func (id *Identified) identify() {
	f, m := id.Fit, id.Method()
	out := Identity{
		Dataset: f.Unit.Dataset.Name, Key: f.Unit.Key, Sampler: samplerIdentity{f.Sampler.Name, m.Name, m.Options},
		Length: identifyLength(f.Pipeline.Run), Chains: f.Chains(), Keep: f.Keep(), Seed: f.Pipeline.Seed,
		Start: id.startIdentity(),
		Versions: map[string]string{
			"infer": infer.Version, "transform": strconv.Itoa(transform.Version), "diag": diag.Version, m.Name: m.Version,
		},
	}
	if f.Replicate > 1 {
		out.Replicate = f.Replicate
	}
	if !m.Chains { // nothing is drawn
		out.Length, out.Chains, out.Keep, out.Seed = nil, 0, "", 0
	}
	for _, m := range f.Model.Parts() {
		if formula, err := transform.ParseFormula(m.Formula); err == nil && formula.OffsetTerms() != nil {
			out.Versions["dot"] = dotVersion
		}
	}
	id.Problem.Identify(&out)
	id.Identity, id.Fingerprint = out, out.fingerprint()
}

// ModelHash is equal for the fits of one posterior: the model and its data, whatever samples them.
func (id *Identified) ModelHash() string {
	same := Identity{Data: id.Identity.Data, Model: id.Identity.Model}
	if id.Method().Prior { // not the posterior that other samplers have
		same.Sampler = spec.Prior.Name
	}
	return same.fingerprint()
}
