package plan

import (
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/cggibbs"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// A name of a block is one of a coefficient, or of a term, which means all its columns. Errors name the block and
// the reason.
func TestBlockOf(t *testing.T) {
	names := []string{"(Intercept)", "age", "raceother", "racewhite", "age:raceother", "age:racewhite"}
	record := &transform.Record{Terms: []transform.Term{{Label: "age"}, {Label: "race"}, {Label: "age:race"}}}
	for _, term := range []int{-1, 0, 1, 1, 2, 2} {
		record.Columns = append(record.Columns, transform.Column{Term: term})
	}
	for _, c := range []struct {
		block, taken, want []string
		fault              string
	}{
		{block: []string{"racewhite", "age"}, want: []string{"age", "racewhite"}},
		{block: []string{"race"}, want: []string{"raceother", "racewhite"}},
		{block: []string{"age:race", "(Intercept)"}, want: []string{"(Intercept)", "age:raceother", "age:racewhite"}},
		{block: []string{"age", "rac"}, fault: "block of \"rac\": there is no such coefficient or term\nhint: the coefficients are (Intercept), age"},
		{block: []string{"race", "racewhite"}, fault: `block of "racewhite": racewhite is in a block already`},
		{block: []string{"race"}, taken: []string{"raceother"}, fault: `block of "race": raceother is in a block already`},
		{block: []string{"age"}, fault: `block of "age": it has one coefficient`},
	} {
		taken := map[string]bool{}
		for _, name := range c.taken {
			taken[name] = true
		}
		got, err := blockOf(c.block, record, names, taken)
		if c.fault == "" && (err != nil || !slices.Equal(got, c.want)) {
			t.Errorf("%q means %q, %v; want %q", c.block, got, err, c.want)
		}
		if c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%q: error %v, want %q", c.block, err, c.fault)
		}
	}
}

// Blocks change the fingerprint, by the coefficients that are meant, and so do slow directions by NUTS.
func TestBlocksCount(t *testing.T) {
	identity := func(slow string, blocks ...spec.Names) (string, cggibbs.Options, error) {
		p := parse(t)
		p.Samplers[0].Blocks, p.Samplers[0].Slow = blocks, slow
		ref := p.Fits()[0]
		m := resolve(ref.Sampler, ref.Model)
		f := &Fit{Pipeline: p, Unit: &Unit{Dataset: ref.Dataset}, Model: ref.Model, Sampler: ref.Sampler}
		data := &glm.Data{X: matrix.NewDense(1, 3), Names: []string{"(Intercept)", "x", "x2"}}
		record := &transform.Record{Terms: []transform.Term{{Label: "x"}, {Label: "poly"}},
			Columns: []transform.Column{{Term: -1}, {Term: 0}, {Term: 1}}}
		err := m.block(f, record, data.Names)
		return identified(t, f, &Regression{coded: coded{Design: &transform.Design{Data: data}, dataHash: DataHash{Value: "h"}}, fit: f, sampler: m}).Fingerprint, *m.Gibbs, err
	}
	plain, _, _ := identity("")
	one, o, err := identity("", spec.Names{"x2", "x"})
	if err != nil || len(o.Blocks) != 1 || !slices.Equal(o.Blocks[0], []string{"x", "x2"}) {
		t.Fatalf("blocks %v: %v", o.Blocks, err)
	}
	same, _, _ := identity("", spec.Names{"poly", "x"})
	other, _, _ := identity("", spec.Names{"(Intercept)", "x"})
	on, _, _ := identity("on")
	trajectories, _, _ := identity("nuts")
	if one != same {
		t.Error("a block that is written otherwise has another fingerprint")
	}
	all := []string{plain, one, other, on, trajectories}
	for i, a := range all {
		if slices.Contains(all[:i], a) {
			t.Errorf("fingerprint %d of %q stands twice", i, all)
		}
	}
	_, _, err = identity("", spec.Names{"x", "y"})
	if want := `dataset "d", model "m", sampler "s": block of "y"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}
