package plan

import (
	"fmt"

	"glmbatch/discrete/system"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// sizeWords is the line of one unit and model.
func sizeWords(p *spec.Pipeline, u *Unit, m *spec.Model) string {
	head := fmt.Sprintf("%s × %s", u.Name(), m.Name)
	err := u.Err
	var f *system.Field
	if err == nil {
		f, err = u.field(m)
	}
	if err != nil {
		return head + ": not known: " + words.Line(err)
	}
	line := fmt.Sprintf("%s: %s: %d variables of %d states, %d edges; the model takes %s",
		head, f.Words, f.N, f.States, f.Edges, spec.Bytes(f.Model.Bytes()))
	for _, ref := range p.Fits() {
		if ref.Dataset != u.Dataset || ref.Model != m {
			continue
		}
		method, err := resolveDiscrete(ref.Sampler, f)
		if err == nil && method.Chains {
			fit := &Fit{Pipeline: p, Unit: u, Model: m, Sampler: ref.Sampler}
			line += "; " + chainWords(&Discrete{fit: fit, field: f, method: method})
		}
	}
	return line
}

// chainWords words the memory of a chain.
func chainWords(d *Discrete) string {
	run := &d.fit.Pipeline.Run
	schedule := d.Lengths(NewSchedule(run), run)
	setup, _, err := d.chains(schedule)
	if err == nil && d.method.Certifies {
		err = endsInWarmup(d.fit.Sampler, schedule.Warmup())
	}
	if err != nil {
		return d.fit.Sampler.Name + " will be refused: " + err.Error()
	}
	return fmt.Sprintf("each of %d chains of %s %s", run.Chains, d.fit.Sampler.Name, spec.Bytes(setup.ChainBytes()))
}
