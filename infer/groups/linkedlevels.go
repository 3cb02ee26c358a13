package groups

import "glmbatch/infer/prior"

// levels moves the effects of every level over all predictors at once, as matchLevels does those of one predictor, and
// returns the mean probability of acceptance. Curvatures between predictors count as 0. again is whether no other
// move has changed linear predictors since the last call.
// Cost: O(n) for each predictor, and O(levels·q³).
func (m *LinkedMove) levels(rows Rows, iteration int64, again bool) (accept float64) {
	g := m.all
	m.gather()
	clear(g.step)
	if !again {
		m.allSums(rows, &g.here)
	}
	m.mover.draw(g, g.spreadAt(iteration))
	m.allSums(rows, &g.there)
	accept = g.choose()
	g.takeSums()
	m.move(rows)
	return accept / float64(g.levels)
}

// allSums makes value, slopes and curvatures of each level at the effects with the steps of all.
func (m *LinkedMove) allSums(rows Rows, to *sums) {
	m.sums(rows, to)
	clear(to.value)
	for i, v := range rows.Each(m.steps) {
		to.value[m.all.of[i]] += v
	}
}

// move adds the steps of all to the effects.
func (m *LinkedMove) move(rows Rows) {
	m.setSteps()
	for k, part := range m.parts {
		m.owners[k].point.AddEffects(part.effects, m.steps[k], nil)
	}
	m.gather()
	rows.Take()
}

// shifted is a coefficient of a part.
type shifted struct{ part, column int }

// findShifts finds the shifts of coefficients of all parts that are drawn at once.
func (m *LinkedMove) findShifts() {
	b := m.all.block
	for k, g := range m.parts {
		for _, s := range g.shifts {
			if s.prior.Kind != prior.Normal && s.prior.Kind != prior.Flat {
				continue // the part has a slice for it
			}
			all := &shift{column: len(m.shifted), prior: s.prior, v: make([]float64, b.levels*b.q),
				cross: make([]float64, b.q*b.q)}
			for l := range b.levels {
				copy(all.v[l*b.q+m.first[k]:], s.v[l*g.q:(l+1)*g.q])
			}
			b.crossed(all.v, all.v, all.cross)
			b.join(all)
			m.shifted = append(m.shifted, shifted{k, s.column})
		}
	}
	m.mover.beta, m.mover.delta = make([]float64, len(m.shifted)), make([]float64, len(m.shifted))
}

// shifts draws the coefficients of all predictors that have a shift against the effects, at once, see shift.
// Cost: O(levels·q²) for each.
func (m *LinkedMove) shifts() {
	g, k := m.all, m.mover
	m.gather()
	copy(g.to, g.r)
	for _, own := range m.owners {
		own.fixed.Beta(own.beta)
	}
	for i, s := range m.shifted {
		k.beta[i] = m.owners[s.part].beta[s.column]
	}
	for i := range g.together {
		k.shiftTogether(g, &g.together[i])
	}
	for i, s := range m.shifted {
		m.owners[s.part].delta[s.column] = k.delta[i]
	}
	clear(k.delta)
	for part, own := range m.owners {
		g := m.parts[part]
		m.take(part, m.all.to, g.to)
		own.point.Assign(g.effects, g.to)
		own.fixed.Shift(own.delta)
		clear(own.delta)
		own.fixed.Beta(own.beta)
	}
}
