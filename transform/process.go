package transform

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/vec"
)

// Process is a basis of gp(x), a Gaussian process on an interval: eigenfunctions of the Laplacian, 0 at its ends,
//
//	φ_m(u) = sin(m·π·(u + L)/(2L))/√L,  u = (x − Centre)/Unit,  L = Half
//
// Source: Riutort-Mayol, Bürkner, Andersen, Solin and Vehtari (2023), doi:10.1007/s11222-022-10167-2, equation 5; Unit
// and Half are brms's.
type Process struct {
	Functions int     `json:"functions"`
	Centre    float64 `json:"centre"` // the mean of x
	Unit      float64 `json:"unit"`   // the range of x, or 1 with scale = FALSE
	Half      float64 `json:"half"`
	// Nearest and Farthest are the least positive and the largest distance of two values of u.
	Nearest  float64 `json:"nearest"`
	Farthest float64 `json:"farthest"`
}

// Sizes of gp(): functions, and the default of c.
const (
	defaultFunctions = 20
	defaultEdge      = 1.25
	mostEdge         = 100
)

// processFormals are the arguments of brms's gp that are here, in the order of those without names.
var processFormals = []string{"x", "by", "k", "cov", "scale", "c"}

// processArguments puts the arguments of gp under their names. Further ones of brms are refused by name.
func (s *selector) processArguments(n *node) ([]*node, error) {
	for i, name := range n.names {
		switch {
		case i > 0 && name == "":
			return nil, s.fail(n.args[i].pos, "gp() is a process along one number",
				"processes of several numbers add up: gp(x) + gp(z); surfaces are not supported")
		case slices.Contains([]string{"iso", "gr", "cmc"}, name):
			return nil, s.fail(n.args[i].pos, fmt.Sprintf("%s of gp() is not supported", name), "leave it out")
		}
	}
	return s.match(n, processFormals)
}

// processSettings reads the arguments of gp besides x.
func (s *selector) processSettings(args []*node) (*smoothCall, error) {
	c := &smoothCall{k: defaultFunctions, bs: processBasis, edge: defaultEdge, ranged: true}
	by, k, cov, scale, edge := args[1], args[2], args[3], args[4], args[5]
	if k != nil {
		v, ok := k.number()
		if !ok || v < leastK || v > mostK || v != math.Trunc(v) {
			return nil, s.fail(k.pos, fmt.Sprintf("k of gp() is a whole number from %d to %d", leastK, mostK),
				fmt.Sprintf("k is the number of basis functions; the default is %d", defaultFunctions))
		}
		c.k = int(v)
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
		if !ok || !(v >= 1) || v > mostEdge {
			return nil, s.fail(edge.pos, fmt.Sprintf("c of gp() is a number from 1 to %d", mostEdge),
				"c is the half width of the interval of the functions in ranges of x; the default is 5/4")
		}
		c.edge = v
	}
	return c, s.multiply(c, by, "as by of gp()")
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

// learnProcess makes the basis of a process along the values.
func (c *smoothCall) learnProcess(d values) *Basis {
	low, high := d.x[0], d.x[len(d.x)-1]
	sum, n := 0.0, 0.0
	for i, x := range d.x {
		sum, n = math.FMA(d.n[i], x-low, sum), n+d.n[i]
	}
	p := &Process{Functions: c.k, Centre: low + sum/n, Unit: 1, Nearest: math.Inf(1)}
	if c.ranged {
		p.Unit = high - low
	}
	for i := range d.x[1:] {
		p.Nearest = min(p.Nearest, (d.x[i+1]-d.x[i])/p.Unit)
	}
	p.Farthest = (high - low) / p.Unit
	p.Half = float64(c.edge * max(1, p.Farthest))
	return &Basis{Kind: processBasis, Boundary: [2]float64{low, high}, Process: p}
}

// check finds a process that no Build writes.
func (p *Process) check(label string) error {
	if p.Functions < leastK || p.Functions > mostK || !(p.Unit > 0) || !(p.Half > 0) || !(p.Nearest > 0) ||
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

// A Wave is a Gaussian process of the design.
type Wave struct {
	*Smooth
	*Process
}

// Waves are the Gaussian processes of the design.
func (r *Record) Waves() (out []Wave) {
	for i := range r.Smooths {
		if p := r.Variables[r.Smooths[i].Basis].Basis.Process; p != nil {
			out = append(out, Wave{&r.Smooths[i], p})
		}
	}
	return out
}

// Shortest returns the shortest length that the functions represent.
func (p *Process) Shortest() float64 { return resolution * p.Half / float64(p.Functions) }

// Enough returns how many functions represent a length.
func (p *Process) Enough(length float64) int { return int(math.Ceil(resolution * p.Half / length)) }

// frequencies are those of all functions.
func (p *Process) frequencies() []float64 {
	out := make([]float64, p.Functions)
	for m := range out {
		out[m] = p.frequency(m)
	}
	return out
}
