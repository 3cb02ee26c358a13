package collapsed

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	likelihood "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/internal/vec"
)

// ones are data of y ~ 1.
func ones(y, trials []float64) *glm.Data {
	x := design.NewDense(len(y), 1)
	for i := range x.Values {
		x.Values[i] = 1
	}
	return &glm.Data{X: x, Names: []string{"(Intercept)"}, Y: y, Trials: trials}
}

// example is data of a family with its prior, or of several columns.
type example struct {
	name    string
	family  glm.Family
	data    *glm.Data
	prior   string
	columns []Column
}

var (
	normal   = glm.Family{Name: "gaussian", Link: "identity"}
	counts   = glm.Family{Name: "poisson", Link: "log"}
	coins    = glm.Family{Name: "bernoulli", Link: "logit"}
	trialsOf = glm.Family{Name: "binomial", Link: "logit"}
	nan      = math.NaN()
	abc      = []string{"a", "b", "c"}
	examples = []example{
		{name: "gaussian", family: normal, data: ones([]float64{0.3, 1.5, 4, 4.5, -2}, nil),
			prior: "normal_inverse_gamma(1, 0.5, 1.5, 2)"},
		{name: "poisson", family: counts, data: ones([]float64{0, 1, 5, 7, 3}, nil), prior: "gamma(1.3, 0.4)"},
		{name: "bernoulli", family: coins, data: ones([]float64{0, 1, 1, 0, 1}, nil), prior: "beta(0.7, 1.2)"},
		{name: "binomial", family: trialsOf, data: ones([]float64{0, 3, 7, 7, 2}, []float64{4, 4, 8, 9, 3}),
			prior: "beta(1.5, 1)"},
		{name: "categorical", columns: []Column{
			{Name: "q", Categories: abc, Y: []float64{0, 2, 1, 0, 2}, Prior: categoriesPrior(0.7, 1.2, 0.9)}}},
		{name: "multinomial", columns: []Column{{Name: "q", Categories: abc, Prior: categoriesPrior(1.5, 0.8, 1.1),
			Counts: [][]float64{{4, 0, 1, 3, 0}, {0, 2, 1, 1, 1}, {1, 3, 0, 0, 2}}}}},
		{name: "classes", columns: []Column{
			{Name: "q", Categories: abc, Y: []float64{0, 2, nan, 0, 2}, Prior: categoriesPrior(0.8)},
			{Name: "x", Family: normal, Y: []float64{0.3, nan, 4, 1, 3.5}, Prior: priorOf("normal_inverse_gamma", 1, 0.5, 2.5, 3)},
			{Name: "r", Categories: abc[:2], Y: []float64{0, 1, 1, 0, 0}, Prior: categoriesPrior(1.3, 0.9)},
			{Name: "n", Family: counts, Y: []float64{0, 4, 5, nan, 6}, Prior: priorOf("gamma", 1.3, 0.4)},
			{Name: "s", Family: trialsOf, Y: []float64{0, 3, nan, 1, 2}, Trials: []float64{4, 4, 3, 2, 3}, Prior: priorOf("beta", 1.5, 1)},
		}},
		{name: "gamma", family: likelihood.Measurements, data: ones([]float64{0.3, 1.5, 4, 4.5, 2}, nil),
			prior: "inverse_gamma(3, 1.5, 2)"},
		{name: "correlated", columns: []Column{
			{Name: "a", Family: normal, Correlated: true, Y: []float64{0.3, 1.5, nan, 4.5, -2},
				Prior: priorOf("normal_inverse_gamma", 1, 0.5, 2.5, 3)},
			{Name: "q", Categories: abc[:2], Y: []float64{0, 1, 1, nan, 0}, Prior: categoriesPrior(1.3, 0.9)},
			{Name: "b", Family: normal, Correlated: true, Y: []float64{1, 2.5, nan, 5, -0.5},
				Prior: priorOf("normal_inverse_gamma", 0.5, 0.5, 2.5, 2)}}},
	}
)

func priorOf(name string, numbers ...float64) Prior { return Prior{Law: name, Numbers: numbers} }

func categoriesPrior(numbers ...float64) Prior { return priorOf(Dirichlet, numbers...) }

func (e example) setup(t testing.TB, o Options) *setup {
	t.Helper()
	var s infer.Setup
	var err error
	if e.columns != nil {
		s, err = NewClasses(e.columns, o)
	} else if o.Prior, err = ParsePrior(e.prior); err == nil {
		s, err = New(e.family, e.data, o)
	}
	must(t, err)
	return s.(*setup)
}

func (s *setup) chain(t testing.TB, seed uint64) *kernel {
	t.Helper()
	k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(seed, "exact")})
	must(t, err)
	return k.(*kernel)
}

// labellings calls visit with each of the Kⁿ labellings.
func labellings(k *kernel, visit func(state int)) {
	n := len(k.labels)
	for state := range int(math.Pow(float64(k.Components), float64(n))) {
		for i, rest := 0, state; i < n; i++ {
			k.labels[i] = uint8(rest % k.Components)
			rest /= k.Components
		}
		k.collect()
		visit(state)
	}
}

// logTarget is log P(labels, y) in closed form: a Dirichlet-multinomial distribution of the labels, and the
// marginal density of the rows of each component. Labels are independent if the weights are
// known.
func (k *kernel) logTarget() float64 {
	a := k.opts.Concentration
	sum, _ := math.Lgamma(a * float64(k.Components))
	all, _ := math.Lgamma(a*float64(k.Components) + float64(len(k.labels)))
	sum -= all
	for c := range k.of {
		at, _ := math.Lgamma(a + k.Counts[c])
		none, _ := math.Lgamma(a)
		sum += at - none + marginal(k.family, k.of[c])
	}
	if k.Process != 0 {
		return k.logProcess()
	}
	if k.Known == nil {
		return sum
	}
	sum = 0
	for c, w := range k.Known {
		sum += k.Counts[c]*math.Log(w) + marginal(k.family, k.of[c])
	}
	return sum
}

// logProcess is logTarget of a Dirichlet process: Ewens' distribution of the partition, divided over the labellings that
// make it, and the marginal density of the rows of each block.
func (k *kernel) logProcess() float64 {
	a, free := k.Process, float64(k.Components)
	all, _ := math.Lgamma(a + float64(len(k.labels)))
	sum, _ := math.Lgamma(a)
	sum -= all
	for c, n := range k.Counts {
		if n > 0 {
			g, _ := math.Lgamma(n)
			sum += math.Log(a) + g + marginal(k.family, k.of[c]) - math.Log(free)
			free--
		}
	}
	return sum
}

// Drawing one label from its probabilities leaves the exact distribution of all Kⁿ labellings unchanged, to
// rounding: πP = π with transition probabilities that are enumerated.
func TestLabelsAreInvariant(t *testing.T) {
	for j, e := range slices.Concat(examples, examples[:2]) {
		o := mixture.Options{Components: 3, Concentration: 0.6}
		switch j - len(examples) {
		case 0:
			o.Known = []float64{0.5, 0.2, 0.3}
		case 1:
			o.Process, o.Components = 0.7, 5
		}
		t.Run(e.name, func(t *testing.T) {
			k := e.setup(t, Options{Options: o}).chain(t, 1)
			var law []float64
			total := 0.0
			labellings(k, func(int) { law = append(law, math.Exp(k.logTarget())) })
			for _, p := range law {
				total += p
			}
			for i := range k.labels {
				after := make([]float64, len(law))
				labellings(k, func(state int) {
					own := int(k.labels[i])
					k.family.add(k.of[own], i, -1)
					k.Counts[own]--
					sum := k.predictive(i)
					step := int(math.Pow(float64(k.Components), float64(i)))
					for c, l := range k.Chances {
						after[state+(c-own)*step] += law[state] * math.Exp(l-sum)
					}
				})
				for state, p := range after {
					if math.Abs(p-law[state]) > 1e-12*total {
						t.Fatalf("row %d, labelling %d: probability %v after an update, %v before", i, state, p/total, law[state]/total)
					}
				}
			}
		})
	}
}

// Chains with known weights have the exact probability that a row is of the first component, although a row's label
// alone never moves between the two numberings.
//
// False alarms: |z| ≤ 5.5 from 60 batches of 100 iterations, for 3 probabilities: 3e-6. Power: 5.5 standard errors of 0.01.
func TestKnownWeightsMove(t *testing.T) {
	coins := example{name: "coins", prior: "beta(1, 1)", family: glm.Family{Name: "binomial", Link: "logit"},
		data: ones([]float64{5, 50, 95}, []float64{100, 100, 100})}
	k := coins.setup(t, Options{Options: mixture.Options{Components: 2, Known: []float64{0.3, 0.7}}}).chain(t, 1)
	want, total := make([]float64, 3), 0.0
	labellings(k, func(int) {
		p := math.Exp(k.logTarget())
		total += p
		for i, c := range k.labels {
			want[i] += p * float64(1-c)
		}
	})
	sums, squares := make([]float64, 3), make([]float64, 3)
	const batches, length = 60, 100
	for range batches {
		batch := make([]float64, 3)
		for range length {
			_, err := k.Step()
			must(t, err)
			for i, c := range k.labels {
				batch[i] += float64(1-c) / length
			}
		}
		for i, v := range batch {
			sums[i] += v / batches
			squares[i] += v * v / batches
		}
	}
	for i := range want {
		se := math.Sqrt((squares[i] - sums[i]*sums[i]) / (batches - 1))
		if z := (sums[i] - want[i]/total) / se; !(math.Abs(z) <= 5.5) {
			t.Errorf("coin %d is of the first component in %.3f ± %.3f, exactly %.3f", i+1, sums[i], se, want[i]/total)
		}
	}
}

// marginal returns the log density of the rows with these statistics, parameters integrated out, less constants of the
// rows: the sum of predictives in any order.
func marginal(f family, s statistics) float64 {
	switch f := f.(type) {
	case *product:
		sum := 0.0
		for k := range f.parts {
			q := &f.parts[k]
			sum += marginal(q.family, q.at(s))
		}
		return sum
	case *categorical:
		return f.marginal(s)
	case *multinomial:
		return f.marginal(s)
	case *gaussian:
		_, rows, shape, scale := f.given(s)
		return vec.LogGamma(shape) - vec.LogGamma(f.shape) + float64(f.shape*vec.Log(f.scale)) -
			float64(shape*vec.Log(scale)) + float64(0.5*vec.Log(f.rows/rows)) - float64(s[0]*halfLog2Pi)
	case *poisson:
		shape, rate := f.shape+s[1], f.rate+s[0]
		return float64(f.shape*vec.Log(f.rate)) - vec.LogGamma(f.shape) + vec.LogGamma(shape) - float64(shape*vec.Log(rate))
	case *normals:
		return f.marginal(s)
	case *positive:
		a, b := f.given(s)
		return vec.LogGamma(a) - vec.LogGamma(f.a) + float64(f.a*vec.Log(f.b)) - float64(a*vec.Log(b))
	case *binomial:
		return logBeta(f.a+s[1], f.b+s[0]) - logBeta(f.a, f.b)
	}
	panic("no such family")
}

func (d *dirichlet) marginal(s statistics) float64 {
	all := len(d.a)
	sum := vec.LogGamma(d.total) - vec.LogGamma(d.total+s[all])
	for c, a := range d.a {
		if s[c] != 0 {
			sum += vec.LogGamma(a+s[c]) - vec.LogGamma(a)
		}
	}
	return sum
}

// The marginal density of rows is the sum of predictives whatever their order, and the integral of likelihood and prior
// over a grid of the parameters; of several columns it is the sum of theirs.
func TestMarginals(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			s := e.setup(t, Options{Options: mixture.Options{Components: 2}})
			f, all := s.family, make(statistics, s.family.size())
			sum := 0.0
			for i := range s.rows {
				sum += f.predictive(all, i)
				f.add(all, i, 1)
			}
			if got := marginal(f, all); math.Abs(got-sum) > 1e-12*math.Abs(sum)+1e-12 {
				t.Errorf("marginal %v, the predictives' sum is %v", got, sum)
			}
			got := 0.0
			if p, ok := f.(*product); ok {
				for k := range p.parts {
					got += integral(p.parts[k].family, s.rows, p.parts[k].seen)
				}
			} else {
				got = integral(f, s.rows, func(int) bool { return true })
			}
			if math.Abs(got-sum) > 1e-5 {
				t.Errorf("log of the integral over parameters is %.8f, the predictives' sum %.8f", got, sum)
			}
		})
	}
}

// integral is the log of likelihood times prior summed over a grid of theta, less constants of the rows.
func integral(f family, n int, seen func(int) bool) float64 {
	if f, ok := f.(*normals); ok {
		return f.byBayes(n, seen)
	}
	const cells = 1500
	rows := make([]float64, n)
	at := func(theta ...float64) float64 {
		f.logLik(theta, rows, nil)
		sum := f.logPrior(theta)
		for i, l := range rows {
			if seen(i) {
				sum += l - constant(f, i)
			}
		}
		return math.Exp(sum)
	}
	// the cells of a unit interval are finer at its ends: u = x²(3 − 2x) for densities that grow there
	unit := func(i int) (u, width float64) {
		x := (float64(i) + 0.5) / cells
		return x * x * (3 - 2*x), 6 * x * (1 - x) / cells
	}
	total := 0.0
	for a := range cells {
		u := 2*(float64(a)+0.5)/cells - 1
		p, width := unit(a)
		switch of := f.parameters(); {
		case len(of) == 1:
			total += at(30*u) * 60 / cells
		case of[0].Kind == infer.Probability && len(of) == 2:
			total += at(math.Log(p), math.Log1p(-p)) * width
		case of[0].Kind == infer.Probability:
			for b := range cells { // the second as a share of what the first leaves
				q, height := unit(b)
				total += at(math.Log(p), math.Log1p(-p)+math.Log(q), math.Log1p(-p)+math.Log1p(-q)) * width * height * (1 - p)
			}
		default:
			for b := range cells {
				log := 5 * (2*(float64(b)+0.5)/cells - 1)
				sigma := math.Exp(log)
				v := math.Sinh(6 * u) // far for the heavy tails of mu
				total += at(1+v, sigma) * sigma * 10 / cells * 12 / cells * math.Cosh(6*u)
			}
		}
	}
	return math.Log(total)
}

// constant is the part of a row's log density that predictives leave out.
func constant(f family, i int) (sum float64) {
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	switch f := f.(type) {
	case *poisson:
		return -lgamma(f.y[i] + 1)
	case *positive:
		return f.k*math.Log(f.k) + (f.k-1)*math.Log(f.y[i]) - lgamma(f.k)
	case *binomial:
		if f.trials != nil {
			return lgamma(f.trials[i]+1) - lgamma(f.y[i]+1) - lgamma(f.trials[i]-f.y[i]+1)
		}
	case *multinomial:
		all := 0.0
		for _, of := range f.counts {
			all += of[i]
			sum -= lgamma(of[i] + 1)
		}
		return sum + lgamma(all+1)
	}
	return 0
}

// Both samplers have the exact probabilities that two rows share a component, and the exact means of functions of
// weights and parameters that no renumbering moves, by a sum over all labellings.
//
// False alarms: |z| ≤ 5.5 from 60 batches of 300 iterations, 13 statistics of 14 runs: 1e-5. Power: 5.5 Monte Carlo
// standard errors, which are 0.002 to 0.02.
func TestEqualsEnumeration(t *testing.T) {
	for _, e := range examples {
		for _, plain := range []bool{false, true} {
			t.Run(fmt.Sprint(e.name, " plain ", plain), func(t *testing.T) {
				o := Options{Options: mixture.Options{Components: 2, Concentration: 0.8}, Plain: plain}
				k := e.setup(t, o).chain(t, 1)
				want, total := map[string]float64{}, 0.0
				labellings(k, func(int) {
					p := math.Exp(k.logTarget())
					total += p
					for name, v := range k.together() {
						want[name] += p * v
					}
					n := float64(len(k.labels))
					for c := range k.Counts {
						a := 0.8 + k.Counts[c]
						want["weights"] += p * a * (a + 1) / (1.6 + n) / (2.6 + n)
						want["means"] += p * a / (1.6 + n) * k.mean(c)
					}
				})
				names, sums, squares := []string{}, map[string]float64{}, map[string]float64{}
				for name := range want {
					names = append(names, name)
				}
				const batches, length = 60, 300
				for range batches {
					batch := map[string]float64{}
					for range length {
						if _, err := k.Step(); err != nil {
							t.Fatal(err)
						}
						for name, v := range k.together() {
							batch[name] += v / length
						}
						for c, l := range k.LogW {
							w := math.Exp(l)
							batch["weights"] += w * w / length
							batch["means"] += w * k.inverse(k.Theta[c*len(k.Of)]) / length
						}
					}
					for _, name := range names {
						sums[name] += batch[name] / batches
						squares[name] += batch[name] * batch[name] / batches
					}
				}
				for _, name := range names {
					se := math.Sqrt((squares[name] - sums[name]*sums[name]) / (batches - 1))
					if z := (sums[name] - want[name]/total) / se; !(math.Abs(z) <= 5.5) {
						t.Errorf("%s: %.4f ± %.4f, all labellings have %.4f", name, sums[name], se, want[name]/total)
					}
				}
			})
		}
	}
}

// together is 1 for each pair of rows with equal labels.
func (k *kernel) together() map[string]float64 {
	out := map[string]float64{}
	for i, a := range k.labels {
		for j, b := range k.labels[:i] {
			v := 0.0
			if a == b {
				v = 1
			}
			out[fmt.Sprintf("rows %d and %d", j+1, i+1)] = v
		}
	}
	return out
}

// mean is that of the mean of component c given the labels, by the textbook; of categories the probability of the first;
// of several columns that of the first one.
func (k *kernel) mean(c int) float64 {
	f, s := k.first(), k.of[c]
	switch f := f.(type) {
	case *gaussian:
		return f.mean + s[1]/(f.rows+s[0])
	case *normals:
		return f.mean[0] + s[1]/(f.rows+s[0])
	case *poisson:
		return (f.shape + s[1]) / (f.rate + s[0])
	case *positive:
		a, b := f.given(s)
		return b / (a - 1)
	case *binomial:
		return (f.a + s[1]) / (f.a + f.b + s[0] + s[1])
	case *categorical:
		return (f.a[0] + s[0]) / (f.total + s[0] + s[1] + s[2])
	case *multinomial:
		return (f.a[0] + s[0]) / (f.total + s[0] + s[1] + s[2])
	}
	panic("no such family")
}

func (k *kernel) first() family {
	if p, ok := k.family.(*product); ok {
		return p.parts[0].family
	}
	return k.family
}

// inverse is the inverse link, of the log of a probability its exponential.
func (k *kernel) inverse(eta float64) float64 {
	switch k.first().(type) {
	case *gaussian, *normals:
		return eta
	case *binomial:
		return 1 / (1 + math.Exp(-eta))
	}
	return math.Exp(eta)
}
