package transform

import (
	"slices"
	"strings"

	"glmbatch/infer/glm"
)

// Check looks for names that no data can give to a model with the formula and family: of parameters (each begins
// with the label of its term; what follows depends on the levels of factors) and of the variables of points. More
// are the names of further parameters. If the formula takes columns by . or a glob, only Bind can check them. The
// error is a *FormulaError.
func (d *Derived) Check(f *Formula, family glm.Family, more []string) error {
	s, err := f.selectFrom(nil, anyName)
	if err != nil || f.right.open() {
		return err
	}
	names := slices.Clone(more)
	if s.intercept {
		names = append(names, interceptName)
	}
	for _, p := range family.Dispersions() {
		names = append(names, p.Name)
	}
	whole := len(names)
	var inputs []string
	for i := range s.offsets {
		inputs = append(inputs, s.offsets[i].columns...)
	}
	for _, t := range s.terms {
		names = append(names, s.termLabel(t))
		for _, v := range t {
			inputs = append(inputs, s.variables[v].columns...)
		}
	}
	var groups []string // columns of groupings
	for i := range s.bars {
		b := &s.bars[i]
		for _, v := range b.grouping {
			groups = append(groups, s.groupers[v].columns...)
		}
		for _, t := range b.terms {
			for _, v := range t {
				inputs = append(inputs, s.variables[v].columns...)
			}
		}
		names = append(names, "sd_"+s.groupName(b.grouping)+"__"+ones)
	}
	for _, t := range s.smooths {
		for _, x := range t.x {
			inputs = append(inputs, s.variables[x].columns...)
		}
		if t.by >= 0 {
			inputs = append(inputs, s.variables[t.by].columns...)
		}
		names = append(names, t.node.deviation()+s.smoothName(t, ""))
	}
	return d.possible(d.root, func(n *node) error {
		if n.text == average && n.kind == nodeCall {
			return d.knownVariables(n, unique(inputs))
		}
		if n.kind == nodeCall {
			return d.variablesOf(n, unique(inputs), unique(groups))
		}
		if slices.Contains(names[:whole], n.text) || s.ofGroup(n.text) || s.ofSmooth(n.text) ||
			slices.ContainsFunc(s.terms, func(t term) bool { return s.names(t, n.text) }) {
			return nil
		}
		return d.unknownParameter(n, names)
	})
}

// possible visits the names and points under a node.
func (d *Derived) possible(n *node, visit func(*node) error) error {
	if n.kind == nodeName || n.kind == nodeCall && (slices.Contains(points, n.text) || n.text == average) {
		return visit(n)
	}
	for _, arg := range n.args {
		if err := d.possible(arg, visit); err != nil {
			return err
		}
	}
	return nil
}

// names reports whether a column of a term may have the name: the labels of its
// variables in order, each with some suffix, joined by colons.
func (s *selection) names(t term, name string) bool {
	if len(t) == 0 {
		return true
	}
	rest, ok := strings.CutPrefix(name, s.variables[t[0]].label)
	if !ok {
		rest, ok = strings.CutPrefix(strings.TrimLeft(name, "`"), s.variables[t[0]].label) // as names.take avoids clashes
	}
	if !ok || len(t) == 1 {
		return ok && !strings.HasPrefix(rest, ":") // another term's, though a level might begin so
	}
	for i := range len(rest) {
		if rest[i] == ':' && s.names(t[1:], rest[i+1:]) {
			return true
		}
	}
	return false
}

// ofGroup reports whether a parameter of group-level effects may have the name.
func (s *selection) ofGroup(name string) bool {
	return slices.ContainsFunc(s.bars, func(b bar) bool {
		g := s.groupName(b.grouping)
		return strings.HasPrefix(name, "sd_"+g+"__") || strings.HasPrefix(name, "cor_"+g+"__") ||
			strings.HasPrefix(name, "r_"+g+"[")
	})
}

// deviation is how names of the standard deviation of a smooth begin.
func (n *node) deviation() string {
	switch n.text {
	case processBasis:
		return "sdgp_"
	case carCall:
		return "sd"
	case rwCall:
		return "sdrw_"
	case covCall:
		return "sd_"
	}
	return "sds_"
}

// ofSmooth reports whether a parameter of a smooth may have the name.
func (s *selection) ofSmooth(name string) bool {
	return slices.ContainsFunc(s.smooths, func(t smoothing) bool {
		if t.node.text == carCall && slices.Contains([]string{"sdcar", carCall, "rhocar"}, name) {
			return true
		}
		whole := t.node.text + plainName(s.smoothX(t))
		if t.node.text == covCall {
			return strings.HasPrefix(name, "sd_"+s.smoothX(t)+"__") || strings.HasPrefix(name, "z_"+s.smoothX(t)+"[")
		}
		return slices.ContainsFunc([]string{t.node.deviation(), "lscale_", "bs_", t.node.text + "_"}, func(p string) bool {
			return strings.HasPrefix(name, p+whole)
		})
	})
}

// open reports whether terms stand for columns that only data can name.
func (n *node) open() bool {
	return n.kind == nodeDot || n.kind == nodeGlob || n.kind == nodeCall && n.text == "glob" ||
		slices.ContainsFunc(n.args, (*node).open)
}

// unique is the list without repetitions, in order.
func unique(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Unknown finds the first of some effects, variables joined by colons, that names a variable which no data can give
// to the formula's linear predictor, with a hint; empty if there is none, or if the formula takes columns by . or a
// glob.
func (f *Formula) Unknown(effects []string) (name, hint string) {
	var inputs []string
	for _, g := range f.all() {
		s, err := g.selectFrom(nil, anyName)
		if err != nil || g.right.open() {
			return "", ""
		}
		inputs = append(inputs, s.inputs()...)
	}
	for _, effect := range effects {
		if slices.Contains(inputs, effect) {
			continue
		}
		for _, name := range strings.Split(effect, ":") {
			if !slices.Contains(inputs, name) {
				return name, UnknownHint(name, "variables", unique(inputs))
			}
		}
	}
	return "", ""
}

// inputs are the columns that the fixed part reads, with repetitions.
func (s *selection) inputs() (inputs []string) {
	for i := range s.offsets {
		inputs = append(inputs, s.offsets[i].columns...)
	}
	for _, t := range s.terms {
		for _, v := range t {
			inputs = append(inputs, s.variables[v].columns...)
		}
	}
	for _, t := range s.smooths {
		for _, x := range t.x {
			inputs = append(inputs, s.variables[x].columns...)
		}
		if t.by >= 0 {
			inputs = append(inputs, s.variables[t.by].columns...)
		}
	}
	return inputs
}
