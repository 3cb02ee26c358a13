package conjugate

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// SelectionVersion names what Selection computes: it changes whenever other bits come out.
const SelectionVersion = "selection/1"

// MaxCandidates is the largest number of coefficients under spike_slab that Selection takes: it looks at all models.
const MaxCandidates = 16

// Selection is the posterior of a gaussian(identity) model in which some coefficients, the candidates, have the
// prior spike_slab. It holds the distribution of the included candidates, with coefficients and sigma integrated
// out, and makes exact draws of these given the included ones. It is read-only once made.
type Selection struct {
	target     *glm.Target
	candidates []int
	all        *reduction // of the model with all candidates, without its normal part
	t          triangle
}

// NewSelection reduces the data once for all models. It returns an *UnsupportedError for another family or prior, or
// more than MaxCandidates candidates, and the errors of New. Cost: about n·d² multiplications.
func NewSelection(target *glm.Target) (*Selection, error) {
	s := &Selection{target: target}
	slabs := *target.Model()
	slabs.Coefficients = slices.Clone(slabs.Coefficients)
	for j, p := range slabs.Coefficients {
		if p.Kind == prior.SpikeSlab {
			s.candidates = append(s.candidates, j)
			slabs.Coefficients[j] = prior.Prior{Kind: prior.Normal, Scale: p.Scale}
		}
	}
	if n := len(s.candidates); n < 1 || n > MaxCandidates {
		return nil, unsupported(fmt.Sprintf("a model of %d coefficients with the prior spike_slab", n),
			fmt.Sprintf("give 1 to %d of them this prior, or use method cggibbs, which takes any number", MaxCandidates))
	}
	if err := supported(&slabs); err != nil {
		return nil, err
	}
	var err error
	s.all, s.t, err = begin(target.Data(), &slabs)
	return s, err
}

// Candidates are the columns that may be left out, in ascending order.
func (s *Selection) Candidates() []int { return s.candidates }

// reduction returns that of the model with the candidates of state 1.
func (s *Selection) reduction(x []uint8) (*reduction, error) {
	p := *s.all
	f := p.f()
	p.normal, p.location, p.scale, p.aF = nil, nil, nil, nil
	var from []int // columns of the triangle
	for i, j := range s.all.normal {
		if c, is := slices.BinarySearch(s.candidates, j); is && x[c] == 0 {
			continue
		}
		p.normal, from = append(p.normal, j), append(from, f+i)
		p.location, p.scale = append(p.location, s.all.location[i]), append(p.scale, s.all.scale[i])
		p.aF = append(p.aF, s.all.aF[i*f:(i+1)*f]...)
	}
	from = append(from, f+s.all.g())
	return &p, p.takeNormal(triangle{func(i, j int) float64 { return s.t.at(i, from[j-f]) }, s.t.rows})
}

// LogWeights returns the log posterior weight of every model, the first candidate being the slowest digit: the log
// density of the response with coefficients and sigma integrated out, to about 1e-10, and the prior's odds. The
// weights have one constant in common. Cost: 2^candidates times d³ and some hundred evaluations of O(d).
func (s *Selection) LogWeights() ([]float64, error) {
	n := len(s.candidates)
	out, x := make([]float64, 1<<n), make([]uint8, n)
	for k := range out {
		odds := 0.0
		for c, j := range s.candidates {
			x[c] = uint8(k >> (n - 1 - c) & 1)
			w := s.target.Model().Coefficients[j].Inclusion
			if x[c] == 1 {
				odds += vec.Log(w)
			} else {
				odds += vec.Log1p(-w)
			}
		}
		p, err := s.reduction(x)
		if err != nil {
			return nil, err
		}
		evidence, err := p.logEvidence()
		if err != nil {
			return nil, err
		}
		out[k] = odds + evidence
	}
	return out, nil
}

// logEvidence returns the log of the integral of the density of y over log sigma, without factors that depend on
// the flat columns and the number of rows alone. The trapezoidal rule on half the width of the narrowest mode
// converges geometrically; the sum ends where terms are below e^−drop of the largest.
func (p *reduction) logEvidence() (float64, error) {
	modes, err := p.modes()
	if err != nil {
		return 0, err
	}
	top, width := math.Inf(-1), math.Inf(1)
	for _, ell := range modes {
		top = max(top, p.logDensity(ell))
		curvature := (p.slope(ell-1e-3) - p.slope(ell+1e-3)) / 2e-3
		width = min(width, 1/math.Sqrt(max(curvature, 1e-2)))
	}
	step, sum := 0.5*width, 0.0
	for side := range 2 {
		direction := float64(1 - 2*side)
		for i := side; ; i++ {
			ell := math.FMA(direction*step, float64(i), modes[0])
			v := p.logDensity(ell) - top
			sum += vec.Exp(v)
			beyond := ell < modes[0] || ell > modes[len(modes)-1]
			if beyond && v < -drop {
				break
			}
			if math.Abs(ell) > logRange {
				return 0, &NumericError{Err: errRange}
			}
		}
	}
	return top + vec.Log(step*sum), nil
}

// logDensity is the log density of ell = log sigma with its constants, see marginal.
func (p *reduction) logDensity(ell float64) float64 {
	sigma := vec.Exp(ell)
	variance := float64(sigma * sigma)
	sum := ell + p.sigma.LogDensityAt(sigma, ell) - float64(float64(p.noise)*ell)
	if p.noise > 0 {
		sum -= p.rss / (2 * variance)
	}
	for k, s := range p.s {
		total := math.FMA(s, s, variance)
		sum -= math.FMA(0.5, vec.Log(total), float64(p.w[k]/(2*total)*p.w[k]))
	}
	return sum
}

// maxLaws bounds the models for which a Drawer keeps the distribution of sigma.
const maxLaws = 1024

// Drawer draws the coefficients and sigma of models. It belongs to one chain.
type Drawer struct {
	*Selection
	k    kernel
	laws map[string]*setup
}

// Drawer returns a drawer that takes its numbers from rng.
func (s *Selection) Drawer(rng *infer.Stream) *Drawer {
	d := s.target.Cols()
	return &Drawer{Selection: s, laws: map[string]*setup{},
		k: kernel{rng: rng, theta: make([]float64, d+1), z: make([]float64, d), c: make([]float64, d), b: make([]float64, d)}}
}

// Theta is the last draw: the coefficients, 0 of candidates that are left out, then sigma. It aliases the drawer's own.
func (d *Drawer) Theta() []float64 { return d.k.theta }

// Draw draws theta given the states of the candidates, independently of what was drawn before. Cost: that of New on the
// reduced data where the model was not among the last ones, then that of a step.
func (d *Drawer) Draw(x []uint8) (infer.Info, error) {
	s, ok := d.laws[string(x)]
	if !ok {
		p, err := d.reduction(x)
		if err != nil {
			return infer.Info{}, err
		}
		l, err := newLaw(p)
		if err != nil {
			return infer.Info{}, err
		}
		if len(d.laws) >= maxLaws {
			clear(d.laws)
		}
		s = &setup{target: d.target, red: p, law: l}
		d.laws[string(x)] = s
	}
	clear(d.k.theta)
	k := d.k
	k.setup, k.z, k.c, k.b = s, k.z[:s.red.g()], k.c[:s.red.r()], k.b[:s.red.f()]
	return k.Step()
}
