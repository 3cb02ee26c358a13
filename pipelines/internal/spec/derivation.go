package spec

import (
	"errors"
	"slices"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// Derivation is a quantity that is computed from each draw.
type Derivation struct {
	Name       string
	Expression *transform.Derived

	text *node
}

func (q *Derivation) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind != stringKind {
		d.wrongKind(n, f, `text such as "glu - bmi"`)
		return
	}
	var err error
	if q.Expression, err = transform.ParseDerived(n.text); err != nil {
		d.add(n.fault(q.Name, err))
	}
	q.text = n
}

// fault places an error of a derived quantity in the spec.
func (n *node) fault(name string, err error) (at pos, message, hint string) {
	what := "derive " + quote(name) + ": "
	var fault *transform.FormulaError
	if !errors.As(err, &fault) {
		return n.at, what + err.Error(), ""
	}
	message, hint = words.Parts(fault.Err)
	return n.where(min(fault.Pos, len(n.text))), what + message, hint
}

// DeriveProblem says where in the spec a derived quantity is wrong, for faults
// that only data show.
func (p *Pipeline) DeriveProblem(q *Derivation, err error) Problem {
	at, message, hint := q.text.fault(q.Name, err)
	return Problem{File: p.source.file, Line: at.line, Column: at.column, Message: message, Hint: hint}
}

// derivations checks the names that formula and family give away.
func (c *checker) derivations(m *Model) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return // reported
	}
	for _, q := range m.Derive {
		path := []string{"models", m.Name, "derive", q.Name}
		if q.Name == "(Intercept)" || slices.ContainsFunc(m.Family.Dispersions(),
			func(d glm.Dispersion) bool { return d.Name == q.Name }) {
			c.at("derive "+quote(q.Name)+" has the name of a parameter", "give it another", path...)
		}
		if q.Expression == nil {
			continue
		}
		if err := q.Expression.Check(formula, m.Family.Family, nil); err != nil {
			c.add(q.text.fault(q.Name, err))
		}
	}
}
