package transform

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// Reserve is asked before a design takes memory that the data decide: rows and columns of it, and the entries that are
// stored. Its error is why there is not enough.
type Reserve func(rows, columns int, entries int64) error

// Prepared is a table whose variables are coded, and whose design is not made yet.
type Prepared struct {
	b      *builder
	names  []string // of further predictors
	others []*builder
}

// Prepare does what comes before the memory of a design is taken. Cost: O(rows) for each factor and function.
func Prepare(table arrow.Table, spec Spec) (*Prepared, error) {
	p := &Prepared{names: spec.Formula.Predictors()}
	specs, err := spec.specs(table.Schema())
	if err != nil {
		return nil, err
	}
	for k, own := range specs {
		b := &builder{spec: own, table: table, rows: int(table.NumRows())}
		b.out.Data = new(glm.Data)
		if k == 0 {
			p.b = b
		} else {
			p.others = append(p.others, b)
		}
		if err := b.take(b.settings, b.openColumns, b.dropRows, b.weigh, b.groupings, b.variables); err != nil {
			return p, err
		}
	}
	return p, nil
}

// Size returns rows and columns of the design, and the entries that it stores: those of a sparse one that its
// factors make, since what is not 0 of numbers is not known before.
func (p *Prepared) Size() (rows, columns int, entries int64) {
	rows, columns = p.b.n, len(p.b.plan)
	entries = int64(rows) * int64(columns)
	if sparse, _, err := p.b.begins(columns); err == nil && sparse {
		entries = min(p.b.maxEntries(), entries)
	}
	entries += p.b.effectEntries()
	for _, b := range p.others {
		own := Prepared{b: b}
		_, more, stored := own.Size()
		columns, entries = columns+more, entries+stored
	}
	return rows, columns, entries
}

// Build makes the design. It is called once.
func (p *Prepared) Build() (*Design, error) {
	out, err := p.b.build()
	p.b = nil
	var others []*Design
	for _, b := range p.others {
		if err != nil {
			return nil, err
		}
		var other *Design
		other, err = b.build()
		others = append(others, other)
	}
	if err != nil {
		return nil, err
	}
	out.join(p.names, others)
	return out, nil
}

// build makes the design of one predictor.
func (b *builder) build() (*Design, error) {
	err := b.take(b.response, b.offsets, b.standardErrors, b.effects, b.checkGroupings, b.readBesideTerms, b.design,
		b.measure, b.repeated, b.separated, b.scale, b.dependent, b.describe)
	if err != nil {
		return nil, err
	}
	return &b.out, nil
}

// take takes steps up to the first error.
func (b *builder) take(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// room asks for the memory of a design of columns columns and entries entries.
func (b *builder) reserve(columns int, entries int64) error {
	if b.spec.Reserve == nil {
		return nil
	}
	err := b.spec.Reserve(b.n, columns, entries+b.effectEntries())
	if err == nil {
		return nil
	}
	message, hint := words.Parts(err)
	if most := b.maxEntries(); 2*most < entries && b.spec.Reserve(b.n, columns, most+b.effectEntries()) == nil {
		hint = "write sparse: true, which stores what is not 0 alone and wants standardize: none or max_abs, and " +
			"intercept: {prior: …, at: zero}; or " + hint
	}
	if b.effectEntries() > entries {
		k := b.heaviest()
		return b.columnError(b.groupColumn(k), fmt.Errorf("group-level effects of %d levels of %s: %s",
			len(b.groups[k].levels), b.record.Groupings[k].Name, message), hint)
	}
	name, levels, made := b.widest()
	if name == "" {
		return b.tableError(message, hint)
	}
	return b.columnError(name, fmt.Errorf("its %d levels make %d of the %d columns of the design: %s", levels, made,
		columns, message), hint)
}

// widest names the factor of the term with the most columns, if one makes more than half of the design.
func (b *builder) widest() (name string, levels, made int) {
	columns := 0
	for k := range b.record.Terms {
		t := &b.record.Terms[k]
		width := b.width(t)
		if columns += width; width <= made {
			continue
		}
		made, name, levels = width, "", 0
		for _, v := range t.Variables {
			if n := len(b.record.Variables[v].Levels); n > levels {
				name, levels = b.coded[v].variable.columns[0], n
			}
		}
	}
	if 2*made < columns {
		name = ""
	}
	return name, levels, made
}

// width is the number of columns of a term.
func (b *builder) width(t *Term) int {
	width := 1.0
	for i, v := range t.Variables {
		width = float64(width * float64(b.record.Variables[v].columns(t.full(i))))
	}
	return int(min(width, maxColumns+1))
}

// maxEntries is the number of entries of a sparse design if none of its numbers is 0: of a factor in treatment
// coding one entry a row, of a column of runs as many as it has.
func (b *builder) maxEntries() int64 {
	entries := 0.0
	if b.intercepts() > 0 {
		entries = float64(b.n)
	}
	for k := range b.record.Terms {
		t, of := &b.record.Terms[k], float64(b.n)
		for i, v := range t.Variables {
			r := &b.record.Variables[v]
			if r.Levels == nil || r.Contrasts != treatment {
				of = float64(of * float64(r.columns(t.full(i))))
			}
		}
		v := b.coded[t.Variables[0]].variable
		if len(t.Variables) == 1 && v.plain() && b.record.Variables[t.Variables[0]].Levels == nil {
			of = min(of, float64(b.columns[v.columns[0]].stored))
		}
		entries += of
	}
	return int64(min(entries, float64(b.n)*float64(maxColumns)))
}
