package groups

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
	"glmbatch/internal/state"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Residuals is the normal distribution of the residuals of several responses of a row, that of effects whose levels
// are the rows: standard deviations and correlations. Given the residuals it depends on their cross products, by rows
// Σ e·eᵀ. It belongs to one chain, or to one position.
type Residuals struct {
	law  *group
	at   *placed
	rows float64 // each as often as it counts
	k    *kernel // of moves
}

// NewResiduals returns the distribution of the residuals of responses, with standard deviations of 1 and without
// correlations. With an LKJ of 0 there are none at all.
func NewResiduals(responses []string, p glm.EffectsPrior, rows float64) *Residuals {
	b := &block{Effects: &design.Effects{Group: "residuals", Terms: responses, Linked: p.LKJ == 0}, prior: p,
		levels: int(rows), q: len(responses)}
	g := &group{block: b, scales: b.newScales(), scratch: scratch{squares: make([]float64, b.q*b.q)}}
	g.setWidth()
	at := &placed{form: form{block: b}, scales: g.scales}
	for i := range at.matrix {
		at.matrix[i] = make([]float64, b.q*b.q)
	}
	return &Residuals{law: g, at: at, rows: rows}
}

// Mover returns the distribution with moves, by a chain's stream and counts.
func (r *Residuals) Mover(stream *infer.Stream, looks *update.Looks) *Residuals {
	r.k = &kernel{slice: cggibbs.NewSlicer(stream, looks)}
	r.k.Stream = stream
	return r
}

// Start sets standard deviations around some, by noise of a tenth; the stream is nil for none.
func (r *Residuals) Start(sds []float64, stream *infer.Stream) {
	for t, sd := range sds {
		noise := 0.0
		if stream != nil {
			noise = float64(0.1 * variate.Normal(stream))
		}
		r.law.startSD(t, vec.Log(sd)+noise)
	}
	clear(r.law.partial)
	r.law.settle()
}

// Parameters is the number of parameters: standard deviations without a fixed value, then correlations.
func (r *Residuals) Parameters() int { return len(r.law.free) + len(r.law.partial) }

// Write writes the parameters, and returns their number; Read is its inverse.
func (r *Residuals) Write(dst []float64) int { return r.law.write(dst) }

// Read sets the parameters that Write wrote.
func (r *Residuals) Read(theta []float64) int { return r.law.read(theta) }

// SetUnconstrained sets the parameters from coordinates: log standard deviations, and atanh of partial correlations.
func (r *Residuals) SetUnconstrained(u []float64) { r.at.from(u) }

// Unconstrained writes the coordinates.
func (r *Residuals) Unconstrained(u []float64) { r.at.into(u) }

// Precision writes the inverse of the covariance matrix, and then ½ the logarithm of the determinant of this.
func (r *Residuals) Precision(dst []float64) { dst[copy(dst, r.law.omega)] = r.law.logDet }

// LogPrior returns the log prior density of the parameters.
func (r *Residuals) LogPrior() float64 { return r.law.logPrior() }

// DrawPrior draws the parameters from their prior.
func (r *Residuals) DrawPrior(s prior.Source) { r.law.drawPrior(s) }

// Draw draws the residuals of a row.
func (r *Residuals) Draw(s prior.Source, e []float64) { r.law.drawEffects(s, e) }

// Move moves each parameter by a slice given the cross products of residuals. It returns the name of what was under
// update, and false if a log density was not finite. Cost: O(q³) for each look, whatever the number of rows.
func (r *Residuals) Move(products []float64) (failing string, ok bool) {
	ok = r.k.eachScale(r.law, func(at *float64, prior func(x float64) float64) bool {
		return r.k.moveOne(r.law, at, r.law.width, func() float64 { return r.law.logEffects(r.rows, products) }, prior)
	})
	return r.k.Failing, ok
}

// Density returns the log prior density over the coordinates, and writes the gradient of it and of the log likelihood.
func (r *Residuals) Density(products, grad []float64) (inU float64) {
	dL := r.at.matrix[0]
	r.at.spreadGradient(products, r.rows, dL)
	return r.at.scalesGradient(0, dL, grad)
}

// List lists the state.
func (r *Residuals) List(c *state.Codec) {
	for _, u := range c.Finite("sds of residuals", r.law.logSD) {
		c.Demand(math.Abs(u) <= logRange, "a log sd is %v", u)
	}
	for _, y := range c.Finite("correlations of residuals", r.law.partial) {
		c.Demand(math.Abs(y) <= partialRange, "the atanh of a partial correlation is %v", y)
	}
	c.Then(r.law.settle)
}
