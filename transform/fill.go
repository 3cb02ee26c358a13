package transform

// offsetAlone reports whether the formula is an offset that a custom family reads.
func (b *builder) offsetAlone() bool { return b.spec.Family.Custom != "" && len(b.chosen.offsets) > 0 }

// design fills the columns, the intercept's with ones.
func (b *builder) design() error {
	if len(b.plan) == 0 && !b.spec.cuts && !b.offsetAlone() && !b.known {
		return b.formulaError(len(b.spec.Formula.source), "there is nothing to estimate: no intercept and no predictor",
			"leave out - 1, or name a predictor")
	}
	x, err := b.newStorage()
	if err != nil {
		return err
	}
	names := make([]string, len(b.plan))
	last := b.lastUses()
	for j, p := range b.plan {
		names[j] = p.name
		if err := b.fillColumn(x.next(j), b.record.Terms, p); err != nil {
			return err
		}
		if err := x.filled(j, b); err != nil {
			return err
		}
		if p.term < 0 || j+1 < len(b.plan) && b.plan[j+1].term == p.term {
			continue
		}
		for _, v := range b.record.Terms[p.term].Variables {
			if last[v] == p.term {
				b.coded[v].values = nil
			}
		}
		b.readUpTo(p.term)
	}
	b.readUpTo(len(b.record.Terms))
	b.out.Data.X, b.out.Data.Names, b.out.Data.Intercept = x.matrix(), names, -1
	if len(b.plan) > 0 && b.plan[0].term < 0 {
		b.out.Data.Intercept = 0
	}
	b.out.Data.Smooths, b.out.Data.Monotone = b.record.smooths(), b.record.monotones()
	b.noteSparse()
	return nil
}

// readBesideTerms ends the use of the columns that no term has, and says when that of the others ends.
func (b *builder) readBesideTerms() error {
	if b.spec.Done == nil {
		return nil
	}
	b.table = nil
	last, ends := b.lastUses(), make(map[string]int, len(b.used)) // the last term of a column, from 1
	for v := range b.coded {
		for _, name := range b.coded[v].variable.columns {
			ends[name] = max(ends[name], last[v]+1)
		}
	}
	b.ending = make([][]*column, len(b.record.Terms)+1)
	for _, c := range b.used {
		b.ending[ends[c.name]] = append(b.ending[ends[c.name]], c)
	}
	b.readUpTo(-1)
	return nil
}

// readUpTo gives up the columns whose last term is not after this one; -1 stands for the columns without one.
func (b *builder) readUpTo(term int) {
	for k := 0; k < len(b.ending) && k <= term+1; k++ {
		for _, c := range b.ending[k] {
			c.chunks = nil
			b.spec.Done(c.name)
		}
		b.ending[k] = nil
	}
}

// lastUses is the last term of each variable, after which its values may go; −1 for one that groups alone have.
func (b *builder) lastUses() []int {
	last := make([]int, len(b.coded))
	for v := range last {
		last[v] = -1
	}
	for k, t := range b.record.Terms {
		for _, v := range t.Variables {
			last[v] = k
		}
	}
	return last
}

// fillColumn writes one column of the design on the scale of the data.
func (b *builder) fillColumn(col []float64, terms []Term, p planned) error {
	if p.term < 0 {
		for i := range col {
			col[i] = 1
		}
		return nil
	}
	t := &terms[p.term]
	for i, v := range t.Variables {
		values, err := b.part(v, p.parts[i], t.full(i), len(t.Variables) == 1, col)
		switch {
		case err != nil:
			return err
		case values == nil: // written to col already
		case i == 0:
			copy(col, values)
		default:
			for k, u := range values {
				col[k] = float64(col[k]*u) + 0 // + 0 makes −0 a plain 0
			}
		}
	}
	if p.negative {
		for k, u := range col {
			col[k] = 0 - u
		}
	}
	return nil
}

// part returns column p of a variable, or writes it to col and returns nil if it is not needed again.
func (b *builder) part(v, p int, full, alone bool, col []float64) ([]float64, error) {
	c, r := &b.coded[v], &b.record.Variables[v]
	switch {
	case r.Levels != nil:
		table := make([]float64, len(r.Levels))
		for level := range table {
			table[level] = r.value(full, p, level)
		}
		out := col
		if !alone {
			out = make([]float64, len(col))
		}
		for i, code := range c.codes {
			out[i] = table[code]
		}
		if !alone {
			return out, nil
		}
		return nil, nil
	case c.variable.plain() && alone:
		b.columns[c.variable.columns[0]].floats(col, b.keep)
		return nil, nil
	}
	if c.values == nil {
		if err := b.compute(c, r); err != nil {
			return nil, err
		}
	}
	return c.values[p], nil
}

// compute evaluates a function, or a column that interactions take part of.
func (b *builder) compute(c *coded, r *Variable) error {
	n, _, err := c.variable.argument()
	if err != nil {
		return err
	}
	e := &evaluator{b: b, source: c.variable.source, keep: b.keep, n: b.n, scales: r.Scales}
	x, err := e.values(n)
	if err != nil {
		return err
	}
	c.values = [][]float64{x}
	if r.Basis != nil {
		c.values, c.outside = r.Basis.evaluate(x), r.Basis.outside(x)
	}
	return nil
}
