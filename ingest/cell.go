package ingest

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// kind is the type of a single cell, and then of a whole column.
type kind uint8

const (
	kindNull kind = iota // missing
	kindInt
	kindFloat
	kindNonFinite // NaN, an infinity, or a number beyond float64
	kindBool
	kindDate
	kindText
	kinds
)

// cell is a parsed cell. For dates i counts days since 1970-01-01, for truth
// values it is 0 or 1; f is set for every finite number, and places are its decimals, -1 with an exponent.
type cell struct {
	kind   kind
	places int16
	i      int64
	f      float64
}

// grammar knows how one source spells missing cells and numbers.
type grammar struct {
	nulls   map[string]bool
	initial [256]bool // first bytes of the null spellings: a cheap first test
	decimal byte
	// unlisted are the default spellings of a missing cell that are not among nulls; nil if there are none.
	unlisted map[string]bool
}

func newGrammar(nulls []string, decimal rune) *grammar {
	if nulls == nil {
		nulls = DefaultNullValues()
	}
	g := &grammar{nulls: make(map[string]bool, len(nulls)), decimal: '.'}
	if decimal == ',' {
		g.decimal = ','
	}
	for _, s := range nulls {
		if s = strings.TrimSpace(s); s != "" {
			g.nulls[s] = true
			g.initial[s[0]] = true
		}
	}
	for _, s := range DefaultNullValues() {
		if !g.nulls[s] {
			if g.unlisted == nil {
				g.unlisted = map[string]bool{}
			}
			g.unlisted[s] = true
		}
	}
	return g
}

// nanIsNull reports whether NaN is listed among the spellings of a missing cell.
func (g *grammar) nanIsNull() bool {
	for s := range g.nulls {
		if strings.EqualFold(s, "nan") {
			return true
		}
	}
	return false
}

// isNull reports whether a cell without its surrounding blanks is missing.
func (g *grammar) isNull(s string) bool {
	return s == "" || (g.initial[s[0]] && g.nulls[s])
}

// parse says what a cell is. Blanks around it do not count.
func (g *grammar) parse(s string) cell {
	s = trimBlanks(s)
	if g.isNull(s) {
		return cell{}
	}
	if c, ok := g.number(s); ok {
		return c
	}
	switch len(s) {
	case 4:
		if strings.EqualFold(s, "true") {
			return cell{kind: kindBool, i: 1}
		}
	case 5:
		if strings.EqualFold(s, "false") {
			return cell{kind: kindBool}
		}
	case len(time.DateOnly):
		if d, ok := parseDate(s); ok {
			return cell{kind: kindDate, i: d}
		}
	}
	return cell{kind: kindText}
}

func trimBlanks(s string) string {
	for len(s) > 0 && (s[0] == ' ' || s[0] == '\t') {
		s = s[1:]
	}
	for len(s) > 0 && (s[len(s)-1] == ' ' || s[len(s)-1] == '\t') {
		s = s[:len(s)-1]
	}
	return s
}

func parseDate(s string) (days int64, ok bool) {
	if s[4] != '-' || s[7] != '-' {
		return 0, false
	}
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, false
	}
	return t.Unix() / 86400, true // exact: midnight UTC; negative before 1970
}

// pow10 are the powers of ten that a float64 holds exactly.
var pow10 = [23]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimalScan holds the parts of a number's text: (-1)^neg · mantissa · 10^exponent.
type decimalScan struct {
	neg, whole bool   // whole: digits only, no mark and no exponent
	places     int16  // digits after the mark; -1 with an exponent
	digits     int    // significant digits seen; beyond 19 the mantissa is cut
	mantissa   uint64 // the first 19 significant digits
	exponent   int
}

// number parses [+-]digits[mark digits][e[+-]digits] and the spellings of NaN
// and infinity. Nothing else is a number: no hexadecimal, no underscores, no
// thousands marks.
//
// Up to 15 digits with a power of ten up to 22 need one exact multiplication
// or division and so are correctly rounded (Clinger 1990, How to read floating
// point numbers accurately, doi:10.1145/93542.93557); strconv does the rest.
func (g *grammar) number(s string) (cell, bool) {
	d, ok := g.scan(s)
	if !ok {
		return nonFinite(s)
	}
	if d.whole && d.digits <= 18 {
		i := int64(d.mantissa)
		if d.neg {
			i = -i
		}
		return cell{kind: kindInt, i: i, f: float64(i), places: d.places}, true
	}
	if d.digits <= 15 && d.exponent >= -22 && d.exponent <= 22 {
		f := float64(d.mantissa)
		if d.exponent < 0 {
			f /= pow10[-d.exponent]
		} else {
			f *= pow10[d.exponent]
		}
		if d.neg {
			f = -f
		}
		return cell{kind: kindFloat, f: f, places: d.places}, true
	}
	if g.decimal != '.' {
		s = strings.Replace(s, string(g.decimal), ".", 1)
	}
	if d.whole {
		if i, err := strconv.ParseInt(s, 10, 64); err == nil {
			return cell{kind: kindInt, i: i, f: float64(i), places: d.places}, true
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) {
		return cell{kind: kindNonFinite, f: f}, true
	}
	return cell{kind: kindFloat, f: f, places: d.places}, true
}

// scan takes a decimal number apart in one pass; ok is false if s is not one.
func (g *grammar) scan(s string) (d decimalScan, ok bool) {
	i := 0
	if s[0] == '-' || s[0] == '+' {
		d.neg, i = s[0] == '-', 1
	}
	seen, fraction := false, false
	d.whole = true
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			seen = true
			if d.digits > 0 || c != '0' {
				d.digits++
				if d.digits <= 19 {
					d.mantissa = d.mantissa*10 + uint64(c-'0')
				}
			}
			if fraction {
				d.exponent--
			}
		case c == g.decimal && !fraction:
			fraction, d.whole = true, false
		case (c == 'e' || c == 'E') && seen:
			d.whole, d.places = false, -1
			e, ok := scanExponent(s[i+1:])
			d.exponent += e
			return d, ok
		default:
			return d, false
		}
	}
	d.places = int16(min(-d.exponent, math.MaxInt16))
	return d, seen
}

// beyond reports whether a number of at least 2^53 in magnitude is an integer beyond that,
// written with digits alone.
func (g *grammar) beyond(v cell, text string) bool {
	if v.kind == kindInt {
		return v.i > exactIntegers || v.i < -exactIntegers
	}
	d, ok := g.scan(trimBlanks(text))
	return ok && d.whole
}

// scanExponent reads [+-]digits; huge exponents are capped, strconv rules on them.
func scanExponent(s string) (e int, ok bool) {
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg, s = s[0] == '-', s[1:]
	}
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
		e = min(e*10+int(c-'0'), 1_000_000)
	}
	if neg {
		e = -e
	}
	return e, s != ""
}

func nonFinite(s string) (cell, bool) {
	if len(s) > len("-infinity") {
		return cell{}, false
	}
	f := math.Inf(1)
	switch s[0] {
	case '-':
		f, s = math.Inf(-1), s[1:]
	case '+':
		s = s[1:]
	}
	switch {
	case strings.EqualFold(s, "inf"), strings.EqualFold(s, "infinity"):
		return cell{kind: kindNonFinite, f: f}, true
	case strings.EqualFold(s, "nan"):
		return cell{kind: kindNonFinite, f: math.NaN()}, true
	}
	return cell{}, false
}
