package impute

import (
	"math"

	"glmbatch/internal/linalg"
	"glmbatch/internal/vec"
)

// look evaluates a point: its log density, the slope of that and, where curvature is not nil, about its curvature:
// Fisher's information of rows with one case, and of others the square of the row's slope. It reports false if the
// log density or its slope is not finite.
func (c *summedChain) look(u *summedPoint, slope, curvature []float64) bool {
	c.densities(u)
	c.weigh(u)
	clear(slope)
	c.slopes(u, slope, curvature)
	dim := c.d * c.sets
	for a := range c.sets {
		for j := range c.d {
			i := a*c.d + j
			density, own, precision := c.priorOf(a, j, u.theta[i])
			u.total += density
			slope[i] += own
			if curvature != nil {
				curvature[i*dim+i] += precision
			}
		}
	}
	return math.Abs(u.total) <= math.MaxFloat64 && vec.SumSquares(slope) <= math.MaxFloat64
}

// weigh sums the cases of each row to u.total, and finds the chance of each.
func (c *summedChain) weigh(u *summedPoint) {
	u.total = 0
	for i := range c.place {
		from, to := c.start[i], c.start[i+1]
		switch {
		case c.left != nil && c.left[i]:
			clear(u.chance[from:to])
			continue
		case to == from+1:
			u.total += u.value[from]
			u.chance[from] = 1
			continue
		}
		most := math.Inf(-1)
		for v := from; v < to; v++ {
			u.chance[v] = u.value[v] + c.others[v]
			most = max(most, u.chance[v])
		}
		for v := from; v < to; v++ {
			u.chance[v] -= most
		}
		kernels.Exp(u.chance[from:to], u.chance[from:to])
		total := kernels.Sum(u.chance[from:to])
		for v := from; v < to; v++ {
			u.chance[v] /= total
		}
		u.total += most + vec.Log(total)
	}
}

// slopes adds the derivative of the log likelihood and writes its curvature.
func (c *summedChain) slopes(u *summedPoint, slope, curvature []float64) {
	if curvature != nil {
		c.information(u, curvature)
	}
	for a := range c.sets {
		c.weights(u, a, u.weight)
		c.x.TransposedProduct(kernels, u.weight, u.sums)
		kernels.Axpy(1, u.sums, slope[a*c.d:(a+1)*c.d])
	}
}

// weights writes the expected derivative in linear predictor a of each point, times the chance of the point.
func (c *summedChain) weights(u *summedPoint, a int, to []float64) {
	score := u.score[a*c.x.Rows : (a+1)*c.x.Rows]
	if !c.choosing() {
		for at, chance := range u.chance {
			to[at] = 0
			if chance > 0 { // elsewhere a slope may be none
				to[at] = float64(chance * score[at])
			}
		}
		return
	}
	for i, mask := range c.k.summed.lacks {
		outcomes, at := c.outcomes[mask], int(c.start[i])
		for p := int(c.first[i]); p < int(c.first[i+1]); p++ {
			if outcomes == 1 {
				to[p] = float64(u.chance[at] * (indicator(math.Round(c.response[i]), a+1) - score[p]))
			} else {
				to[p] = math.FMA(-kernels.Sum(u.chance[at:at+outcomes]), score[p], u.chance[at+a+1])
			}
			at += outcomes
		}
	}
}

// information writes the curvature.
func (c *summedChain) information(u *summedPoint, curvature []float64) {
	dim, n := c.d*c.sets, c.x.Rows
	rows := make([]float64, c.vectors*dim)
	put := 0
	for i := range c.k.summed.lacks {
		if c.start[i+1] == c.start[i]+1 && c.choosing() {
			put = c.chosen(u, i, rows, put)
		} else {
			put++
		}
	}
	for a := range c.sets {
		c.weights(u, a, u.weight)
		put = 0
		for i := range c.k.summed.lacks {
			first, points := int(c.first[i]), int(c.first[i+1]-c.first[i])
			single := c.start[i+1] == c.start[i]+1
			switch {
			case single && c.choosing():
				put += c.sets
			case single:
				w := math.Sqrt(max(u.curv[first], 0) * u.chance[c.start[i]])
				for j := range c.d {
					rows[j*c.vectors+put] = float64(w * c.x.Values[j*n+first])
				}
			default:
				for j := range c.d {
					rows[(a*c.d+j)*c.vectors+put] = kernels.Dot(u.weight[first:first+points], c.x.Values[j*n+first:][:points])
				}
			}
			put++
		}
	}
	linalg.Gram(rows, c.vectors, dim, nil, curvature)
}

// chosen writes a vector for each state that a row might have had whose state is seen: their squares are Fisher's
// information.
func (c *summedChain) chosen(u *summedPoint, row int, rows []float64, put int) int {
	n, at := c.x.Rows, int(c.first[row])
	rest := 1.0
	for a := range c.sets {
		rest -= u.score[a*n+at]
	}
	for l := range c.sets + 1 {
		chance := max(rest, 0)
		if l > 0 {
			chance = u.score[(l-1)*n+at]
		}
		root := math.Sqrt(chance)
		for a := range c.sets {
			w := float64(root * (indicator(float64(l), a+1) - u.score[a*n+at]))
			for j := range c.d {
				rows[(a*c.d+j)*c.vectors+put] = float64(w * c.x.Values[j*n+at])
			}
		}
		put++
	}
	return put
}
