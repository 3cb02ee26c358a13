package collapsed_test

import (
	"strings"
	"testing"

	"glmbatch/infer/collapsed"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
)

func TestPriorRefused(t *testing.T) {
	for _, text := range []string{"gamma(2, 0.1)", "normal_inverse_gamma(-3, 0.5, 2, 1e-05)", "beta(1, 1)"} {
		if p, err := collapsed.ParsePrior(text); err != nil || p.String() != text {
			t.Errorf("%q reads as %q, error %v", text, p, err)
		}
	}
	for text, want := range map[string]string{
		"gamma 2":                          "is no conjugate prior",
		"normal(0, 1)":                     `"normal" is no conjugate prior`,
		"gamma(2)":                         "has 2 numbers, not 1",
		"gamma(2, x)":                      `"x" is not a number`,
		"gamma(2, 0)":                      "number 2 is 0; it must be from 0.001",
		"beta(-1, 1)":                      "number 1 is -1",
		"normal_inverse_gamma(0, 1, 1, 0)": "number 4 is 0; it must be above 0",
		"normal_inverse_gamma(NaN, 1,1,1)": "number 1 is NaN",
	} {
		if _, err := collapsed.ParsePrior(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestRefused(t *testing.T) {
	refused := func(want string, f glm.Family, prior string, change func(d *glm.Data)) {
		t.Helper()
		p, err := collapsed.ParsePrior(prior)
		if err != nil {
			t.Fatal(err)
		}
		data := ones([]float64{0, 1, 1}, nil)
		if change != nil {
			change(data)
		}
		_, err = collapsed.New(f, data, collapsed.Options{Options: mixture.Options{Components: 2}, Prior: p})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	refused("gamma is not conjugate to gaussian", normal, "gamma(1, 1)", nil)
	refused("beta is not conjugate to student_t", glm.Family{Name: "student_t", Link: "identity"}, "beta(1, 1)", nil)
	refused("are for y ~ 1", coins, "beta(1, 1)", func(d *glm.Data) { d.Intercept = -1 })
	refused("count once each", coins, "beta(1, 1)", func(d *glm.Data) { d.Frequency = []float64{1, 2, 1} })
	refused("count once each", counts, "gamma(1, 1)", func(d *glm.Data) { d.Offset = []float64{1, 2, 1} })
}

func TestClassesRefused(t *testing.T) {
	good := collapsed.Column{Name: "q", Categories: abc, Y: []float64{0, 1, 2}, Prior: priorOf(collapsed.Dirichlet, 1)}
	with := func(change func(c *collapsed.Column)) []collapsed.Column {
		c := good
		change(&c)
		return []collapsed.Column{c}
	}
	for want, columns := range map[string][]collapsed.Column{
		"there is no column":           nil,
		"needs a name of its own":      {good, good},
		"has 2 rows, and column":       {good, {Name: "r", Categories: abc, Y: []float64{0, 1}, Prior: good.Prior}},
		"row 2 has category 3":         with(func(c *collapsed.Column) { c.Y = []float64{0, 3, 1} }),
		"row 1 has category 0.5":       with(func(c *collapsed.Column) { c.Y = []float64{0.5, 2, 1} }),
		"at least two":                 with(func(c *collapsed.Column) { c.Categories = []string{"a", "b", "a"} }),
		`prior of its categories is "`: with(func(c *collapsed.Column) { c.Prior = priorOf("beta", 1, 1) }),
		"2 numbers for 3 categories":   with(func(c *collapsed.Column) { c.Prior = priorOf(collapsed.Dirichlet, 1, 1) }),
		"has the number 0":             with(func(c *collapsed.Column) { c.Prior = priorOf(collapsed.Dirichlet, 0) }),
		"which gaussian":               with(func(c *collapsed.Column) { c.Family = normal }),
		"counts of 1 categories":       with(func(c *collapsed.Column) { c.Y, c.Counts = nil, [][]float64{{1, 2, 3}} }),
		`has -1 of category "b"`: with(func(c *collapsed.Column) {
			c.Y, c.Counts = nil, [][]float64{{1, 2, 3}, {0, 1, -1}, {1, 1, 1}}
		}),
		"gamma is not conjugate to gaussian": {{Name: "x", Family: normal, Y: []float64{1, 2}, Prior: priorOf("gamma", 1, 1)}},
		"1 trials of 2 rows": {{Name: "s", Family: glm.Family{Name: "binomial", Link: "logit"}, Y: []float64{1, 2},
			Trials: []float64{3}, Prior: priorOf("beta", 1, 1)}},
	} {
		_, err := collapsed.NewClasses(columns, collapsed.Options{Options: mixture.Options{Components: 2}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	_, err := collapsed.NewClasses([]collapsed.Column{good}, collapsed.Options{Options: mixture.Options{Components: 2}, Prior: good.Prior})
	if err == nil || !strings.Contains(err.Error(), "prior of its own") {
		t.Errorf("a prior of all columns: error %v", err)
	}
}
