package groups

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
)

// As the flat sds of a set S go to infinity together, as T, the likelihood with effects and coefficients integrated
// out falls as T^−k, where k is the number of directions of the effects of S that the data identify. Their volume
// is T^(|S|−1)·dT, so that the integral is finite where k > |S| for every set S. A gaussian knows the rank of their
// columns beyond that of the columns with flat coefficients; sigma counts as one more sd, of all rows. Responses
// that are counts identify an effect that they bound from both sides.
//
// Source: Hobert and Casella (1996), doi:10.1080/01621459.1996.10476714, theorem 1, for one grouping; Gelman (2006),
// doi:10.1214/06-BA117A.

// sdOf is the sd of a term.
type sdOf struct {
	*design.Effects
	term int
}

func (f sdOf) String() string { return (&block{Effects: f.Effects}).sdName(f.term) }

// z is the entry of the term in a row.
func (f sdOf) z(i int) float64 { return (&block{Effects: f.Effects}).z(f.term, i) }

// column writes term's column of a level to dst, and reports whether it has an entry that is not 0.
func (f sdOf) column(level int, dst []float64) (some bool) {
	clear(dst)
	for _, i := range f.Grouping.Rows(level) {
		dst[i] = f.z(int(i))
		some = some || dst[i] != 0
	}
	return some
}

const properSD = "give it a proper prior, as half_student_t(3, 2.5)"

// checkFlat refuses flat sds where the posterior has no finite integral, or nothing is known of it.
func checkFlat(data *glm.Data, model *glm.Model) error {
	var flat []sdOf
	for i, e := range data.Effects {
		for t, p := range model.Effects[i].SD {
			if p.Kind == prior.Flat {
				flat = append(flat, sdOf{e, t})
			}
		}
	}
	switch {
	case len(flat) == 0:
		return nil
	case model.Family.Is(family.Squares):
		return checkFlatGaussian(data, model, flat)
	case model.Family.Support().Whole:
		return checkFlatCounts(data, model, flat)
	}
	return fmt.Errorf("prior of %s: flat beside family %s may leave a posterior without a finite integral; %s", flat[0],
		model.Family, properSD)
}

// maxFew bounds the flat sds of few levels of which every set is looked at.
const maxFew = 6

// checkFlatGaussian looks at every set of flat sds that are of few levels; a set with another one has levels enough.
func checkFlatGaussian(data *glm.Data, model *glm.Model, flat []sdOf) error {
	var columns []int
	for j, p := range model.Coefficients {
		if p.Kind == prior.Flat {
			columns = append(columns, j)
		}
	}
	rows := observations(data)
	_, tail := model.Dispersion.Ends() // ∞ of a fixed one
	if !(rows-float64(len(columns))+tail > float64(len(flat)+1)) {
		return fmt.Errorf("prior of %s: %v rows do not tell sigma from %d flat standard deviations beside %d flat "+
			"coefficients, so that the posterior has no finite integral; %s", flat[0], rows, len(flat), len(columns), properSD)
	}
	var few []sdOf
	column := make([]float64, data.Rows())
	for _, f := range flat {
		known := -len(columns)
		for l := 0; l < f.Grouping.Levels() && known <= len(flat); l++ {
			if f.column(l, column) {
				known++
			}
		}
		if known <= len(flat) {
			few = append(few, f)
		}
	}
	if len(few) > maxFew {
		return fmt.Errorf("prior of %s: flat like %d others of few levels may leave a posterior without a finite "+
			"integral; %s", few[0], len(few)-1, properSD)
	}
	for set := 1; set < 1<<len(few); set++ {
		var members []sdOf
		for i, f := range few {
			if set>>i&1 == 1 {
				members = append(members, f)
			}
		}
		if known := rankBeyond(data, columns, members); known <= len(members) {
			return tooFew(members, known, "that the data tell apart from flat coefficients", len(members)+1)
		}
	}
	return nil
}

// observations counts rows by their frequencies.
func observations(data *glm.Data) float64 {
	if data.Frequency == nil {
		return float64(data.Rows())
	}
	return vector.Sum(data.Frequency)
}

// tooFew is the refusal of flat sds.
func tooFew(members []sdOf, known int, what string, least int) error {
	levels := "levels"
	if known == 1 {
		levels = "level"
	}
	var names []string
	for _, f := range members {
		names = append(names, f.String())
	}
	return fmt.Errorf("prior of %s: grouping %q has %d %s %s, and flat needs at least %d (Hobert and Casella 1996, "+
		"doi:10.1080/01621459.1996.10476714), or the posterior has no finite integral; %s", strings.Join(names, " and "),
		members[0].Group, known, levels, what, least, properSD)
}

// rankBeyond is the rank of the columns of effects beyond that of columns of the design; one more than there are
// members stands for more.
func rankBeyond(data *glm.Data, columns []int, members []sdOf) (rank int) {
	span, column := linalg.NewSpan(1e-11), make([]float64, data.Rows())
	for _, j := range columns {
		clear(column)
		data.X.Column(j).AddTo(column, 1)
		span.Add(column)
	}
	for _, f := range members {
		for l := range f.Grouping.Levels() {
			if f.column(l, column) && span.Add(column) {
				rank++
			}
			if rank > len(members) {
				return rank
			}
		}
	}
	return rank
}

// checkFlatCounts asks each flat sd for one level more than there are flat ones, whose responses bound its effect
// from both sides. One row does that alone, or a success and a failure together: but not where a coefficient or another
// effect may run away between them, whose sd is flat or whose prior has no mean.
func checkFlatCounts(data *glm.Data, model *glm.Model, flat []sdOf) error {
	var loose [][]float64 // columns of such coefficients
	for j, p := range model.Coefficients {
		if !hasMean(p) {
			column := make([]float64, data.Rows())
			data.X.Column(j).AddTo(column, 1)
			loose = append(loose, column)
		}
	}
	for _, f := range flat {
		var others []sdOf
		for i, e := range data.Effects {
			for t, p := range model.Effects[i].SD {
				if !hasMean(p) && (e != f.Effects || t != f.term) {
					others = append(others, sdOf{e, t})
				}
			}
		}
		known := f.bounded(data, model.Family.Support().Probability(), func(i int) (key string) {
			for _, c := range loose {
				key += fmt.Sprint(c[i], " ")
			}
			for _, o := range others {
				key += fmt.Sprint(o.Grouping.Of()[i], o.z(i), " ")
			}
			return key
		})
		if known > len(flat) {
			continue
		}
		what := "whose responses bound their effect from both sides"
		if len(loose)+len(others) > 0 {
			what += ", whatever flat priors and such without a mean, as cauchy, make of other effects"
		}
		return tooFew([]sdOf{f}, known, what, len(flat)+1)
	}
	return nil
}

// hasMean reports whether a prior has one.
func hasMean(p prior.Prior) bool {
	switch p.Kind {
	case prior.Flat, prior.Cauchy:
		return false
	case prior.StudentT:
		return p.DF > 1
	case prior.Normal, prior.Laplace, prior.Uniform:
		return true
	}
	_, tail := p.Ends()
	return !p.Kind.Shrinks() && tail > 2
}

// bounded counts the levels whose likelihood vanishes as their effect goes to either side: where a success is bounded
// from below and a failure from above, in rows of one key.
func (f sdOf) bounded(data *glm.Data, binary bool, key func(i int) string) (count int) {
	for l := range f.Grouping.Levels() {
		seen := map[string][2]bool{}
		for _, row := range f.Grouping.Rows(l) {
			i := int(row)
			z, success, failure := f.z(i), data.Y[i] > 0, true
			switch {
			case data.Trials != nil:
				failure = data.Y[i] < data.Trials[i]
			case binary:
				failure = data.Y[i] < 1
			}
			if z == 0 || data.Frequency != nil && data.Frequency[i] == 0 {
				continue
			}
			k := key(i)
			s := seen[k]
			s[0] = s[0] || success && z > 0 || failure && z < 0
			s[1] = s[1] || success && z < 0 || failure && z > 0
			if seen[k] = s; s[0] && s[1] {
				count++
				break
			}
		}
	}
	return count
}

// Limits of a search whether columns and effects fit a response perfectly: its most iterations, the share of the
// response that is rounding, and the share of the squared residual that an iteration leaves which is slow. Two slow
// ones in turn have found no perfect fit, one of many rows.
const (
	fitIterations = 60
	fitRounding   = 1e-13
	fitStagnates  = 0.9
)

// checkPerfect refuses a response that columns and effects fit perfectly, with rows to spare, under a prior of sigma
// that allows 0: the density there has no bound, sigma^−spare.
func checkPerfect(data *glm.Data, model *glm.Model) error {
	f := model.Family
	zero, _ := model.Dispersion.Ends()
	if !f.Located() || math.IsInf(zero, 1) {
		return nil
	}
	n, levels := observations(data), 0
	for _, e := range data.Effects {
		levels = max(levels, e.Grouping.Levels())
	}
	if n-float64(levels) < zero || !newFit(data).perfect() || n-float64(rankOfAll(data)) < zero {
		return nil
	}
	return &glm.ImproperError{Reason: "columns and levels fit the " + f.Name + " response perfectly, so that sigma is " +
		"driven to 0; model another response, leave a grouping out, or give sigma a prior that forbids 0"}
}

// maxRanked is the number of rows up to which the rank of columns and effects is computed.
const maxRanked = 500

// rankOfAll returns the rank of columns and effects, and their number where it takes too long.
func rankOfAll(data *glm.Data) int {
	count := data.Cols()
	for _, e := range data.Effects {
		count += e.Count()
	}
	if data.Rows() > maxRanked {
		return count
	}
	span, column := linalg.NewSpan(1e-11), make([]float64, data.Rows())
	for j := range data.Cols() {
		clear(column)
		data.X.Column(j).AddTo(column, 1)
		span.Add(column)
	}
	for _, e := range data.Effects {
		for t := range e.Terms {
			for l := range e.Grouping.Levels() {
				sdOf{e, t}.column(l, column)
				span.Add(column)
			}
		}
	}
	return span.Rank()
}

// fit is a search for the least squares of columns and effects together, by conjugate gradients.
type fit struct {
	data    *glm.Data
	effects []*block
	scale   []float64 // of each column, that its squares sum to 1
	sums    []float64
}

func newFit(data *glm.Data) *fit {
	d := data.Cols()
	f := &fit{data: data, scale: make([]float64, d)}
	ones := filled(data.Rows())
	for j := range d {
		f.scale[j] = data.X.Column(j).SumSquares(ones)
	}
	for _, e := range data.Effects {
		b := &block{Effects: e, of: e.Grouping.Of(), levels: e.Grouping.Levels(), q: len(e.Terms)}
		f.effects = append(f.effects, b)
		for l := range b.levels {
			for _, c := range e.Columns {
				sum := 0.0
				for _, i := range e.Grouping.Rows(l) {
					z := 1.0
					if c != nil {
						z = c[i]
					}
					sum = math.FMA(z, z, sum)
				}
				f.scale = append(f.scale, sum)
			}
		}
	}
	for j, s := range f.scale {
		if f.scale[j] = 0; s > 0 {
			f.scale[j] = 1 / math.Sqrt(s)
		}
	}
	f.sums = make([]float64, len(f.scale))
	return f
}

// times writes the linear predictor of scaled coefficients and effects.
func (f *fit) times(p, eta []float64) {
	clear(eta)
	for j, s := range f.scale {
		f.sums[j] = float64(p[j] * s)
	}
	at := f.data.Cols()
	for j, b := range f.sums[:at] {
		f.data.X.Column(j).AddTo(eta, b)
	}
	for _, b := range f.effects {
		b.AddTo(eta, 0, f.sums[at:at+b.Count()], eta)
		at += b.Count()
	}
}

// transposed writes what times is the transpose of.
func (f *fit) transposed(r, s []float64) {
	clear(s)
	at := f.data.Cols()
	design.Transposed(f.data.X, r, s[:at])
	for _, b := range f.effects {
		b.sumSlopes(0, r, s[at:at+b.Count()])
		at += b.Count()
	}
	for j, x := range f.scale {
		s[j] *= x
	}
}

// perfect reports whether nothing but rounding is left of the response. It gives up where iterations bring little, so
// that a fit through badly connected groupings may be overlooked.
//
// Cost: O(n·(d + q)) for each of a few iterations. Source: Björck (1996), Numerical methods for least squares problems,
// CGLS.
func (f *fit) perfect() bool {
	r := slices.Clone(f.data.Y)
	for i, o := range f.data.Offset {
		r[i] -= o
	}
	if largest := design.Largest(r); largest > 0 { // no overflow in the squares
		for i := range r {
			r[i] /= largest
		}
	}
	q, s := make([]float64, len(r)), make([]float64, len(f.scale))
	total := dot(r, r)
	last, slow, most := total, 0, 2
	if glm.Tall(len(r)) {
		most = 1
	}
	f.transposed(r, s)
	p, gamma := slices.Clone(s), dot(s, s)
	for range fitIterations {
		if last <= float64(fitRounding*fitRounding*total) {
			return true
		}
		f.times(p, q)
		step := gamma / dot(q, q)
		if !(step > 0 && step <= math.MaxFloat64) {
			return false
		}
		for i := range r {
			r[i] = math.FMA(-step, q[i], r[i])
		}
		left := dot(r, r)
		if slow++; left < fitStagnates*last {
			slow = 0
		}
		if last = left; slow == most {
			return false
		}
		f.transposed(r, s)
		before := gamma
		gamma = dot(s, s)
		for j := range p {
			p[j] = math.FMA(gamma/before, p[j], s[j])
		}
	}
	return false
}
