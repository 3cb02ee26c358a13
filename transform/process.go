package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/vec"
)

// Process is a basis of gp(x), a Gaussian process on an interval: eigenfunctions of the Laplacian, 0 at its ends,
//
//	φ_m(u) = sin(m·π·(u + L)/(2L))/√L,  u = (x − Centre)/Unit,  L = Half
//
// gp(x, z) has one for each of its numbers, with the same Unit and Half, and the columns of the design are products.
//
// Source: Riutort-Mayol, Bürkner, Andersen, Solin and Vehtari (2023), doi:10.1007/s11222-022-10167-2, equation 5; Unit
// and Half are brms's.
type Process struct {
	Functions int     `json:"functions"`
	Centre    float64 `json:"centre"` // the mean of x
	Unit      float64 `json:"unit"`   // the largest distance of two points, or 1 with scale = FALSE
	Half      float64 `json:"half"`
	// Nearest and Farthest are the least positive and the largest distance of two points, in Units.
	Nearest  float64 `json:"nearest"`
	Farthest float64 `json:"farthest"`
}

// Sizes of gp(): functions, and the default of c.
const (
	defaultEdge  = 1.25
	maxEdge      = 100
	maxFunctions = 400 // of all numbers together
)

// defaultFunctions are those of each number of a process of one, two or three.
var defaultFunctions = []int{20, 10, 5}

// processFormals are the arguments of brms's gp that are here, in the order of those without names.
var processFormals = []string{"x", "by", "k", "cov", "scale", "c"}

// processArguments puts the arguments of gp under their names, of its numbers the first. Further ones of brms are
// refused by name.
func (s *selector) processArguments(n *node) ([]*node, error) {
	if most := len(defaultFunctions); len(n.coordinates()) > most {
		return nil, s.fail(n.args[most].pos, fmt.Sprintf("gp() takes at most %d numbers", most),
			"processes add up: gp(x) + gp(z)")
	}
	one := *n
	one.args, one.names = nil, nil
	for i, name := range n.names {
		if name == "" && i > 0 {
			continue
		}
		if all, ok := n.args[i].boolean(); name == "iso" && ok && all {
			continue
		}
		if slices.Contains([]string{"iso", "gr", "cmc"}, name) {
			return nil, s.fail(n.args[i].pos, fmt.Sprintf("%s of gp() is not supported", name), "leave it out")
		}
		one.args, one.names = append(one.args, n.args[i]), append(one.names, name)
	}
	return s.match(&one, processFormals)
}

// coordinates are the calls that make the bases of the numbers of s(…) or gp(…): n with each of them in front.
func (n *node) coordinates() (out []*node) {
	for i, name := range n.names {
		if name != "" && i > 0 {
			continue
		}
		of := *n
		of.args = slices.Insert(slices.Delete(slices.Clone(n.args), i, i+1), 0, n.args[i])
		of.names = slices.Insert(slices.Delete(slices.Clone(n.names), i, i+1), 0, name)
		out = append(out, &of)
	}
	return out
}

// processSettings reads the arguments of gp other than its first number.
func (s *selector) processSettings(n *node, args []*node) (*smoothCall, error) {
	c := &smoothCall{bs: processBasis, edge: defaultEdge, ranged: true}
	for _, other := range n.coordinates()[1:] {
		c.others = append(c.others, other.args[0])
		if err := s.arithmetic(other.args[0]); err != nil {
			return nil, err
		}
	}
	c.k = defaultFunctions[len(c.others)]
	by, k, cov, scale, edge := args[1], args[2], args[3], args[4], args[5]
	if k != nil {
		v, ok := k.number()
		if !ok || v < minK || v > maxK || v != math.Trunc(v) {
			return nil, s.fail(k.pos, fmt.Sprintf("k of gp() is a whole number from %d to %d", minK, maxK),
				fmt.Sprintf("k is the number of basis functions of each number; the default is %d", c.k))
		}
		c.k = int(v)
	}
	if most := maxOfEach(len(c.others) + 1); c.k > most {
		return nil, s.fail(k.pos, fmt.Sprintf("k = %d is too large for gp() of %d numbers: k counts the functions of each",
			c.k, len(c.others)+1), fmt.Sprintf("all together are at most %d: write k = %d", maxFunctions, most))
	}
	if cov != nil && (cov.kind != nodeString || cov.text != "exp_quad") {
		return nil, s.fail(cov.pos, fmt.Sprintf("the covariance %s of gp() is not supported", shortened(cov.label())),
			`leave it out, which is "exp_quad"`)
	}
	if scale != nil {
		v, ok := scale.boolean()
		if !ok {
			return nil, s.fail(scale.pos, "scale of gp() is TRUE or FALSE", "")
		}
		c.ranged = v
	}
	if edge != nil {
		v, ok := edge.ratio()
		if !ok || !(v >= 1) || v > maxEdge {
			return nil, s.fail(edge.pos, fmt.Sprintf("c of gp() is a number from 1 to %d", maxEdge),
				"c is the half width of the interval of the functions in ranges of x; the default is 5/4")
		}
		c.edge = v
	}
	return c, s.multiply(c, by, "as by of gp()")
}

// maxOfEach is the largest k of a process along some numbers.
func maxOfEach(numbers int) int {
	return []int{maxK, 20, 7}[numbers-1] // 20² and 7³ are at most maxFunctions
}

// ratio returns the value of a number or of a quotient such as 5/4.
func (n *node) ratio() (float64, bool) {
	n = n.bare()
	if n.kind != nodeBinary || n.text != "/" {
		return n.number()
	}
	a, ok := n.args[0].number()
	b, and := n.args[1].number()
	return a / b, ok && and && b != 0
}

// processBasis is the Kind of the basis of gp().
const processBasis = "gp"

// learnProcess makes the basis of a process along the first of its numbers. Each point counts once, as in brms.
func (c *smoothCall) learnProcess(x []float64) (*Basis, error) {
	points := distinctPoints(append([][]float64{x}, c.with...))
	p := &Process{Functions: c.k, Unit: 1}
	p.Nearest, p.Farthest = distances(points)
	if c.ranged {
		p.Unit = p.Farthest
	}
	if !(p.Nearest > 0) || math.IsInf(p.Farthest, 0) {
		return nil, errors.New("its points are all one, or too far from each other")
	}
	p.Nearest, p.Farthest = p.Nearest/p.Unit, p.Farthest/p.Unit
	parts := make([]stretch, len(points[0]))
	for i := range parts {
		parts[i] = stretchOf(points, i)
	}
	span := 0.0 // of all numbers, each less its mean
	for i, one := range parts {
		span = max(span, one.high-one.low)
		for _, other := range slices.Concat(parts[:i], parts[i+1:]) {
			span = max(span, (one.high-one.mean)-(other.low-other.mean))
		}
	}
	p.Centre, p.Half = parts[0].mean, float64(c.edge*max(1, span/p.Unit))
	return &Basis{Kind: processBasis, Boundary: [2]float64{parts[0].low, parts[0].high}, Process: p}, nil
}

// check finds a process that no Build writes.
func (p *Process) check(label string) error {
	if p.Functions < minK || p.Functions > maxK || !(p.Unit > 0) || !(p.Half > 0) || !(p.Nearest > 0) ||
		!(p.Farthest >= p.Nearest) || p.Centre-p.Centre != 0 {
		return fmt.Errorf("design record: the basis of %q is not one of gp() with all that it needs", label)
	}
	return nil
}

// fill writes the functions at every x; beyond the interval they are 0.
func (p *Process) fill(out [][]float64, x []float64) {
	scale := 1 / math.Sqrt(p.Half)
	for i, v := range x {
		u := max(0, min(2*p.Half, (v-p.Centre)/p.Unit+p.Half))
		for m := range out {
			out[m][i] = float64(scale * vec.Sin(float64(p.frequency(m)*u)))
		}
	}
}

// frequency is the square root of the eigenvalue of function m, from 0.
func (p *Process) frequency(m int) float64 { return float64(m+1) * math.Pi / (2 * p.Half) }

// resolution is how many half widths of the interval, divided by the number of functions, the shortest length has that
// they represent.
//
// Source: Riutort-Mayol and others (2023), equation 22.
const resolution = 1.75

// A Wave is a Gaussian process of the design, with the basis of its first number.
type Wave struct {
	*Smooth
	*Process
}

// Waves are the Gaussian processes of the design.
func (r *Record) Waves() (out []Wave) {
	for i := range r.Smooths {
		if b := r.Variables[r.Smooths[i].Basis].Basis; b != nil && b.Process != nil {
			out = append(out, Wave{&r.Smooths[i], b.Process})
		}
	}
	return out
}

// Shortest returns the shortest length that the functions represent.
func (p *Process) Shortest() float64 { return resolution * p.Half / float64(p.Functions) }

// Enough returns how many functions of each number represent a length, and whether gp() takes so many.
func (w *Wave) Enough(length float64) (k int, can bool) {
	k = int(math.Ceil(resolution * w.Half / length))
	return k, k <= maxOfEach(len(w.Others)+1)
}

// frequencies are those of products of functions of bases, those of the first in turn for each of the others: the roots
// of sums of eigenvalues.
func frequencies(of []*Basis) []float64 {
	squares := []float64{0}
	for _, b := range of {
		var next []float64
		for m := range b.Process.Functions {
			for _, v := range squares {
				f := b.Process.frequency(m)
				next = append(next, math.FMA(f, f, v))
			}
		}
		squares = next
	}
	for i, v := range squares {
		squares[i] = math.Sqrt(v)
	}
	return squares
}
