package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"glmbatch/internal/vec"
)

// Basis is how poly(), ns(), bs(), s() or gp() turn one number into several columns. All
// that they learn from the data is here, so that new data are coded alike.
type Basis struct {
	Kind   string `json:"kind"`   // poly, ns, bs, gp; of s(): tp, cr, ps
	Degree int    `json:"degree"` // of tp and cr 3
	// Raw is for poly(x, k, raw = TRUE): the powers of x.
	Raw bool `json:"raw,omitempty"`
	// Alpha and Norm2 are R's coefs of poly(): the centres of the three-term
	// recurrence, and 1, n, and the squared norms of the monic polynomials.
	Alpha []float64 `json:"alpha,omitempty"`
	Norm2 []float64 `json:"norm2,omitempty"`
	// Knots are the inner knots of a spline, Boundary its outer two; Intercept
	// reports whether the first column is kept.
	Knots     []float64  `json:"knots,omitempty"`
	Boundary  [2]float64 `json:"boundary"`
	Intercept bool       `json:"intercept,omitempty"`
	// Map has the columns of a smooth one after the other: of tp and cr the values at the Knots, the outer ones
	// included, of ps the coefficients of the B-splines. Fixed says how many of them, the first, are not penalised.
	Map   []float64 `json:"map,omitempty"`
	Fixed int       `json:"fixed,omitempty"`
	// Process is the basis of gp(); nil of others.
	Process *Process `json:"process,omitempty"`
}

// basisCall is a call of poly, ns or bs as it is written.
type basisCall struct {
	kind     string
	x        *node
	pos      int
	degree   int
	df       int // 0 when it is not given
	raw      bool
	all      bool // intercept = TRUE
	knots    []float64
	boundary []float64
	smooth   *smoothCall // of s and gp
}

// maxDegree bounds polynomials and maxDF splines. Beyond degree 20 or so the powers of a number add nothing in
// float64.
const (
	maxDegree = 30
	maxDF     = 1000
)

// formals of R's poly, ns and bs, in R's order.
var formals = map[string][]string{
	"poly": {"x", "degree", "raw"},
	"ns":   {"x", "df", "knots", "intercept", "Boundary.knots"},
	"bs":   {"x", "df", "knots", "degree", "intercept", "Boundary.knots"},
	"s":    smoothFormals,
	"gp":   processFormals,
}

// basis reads a call of poly, ns, bs, s or gp.
func (s *selector) basis(n *node) (*basisCall, error) {
	names, match := formals[n.text], s.match
	if n.isSmooth() {
		match = func(n *node, _ []string) ([]*node, error) { return s.smoothArguments(n) }
	}
	args, err := match(n, names)
	if err != nil {
		return nil, err
	}
	c := &basisCall{kind: n.text, pos: n.pos, degree: 3}
	if n.text == "poly" {
		c.degree = 1
	}
	if c.x = args[0]; c.x == nil {
		return nil, s.fail(n.pos, n.text+"() takes an argument", "for example "+n.text+"(x, 3)")
	}
	if err := s.arithmetic(c.x); err != nil {
		return nil, err
	}
	if n.isSmooth() {
		if c.smooth, err = s.smoothSettings(n, args); err == nil {
			c.kind = c.smooth.bs
		}
		return c, err
	}
	for i, arg := range args[1:] {
		if arg == nil {
			continue
		}
		if err := s.setting(c, names[i+1], arg); err != nil {
			return nil, err
		}
	}
	return c, s.basisSize(c)
}

// setting reads one argument of a basis besides x.
func (s *selector) setting(c *basisCall, name string, arg *node) error {
	switch name {
	case "degree", "df":
		v, ok := arg.number()
		most := map[string]int{"degree": maxDegree, "df": maxDF}[name]
		if !ok || v < 1 || v > float64(most) || v != math.Trunc(v) {
			return s.fail(arg.pos, fmt.Sprintf("%s of %s() is a whole number from 1 to %d", name, c.kind, most), "")
		}
		if name == "df" {
			c.df = int(v)
		} else {
			c.degree = int(v)
		}
	case "raw", "intercept":
		v, ok := arg.boolean()
		if !ok {
			return s.fail(arg.pos, fmt.Sprintf("%s of %s() is TRUE or FALSE", name, c.kind), "")
		}
		if name == "raw" {
			c.raw = v
		} else {
			c.all = v
		}
	case "knots", "Boundary.knots":
		v, ok := arg.vector()
		if !ok || name != "knots" && (len(v) != 2 || !(v[0] < v[1])) || len(v) > maxDF {
			what := map[bool]string{true: "a number or several: c(10, 20)",
				false: "two numbers in order: c(0, 100)"}[name == "knots"]
			return s.fail(arg.pos, fmt.Sprintf("%s of %s() is %s", name, c.kind, what), "")
		}
		if name == "knots" {
			c.knots = slices.Sorted(slices.Values(v))
		} else {
			c.boundary = v
		}
	}
	return nil
}

// basisSize refuses fewer degrees of freedom than the spline's pieces need.
func (s *selector) basisSize(c *basisCall) error {
	if c.df > 0 && c.df < c.fixedColumns() {
		return s.fail(c.pos, fmt.Sprintf("df = %d is too small for %s()", c.df, c.kind),
			fmt.Sprintf("it has %d columns at least", c.fixedColumns()))
	}
	return nil
}

// fixedColumns is how many columns a spline has without an inner knot.
func (c *basisCall) fixedColumns() int {
	columns := 1
	if c.kind == "bs" {
		columns = c.degree
	}
	if c.all {
		columns++
	}
	return columns
}

// learn computes the parameters of the basis from x: the values of all rows that have one, x[i] counted counts[i]
// times, or once.
func (c *basisCall) learn(x, counts []float64) (*Basis, error) {
	if c.smooth != nil {
		return c.smooth.learn(x, counts)
	}
	out := &Basis{Kind: c.kind, Degree: c.degree, Raw: c.raw, Intercept: c.all}
	sorted := slices.Sorted(slices.Values(x))
	if c.kind == "poly" {
		if c.raw {
			return out, nil
		}
		if distinct := len(slices.Compact(sorted)); distinct <= c.degree {
			return nil, fmt.Errorf("it has %d distinct values, and a polynomial of degree %d needs %d", distinct, c.degree,
				c.degree+1)
		}
		out.Alpha, out.Norm2 = orthogonal(x, counts, c.degree)
		return out, out.finite()
	}
	limits := [2]float64{sorted[0], sorted[len(sorted)-1]}
	return out, c.place(out, limits, func() ([]float64, error) {
		inside := between(sorted, x, counts, out.Boundary)
		if len(inside.values) == 0 {
			return nil, errors.New("no value lies inside Boundary.knots")
		}
		return inside.quantiles(c.df - c.fixedColumns()), nil
	})
}

// place finds the knots of a spline of numbers within limits; inner finds those inside that are not given.
func (c *basisCall) place(out *Basis, limits [2]float64, inner func() ([]float64, error)) (err error) {
	out.Boundary = limits
	if c.boundary != nil {
		out.Boundary = [2]float64(c.boundary)
	}
	if !(out.Boundary[0] < out.Boundary[1]) {
		return fmt.Errorf("it is %v in all rows, and a spline needs two values", limits[0])
	}
	switch {
	case c.knots != nil:
		out.Knots = c.knots
	case c.df > c.fixedColumns():
		if out.Knots, err = inner(); err != nil {
			return err
		}
	}
	for _, k := range out.Knots {
		if !(out.Boundary[0] < k && k < out.Boundary[1]) {
			return fmt.Errorf("the inner knot %v does not lie between the boundary knots %v and %v", k, out.Boundary[0],
				out.Boundary[1])
		}
	}
	return nil
}

// finite refuses polynomials whose squares overflow or vanish.
func (s *Basis) finite() error {
	for i, v := range s.Norm2 {
		if !(v >= 1/tooLarge && v <= tooLarge*tooLarge) || i < len(s.Alpha) && s.Alpha[i]-s.Alpha[i] != 0 {
			return errors.New("its powers are beyond the range of float64; measure the column in another unit")
		}
	}
	return nil
}

// ordered are values in increasing order.
type ordered struct {
	values []float64
	upTo   []float64 // how many are up to and including each of them; nil if each counts once
}

// between keeps the values of sorted x from limit to limit, x[i] counted counts[i] times; nil means once.
func between(sorted, x, counts []float64, limits [2]float64) ordered {
	out := ordered{values: slices.DeleteFunc(sorted, func(v float64) bool { return v < limits[0] || v > limits[1] })}
	if counts == nil {
		return out
	}
	out.values = slices.Compact(out.values)
	of := make(map[float64]float64, len(out.values))
	for i, v := range x {
		of[v] += counts[i]
	}
	n := 0.0
	for _, v := range out.values {
		n += of[v]
		out.upTo = append(out.upTo, n)
	}
	return out
}

// n is the number of values, and at the one with i before it.
func (o ordered) n() int {
	if o.upTo == nil {
		return len(o.values)
	}
	return int(o.upTo[len(o.upTo)-1])
}

func (o ordered) at(i int) float64 {
	if o.upTo == nil {
		return o.values[i]
	}
	return o.values[sort.Search(len(o.upTo), func(k int) bool { return o.upTo[k] > float64(i) })]
}

// quantiles returns the inner ones of k + 2 equally spaced quantiles, R's type 7: linear between order statistics.
func (o ordered) quantiles(k int) []float64 {
	out := make([]float64, k)
	for i := range out {
		at := float64(float64(o.n()-1) * (float64(i+1) / float64(k+1)))
		low := int(at)
		h := at - float64(low)
		below, above := o.at(low), o.at(min(low+1, o.n()-1))
		if out[i] = below; h > 0 && above != below {
			out[i] = float64((1-h)*below) + float64(h*above)
		}
	}
	return out
}

// columns is how many columns the basis makes of a number.
func (s *Basis) columns() int {
	intercept := 0
	if s.Intercept {
		intercept = 1
	}
	switch s.Kind {
	case "tp", "cr", "ps":
		return len(s.Map) / s.raw()
	case processBasis:
		return s.Process.Functions
	case "poly":
		return s.Degree
	case "ns":
		return len(s.Knots) + 1 + intercept
	}
	return len(s.Knots) + s.Degree + intercept
}

// outside counts the values beyond a spline's boundary knots.
func (s *Basis) outside(x []float64) int {
	n := 0
	for _, v := range x {
		if s.Kind != "poly" && (v < s.Boundary[0] || v > s.Boundary[1]) {
			n++
		}
	}
	return n
}

// evaluate writes the basis at every x, column by column. Cost: O(columns) a
// value for polynomials, O(degree² + columns) for splines (ns: O(columns)
// more).
func (s *Basis) evaluate(x []float64) [][]float64 {
	out := make([][]float64, s.columns())
	for p := range out {
		out[p] = make([]float64, len(x))
	}
	switch {
	case s.smooth():
		s.fillSmooth(out, x)
	case s.Kind != "poly":
		s.spline().fill(out, x)
	case s.Raw:
		for i, v := range x {
			term := 1.0
			for p := range out {
				term = float64(term * v)
				out[p][i] = term
			}
		}
	default:
		s.orthogonal(out, x)
	}
	return out
}

// orthogonal evaluates R's poly by its recurrence, the same for the data that
// it was learned from and for new ones.
//
// Source: Kennedy and Gentle (1980), Statistical Computing, pp. 343–4, as in
// R's predict.poly.
func (s *Basis) orthogonal(out [][]float64, x []float64) {
	for i, v := range x {
		before, z := 0.0, 1.0
		for p := range out {
			ratio := 0.0
			if p > 0 {
				ratio = s.Norm2[p+1] / s.Norm2[p]
			}
			before, z = z, math.FMA(v-s.Alpha[p], z, -float64(ratio*before))
			out[p][i] = z / math.Sqrt(s.Norm2[p+2])
		}
	}
}

// orthogonal returns the coefficients of the monic polynomials that are orthogonal over x, by Stieltjes' procedure:
// they are those that R finds by a QR decomposition of the powers, without forming the powers. Sums run in the
// package's fixed order. Each x counts once, or counts[i] times. Cost: O(degree·n).
//
// Source: Gautschi (2004), Orthogonal Polynomials, section 2.2.3.
func orthogonal(x, counts []float64, degree int) (alpha, norm2 []float64) {
	n := len(x)
	centre, _ := countedMeanAndSD(x, counts)
	before, z := make([]float64, n), make([]float64, n)
	square, moment := make([]float64, n), make([]float64, n)
	for i := range z {
		z[i] = 1
	}
	norm2 = []float64{1}
	for k := 0; ; k++ {
		for i, v := range z {
			square[i] = float64(v * v)
			if counts != nil {
				square[i] *= counts[i]
			}
			moment[i] = float64((x[i] - centre) * square[i])
		}
		norm2 = append(norm2, vec.Sum(square))
		if k == degree {
			return alpha, norm2
		}
		a := centre + vec.Sum(moment)/norm2[k+1]
		alpha = append(alpha, a)
		ratio := 0.0
		if k > 0 {
			ratio = norm2[k+1] / norm2[k]
		}
		for i, v := range z {
			before[i], z[i] = v, math.FMA(x[i]-a, v, -float64(ratio*before[i]))
		}
	}
}
