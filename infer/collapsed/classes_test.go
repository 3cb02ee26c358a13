package collapsed

import (
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/mixture"
)

// texts are three texts of 100 words of three kinds: of the first kind, of the second, and of both alike.
var texts = example{name: "three texts", columns: []Column{{Name: "words", Categories: abc, Prior: categoriesPrior(1),
	Counts: [][]float64{{90, 45, 5}, {5, 45, 90}, {5, 10, 5}}}}}

// With two components the text in the middle belongs to either with equal probabilities, by symmetry. The plain
// sampler never moves it; the collapsed one does, as often as all labellings say.
//
// False alarms: 6 standard errors of 20,000 iterations of which every tenth is taken for independent. A share that is
// off by 0.07 is seen.
func TestPlainIsStuckWithCategories(t *testing.T) {
	const iterations = 20_000
	for _, plain := range []bool{true, false} {
		k := texts.setup(t, Options{Options: mixture.Options{Components: 2}, Plain: plain}).chain(t, 3)
		exact, total := 0.0, 0.0
		labellings(k, func(int) {
			p := math.Exp(k.logTarget() + 300)
			if total += p; k.labels[0] == k.labels[1] {
				exact += p
			}
		})
		exact /= total
		copy(k.labels, []uint8{0, 0, 1})
		k.collect()
		k.drawParameters()
		k.Evaluate()
		share := 0.0
		for range iterations {
			if _, err := k.Step(); err != nil {
				t.Fatal(err)
			}
			if k.labels[0] == k.labels[1] {
				share += 1.0 / iterations
			}
		}
		switch {
		case plain && math.Abs(share-1) > 1e-9:
			t.Errorf("the plain sampler had the first two texts together in %v of its iterations, not all", share)
		case !plain && !(math.Abs(share-exact) < 6*0.5/math.Sqrt(iterations/10)):
			t.Errorf("the collapsed sampler had the first two texts together in %.4f of its iterations, all labellings "+
				"have %.4f", share, exact)
		}
	}
}

// A missing response changes nothing: rows of which all but one column are missing have the distribution of that
// column alone.
func TestMissingResponses(t *testing.T) {
	one := Column{Name: "q", Categories: abc, Y: []float64{0, 2, 1, 0, 2}, Prior: categoriesPrior(0.7)}
	none := Column{Name: "x", Family: normal, Y: slices.Repeat([]float64{nan}, 5), Prior: priorOf("normal_inverse_gamma", 1, 0.5, 2, 3)}
	some := Column{Name: "w", Categories: abc, Counts: [][]float64{make([]float64, 5), make([]float64, 5), make([]float64, 5)},
		Prior: categoriesPrior(1)}
	law := func(columns ...Column) (out []float64) {
		k := example{columns: columns}.setup(t, Options{Options: mixture.Options{Components: 2}}).chain(t, 1)
		labellings(k, func(int) { out = append(out, k.logTarget()) })
		return out
	}
	alone, beside := law(one), law(none, one, some)
	for state := range alone {
		if !(math.Abs(alone[state]-beside[state]) < 1e-12) {
			t.Fatalf("labelling %d: log probability %v beside missing responses, %v without", state, beside[state], alone[state])
		}
	}
}

// The parameters of a component have the names of columns and categories, and probabilities sum to 1.
func TestClassesPosition(t *testing.T) {
	k := examples[6].setup(t, Options{Options: mixture.Options{Components: 2}}).chain(t, 1)
	var names []string
	for _, p := range k.Parameters()[2:11] {
		names = append(names, p.Name)
	}
	if got, want := strings.Join(names, " "), "p1_q_a p1_q_b p1_q_c mu1_x sigma_x1 p1_r_a p1_r_b mu1_n mu1_s"; got != want {
		t.Errorf("parameters %s, want %s", got, want)
	}
	position := make([]float64, k.Len())
	for range 20 {
		if _, err := k.Step(); err != nil {
			t.Fatal(err)
		}
		k.Position(position)
		for _, theta := range k.Blocks(position) {
			if a, b := theta[0]+theta[1]+theta[2], theta[5]+theta[6]; math.Abs(a-1) > 1e-12 || math.Abs(b-1) > 1e-12 {
				t.Fatalf("probabilities of categories sum to %v and %v", a, b)
			}
		}
	}
	logLik := func() (sum float64) {
		for i := range k.Rows() {
			sum += k.ChancesOf(i)
		}
		return sum
	}
	likelihood := logLik()
	if err := k.SetPosition(position); err != nil || !(math.Abs(logLik()-likelihood) < 1e-10) {
		t.Errorf("log likelihood %v where the chain was put, %v where it came from, error %v", logLik(), likelihood, err)
	}
}
