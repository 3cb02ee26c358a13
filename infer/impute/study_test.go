package impute

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// coder is that of a design whose columns are the intercept, some columns of the data as they are, and one function of
// the states.
type coder struct {
	states  int
	columns []int // state of each column of the design, −1 for none
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
		slope, origin = append(slope, 1), append(origin, -0.25*float64(k))
	}
	return slope, origin, true
}

func (c *coder) Code(_ int, states []float64, columns []int, dst []float64) {
	for i, j := range columns {
		if j == c.at && c.at > 0 {
			dst[i] = c.code(states)
			continue
		}
		dst[i] = states[c.columns[j]] - 0.25*float64(c.columns[j])
	}
}

// study is a model of columns x, which is complete, u, v and w, which no cell of is missing, and of a response:
//
//	u ~ normal(a0 + a1·x, s_u),  v ~ bernoulli(b0 + b1·x + b2·u) or normal,  w ~ normal(d0 + d1·v, s_w),
//	y ~ family(1, x, u, v, function of u and v)
type study struct {
	family glm.Family
	plain  bool // v is gaussian
	code   func(states []float64) float64
	n      int
	tight  bool // priors fix the parameters at their locations
	unseen bool // some responses are missing
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
	if s.code != nil {
		y = append(y, s.normal(0.5, 0.3))
	}
	return u, v, w, y
}

// truth is one draw of everything.
type truth struct {
	x, u, v, w, y        []float64
	missU, missV, unseen []int
	a, b, c, d           []float64 // coefficients
	su, sv, sw, disp     float64
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
	rows, err := glm.NewPointwise(s.family, &glm.Data{X: design.NewDense(s.n, 1)})
	if err != nil {
		panic(err)
	}
	for i := range s.n {
		x := 2*float64(i%5)/4 - 1
		u := math.FMA(t.su, variate.Normal(r), t.a[0]+t.a[1]*x)
		eta := t.b[0] + t.b[1]*x + t.b[2]*u
		v := math.FMA(t.sv, variate.Normal(r), eta)
		if !s.plain {
			v = 0
			if r.Float64() < vec.Logistic(eta) {
				v = 1
			}
		}
		e := t.c[0] + t.c[1]*x + t.c[2]*u + t.c[3]*(v-0.25)
		if s.code != nil {
			e += t.c[4] * s.code([]float64{u, v})
		}
		t.w = append(t.w, math.FMA(t.sw, variate.Normal(r), t.d[0]+t.d[1]*(v-0.25)))
		t.x, t.u, t.v, t.y = append(t.x, x), append(t.u, u), append(t.v, v),
			append(t.y, rows.Draw(r, i, e, []float64{t.disp}))
		if r.Float64() < 0.25+0.2*x && len(t.missU) < s.n-3 { // at random: given what is always seen
			t.missU = append(t.missU, i)
		}
		if r.Float64() < 0.3 && len(t.missV) < s.n-3 {
			t.missV = append(t.missV, i)
		}
		if s.unseen && r.Float64() < 0.3 && len(t.unseen) < s.n/2 {
			t.unseen = append(t.unseen, i)
		}
	}
	return t
}

// problem is the data with cells missing.
func (s *study) problem(t *truth) *Problem {
	start := func(v []float64, miss []int) []float64 {
		v = slices.Clone(v)
		for _, i := range miss {
			v[i] = 0
		}
		return v
	}
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
	su, sv := start(t.u, t.missU), start(t.v, t.missV)
	x, u := func(i int) float64 { return t.x[i] }, func(i int) float64 { return su[i] }
	v := func(i int) float64 { return sv[i] - 0.25 }
	var all, seen []int
	for i := range s.n {
		all = append(all, i)
		if !slices.Contains(t.unseen, i) {
			seen = append(seen, i)
		}
	}
	pu, pv, pw, py := s.priors()
	gauss := glm.Family{Name: "gaussian", Link: "identity"}
	vFamily := glm.Family{Name: "bernoulli", Link: "logit"}
	if s.plain {
		vFamily = gauss
	}
	columns := []func(int) float64{one, x, u, v}
	main := &coder{states: 2, columns: []int{-1, -1, 0, 1}}
	names := []string{"(Intercept)", "x", "u", "v"}
	if s.code != nil {
		main.columns, main.at, main.reads, main.code = append(main.columns, -1), 4, []int{0, 1}, s.code
		columns = append(columns, func(i int) float64 { return s.code([]float64{su[i], sv[i]}) })
		names = append(names, "f")
	}
	p := &Problem{
		Rows: s.n, Response: "y", Row: func(i int) string { return strconv.Itoa(i + 1) },
		Columns: []Column{
			{Name: "u", Missing: t.missU, Model: glm.Model{Family: gauss, Coefficients: pu, Dispersion: s.sigma()},
				Coder: &coder{columns: []int{-1, -1}},
				Data:  &glm.Data{X: matrix(all, one, x), Names: []string{"(Intercept)", "x"}, Y: su}},
			{Name: "v", Missing: t.missV, Model: glm.Model{Family: vFamily, Coefficients: pv, Dispersion: s.sigma()},
				Coder: &coder{columns: []int{-1, -1, 0}},
				Data:  &glm.Data{X: matrix(all, one, x, u), Names: []string{"(Intercept)", "x", "u"}, Y: sv}},
			{Name: "w", Model: glm.Model{Family: gauss, Coefficients: pw, Dispersion: s.sigma()},
				Coder: &coder{columns: []int{-1, 1}},
				Data:  &glm.Data{X: matrix(all, one, v), Names: []string{"(Intercept)", "v"}, Y: t.w}},
		},
		Data:  &glm.Data{X: matrix(seen, columns...), Names: names, Y: design.Take(t.y, seen)},
		Model: glm.Model{Family: s.family, Coefficients: py, Dispersion: s.sigma(), Nu: s.sigma()},
		Coder: main, Of: seen,
	}
	if len(seen) < s.n {
		p.Unseen, p.UnseenOf = &glm.Data{X: matrix(t.unseen, columns...), Names: names}, t.unseen
	}
	return p
}

// theta is the truth as Position writes it.
func (s *study) theta(t *truth) []float64 {
	out := slices.Clone(t.c)
	if len(s.family.Dispersions()) > 0 && !s.tight {
		out = append(out, t.disp)
	}
	out = append(append(out, t.a...), t.su)
	out = append(out, t.b...)
	if s.plain {
		out = append(out, t.sv)
	}
	out = append(append(out, t.d...), t.sw)
	for _, i := range t.missU {
		out = append(out, t.u[i])
	}
	for _, i := range t.missV {
		out = append(out, t.v[i])
	}
	for _, i := range t.unseen {
		out = append(out, t.y[i])
	}
	return out
}

func (s *study) kernel(t *testing.T, r *truth, seed uint64, name string) *kernel {
	t.Helper()
	setup, err := New(s.problem(r), nil)
	if err != nil {
		t.Fatal(err)
	}
	k, err := setup.Kernel(infer.Chain{Index: 0, Count: 2, Stream: infer.NewStream(seed, "impute", name)})
	if err != nil {
		t.Fatal(err)
	}
	return k.(*kernel)
}
