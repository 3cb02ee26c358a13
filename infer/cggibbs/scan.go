package cggibbs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/dogs"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
)

// FocusVersion names the rules by which Options.Focus becomes a list: another one is
// another sequence of draws.
const FocusVersion = "focus/2"

// scan is which coordinates an iteration updates, and in which order. It depends on
// the number of the iteration and never on the state, so that each iteration leaves the posterior as
// it is.
type scan struct {
	dim    int // coordinates: coefficients and dispersions
	random bool
	first  int64   // iterations of warm-up, all of them sweeps: starts are far away
	every  int64   // from then on, one sweep in every iterations
	list   []int32 // the updates of the others
	plan   *dogs.Plan
	words  string // of a list, or why there is none; empty if none was asked for
}

// updates is the number of updates in an iteration.
func (s *scan) updates(iteration int64) int {
	if s.sweeps(iteration) {
		return s.dim
	}
	return len(s.list)
}

// sweeps reports whether an iteration updates all coordinates.
func (s *scan) sweeps(iteration int64) bool {
	return s.every <= 1 || iteration < s.first || (iteration-s.first)%s.every == 0
}

// of returns the scan of a chain.
func (s *scan) of(c infer.Chain) *scan {
	own := *s
	own.first = int64(c.Warmup)
	return &own
}

// coordinate is that of update i in an iteration. It takes a number of the stream in
// random scans only.
func (s *scan) coordinate(i int, iteration int64, stream *infer.Stream) int {
	switch {
	case s.random:
		return variate.Index(stream, s.dim)
	case s.sweeps(iteration):
		return i
	}
	return int(s.list[i])
}

// focusLimit is the largest number of coefficients that a list is made for: it takes
// their cube in products.
const focusLimit = 1000

// newScan returns the scan of dim coordinates, the coefficients first. Cost, with a
// focus: one Newton iteration and dogs.PlanCycle.
func newScan(target *glm.Target, opts Options, dim int) *scan {
	s := &scan{dim: dim, random: opts.Scan == "random", every: 1}
	if opts.Focus == nil {
		return s
	}
	names := target.Parameters()[:target.Cols()]
	s.words = "scan for " + joined(opts.Focus) + ": "
	if err := s.focus(target, opts); err != nil {
		s.words += "all iterations are sweeps, for " + err.Error()
		return s
	}
	p := s.plan
	if p.Every == 1 {
		s.words += fmt.Sprintf("all iterations are sweeps, for on the normal approximation no list costs fewer updates "+
			"than the %.3g "+"of an effective draw of the slowest of them", p.Systematic)
	} else {
		var updated []string
		for _, j := range s.list {
			updated = append(updated, names[j].Name)
		}
		s.words += fmt.Sprintf("a sweep over all %d coordinates in every %d iterations, in the others %s; on the normal "+
			"approximation %.3g updates "+
			"to an effective draw of the slowest of them, by sweeps alone %.3g", dim, p.Every, joined(updated), p.Cost,
			p.Systematic)
	}
	s.words += "; " + s.certificate()
	return s
}

// certificate words what is proved of the scan between sweeps, of the normal
// approximation.
func (s *scan) certificate() string {
	p := s.plan
	words := fmt.Sprintf("an iteration between sweeps leaves %.3g of a start's distance (Wasserstein, normal "+
		"approximation, not the posterior itself)", math.Sqrt(p.Kept))
	if !math.IsNaN(p.Variation) {
		return words + fmt.Sprintf("; Dobrushin variation %.3g", p.Variation)
	}
	return words + "; " + s.refused()
}

// refused says why there is no Dobrushin variation.
func (s *scan) refused() string {
	return fmt.Sprintf("no Dobrushin variation, for the norm of the influences is %.3g, not below 1", s.plan.Norms.Least())
}

// certificates returns what is proved of the list, or of a sweep where there is none.
func (s *scan) certificates(names []string) []infer.Certificate {
	if s == nil || s.words == "" { // a set-up for another sampler, or no list
		return nil
	}
	wasserstein := infer.Certificate{Method: "wasserstein, gaussian approximation", Names: names, Bound: math.NaN(),
		Note: s.words,
		Bounded: "W2 distance of the law of a coefficient after, in its standard deviations, to that of all before, in the " +
			"metric of the precision"}
	if s.plan == nil {
		return []infer.Certificate{wasserstein}
	}
	p := s.plan
	updates := int64(len(p.List))
	if p.List == nil {
		updates = int64(s.dim)
	}
	const law = "of Gibbs sampling of the normal approximation at the penalised point, dispersions held; not of the " +
		"posterior itself"
	dobrushin := infer.Certificate{Method: "Dobrushin influences", Bounded: "largest difference of coupled chains that " +
		"differ by one standard deviation in each coefficient, in standard deviations",
		Names: names, Updates: updates, Bound: p.Variation, Note: law}
	if math.IsNaN(p.Variation) {
		dobrushin.Note = s.refused()
	}
	wasserstein.Updates, wasserstein.Bound, wasserstein.Note = updates, math.Sqrt(p.Kept), law
	return []infer.Certificate{wasserstein, dobrushin}
}

// joined lists names, the first few if there are many.
func joined(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(", … (%d)", len(names))
	}
	return strings.Join(names, ", ")
}

// focus makes the list, or says why there is none.
func (s *scan) focus(target *glm.Target, opts Options) error {
	var d dogs.Target
	for _, name := range opts.Focus {
		j := slices.IndexFunc(target.Parameters()[:target.Cols()], func(p infer.Parameter) bool { return p.Name == name })
		if j < 0 {
			return fmt.Errorf("there is no coefficient %s", name)
		}
		d.Variables = append(d.Variables, int32(j))
	}
	q, err := precision(target)
	if err != nil {
		return err
	}
	normal, err := dogs.NewNormal(q, target.Cols())
	if err != nil {
		return err
	}
	if s.plan, err = normal.PlanCycle(d, opts.SweepEvery); err != nil {
		return err
	}
	s.list, s.every = s.plan.List, int64(s.plan.Every)
	return nil
}

// precision returns the lower triangle of H = XᵀΩX + D at the penalised point, the precision of
// the posterior's normal approximation with the dispersions held: see rotate.
func precision(target *glm.Target) ([]float64, error) {
	data, d := target.Data(), target.Cols()
	switch {
	case target.Scales() > 0:
		return nil, errors.New("the scales of horseshoe priors move what coefficients depend on")
	case d > focusLimit:
		return nil, fmt.Errorf("%d coefficients are more than %d", d, focusLimit)
	}
	offset := make([]float64, data.Rows())
	copy(offset, data.Offset)
	s, err := basis.NewNewton(target, design.ToDense(data.X), offset, target.Model().Coefficients, target.Penalised())
	if err != nil {
		return nil, err
	}
	if _, err := s.Settle(basis.NewtonGain); err != nil {
		return nil, err
	}
	return s.Hessian(), nil
}
