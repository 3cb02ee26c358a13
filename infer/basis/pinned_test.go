package basis_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// pinned returns a regression of 30 rows on three columns, with a prior for each.
func pinned(t *testing.T, family, link string, y func(i int) float64, priors ...prior.Prior) *glm.Target {
	t.Helper()
	const n = 30
	x := design.NewDense(n, len(priors))
	data := &glm.Data{X: x, Names: []string{"a", "b", "c"}[:len(priors)]}
	for i := range n {
		data.Y = append(data.Y, y(i))
		for j := range priors {
			x.Col(j)[i] = 1
			if j > 0 {
				x.Col(j)[i] = float64(i*(2*j+1)%(6+j)-3) / 4
			}
		}
	}
	target, err := glm.NewTarget(data, glm.Model{Family: glm.Family{Name: family, Link: link}, Coefficients: priors,
		Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 2}})
	if err != nil {
		t.Fatal(err)
	}
	return target
}

var (
	normal  = prior.Prior{Kind: prior.Normal, Location: 0.5, Scale: 2}
	flat    = prior.Prior{Kind: prior.Flat}
	laplace = prior.Prior{Kind: prior.Laplace, Scale: 1}
)

// TestPinned pins rotated frames from points far from the mode: Newton steps from them are halved. The frames are equal
// on every processor.
func TestPinned(t *testing.T) {
	yes := func(i int) float64 { return float64(i * 5 / 3 % 2) }
	count := func(i int) float64 { return float64(i * i % 5) }
	for _, c := range []struct {
		name, want string
		target     *glm.Target
		from       []float64
	}{
		{"near", "ed30a9ac6a4ab37a", pinned(t, "bernoulli", "logit", yes, normal, normal, laplace), []float64{0, 0, 0}},
		{"yes", "0ba194f4ac584247", pinned(t, "bernoulli", "logit", yes, flat, normal, laplace), []float64{2, -3, 3}},
		{"cauchit", "0276a5b5117edea2", pinned(t, "bernoulli", "cauchit", yes, normal, normal, laplace), []float64{2, -3, 3}},
		{"count", "86f86c66656c7214", pinned(t, "poisson", "log", count, normal, flat, laplace), []float64{-3, 2, 1}},
		{"size", "b64bd9d8a398f4b1", pinned(t, "gamma", "log", func(i int) float64 { return 1 + count(i) }, normal, normal), []float64{-2, 2, 0.5}},
	} {
		data, priors := c.target.Data(), c.target.Model().Coefficients
		offset := make([]float64, data.Rows())
		f, err := basis.RotateAt(c.target, data.X, offset, priors, c.from, 1e-6)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		d := len(priors)
		v, u := make([]float64, d), []float64{1, -0.5, 0.25}[:d]
		f.Values(u, v)
		back := make([]float64, d)
		f.Coordinates(v, back)
		hash := sha256.New()
		for _, part := range [][]float64{f.Origin, f.Precision, f.Centre, f.Curvature, v, back, {f.LogPrior(v)}} {
			_ = binary.Write(hash, binary.LittleEndian, part)
		}
		for i, x := range u {
			if math.Abs(back[i]-x) > 1e-12 {
				t.Errorf("%s: coordinate %d is %v after Values and Coordinates, want %v", c.name, i, back[i], x)
			}
		}
		if got := hex.EncodeToString(hash.Sum(nil)[:8]); got != c.want {
			t.Errorf("%s: a frame has bits with hash %s, pinned is %s", c.name, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	target := pinned(t, "bernoulli", "logit", func(i int) float64 { return float64(i % 2) }, normal)
	data := target.Data()
	for want, call := range map[string]func() (*basis.Frame, error){
		"horseshoe prior has no curvature": func() (*basis.Frame, error) {
			return basis.Rotate(target, design.NewDense(30, 1), make([]float64, 30),
				[]prior.Prior{{Kind: prior.Horseshoe, Scale: 1}}, []float64{0})
		},
		"5001 coordinates to rotate": func() (*basis.Frame, error) {
			return basis.Rotate(target, design.NewDense(1, basis.RotateLimit+1), nil, nil, nil)
		},
		"no Cholesky factor": func() (*basis.Frame, error) {
			return basis.Rotate(target, data.X, make([]float64, 30), []prior.Prior{laplace}, []float64{math.NaN()})
		},
	} {
		if _, err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
