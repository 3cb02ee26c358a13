package cggibbs

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/glm"
	"glmbatch/internal/state"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// ReducedBy returns a sampler of a posterior that uses another sampler, such as NUTS, for the directions that the
// likelihood depends on. sampler is given the posterior of (theta_F, z), in which z has the prior N(0, I)
// (reduction). The remaining directions of theta_G are drawn in each iteration as in the reduced basis. Its draws
// are stored as rows too (infer.Compact).
//
// It returns an error where the posterior has no reduction. Cost: that of the
// decomposition of the design, see reduce, and of sampler.
func ReducedBy(target *glm.Target, sampler func(*glm.Target) (infer.Setup, error)) (infer.Setup, error) {
	if target.Scales() > 0 {
		return nil, errors.New("cggibbs: horseshoe priors have no reduced coordinates: leave out basis, or use method " +
			"cggibbs with basis: mixture")
	}
	target = target.Vectorised()
	p, err := reduce(target)
	if err != nil {
		return nil, fmt.Errorf("cggibbs: no reduced coordinates: %w; leave out basis", err)
	}
	seen, err := glm.NewTarget(p.posterior())
	if err != nil {
		return nil, err
	}
	inner, err := sampler(seen)
	if err != nil {
		return nil, err
	}
	reduced := &basisSetup{shared: shared{target: target}, reduction: p,
		frame: &basis.Frame{Design: p.design, Origin: make([]float64, p.design.Cols)}}
	return &seenSetup{reducedSetup: &reducedSetup{reduced}, inner: inner}, nil
}

// posterior returns data and model of (theta_F, z).
func (p *reduction) posterior() (*glm.Data, glm.Model) {
	data, model := *p.target.Data(), *p.target.Model()
	intercept := -1
	data.Names = nil
	for i, j := range p.kept {
		if j == data.Intercept {
			intercept = i
		}
	}
	data.X, data.Offset, data.Intercept = p.design, p.offset, intercept
	model.Coefficients, model.Groups = p.priors(), nil
	return &data, model
}

// seenSetup is a reducedSetup whose (theta_F, z) another sampler moves.
type seenSetup struct {
	*reducedSetup
	inner infer.Setup
}

// Explain says what is sampled.
func (s *seenSetup) Explain() string {
	return fmt.Sprintf("reduced: the likelihood sees %d directions of %d coefficients with normal priors, sampled with "+
		"%d others; "+
		"the rest is drawn from the prior", s.reduction.space.Rank, len(s.reduction.normal), len(s.reduction.kept))
}

// Kernel returns one chain, which starts where inner starts.
func (s *seenSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if err := checkStream(c); err != nil {
		return nil, err
	}
	key := c.Stream.Uint64()
	inner, err := s.inner.Kernel(c)
	if err != nil {
		return nil, err
	}
	k := &seenKernel{seenSetup: s, chain: inner, key: key, hidden: newHidden(s.reduction), warmup: int64(c.Warmup),
		at: make([]float64, len(s.inner.Parameters()))}
	k.Saver = state.NewSaver("cggibbs", seenStateVersion, k.list)
	k.arrive()
	return k, nil
}

// seenKernel is one chain. Its state is that of the other sampler's with the key and
// the iteration.
type seenKernel struct {
	*seenSetup
	state.Saver
	chain     infer.Kernel // of the other sampler
	hidden    *hidden
	key       uint64
	iteration int64
	warmup    int64     // iterations whose rows are not expanded
	at        []float64 // (theta_F, z) and the dispersions
}

// kept reports whether the draw at the point may be read.
func (k *seenKernel) kept() bool { return k.iteration > k.warmup || k.warmup == 0 }

// arrive brings what the likelihood does not see up to date.
func (k *seenKernel) arrive() {
	k.chain.Position(k.at)
	k.hidden.arrive(k.key, k.iteration, k.z())
}

// z is that part of at.
func (k *seenKernel) z() []float64 { return k.at[len(k.reduction.kept):k.reduction.design.Cols] }

// Step makes a step of the other sampler. Cost: that step, and after warm-up what
// the likelihood does not see, which LogPrior counts; in warm-up LogPrior is NaN.
func (k *seenKernel) Step() (infer.Info, error) {
	info, err := k.chain.Step()
	if err != nil {
		return info, err
	}
	k.iteration++
	k.arrive()
	if !k.kept() {
		info.LogPrior = math.NaN()
		return info, nil
	}
	constants := float64(float64(len(k.z())) * halfLog2Pi) // of N(0, I) at z, which theta_G's density has not
	info.LogPrior += k.reduction.constant + (constants - 0.5*k.hidden.residual())
	return info, nil
}

// Position writes beta, then the dispersions that are parameters.
func (k *seenKernel) Position(dst []float64) {
	for i, j := range k.reduction.kept {
		dst[j] = k.at[i]
	}
	k.hidden.position(dst)
	copy(dst[k.target.Cols():], k.at[k.reduction.design.Cols:])
}

// SetPosition moves the chain to theta where the other sampler can be moved. The part of theta that the likelihood
// does not depend on is that of the iteration.
func (k *seenKernel) SetPosition(theta []float64) error {
	p, ok := k.chain.(interface{ SetPosition(theta []float64) error })
	if !ok {
		return fmt.Errorf("cggibbs: %T cannot be moved", k.chain)
	}
	if len(theta) != k.target.Dim() {
		return fmt.Errorf("cggibbs: a position of %d numbers for %d parameters", len(theta), k.target.Dim())
	}
	d := k.target.Cols()
	v := make([]float64, len(k.at))
	k.reduction.sampled(theta[:d], v[:k.reduction.design.Cols])
	copy(v[k.reduction.design.Cols:], theta[d:])
	if err := p.SetPosition(v); err != nil {
		return err
	}
	k.arrive()
	return nil
}

// Row writes (theta_F, z), the dispersions, the log density of z, and w.
func (k *seenKernel) Row(dst []float64) {
	copy(dst, k.at)
	rest := dst[len(k.at):]
	rest[0] = math.FMA(-0.5, vec.SumSquares(k.z()), -float64(float64(len(k.z()))*halfLog2Pi))
	clear(rest[1:])
	if k.kept() {
		k.hidden.settle()
		copy(rest[1:], k.hidden.w)
	}
}

// Start says how the starting point was drawn.
func (k *seenKernel) Start() string { return k.chain.Start() }

// Key names the numbers ε of this chain.
func (k *seenKernel) Key() uint64 { return k.key }

// reducedSetup is a basisSetup in the reduced basis, whose draws can be stored as rows.
type reducedSetup struct{ *basisSetup }

// reducedKernel is its kernel.
type reducedKernel struct{ *basisKernel }

// Kernel returns one chain at its dispersed start.
func (s *reducedSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.basisSetup.Kernel(c)
	if err != nil {
		return nil, err
	}
	b := k.(*basisKernel)
	b.warmup = int64(c.Warmup)
	return &reducedKernel{b}, nil
}

// Row describes theta_F, z and the dispersions, the log density of z, and w = z −
// Vᵀε.
func (s *reducedSetup) Row() []infer.RowEntry {
	p, all := s.reduction, s.Parameters()
	var out []infer.RowEntry
	add := func(kind infer.RowKind, name string) { out = append(out, infer.RowEntry{Name: name, Kind: kind}) }
	for _, j := range p.kept {
		add(infer.Shared, all[j].Name)
	}
	for k := range p.space.Rank {
		add(infer.Sampled, fmt.Sprintf("z[%d]", k+1))
	}
	for _, d := range all[s.target.Cols():] {
		add(infer.Shared, d.Name)
	}
	add(infer.Statistic, "log_density_z")
	for k := range p.space.Rank {
		add(infer.Carried, fmt.Sprintf("w[%d]", k+1))
	}
	return out
}

// Expand makes parameters first to last−1 of rows, see infer.Compact. Cost: O(n·r)
// a row, and O(r) or O(n) an entry with one normal draw.
func (s *reducedSetup) Expand(dst []float64, stride int, rows []float64, key uint64, iterations []int64, first,
	last int) {
	p, m := s.reduction, len(iterations)
	size, d := len(rows)/max(m, 1), s.target.Cols()
	copied := func(j, at int) { // an entry of the row
		for i := range m {
			dst[(j-first)*stride+i] = rows[i*size+at]
		}
	}
	for i, j := range p.kept {
		if first <= j && j < last {
			copied(j, i)
		}
	}
	for j := max(first, d); j < last; j++ {
		copied(j, len(s.frame.Origin)+j-d)
	}
	from, to := place(p.normal, first), place(p.normal, last)
	memory, _ := p.lifts.Get().(*[]float64)
	if memory == nil {
		memory = new([]float64)
	}
	defer p.lifts.Put(memory)
	*memory = slices.Grow((*memory)[:0], m*p.rowLength())
	q := p.liftedRows(rows, size, (*memory)[:m*p.rowLength()])
	for c := from; c < to; c += expandColumns {
		end := min(c+expandColumns, to)
		p.expand(q, key, iterations, c, end, func(entry, i int) []float64 { return dst[(p.normal[entry]-first)*stride+i:] },
			stride)
	}
}

// expandColumns is the number of columns that are expanded together: ε and what comes
// of it stay in a core's cache.
const expandColumns = 256

// liftedRows writes lifted(w) of rows, one after the other, to q and returns it.
func (p *reduction) liftedRows(rows []float64, size int, q []float64) []float64 {
	n := p.rowLength()
	for i := range len(q) / max(n, 1) {
		w := rows[(i+1)*size-p.space.Rank : (i+1)*size]
		copy(q[i*n:(i+1)*n], p.lifted(w, q[i*n:(i+1)*n]))
	}
	return q
}

// expand computes entries from to to−1 of theta_G at some iterations, of a dense design eight at a time while there
// are as many. at is the index of an entry from iteration i on; the next column's is a stride further.
func (p *reduction) expand(q []float64, key uint64, iterations []int64, from, to int, at func(entry, i int) []float64,
	stride int) {
	n, m := p.rowLength(), to-from
	epsilon, along := make([]float64, lines*m), make([]float64, lines*m)
	i := 0
	for ; p.sparse == nil && i+lines <= len(iterations); i += lines {
		for c := from; c < to; {
			last := p.neighbours(c, to)
			some := epsilon[:lines*(last-c)]
			for l, iteration := range iterations[i : i+lines] {
				variate.NormalsAt(key, uint64(iteration+1), c, some[l*(last-c):(l+1)*(last-c)])
			}
			p.thetas(c, last, q[i*n:(i+lines)*n], some, along, at(c, i), stride)
			c = last
		}
	}
	for ; i < len(iterations); i++ {
		variate.NormalsAt(key, uint64(iterations[i]+1), from, epsilon[:m])
		p.theta(from, q[i*n:(i+1)*n], epsilon[:m], along)
		for c, x := range epsilon[:m] {
			at(from+c, i)[0] = x
		}
	}
}

// place returns the number of columns before j.
func place(columns []int, j int) int {
	n := 0
	for _, c := range columns {
		if c < j {
			n++
		}
	}
	return n
}
