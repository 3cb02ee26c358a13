package loo

import (
	"math"

	"glmbatch/internal/vec"
)

// MeanExp is the mean of e^x of numbers that come one by one, which it does not keep. Its zero value has seen none.
type MeanExp struct{ most, sum, count float64 } // sum is divided by e^most, the largest so far

// Add takes one more number; NaN makes the mean unknown.
func (m *MeanExp) Add(x float64) {
	switch {
	case m.count == 0 || math.IsInf(m.most, -1): // none so far is above 0
		m.most, m.sum = x, 1
	case x > m.most:
		m.most, m.sum = x, float64(m.sum*vec.Exp(m.most-x))+1
	case !math.IsInf(x, -1):
		m.sum += vec.Exp(x - m.most)
	}
	m.count++
}

// Log is the log of the mean.
func (m *MeanExp) Log() float64 {
	if math.IsInf(m.most, 0) {
		return m.most
	}
	return m.most + vec.Log(m.sum/m.count)
}
