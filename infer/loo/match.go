package loo

import (
	"math"

	"glmbatch/internal/linalg"
	"glmbatch/internal/vec"
)

// MatchVersion numbers the algorithm of Match.
const MatchVersion = "match/1"

// Posterior is a posterior whose draws Match moves.
type Posterior struct {
	Dim int // numbers of a draw
	// Draws has them one after the other, chain after chain, over coordinates without bounds.
	Draws []float64
	// Density is the log density at a point, up to a constant; −Inf or NaN if it is not defined there.
	Density func(u []float64) float64

	logs  []float64    // of the density at the draws
	means []float64    // of the coordinates
	move  *transform   // scratch
	moved []float64    // draws
	work  [2][]float64 // of a matrix each
}

// Size is the number of draws.
func (p *Posterior) Size() int { return len(p.Draws) / p.Dim }

// maxMoves is how often Match moves all draws.
const maxMoves = 30

// Match moves draws of the posterior, of which row is an observation with a K above threshold, toward the posterior
// without the observation: all of them by the difference of the means with and without the weights of the draws;
// where that does not lower K, besides by the ratio of their standard deviations; then, with 10 draws a coordinate,
// of their covariances. It continues while K falls and is above threshold. Half of the draws so moved and the other
// half as they are stand for both densities: their weights are those of the mixture (multiple importance sampling),
// and have the ELPD and MCSE that it returns. It returns row where no move lowers K. like is the log density of the
// observation.
//
// Cost: an evaluation of the posterior at each draw for each move that is tried, at most 3·30, and 2 more.
//
// Source: Paananen, Piironen, Bürkner and Vehtari (2021), Implicitly adaptive importance sampling,
// doi:10.1007/s11222-020-09982-2; loo 2.5.1, loo_moment_match.
func (w *Workspace) Match(p *Posterior, row Row, threshold float64, like func(u []float64) float64) Row {
	p.prepare()
	size := p.Size()
	total := newTransform(p.Dim)
	ratio, trial, now := make([]float64, size), make([]float64, size), make([]float64, len(p.Draws))
	copy(now, p.Draws)
	for s := range ratio {
		ratio[s] = -like(p.at(now, s))
	}
	k, found := w.normalise(ratio, row.Efficiency), false
	for range maxMoves {
		if !(k > threshold) {
			break
		}
		better := false
		for form := shift; form <= p.most() && !better; form++ {
			if !p.fit(form, now, ratio) {
				continue
			}
			p.carry(now)
			for s := range trial {
				u := p.at(p.moved, s)
				trial[s] = less(p.Density(u), like(u)+p.logs[s])
			}
			then := w.normalise(trial, row.Efficiency)
			if then < k {
				k, better, found = then, true, true
			}
		}
		if !better {
			break
		}
		total.then(p.move)
		now, p.moved = p.moved, now
		ratio, trial = trial, ratio
	}
	if !found {
		return row
	}
	lpd := row.ELPD + row.P
	row.K = k
	row.ELPD, row.MCSE, row.Efficiency = w.split(p, total, row.Efficiency, like)
	row.P = lpd - row.ELPD
	return row
}

// less returns a − b, −Inf if a is not a number.
func less(a, b float64) float64 {
	if d := a - b; !math.IsNaN(d) {
		return d
	}
	return math.Inf(-1)
}

// split returns ELPD, its Monte Carlo error and the relative efficiency from the first half of the draws, moved, and
// the other half, unmoved.
func (w *Workspace) split(p *Posterior, total *transform, efficiency float64,
	like func(u []float64) float64) (elpd, mcse, relative float64) {
	size := p.Size()
	logs, likes, u := make([]float64, size), make([]float64, size), make([]float64, p.Dim)
	for s := range logs {
		here, there := p.at(p.Draws, s), p.logs[s] // the density at the point, and at what is moved to it
		moved := s < size/2
		if moved {
			total.apply(here, p.means, u)
			there, here = p.Density(u), u
		}
		likes[s] = like(here)
		back := p.logs[s]
		if !moved {
			total.undo(here, p.means, u)
			back = p.Density(u)
		}
		logs[s] = less(there, likes[s]+vec.LogAdd(there, less(back, total.logDet())))
	}
	w.normalise(logs, efficiency)
	terms := make([]float64, size)
	for s, l := range logs {
		terms[s] = l + likes[s]
	}
	elpd = LogMeanExp(terms) + vec.Log(float64(size))
	top := maximum(likes)
	w.like = w.like[:0]
	variance := 0.0
	for s, l := range likes {
		w.like = append(w.like, vec.Exp(l-top))
		d := vec.Exp(logs[s]) * (vec.Exp(l-elpd) - 1)
		variance = math.FMA(d, d, variance)
	}
	relative = 1
	for _, half := range [][]float64{w.like[:size/2], w.like[size/2:]} {
		if e := w.ess.relative(half, 1); e > 0 {
			relative = math.Min(relative, e)
		}
	}
	return elpd, w.mcse(variance, relative), relative
}

// LogMeanExp returns the log of the mean of e^x.
func LogMeanExp(x []float64) float64 {
	most, sum := maximum(x), 0.0
	if math.IsInf(most, 0) {
		return most
	}
	for _, v := range x {
		sum += vec.Exp(v - most)
	}
	return most + (vec.Log(sum) - vec.Log(float64(len(x))))
}

// maximum returns the largest.
func maximum(x []float64) float64 {
	most := math.Inf(-1)
	for _, v := range x {
		most = math.Max(most, v)
	}
	return most
}

// normalise replaces log importance ratios by smoothed log weights whose exponentials sum to 1, and returns the
// shape of the Pareto distribution of the largest.
func (w *Workspace) normalise(ratio []float64, efficiency float64) (k float64) {
	size := len(ratio)
	count := tailLength(size, efficiency)
	order := sortedPlaces(ratio)
	top := ratio[order[size-1]]
	if math.IsInf(top, 0) {
		return math.Inf(1)
	}
	for s := range ratio {
		ratio[s] -= top
	}
	k = math.Inf(1)
	w.ratio, w.tail = w.ratio[:0], w.tail[:0]
	for _, s := range order[size-count:] {
		w.ratio = append(w.ratio, ratio[s])
	}
	w.tail = append(w.tail, w.ratio...)
	if count >= minTail && count < size && w.ratio[count-1]-w.ratio[0] >= 0x1p-52/100 {
		k = w.fit.smooth(w.ratio, ratio[order[size-count-1]], w.tail)
	}
	for i, s := range order[size-count:] {
		ratio[s] = math.Min(w.tail[i], 0)
	}
	sum := 0.0
	for _, r := range ratio {
		sum += vec.Exp(r)
	}
	sum = vec.Log(sum)
	for s := range ratio {
		ratio[s] -= sum
	}
	return k
}

// prepare computes what all observations need of the draws, once.
func (p *Posterior) prepare() {
	if p.logs != nil {
		return
	}
	p.logs, p.moved, p.move = make([]float64, p.Size()), make([]float64, len(p.Draws)), newTransform(p.Dim)
	p.means = p.mean(p.Draws, nil)
	for s := range p.logs {
		p.logs[s] = p.Density(p.at(p.Draws, s))
	}
}

// at is draw s of draws.
func (p *Posterior) at(draws []float64, s int) []float64 { return draws[s*p.Dim : (s+1)*p.Dim] }

// mean returns Σ e^logs·u over draws; nil stands for equal weights.
func (p *Posterior) mean(draws, logs []float64) []float64 {
	out := make([]float64, p.Dim)
	for s := range p.Size() {
		weight := 1 / float64(p.Size())
		if logs != nil {
			weight = vec.Exp(logs[s])
		}
		for j, v := range p.at(draws, s) {
			out[j] = math.FMA(weight, v, out[j])
		}
	}
	return out
}

// carry writes the draws, moved, to p.moved.
func (p *Posterior) carry(draws []float64) {
	means := p.mean(draws, nil)
	for s := range p.Size() {
		p.move.apply(p.at(draws, s), means, p.at(p.moved, s))
	}
}

// covariance writes the lower triangle of the covariance matrix of draws under weights to a, without bias.
func (p *Posterior) covariance(draws, logs, means, a []float64) {
	clear(a)
	weight, squares, d := 1/float64(p.Size()), 0.0, make([]float64, p.Dim)
	for s := range p.Size() {
		if logs != nil {
			weight = vec.Exp(logs[s])
		}
		squares = math.FMA(weight, weight, squares)
		for j, v := range p.at(draws, s) {
			d[j] = v - means[j]
		}
		for i := range d {
			x := float64(weight * d[i])
			for j, y := range d[:i+1] {
				a[i*p.Dim+j] = math.FMA(x, y, a[i*p.Dim+j])
			}
		}
	}
	for i := range a {
		a[i] /= 1 - squares
	}
}

// factors returns the Cholesky factors of the covariances of draws with and without weights; nil if one has none.
func (p *Posterior) factors(draws, logs, means, weighted []float64) (with, without *linalg.Chol) {
	for i := range p.work {
		p.work[i] = make([]float64, p.Dim*p.Dim)
	}
	p.covariance(draws, logs, weighted, p.work[0])
	p.covariance(draws, nil, means, p.work[1])
	with, err := linalg.Cholesky(p.work[0], p.Dim)
	if err != nil {
		return nil, nil
	}
	if without, err = linalg.Cholesky(p.work[1], p.Dim); err != nil {
		return nil, nil
	}
	return with, without
}
