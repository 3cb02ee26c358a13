package pipelines_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// logT returns the log density of student_t(df, 0, scale) at x, up to an additive constant.
func logT(df, x, scale float64) float64 { return -0.5 * (df + 1) * math.Log1p(x*x/(df*scale*scale)) }

// logNormal returns the log density of normal(m, s) at x, up to an additive constant.
func logNormal(x, m, s float64) float64 { return -0.5 * (x - m) * (x - m) / (s * s) }

// csvOf returns a CSV file with some columns.
func csvOf(header string, columns ...[]float64) string {
	var b strings.Builder
	fmt.Fprintln(&b, header)
	for i := range columns[0] {
		for c := range columns {
			if c > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%v", columns[c][i])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func first(theta []float64) float64 { return theta[0] }

func second(theta []float64) float64 { return theta[1] }

// tOf returns the log density of a student_t regression on x.
func tOf(df, scale float64, x, y []float64, prior func(theta []float64) float64) func(theta []float64) float64 {
	return func(theta []float64) float64 {
		sum := prior(theta)
		for i := range y {
			eta := theta[0]
			if x != nil {
				eta += theta[1] * x[i]
			}
			sum += logT(df, y[i]-eta, scale)
		}
		return sum
	}
}

// scattered returns n numbers around m that look like draws of normal(0, s), the same in each call.
func scattered(n int, m, s float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		_, u := math.Modf(float64(i+1) * math.Phi)
		out[i] = math.Round(1000*(m+s*math.Sqrt2*math.Erfinv(2*u-1))) / 1000
	}
	return out
}

// add returns a + slope·b.
func add(a, b []float64, slope float64) []float64 {
	out := make([]float64, len(a))
	for i := range a {
		out[i] = math.Round(1000*(a[i]+slope*b[i])) / 1000
	}
	return out
}

// modalPosteriors returns the suite.
func modalPosteriors() []modalPosterior {
	return slices.Concat(clusterPosteriors(), linePosteriors(), priorPosteriors(), pairPosteriors(),
		[]modalPosterior{levelPosterior()})
}

// robustModel is a student_t(2) regression with a given scale.
const robustModel = `formula: %s, family: student_t, prior: {%s, sigma: constant(%g), nu: constant(2)}`

// clusterPosteriors are those of the centre of clusters of responses.
func clusterPosteriors() (out []modalPosterior) {
	two := []float64{-0.118243944330984, -0.321449997402839, 0.948895916615219, 1.05914568205678, 0.210441356994234,
		0.161724179155667, 0.428868317961591, 13.7290768855699, 13.8241250360895, 13.7954843379561, 14.750205815102,
		14.8308037490528, 13.0589849531621, 13.4510705473212}
	out = append(out, modalPosterior{name: "two clusters", data: csvOf("y", two),
		model:      fmt.Sprintf(robustModel, "y ~ 1", `intercept: "normal(6.5, 20)"`, 1.0),
		parameters: []string{"(Intercept)"}, value: first, sql: "v1", cuts: []float64{7},
		logDensity: tOf(2, 1, nil, two, func(b []float64) float64 { return logNormal(b[0], 6.5, 20) }),
		grid:       []axis{{-60, 80, 20000}}})

	three := slices.Concat(scattered(7, 0, 0.7), scattered(5, 14, 0.7), scattered(7, 28, 0.7))
	out = append(out, modalPosterior{name: "three clusters", data: csvOf("y", three),
		model:      fmt.Sprintf(robustModel, "y ~ 1", `intercept: "normal(14, 20)"`, 1.0),
		parameters: []string{"(Intercept)"}, value: first, sql: "v1", cuts: []float64{7, 21},
		logDensity: tOf(2, 1, nil, three, func(b []float64) float64 { return logNormal(b[0], 14, 20) }),
		grid:       []axis{{-60, 80, 20000}}})

	spread := func(theta []float64) float64 { // of the scale, with the Jacobian of its logarithm
		sigma := math.Exp(theta[1])
		sum := logNormal(theta[0], 6.5, 20) + logNormal(sigma, 0, 0.5) + theta[1] - float64(len(two))*theta[1]
		for _, v := range two {
			sum += logT(2, v-theta[0], sigma)
		}
		return sum
	}
	return append(out, modalPosterior{name: "two clusters, scale unknown", data: csvOf("y", two),
		model: `formula: y ~ 1, family: student_t, prior: {intercept: "normal(6.5, 20)", sigma: half_normal(0.5), ` +
			`nu: constant(2)}`,
		parameters: []string{"(Intercept)"}, value: first, sql: "v1", cuts: []float64{7},
		logDensity: spread, grid: []axis{{-30, 45, 1500}, {-3, 2, 200}}})
}

// linePosteriors are those of lines through clusters of points.
func linePosteriors() (out []modalPosterior) {
	normals := func(s ...float64) func(theta []float64) float64 {
		return func(theta []float64) float64 { return logNormal(theta[0], 0, s[0]) + logNormal(theta[1], 0, s[1]) }
	}
	x := []float64{-3, -2, -1, 0, 1, 2, 3}
	xx := slices.Concat(x, x)
	crossing := slices.Concat(add(scattered(7, 0.2, 0.5), x, 3), add(scattered(7, -0.2, 0.5), x, -3))
	out = append(out, modalPosterior{name: "crossing lines", data: csvOf("x,y", xx, crossing),
		model:      fmt.Sprintf(robustModel, "y ~ x", `intercept: "normal(0, 10)", coefficients: "normal(0, 10)"`, 0.5),
		parameters: []string{"x"}, value: second, sql: "v1", cuts: []float64{0},
		logDensity: tOf(2, 0.5, xx, crossing, normals(10, 10)), grid: []axis{{-8, 8, 400}, {-8, 8, 400}}})

	parallel := slices.Concat(add(scattered(7, 0, 0.5), x, 1), add(scattered(7, 8, 0.5), x, 1))
	out = append(out, modalPosterior{name: "parallel lines", data: csvOf("x,y", xx, parallel),
		model:      fmt.Sprintf(robustModel, "y ~ x", `intercept: "normal(0, 20)", coefficients: "normal(0, 10)"`, 0.5),
		parameters: []string{"(Intercept)"}, value: first, sql: "v1", cuts: []float64{4},
		logDensity: tOf(2, 0.5, xx, parallel, normals(20, 10)), grid: []axis{{-15, 20, 700}, {-8, 8, 400}}})

	lx := slices.Concat([]float64{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75}, scattered(4, 6, 0.3))
	ly := slices.Concat(add(scattered(12, 0, 0.5), lx[:12], 1.0), scattered(4, -8, 0.5))
	out = append(out, modalPosterior{name: "leverage cluster", data: csvOf("x,y", lx, ly),
		model:      fmt.Sprintf(robustModel, "y ~ x", `intercept: "normal(0, 10)", coefficients: "normal(0, 5)"`, 0.5),
		parameters: []string{"x"}, value: second, sql: "v1", cuts: []float64{-0.4}, slow: true,
		logDensity: tOf(2, 0.5, lx, ly, normals(10, 5)), grid: []axis{{-8, 8, 600}, {-4, 4, 600}}})
	return out
}

// priorPosteriors are those of a heavy-tailed prior against data.
func priorPosteriors() (out []modalPosterior) {
	y := scattered(9, 1.6, 1.5)
	mean := func(theta []float64) float64 {
		sum := logT(1, theta[0], 0.02)
		for _, v := range y {
			sum += logNormal(v, theta[0], 1.5)
		}
		return sum
	}
	out = append(out, modalPosterior{name: "cauchy against data", data: csvOf("y", y),
		model:      `formula: y ~ 1, family: gaussian, prior: {intercept: "cauchy(0, 0.02)", sigma: constant(1.5)}`,
		parameters: []string{"(Intercept)"}, value: first, sql: "v1", cuts: []float64{0.35},
		logDensity: mean, grid: []axis{{-8, 10, 40000}}})

	counts := []float64{3, 1, 4, 2, 5, 2}
	poisson := func(theta []float64) float64 {
		sum := logT(1, theta[0]-0.1, 0.01)
		for _, v := range counts {
			sum += v*theta[0] - math.Exp(theta[0])
		}
		return sum
	}
	out = append(out, modalPosterior{name: "cauchy against counts", data: csvOf("y", counts),
		model:      `formula: y ~ 1, family: poisson, prior: {intercept: "cauchy(0.1, 0.01)"}`,
		parameters: []string{"(Intercept)"}, value: first, sql: "v1", cuts: []float64{0.25},
		logDensity: poisson, grid: []axis{{-6, 6, 40000}}})

	return out
}

// dot returns the inner product.
func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// pairModel is a regression on two columns with a given prior.
const pairModel = `formula: y ~ 0 + x1 + x2, family: gaussian, prior: {coefficients: "%s", sigma: constant(0.8)}`

// pairPosteriors are those of two nearly collinear columns under priors that take one of them.
func pairPosteriors() (out []modalPosterior) {
	x1 := scattered(20, 0, 1)
	x2 := make([]float64, 20)
	for i := range x2 {
		x2[i] = math.Round(1000*(x1[i]+0.3*math.Sin(2.3*float64(i)))) / 1000
	}
	z := make([]float64, 20)
	for i := range z {
		z[i] = math.Round(1000*(0.5*(x1[i]+x2[i])+0.8*math.Cos(1.7*float64(i)))) / 1000
	}
	pair := func(prior func(b, theta float64) float64) func(theta []float64) float64 {
		return func(theta []float64) float64 {
			third := 0.0
			if len(theta) > 2 {
				third = theta[2]
			}
			a, b := theta[0], theta[1]
			squares := a*a*dot(x1, x1) + 2*a*b*dot(x1, x2) + b*b*dot(x2, x2) - 2*a*dot(x1, z) - 2*b*dot(x2, z)
			return prior(a, third) + prior(b, third) - squares/(2*0.8*0.8)
		}
	}
	difference := func(theta []float64) float64 { return theta[0] - theta[1] }
	out = append(out, modalPosterior{name: "collinear pair under cauchy", data: csvOf("x1,x2,y", x1, x2, z),
		model:      fmt.Sprintf(pairModel, "cauchy(0, 0.02)"),
		parameters: []string{"x1", "x2"}, value: difference, sql: "v1 - v2", cuts: []float64{0},
		logDensity: pair(func(b, _ float64) float64 { return logT(1, b, 0.02) }),
		grid:       []axis{{-3, 4, 1400}, {-3, 4, 1400}}})
	out = append(out, modalPosterior{name: "collinear pair under horseshoe", data: csvOf("x1,x2,y", x1, x2, z),
		model:      fmt.Sprintf(pairModel, "horseshoe(0.05)"),
		parameters: []string{"x1", "x2"}, value: difference, sql: "v1 - v2", cuts: []float64{0},
		logDensity: func(theta []float64) float64 {
			tau := math.Exp(theta[2])
			given := pair(func(b, _ float64) float64 { return logHorseshoe(b, tau) })
			return given(theta) + theta[2] + logT(1, tau, 0.05*0.8)
		}, grid: []axis{{-3, 4, 160}, {-3, 4, 160}, {-9, 5, 60}}})
	return out
}

// logHorseshoe is the log density of a coefficient under a horseshoe given tau, up to a constant: e^z·E1(z)/tau, z =
// b²/2tau².
func logHorseshoe(b, tau float64) float64 {
	z := b * b / (2 * tau * tau)
	if z < 1 { // the series of E1
		sum, term := -math.Log(z)-0.5772156649015329, 1.0
		for k := 1.0; k < 20; k++ {
			term *= -z / k
			sum -= term / k
		}
		return z + math.Log(sum) - math.Log(tau)
	}
	f := z + 40 // the continued fraction of e^z·E1
	for k := 40.0; k >= 1; k-- {
		f = z + k/(1+k/f)
	}
	return -math.Log(f) - math.Log(tau)
}

// levelPosterior is that of an effect of a level with two modes.
func levelPosterior() modalPosterior {
	levels := [][]float64{slices.Concat(scattered(4, -4, 0.5), scattered(4, 4, 0.5)), scattered(6, 0.3, 0.6),
		scattered(6, -0.5, 0.6)}
	var b strings.Builder
	fmt.Fprintln(&b, "g,y")
	for g, y := range levels {
		for _, v := range y {
			fmt.Fprintf(&b, "g%d,%v\n", g+1, v)
		}
	}
	likelihood := func(y []float64, at float64) (sum float64) {
		for _, v := range y {
			sum += logT(2, v-at, 0.5)
		}
		return sum
	}
	last, others := math.NaN(), 0.0
	return modalPosterior{name: "effect of a level", data: b.String(),
		model: `formula: y ~ 1 + (1 | g), family: student_t, prior: {intercept: "normal(0, 2)", ` +
			`sigma: constant(0.5), nu: constant(2), sd: constant(3)}`,
		parameters: []string{"r_g[g1,Intercept]"}, value: second, sql: "v1", cuts: []float64{0},
		logDensity: func(theta []float64) float64 {
			a := theta[0]
			if a != last {
				last, others = a, 0
				for _, y := range levels[1:] {
					sum := 0.0
					for e := -12.0; e < 12; e += 0.05 {
						sum += math.Exp(likelihood(y, a+e) + logNormal(e, 0, 3))
					}
					others += math.Log(sum)
				}
			}
			return logNormal(a, 0, 2) + logNormal(theta[1], 0, 3) + likelihood(levels[0], a+theta[1]) + others
		},
		grid: []axis{{-9, 9, 360}, {-15, 15, 1200}}}
}
