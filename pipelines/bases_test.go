package pipelines_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
)

// sampled is a way to draw: options, and of each chain the iterations of warm-up, the
// draws that are kept, and how many iterations there are to each.
type sampled struct {
	options           cggibbs.Options
	warm, draws, each int
	says              string // how it explains itself
}

// plainly is the coordinate basis. A law does not depend on the update, so that it has
// the one that costs least to a draw.
func plainly(update string, warm, draws, each int) sampled {
	return sampled{cggibbs.Options{Update: update}, warm, draws, each, "coordinate: "}
}

// automatic is the choice of auto.
func automatic(warm, draws, each int, says string) sampled {
	return sampled{cggibbs.Options{Basis: "auto"}, warm, draws, each, says}
}

const (
	reducedAt = "reduced: the likelihood sees "
	rotatedAt = "rotated: "
	slowAt    = " coefficients by itself, then 64 directions"
)

// agreements are the sets of the panel, with lengths at which single coefficients have mixed.
var agreements = []struct {
	name      string
	posterior func(t *testing.T, name string) *glm.Target
	plain     sampled
	others    []sampled
}{
	{"colon", panelPosterior, plainly("matched", 500, 1000, 4), []sampled{automatic(50, 1000, 4, reducedAt)}},
	{"leukemia", panelPosterior, plainly("matched", 500, 1000, 2), []sampled{automatic(50, 1000, 4, reducedAt)}},
	{"ALLAML", panelPosterior, plainly("matched", 500, 1000, 2), []sampled{automatic(50, 1000, 4, reducedAt)}},
	{"Prostate_GE", panelPosterior, plainly("matched", 500, 1000, 2), []sampled{automatic(50, 1000, 4, reducedAt)}},
	{"madelon", panelPosterior, plainly("matched", 2000, 1000, 16), []sampled{automatic(50, 1000, 1, rotatedAt)}},
	{"PCMAC", wordPosterior, plainly("stepping_out", 2000, 1000, 15), []sampled{
		automatic(1000, 1000, 10, "coordinate: each of 3290"+slowAt),
		{cggibbs.Options{Basis: "reduced"}, 50, 800, 1, reducedAt}}},
	{"RELATHE", wordPosterior, plainly("stepping_out", 500, 1000, 4), []sampled{automatic(250, 1000, 3, "coordinate: each of 4323"+slowAt)}},
	{"BASEHOCK", wordPosterior, plainly("stepping_out", 500, 1000, 4), []sampled{automatic(250, 1000, 3, "coordinate: each of 4863"+slowAt)}},
}

// The choice of auto on the sets of the panel agrees with the coordinate sampler: over the means of all
// coefficients, of their squares, of log_lik, of every row's linear predictor, which is all that the likelihood
// depends on, and of the mean square of these.
//
// False alarms: 1e-4 for each of these five, split over their numbers, and for the spreads
// of the first two, as far as means are normal and their standard errors right: so no
// R-hat may be above 1.05. The scores of iid draws would have a spread near 1, those of a
// common direction correlate, so that 0.7 to 1.35 is wide.
//
// Power: any mean off by six of its standard errors (the last, and log_lik, by four), or all off by one. On colon a
// spread, 3 % too small, of the directions that the likelihood does not depend on shows in the squares, whose
// spread is then 1.8, and nowhere else; a scale move with r − 1 instead of r = 62 in the mean square, 4.9 standard
// errors off, and nowhere else; a prior of z that is wider by 5 % in the updates of single coordinates does not
// show, 2.4 in the mean square.
func TestBasesAgree(t *testing.T) {
	if os.Getenv("GLMBATCH_STAT") == "" {
		t.Skip("an hour; GLMBATCH_STAT=1 runs it")
	}
	for _, c := range agreements {
		t.Run(c.name, func(t *testing.T) {
			target, seed := c.posterior(t, c.name), infertest.Seed(t)
			plain := runs(t, target, c.plain, seed)
			for _, other := range c.others {
				compare(t, plain, runs(t, target, other, seed))
			}
		})
	}
}

// chains are draws: of each quantity, of each chain.
type chains struct {
	coefficients, rows [][][]float64
	size, logLik       [][]float64
}

// newChains has room for all draws.
func newChains(target *glm.Target, count, draws int) *chains {
	make3 := func(n int) [][][]float64 {
		out := make([][][]float64, n)
		for i := range out {
			out[i] = make([][]float64, count)
			for c := range count {
				out[i][c] = make([]float64, draws)
			}
		}
		return out
	}
	return &chains{make3(target.Dim()), make3(target.Rows()), make3(1)[0], make3(1)[0]}
}

// runs draws four chains in a basis that explains itself as expected.
func runs(t *testing.T, target *glm.Target, s sampled, seed uint64) *chains {
	t.Helper()
	setup, err := cggibbs.New(target, s.options)
	must(t, err)
	if e, ok := setup.(infer.Explainer); ok {
		words := e.Explain()
		if t.Logf("%d + %d × %d iterations of %s", s.warm, s.draws, s.each, words); !strings.HasPrefix(words, s.says) {
			t.Fatalf("%+v is %q, want %q", s.options, words, s.says)
		}
	}
	const count = 4
	out, theta := newChains(target, count, s.draws), make([]float64, target.Dim())
	for c := range count {
		k, err := setup.Kernel(infer.Chain{Index: c, Count: count, Warmup: s.warm,
			Stream: infer.NewStream(seed, s.options.Basis, strconv.Itoa(c))})
		must(t, err)
		for i := range s.warm + s.draws*s.each {
			info, err := k.Step()
			must(t, err)
			if at := i - s.warm + 1; at > 0 && at%s.each == 0 {
				k.Position(theta)
				out.keep(target, c, at/s.each-1, theta, info.LogLik)
			}
		}
	}
	return out
}

// keep writes draw i of chain c.
func (s *chains) keep(target *glm.Target, c, i int, theta []float64, logLik float64) {
	eta := make([]float64, target.Rows())
	for j, v := range theta {
		s.coefficients[j][c][i] = v
		target.Data().X.Column(j).AddTo(eta, v)
	}
	for r, v := range eta {
		s.rows[r][c][i] = v
		s.size[c][i] += v * v / float64(len(eta))
	}
	s.logLik[c][i] = logLik
}

// scores compares one kind of quantities of two ways.
type scores struct {
	n                    int
	largest, squares     float64
	rHat, ess            [2]float64 // largest R-hat and least ESS of each way
	workspace            *diag.Workspace
	meanOne, mcseOne     float64 // of the quantity that came last
	meanOther, mcseOther float64
}

func newScores() *scores {
	return &scores{workspace: diag.NewWorkspace(), ess: [2]float64{math.Inf(1), math.Inf(1)}}
}

// add compares one quantity.
func (s *scores) add(one, other [][]float64) {
	var of [2]diag.Summary
	for i, draws := range [][][]float64{one, other} {
		of[i] = s.workspace.Summarize(draws)
		s.rHat[i] = math.Max(s.rHat[i], of[i].RHat)
		s.ess[i] = math.Min(s.ess[i], of[i].ESSBulk)
	}
	z := (of[0].Mean - of[1].Mean) / math.Hypot(of[0].MCSEMean, of[1].MCSEMean)
	s.n++
	s.largest, s.squares = math.Max(s.largest, math.Abs(z)), s.squares+z*z
	s.meanOne, s.mcseOne, s.meanOther, s.mcseOther = of[0].Mean, of[0].MCSEMean, of[1].Mean, of[1].MCSEMean
}

func (s *scores) spread() float64 { return math.Sqrt(s.squares / float64(s.n)) }

// check judges the scores; those of a few common directions have no spread to judge.
func (s *scores) check(t *testing.T, what string, spread bool) {
	t.Helper()
	limit := math.Sqrt2 * math.Erfcinv(1e-4/float64(s.n))
	t.Logf("%d %s: spread of z %.3f, largest %.2f of %.2f; largest R-hat %.3f and %.3f, least ESS %.0f and %.0f",
		s.n, what, s.spread(), s.largest, limit, s.rHat[0], s.rHat[1], s.ess[0], s.ess[1])
	if !(s.largest < limit) || spread && !(s.spread() > 0.7 && s.spread() < 1.35) {
		t.Errorf("the bases disagree in %s: spread of z %.3f, largest %.2f, limit %.2f", what, s.spread(), s.largest, limit)
	}
	if !(s.rHat[0] <= 1.05 && s.rHat[1] <= 1.05) {
		t.Errorf("R-hats of %s are up to %.3f and %.3f: chains have not mixed, and their scores mean nothing", what, s.rHat[0], s.rHat[1])
	}
}

// compare compares two ways to draw from one posterior.
func compare(t *testing.T, one, other *chains) {
	t.Helper()
	means, squares, rows, size, logLik := newScores(), newScores(), newScores(), newScores(), newScores()
	for j, x := range one.coefficients {
		means.add(x, other.coefficients[j])
		squares.add(squared(x), squared(other.coefficients[j]))
	}
	for i, x := range one.rows {
		rows.add(x, other.rows[i])
	}
	size.add(one.size, other.size)
	logLik.add(one.logLik, other.logLik)
	means.check(t, "coefficients", true)
	squares.check(t, "squares of coefficients", true)
	rows.check(t, "linear predictors", false)
	size.check(t, "mean square of the linear predictors", false)
	logLik.check(t, "log_lik", false)
	t.Logf("mean square of the linear predictors %.5g ± %.2g and %.5g ± %.2g", size.meanOne, size.mcseOne, size.meanOther, size.mcseOther)
	t.Logf("log_lik %.4f ± %.4f and %.4f ± %.4f", logLik.meanOne, logLik.mcseOne, logLik.meanOther, logLik.mcseOther)
}

// squared returns the squares of draws.
func squared(draws [][]float64) [][]float64 {
	out := make([][]float64, len(draws))
	for c, chain := range draws {
		for _, v := range chain {
			out[c] = append(out[c], v*v)
		}
	}
	return out
}
