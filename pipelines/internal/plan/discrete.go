package plan

import (
	"errors"
	"fmt"
	"strings"

	"glmbatch/discrete/system"
	"glmbatch/infer"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Discrete is a Markov random field on the variables of a unit: a model of kind mrf.
type Discrete struct {
	fit    *Fit
	field  *system.Field
	method *discreteMethod
}

// kindDiscrete is that of discrete systems.
var kindDiscrete = Kind{
	of:      func(_ *Unit, m *spec.Model) bool { return m.Discrete() },
	problem: func(f *Fit) (Problem, error) { return newDiscrete(f) },
	method:  methodOfData,
	survey: func(s *Survey, p *spec.Pipeline, u *Unit, m *spec.Model) {
		s.Sizes = append(s.Sizes, sizeWords(p, u, m))
	},
	Words: discreteModel, Size: "%d variables, %d edges",
}

// newDiscrete makes the field, on which the meaning of method auto depends.
func newDiscrete(f *Fit) (*Discrete, error) {
	field, err := f.Unit.field(f.Model)
	if err != nil {
		return nil, err
	}
	m, err := resolveDiscrete(f.Sampler, field)
	if err != nil {
		return nil, err
	}
	return &Discrete{fit: f, field: field, method: m}, nil
}

// Method is the resolved sampler.
func (d *Discrete) Method() *Method { return &d.method.Method }

// Capabilities are those of states, which have no rows.
func (d *Discrete) Capabilities() Capabilities { return Capabilities{Solve: d.solve} }

func (d *Discrete) inCase(c *Case) error {
	c.simulates(func() (infer.Setup, error) {
		switch {
		case !d.method.gated:
			return nil, words.Hint(errors.New(d.method.why), "check method: gibbs")
		case len(d.fit.Sampler.Scan.For) > 0:
			return nil, words.Hint(errors.New("a scan for some variables leaves others where they start"),
				"its certificate bounds its error; check a scan of all variables")
		}
		setup, _, err := d.chains(Schedule{fixedDraws: 1})
		if err != nil {
			return nil, err
		}
		return setup.Simulated(), nil
	})
	return words.Hint(fmt.Errorf("model %q is of kind mrf, and this verb is for generalised linear models",
		d.fit.Model.Name), "choose fits with --only model=…; pipeline validate says what fits of kind mrf take")
}

// Facts name the interaction and count variables and edges.
func (d *Discrete) Facts() Facts {
	return Facts{
		Family: record.DiscreteFamily, Link: d.field.Interaction, Formula: d.field.Words, Rows: d.field.N,
		Columns:  d.field.Edges,
		DataHash: d.field.Hash, Warnings: d.fit.Unit.discrete.Warnings, Notes: d.fit.Unit.notes(),
	}
}

// Lengths is the schedule of the method: what no gate looks at does not grow.
func (d *Discrete) Lengths(s Schedule, run *spec.Run) Schedule {
	switch {
	case !d.method.Chains:
		return Schedule{}
	case d.method.gated:
		return s
	}
	return s.ungated(run.WarmupGiven)
}

// Need counts the model and its making, chains with their states saved, and what is collected.
func (d *Discrete) Need(chains, _ int) Need {
	n := int64(d.field.N) * int64(d.field.States)
	bytes := 2*int64(d.field.Model.Bytes()) + 40*n
	if d.method.Chains {
		bytes += int64(chains) * 2 * (3*int64(d.field.N) + 18*n)
	}
	return Need{Bytes: bytes, What: d.field.Words + ": it needs", Remedy: "take fewer variables or chains"}
}

// Identify adds the hash of the field and the model.
func (d *Discrete) Identify(id *Identity) {
	id.Data, id.Model = d.field.Hash, identifyMRF(d.fit.Model)
}

// ToData does nothing: functionals of states have no other units.
func (d *Discrete) ToData([]float64) {}

// Gating passes over what never moves.
func (d *Discrete) Gating() Gating {
	g := Gating{Constants: true, Focused: len(d.fit.Sampler.Scan.For) > 0, NoPrior: true}
	if !d.method.gated {
		g.Off = d.method.why
	}
	return g
}

// Setup makes the sampler, and what counts its states.
func (d *Discrete) Setup(_ infer.Parallel, s Schedule, _ *Previous) (*Setup, error) {
	if d.method.Certifies {
		if err := endsInWarmup(d.fit.Sampler, s.Warmup()); err != nil {
			return nil, err
		}
	}
	setup, chains, err := d.chains(s)
	if err != nil {
		return nil, d.fit.Explain(err)
	}
	out := &Setup{Sampler: setup, Cautions: chains.warnings, Gating: d.Gating()}
	out.Gating.Focused = chains.focus != nil
	out.Collect = func(kernels []infer.Kernel, w Window) Collected {
		r := setup.Collect(kernels, w.From, w.To, d.method.sampled, d.method.gated)
		r.Certificates = append(r.Certificates, chains.certificates...)
		return &found{Result: r, problem: d, chainBytes: setup.ChainBytes()}
	}
	return out, nil
}

// chains is the sampler with its counts.
func (d *Discrete) chains(s Schedule) (*system.Setup, *discreteSampler, error) {
	chains, err := d.method.setup(d.field, s.most())
	if err != nil {
		return nil, nil, err
	}
	counts := system.NewPlan(s.Start().From, s.Ends())
	counts.Conditionals = d.fit.Sampler.Marginals == "conditionals"
	if !d.method.gated {
		counts.Batch = 0
	}
	if !d.method.sampled {
		counts.Segments = []int{s.most()} // nothing is counted
	}
	setup, err := d.field.NewSetup(chains.setup, counts, chains.focus)
	if err == nil && d.fit.Sampler.KeepWeights {
		setup.KeepWeights()
	}
	return setup, chains, err
}

// solve finds the answer of a method without chains.
func (d *Discrete) solve() (*Solution, error) {
	r, how, err := d.method.solve(d.field)
	if err != nil {
		return nil, d.fit.Explain(err)
	}
	out := &Solution{Collected: &found{Result: r, problem: d}, Parameters: d.field.Parameters()}
	if how != "" {
		out.Explained = d.method.Name + " by " + how
	}
	if n := len(out.Parameters); r.Means != nil {
		out.Means, out.LogLik = r.Means[:n], &r.Means[n]
	}
	return out, nil
}

// Bind is not for discrete systems, whose specs derive nothing.
func (d *Discrete) Bind(q *spec.Derivation, _ []infer.Parameter) (*transform.Quantity, error) {
	return nil, fmt.Errorf("%s is derived from a model of kind mrf", q.Name)
}

// Description states that there are no rows.
func (d *Discrete) Description([]infer.Parameter) (*record.Description, error) {
	return &record.Description{Version: record.DescriptionVersion, Kind: record.KindDiscrete}, nil
}

// Describe adds nothing: parameters of states have neither priors nor a scale.
func (d *Discrete) Describe(*record.Fit, []infer.Parameter) error { return nil }

// discreteModel is the line of a model of kind mrf.
func discreteModel(m *spec.Model) string {
	words := fmt.Sprintf("  %s: mrf, %d states, %s with coupling %g, or the tables of the data", m.Name, m.States,
		m.Interaction, *m.Coupling)
	if m.Field != "" {
		words += ", field " + string(m.Field)
	}
	if len(m.Fields) > 0 {
		words += ", log potentials " + strings.Join(m.Fields, ", ")
	}
	if m.Noise.SD > 0 {
		words += fmt.Sprintf(", observed with normal noise of sd %g", m.Noise.SD)
	}
	return words + "\n"
}
