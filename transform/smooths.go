package transform

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"glmbatch/infer/design"
)

// Smooth is a smooth term of the design, or the part of it of one level of a factor.
type Smooth struct {
	Name  string `json:"name"`            // that of brms: sx_1
	Text  string `json:"text"`            // as written: s(x, by = f)
	Label string `json:"label"`           // that of mgcv: s(x):fa
	By    string `json:"by,omitempty"`    // what it is multiplied by, if anything
	Level string `json:"level,omitempty"` // of a factor
	Basis int    `json:"basis"`           // index into Record.Variables
	// Others are those of the further numbers of gp(x, z): columns are products.
	Others []int `json:"others,omitempty"`
	// The columns of the design: from Fixed those without a penalty, from First to before Last the penalised.
	Fixed int `json:"fixed"`
	First int `json:"first"`
	Last  int `json:"last"`
}

// smooths are those of a design.
func (r *Record) smooths() (out []design.Smooth) {
	for _, s := range r.Smooths {
		d := design.Smooth{Name: s.Name, Term: s.Label, First: s.First, Last: s.Last}
		if of := r.Variables[s.Basis].Structure; of != nil {
			d.Structure, d.Shares = of.Kind, of.Shares
			out = append(out, d)
			continue
		}
		if of := r.bases(&s); of[0].Process != nil {
			d.Frequencies, d.Numbers = frequencies(of), len(of)
			d.Distances = [2]float64{of[0].Process.Nearest, of[0].Process.Farthest}
		}
		out = append(out, d)
	}
	return out
}

// bases are those of the numbers of a smooth.
func (r *Record) bases(s *Smooth) (out []*Basis) {
	for _, v := range append([]int{s.Basis}, s.Others...) {
		out = append(out, r.Variables[v].Basis)
	}
	return out
}

// checkSmooths finds smooths that no Build writes.
func (r *Record) checkSmooths() error {
	for _, s := range r.Smooths {
		if s.Basis >= 0 && s.Basis < len(r.Variables) && r.Variables[s.Basis].Structure != nil {
			if v := &r.Variables[s.Basis]; s.Fixed < 0 || s.First-s.Fixed != v.Structure.Fixed ||
				s.Last-s.Fixed != v.columns(false) || s.Last > len(r.Columns) {
				return fmt.Errorf("design record: smooth %q has not the columns of its levels", s.Name)
			}
			continue
		}
		columns := 1
		unknown := slices.ContainsFunc(append([]int{s.Basis}, s.Others...), func(v int) bool {
			if v < 0 || v >= len(r.Variables) || r.Variables[v].Basis == nil || !r.Variables[v].Basis.smooth() {
				return true
			}
			columns *= r.Variables[v].Basis.columns()
			return len(s.Others) > 0 && r.Variables[v].Basis.Process == nil
		})
		if unknown || s.Fixed < 0 || s.Fixed > s.First || s.First >= s.Last || s.Last > len(r.Columns) {
			return fmt.Errorf("design record: smooth %q has no basis, or columns that do not exist", s.Name)
		}
		if b := r.Variables[s.Basis].Basis; s.First-s.Fixed != b.Fixed || s.Last-s.Fixed != columns {
			return fmt.Errorf("design record: smooth %q has not the columns of its basis", s.Name)
		}
	}
	return nil
}

// reserveSmooth keeps the columns that s() and gp() smooth away from . and globs.
func (s *selector) reserveSmooth(n *node) error {
	if n.isStructured() {
		s.take(newVariable(n, n.label(), s.formula.source))
		return nil
	}
	for _, of := range n.coordinates() {
		if x := of.args[0]; s.arithmetic(x) == nil { // else reported where terms are read
			v := newVariable(x, x.label(), s.formula.source)
			s.take(v)
		}
	}
	return nil
}

// smoothTerms makes terms of the smooths, behind the others; index is where the record has a variable.
func (b *builder) smoothTerms(index []int) (out []Term) {
	for _, t := range b.chosen.smooths {
		term := Term{Label: b.chosen.variables[t.x[0]].label}
		if t.by >= 0 {
			term.Variables = []int{index[t.by]}
			if b.record.Variables[index[t.by]].Levels != nil {
				term.Full = append([]bool{true}, make([]bool, len(t.x))...)
			}
		}
		for _, x := range t.x {
			term.Variables = append(term.Variables, index[x])
		}
		out = append(out, term)
	}
	return out
}

// multiplier looks at what a smooth is multiplied by: a number that varies leaves the curve free, which is centred
// otherwise. mgcv gives the unpenalised columns the length of the others over these rows, of a factor over those of the
// first level.
func (b *builder) multiplier(c *smoothCall) error {
	if c.by == nil {
		return nil
	}
	v := newVariable(c.by, c.by.label(), b.spec.Formula.source)
	if column, is := b.factorColumn(v); is {
		v.named = true
		f, err := b.factor(column, v)
		if err != nil {
			return err
		}
		c.weights = make([]float64, b.n)
		for i, code := range f.codes {
			if code == 0 {
				c.weights[i] = 1
			}
		}
		return nil
	}
	if v.node.computed() {
		return nil // a factor, of whose levels none is the first before it is learned
	}
	if _, call, err := v.argument(); err != nil || call != nil {
		return errors.Join(err, b.formulaError(c.by.pos, "by of s() is a factor or one number", ""))
	}
	e := &evaluator{b: b, source: v.source, keep: b.keep, n: b.n, learn: true, role: termRole}
	z, err := e.values(v.node)
	if err != nil {
		return err
	}
	c.weights = make([]float64, b.n)
	for i, u := range z {
		c.free = c.free || u != z[0]
		c.weights[i] = float64(u * u)
	}
	return nil
}

// planSmooths names the columns of the smooths.
func (b *builder) planSmooths(names *names) error {
	taken := make(map[string]string)
	for i, t := range b.chosen.smooths {
		k := len(b.chosen.terms) + i
		term := &b.record.Terms[k]
		at := term.Variables[len(term.Variables)-len(t.x):]
		fixedColumns := b.record.Variables[at[0]].unpenalised()
		s := Smooth{Text: term.Label, Basis: at[0], Others: at[1:]}
		levels := []string{""}
		if t.by >= 0 {
			s.By = b.chosen.variables[t.by].label
			if f := b.record.Variables[term.Variables[0]].Levels; f != nil {
				levels = f
			}
		}
		for l, level := range levels {
			s.Level, s.Name = level, b.chosen.smoothName(t, level)
			if other, there := taken[s.Name]; there {
				return b.formulaError(t.node.pos, fmt.Sprintf("%s and %s would both be called %s", other,
					cmp.Or(level, s.Text), s.Name), "rename one where the data are made")
			}
			taken[s.Name] = cmp.Or(level, s.Text)
			s.Label = t.node.text + "(" + b.chosen.smoothX(t) + ")"
			fixed := "bs_s" + plainName(b.chosen.smoothX(t))
			if t.node.isStructured() {
				s.Label, fixed = term.Label, "bs_"+s.Name
			}
			if t.by >= 0 {
				s.Label += ":" + s.By + level
				fixed += ":" + plainName(s.By+level)
			}
			s.Fixed, s.First = len(b.plan), len(b.plan)+fixedColumns
			for j, parts := range b.record.parts(&s) {
				name := fixed + "_" + strconv.Itoa(j+1)
				if j >= fixedColumns {
					name = t.node.coefficients() + s.Name + "[" + strconv.Itoa(j-fixedColumns+1) + "]"
				}
				if t.by >= 0 {
					parts = slices.Insert(parts, 0, l)
				}
				b.plan = append(b.plan, planned{name: names.take([]string{name}, []string{""}), term: k, parts: parts,
					asIs: true})
			}
			s.Last = len(b.plan)
			b.record.Smooths = append(b.record.Smooths, s)
		}
		if t.node.text == "s" { // others have no line
			b.remarkSmooth(t, term)
		}
	}
	return nil
}

// unpenalised is how many columns of a smooth have no penalty.
func (v *Variable) unpenalised() int {
	if v.Structure != nil {
		return v.Structure.Fixed
	}
	return v.Basis.Fixed
}

// coefficients is how names of the coefficients of a smooth begin.
func (n *node) coefficients() string {
	switch n.text {
	case carCall:
		return "b"
	case covCall:
		return "z_"
	}
	return n.text + "_"
}

// parts are those of the columns of a smooth.
func (r *Record) parts(s *Smooth) (out [][]int) {
	v := &r.Variables[s.Basis]
	if v.Structure == nil {
		return products(r.bases(s))
	}
	for j := range v.columns(false) {
		out = append(out, []int{j})
	}
	return out
}

// products are the products of columns of bases, a column of each: those of the first in turn for each of the others.
func products(of []*Basis) [][]int {
	out := [][]int{nil}
	for _, b := range of {
		var next [][]int
		for j := range b.columns() {
			for _, parts := range out {
				next = append(next, append(slices.Clone(parts), j))
			}
		}
		out = next
	}
	return out
}

// remarkSmooth warns of a smooth whose line, or whose levels' means, the terms have twice or not at all.
func (b *builder) remarkSmooth(t smoothing, of *Term) {
	has := func(key string) bool {
		return slices.ContainsFunc(b.chosen.terms, func(u term) bool {
			return len(u) == 1 && b.chosen.variables[u[0]].key == key
		})
	}
	if x := t.node.coordinates()[0].args[0].bare(); t.by < 0 && has(x.exact()) {
		b.warn("%s has a line in %s already, and %s is also a term: the data determine only the sum of both, the priors "+
			"divide it", of.Label, x.label(), x.label())
	}
	if len(of.Full) > 0 && !has(b.chosen.variables[t.by].key) {
		b.warn("%s: the curve of each level is centred, and %s is not a term, so that all levels have one mean: add "+
			"it unless that is meant", of.Label, b.chosen.variables[t.by].label)
	}
}

// Curve is a smooth on a grid of its number, from the least value to the largest that the model was fitted with; or the
// effect of one level of car() or rw().
type Curve struct {
	*Smooth
	Name, Level string    // of car() and rw(): of effects, as rcar, and the level
	X           []float64 // of car() and rw(): the number of the level, from 1
	// Columns are those of the design from Fixed to Last at X, where what it is multiplied by is 1.
	Columns [][]float64
}

// Curves are the smooths of one number on grids of points points.
func (r *Record) Curves(points int) (out []Curve) {
	for i := range r.Smooths {
		s := &r.Smooths[i]
		if len(s.Others) > 0 {
			continue
		}
		if r.Variables[s.Basis].Structure != nil {
			out = append(out, r.levelCurves(s)...)
			continue
		}
		basis := r.Variables[s.Basis].Basis
		c := Curve{Smooth: s, Name: s.Name, Level: s.Level, X: make([]float64, points)}
		low, high := basis.Boundary[0], basis.Boundary[1]
		for k := range c.X {
			share := float64(k) / float64(points-1)
			c.X[k] = float64((1-share)*low) + float64(share*high)
		}
		c.Columns = basis.evaluate(c.X)
		out = append(out, c)
	}
	return out
}

// levelCurves are the effects of the levels of a structured term.
func (r *Record) levelCurves(s *Smooth) (out []Curve) {
	v := &r.Variables[s.Basis]
	for level, name := range v.Levels {
		c := Curve{Smooth: s, Name: "r" + s.Name, Level: name, X: []float64{float64(level + 1)}}
		if v.Structure.Kind == kindCov {
			c.Name = "r_" + s.Name
		}
		for p := range v.columns(false) {
			c.Columns = append(c.Columns, []float64{v.value(false, p, level)})
		}
		out = append(out, c)
	}
	return out
}
