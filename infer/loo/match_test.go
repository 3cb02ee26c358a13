package loo

import (
	"math"
	"strings"
	"testing"
)

// matchCase is the poisson regression of make_match.R.
type matchCase struct {
	y    []float64
	x    [][]float64
	post *Posterior
}

func newMatchCase(t testing.TB) *matchCase {
	c := &matchCase{post: &Posterior{}}
	for _, line := range lines(t, "match_data.csv") {
		v := numbers(t, strings.Split(line, ","))
		c.y, c.x = append(c.y, v[0]), append(c.x, v[1:])
	}
	for _, line := range lines(t, "match_draws.csv") {
		v := numbers(t, strings.Split(line, ","))
		c.post.Draws, c.post.Dim = append(c.post.Draws, v...), len(v)
	}
	c.post.Density = func(u []float64) float64 {
		sum := 0.0
		for i := range c.y {
			sum += c.like(i, u)
		}
		for _, v := range u {
			sum -= v * v / (2 * 2.5 * 2.5)
		}
		return sum
	}
	return c
}

// like is the log density of row i.
func (c *matchCase) like(i int, u []float64) float64 {
	eta := 0.0
	for j, v := range u {
		eta += v * c.x[i][j]
	}
	log, _ := math.Lgamma(c.y[i] + 1)
	return c.y[i]*eta - math.Exp(eta) - log
}

// row is row i before any draw is moved.
func (c *matchCase) row(i int) Row {
	var log []float64
	for s := range c.post.Size() {
		log = append(log, c.like(i, c.post.at(c.post.Draws, s)))
	}
	var w Workspace
	return w.Row(chainsOf(log, 4))
}

// Rows that are moved have the numbers of R's loo_moment_match: shifted, scaled, and by covariances.
func TestMatchEqualsR(t *testing.T) {
	c := newMatchCase(t)
	var w Workspace
	moved, corrected := 0, 0
	for _, line := range lines(t, "match.csv")[1:] {
		v := numbers(t, strings.Split(line, ","))
		i := int(v[0]) - 1
		before := c.row(i)
		after := w.Match(c.post, before, 0.1, func(u []float64) float64 { return c.like(i, u) })
		for j, got := range []float64{before.K, after.K, after.ELPD, after.MCSE} {
			if name := []string{"k before", "k", "elpd", "mcse"}[j]; !near(got, v[j+1], 1e-8) {
				t.Errorf("row %d: %s is %.12g, R has %.12g", i+1, name, got, v[j+1])
			}
		}
		if after.K < before.K {
			moved++
		}
		if v[3] != v[5] {
			corrected++
		}
		if math.Abs(after.ELPD-v[5]) > after.MCSE {
			t.Errorf("row %d: elpd is %.6g ± %.2g, loo as it is has %.6g", i+1, after.ELPD, after.MCSE, v[5])
		}
		if p := before.ELPD + before.P - after.ELPD; !near(after.P, p, 1e-12) {
			t.Errorf("row %d: p is %v, want %v", i+1, after.P, p)
		}
	}
	if moved < 5 || corrected == 0 {
		t.Errorf("%d rows are moved, %d of them by more than a shift", moved, corrected)
	}
}
