package groups_test

import (
	"strconv"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
)

// pinned returns a model of 60 rows with an intercept, x, and two groupings with an intercept each. If slope is true, the
// first grouping has a slope of x.
func pinned(family, link string, slope bool, y func(i int) float64) (*glm.Data, glm.Model) {
	const n = 60
	x := design.NewDense(n, 2)
	data := &glm.Data{X: x, Names: []string{"(Intercept)", "x"}}
	for i := range n {
		x.Col(0)[i], x.Col(1)[i] = 1, float64(i*7%16-8)/4
		data.Y = append(data.Y, y(i))
	}
	normal := prior.Prior{Kind: prior.Normal, Scale: 4}
	sd := prior.Prior{Kind: prior.HalfStudentT, DF: 3, Scale: 2}
	model := glm.Model{Family: glm.Family{Name: family, Link: link}, Coefficients: []prior.Prior{normal, normal},
		Dispersion: sd}
	for g, levels := range []int{7, 4} {
		e := &design.Effects{Group: "g" + strconv.Itoa(g), Terms: []string{"Intercept"}, Columns: [][]float64{nil}}
		p := glm.EffectsPrior{LKJ: 1, SD: []prior.Prior{sd}}
		if slope && g == 0 {
			e.Terms, e.Columns, p.SD = append(e.Terms, "x"), append(e.Columns, x.Col(1)), append(p.SD, sd)
		}
		of := make([]int32, n)
		for i := range of {
			of[i] = int32(i * (3 + g) / 2 % levels)
		}
		for l := range levels {
			e.Levels = append(e.Levels, strconv.Itoa(l))
		}
		e.Grouping = design.NewGrouping(of, levels)
		data.Effects, model.Effects = append(data.Effects, e), append(model.Effects, p)
	}
	return data, model
}

// TestPinned pins draws, and what no spec can ask for: chains after SetPosition. They are equal on every processor. If they must change, raise Version.
func TestPinned(t *testing.T) {
	const version = "groups/4"
	yes := func(i int) float64 { return float64(i * 5 / 3 % 2) }
	count := func(i int) float64 { return float64(i * i % 5) }
	line := func(i int) float64 { return float64(i*i%11-i%4) / 4 }
	shift := func(d *glm.Data, _ *glm.Model) {
		d.Offset = make([]float64, len(d.Y))
		for i := range d.Offset {
			d.Offset[i] = float64(i%3) / 2
		}
	}
	for _, c := range []struct {
		name, family, link string
		y                  func(i int) float64
		slope              bool
		change             func(d *glm.Data, m *glm.Model)
		want               string
	}{
		{"crossed", "bernoulli", "logit", yes, false, nil, "30a84d67e0223249"},
		{"offset", "poisson", "log", count, false, shift, "2c31643582d67d61"},
		{"slopes", "bernoulli", "logit", yes, true, nil, "521b22a183731f62"},
		{"line", "gaussian", "identity", line, true, nil, "06d1c53b94840910"},
		{"horseshoe", "bernoulli", "logit", yes, false, func(_ *glm.Data, m *glm.Model) {
			m.Coefficients[1] = prior.Prior{Kind: prior.Horseshoe, Scale: 1}
		}, "1cdcc9c12c58203d"},
		{"student", "poisson", "log", count, false, func(_ *glm.Data, m *glm.Model) {
			m.Coefficients[0] = prior.Prior{Kind: prior.StudentT, DF: 3, Scale: 2}
		}, "0134c0723e06ac4f"},
		{"flat", "gaussian", "identity", line, false, func(_ *glm.Data, m *glm.Model) {
			m.Coefficients[0], m.Coefficients[1] = prior.Prior{Kind: prior.Flat}, prior.Prior{Kind: prior.Flat}
		}, "902f62a82ecbb778"},
	} {
		data, model := pinned(c.family, c.link, c.slope, c.y)
		if c.change != nil {
			c.change(data, &model)
		}
		setup, err := groups.New(data, model, nil, groups.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := infertest.Bits(t, setup); got != c.want || groups.Version != version {
			t.Errorf("%s: %s draws bits with hash %s, pinned are %s with %s", c.name, groups.Version, got, c.want, version)
		}
	}
}
