package groups

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// density returns log likelihood and log prior of a position, by package math and from the definitions alone.
func (s *study) density(data *glm.Data) func(theta []float64) (logLik, logPrior float64) {
	return func(theta []float64) (logLik, logPrior float64) {
		d := data.Cols()
		eta := make([]float64, data.Rows())
		copy(eta, data.Offset)
		for j := range d {
			data.X.Column(j).AddTo(eta, theta[j])
			logPrior += s.model.Coefficients[j].LogDensity(theta[j])
		}
		disp, at := make([]float64, 2), d
		for k := range s.model.Family.Dispersions() {
			p := s.model.DispersionPrior(k)
			if disp[k] = p.Location; p.Kind != prior.Constant {
				disp[k] = theta[at]
				logPrior += p.LogDensity(theta[at])
				at++
			}
		}
		for k, m := range data.Smooths {
			sd := theta[at]
			logPrior += s.model.Smooths[k].LogDensity(sd)
			for j := m.First; j < m.Last; j++ {
				logPrior += prior.Prior{Kind: prior.Normal, Scale: sd}.LogDensity(theta[j])
			}
			at++
		}
		first := len(theta) - countEffects(data)
		for i, e := range data.Effects {
			value, scales := effectsPrior(len(e.Terms), s.model.Effects[i], theta[at:], theta[first:first+e.Count()])
			logPrior += value
			at += scales
			for row, l := range e.Grouping.Of() {
				for t, c := range e.Columns {
					z := 1.0
					if c != nil {
						z = c[row]
					}
					eta[row] += z * theta[first+t*e.Grouping.Levels()+int(l)]
				}
			}
			first += e.Count()
		}
		once := *data
		once.Frequency = nil
		rows, err := glm.NewPointwise(s.model.Family, &once)
		if err != nil {
			panic(err)
		}
		each := make([]float64, len(eta))
		rows.LogLik(0, eta, disp, each)
		for i, v := range each {
			if data.Frequency != nil {
				v *= data.Frequency[i]
			}
			logLik += v
		}
		return logLik, logPrior
	}
}

// countEffects counts the effects of all levels.
func countEffects(data *glm.Data) (n int) {
	for _, e := range data.Effects {
		n += e.Count()
	}
	return n
}

// effectsPrior returns the log prior density of sds and correlations, with which scales begins, and effects; and how
// many the former are.
func effectsPrior(q int, p glm.EffectsPrior, scales, effects []float64) (logPrior float64, count int) {
	sd, levels := make([]float64, q), len(effects)/q
	for t, law := range p.SD {
		if sd[t] = law.Location; law.Kind != prior.Constant {
			sd[t] = scales[count]
			logPrior += law.LogDensity(sd[t])
			count++
		}
	}
	cov := make([]float64, q*q)
	for a := range q {
		cov[a*q+a] = sd[a] * sd[a]
		for b := range a {
			cov[a*q+b] = sd[a] * sd[b] * scales[count]
			count++
		}
	}
	logDet := cholesky(cov, q)
	logC := logDet
	for _, x := range sd {
		logC -= 2 * math.Log(x)
	}
	logPrior += (p.LKJ-1)*logC - lkjConstant(p.LKJ, q)
	for l := range levels {
		z := make([]float64, q)
		for a := range q {
			z[a] = effects[a*levels+l]
			for b := range a {
				z[a] -= cov[a*q+b] * z[b]
			}
			z[a] /= cov[a*q+a]
			logPrior -= (z[a]*z[a] + math.Log(2*math.Pi)) / 2
		}
		logPrior -= logDet / 2
	}
	return logPrior, count
}

// cholesky overwrites the lower triangle by the factor and returns the log determinant.
func cholesky(a []float64, q int) (logDet float64) {
	for i := range q {
		for j := range i + 1 {
			s := a[i*q+j]
			for k := range j {
				s -= a[i*q+k] * a[j*q+k]
			}
			if i == j {
				a[i*q+i] = math.Sqrt(s)
				logDet += math.Log(s)
			} else {
				a[i*q+j] = s / a[j*q+j]
			}
		}
	}
	return logDet
}

// lkjConstant is the log of the integral of |C|^(shape − 1), by the formula of Lewandowski, Kurowicka and Joe.
func lkjConstant(shape float64, q int) float64 {
	sum := 0.0
	for k := 1; k < q; k++ {
		b := shape + float64(q-k-1)/2
		one, _ := math.Lgamma(b)
		two, _ := math.Lgamma(2 * b)
		sum += float64(q-k) * ((2*shape-2+float64(q-k))*math.Ln2 + 2*one - two)
	}
	return sum
}

// narrower returns the state of a chain of the posterior without the last column of the design.
func (s *study) narrower(data *glm.Data) ([]byte, error) {
	x := design.ToDense(data.X)
	own, model := *data, s.model
	own.X = &design.Dense{Rows: x.Rows, Cols: x.Cols - 1, Values: x.Values[:x.Rows*(x.Cols-1)]}
	own.Names, model.Coefficients = own.Names[:x.Cols-1], model.Coefficients[:x.Cols-1]
	setup, err := New(&own, model, nil, Options{})
	if err != nil {
		return nil, err
	}
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(7, "narrower")})
	if err != nil {
		return nil, err
	}
	return k.MarshalBinary()
}

// sparse stores the design as a sparse one, its second column 0 except for one entry in eight.
func (s study) sparse() study {
	x := s.data.X.(*design.Dense)
	for i := range x.Rows {
		if i%8 > 0 {
			x.Col(1)[i] = 0
		}
		if i%7 > 0 {
			x.Col(2)[i] = 0
		}
		x.Col(0)[i] = float64((i + 1) / 2 % 2 * (i % 2))
	}
	m := design.NewSparse(x.Rows, 3, x.Rows)
	for j := range x.Cols {
		m.AppendDense(x.Col(j))
	}
	s.data.X, s.data.Intercept = m, -1
	return s
}

// Horseshoe priors in models with groups: their scales move after single coefficients.
func TestHorseshoeBesideGroups(t *testing.T) {
	s := newStudy("poisson", "log", 24, [2]int{5, 2})
	_, data := s.draw(infer.NewStream(1, "horseshoe"))
	for j := 1; j < 3; j++ {
		s.model.Coefficients[j] = prior.Prior{Kind: prior.Horseshoe, Scale: 0.5}
	}
	setup, err := New(data, s.model, nil, Options{})
	must(t, err)
	k, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "chain")})
	must(t, err)
	params := setup.Parameters()
	theta := make([]float64, len(params))
	for range 60 {
		info, err := k.Step()
		must(t, err)
		k.Position(theta)
		if want, _ := s.density(data)(append(theta[:3:3], theta[3+3:]...)); off(info.LogLik, want) {
			t.Fatalf("log likelihood %v, the position has %v", info.LogLik, want)
		}
	}
	if params[3].Kind != infer.Scale || params[6].Kind != infer.GroupSD {
		t.Errorf("parameters %v", params)
	}
}

func off(a, b float64) bool { return !(math.Abs(a-b) <= 1e-8*(1+math.Abs(b))) }

func TestConforms(t *testing.T) {
	weighted := newStudy("gaussian", "identity", 24, [2]int{3, 2}).weighted()
	weighted.data.Frequency = make([]float64, 24)
	for i := range weighted.data.Frequency {
		weighted.data.Frequency[i] = 1 + float64(i%3)
	}
	counted := newStudy("poisson", "log", 24, [2]int{3, 2}, [2]int{8, 1})
	counted.data.Frequency, counted.data.Offset = weighted.data.Frequency, weighted.data.Precision
	for name, s := range map[string]study{
		"gaussian":   newStudy("gaussian", "identity", 20, [2]int{8, 1}, [2]int{3, 1}),
		"weighted":   weighted,
		"bernoulli":  newStudy("bernoulli", "logit", 20, [2]int{5, 1}),
		"poisson":    counted,
		"four terms": newStudy("bernoulli", "probit", 20, [2]int{3, 4}),
		"student_t":  newStudy("student_t", "identity", 20, [2]int{3, 2}),
		"sparse":     newStudy("bernoulli", "logit", 20, [2]int{5, 1}).sparse(),
		"nested":     newStudy("poisson", "log", 24, [2]int{3, 1}).nested(12, 0),
		"mostly":     newStudy("gaussian", "identity", 24, [2]int{3, 1}).nested(12, 5),
		"smooth":     newStudy("gaussian", "identity", 20, [2]int{5, 2}).smoothed(prior.Prior{Kind: prior.HalfNormal, Scale: 1}),
		"smooths": newStudy("bernoulli", "logit", 20, [2]int{5, 1}).smoothed(prior.Prior{Kind: prior.HalfNormal, Scale: 1},
			prior.Prior{Kind: prior.HalfNormal, Scale: 0.1}),
		"by one level": newStudy("poisson", "log", 20, [2]int{1, 1}),
	} {
		t.Run(name, func(t *testing.T) {
			_, data := s.draw(infer.NewStream(1, name))
			setup, err := New(data, s.model, nil, Options{RefreshEvery: 7})
			must(t, err)
			infertest.Conforms(t, setup, infertest.Posterior{Parameters: setup.Parameters(), LogDensity: s.density(data),
				Other: func() ([]byte, error) { return s.narrower(data) }})
		})
	}
}
