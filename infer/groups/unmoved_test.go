package groups

import (
	"fmt"
	"glmbatch/infer"
	"glmbatch/infer/glm"
	"math"
	"strconv"
	"testing"
)

// statistics are functions of a position and the response whose laws no exact move changes.
func statistics(k *setup, data *glm.Data, theta []float64) (names []string, out []float64) {
	add := func(name string, v float64) {
		names, out = append(names, name), append(out, v)
	}
	level := map[string]float64{}
	for j, p := range k.params {
		v := theta[j]
		switch p.Kind {
		case infer.GroupSD, infer.Dispersion, infer.SmoothSD:
			v = math.Log(v)
		case infer.GroupEffect:
			level[p.Grouping+p.Term+" mean"] += v
			level[p.Grouping+p.Term+" squares"] += v * v
			continue
		}
		add(p.Name, v)
		add(p.Name+"²", v*v)
	}
	for _, b := range k.blocks {
		for _, term := range b.Terms {
			mean, squares := level[b.Group+term+" mean"]/float64(b.levels), level[b.Group+term+" squares"]/float64(b.levels)
			add("mean "+b.Group+term, mean)
			add("log squares "+b.Group+term, math.Log(squares))
			for j := range k.target.Cols() {
				add(fmt.Sprint(k.names[j], " × ", b.Group, term), theta[j]*mean)
			}
		}
	}
	at := len(k.params)
	for i := len(k.blocks) - 1; i >= 0; i-- {
		at -= k.blocks[i].Count()
	}
	for _, b := range k.blocks {
		for t := range b.Terms {
			score, cross := 0.0, 0.0
			for i, l := range b.of {
				score += b.z(t, i) * math.Tanh(data.Y[i]-1) * theta[at+t*b.levels+int(l)]
			}
			if t > 0 {
				for l := range b.levels {
					cross += theta[at+t*b.levels+l] * theta[at+l]
				}
				add("product "+b.Group+b.Terms[t], math.Tanh(cross))
			}
			add("response × "+b.Group+b.Terms[t], math.Tanh(score/float64(len(b.of))))
			add("last "+b.Group+b.Terms[t], theta[at+(t+1)*b.levels-1])
			add("first² "+b.Group+b.Terms[t], theta[at+t*b.levels]*theta[at+t*b.levels])
		}
		at += b.Count()
	}
	return names, out
}

// settable is a chain that can be put anywhere.
type settable interface {
	infer.Kernel
	SetPosition(theta []float64) error
}

// invariant is unmoved for steps of New's sampler.
func invariant(t *testing.T, s study, pairs int, seed uint64, o Options, step func(k *kernel) error) (string, float64) {
	t.Helper()
	return unmoved(t, s, pairs, seed, func(data *glm.Data) (*setup, infer.Setup, error) {
		made, err := newSetup(data, s.model, nil, o)
		return made, made, err
	}, func(k infer.Kernel) error { return step(k.(*kernel)) })
}

// unmoved checks that steps from a draw of (position, response) keep its distribution: the differences of
// statistics after and before have mean 0. It returns the largest |z| of all, and which it was. Draws of (position,
// response) are independent, so that z is that of a mean of independent numbers.
func unmoved(t *testing.T, s study, pairs int, seed uint64, sampler func(data *glm.Data) (*setup, infer.Setup, error),
	step func(k infer.Kernel) error) (string, float64) {
	t.Helper()
	var sum, squares []float64
	var names []string
	for i := range pairs {
		theta, data := s.draw(infer.NewStream(seed, "draw", strconv.Itoa(i)))
		of, setup, err := sampler(data)
		must(t, err)
		started, err := setup.Kernel(infer.Chain{Index: 1, Count: 2, // from the prior
			Stream: infer.NewStream(seed, "chain", strconv.Itoa(i))})
		must(t, err)
		k := started.(settable)
		must(t, k.SetPosition(theta))
		var before, after []float64
		names, before = statistics(of, data, theta)
		must(t, step(k))
		k.Position(theta)
		_, after = statistics(of, data, theta)
		if sum == nil {
			sum, squares = make([]float64, len(names)), make([]float64, len(names))
		}
		for j := range names {
			d := after[j] - before[j]
			sum[j] += d
			squares[j] += d * d
		}
	}
	worst, at := 0.0, ""
	n := float64(pairs)
	for j, name := range names {
		if squares[j] < 1e-20*n { // rounding
			continue
		}
		z := sum[j] / math.Sqrt(squares[j]-sum[j]*sum[j]/n)
		if !(math.Abs(z) <= worst) {
			worst, at = math.Abs(z), name
		}
	}
	return at, worst
}
