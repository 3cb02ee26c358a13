package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
)

const relatives = `
pipeline: p
database: t.duckdb
seed: 3
datasets: {animals: animals.csv}
matrices: {A: kinship.csv}
models:
  animals: {formula: "weight ~ sex + (1 | gr(animal, cov = A))", family: gaussian, standardize: none,
    prior: {coefficients: "normal(0, 50)", intercept: {prior: "normal(0, 50)", at: zero}, sigma: "exponential(0.5)",
    by_name: {sd_animal__Intercept: "exponential(0.5)"}}}
samplers: {auto: {method: auto}}
run: {chains: 2, warmup: 500, draws: 4000}
`

// Relatives have the posterior that quadrature has of the same model, and so have two of their effects.
func TestRelativesLikeQuadrature(t *testing.T) {
	infertest.Study(t)
	rows, all, _ := brmsMoments(t, "../testdata/known/known.json")
	f := newKnown(t, relatives, "animals.csv", "kinship.csv")
	f.computes()
	f.far("mean or standard deviation", fmt.Sprintf(`
		WITH own AS (SELECT name, mean, sd FROM summary UNION ALL
			SELECT name || '[' || level || ',Intercept]', mean, sd FROM smooths)
		SELECT max(greatest(abs(s.mean - v.m) / s.sd, abs(ln(s.sd / v.s)))) + 0 * %d
		FROM own s JOIN (VALUES %s) AS v(model, name, m, s) USING (name) WHERE v.model = 'animals'`, all, rows), 0.15)
}

// Matrices that are no covariance, levels without entries and other terms than the intercept are refused.
func TestRelativesRefused(t *testing.T) {
	for _, c := range []struct{ formula, matrix, want string }{
		{"y ~ (1 | gr(g, cov = A))", "a,b,value\n1,1,1\n2,2,1\n3,3,1\n1,2,2\n", "an eigenvalue is negative"},
		{"y ~ (1 | gr(g, cov = A))", "a,b,value\n1,1,1\n2,2,1\n1,3,0.5\n", `the variance of "3" in matrix "A" is 0`},
		{"y ~ (1 | gr(g, cov = A))", "a,b,value\n1,1,1\n2,2,1\n4,4,1\n", `matrix "A" has no level "3"`},
		{"y ~ (x | gr(g, cov = A))", "a,b,value\n1,1,1\n", "effects with a covariance matrix are those of the intercept"},
		{"y ~ gr(g, cov = A)", "a,b,value\n1,1,1\n", "gr() is a grouping"},
		{"y ~ (1 | gr(g, by = x, cov = A))", "a,b,value\n1,1,1\n", "gr(by =) of brms is not supported with cov"},
		{"y ~ (1 | gr(g, cov = B))", "a,b,value\n1,1,1\n", `there is no matrix "B"`},
	} {
		f := newFolder(t, "pipeline: p\ndatabase: t.duckdb\ndatasets: {d: d.csv}\nmatrices: {A: a.csv}\nmodels: {m: {formula: \""+
			c.formula+"\", family: gaussian}}\nsamplers: {s: {method: auto}}\n")
		f.write("d.csv", "y,x,g\n1,1,1\n2,2,2\n4,5,3\n3,2,1\n2,1,2\n5,3,3\n")
		f.write("a.csv", c.matrix)
		if text := f.errors(); !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.formula, text, c.want)
		}
	}
}
