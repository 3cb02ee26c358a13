package glm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// dispersedTarget is a model of responses y on an intercept and x, with or without the latter.
func dispersedTarget(t *testing.T, family glm.Family, y, x []float64, law prior.Prior) *glm.Target {
	t.Helper()
	d := 1
	if x != nil {
		d = 2
	}
	data := &glm.Data{X: design.NewDense(len(y), d), Y: y, Names: []string{"(Intercept)", "x"}[:d]}
	for i := range y {
		data.X.(*design.Dense).Col(0)[i] = 1
		if x != nil {
			data.X.(*design.Dense).Col(1)[i] = x[i]
		}
	}
	model := glm.Model{Family: family, Coefficients: slices.Repeat([]prior.Prior{law}, d)}
	if family.Name == "student_t" {
		model.Dispersion = prior.Prior{Kind: prior.Constant, Location: 0.5}
		model.Nu = prior.Prior{Kind: prior.Constant, Location: 2}
	}
	target, err := glm.NewTarget(data, model)
	must(t, err)
	return target
}

// startsOf returns the starts of some chains and their words, from the last chain to the first: they do not depend on
// the order.
func startsOf(target *glm.Target, chains int) (starts [][]float64, words []string) {
	starts, words = make([][]float64, chains), make([]string, chains)
	for c := range slices.Backward(starts) {
		stream := infer.NewStream(1, fmt.Sprint(c))
		starts[c], words[c] = target.Start(infer.Chain{Index: c, Count: chains, Stream: stream})
	}
	return starts, words
}

// Chains start around both of two modes: the slopes of two lines that cross.
func TestStartsAroundModes(t *testing.T) {
	x := []float64{-3, -2, -1, 0, 1, 2, 3, -3, -2, -1, 0, 1, 2, 3}
	y := []float64{-9.2, -5.7, -3.1, 0.3, 3.2, 5.8, 9.1, 9.3, 5.8, 3.1, -0.1, -3.3, -6.2, -8.7}
	target := dispersedTarget(t, glm.Family{Name: "student_t", Link: "identity"}, y, x,
		prior.Prior{Kind: prior.Normal, Scale: 10})
	starts, words := startsOf(target, 7)
	up, down := 0, 0
	for c, u := range starts[:6] {
		if want := fmt.Sprintf("t3 around mode %d of 2", c%2+1); !strings.HasPrefix(words[c], want) {
			t.Errorf("chain %d starts at %q, want %q", c, words[c], want)
		}
		if u[1] > 1.5 {
			up++
		} else if u[1] < -1.5 {
			down++
		}
	}
	if up < 2 || down < 2 || words[6] != "prior" {
		t.Errorf("%d and %d of 6 chains start near slopes of 3 and -3, want 2 at least; the last starts at %q", up, down,
			words[6])
	}
}

// A posterior that is not log-concave and has one mode known has starts at random rows, or every second one from the
// prior; one that is log-concave keeps those around the penalised point.
func TestStartsWithoutModes(t *testing.T) {
	y := []float64{0, 1, 1, 0, 1, 1, 0, 1}
	wide := prior.Prior{Kind: prior.Normal, Scale: 5}
	const penalised, prior0, rows = "t3 around the penalised point, scale 2", "prior", "fit to 1 random rows"
	for _, c := range []struct {
		family, link string
		law          prior.Prior
		want         []string
	}{
		{"bernoulli", "logit", wide, []string{penalised, penalised, penalised, prior0}},
		{"bernoulli", "logit", prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 2.5},
			[]string{penalised, prior0, penalised, prior0}},
		{"bernoulli", "cauchit", wide, []string{penalised, prior0, penalised, prior0}},
		{"student_t", "identity", wide, []string{penalised, rows, rows, prior0}},
	} {
		target := dispersedTarget(t, glm.Family{Name: c.family, Link: c.link}, y, nil, c.law)
		if _, words := startsOf(target, 4); !slices.Equal(words, c.want) {
			t.Errorf("%s(%s) under %s: chains start at %q, want %q", c.family, c.link, c.law, words, c.want)
		}
	}
}
