package pipelines_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
	"glmbatch/pipelines"
)

// A modalPosterior is a posterior of several modes whose masses a quadrature gives. The modes are the intervals of
// value between cuts.
type modalPosterior struct {
	name       string
	data       string // the rows of a CSV file with its header
	model      string // the model's YAML mapping
	parameters []string
	value      func(theta []float64) float64
	sql        string // value in SQL, of the columns v1, v2, …
	cuts       []float64
	logDensity func(theta []float64) float64
	grid       []axis // of the parameters that are integrated over
	slow       bool   // no sampler passes it with the right shares
}

// An axis is a grid of n midpoints between two ends.
type axis struct {
	low, high float64
	n         int
}

// masses returns the masses of the modes by midpoint quadrature.
func (p *modalPosterior) masses() []float64 {
	out, largest := make([]float64, len(p.cuts)+1), math.Inf(-1)
	theta := make([]float64, len(p.grid))
	var walk func(i int)
	walk = func(i int) {
		if i == len(p.grid) {
			l := p.logDensity(theta)
			if l > largest {
				for m := range out {
					out[m] *= math.Exp(largest - l)
				}
				largest = l
			}
			out[p.mode(p.value(theta))] += math.Exp(l - largest)
			return
		}
		a := p.grid[i]
		for k := range a.n {
			theta[i] = a.low + (a.high-a.low)*(float64(k)+0.5)/float64(a.n)
			walk(i + 1)
		}
	}
	walk(0)
	total := 0.0
	for _, m := range out {
		total += m
	}
	for m := range out {
		out[m] /= total
	}
	return out
}

// mode returns the number of cuts below a value.
func (p *modalPosterior) mode(value float64) (m int) {
	for _, c := range p.cuts {
		if value > c {
			m++
		}
	}
	return m
}

// modalCount counts the fits of one sampler on one posterior. A pass, or a warning, is wrong if a mode of at least 5 %
// of the mass has less than a fiftieth of its share of the draws, which is what tails of other modes leave there. It is
// right if every mode's share of the draws is within 0.1 of its mass.
type modalCount struct{ fits, passes, wrong, right int }

// count fits a posterior with some seeds, which are the keys of its data set, by each of some samplers.
func (p *modalPosterior) count(t *testing.T, seeds int, samplers []string) map[string]*modalCount {
	yaml := map[string]string{"auto": "{method: auto}", "coordinate": "{method: cggibbs}", "nuts": "{method: nuts}"}
	counts, methods := map[string]*modalCount{}, ""
	for _, s := range samplers {
		counts[s] = &modalCount{}
		methods += "  " + s + ": " + yaml[s] + "\n"
	}
	f := newFolder(t, fmt.Sprintf(`pipeline: modes
database: modes.duckdb
seed: 11
datasets: {d: {path: d.csv, by: [seed]}}
models: {m: {%s}}
samplers:
%s`, p.model, methods))
	f.write("d.csv", p.copies(seeds))
	f.run(pipelines.RunOptions{})
	masses := p.masses()
	for _, row := range strings.Split(f.ask("modes.duckdb", p.query()), "\n") {
		cells := strings.Split(row, ",")
		shares := make([]float64, len(masses))
		for m := range shares {
			var err error
			if shares[m], err = strconv.ParseFloat(cells[2+m], 64); err != nil {
				t.Fatal(err)
			}
		}
		counts[cells[0]].add(cells[1], shares, masses)
	}
	return counts
}

// add counts a fit.
func (c *modalCount) add(verdict string, shares, masses []float64) {
	c.fits++
	if verdict != "pass" && verdict != "warn" {
		return
	}
	c.passes++
	wrong, right := false, true
	for m, share := range shares {
		wrong = wrong || masses[m] >= 0.05 && share < masses[m]/50
		right = right && math.Abs(share-masses[m]) <= 0.1
	}
	switch {
	case wrong:
		c.wrong++
	case right:
		c.right++
	}
}

// query returns the SQL of sampler, verdict and the modes' shares of the draws, by fit.
func (p *modalPosterior) query() string {
	var columns, mode, shares []string
	for i, name := range p.parameters {
		columns = append(columns, fmt.Sprintf("max(value) FILTER (parameter = '%s') AS v%d", name, i+1))
	}
	for _, c := range p.cuts {
		mode = append(mode, fmt.Sprintf("(%s > %g)::INTEGER", p.sql, c))
	}
	for m := range len(p.cuts) + 1 {
		shares = append(shares, fmt.Sprintf("avg((mode = %d)::INTEGER)", m))
	}
	return fmt.Sprintf(`WITH wide AS (SELECT fit_id, chain, iteration, %s FROM draws GROUP BY ALL),
		modes AS (SELECT fit_id, %s AS mode FROM wide)
		SELECT f.sampler, f.verdict, %s FROM fit f JOIN modes USING (fit_id) GROUP BY f.fit_id, f.sampler, f.verdict`,
		strings.Join(columns, ", "), strings.Join(mode, " + "), strings.Join(shares, ", "))
}

// copies returns the rows once for each of some seeds, which are keys of the data set.
func (p *modalPosterior) copies(seeds int) string {
	header, rows, _ := strings.Cut(strings.TrimSpace(p.data), "\n")
	var b strings.Builder
	fmt.Fprintln(&b, "seed,"+header)
	for s := range seeds {
		for _, row := range strings.Split(rows, "\n") {
			fmt.Fprintf(&b, "s%d,%s\n", s, row)
		}
	}
	return b.String()
}

// Auto passes no fit that has missed a mode, and passes as many fits as the plain sampler with the right shares of the
// modes. The form of make study takes 4 seeds of auto: its draws are fixed, so that it has no false alarms. With
// GLMBATCH_STAT=1 it takes 50 seeds of auto, the plain sampler and nuts, holds auto to at most 1 % of wrong passes and
// at least 80 % of the plain sampler's right ones, and prints the table of docs/diagnostics.md.
func TestModes(t *testing.T) {
	infertest.Study(t)
	seeds, samplers, full := 4, []string{"auto"}, os.Getenv("GLMBATCH_STAT") != ""
	if full {
		seeds, samplers = 50, []string{"auto", "coordinate", "nuts"}
	}
	total := map[string]*modalCount{"auto": {}, "coordinate": {}, "nuts": {}}
	for _, p := range modalPosteriors() {
		t.Run(p.name, func(t *testing.T) {
			counts := p.count(t, seeds, samplers)
			words := fmt.Sprintf("masses %.2f", p.masses())
			for _, s := range samplers {
				c, sum := counts[s], total[s]
				sum.fits, sum.passes = sum.fits+c.fits, sum.passes+c.passes
				sum.wrong, sum.right = sum.wrong+c.wrong, sum.right+c.right
				words += fmt.Sprintf("; %s: %d fits, %d pass, %d right, %d wrong", s, c.fits, c.passes, c.right, c.wrong)
			}
			t.Log(words)
			if c := counts["auto"]; !full && (c.wrong > 0 || c.right < seeds-1 && !p.slow) {
				t.Errorf("auto has %d right and %d wrong passes of %d, want at least %d and none", c.right, c.wrong, seeds,
					seeds-1)
			}
		})
	}
	for _, s := range samplers {
		t.Logf("%s: %+v", s, *total[s])
	}
	auto := total["auto"]
	if 100*auto.wrong > auto.fits || full && 10*auto.right < 8*total["coordinate"].right {
		t.Errorf("auto: %+v, the plain sampler: %+v", *auto, *total["coordinate"])
	}
}
