package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// Version names the algorithm: draws of different versions may differ in bits.
const Version = "cggibbs/1"

// Options configures New. The zero value is the paper's sampler, in vector
// instructions.
type Options struct {
	// Basis is the coordinate system of the updates. "coordinate": the coefficients themselves. "rotated":
	// coordinates in which the posterior is near N(0, I). "reduced": the directions of coefficients with normal
	// priors that the likelihood depends on, rotated. "mixture": those directions of coefficients whose priors are
	// normal given scales that are drawn (student_t, cauchy, laplace, horseshoes). "auto": one of them, see Auto.
	// Where a basis cannot be made the coordinate basis takes its place, and the Setup says why (infer.Explainer).
	// Empty means "coordinate".
	Basis string
	// Update is the update of a coordinate. "doubling" and "stepping_out" are slices. "tangent", for log-concave
	// families under normal, flat and laplace priors, is a slice within the bounds of a tangent of the log
	// likelihood: the same distribution with half of the evaluations. "matched" is a Metropolis step matched to
	// slope and curvature, with a slice stepped out one time in eight. "rows", in the basis reduced, moves the
	// linear predictor of one row after the other if the rest of the basis lets it move by itself, else it is
	// "stepping_out". Dispersions get a slice with doubling. Empty means "doubling" in the coordinate and the
	// mixture basis, whose widths may be far from the slices', "matched" in the rotated one where it serves, "rows"
	// in the reduced one, else "stepping_out". In the first iteration on tall data all slices of a basis double,
	// since a chain may come from afar.
	Update string
	// Joint is whether all coordinates are proposed at once, in the rotated basis:
	// "on", "off", "swept", or "auto", one of these by the fewest operations. Updates of
	// single coordinates are few where it is "on", slices stepped out unless Update is
	// another; where it is "swept", a whole sweep follows the proposals of each iteration,
	// or of each SweepEvery-th.
	// Empty means "auto" where Basis is "auto", else "off".
	Joint string `json:",omitempty"`
	// Moves is the number of sweeps in one iteration, or, with joint moves, of
	// proposals: what lies between two draws. At most 64. Zero means 1, and where Basis is
	// "auto" as many as make a fit cheapest for its effective draws, see Auto, which makes one
	// in each iteration of warm-up.
	Moves int `json:",omitempty"`
	// PlainTimes multiplies the iterations between plain sweeps of NewCoefficients, in a chain that has other moves
	// too; 0 means 1.
	PlainTimes int64 `json:"-"`
	// Slow is whether updates along the directions that sweeps over single coefficients
	// hardly move along follow each sweep, in the coordinate basis under normal and flat
	// priors: "on", slices along some of them in turn; "nuts", one transition of NUTS along up to 32 of
	// them; or "off". Empty means "off", and what Auto takes where Basis is "auto".
	Slow string `json:",omitempty"`
	// Blocks are coefficients that are drawn jointly given all others, by their names, in the basis
	// "coordinate": exactly for gaussian(identity) with normal and flat priors, else by a transition of
	// NUTS. No coefficient is in two of them.
	Blocks [][]string `json:",omitempty"`
	// Kernels is how the likelihood's passes go over the rows: "vector", in the
	// processor's vector instructions where it has them, or "scalar", one at a
	// time, the reference for speed. Draws have the same bits. Empty means
	// "vector".
	Kernels string
	// Scan is the order of updates in one iteration: "systematic" (first to
	// last) or "random" (as many coordinates, drawn with replacement). Empty
	// means "systematic".
	Scan string
	// Focus names coefficients that the scan is for, in the basis "coordinate": a sweep
	// over all coordinates in some iterations, those of warm-up among them, and in the
	// others a fixed list that updates these and what they depend on, chosen for the
	// fewest updates to an effective draw of them (dogs.PlanCycle on the normal
	// approximation of the posterior). Every coordinate is updated once in 64
	// iterations at least. Where there is no such approximation all iterations
	// are sweeps, and the Setup says why.
	Focus []string `json:",omitempty"`
	// SweepEvery is the number of iterations from one sweep to the next where Focus is
	// given, zero meaning that it is chosen, or where Joint is "swept", zero meaning 1.
	SweepEvery int `json:",omitempty"`
	// Width is the initial slice width, in units of the coordinate's prior
	// standard deviation; of 10 conditional standard deviations at the
	// penalised point where the prior is flat; of 3 given the scales where it is a
	// horseshoe; of 2.5 standard deviations in other bases; of 1 for the log of a
	// dispersion or scale. Zero means 1.
	Width float64
	// MaxDoublings is the largest number of doublings of a slice interval.
	// Zero means 20; at most 50.
	MaxDoublings int
	// RefreshEvery is the number of iterations, counted from the chain's
	// start, between full recomputations of the linear predictor, which bound
	// its rounding error. Zero means 128; negative means never.
	RefreshEvery int
	// Uncached recomputes the linear predictor for every evaluation, at a cost
	// of O(n·d) each: the sampler that the cache is checked against.
	Uncached bool

	// plain is the number of iterations from one plain sweep to the next; 0: none.
	plain int64
	// lean is whether an iteration of warm-up, of which nothing is kept, makes one move only.
	lean bool
}

// OptionError names an option that is impossible.
type OptionError struct {
	Option string // as in Options, in lower case
	Value  any
	Want   string
}

// Error names the option, its value and what is possible.
func (e *OptionError) Error() string {
	return fmt.Sprintf("cggibbs: option %s is %#v: want %s", e.Option, e.Value, e.Want)
}

// filled returns o with its zeros replaced, or the first impossible option.
func (o Options) filled() (Options, error) {
	set := func(s *string, standard string) {
		if *s == "" {
			*s = standard
		}
	}
	set(&o.Basis, "coordinate")
	set(&o.Kernels, "vector")
	set(&o.Scan, "systematic")
	if o.Width == 0 {
		o.Width = 1
	}
	if o.MaxDoublings == 0 {
		o.MaxDoublings = 20
	}
	if o.RefreshEvery == 0 {
		o.RefreshEvery = 128
	}
	switch {
	case o.Basis != "coordinate" && o.Basis != "rotated" && o.Basis != "reduced" && o.Basis != "mixture" &&
		o.Basis != "auto":
		return o, &OptionError{"basis", o.Basis, `"coordinate", "rotated", "reduced", "mixture" or "auto"`}
	case o.Update != "" && o.Update != "doubling" && o.Update != "stepping_out" && o.Update != "tangent" &&
		o.Update != "matched" && o.Update != "rows":
		return o, &OptionError{"update", o.Update, `"doubling", "stepping_out", "tangent", "matched" or "rows"`}
	case o.Update == "rows" && o.Basis != "reduced":
		return o, &OptionError{"update", o.Update, `another one in this basis: rows move in basis "reduced"`}
	case o.Joint != "" && o.Joint != "auto" && o.Joint != "on" && o.Joint != "off" && o.Joint != "swept":
		return o, &OptionError{"joint", o.Joint, `"auto", "on", "swept" or "off"`}
	case o.Moves < 0 || o.Moves > maxMoves:
		return o, &OptionError{"moves", o.Moves, fmt.Sprintf("1 to %d", maxMoves)}
	case o.Joint != "" && o.Joint != "off" && o.Basis != "rotated" && o.Basis != "auto":
		return o, &OptionError{"joint", o.Joint,
			`"off" in this basis: all coordinates move at once in basis "rotated" or "auto" only`}
	case (o.Joint == "on" || o.Joint == "swept") && o.Uncached:
		return o, &OptionError{"joint", o.Joint, `"off" where uncached: its proposals need no cache`}
	case o.Slow != "" && o.Slow != "on" && o.Slow != "nuts" && o.Slow != "off":
		return o, &OptionError{"slow", o.Slow, `"on", "nuts" or "off"`}
	case o.followed() && o.Basis != "coordinate":
		return o, &OptionError{"slow", o.Slow, `"off" in this basis: slow directions are those of single coefficients`}
	case o.followed() && o.Uncached:
		return o, &OptionError{"slow", o.Slow, `"off" where uncached: directions need the cache`}
	case o.Blocks != nil && (o.Basis != "coordinate" || o.Uncached || o.Focus != nil):
		return o, &OptionError{"blocks", o.Blocks, `none but in basis "coordinate", cached and without focus`}
	case o.Kernels != "scalar" && o.Kernels != "vector":
		return o, &OptionError{"kernels", o.Kernels, `"scalar" or "vector"`}
	case o.Scan != "systematic" && o.Scan != "random":
		return o, &OptionError{"scan", o.Scan, `"systematic" or "random"`}
	case o.Focus != nil && (o.Scan != "systematic" || o.Basis != "coordinate"):
		return o, &OptionError{"focus", o.Focus, `none but with scan "systematic" in basis "coordinate"`}
	case o.SweepEvery < 0 || o.SweepEvery > 0 && o.Focus == nil && o.Joint != "swept":
		return o, &OptionError{"sweep_every", o.SweepEvery, `a positive number, where focus is given or joint is "swept"`}
	case !(o.Width > 0) || math.IsInf(o.Width, 0):
		return o, &OptionError{"width", o.Width, "a positive number"}
	case o.MaxDoublings < 0 || o.MaxDoublings > 50:
		return o, &OptionError{"max_doublings", o.MaxDoublings, "1 to 50"}
	}
	return o, nil
}

// followed reports whether updates along slow directions are asked for.
func (o Options) followed() bool { return o.Slow == "on" || o.Slow == "nuts" }

// maxMoves is the largest number of moves in an iteration.
const maxMoves = 64

// movesIn returns the number of them in an iteration, of which the first warm ones are warm-up.
func (o Options) movesIn(iteration, warm int64) int {
	if o.lean && iteration < warm {
		return 1
	}
	return o.moves()
}

// sweeps reports whether a sweep follows the proposals of an iteration.
func (o Options) sweeps(iteration int64) bool {
	return o.Joint == "swept" && iteration%int64(max(1, o.SweepEvery)) == 0
}

// moves returns the number of them in an iteration.
func (o Options) moves() int { return max(1, o.Moves) }

// update returns the update of a model: that of o, or the standard one of its
// basis.
func (o Options) update(m *glm.Model) (string, error) {
	serves := m.Family.LogConcave()
	for _, p := range m.Coefficients {
		if o.Basis == "mixture" { // given the scales, all but uniform are normal or flat
			serves = serves && p.Kind != prior.Uniform
			continue
		}
		serves = serves && (p.Kind == prior.Normal || p.Kind == prior.Flat || p.Kind == prior.Laplace)
	}
	switch {
	case (o.Update == "matched" || o.Update == "tangent") && !serves:
		return "", &OptionError{"update", o.Update,
			`"doubling" or "stepping_out": the conditionals of this model are not log-concave`}
	case o.Update != "":
		return o.Update, nil
	case o.Basis == "coordinate" || o.Basis == "mixture":
		return "doubling", nil
	case serves && o.Basis == "rotated":
		return "matched", nil
	case o.Basis == "reduced":
		return "rows", nil
	}
	return "stepping_out", nil
}
