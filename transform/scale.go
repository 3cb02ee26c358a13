package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"glmbatch/internal/words"
)

// tooLarge is the largest magnitude that a design takes: the squares of a
// column of such values still add up to less than the largest float64.
const tooLarge = 1e140

func (b *builder) tooLarge(name string, value float64, k int) error {
	return b.cellError(name, b.tableRow(k),
		fmt.Errorf("%v is too large: squares of numbers beyond %v overflow", value, float64(tooLarge)),
		"correct it, or measure the column in a larger unit")
}

// unit is how a column of the data became a column of the design as sampled:
// (x − centre) / scale.
type unit struct {
	centre, scale float64
	constant      bool
}

// measure finds the centre and scale of every column. Constant columns, the
// intercept's among them, will stay as they are.
func (b *builder) measure() error {
	if b.spec.Standardize == "center_scale" && b.n == 1 && len(b.chosen.terms) > 0 {
		return b.tableError("one row cannot be standardised: its standard deviation is 0/0",
			"write standardize: none, or find more rows")
	}
	return b.measureBy(func(j int) (seen, error) {
		col := b.values(j)
		s := seen{moments: func() (mean, sd float64) { return b.meanAndSD(col) }}
		err := s.add(b, b.plan[j], col)
		return s, err
	})
}

// seen holds the measures by which columns are scaled, and compared.
type seen struct {
	rows    int
	first   float64
	largest float64 // magnitude
	differs bool    // whether not all values are equal
	hash    columnHash
	moments func() (mean, sd float64)
}

// add looks at rows of a column. It refuses what is too large.
func (s *seen) add(b *builder, p planned, col []float64) error {
	if len(col) == 0 {
		return nil
	}
	largest, at, constant := extent(col)
	if p.term >= 0 && largest > tooLarge {
		return b.tooLarge(b.column(p), col[at], at)
	}
	if s.rows == 0 {
		s.first = col[0]
	}
	s.rows += len(col)
	s.largest, s.differs = max(s.largest, largest), s.differs || !constant || col[0] != s.first
	s.hash.add(col)
	return nil
}

// measureBy is measure of columns that have been seen.
func (b *builder) measureBy(column func(j int) (seen, error)) error {
	b.unit = make([]unit, len(b.plan))
	b.hashes = make([]uint64, len(b.plan))
	var constant, zero []string
	for j, p := range b.plan {
		s, err := column(j)
		if err != nil {
			return err
		}
		u, err := b.unitOf(s, p)
		if err != nil {
			return err
		}
		switch {
		case p.term < 0 || !u.constant:
		case s.first == 0:
			zero = append(zero, p.name)
		default:
			constant = append(constant, fmt.Sprintf("%s (%v)", p.name, s.first))
		}
		b.unit[j] = u
		b.hashes[j] = s.hash.sum()
	}
	if len(zero) > 0 {
		b.warn("0 in all %d rows: %s; the data do not inform such a coefficient, its posterior is its prior", b.n,
			words.List(zero))
	}
	if len(constant) > 0 && b.chosen.intercept {
		b.warn("constant in all %d rows, and left as it is: %s; the data cannot distinguish it from the intercept", b.n,
			words.List(constant))
	}
	return nil
}

// unitOf returns what to do to a column, given on the data's scale.
func (b *builder) unitOf(s seen, p planned) (unit, error) {
	u := unit{scale: 1, constant: !s.differs}
	if u.constant || p.asIs {
		return u, nil
	}
	if b.spec.Standardize == "max_abs" {
		u.scale = s.largest
		return u, b.scaleFault(p, u.scale)
	}
	mean, sd := s.moments()
	if b.chosen.intercept && !b.spec.bare && (b.spec.Standardize == "center_scale" || b.spec.InterceptAt == "means") {
		u.centre = mean
	}
	if b.spec.Standardize == "center_scale" {
		u.scale = sd
		return u, b.scaleFault(p, sd)
	}
	return u, nil
}

func (b *builder) scaleFault(p planned, scale float64) error {
	if scale >= 1/tooLarge {
		return nil
	}
	return b.columnError(b.column(p), errors.New("its values differ by too little to be scaled"),
		"measure the column in a smaller unit, or leave it out")
}

// repeated warns of columns that equal an earlier one. Cost: O(columns) look-ups of hashes;
// only columns of equal hash are compared.
func (b *builder) repeated() error {
	x := b.out.Data.X
	byHash := make(map[uint64][]int)
	b.copies = make([]bool, len(b.plan))
	var pairs []string
	for j, p := range b.plan {
		if b.unit[j].constant {
			continue
		}
		twin := -1
		for _, i := range byHash[b.hashes[j]] {
			if b.all != nil || slices.Equal(x.Col(i), x.Col(j)) {
				twin = i
				break
			}
		}
		if twin < 0 {
			byHash[b.hashes[j]] = append(byHash[b.hashes[j]], j)
			continue
		}
		b.copies[j] = true
		pairs = append(pairs, fmt.Sprintf("%s = %s", p.name, b.plan[twin].name))
	}
	if len(pairs) > 0 {
		predictors := len(b.plan) - (b.out.Data.Intercept + 1)
		b.warn("%d of %d columns equal another one (%s): the data determine only the sum of their coefficients, the prior "+
			"divides it", len(pairs), predictors, words.List(pairs))
	}
	return nil
}

// scale brings every column to the scale of the design, in place.
func (b *builder) scale() error {
	for j, u := range b.unit {
		b.rescaled(j, u)
	}
	return nil
}

// apply brings a column to the scale of the design.
func (u unit) apply(col []float64) {
	switch {
	case u.centre == 0 && u.scale == 1:
	case u.scale == 1:
		for i, v := range col {
			col[i] = v - u.centre
		}
	case u.centre == 0:
		for i, v := range col {
			col[i] = v / u.scale
		}
	default:
		for i, v := range col {
			col[i] = (v - u.centre) / u.scale
		}
	}
}

// describe completes the record.
func (b *builder) describe() error {
	r := &b.record
	r.Version = Version
	r.Formula = strings.TrimSpace(b.spec.Formula.String())
	r.Family, r.Custom = b.spec.Family.Name, b.spec.Family.Custom
	r.Standardize, r.Missing, r.InterceptAt = b.spec.Standardize, b.spec.Missing, b.spec.InterceptAt
	if !b.chosen.intercept {
		r.InterceptAt = ""
	}
	r.Columns = make([]Column, len(b.plan))
	for j, p := range b.plan {
		r.Columns[j] = Column{Name: p.name, Term: p.term, Parts: p.parts, Centre: b.unit[j].centre, Scale: b.unit[j].scale,
			Negative: p.negative}
	}
	b.out.Record = r
	return nil
}
