package impute

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// coder is that of a design whose columns are the intercept, some columns of the data as they are, and one function of
// the states.
type coder struct {
	columns []int // state of each column of the design, −1 for none
	levels  []int // level that it is the indicator of, 0 for none; nil: none are
	at      int   // place of the function, or 0
	reads   []int
	code    func(states []float64) float64
}

func (c *coder) Moved(k int) (out []int) {
	for j, s := range c.columns {
		if s == k || j == c.at && c.at > 0 && slices.Contains(c.reads, k) {
			out = append(out, j)
		}
	}
	return out
}

func (c *coder) Affine(k int) (slope, origin []float64, ok bool) {
	for _, j := range c.Moved(k) {
		if j == c.at && c.at > 0 {
			return nil, nil, false
		}
		if c.levels != nil && c.levels[j] > 0 {
			return nil, nil, false
		}
		slope, origin = append(slope, 1), append(origin, -0.25*float64(k))
	}
	return slope, origin, true
}

func (c *coder) Table(k int) (entries [][]float64, ok bool) {
	for _, j := range c.Moved(k) {
		if c.levels == nil || c.levels[j] == 0 {
			return nil, false
		}
		row := make([]float64, studyLevels)
		for level := range row {
			row[level] = indicator(float64(level), c.levels[j]) - 0.25
		}
		entries = append(entries, row)
	}
	return entries, true
}

func (c *coder) Code(_ int, states []float64, columns []int, dst []float64) {
	for i, j := range columns {
		if j == c.at && c.at > 0 {
			dst[i] = c.code(states)
			continue
		}
		dst[i] = states[c.columns[j]] - 0.25*float64(c.columns[j])
		if c.levels != nil && c.levels[j] > 0 {
			dst[i] = indicator(states[c.columns[j]], c.levels[j]) - 0.25
		}
	}
}

// study is a model of columns x, which is complete, u, v and w, which no cell of is missing, and of a response:
//
//	u ~ normal(a0 + a1·x, s_u),  v ~ bernoulli(b0 + b1·x + b2·u) or normal,  w ~ normal(d0 + d1·v, s_w),
//	y ~ family(1, x, u, v, function of u and v)
//
// where v may also be of another family, or of three levels with a multinomial logit, whose indicators take its place.
type study struct {
	family glm.Family
	plain  bool       // v is gaussian
	v      glm.Family // of v where it is neither that nor bernoulli
	levels bool       // v has three levels
	code   func(states []float64) float64
	n      int
	tight  bool // priors fix the parameters at their locations
	unseen bool // some responses are missing
	turns  bool // as tall data, whose cells rest in every other iteration
	groups []grouped
	offset bool
	mostly bool // most cells of u and v are missing
	alone  bool // and none of u
	single bool // cells move one at a time alone, as in columns of which less than a fifth is missing
	noisy  bool // u is measured with errors
	noisyV bool // v is, which is gaussian
}

func (s *study) normal(location, scale float64) prior.Prior {
	if s.tight {
		scale = 1e-7
	}
	return prior.Prior{Kind: prior.Normal, Location: location, Scale: scale}
}

func (s *study) sigma() prior.Prior {
	if s.tight {
		return prior.Prior{Kind: prior.Constant, Location: 0.8}
	}
	return prior.Prior{Kind: prior.Gamma, Location: 0, Scale: 0, Shape: 4, Rate: 5}
}

func (s *study) priors() (u, v, w, y []prior.Prior) {
	u = []prior.Prior{s.normal(0.3, 0.6), s.normal(0.7, 0.5)}
	v = []prior.Prior{s.normal(-0.2, 0.6), s.normal(0.5, 0.5), s.normal(0.9, 0.5)}
	w = []prior.Prior{s.normal(0.1, 0.4), s.normal(1.2, 0.5)}
	y = []prior.Prior{s.normal(0.2, 0.5), s.normal(0.4, 0.4), s.normal(-0.8, 0.4), s.normal(0.9, 0.5)}
	switch {
	case s.levels:
		v = append(v, v...)
		w, y = append(w, s.normal(-0.7, 0.5)), append(y, s.normal(-0.6, 0.5))
	case s.v.Name != "": // counts and the like are larger
		v[2] = s.normal(0.4, 0.2)
		w[1], y[2], y[3] = s.normal(0.3, 0.2), s.normal(-0.4, 0.2), s.normal(0.3, 0.2)
	}
	if s.code != nil {
		y = append(y, s.normal(0.5, 0.3))
	}
	return u, v, w, y
}

const studyLevels = 3

// entries are the entries for v in the designs that read it.
func (s *study) entries(v float64) []float64 {
	if s.levels {
		return []float64{indicator(v, 1) - 0.25, indicator(v, 2) - 0.25}
	}
	return []float64{v - 0.25}
}

// vFamily is that of the model of v.
func (s *study) vFamily() glm.Family {
	switch {
	case s.plain:
		return glm.Family{Name: "gaussian", Link: "identity"}
	case s.v.Name != "":
		return s.v
	}
	return glm.Family{Name: "bernoulli", Link: "logit"}
}

// vEta are the linear predictors of v.
func (s *study) vEta(b []float64, x, u float64) (out []float64) {
	for ; len(b) > 0; b = b[3:] {
		out = append(out, b[0]+b[1]*x+b[2]*u)
	}
	return out
}

// drawV draws v.
func (s *study) drawV(r *infer.Stream, eta []float64, disp float64) float64 {
	if s.levels {
		e := []float64{1, math.Exp(eta[0]), math.Exp(eta[1])}
		u := r.Float64() * (e[0] + e[1] + e[2])
		for level := range e {
			if u -= e[level]; u < 0 {
				return float64(level)
			}
		}
	}
	rows, err := glm.NewPointwise(s.vFamily(), &glm.Data{X: design.NewDense(1, 1)})
	if err != nil {
		panic(err)
	}
	return rows.Draw(r, 0, eta[0], []float64{disp})
}

// vDensity is the log density of v.
func (s *study) vDensity(v float64, eta []float64, disp float64) float64 {
	if s.levels {
		return append([]float64{0}, eta...)[int(v)] - math.Log(1+math.Exp(eta[0])+math.Exp(eta[1]))
	}
	rows, err := glm.NewPointwise(s.vFamily(), &glm.Data{X: design.NewDense(1, 1), Y: []float64{v}})
	if err != nil {
		panic(err)
	}
	out := []float64{0}
	rows.LogLik(0, eta[:1], []float64{disp}, out)
	return out[0]
}

// sum is eta + Σ coefficients·entries.
func sum(eta float64, coefficients, entries []float64) float64 {
	for i, e := range entries {
		eta += coefficients[i] * e
	}
	return eta
}

// truth is one draw of everything.
type truth struct {
	x, u, v, w, y        []float64
	noise                []float64 // standard deviations of the measurements, and these
	measured             []float64
	missU, missV, unseen []int
	a, b, c, d           []float64 // coefficients
	su, sv, sw, disp     float64
	effects              []drawnEffects
}

func (s *study) draw(r *infer.Stream) *truth {
	t := &truth{}
	take := func(ps []prior.Prior) (out []float64) {
		for _, p := range ps {
			out = append(out, math.FMA(p.Scale, variate.Normal(r), p.Location))
		}
		return out
	}
	pu, pv, pw, py := s.priors()
	t.a, t.b, t.d, t.c = take(pu), take(pv), take(pw), take(py)
	sigma := func() float64 {
		if s.tight {
			return 0.8
		}
		return variate.Gamma(r, 4) / 5
	}
	t.su, t.sv, t.sw, t.disp = sigma(), sigma(), sigma(), sigma()
	t.effects = s.drawEffects(r)
	rows, err := glm.NewPointwise(s.family, &glm.Data{X: design.NewDense(s.n, 1)})
	if err != nil {
		panic(err)
	}
	for i := range s.n {
		x := 2*float64(i%5)/4 - 1
		u := math.FMA(t.su, variate.Normal(r), t.a[0]+t.a[1]*x)
		v := s.drawV(r, s.vEta(t.b, x, u), t.sv)
		e := sum(t.c[0]+t.c[1]*x+t.c[2]*u, t.c[3:], s.entries(v)) + s.offsetOf(t.effects, i, x)
		if s.code != nil {
			e += t.c[len(t.c)-1] * s.code([]float64{u, v})
		}
		t.w = append(t.w, math.FMA(t.sw, variate.Normal(r), sum(t.d[0], t.d[1:], s.entries(v))))
		t.x, t.u, t.v, t.y = append(t.x, x), append(t.u, u), append(t.v, v),
			append(t.y, rows.Draw(r, i, e, []float64{t.disp}))
		more := 0.0
		if s.mostly {
			more = 0.4
		}
		s.measure(t, r, i)
		if !s.noisy && r.Float64() < 0.25+0.2*x+more && len(t.missU) < s.n-3 && !s.alone { // at random: given what is always seen
			t.missU = append(t.missU, i)
		}
		if !s.noisyV && r.Float64() < 0.3+more && len(t.missV) < s.n-3 {
			t.missV = append(t.missV, i)
		}
		if s.unseen && r.Float64() < 0.3 && len(t.unseen) < s.n/2 {
			t.unseen = append(t.unseen, i)
		}
	}
	return t
}

// measure draws the measurement of row i, all of whose cells of the column are drawn.
func (s *study) measure(t *truth, r *infer.Stream, i int) {
	of := t.u[i]
	switch {
	case s.noisy:
		t.missU = append(t.missU, i)
	case s.noisyV:
		of, t.missV = t.v[i], append(t.missV, i)
	default:
		return
	}
	t.noise = append(t.noise, 0.4+0.4*float64(i%2))
	t.measured = append(t.measured, math.FMA(t.noise[i], variate.Normal(r), of))
}

// withNoise adds the errors of measurement to a problem.
func (s *study) withNoise(p *Problem, t *truth) {
	switch {
	case s.noisy:
		p.Columns[0].Noise = t.noise
	case s.noisyV:
		p.Columns[1].Noise = t.noise
	}
}

// designs are the columns of the response's design, and those of w's.
func (s *study) designs(one, x, u func(int) float64, sv, su []float64) (names []string, columns []func(int) float64,
	main *coder, namesW []string, columnsW []func(int) float64, ofW *coder,
) {
	columns = []func(int) float64{one, x, u}
	main = &coder{columns: []int{-1, -1, 0}, levels: []int{0, 0, 0}}
	ofW = &coder{columns: []int{-1}, levels: []int{0}}
	names, namesW, columnsW = []string{"(Intercept)", "x", "u"}, []string{"(Intercept)"}, []func(int) float64{one}
	for m := range s.entries(0) {
		name, level := fmt.Sprint("v", m), 0
		if s.levels {
			level = m + 1
		}
		entry := func(i int) float64 { return s.entries(sv[i])[m] }
		names, namesW, columns, columnsW = append(names, name), append(namesW, name), append(columns, entry),
			append(columnsW, entry)
		main.columns, ofW.columns = append(main.columns, 1), append(ofW.columns, 1)
		main.levels, ofW.levels = append(main.levels, level), append(ofW.levels, level)
	}
	if s.code != nil {
		main.at, main.reads, main.code = len(main.columns), []int{0, 1}, s.code
		main.columns, main.levels = append(main.columns, -1), append(main.levels, 0)
		columns = append(columns, func(i int) float64 { return s.code([]float64{su[i], sv[i]}) })
		names = append(names, "f")
	}
	return names, columns, main, namesW, columnsW, ofW
}

// starts are the columns u and v with start values of missing cells, or with measurements.
func (s *study) starts(t *truth) (su, sv []float64) {
	start := func(v []float64, miss []int) []float64 {
		v = slices.Clone(v)
		for _, i := range miss {
			v[i] = 0
			if s.v.Name != "" {
				v[i] = 0.5
				if (&Column{Model: glm.Model{Family: s.v}}).whole() {
					v[i] = 1
				}
			}
		}
		return v
	}
	su, sv = slices.Clone(t.u), start(t.v, t.missV)
	for _, i := range t.missU {
		su[i] = 0
	}
	if s.noisy {
		su = t.measured
	} else if s.noisyV {
		sv = t.measured
	}
	return su, sv
}

// problem is the data with cells missing.
func (s *study) problem(t *truth) *Problem {
	matrix := func(rows []int, columns ...func(i int) float64) *design.Dense {
		m := design.NewDense(len(rows), len(columns))
		for j, c := range columns {
			for q, i := range rows {
				m.Col(j)[q] = c(i)
			}
		}
		return m
	}
	one := func(int) float64 { return 1 }
	su, sv := s.starts(t)
	x, u := func(i int) float64 { return t.x[i] }, func(i int) float64 { return su[i] }
	var all, seen []int
	for i := range s.n {
		all = append(all, i)
		if !slices.Contains(t.unseen, i) {
			seen = append(seen, i)
		}
	}
	pu, pv, pw, py := s.priors()
	gauss := glm.Family{Name: "gaussian", Link: "identity"}
	names, columns, main, namesW, columnsW, ofW := s.designs(one, x, u, sv, su)
	p := &Problem{
		Rows: s.n, Response: "y", Row: func(i int) string { return strconv.Itoa(i + 1) },
		Columns: []Column{
			{Name: "u", Missing: t.missU, Model: glm.Model{Family: gauss, Coefficients: pu, Dispersion: s.sigma()},
				Coder: &coder{columns: []int{-1, -1}},
				Data:  &glm.Data{X: matrix(all, one, x), Names: []string{"(Intercept)", "x"}, Y: su}},
			{Name: "v", Missing: t.missV, Model: glm.Model{Family: s.vFamily(), Coefficients: pv[:3], Dispersion: s.sigma()},
				Coder: &coder{columns: []int{-1, -1, 0}},
				Data:  &glm.Data{X: matrix(all, one, x, u), Names: []string{"(Intercept)", "x", "u"}, Y: sv}},
			{Name: "w", Model: glm.Model{Family: gauss, Coefficients: pw, Dispersion: s.sigma()},
				Coder: ofW, Data: &glm.Data{X: matrix(all, columnsW...), Names: namesW, Y: t.w}},
		},
		Data:  &glm.Data{X: matrix(seen, columns...), Names: names, Y: design.Take(t.y, seen)},
		Model: glm.Model{Family: s.family, Coefficients: py, Dispersion: s.sigma(), Nu: s.sigma()},
		Coder: main, Of: seen,
	}
	s.withNoise(p, t)
	if s.levels {
		p.Columns[1].Levels = []string{"a", "b", "c"}
	}
	if len(seen) < s.n {
		p.Unseen, p.UnseenOf = &glm.Data{X: matrix(t.unseen, columns...), Names: names}, t.unseen
	}
	if s.offset {
		for _, i := range seen {
			p.Data.Offset = append(p.Data.Offset, offset(i))
		}
		for _, i := range t.unseen {
			p.Unseen.Offset = append(p.Unseen.Offset, offset(i))
		}
	}
	s.withEffects(p, t)
	return p
}

// theta is the truth as Position writes it.
func (s *study) theta(t *truth) []float64 {
	out := slices.Clone(t.c)
	if len(s.family.Dispersions()) > 0 && !s.tight {
		out = append(out, t.disp)
	}
	out = append(out, s.scales(t.effects)...)
	out = append(append(out, t.a...), t.su)
	out = append(out, t.b...)
	if len(s.vFamily().Dispersions()) > 0 && (s.plain || !s.tight) {
		out = append(out, t.sv)
	}
	out = append(append(out, t.d...), t.sw)
	for _, i := range t.missU {
		out = append(out, t.u[i])
	}
	for _, i := range t.missV {
		out = append(out, s.numbers(t.v[i])...)
	}
	for _, i := range t.unseen {
		out = append(out, t.y[i])
	}
	return append(out, s.effectsOf(t.effects)...)
}

// numbers are those of a cell of v in a position, and stateV the cell for them.
func (s *study) numbers(v float64) []float64 {
	if s.levels {
		return []float64{indicator(v, 0), indicator(v, 1), indicator(v, 2)}
	}
	return []float64{v}
}

func (s *study) stateV(theta []float64) float64 {
	if s.levels {
		return float64(slices.Index(theta[:studyLevels], 1))
	}
	return theta[0]
}

func (s *study) kernel(t *testing.T, r *truth, seed uint64, name string) *kernel {
	t.Helper()
	setup, err := New(s.problem(r), nil)
	must(t, err)
	k, err := setup.Kernel(infer.Chain{Index: 0, Count: 2, Stream: infer.NewStream(seed, "impute", name)})
	must(t, err)
	out := k.(*kernel)
	if s.single {
		own := *out.setup
		own.summed = nil
		out.setup = &own
		out.Updates = out.schedule()
	}
	if s.turns {
		out.tall, out.Iteration = true, modelsFirst
	}
	return out
}
