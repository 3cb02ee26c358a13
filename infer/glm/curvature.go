package glm

import (
	"fmt"
	"math"

	"glmbatch/infer/design"
	"glmbatch/internal/linalg"
)

// maxCurvature is the largest number of coefficients whose curvature is
// factorised as a matrix: d² numbers are 0.2 GB.
const maxCurvature = 5000

// Curvature is minus the second derivatives of the log posterior over the
// coefficients, H = XᵀWX + R: W holds the rows' curvatures, R those of the priors.
// It is known by its products and solutions, so that d may be large. Not for
// concurrent use.
type Curvature struct {
	x              design.Matrix
	weights, ridge []float64
	rows           []float64    // scratch
	factor         *linalg.Chol // of H, or where wide of I + W^½·X·R⁻¹·Xᵀ·W^½
	wide           bool
}

// CurvatureAt returns the curvature at u, which is as Unconstrained writes it.
// Cost: n·d²/2 + d³/6, or n²·d/2 + n³/6 where there are more columns than rows,
// every prior is curved downward and no row curves upward.
//
// It returns an error if H is not positive definite (flat priors of columns that the data do not identify, laplace
// priors, a point that is no maximum), if there are horseshoe priors, whose coefficients move with their scales, or
// if there are more than 5000 coefficients and no fewer rows.
func (t *Target) CurvatureAt(u []float64) (*Curvature, error) {
	if t.scaleGroups != nil {
		return nil, fmt.Errorf("glm: the curvature under horseshoe priors and smooths depends on their scales")
	}
	p := NewPoint(t)
	p.SetUnconstrained(u)
	n, d := t.Rows(), t.Cols()
	c := &Curvature{x: t.data.X, weights: make([]float64, n), ridge: make([]float64, d), rows: make([]float64, n),
		wide: d > n}
	t.RowCurvature(p.eta, p.disp.at[:], c.weights)
	for _, w := range c.weights {
		c.wide = c.wide && w >= 0
	}
	for j, prior := range t.model.Coefficients {
		c.ridge[j] = prior.Curvature(p.beta[j])
		c.wide = c.wide && c.ridge[j] > 0
	}
	if !c.wide && d > maxCurvature {
		return nil, fmt.Errorf("glm: the curvature of %d coefficients, more than %d, and not all have normal priors and "+
			"fewer rows", d, maxCurvature)
	}
	var err error
	if c.wide {
		c.factor, err = c.factoriseWide()
	} else {
		c.factor, err = linalg.Cholesky(c.Matrix(), d)
	}
	if err != nil {
		return nil, fmt.Errorf("glm: the curvature is not positive definite: %w", err)
	}
	return c, nil
}

// factoriseWide makes the n × n matrix of Woodbury's identity.
func (c *Curvature) factoriseWide() (*linalg.Chol, error) {
	n, d := c.x.Size()
	scaled := design.NewDense(d, n) // (W^½·X·R^−½)ᵀ, a column for each row of X
	for j := range d {
		root, column := 1/math.Sqrt(c.ridge[j]), c.x.Column(j)
		for k, v := range column.Values {
			i := k
			if column.Rows != nil {
				i = int(column.Rows[k])
			}
			scaled.Values[i*d+j] = v * root * math.Sqrt(c.weights[i])
		}
	}
	gram := make([]float64, n*n)
	linalg.Gram(scaled.Values, d, n, nil, gram)
	for i := range n {
		gram[i*n+i]++
	}
	return linalg.Cholesky(gram, n)
}

// Dim is the number of coefficients.
func (c *Curvature) Dim() int { return len(c.ridge) }

// Matrix returns H by rows. Cost: n·d²/2.
func (c *Curvature) Matrix() []float64 {
	d := len(c.ridge)
	h := make([]float64, d*d)
	design.WeightedGram(c.x, c.weights, make([]float64, len(c.weights)), h)
	for j, r := range c.ridge {
		h[j*d+j] += r
		for l := range j {
			h[l*d+j] = h[j*d+l]
		}
	}
	return h
}

// Diagonal returns the diagonal of H. Cost: the stored entries.
func (c *Curvature) Diagonal() []float64 {
	out := make([]float64, len(c.ridge))
	for j := range out {
		out[j] = c.ridge[j] + c.x.Column(j).SumSquares(c.weights)
	}
	return out
}

// Mul writes H·v to dst, which is another vector. Cost: two passes over X.
func (c *Curvature) Mul(v, dst []float64) {
	design.Multiplied(c.x, v, c.rows)
	for i, w := range c.weights {
		c.rows[i] *= w
	}
	design.Transposed(c.x, c.rows, dst)
	for j, r := range c.ridge {
		dst[j] = math.FMA(r, v[j], dst[j])
	}
}

// Solve writes H⁻¹·v to dst, which is another vector. Cost: d², where wide
// two passes over X and n².
func (c *Curvature) Solve(v, dst []float64) {
	if !c.wide {
		copy(dst, v)
		c.factor.Solve(dst)
		return
	}
	for j, r := range c.ridge {
		dst[j] = v[j] / r
	}
	design.Multiplied(c.x, dst, c.rows)
	for i, w := range c.weights {
		c.rows[i] *= math.Sqrt(w)
	}
	c.factor.Solve(c.rows)
	for i, w := range c.weights {
		c.rows[i] *= math.Sqrt(w)
	}
	design.Transposed(c.x, c.rows, dst)
	for j, r := range c.ridge {
		dst[j] = (v[j] - dst[j]) / r
	}
}

// Hessian returns minus the second derivatives of the log posterior over the
// coefficients at u, which is as Unconstrained writes it, as a symmetric matrix
// of Cols rows. It is made of central differences of the gradient over a
// thousandth of each coefficient's conditional scale, whose relative error is
// about 1e-6: enough for a condition number, not for a step of Newton's to the
// last digit. Cost: four gradients a coefficient.
func (t *Target) Hessian(u []float64) []float64 {
	d, dim := t.Cols(), t.Dim()
	p, rows := NewPoint(t), make([]float64, t.Rows())
	at, up, down := append([]float64(nil), u...), make([]float64, dim), make([]float64, dim)
	difference := func(j int, h float64) {
		at[j] = u[j] + h
		p.SetUnconstrained(at)
		p.Gradient(up, rows)
		at[j] = u[j] - h
		p.SetUnconstrained(at)
		p.Gradient(down, rows)
		at[j] = u[j]
	}
	out := make([]float64, d*d)
	for j := range d {
		h := float64(1e-5 * (1 + math.Abs(u[j])))
		difference(j, h)
		if curvature := (down[j] - up[j]) / (2 * h); curvature > 0 {
			h = 1e-3 / math.Sqrt(curvature)
			difference(j, h)
		}
		for l := range d {
			out[j*d+l] += (down[l] - up[l]) / (4 * h)
			out[l*d+j] += (down[l] - up[l]) / (4 * h)
		}
	}
	return out
}
