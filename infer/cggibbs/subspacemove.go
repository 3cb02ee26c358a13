package cggibbs

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/nuts"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
)

// subspaceMove is a chain's scratch of a subspace.
type subspaceMove struct {
	*subspace
	offset, rows []float64 // eta, and what slopes of rows are written to
	u, z         []float64 // z with the logs of dispersions; z
	slope, at    []float64 // of the prior at the point, and the coefficients there
	factor       []float64
	point        *glm.Point
	inner        *nuts.Inner
	line         glm.Direction

	transitions int64
	accepted    float64
}

// layMoves gives a chain its scratch.
func (k *basisKernel) layMoves() {
	k.jointly = nil
	for _, d := range k.subspaces {
		n, size := k.target.Rows(), d.size
		m := &subspaceMove{subspace: d, offset: make([]float64, n), rows: make([]float64, n),
			u: make([]float64, d.like.Dim()), slope: make([]float64, size), at: make([]float64, len(d.members)),
			factor: make([]float64, size*size)}
		m.z = make([]float64, size)
		m.line = glm.Direction{Beta: make([]float64, k.target.Cols()), Eta: make([]float64, n)}
		m.point = glm.NewPoint(d.like.WithOffset(m.offset))
		m.inner = nuts.NewInner(size, m.density)
		k.jointly = append(k.jointly, m)
	}
}

// single reports whether coordinate j is updated by itself in this iteration.
func (k *basisKernel) single(j int) bool {
	return k.inBlock == nil || !k.inBlock[j] || k.Iteration < k.adapting || k.Iteration%singlesEvery == 0
}

// moveJointly draws along each subspace in turn. It reports false if a log density was NaN or +Inf.
func (k *basisKernel) moveJointly() bool {
	for _, m := range k.jointly {
		m.place(k)
		if m.gram != nil {
			if !m.exact(k.Stream) {
				continue
			}
		} else {
			moved := m.inner.Move(k.Stream, m.z, m.step)
			m.transitions++
			m.accepted += moved.Accept
			k.Evaluations += moved.Gradients
			k.Gradients += moved.Gradients
			k.Touched += moved.Gradients * 2 * int64(m.size) * k.rows()
		}
		if !m.carry(k) {
			return false
		}
	}
	return true
}

// place brings it to where a chain is: z = 0. Cost: O(n·k).
func (m *subspaceMove) place(k *basisKernel) {
	copy(m.offset, k.point.Eta())
	clear(m.u)
	clear(m.z)
	k.point.Logs(m.u[m.size:])
	m.point.SetUnconstrained(m.u)
	rest := len(m.members)
	for i, j := range m.members {
		m.at[i] = k.line.v[j]
	}
	for c := range m.slope {
		sum := 0.0
		for i, w := range m.weighted[c*rest : (c+1)*rest] {
			sum = math.FMA(w, k.frame.Centre[m.members[i]]-m.at[i], sum)
		}
		m.slope[c] = sum
	}
}

// density returns the log density of displacements z, up to a constant, with its gradient. Cost: O(n·k).
func (m *subspaceMove) density(z, grad []float64) float64 {
	m.point.SetCoefficients(z)
	m.point.Refresh()
	m.point.Slopes(grad, m.rows)
	value, size := m.point.Value().LogLik, m.size
	for a := range size {
		curve := kernels.Dot(m.quadratic[a*size:(a+1)*size], z)
		value = math.FMA(z[a], math.FMA(-0.5, curve, m.slope[a]), value)
		grad[a] += m.slope[a] - curve
	}
	rest := len(m.members)
	for _, p := range m.others {
		x := m.at[p.place]
		for a, v := range z {
			x = math.FMA(m.betas[a*rest+p.place], v, x)
		}
		value += p.LogDensity(x)
		slope := p.Gradient(x)
		for a := range grad {
			grad[a] = math.FMA(slope, m.betas[a*rest+p.place], grad[a])
		}
	}
	return value
}

// exact draws z from its normal distribution; false if rounding has lost a rank. Cost: O(n·k + k³).
func (m *subspaceMove) exact(stream *infer.Stream) bool {
	k, sigma := m.size, m.point.Dispersions()[0]
	for i, q := range m.quadratic {
		m.factor[i] = q + m.gram[i]/sigma/sigma
	}
	factor, err := linalg.Cholesky(m.factor, k)
	if err != nil {
		return false
	}
	m.point.Slopes(m.z, m.rows)
	for a, s := range m.slope {
		m.z[a] += s
	}
	factor.SolveLower(m.z)
	for a := range m.z {
		m.z[a] += variate.Normal(stream)
	}
	factor.SolveUpper(m.z)
	return true
}

// carry moves the chain by z. It reports false if the log likelihood there was NaN or +Inf. Cost: O(n·k + d).
func (m *subspaceMove) carry(k *basisKernel) bool {
	rest := len(m.members)
	clear(m.line.Beta)
	clear(m.line.Eta)
	for a, v := range m.z {
		for i, j := range m.members {
			m.line.Beta[j] = math.FMA(m.betas[a*rest+i], v, m.line.Beta[j])
		}
	}
	m.columns().AddProduct(kernels, m.z, m.line.Eta)
	k.point.Direct(&m.line)
	v := k.point.AlongDirection(&m.line, 1)
	k.Touched += 2 * k.rows()
	if !(v.LogLik <= math.MaxFloat64) {
		return k.Fail("coefficients that are drawn jointly", v.LogLik)
	}
	k.point.MoveDirection(&m.line, 1, v)
	kernels.Axpy(1, m.line.Beta, k.line.v)
	return true
}
