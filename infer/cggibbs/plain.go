package cggibbs

import (
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// PlainVersion names the schedule of plain sweeps: another one is another sequence of draws.
const PlainVersion = "plain/1"

// A plain sweep is that of the coordinate sampler: it updates each coefficient of the design, then each dispersion, by
// a slice with doubling of the coordinate sampler's width. A posterior that is not log-concave may have modes that the
// updates of a basis never reach: these are made for the curvature at one point, and an interval that steps out ends in
// the first valley. An interval that doubles can be wider than a valley. So Auto puts plain sweeps between the updates
// of a basis, in iterations that their number alone decides.
//
// Source: Neal (2003), Slice sampling, figures 4 and 6, doi:10.1214/aos/1056562461.

// plainPasses is the number of passes of a plain update: its width may be far from the slice's.
const plainPasses = 12

// plainFirst is the number of iterations at the start of a chain that have a plain sweep each, except on tall data.
const plainFirst = 8

// plainEvery returns the number of iterations from one plain sweep to the next: with them an iteration with all that
// surrounds its draw costs at most about twice what it costs without, rest.
func (c costs) plainEvery(target *glm.Target, rest float64) int64 {
	entries := float64(c.n)
	if c.sparse {
		entries = float64(gathered) * float64(c.entries) / float64(c.d)
	}
	sweep := float64(plainPasses*float64(target.Dim()-target.Scales())) * (entries + fixedCost)
	return max(1, int64(0.5+sweep/(rest+c.around)))
}

// plainly reports whether an iteration has a plain sweep.
func (o Options) plainly(iteration int64, rows int) bool {
	if o.plain == 0 {
		return false
	}
	return iteration%o.plain == 0 || iteration < plainFirst && !glm.Tall(rows)
}

// plainWords words the schedule.
func (o Options) plainWords() string {
	if o.plain == 0 {
		return ""
	}
	return "; a sweep over single coefficients with doubling in " + everyOf("iteration", int(o.plain))
}

// plainSweeps holds the inputs of plain sweeps for a basisKernel.
type plainSweeps struct {
	priors []prior.Prior
	widths []float64
	theta  []float64 // of the point

	of    *basisKernel
	law   *prior.Prior  // of the coefficient under update
	here  float64       // its value
	line  glm.Line      // of a sparse column
	dense glm.Direction // the column under work if it is dense; its Beta is 0, since coordinates follow the sweep
}

func newPlainSweeps(k *basisKernel) *plainSweeps {
	s := &plainSweeps{priors: k.target.Model().Coefficients, widths: make([]float64, k.target.Cols()),
		theta: make([]float64, k.target.Dim()), of: k,
		dense: glm.Direction{Beta: make([]float64, len(k.line.v))}}
	for j := range s.widths {
		s.widths[j] = k.opts.Width * unit(k.target, j)
	}
	return s
}

// at implements density for the coefficient under update.
func (s *plainSweeps) at(displacement float64) (float64, glm.Value) {
	var v glm.Value
	if s.dense.Eta != nil {
		v = s.of.point.AlongDirection(&s.dense, displacement)
	} else {
		v = s.of.point.AlongLine(&s.line, displacement)
	}
	return v.LogLik + s.law.LogDensity(s.here+displacement), v
}

// take brings a column under work.
func (s *plainSweeps) take(c design.Column) {
	if c.Rows != nil {
		s.dense.Eta, s.line = nil, s.of.point.Line(c)
		return
	}
	s.dense.Eta = c.Values
	s.of.point.Direct(&s.dense)
}

// move moves along the column under work to where at looked.
func (s *plainSweeps) move(displacement float64, v glm.Value) {
	if s.dense.Eta != nil {
		s.of.point.MoveDirection(&s.dense, displacement, v)
		return
	}
	s.of.point.MoveLine(&s.line, displacement, v)
}

// sweepPlainlyWhenDue makes a plain sweep in iterations that have one.
func (k *basisKernel) sweepPlainlyWhenDue() bool { return !k.plainDue() || k.sweepPlainly() }

// plainDue reports whether this iteration has a plain sweep.
func (k *basisKernel) plainDue() bool { return k.opts.plainly(k.Iteration, int(k.rows())) }

// sweepPlainly makes a plain sweep. Cost: O(n) an evaluation, and that of the coordinates of the new point.
func (k *basisKernel) sweepPlainly() bool {
	s := k.plain
	k.Position(s.theta)
	for j := range s.widths {
		column := k.target.Data().X.Column(j)
		s.law, s.here = &s.priors[j], s.theta[j]
		s.take(column)
		before := k.Evaluations
		current := k.point.Value().LogLik + s.law.LogDensity(s.here)
		displacement, v, moved, ok := k.slice.update(s, current, s.widths[j])
		k.Touched += (k.Evaluations - before) * int64(len(column.Values))
		if !ok {
			return k.FailAlong(k.Parameters()[j].Name)
		}
		if moved {
			s.move(displacement, v)
			s.theta[j] += displacement
			k.Touched += int64(len(column.Values))
		}
	}
	k.point.RowsRead() // touched has them
	dim := len(k.line.v)
	for j := dim; j < len(k.widths); j++ {
		if !k.updateDispersion(j-dim, j) {
			return false
		}
	}
	if k.reduction != nil {
		k.reduction.sampled(s.theta[:k.target.Cols()], k.line.v)
	} else {
		copy(k.line.v, s.theta)
	}
	k.frame.Coordinates(k.line.v, k.u[:dim])
	k.point.SetCoefficients(k.u[:dim])
	k.renew()
	return true
}
