package cggibbs

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
)

// SubspaceVersion names the updates of several coefficients at once along trajectories: another one is another sequence
// of draws.
const SubspaceVersion = "subspace/1"

// A pilot of each fit makes some sweeps from the penalised point, of which the first do not count, takes the mean
// curvature of the others for a metric, and then tries step sizes for some sweeps each. The first one, of k
// directions, is firstStep·k^−¼, at which acceptance for a normal target hardly depends on k. Each next one is
// stepFactor of it, until stepAccepted of the proposals would be accepted.
//
// In warm-up and in every singlesEvery-th iteration coefficients of blocks are swept like others besides: what a
// trajectory of fixed steps cannot leave, a slice can.
const (
	curvatureSettle, curvatureSweeps    = 8, 16
	stepSweeps, stepTrials              = 4, 12
	firstStep, stepFactor, stepAccepted = 1.4, 0.75, 0.8
	singlesEvery                        = 16
	maxMembers                          = 200
)

// subspace is some directions of coefficients that are drawn jointly given all else: the displacements z along them
// have the posterior of a GLM whose design is what the directions do to eta, whose offset is eta. Directions are those
// in which this posterior is near N(0, I), so that trajectories need no metric. For gaussian(identity) with normal and
// flat priors the draw is exact, else a transition of NUTS.
//
// It depends on the data alone, never on a chain, which so has no state of it. Chains share it.
//
// Source: Luu et al. (2024), arXiv:2410.03630, section 6, of NUTS within Gibbs; Roberts and Sahu (1997),
// doi:10.1111/1467-9868.00070, of what blocks are worth.
type subspace struct {
	names   []string // of the coefficients of a block; nil if directions are of all coefficients
	members []int    // coefficients that the directions move, in order
	ridge   []float64
	size    int         // directions
	betas   []float64   // len(members) × size, by column
	like    *glm.Target // on X·betas, with flat priors
	step    float64

	// Normal and flat priors: their precisions times the directions, by column, and their second derivatives.
	weighted, quadratic []float64
	others              []otherPrior
	gram                []float64 // of X·betas at sigma = 1 where the draw is exact, else nil
	accepted            float64   // in the pilot
}

// otherPrior is one that is neither normal nor flat, with the place of its coefficient in members.
type otherPrior struct {
	place int
	prior.Prior
}

// newSubspace returns directions by column over some coefficients.
func newSubspace(target *glm.Target, names []string, members []int, betas []float64) *subspace {
	d := &subspace{names: names, members: members, betas: betas, size: len(betas) / len(members)}
	ridge := priorRidge(target)
	for i, j := range members {
		p := target.Model().Coefficients[j]
		if d.ridge = append(d.ridge, ridge[j]); p.Kind != prior.Normal && p.Kind != prior.Flat {
			d.others = append(d.others, otherPrior{i, p})
		}
	}
	n := target.Rows()
	x := design.NewDense(n, d.size)
	for c := range d.size {
		for i, j := range members {
			if b := betas[c*len(members)+i]; b != 0 {
				target.Data().X.Column(j).AddTo(x.Col(c), b)
			}
		}
	}
	d.step = firstStep / math.Sqrt(math.Sqrt(float64(d.size)))
	d.lay(target, x)
	return d
}

// lay completes it from what the directions do to eta.
func (d *subspace) lay(target *glm.Target, x *design.Dense) {
	m, k := len(d.members), d.size
	d.like = target.Rebased(x, make([]float64, x.Rows))
	d.weighted, d.quadratic = make([]float64, m*k), make([]float64, k*k)
	for a := range k {
		for i, j := range d.members {
			if p := target.Model().Coefficients[j]; p.Kind == prior.Normal {
				d.weighted[a*m+i] = d.betas[a*m+i] / p.Scale / p.Scale
			}
		}
		for b := range a + 1 {
			q := kernels.Dot(d.weighted[a*m:(a+1)*m], d.betas[b*m:(b+1)*m])
			d.quadratic[a*k+b], d.quadratic[b*k+a] = q, q
		}
	}
	if target.ClosedGaussian() && len(d.others) == 0 {
		w, unit := make([]float64, x.Rows), [2]float64{1, 1}
		d.gram = make([]float64, k*k)
		d.like.RowInformation(w, unit[:], w)
		linalg.Gram(x.Values, x.Rows, k, w, d.gram)
	}
}

// columns are the changes of eta along the directions.
func (d *subspace) columns() *design.Dense { return d.like.Data().X.(*design.Dense) }

// addCurvature adds the posterior's curvature along the directions at a point to the lower triangle h.
func (d *subspace) addCurvature(p *glm.Point, h []float64) {
	x, m, k := d.columns(), len(d.members), d.size
	w, here := make([]float64, x.Rows), make([]float64, k*k)
	d.like.RowInformation(p.Eta(), p.Dispersions(), w)
	linalg.Gram(x.Values, x.Rows, k, w, here)
	for a := range k {
		for b := range a + 1 {
			sum := here[a*k+b]
			for i, r := range d.ridge {
				sum = math.FMA(float64(r*d.betas[a*m+i]), d.betas[b*m+i], sum)
			}
			h[a*k+b] += sum
		}
	}
}

// flatShare is the share of its curvature that a direction gets more, so that flat ones have a factor too.
const flatShare = 1e-9

// round takes other directions of the same span, in which curvature h is the identity; h is overwritten.
func (d *subspace) round(target *glm.Target, h []float64) error {
	k := d.size
	for a := range k {
		h[a*k+a] += math.FMA(flatShare, h[a*k+a], 1e-200)
	}
	factor, err := linalg.Cholesky(h, k)
	if err != nil {
		return fmt.Errorf("the curvature along %s is not positive: two columns may be the same", d)
	}
	t, x := factor.InverseTransposed(), d.columns()
	rotated := x.ZerosLike()
	t.MultiplyRows(x.Values, x.Rows, 0, x.Rows, rotated.Values)
	d.betas = t.Multiply(d.betas, len(d.members))
	d.lay(target, rotated)
	return nil
}

// String names its coefficients.
func (d *subspace) String() string {
	if d.names == nil {
		return fmt.Sprintf("%d slow directions", d.size)
	}
	return "(" + joined(d.names) + ")"
}

// words says how it is drawn.
func (d *subspace) words() string {
	if d.gram != nil {
		return fmt.Sprintf("%s jointly and exactly", d)
	}
	return fmt.Sprintf("%s jointly by NUTS (steps of %.2g, of which a pilot accepted %.2f)", d, d.step, d.accepted)
}

// checkBlocks demands coefficients that can be drawn jointly, each in one block.
func checkBlocks(target *glm.Target, blocks [][]string) error {
	params, taken := target.Parameters()[:target.Cols()], map[string]bool{}
	for _, names := range blocks {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("cggibbs: block (%s): "+format, append([]any{joined(names)}, args...)...)
		}
		if len(names) < 2 || len(names) > maxMembers {
			return fail("2 to %d coefficients can be drawn jointly, and it has %d", maxMembers, len(names))
		}
		for _, name := range names {
			j := slices.IndexFunc(params, func(p infer.Parameter) bool { return p.Name == name })
			switch {
			case j < 0:
				return fail("there is no coefficient %s", name)
			case taken[name]:
				return fail("%s stands twice in blocks", name)
			}
			taken[name] = true
			switch p := target.Model().Coefficients[j]; p.Kind {
			case prior.Normal, prior.Flat, prior.StudentT, prior.Cauchy, prior.Laplace:
			default:
				return fail("%s has the prior %s, and none but normal, flat, student_t, cauchy and laplace can be drawn "+
					"jointly: give it one of these, or leave it out of blocks", name, p)
			}
		}
	}
	if len(blocks) > 0 && target.Scales() > 0 {
		return fmt.Errorf("cggibbs: block (%s): horseshoe priors and smooths, whose scales are drawn too, move "+
			"beside single coefficients only", joined(blocks[0]))
	}
	return nil
}

// layBlocks makes the blocks that are asked for, which single updates then leave out.
func (s *basisSetup) layBlocks() {
	params, single := s.target.Parameters()[:s.target.Cols()], s.target.Cols()
	for _, names := range s.opts.Blocks {
		var members []int
		for j, p := range params {
			if slices.Contains(names, p.Name) {
				members = append(members, j)
			}
		}
		unit := make([]float64, len(members)*len(members))
		for i := range members {
			unit[i*len(members)+i] = 1
		}
		s.subspaces = append(s.subspaces, newSubspace(s.target, names, members, unit))
		if s.inBlock == nil {
			s.inBlock = make([]bool, s.target.Dim())
		}
		for _, j := range members {
			s.inBlock[j] = true
		}
		single -= len(members)
	}
	s.words = fmt.Sprintf("coordinate: each of %d coefficients by itself, those of blocks in warm-up and in every %dth "+
		"iteration", single, singlesEvery)
}

// laySlow makes a subspace of slow directions.
func (s *basisSetup) laySlow(betas [][]float64) {
	members := make([]int, s.target.Cols())
	for j := range members {
		members[j] = j
	}
	s.subspaces = append(s.subspaces, newSubspace(s.target, nil, members, slices.Concat(betas...)))
}
